"""Links: there and back without loss, open for ever, and never a reason to fail."""

from dataclasses import asdict
from enum import StrEnum
from urllib.parse import parse_qsl, urlencode, urlsplit

import numpy as np
import pytest
from experiments import PAIRS
from hypothesis import example as case
from hypothesis import given
from hypothesis import strategies as st
from strategies import sentences

from explorer import settings as limits
from explorer.edits import NOTHING, Edits, from_parts
from explorer.examples import EXAMPLES, OWN
from explorer.lab.mistakes import Mistake
from explorer.lab.order import Order
from explorer.link.codec import address, decode, encode, pin_of, pinned, settle
from explorer.link.experiment import base, experiment, set_aside, unedited
from explorer.link.parameters import EDITS, PARAMETERS, PIN
from explorer.link.run import run
from explorer.link.state import defaults, experiment_of
from explorer.operations.normalisers import NORMALISERS
from explorer.operations.schemes import SCHEMES
from explorer.positions import Pairs, Stretched
from explorer.pretrained.measures import Behaviour
from explorer.settings import MAX_CHARACTERS, MAX_TOKENS, Mask, Scale, Settings
from explorer.tokens import Cut, tokenize
from explorer.tokens import given as as_text
from explorer.trace import given as given_matrices
from explorer.trace import trace
from explorer.view import (
    BANKS,
    Colour,
    Curve,
    Direction,
    Drawing,
    Lab,
    Open,
    Turned,
    View,
)
from explorer.walks import drawn

NAMES = [*EXAMPLES, OWN]
WARM_MAT = {
    "example": "warm_mat",
    "text": "The cat sat on the warm mat",
    "cut": "words",
    "d_model": 3,
    "position": "none",
    "pairs": "neighbours",
    "base": 10_000,
    "stretch": 1.0,
    "stretched": "places",
    "scale": "raw",
    "temperature": 1.0,
    "rule": "softmax",
    "mask": [],
    "radius": 1,
    "pad": 1,
    "qkv": False,
    "n_heads": 1,
    "d_k": None,
    "d_v": None,
    "seed": 0,
    "view": "attention",
    "query": 1,
    "key": 6,
    "head": 0,
    "step": "weights",
    "feature": 0,
    "direction": "from",
    "colour": "matrix",
    "decimals": 3,
    "drawing": "arcs",
    "least": 0,
    "own": True,
    "turned": "rows",
    "revealed": 1,
    "moved": False,
    "pin": None,
    "lab": "root",
    "lab_seed": 0,
    "lab_curve": "largest",
    "lab_order": "reversed",
    "lab_mistake": "axis",
    "lab_length": 200,
    "lab_layers": 2,
    "lab_question": 1,
    "lab_times": 1,
    "layer": 0,
    "layer_head": 0,
    "piece": None,
    "to_piece": None,
    "special": True,
    "renormalised": False,
    "joined": False,
    "behaviour": "previous",
    "word": "bank",
    "sentences": BANKS,
    "edits": NOTHING,
}
"""What the page shows when it is opened without a link."""


