"""The made-up vectors and matrices: two decimals, and the same for ever."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import WORDS

from explorer.embeddings import generated, projections

ROOT = Path(__file__).parent.parent
WORD = st.sampled_from(WORDS)
SEEDS = st.integers(0, 999_999)


def from_hash(count, name):
    """The rule again, in whole numbers: eight bytes a number, 201 steps of a hundredth."""
    digest = hashlib.shake_256(name.encode()).digest(8 * count)
    steps = [int.from_bytes(digest[8 * i : 8 * i + 8], "little") % 201 for i in range(count)]
    return [float(f"{step - 100}e-2") for step in steps]


@pytest.mark.parametrize(
    ("word", "d_model", "seed", "vector"),
    [
        ("cat", 4, 0, [-0.07, -0.16, -0.15, 0.11]),
        ("the", 4, 0, [-0.64, -0.27, -0.63, -0.69]),
        ("東", 4, 0, [-0.12, 0.83, 0.10, 0.03]),
        ("cat", 3, 7, [-0.41, 0.48, -0.39]),
    ],
)
def test_the_vectors_of_some_words_never_change(word, d_model, seed, vector):
    np.testing.assert_array_equal(generated([word], d_model, seed), [vector])


def test_some_projections_never_change():
    w_q, w_k, w_v = projections(d_model=2, d_queries=3, d_values=1, seed=5)
    np.testing.assert_array_equal(w_q, [[0.38, -0.27, -0.13], [-0.76, -0.42, 0.41]])
    np.testing.assert_array_equal(w_k, [[-0.66, 0.77, -0.80], [0.52, 0.80, 0.84]])
    np.testing.assert_array_equal(w_v, [[-1.00], [0.23]])


@given(WORD, st.integers(2, 9), SEEDS)
def test_a_vector_comes_from_the_word_its_length_and_the_seed_alone(word, d_model, seed):
    composed = {"The": "the", "Poincare\u0301": "poincaré"}.get(word, word)
    expected = from_hash(d_model, f"word\x1f{composed}\x1f{d_model}\x1f{seed}")
    np.testing.assert_array_equal(generated([word], d_model, seed)[0], expected)


@given(st.integers(2, 6), st.integers(1, 6), st.integers(1, 6), SEEDS)
def test_w_q_then_w_k_then_w_v_are_dealt_out_of_one_sequence_row_by_row(d_model, d_q, d_v, seed):
    drawn = iter(from_hash(d_model * (2 * d_q + d_v), f"projections\x1f{d_model}\x1f{seed}"))
    for matrix, width in zip(projections(d_model, d_q, d_v, seed), (d_q, d_q, d_v), strict=True):
        np.testing.assert_array_equal(
            matrix, [[next(drawn) for _ in range(width)] for _ in range(d_model)]
        )
    assert next(drawn, None) is None


def test_the_digits_shown_are_the_digits_used():
    numbers = generated(WORDS, 64, 3).ravel().tolist()
    numbers += [number for w in projections(16, 16, 16, 3) for number in w.ravel().tolist()]
    assert all(number == round(number, 2) == float(f"{number:.2f}") for number in numbers)
    assert all(-1 <= number <= 1 for number in numbers)


def test_both_ends_of_the_range_and_all_steps_between_are_drawn():
    """Of 201 steps among 49,152 numbers, each comes 245 times; fewer than 170 has odds of 1e-4."""
    numbers = np.concatenate([w.ravel() for w in projections(64, 256, 256, 0)])
    values, counts = np.unique(numbers, return_counts=True)
    np.testing.assert_array_equal(values, np.arange(-100, 101) / 100)
    assert counts.min() > 170
    assert abs(numbers.mean()) < 0.01


def test_a_word_has_the_same_vector_wherever_and_however_often_it_stands():
    x = generated(["the", "cat", "saw", "the", "cat"], 5, 1)
    np.testing.assert_array_equal(x[:2], x[3:])
    np.testing.assert_array_equal(x[::-1], generated(["cat", "the", "saw", "cat", "the"], 5, 1))
    np.testing.assert_array_equal(x[1:2], generated(["cat"], 5, 1))


@pytest.mark.parametrize(
    ("one", "other"), [("The", "tHE"), ("Poincaré", "POINCARE\u0301"), ("\u1ec7", "e\u0302\u0323")]
)
def test_capitals_and_the_encoding_of_accents_change_nothing(one, other):
    np.testing.assert_array_equal(generated([one], 6, 0), generated([other], 6, 0))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("cat", 4, 0), ("cat", 4, 1)),
        (("cat", 4, 0), ("dog", 4, 0)),
        (("か", 4, 0), ("が", 4, 0)),
        (("a", 11, 1), ("a", 1, 11)),
        (("a1", 4, 0), ("a", 14, 0)),
    ],
)
def test_another_word_length_or_seed_gives_other_numbers(one, other):
    first, second = (generated([word], d_model, seed)[0] for word, d_model, seed in (one, other))
    shared = min(len(first), len(second), 4)
    assert (first[:shared] != second[:shared]).any()


def test_the_length_is_a_part_of_what_a_vector_belongs_to():
    """A longer vector is not the shorter one with more numbers behind it."""
    assert (generated(["cat"], 8, 0)[0, :4] != generated(["cat"], 4, 0)[0]).any()


def test_projections_depend_on_the_seed_and_on_d_model():
    first = projections(4, 4, 4, 0)[0]
    assert (first != projections(4, 4, 4, 1)[0]).any()
    assert (first.ravel()[:8] != projections(2, 4, 4, 0)[0].ravel()).any()


@pytest.mark.parametrize("d_model", [2, 64])
def test_no_words_have_an_empty_matrix(d_model):
    assert generated([], d_model, 0).shape == (0, d_model)


def test_half_a_character_is_a_word_like_any_other():
    """It cannot be typed, but a forged message may hold one."""
    assert generated(["\ud800"], 4, 0).shape == (1, 4)


def test_every_process_draws_the_same():
    """Python salts its own hash() anew in each process, and by PYTHONHASHSEED."""
    program = (
        "from explorer.embeddings import generated, projections\n"
        "print(generated(['The', 'cat', '東', '👩‍👩‍👧'], 8, 3).tolist())\n"
        "print([w.tolist() for w in projections(4, 4, 2, 3)])\n"
    )
    here = f"{generated(['The', 'cat', '東', '👩‍👩‍👧'], 8, 3).tolist()}\n"
    here += f"{[w.tolist() for w in projections(4, 4, 2, 3)]}\n"
    for salt in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env=os.environ | {"PYTHONHASHSEED": salt, "PYTHONUTF8": "1"},
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
        assert run.stdout == here
