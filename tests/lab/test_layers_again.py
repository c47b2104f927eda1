"""Attention again and again, by hand and for what must always hold."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from explorer.examples import EXAMPLES
from explorer.lab.layers import measure, repeat
from explorer.settings import Mask, Settings
from explorer.trace import trace

WARM_MAT = EXAMPLES["warm_mat"].settings
X3 = ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0))


def test_the_first_layers_are_the_embeddings_and_their_contexts():
    found = repeat(Settings(text="a b c", d_model=2, x=X3), 2)
    np.testing.assert_array_equal(found[0].x, X3)
    once = found[1].x
    expected = [[0.8446, 0.5777], [0.5777, 0.8446], [0.7881, 0.7881]]
    np.testing.assert_allclose(once, expected, atol=5e-5)
    exp = np.exp(once @ once.T)
    np.testing.assert_allclose(found[2].x, exp / exp.sum(axis=1, keepdims=True) @ once)


def test_words_grow_alike():
    found = repeat(WARM_MAT, 12)
    assert len(found) == 13
    apart = [layer.apart for layer in found]
    # Once the words are equal, only rounding is left to move them.
    assert all(later <= before + 1e-14 for before, later in pairwise(apart))
    assert apart[-1] < 1e-12 < apart[0]
    assert found[-1].cosine == pytest.approx(1)


def test_with_a_causal_mask_the_first_word_stays_and_the_others_come_slowly():
    found = repeat(replace(WARM_MAT, mask=(Mask.CAUSAL,)), 12)
    np.testing.assert_allclose([layer.x[0] for layer in found], [WARM_MAT.x[0]] * 13)
    assert found[6].apart > 1000 * repeat(WARM_MAT, 6)[6].apart


def test_the_measures_by_hand():
    """Two words at right angles, each at half the root of two from their mean."""
    found = measure(np.eye(2))
    assert found.apart == pytest.approx(0.5**0.5)
    assert found.cosine == 0
    assert measure(np.array([[2.0, 0], [5, 0]])).cosine == 1
    assert measure(np.ones((1, 3))).apart == 0


def test_it_stops_where_the_output_cannot_go_in_again():
    wider = Settings(text="a b", qkv=True, d_model=4, d_k=2, d_v=3)
    assert trace(wider).output.shape == (2, 3)
    assert len(repeat(wider, 3)) == 1


def test_it_stops_where_numbers_grow_too_large():
    grown = Settings(text="a b", d_model=2, qkv=True, w_v=((1e3, 0), (0, 1e3)))
    found = repeat(grown, 12)
    assert 1 < len(found) < 5
    assert np.abs(found[-2].x).max() <= 1e6 < np.abs(found[-1].x).max()
