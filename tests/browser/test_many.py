"""Many heads, many words, and the tables for those who cannot see the pictures."""

from __future__ import annotations

import numpy as np
from browser.helpers import (
    charts,
    click_cell,
    eventually,
    link,
    numbers,
    pick,
    settle,
    visit,
)

from explorer.figures import heads
from explorer.link.codec import decode
from explorer.link.experiment import experiment
from explorer.trace import trace

FOUR_HEADS = {"text": "the cat sat on the mat", "d_model": "8", "n_heads": "4"}


def test_a_click_on_a_small_map_opens_its_head(page):
    visit(page, charts=6, **FOUR_HEADS)
    (top, _), (left, _) = heads.outline(2, n_heads=4, n_tokens=6)
    click_cell(page, "heads", top + 1, left + 1)
    eventually(page, lambda: link(page).get("head"), "2")
    t = trace(experiment(decode(link(page))[0]))
    eventually(page, lambda: np.allclose(numbers(page, "weights"), t.weights[2], atol=1e-7), True)


def test_the_average_over_heads_is_of_weights_only_and_says_so(page):
    visit(page, charts=5, **FOUR_HEADS, head="mean")
    t = trace(experiment(decode(link(page))[0]))
    np.testing.assert_allclose(numbers(page, "weights"), t.weights.mean(axis=0), atol=1e-7)
    assert charts(page) == ["arrows", "heads", "embeddings", "weights", "output"]
    assert page.get_by_text("no softmax of anything").count() == 1


def test_a_long_sentence_says_what_it_leaves_out_and_names_what_is_pointed_at(page):
    words = [f"w{n}" for n in range(128)]
    visit(page, charts=5, text=" ".join(words), direction="all")
    assert numbers(page, "weights").shape == (128, 128)
    assert page.locator(".st-key-weights .heatmap-label").count() == 0
    assert page.get_by_text("With 128 words, the digits are in the tables").count() == 1
    assert page.get_by_text("The 512 strongest arrows; ").count() == 1
    weights = numbers(page, "weights")
    page.locator(".st-key-weights .js-plotly-plot").scroll_into_view_if_needed()
    click_cell(page, "weights", 30, 70)
    eventually(page, lambda: link(page).get("key"), "70")
    label = page.locator(".st-key-weights .kin span")
    eventually(page, label.all_text_contents, [f"w30 → w70: {weights[30, 70]:.4f}"])
    pick(page, "query", "101  w100")
    eventually(page, lambda: link(page).get("query"), "100")


def test_every_matrix_can_be_read_as_a_table_to_the_last_digit(page):
    visit(page)
    page.locator(".st-key-tables summary").click()
    table = page.locator(".st-key-tables table")
    table.wait_for()
    heads_ = table.get_by_role("columnheader").all_inner_texts()
    assert heads_[1:4] == ["The", "cat", "sat"]
    page.locator(".st-key-full_precision").get_by_text("Full precision").click()
    t = trace(experiment(decode({})[0]))
    eventually(
        page,
        lambda: table.locator("tbody tr").nth(1).locator("td").all_inner_texts()[1:],
        [repr(float(weight)) for weight in t.weights[0, 1]],
    )
    pick(page, "table", "Scores S")
    eventually(page, lambda: table.get_by_text("1.3581", exact=True).count(), 1)


def test_three_ways_agree_on_the_numbers_of_the_page(page):
    visit(page)
    page.locator(".st-key-three_ways summary").click()
    said = page.locator(".st-key-three_ways").get_by_text("the same context vectors")
    eventually(page, said.count, 3)
    settle(page)
