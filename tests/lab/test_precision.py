"""Precision: what short floats do to known numbers."""

import numpy as np
import pytest

from explorer.attention import attend
from explorer.lab.precision import Float, compare, weights

torch = pytest.importorskip("torch")
X3 = np.array([[1.0, 0], [0, 1], [1, 1]])
ALL = np.ones((3, 3), dtype=bool)
NOISE = np.random.default_rng(0).standard_normal((8, 16))


def test_float64_is_ours():
    found = compare(X3, X3, 2**-0.5, ALL, 3)
    np.testing.assert_allclose(found[Float.FLOAT64].weights, attend(X3, X3, X3).weights, rtol=1e-14)
    assert not found[Float.FLOAT64].difference.any()
    assert found[Float.FLOAT64].other_digits == 0


def test_the_coarser_the_type_the_larger_the_difference():
    found = compare(NOISE, NOISE, 0.25, np.ones((8, 8), bool), 3)
    apart = [np.abs(one.difference).max() for one in found.values()]
    assert list(found) == [Float.BFLOAT16, Float.FLOAT16, Float.FLOAT32, Float.FLOAT64]
    assert apart[0] > apart[1] > apart[2] > apart[3] == 0
    assert [one.eps for one in found.values()] == [2**-7, 2**-10, 2**-23, 2**-52]
    assert found[Float.FLOAT16].most == 65504


def test_a_score_beyond_65504_is_no_number_in_float16():
    found = compare(300 * X3, 300 * X3, 1.0, ALL, 3)
    assert found[Float.FLOAT16].no_numbers == 3
    assert np.isnan(found[Float.FLOAT16].off)
    assert found[Float.BFLOAT16].no_numbers == 0
    assert compare(200 * X3, 200 * X3, 0.5, ALL, 3)[Float.FLOAT16].no_numbers == 1


def test_two_scores_that_bfloat16_cannot_tell_apart_share_the_weight():
    """256 and 257: bfloat16 has eight binary digits."""
    q, k = np.array([[1.0, 0], [1, 0]]), np.array([[257.0, 0], [256, 0]])
    found = compare(q, k, 1.0, np.ones((2, 2), bool), 3)
    np.testing.assert_array_equal(found[Float.BFLOAT16].weights, [[0.5, 0.5]] * 2)
    np.testing.assert_allclose(found[Float.FLOAT64].weights[0], [0.7311, 0.2689], atol=5e-5)
    assert found[Float.BFLOAT16].other_winners == 2
    assert found[Float.BFLOAT16].other_digits == 4
    assert found[Float.FLOAT16].other_winners == 0


def test_hidden_keys_get_nothing_and_who_sees_nobody_gives_nothing():
    visible = np.array([[True, False, False], [False, False, False], [True, True, True]])
    for name in Float:
        found = weights(X3, X3, 2**-0.5, visible, name)
        np.testing.assert_allclose(
            found, [[1, 0, 0], [0, 0, 0], [0.2483, 0.2483, 0.5035]], atol=2e-3
        )
    assert compare(X3, X3, 1.0, visible, 3)[Float.FLOAT16].no_numbers == 0