@st.composite
def values(draw):
    """Any state that the controls can have."""
    whole = st.integers
    one_of = {"scale": Scale, "view": Open, "direction": Direction, "colour": Colour}
    one_of |= {
        "position": list(SCHEMES),
        "rule": list(NORMALISERS),
        "pairs": Pairs,
        "stretched": Stretched,
        "turned": Turned,
        "drawing": Drawing,
    }
    one_of |= {"lab": Lab, "lab_curve": Curve, "lab_order": Order, "lab_mistake": Mistake}
    one_of |= {"behaviour": Behaviour}
    changed = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "text": sentences() | st.text(max_size=30),
                "d_model": whole(2, 64),
                "mask": st.sets(st.sampled_from(Mask)).map(in_order),
                "base": whole(2, 10**8),
                "stretch": st.sampled_from([1.0, 1.5, 64.0]),
                "radius": whole(0, 64),
                "pad": whole(0, 64),
                "qkv": st.booleans(),
                "cut": st.sampled_from(Cut),
                "n_heads": whole(1, 8) | whole(1, 64),
                "d_k": st.none() | whole(1, 64),
                "d_v": st.none() | whole(1, 64),
                "seed": whole(0, 999_999),
                "temperature": st.sampled_from([0.1, 0.25, 1.0, 2.5, 10.0]),
                "query": whole(0, 9),
                "key": whole(0, 9),
                "head": whole(0, 9) | st.just("mean"),
                "feature": whole(0, 9),
                "decimals": whole(2, 6),
                "least": whole(0, 100),
                "revealed": whole(1, 30),
                "own": st.booleans(),
                "lab_seed": whole(0, 999_999),
                "lab_length": whole(10, 400),
                "lab_layers": whole(1, 12),
                "lab_question": whole(1, 5),
                "lab_times": st.sampled_from([1, 10, 100, 1000]),
                "layer": whole(0, 20),
                "layer_head": whole(0, 20),
                "piece": st.none() | whole(0, 20),
                "to_piece": st.none() | whole(0, 20),
                "special": st.booleans(),
                "renormalised": st.booleans(),
                "joined": st.booleans(),
                "word": st.text(max_size=30),
                "sentences": st.text(max_size=30),
            }
            | {name: st.sampled_from(codes).map(str) for name, codes in one_of.items()},
        )
    )
    example = draw(st.sampled_from(["warm_mat", OWN]) | st.sampled_from(NAMES))
    settled = settle(defaults(example).but(**typed(changed)))[0]
    return settled.but(edits=draw(edits_of(settled))) if draw(st.booleans()) else settled


@st.composite
def edits_of(draw, settled):
    """Some of the matrices of a state changed: a cell or two, or another shape altogether."""
    found = {}
    for name, rows in base(settled).items():
        if rows and rows[0] and draw(st.booleans()):
            i, j = draw(st.integers(0, len(rows) - 1)), draw(st.integers(0, len(rows[0]) - 1))
            changed = [list(row) for row in rows]
            changed[i][j] = (
                "0" if name == "visible" else draw(st.sampled_from(["0.50", "-7", "1e-9"]))
            )
            kept = tuple(map(tuple, changed))
            found[name] = draw(st.sampled_from([kept, kept, (("1", "0"),)]))
    words = settled.tokens
    if "x" in found:
        found["words"] = words if len(words) == len(found["x"]) else ("else",)
    return Edits(**found)


def in_order(masks):
    return [str(mask) for mask in Mask if mask in masks]


def said(state):
    """What every control says in a state."""
    controls = {name: PARAMETERS[name].to_control(state.value(name)) for name in PARAMETERS}
    return controls | {EDITS: state.edits}


def typed(controls):
    """The values that controls stand for which say this."""
    return {name: PARAMETERS[name].from_control(value) for name, value in controls.items()}


def opened(link):
    """The state that a link opens, where nothing of it may be ignored."""
    state, ignored = decode(dict(parse_qsl(link, keep_blank_values=True)))
    assert ignored == []
    return state


# There and back


@given(values())
def test_a_link_brings_back_every_value(values):
    assert decode(encode(values)) == (values, [])


@given(values())
def test_the_whole_address_brings_back_every_value(values):
    parts = urlsplit(address("https://example.org/app", encode(values)))
    assert parts.path == "/app"
    assert opened(parts.query) == values


@given(values())
def test_a_link_holds_nothing_that_its_example_says_already(values):
    link = encode(values)
    usual = defaults(values.example)
    for name in link.keys() - {"example", "text"}:
        assert values.value(name) != usual.value(name)
    assert ("text" in link) == (values.example == OWN or values.text != usual.text)


@given(values())
def test_what_is_settled_stays_as_it_is(values):
    assert settle(values) == (values, {})


def test_every_value_has_its_parameter_and_its_default():
    assert said(opened("")) == WARM_MAT
    assert [*PARAMETERS, EDITS] == list(WARM_MAT)
    for name in NAMES:
        assert defaults(name).values().keys() == WARM_MAT.keys()


# What links say


