"""The view Compare: raw and scaled side by side, and what lies between them."""

import numpy as np
from browser.helpers import (
    charts,
    choose,
    draws_its_link,
    eventually,
    link_becomes,
    lit,
    numbers,
    settle,
    visit,
)

from explorer.examples import EXAMPLES
from explorer.trace import trace

ATTENTION, COMPARE = range(2)
DRAWN = {"rtol": 1e-6, "atol": 1e-7}  # charts are drawn from float32
JOURNEY = trace(EXAMPLES["journey_qkv"].settings)


def test_compare_draws_both_and_their_difference_and_changes_nothing(page):
    here = {"example": "journey_qkv", "query": "3", "step": "scores"}
    visit(page, **here)
    draws_its_link(page)
    choose(page, "view", COMPARE)
    link_becomes(page, **here, view="compare")
    keys = ["a_scores", "b_scores", "a_weights", "b_weights", "c_weights"]
    settle(page, charts=11)
    assert set(keys) < set(charts(page))
    a_scores, b_scores, a, b, difference = (numbers(page, key) for key in keys)
    np.testing.assert_allclose(a_scores, JOURNEY.scores[0], **DRAWN)
    np.testing.assert_allclose(b_scores, JOURNEY.scores[0] / np.sqrt(2), **DRAWN)
    np.testing.assert_allclose(b, JOURNEY.weights[0], **DRAWN)
    np.testing.assert_allclose(difference, b - a, **DRAWN)
    assert np.abs(difference).max() > 0.01
    row = ((3, 3), (0, 5))
    eventually(page, lambda: [[block[1:] for block in lit(page, key)] for key in keys], [[row]] * 5)

    choose(page, "view", ATTENTION)
    link_becomes(page, **here)
    draws_its_link(page)
