"""Order: without positions an exact 0, for any words; with positions not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from explorer import attention, embeddings
from explorer.lab.order import Order, places, reorder, weights
from explorer.positions import sinusoidal

DOG = embeddings.generated(("dog", "bites", "man"), 4, 0)
X3 = np.array([[1.0, 0], [0, 1], [1, 1]])
VECTORS = st.integers(1, 7).flatmap(
    lambda n: arrays(np.float64, (n, 3), elements=st.floats(-3, 3, width=32))
)


@given(VECTORS, st.randoms(use_true_random=False), st.booleans())
def test_without_positions_order_does_exactly_nothing(x, random, projected):
    there = list(range(len(x)))
    random.shuffle(there)
    w_q, w_k = np.random.default_rng(0).standard_normal((2, 3, 2)) if projected else (None, None)
    assert reorder(x, tuple(there), w_q, w_k, 0.7, with_positions=False).largest_change == 0


def test_the_0_is_not_there_because_nothing_is_computed():
    found = reorder(DOG, (2, 1, 0), None, None, 1.0, with_positions=False)
    assert np.abs(found.after - found.before).max() > 0.01
    np.testing.assert_array_equal(found.after, found.before[::-1, ::-1])


def test_dog_bites_man_with_positions_is_not_man_bites_dog():
    found = reorder(DOG, (2, 1, 0), None, None, 1.0, with_positions=True)
    assert found.largest_change > 0.05
    reversed_ = attention.attend(*[DOG[::-1] + sinusoidal(3, 4)] * 3, scale=1.0).weights
    np.testing.assert_allclose(found.put_back, reversed_[::-1, ::-1], rtol=1e-12)


def test_known_weights():
    """X3 of our cases: raw and scaled."""
    np.testing.assert_allclose(
        weights(X3, None, None, 1.0),
        [[0.4223, 0.1554, 0.4223], [0.1554, 0.4223, 0.4223], [0.2119, 0.2119, 0.5761]],
        atol=5e-5,
    )
    np.testing.assert_allclose(
        weights(X3, None, None, 2**-0.5)[2], [0.2483, 0.2483, 0.5035], atol=5e-5
    )


def test_projections_are_the_queries_and_keys():
    w_q, w_k = np.random.default_rng(1).standard_normal((2, 4, 2))
    ours = weights(DOG, w_q, w_k, 0.5)
    theirs = attention.attend(DOG @ w_q, DOG @ w_k, DOG, scale=0.5).weights
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_large_scores_do_not_overflow():
    np.testing.assert_array_equal(weights(1000 * X3, None, None, 1.0)[2], [0, 0, 1])


@pytest.mark.parametrize(
    ("order", "expected"),
    [(Order.REVERSED, (3, 2, 1, 0)), (Order.SWAPPED, (0, 3, 2, 1))],
)
def test_which_word_stands_where(order, expected):
    assert places(order, 4, 1, 3, seed=0) == expected


def test_shuffling_is_seeded_and_loses_no_word():
    shuffles = [places(Order.SHUFFLED, 9, 0, 0, seed) for seed in (1, 1, 2)]
    assert shuffles[0] == shuffles[1] != shuffles[2]
    assert all(sorted(shuffle) == list(range(9)) for shuffle in shuffles)


def test_no_words_and_one_word():
    assert reorder(np.zeros((0, 3)), (), None, None, 1.0, True).largest_change == 0
    assert reorder(X3[:1], (0,), None, None, 1.0, True).before == [[1]]
