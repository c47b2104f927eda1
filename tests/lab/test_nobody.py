"""A query that sees nobody, by PyTorch's ways: 0, NaN, 0."""

import numpy as np
import pytest

from explorer.attention import attend
from explorer.lab import nobody

pytest.importorskip("torch")
X3 = np.array([[1.0, 0], [0, 1], [1, 1]])
KEEP = np.array([[True, False, False], [False, False, False], [True, True, True]])


def test_pytorchs_three_ways_and_the_plain_formula():
    ways = nobody.pytorch(X3, KEEP)
    right = [[1, 0], [0, 0], [0.7517, 0.7517]]
    for context in (ways.fused, ways.fast):
        np.testing.assert_allclose(context, right, atol=5e-5)
    for context in (ways.module, ways.by_hand):
        assert np.isnan(context[1]).all()
        np.testing.assert_allclose(context[[0, 2]], [right[0], right[2]], atol=5e-5)


def test_we_say_0():
    steps = attend(X3, X3, X3, visible=KEEP)
    np.testing.assert_allclose(
        steps.weights, [[1, 0, 0], [0, 0, 0], [0.2483, 0.2483, 0.5035]], atol=5e-5
    )
    np.testing.assert_array_equal(steps.context[1], [0, 0])
    np.testing.assert_allclose(steps.context, nobody.pytorch(X3, KEEP).fused, rtol=1e-12)


def test_one_query_sees_nobody_and_the_others_everybody():
    np.testing.assert_array_equal(nobody.unseen(3, 1), [[True] * 3, [False] * 3, [True] * 3])
