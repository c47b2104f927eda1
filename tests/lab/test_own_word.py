"""Own word against others: by hand, and for what must always hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.lab.own_word import cosines, measure, stretch

ALL = np.ones((3, 3), dtype=bool)
# The second points the same way as the first and is three times as long.
SAME_WAY = np.array([[1.0, 0], [3, 0], [0, 1]])


def test_a_longer_word_that_points_the_same_way_wins():
    """Scores of the first word: 1, 3 and 0."""
    found = measure(SAME_WAY, SAME_WAY, 1.0, ALL)
    total = np.e + np.e**3 + 1
    assert found.own[0] == pytest.approx(np.e / total)
    assert found.wins.tolist() == [False, True, True]
    assert found.length.tolist() == [1, 3, 1]
    np.testing.assert_allclose(found.cosine, [[1, 1, 0], [1, 1, 0], [0, 0, 1]])


def test_what_a_word_gets_from_the_others():
    found = measure(SAME_WAY, SAME_WAY, 1.0, ALL)
    first, third = np.e**3 / (np.e + np.e**3 + 1), 1 / (2 + np.e)
    assert found.received[1] == pytest.approx((first + third) / 2)


def test_stretching_by_hand():
    """Two words at right angles: the score with itself is the squared length, with the other 0."""
    x = np.eye(2)
    found = stretch(x, x, 1.0, np.ones((2, 2), bool), 0, np.array([1.0, 2.0]))
    np.testing.assert_allclose(found.own, [np.e / (np.e + 1), np.e**4 / (np.e**4 + 1)])
    np.testing.assert_allclose(found.received, [1 / (1 + np.e)] * 2)


@given(st.floats(0.2, 4), st.integers(0, 2))
def test_a_factor_of_1_changes_nothing_and_the_longer_the_more_own_weight(scale, word):
    x = np.random.default_rng(0).standard_normal((3, 4))
    found = stretch(x, x, scale, ALL, word, np.array([1.0, 3.0]))
    assert found.own[0] == pytest.approx(measure(x, x, scale, ALL).own[word])
    times = np.ones((3, 1))
    times[word] = 3
    assert found.own[1] == pytest.approx(measure(x * times, x * times, scale, ALL).own[word])


def test_no_length_has_no_angle_and_one_word_has_no_others():
    assert cosines(np.zeros((1, 2)), np.ones((1, 2))) == [[0]]
    found = measure(np.ones((1, 2)), np.ones((1, 2)), 1.0, np.ones((1, 1), bool))
    assert (found.own, found.received) == ([1], [0])


def test_cosines_by_hand():
    found = cosines(np.array([[3.0, 4], [0, 2]]), np.array([[1.0, 0], [-6, -8]]))
    np.testing.assert_allclose(found, [[0.6, -1], [0, -0.8]], atol=1e-15)