@pytest.mark.parametrize(
    ("link", "changed"),
    [
        ("d_model=24", {"d_model": 24}),
        ("scale=sqrt_d_k", {"scale": "sqrt_d_k"}),
        ("mask=causal", {"mask": ["causal"]}),
        ("mask=padding,causal&pad=2", {"mask": ["causal", "padding"], "pad": 2}),
        ("mask=window&radius=0", {"mask": ["window"], "radius": 0}),
        ("mask=none", {}),
        ("qkv=1", {"qkv": True}),
        ("qkv=0", {}),
        ("qkv=1&d_k=5&d_v=auto", {"qkv": True, "d_k": 5}),
        ("n_heads=3&head=2", {"n_heads": 3, "head": 2}),
        ("n_heads=3&head=mean", {"n_heads": 3, "head": "mean"}),
        ("seed=999999", {"seed": 999_999}),
        ("seed=007", {"seed": 7}),
        ("view=compare", {"view": "compare"}),
        ("query=0&key=5", {"query": 0, "key": 5}),
        ("step=context&feature=2", {"step": "context", "feature": 2}),
        ("direction=to", {"direction": "to"}),
        ("colour=row", {"colour": "row"}),
        ("colour=unit&decimals=6", {"colour": "unit", "decimals": 6}),
    ],
)
def test_each_parameter_sets_its_value_and_no_other(link, changed):
    assert said(opened(link)) == WARM_MAT | changed


def test_a_text_without_an_example_is_a_sentence_of_ones_own():
    values = opened("text=the+cat+the&d_model=4")
    assert values == defaults(OWN).but(text="the cat the", d_model=4)
    assert experiment(values) == Settings(text="the cat the", d_model=4)


def test_a_text_beside_an_example_leaves_the_example_chosen():
    values = opened("example=bank_river&text=bank+of+rivers")
    assert values == defaults("bank_river").but(text="bank of rivers")


def test_ones_own_sentence_is_always_in_the_link():
    """Also when it is the one that the page opens with: without it, the example would open."""
    assert encode(defaults(OWN)) == {"text": "The cat sat on the warm mat"}


@pytest.mark.parametrize(
    ("name", "link"),
    [
        ("warm_mat", "https://example.org/"),
        ("bank_river", "https://example.org/?example=bank_river"),
        ("journey_qkv", "https://example.org/?example=journey_qkv"),
    ],
)
def test_the_link_to_an_example_is_short(name, link):
    assert address("https://example.org/", encode(defaults(name))) == link


OWN_TEXT = WARM_MAT | {"example": "own", "d_model": 4, "query": 0, "key": 0}
BANK = OWN_TEXT | {"example": "bank_river", "text": "bank of river", "key": 2}
JOURNEY = WARM_MAT | {
    "example": "journey_qkv",
    "text": "Your journey starts with one step",
    "qkv": True,
    "d_k": 2,
    "scale": "sqrt_d_k",
    "query": 1,
    "key": 1,
}


@pytest.mark.parametrize(
    ("link", "values"),
    [
        ("", WARM_MAT),
        ("example=bank_river", BANK),
        ("example=journey_qkv", JOURNEY),
        ("view=compare&query=4", WARM_MAT | {"view": "compare", "query": 4}),
        ("example=bank_river&scale=sqrt_d_k&key=0", BANK | {"scale": "sqrt_d_k", "key": 0}),
        ("text=", OWN_TEXT | {"text": ""}),
        ("text=the+cat+the&d_model=4", OWN_TEXT | {"text": "the cat the"}),
        (
            "text=%D7%A9%D7%9C%D7%95%D7%9D+%26+%3Cb%3E&d_model=8&n_heads=2&head=1&seed=123",
            OWN_TEXT | {"text": "שלום & <b>", "d_model": 8, "n_heads": 2, "head": 1, "seed": 123},
        ),
        (
            "example=journey_qkv&mask=causal,window&radius=2&d_k=auto&scale=raw&colour=unit",
            JOURNEY
            | {"mask": ["causal", "window"], "radius": 2}
            | {"d_k": None, "scale": "raw", "colour": "unit"},
        ),
        (
            "text=a+b+c+d&qkv=1&n_heads=3&d_k=2&d_v=5&mask=padding&pad=2&step=context&feature=4"
            "&direction=all&decimals=5",
            OWN_TEXT
            | {"text": "a b c d", "qkv": True, "n_heads": 3, "d_k": 2, "d_v": 5}
            | {"mask": ["padding"], "pad": 2, "step": "context", "feature": 4}
            | {"direction": "all", "decimals": 5},
        ),
    ],
)
def test_a_link_opens_for_ever(link, values):
    """These values never change. A new parameter adds its default to WARM_MAT, and that is all."""
    assert said(opened(link)) == values


