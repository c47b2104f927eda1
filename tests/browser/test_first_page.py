"""What is drawn is what was computed: the page as it opens, and every example."""

import numpy as np
from browser.helpers import (
    alike,
    cells,
    charts,
    draws_its_link,
    eventually,
    link,
    numbers,
    pick,
    sentence,
    visit,
)

from explorer.examples import DEFAULT, EXAMPLES
from explorer.trace import trace

CAT = 1


def test_the_page_opens_on_the_article_with_every_step_drawn(page):
    visit(page)
    assert charts(page) == ["arrows", "embeddings", "scores", "weights", "context"]
    for printed in EXAMPLES["warm_mat"].printed:
        if printed.step in ("scores", "weights", "context"):
            drawn = numbers(page, printed.step)[list(printed.rows)]
            np.testing.assert_allclose(drawn, printed.numbers, rtol=0, atol=5e-5 + 1e-7)
    cat = [0.0962, 0.1919, 0.1765, 0.1059, 0.0960, 0.1461, 0.1873]
    np.testing.assert_array_equal(numbers(page, "weights")[CAT].round(4), cat)


def test_every_cell_shows_the_digits_of_its_number(page):
    visit(page, decimals=4)
    cat = ["0.0962", "0.1919", "0.1765", "0.1059", "0.0960", "0.1461", "0.1873"]
    assert cells(page, "weights")[7 * CAT : 7 * CAT + 7] == cat
    for key in ("embeddings", "scores", "weights", "context"):
        assert cells(page, key) == [f"{number:.4f}" for number in numbers(page, key).flat]


def test_every_example_is_drawn_as_it_is_computed(page):
    visit(page)
    for name, example in reversed(EXAMPLES.items()):
        pick(page, "example", example.title)
        weights = trace(example.settings).weights_of(0)
        if example.settings.mask:
            weights = np.where(example.settings.visible, weights, np.nan)
        key = "b_weights" if example.beside else "weights"  # a pair opens in Compare
        eventually(page, lambda: alike(numbers(page, key), weights), True)  # noqa: B023
        assert link(page).get("example", DEFAULT) == name
        eventually(page, sentence(page).input_value, example.settings.text)
    draws_its_link(page)
