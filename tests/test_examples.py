"""The named examples: their settings never change, and their printed numbers hold."""

import numpy as np
import pytest

from explorer.examples import DEFAULT, EXAMPLES, OWN
from explorer.trace import trace

# Links say no more than an example's name, and a link must open for ever. So every field of today
# is written out here, and not compared with a default, which may change.
PLAIN = {
    "d_model": 4,
    "x": None,
    "qkv": False,
    "n_heads": 1,
    "d_k": None,
    "d_v": None,
    "w_q": None,
    "w_k": None,
    "w_v": None,
    "scale": "raw",
    "mask": (),
    "radius": 1,
    "pad": 1,
    "seed": 0,
}
JOURNEY = PLAIN | {
    "text": "Your journey starts with one step",
    "d_model": 3,
    "x": (
        (0.43, 0.15, 0.89),
        (0.55, 0.87, 0.66),
        (0.57, 0.85, 0.64),
        (0.22, 0.58, 0.33),
        (0.77, 0.25, 0.10),
        (0.05, 0.80, 0.55),
    ),
}
POEM = PLAIN | {
    "text": "Write a poem",
    "d_model": 2,
    "x": ((1.16, 0.23), (0.57, 1.36), (4.41, -2.16)),
    "qkv": True,
    "d_k": 2,
    "w_q": ((0.5406104, -0.16565566), (0.5869042, 0.6495563)),
    "w_k": ((-0.15492962, -0.3442585), (0.14268756, 0.41527155)),
    "w_v": ((0.62334496, 0.6146145), (-0.5187534, 0.13234161)),
    "scale": "sqrt_d_k",
}
FROZEN = {
    "warm_mat": PLAIN
    | {
        "text": "The cat sat on the warm mat",
        "d_model": 3,
        "x": (
            (0.41, 0.12, 0.73),
            (0.58, 0.91, 0.44),
            (0.33, 0.76, 0.89),
            (0.15, 0.42, 0.67),
            (0.39, 0.14, 0.71),
            (0.82, 0.53, 0.29),
            (0.61, 0.85, 0.47),
        ),
    },
    "bank_river": PLAIN
    | {"text": "bank of river", "x": ((1, 0, 1, 0), (0, 1, 0, 1), (1, 1, 0, 0))},
    "journey": JOURNEY,
    "journey_qkv": JOURNEY
    | {
        "qkv": True,
        "d_k": 2,
        "w_q": ((0.29611194, 0.5165623), (0.25167072, 0.6885568), (0.07397246, 0.86652195)),
        "w_k": ((0.13657987, 0.10247904), (0.18405646, 0.72644675), (0.3152539, 0.68710667)),
        "w_v": ((0.075635314, 0.19663817), (0.31641197, 0.40174013), (0.1185683, 0.8273954)),
        "scale": "sqrt_d_k",
    },
    "journey_causal": JOURNEY
    | {
        "qkv": True,
        "d_k": 2,
        "w_q": ((0.31605908, -0.1682854), (0.45680857, -0.33787704), (0.51183486, -0.09177387)),
        "w_k": ((0.40580583, 0.21336074), (-0.47042054, -0.26005065), (0.2368052, -0.510543)),
        "w_v": ((0.25256988, 0.5191074), (-0.14147827, -0.08516758), (-0.19618134, -0.20432705)),
        "scale": "sqrt_d_k",
        "mask": ("causal",),
    },
    "karim": PLAIN
    | {
        "text": "input1 input2 input3",
        "x": ((1, 0, 1, 0), (0, 2, 0, 2), (1, 1, 1, 1)),
        "qkv": True,
        "d_k": 3,
        "w_q": ((1, 0, 1), (1, 0, 0), (0, 0, 1), (0, 1, 1)),
        "w_k": ((0, 0, 1), (1, 1, 0), (0, 1, 0), (1, 1, 0)),
        "w_v": ((0, 2, 0), (0, 3, 0), (1, 0, 3), (1, 1, 0)),
    },
    "four_words": PLAIN
    | {
        "text": "word1 word2 word3 word4",
        "d_model": 3,
        "x": ((1, 0, 0), (0, 1, 0), (1, 1, 0), (0, 0, 1)),
        "qkv": True,
        "w_q": ((2, 0, 2), (2, 0, 0), (2, 1, 2)),
        "w_k": ((2, 2, 2), (0, 2, 1), (0, 1, 1)),
        "w_v": ((1, 1, 0), (0, 1, 1), (0, 0, 0)),
        "scale": "sqrt_d_k",
    },
    "poem": POEM,
    "poem_causal": POEM | {"mask": ("causal",)},
    "two_banks": PLAIN
    | {
        "text": "They took money to the bank",
        "d_model": 3,
        "x": ((0, 0, 2), (0, 1, 1), (0, 3, 0), (0, 0, 1), (0, 0, 1), (1, 1, 0)),
    },
    "river_bank": PLAIN
    | {
        "text": "They fished from the river bank",
        "d_model": 3,
        "x": ((0, 0, 2), (2, 0, 1), (0, 0, 1), (0, 0, 1), (3, 0, 0), (1, 1, 0)),
    },
    "dog_man": PLAIN | {"text": "dog bites man"},
    "repetition": PLAIN | {"text": "A rose is a rose is a rose"},
    "long_sentence": PLAIN
    | {
        "text": "When the rain had stopped at last, the children who had waited all morning by the "
        "window ran out into the garden, and the old dog, who had slept through the thunder, got "
        "up and followed them slowly to the gate.",
        "d_model": 16,
        "scale": "sqrt_d_k",
    },
    "arabic": PLAIN | {"text": "القطة تجلس على السجادة"},
    "hindi": PLAIN | {"text": "बिल्ली चटाई पर बैठी है"},
    "chinese": PLAIN | {"text": "猫坐在垫子上"},
    "emoji": PLAIN | {"text": "👩‍🚀 ❤️ 🌍 and 🏳️‍🌈"},
}
FIRST_LOOK = {
    "warm_mat": (1, 6),
    "bank_river": (0, 2),
    "journey": (1, 2),
    "journey_qkv": (1, 1),
    "journey_causal": (1, 0),
    "karim": (0, 1),
    "four_words": (0, 2),
    "poem": (0, 1),
    "poem_causal": (1, 0),
    "two_banks": (5, 2),
    "river_bank": (5, 4),
    "dog_man": (0, 2),
    "repetition": (1, 4),
    "long_sentence": (9, 16),
    "arabic": (0, 3),
    "hindi": (0, 1),
    "chinese": (0, 3),
    "emoji": (0, 2),
}
"""The word that asks and the word that answers when an example opens."""
PRINTED = [
    pytest.param(name, printed, id=f"{name}-{printed.step}")
    for name, example in EXAMPLES.items()
    for printed in example.printed
]