# Nonsense


def refused(link):
    """The name of each part of a link that was ignored, where all else is as usual."""
    values, ignored = decode(link)
    assert values == decode({name: link[name] for name in link.keys() - named(ignored)})[0]
    assert all(part.given == link[part.name] and part.rule for part in ignored)
    return named(ignored)


def named(ignored):
    names = [part.name for part in ignored]
    assert len(names) == len(set(names)), "a part of a link is named once"
    return set(names)


WHOLE = {
    "d_model": limits.D_MODEL,
    "radius": limits.RADIUS,
    "pad": limits.PAD,
    "n_heads": limits.N_HEADS,
    "d_k": limits.D_HEAD,
    "d_v": limits.D_HEAD,
    "seed": limits.SEED,
    "decimals": range(2, 7),
    "least": range(0, 101),
    "revealed": range(1, 31),
}
PLACES = ("query", "key", "head", "feature")
NO_NUMBERS = ("", " ", "1_000", "１２", "٣", "²", "1e3", "-1", "+1", " 3", "3\n", "4.0", "0x4")
NO_NUMBERS += ("nan", "inf", "None", "1,5", "9" * 5_000, "\x00", "<script>", "\ufffd%A")


@pytest.mark.parametrize("given", NO_NUMBERS)
@pytest.mark.parametrize("name", [*WHOLE, *PLACES])
def test_what_is_no_number_opens_the_default_and_is_named(name, given):
    assert refused({name: given}) == {name}
    assert said(decode({name: given})[0]) == WARM_MAT


@pytest.mark.parametrize(("given", "wanted"), [(".5", 0.5), ("0.5", 0.5), ("10", 10.0)])
def test_a_number_below_one_needs_no_0_in_front(given, wanted):
    assert decode({"temperature": given})[0].temperature == wanted
    assert refused({"temperature": "."}) == refused({"temperature": ""}) == {"temperature"}


@pytest.mark.parametrize("name", WHOLE)
def test_a_number_out_of_range_opens_the_default_and_is_named(name):
    low, high = WHOLE[name][0], WHOLE[name][-1]
    for number in (low - 1, high + 1):
        assert refused({name: str(number)}) == {name}
    for number in (low, high):
        wide = {"qkv": "1", "d_k": "1", "d_model": "64"}
        assert decode(wide | {name: str(number)})[0].value(name) == number


def test_a_class_can_be_shown_every_step_of_every_experiment_and_then_the_arrows():
    longest = max(len(drawn(trace(settings).steps, 0)) for settings in PAIRS.values())
    assert longest + 1 in WHOLE["revealed"]


@pytest.mark.parametrize("name", PLACES)
def test_a_place_out_of_range_is_0_and_is_named(name):
    for number in ("7", "9999", "10000", "9" * 40):
        values, ignored = decode({name: number})
        assert named(ignored) == {name}
        assert said(values) == WARM_MAT | {name: 0}


@pytest.mark.parametrize(
    ("name", "given"),
    [
        *[("example", given) for given in ("", "WARM_MAT", "warm-mat", "own ", "__class__")],
        *[("scale", given) for given in ("", "RAW", "sqrt", "maybe", "1", "raw,raw")],
        *[("mask", given) for given in ("", ",", "Causal", "causal,", "causal window")],
        *[("qkv", given) for given in ("", "true", "2", "01", "on")],
        *[("view", given) for given in ("", "Compare", "/etc/passwd")],
        *[("step", given) for given in ("", "Weights", "softmax", "queries", "scaled", "output")],
        *[("direction", given) for given in ("", "up")],
        *[("colour", given) for given in ("", "red", "matrix\n")],
        ("text", "x" * (MAX_CHARACTERS + 1)),
        *[(name, "1") for name in ("", "Text", "color", "utm_source", "d_model ", "_values", "x")],
        *[("head", given) for given in ("1", "Mean", "mean", "average")],  # of one head only 0
    ],
)
def test_a_part_that_cannot_be_used_opens_the_default_and_is_named(name, given):
    assert refused({name: given}) == {name}
    assert said(decode({name: given})[0]) == WARM_MAT


