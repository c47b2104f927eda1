"""The sweep over the dimensions, against theory, by hand, and against a plain loop."""

import numpy as np
import pytest

from explorer.lab.root import DIMENSIONS, measure, sweep


@pytest.fixture(scope="module")
def found():
    return {spread.d: spread for spread in sweep(present=3, seed=0)}


def test_the_dimensions_come_in_order_with_the_present_one_among_them():
    assert [s.d for s in sweep(present=5, seed=0, n_trials=1)] == sorted({*DIMENSIONS, 5})
    assert [s.d for s in sweep(present=4, seed=0, n_trials=1)] == list(DIMENSIONS)


@pytest.mark.parametrize("d", DIMENSIONS)
def test_the_spread_of_raw_scores_is_the_root_of_d(found, d):
    assert found[d].scores == pytest.approx(d**0.5, rel=0.06)


def test_raw_the_largest_weight_grows_to_nearly_1_and_scaled_it_stays_where_it_was(found):
    """Known for six words: about 0.52 at d = 3 and 0.96 at 512 raw, about 0.4 scaled."""
    assert found[3].largest_raw == pytest.approx(0.52, abs=0.02)
    assert found[512].largest_raw == pytest.approx(0.96, abs=0.02)
    scaled = [spread.largest_scaled for spread in found.values()]
    assert 0.35 < min(scaled) < max(scaled) < 0.45


def test_entropy_falls_raw_and_stays_scaled(found):
    assert found[512].entropy_raw < 0.2 < 1.5 < found[3].entropy_raw < np.log2(6)
    assert abs(found[512].entropy_scaled - found[3].entropy_scaled) < 0.15


@pytest.mark.parametrize("d", DIMENSIONS)
def test_with_the_same_queries_and_keys_the_own_score_is_d_and_scaled_its_root(found, d):
    assert found[d].own_score_raw == pytest.approx(d, rel=0.07)
    assert found[d].own_score_scaled == pytest.approx(d**0.5, rel=0.07)


def test_with_the_same_queries_and_keys_the_own_word_wins_scaled_too(found):
    assert found[3].own_scaled < 0.6
    assert found[512].own_scaled > 0.999


def test_the_same_seed_gives_the_same_numbers_and_another_seed_others():
    first, again, other = (list(sweep(3, seed, n_trials=2)) for seed in (7, 7, 8))
    assert first == again
    assert first != other


def test_one_query_and_two_keys_by_hand():
    """d = 4; scores 2 ln 3 and 0; raw 9 to 1, scaled 3 to 1."""
    q = np.array([[[2 * np.log(3), 0, 0, 0]]])
    k = np.array([[[1.0, 0, 0, 0], [0, 0, 0, 0]]])
    # Keys of another number than queries: the own words are of no use then.
    spread = measure(np.repeat(q, 2, axis=1), k)
    assert spread.d == 4
    assert spread.largest_raw == pytest.approx(0.9)
    assert spread.largest_scaled == pytest.approx(0.75)
    assert spread.entropy_scaled == pytest.approx(-0.75 * np.log2(0.75) - 0.25 * np.log2(0.25))
    assert spread.scores == pytest.approx(np.log(3))
    assert spread.own_score_raw == pytest.approx(4 * np.log(3) ** 2)
    assert spread.own_score_scaled == pytest.approx(2 * np.log(3) ** 2)
    assert spread.own_raw == pytest.approx(0.5)