@pytest.mark.parametrize("name", FROZEN)
def test_the_settings_of_an_example_never_change(name):
    settings = EXAMPLES[name].settings
    assert {field: getattr(settings, field) for field in FROZEN[name]} == FROZEN[name]


@pytest.mark.parametrize("name", FIRST_LOOK)
def test_the_first_look_of_an_example_never_changes(name):
    assert (EXAMPLES[name].query, EXAMPLES[name].key) == FIRST_LOOK[name]


def test_no_example_goes_unfrozen_and_the_names_never_change():
    assert set(EXAMPLES) == set(FROZEN) == set(FIRST_LOOK)
    assert DEFAULT == "warm_mat"
    assert OWN == "own"
    assert OWN not in EXAMPLES


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_the_word_to_look_at_first_is_in_the_sentence(example):
    assert 0 <= example.query < len(example.settings.tokens)
    assert 0 <= example.key < len(example.settings.tokens)


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_every_example_has_a_title_and_whoever_prints_numbers_is_named(example):
    assert example.title
    assert bool(example.source) is bool(example.printed)


@pytest.mark.parametrize(
    ("name", "n_tokens"),
    [("long_sentence", 46), ("repetition", 8), ("chinese", 6), ("emoji", 5), ("hindi", 5)],
)
def test_the_sentences_are_cut_as_they_always_were(name, n_tokens):
    """The words to look at first are counted by tokens."""
    assert len(EXAMPLES[name].settings.tokens) == n_tokens


def ours(name, printed):
    """The numbers of our trace that stand where the printed ones do."""
    t = trace(EXAMPLES[name].settings)
    exponentials = np.exp(t.masked[0])
    steps = {
        "queries": t.q[0],
        "keys": t.k[0],
        "values": t.v[0],
        "scores": t.scores[0],
        "exponentials": exponentials,
        "exponentials_total": exponentials.sum(axis=-1, keepdims=True),
        "weights": t.weights[0],
        "context": t.context[0],
    }
    return steps[printed.step][list(printed.rows)]


@pytest.mark.parametrize(("name", "printed"), PRINTED)
def test_what_an_example_says_is_printed_is_ours_rounded_or_said_not_to_hold(name, printed):
    half_a_unit = 0.5 * 10.0**-printed.decimals
    difference = np.abs(ours(name, printed) - np.array(printed.numbers))
    assert difference.shape == np.shape(printed.numbers)
    assert (difference <= half_a_unit).all() == printed.holds


def test_only_karim_prints_numbers_that_do_not_hold_and_the_note_says_why():
    [(name, printed)] = [param.values for param in PRINTED if not param.values[1].holds]
    assert (name, printed.step) == ("karim", "context")
    assert 0.31 < np.abs(ours(name, printed) - np.array(printed.numbers)).max() < 0.32
    assert "up to 0.32" in EXAMPLES[name].note


@pytest.mark.parametrize(("name", "printed"), PRINTED)
def test_no_printed_number_has_more_decimals_than_it_says(name, printed):
    numbers = np.array(printed.numbers)
    np.testing.assert_array_equal(numbers, numbers.round(printed.decimals))


def test_an_example_of_two_sentences_opens_with_the_other_one():
    assert {n: e.beside for n, e in EXAMPLES.items() if e.beside} == {"two_banks": "river_bank"}