def test_the_good_parts_of_a_link_are_used_beside_the_bad():
    link = {"d_model": "8", "scale": "maybe", "seed": "3", "utm_source": "mail", "query": "9"}
    values, ignored = decode(link)
    assert named(ignored) == {"scale", "utm_source", "query"}
    assert said(values) == WARM_MAT | {"d_model": 8, "seed": 3, "query": 0}


@pytest.mark.parametrize(
    ("link", "bad"),
    [
        ({"text": "hi", "query": "1", "key": "2"}, {"query": 0, "key": 0}),
        ({"text": "", "query": "1"}, {"query": 0}),
        ({"d_model": "8", "n_heads": "3"}, {"n_heads": 1}),
        ({"d_model": "8", "n_heads": "3", "head": "2"}, {"n_heads": 1, "head": 0}),
        ({"d_model": "8", "n_heads": "2", "head": "2"}, {"head": 0}),
        ({"n_heads": "3", "head": "mean", "step": "scores"}, {"step": "weights"}),
        ({"qkv": "1", "d_k": "2", "step": "keys", "feature": "2"}, {"feature": 0}),
        ({"mask": "causal", "step": "scaled"}, {"step": "weights"}),
    ],
)
def test_parts_that_do_not_go_together_are_named_too(link, bad):
    values, ignored = decode(link)
    assert named(ignored) == bad.keys()
    assert {name: values.value(name) for name in bad} == bad


def test_heads_need_not_divide_where_their_size_is_given():
    assert refused({"d_model": "8", "n_heads": "3", "qkv": "1", "d_k": "2"}) == set()


def test_a_part_that_is_bad_in_two_ways_is_named_once():
    """No number, and the example's own key is beyond this sentence as well."""
    values, ignored = decode({"example": "warm_mat", "text": "hi", "key": "x"})
    assert values.view.key == 0
    assert named(ignored) == {"key"}


def test_a_rule_says_what_is_possible():
    rules = {part.name: part.rule for part in decode({"n_heads": "2", "scale": "", "seed": ""})[1]}
    assert "1, 3" in rules["n_heads"]
    assert "raw, sqrt_d_k" in rules["scale"]
    assert "from 0 to 999,999" in rules["seed"]


def test_a_text_may_have_8000_characters():
    values = opened("text=" + "x" * 8_000)
    assert len(values.text) == 8_000


@given(
    st.dictionaries(
        st.sampled_from([*PARAMETERS]) | st.text(max_size=9),
        st.text() | st.integers().map(str) | st.sampled_from([*Mask, *Scale, *NAMES]),
    )
)
@case({"text": "\ud800", "d_model": "３"})
def test_no_link_is_a_reason_to_fail(link):
    values, ignored = decode(link)
    assert named(ignored) <= link.keys()
    assert decode(encode(values)) == (values, [])


# From values to the experiment


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_examples_own_values_are_its_own_experiment(name):
    assert experiment(defaults(name)) == EXAMPLES[name].settings
    view = Open.COMPARE if EXAMPLES[name].beside else Open.ATTENTION
    look = View(query=EXAMPLES[name].query, key=EXAMPLES[name].key, view=view)
    assert defaults(name).view == look


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_vectors_leave_with_the_sentence_and_come_back_with_it(name):
    own = defaults(name)
    changed = own.but(text=own.text + " !")
    assert experiment(changed).x is None
    assert experiment(changed.but(text=own.text)) == EXAMPLES[name].settings


@pytest.mark.parametrize("name", EXAMPLES)
def test_vectors_and_matrices_leave_with_the_dimension_and_come_back_with_it(name):
    own = defaults(name)
    wider = experiment(own.but(d_model=6))
    assert (wider.x, wider.w_q, wider.w_k, wider.w_v) == (None, None, None, None)
    assert experiment(own.but(d_model=own.d_model)) == EXAMPLES[name].settings


@pytest.mark.parametrize(
    ("text", "stay"),
    [
        ("  The cat sat on\tthe warm mat ", True),
        ("the cat sat on the warm mat", False),
        ("The cat sat on the warm", False),
        ("mat warm the on sat cat The", False),
    ],
)
def test_vectors_belong_to_these_very_words_in_this_order(text, stay):
    assert (experiment(defaults("warm_mat").but(text=text)).x is not None) == stay


