"""Positions against their formulas, word by word, and against published values."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer import positions
from explorer.attention import score

SIZES = {"n_tokens": st.integers(0, 9), "n_features": st.integers(1, 9)}


def test_sinusoidal_is_the_papers_interleaved_formula():
    """The values of the paper's formula, as printed in public notes (d = 4, 6 and 20)."""
    np.testing.assert_allclose(
        positions.sinusoidal(3, 4),
        [[0, 1, 0, 1], [0.8415, 0.5403, 0.0100, 0.99995], [0.9093, -0.4161, 0.0200, 0.9998]],
        atol=5e-5,
    )
    d6 = [0.8415, 0.5403, 0.0464, 0.9989, 0.0022, 1.0000]
    np.testing.assert_allclose(positions.sinusoidal(2, 6)[1], d6, atol=5e-5)
    d20 = [0.1578, 0.9875, 0.0631, 0.9980]
    np.testing.assert_allclose(positions.sinusoidal(2, 20)[1, 4:8], d20, atol=5e-5)


def test_the_other_layout_is_the_famous_figures():
    """Alammar, "The Illustrated Transformer": four features of the first three positions."""
    figure = [[0, 0, 1, 1], [0.84, 0.0001, 0.54, 1], [0.91, 0.0002, -0.42, 1]]
    np.testing.assert_allclose(positions.sinusoidal_halves(3, 4), figure, atol=5e-3)
    assert positions.sinusoidal_halves(2, 4)[1, 1] == pytest.approx(0.0001, abs=1e-9)


@given(**SIZES)
def test_each_number_of_sinusoidal_is_its_formula(n_tokens, n_features):
    found = positions.sinusoidal(n_tokens, n_features)
    assert found.shape == (n_tokens, n_features)
    for p in range(n_tokens):
        for c in range(n_features):
            angle = p / 10_000 ** (2 * (c // 2) / n_features)
            wanted = math.sin(angle) if c % 2 == 0 else math.cos(angle)
            assert found[p, c] == pytest.approx(wanted, abs=1e-12)


@given(**SIZES)
def test_the_other_layout_has_its_shape_and_no_missing_number(n_tokens, n_features):
    found = positions.sinusoidal_halves(n_tokens, n_features)
    assert found.shape == (n_tokens, n_features)
    assert np.isfinite(found).all()


@given(st.integers(1, 6), st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_rotary_turns_pairs_and_keeps_lengths(n_tokens, n_features, seed):
    x = np.random.default_rng(seed).normal(size=(2, n_tokens, n_features))
    turned = positions.rotary(x)
    assert turned.shape == x.shape
    np.testing.assert_allclose(turned[:, 0], x[:, 0])
    np.testing.assert_allclose((turned**2).sum(-1), (x**2).sum(-1))
    for p in range(n_tokens):
        for pair in range(n_features // 2):
            c = 2 * pair
            turn = np.exp(1j * p / 10_000 ** (2 * pair / n_features))
            wanted = (x[:, p, c] + 1j * x[:, p, c + 1]) * turn
            np.testing.assert_allclose(turned[:, p, c] + 1j * turned[:, p, c + 1], wanted)
    if n_features % 2:
        np.testing.assert_array_equal(turned[..., -1], x[..., -1])


def test_after_rotary_a_score_depends_on_the_distance_alone():
    rng = np.random.default_rng(1)
    q, k = (np.repeat(rng.normal(size=(1, 4)), 6, axis=0) for _ in range(2))
    scores = score(positions.rotary(q), positions.rotary(k))
    for distance in range(-5, 6):
        along = np.diagonal(scores, distance)
        np.testing.assert_allclose(along, along[0])
    assert np.ptp(scores) > 0.1


def test_alibi_slopes_are_the_papers():
    """Press et al. (2022), section 3: 1/2 to 1/256 for 8 heads; 16 begin with 1/2^0.5."""
    np.testing.assert_array_equal(positions.alibi_slopes(8), 1 / 2 ** np.arange(1.0, 9))
    np.testing.assert_allclose(positions.alibi_slopes(16), 1 / 2 ** np.arange(0.5, 8.5, 0.5))
    np.testing.assert_allclose(positions.alibi_slopes(3), [1 / 16, 1 / 256, 1 / 4])


@given(st.integers(0, 6), st.integers(1, 9))
def test_alibi_takes_the_slope_off_for_each_word_between(n_tokens, n_heads):
    bias, slopes = positions.alibi(n_tokens, n_heads), positions.alibi_slopes(n_heads)
    assert bias.shape == (n_heads, n_tokens, n_tokens)
    assert not np.signbit(np.diagonal(bias, axis1=1, axis2=2)).any()
    for i in range(n_tokens):
        for j in range(n_tokens):
            np.testing.assert_allclose(bias[:, i, j], -slopes * abs(i - j))