def test_matrices_stay_while_they_fit():
    own, theirs = defaults("journey_qkv"), EXAMPLES["journey_qkv"].settings
    two_heads = experiment(own.but(n_heads=2, d_k=1, text="other words"))
    assert (two_heads.x, two_heads.w_q, two_heads.w_v) == (None, theirs.w_q, theirs.w_v)
    wide_values = experiment(own.but(d_v=3))
    assert (wide_values.x, wide_values.w_k, wide_values.w_v) == (theirs.x, theirs.w_k, None)
    assert experiment(own.but(qkv=False)).w_q is None


def test_the_same_words_as_a_sentence_of_ones_own_have_made_up_vectors():
    text = EXAMPLES["warm_mat"].settings.text
    assert experiment(defaults(OWN).but(text=text, d_model=3)).x is None


@given(values())
def test_vectors_are_never_mixed(values):
    settings = unedited(values)
    theirs = EXAMPLES[values.example].settings if values.example in EXAMPLES else Settings()
    tables = ("x", "w_q", "w_k", "w_v")
    assert all(getattr(settings, name) in (None, getattr(theirs, name)) for name in tables)
    same_words = settings.tokens == theirs.tokens and settings.d_model == theirs.d_model
    assert settings.x == (theirs.x if same_words else None)
    shown = asdict(settings)
    assert all(shown[name] == value for name, value in values.values().items() if name in shown)


def test_a_sentence_that_is_too_long_is_refused_in_words_only_when_it_is_computed():
    values = opened("text=" + "a+" * (MAX_TOKENS + 1))
    assert len(tokenize(values.text)) == MAX_TOKENS + 1
    with pytest.raises(ValueError, match=f"up to {MAX_TOKENS} tokens"):
        experiment(values)


@given(values())
def test_what_controls_say_stands_for_the_state_and_no_other(values):
    controls = said(values)
    del controls[EDITS]
    again = values.but(**typed(controls))
    assert again == values
    assert [type(v) for v in again.values().values()] == [type(v) for v in values.values().values()]
    assert not any(isinstance(value, StrEnum) for value in controls.values())


# Numbers changed by hand


def edited(values, name, row, column, text):
    rows = [list(r) for r in base(values)[name]]
    rows[row][column] = text
    words = {"words": values.tokens} if name == "x" else {}
    return values.but(edits=Edits(**{name: tuple(map(tuple, rows))}, **words))


@pytest.mark.parametrize("name", ["x", "w_q", "w_k", "w_v", "w_o"])
def test_a_changed_number_is_computed_with_and_the_others_stay(name):
    values = decode({"example": "bank_river", "qkv": "1"})[0]
    before = given_matrices(experiment(values))
    after = given_matrices(experiment(edited(values, name, 1, 2, "0.125")))
    assert list(before) == ["embeddings", "w_q", "w_k", "w_v", "w_o"]
    before["embeddings" if name == "x" else name][1, 2] = 0.125
    for matrix in before:
        np.testing.assert_array_equal(before[matrix], after[matrix])


def test_a_custom_mask_counts_once_it_is_switched_on():
    values = edited(decode({})[0], "visible", 2, 3, "0")
    assert experiment(values).visible.all()
    on = experiment(values.but(mask=(Mask.CUSTOM,))).visible
    assert not on[2, 3]
    assert on.sum() == on.size - 1
    both = experiment(values.but(mask=(Mask.CAUSAL, Mask.CUSTOM))).visible
    np.testing.assert_array_equal(both, on & np.tri(7, dtype=bool))


@pytest.mark.parametrize("elsewhere", [{"text": "dog bites man"}, {"d_model": 5}])
def test_changed_vectors_wait_for_their_sentence_and_size(elsewhere):
    values = edited(decode({"example": "bank_river"})[0], "x", 0, 0, "9")
    away = values.but(**elsewhere)
    assert experiment(away) == unedited(away)
    assert set_aside(away) == ["x"]
    assert set_aside(values) == []
    assert experiment(values).x[0][0] == 9
    assert opened(urlencode(encode(away))) == away


def test_vectors_of_another_sentence_of_the_same_length_are_not_mixed_in():
    values = edited(decode({"text": "dog bites man"})[0], "x", 0, 0, "9")
    assert experiment(values.but(text="man bites dog")).x is None


def test_a_damaged_part_opens_the_example_and_is_named():
    link = encode(edited(decode({"example": "bank_river"})[0], "x", 0, 0, "9"))
    whole = link["edits"]
    for damaged in (whole[:-3], whole[:5] + "AAAA" + whole[9:], "0" + whole[1:], "%%%"):
        values, ignored = decode(link | {"edits": damaged})
        assert values == decode({"example": "bank_river"})[0]
        assert named(ignored) == {"edits"}


def test_three_changes_in_an_article_s_example_make_a_short_link():
    for name in ("warm_mat", "bank_river"):
        values = decode({"example": name})[0]
        rows = [list(row) for row in base(values)["x"]]
        rows[0][0], rows[1][1], rows[2][2] = "0.123", "-0.5", "7"
        edits = Edits(x=tuple(map(tuple, rows)), words=values.tokens)
        link = encode(values.but(edits=edits))
        assert len(address("https://example.streamlit.app/", link)) < 300


def test_what_is_too_long_for_a_link_is_left_out_of_it():
    values = decode({"text": " ".join(f"w{n}" for n in range(40)), "d_model": "64"})[0]
    rows = tuple(
        tuple(f"{n * 0.37 % 1:.9f}" for n in range(64 * i, 64 * i + 64)) for i in range(40)
    )
    values = values.but(edits=Edits(x=rows, words=values.tokens))
    assert "edits" not in encode(values)
    assert run(values).link != run(values).whole_link
    fewer = run(values.but(edits=NOTHING))
    assert fewer.link == fewer.whole_link


@given(values(), values())
def test_two_states_travel_in_one_link(now, then):
    both = now.but(pin=pin_of(then))
    if EDITS in encode(now) or now.edits == NOTHING:
        found, ignored = decode(dict(parse_qsl(urlencode(encode(both)), keep_blank_values=True)))
        assert not ignored
        assert found == both
    assert experiment_of(pinned(both.pin)) == experiment_of(then)


def test_a_pin_holds_what_is_computed_and_not_what_is_looked_at():
    seen = defaults("bank_river").but(query=2, view=Open.COMPARE, decimals=5)
    assert pin_of(seen) == "example=bank_river&query=2"
    assert pinned(seen.pin) is None


@pytest.mark.parametrize("pin", ["text=" + "a+" * (MAX_TOKENS + 1), "pin=d_model%3D4", "d_model=1"])
def test_a_pin_that_nothing_can_be_compared_with_is_named(pin):
    assert refused({"view": "compare", PIN: pin}) == {PIN}


def test_a_pin_too_large_for_a_link_is_left_out_and_said():
    values = defaults(OWN).but(pin="text=" + "a" * 7_000)
    assert PIN not in encode(values)
    assert run(values).link != run(values).whole_link
    assert encode(values, limited=False)[PIN] == values.pin


def test_a_link_carries_tokens_that_somebody_gave():
    tokens = ("[CLS]", "##ing", "▁The", "New York", "北京", ",")
    values = defaults(OWN).but(text=as_text(tokens), cut=Cut.SPACES)
    assert encode(values)["cut"] == "spaces"
    assert decode(encode(values)) == (values, [])
    assert experiment(values).tokens == tokens


def test_too_many_heads_times_words_times_words_are_refused_with_the_limit():
    values = opened("d_model=64&n_heads=64&text=" + "a+" * 182)
    with pytest.raises(ValueError, match=r"up to 2,097,152.*64 heads and 182 words make 2,119,936"):
        experiment(values)
    experiment(values.but(n_heads=8, text="a " * MAX_TOKENS))


@pytest.mark.parametrize("name", ["text", "word", "sentences"])
def test_text_that_no_address_can_hold_is_refused_and_named(name):
    assert refused({name: "a \ud800 b"}) == {name}


@pytest.mark.parametrize(
    ("name", "shape"),
    [("w_q", [65, 1]), ("w_o", [1, 65]), ("x", [513, 2]), ("w_q", [980, 980])],
)
def test_a_matrix_that_can_never_fit_is_refused_by_its_size(name, shape):
    with pytest.raises(ValueError, match="no size"):
        from_parts({name: shape}, {})
