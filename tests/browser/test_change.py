"""Numbers changed by hand: every one of them is kept, undone, shared, and carried in a file."""

import json

import numpy as np
import pytest
from browser.helpers import (
    click_cell,
    draws_its_link,
    eventually,
    link,
    numbers,
    pick,
    sentence,
    settle,
    visit,
)

BANK, OF, RIVER = 0, 1, 2
X = np.array([[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0]])
COLUMNS = [25, 87, 162, 237, 312, 387]
"""The middle of the table's columns: the row's number, the word, four features."""


@pytest.fixture
def table(page):
    visit(page, example="bank_river")
    page.locator(".st-key-change summary").click()
    page.locator(".st-key-change canvas").first.wait_for()
    settle(page)
    page.wait_for_timeout(300)
    return page


def go_to(page, row, column):
    """Put the cursor of the table into a cell; column 0 is the word."""
    grid = page.locator('.st-key-change [data-testid="data-grid-canvas"]').first
    grid.scroll_into_view_if_needed()
    box = grid.bounding_box()
    page.mouse.click(box["x"] + COLUMNS[column + 1], box["y"] + 35 * (row + 1) + 18)
    page.wait_for_timeout(100)


def enter(page, row, column, text):
    go_to(page, row, column)
    page.keyboard.type(text[0])
    page.locator("#portal textarea:focus").wait_for()  # until it is open the grid drops letters
    page.keyboard.type(text[1:], delay=40)
    page.wait_for_timeout(60)
    page.keyboard.press("Enter")


def drawn(page, expected):
    expected = np.asarray(expected, dtype=float)

    def alike():
        found = numbers(page, "embeddings")
        return found.shape == expected.shape and np.allclose(found, expected, atol=1e-6)

    eventually(page, alike, True)
    settle(page)


def cells(page, row):
    """What the table shows in a row of features."""
    return [page.locator(f"#glide-cell-{column}-{row}").text_content() for column in (2, 3, 4, 5)]


def test_every_edit_in_a_row_is_kept_undone_shared_and_opened_elsewhere(table, page):
    changed = X.astype(float)
    for row, column, text, value in (
        (BANK, 1, "0,5", 0.5),
        (BANK, 2, ".25", 0.25),
        (OF, 1, "-2", -2),
    ):
        enter(page, row, column, text)
        changed[row, column - 1] = value
        drawn(page, changed)
    draws_its_link(page)
    assert len(page.url) < 300
    shared = page.url

    page.get_by_role("button", name="Undo a number").click()
    before = changed.copy()
    before[OF, 0] = 0
    drawn(page, before)
    assert cells(page, OF) == ["0", "1", "0", "1"]
    page.get_by_role("button", name="Redo").click()
    drawn(page, changed)

    other = page.context.new_page()
    other.goto(shared)
    settle(other, charts=5)
    drawn(other, changed)
    other.close()
    page.get_by_role("button", name="Reset all").click()
    drawn(page, X)
    assert link(page) == {"example": "bank_river"}


def test_a_pasted_block_is_kept_and_what_is_no_number_is_refused_by_its_cell(table, page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("navigator.clipboard.writeText('0,1\\t0,2\\n0.3\\t4e-1')")
    go_to(page, OF, 1)
    page.keyboard.press("Control+v")
    pasted = X.astype(float)
    pasted[1:, :2] = [[0.1, 0.2], [0.3, 0.4]]
    drawn(page, pasted)
    enter(page, RIVER, 3, "inf")
    refusal = page.locator(".st-key-change").get_by_role("alert")
    refusal.wait_for()
    assert "“inf” in row 3, column 3, is not a number" in refusal.inner_text()
    drawn(page, pasted)
    eventually(page, lambda: cells(page, RIVER), ["0.3", "4e-1", "0", "0"])


def test_a_word_is_renamed_and_keeps_its_vector(table, page):
    enter(page, RIVER, 0, "stream")
    eventually(page, sentence(page).input_value, "bank of stream")
    drawn(page, X)
    enter(page, RIVER, 0, "ice cream")
    refusal = page.locator(".st-key-change").get_by_role("alert")
    refusal.wait_for()
    assert "has to be one word" in refusal.inner_text()
    assert sentence(page).input_value() == "bank of stream"
    page.get_by_role("button", name="Add a dimension").click()
    drawn(page, np.pad(X, ((0, 0), (0, 1))))
    page.locator(".st-key-new_word input").fill("bed")
    page.locator(".st-key-new_word input").press("Enter")
    eventually(page, sentence(page).input_value, "bank of stream bed")
    eventually(page, lambda: numbers(page, "embeddings").shape, (4, 5))
    np.testing.assert_array_equal(numbers(page, "embeddings")[:3, :4], X)


def test_a_number_is_changed_where_it_stands_and_its_meaning_is_said(page):
    visit(page, example="bank_river", moved=1)
    click_cell(page, "embeddings", RIVER, 2)
    field = page.locator(".st-key-arithmetic").get_by_label("Change it to")
    field.fill("2")
    field.press("Enter")
    changed = X.astype(float)
    changed[RIVER, 2] = 2
    drawn(page, changed)
    # The scores of bank are 2, 0 and 3 now; they were 2, 0 and 1.
    gets = numbers(page, "weights")[BANK, RIVER]
    assert gets == pytest.approx(np.exp(3) / (np.exp(2) + 1 + np.exp(3)), abs=1e-6)
    assert page.get_by_text("“river” now gets 70.5 % of “bank”, 24.5 % before").count() == 1
    change = numbers(page, "moved_embeddings")
    assert change[RIVER, 2] == 2
    assert np.count_nonzero(change) == 1
    assert page.get_by_text("published numbers no longer hold").count() == 1


def test_the_custom_mask_is_ticked_from_the_arithmetic(page):
    visit(page, charts=6, example="bank_river", mask="custom", step="masked")
    page.get_by_role("button", name="Hide “river” from “bank”").click()
    eventually(page, lambda: np.argwhere(np.isnan(numbers(page, "weights"))).tolist(), [[0, 2]])
    settle(page)
    draws_its_link(page)
    page.get_by_role("button", name="Let “bank” see “river”").click()
    eventually(page, lambda: np.isnan(numbers(page, "weights")).any(), False)


def test_a_file_is_opened_and_a_bad_one_loses_nothing(page, tmp_path):
    visit(page, example="bank_river")
    page.locator(".st-key-open summary").click()
    bad, good = tmp_path / "bad.csv", tmp_path / "good.csv"
    bad.write_text("sun,1,2\nmoon,1,x\n")
    good.write_text("word,a,b\nsun,1,0.5\nmoon,-2,0.25\n")
    page.locator(".st-key-open input[type=file]").set_input_files(bad)
    page.get_by_text("number 2 of “moon”, is not a number").wait_for()
    drawn(page, X)
    page.locator(".st-key-open input[type=file]").set_input_files(good)
    eventually(page, sentence(page).input_value, "sun moon")
    drawn(page, [[1, 0.5], [-2, 0.25]])
    draws_its_link(page)


def test_too_many_numbers_for_a_link_travel_in_a_file(page, tmp_path):
    rows = [
        [f"w{r}", *(f"{(r * 64 + c) * 0.3777373 % 1:.15f}" for c in range(64))] for r in range(12)
    ]
    table = tmp_path / "many.csv"
    table.write_text("\n".join(",".join(row) for row in rows))
    visit(page)
    page.locator(".st-key-open summary").click()
    page.locator(".st-key-open input[type=file]").set_input_files(table)
    wanted = np.array([row[1:] for row in rows], dtype=float)
    drawn(page, wanted)
    assert "edits" not in link(page)
    with page.expect_download() as download:
        page.locator(".st-key-save button").click()
    file = tmp_path / "attention.json"
    download.value.save_as(file)
    assert len(json.loads(file.read_text())["state"]["edits"]) > 6000
    visit(page)
    page.locator(".st-key-open summary").click()
    page.locator(".st-key-open input[type=file]").set_input_files(file)
    drawn(page, wanted)


def test_one_can_walk_from_a_context_vector_down_to_the_words(page):
    visit(page, example="bank_river", step="context", feature=1)
    panel = page.locator(".st-key-arithmetic")
    for name, place in (
        ("weight from “bank” to “river”", {"step": None}),
        ("score from “bank” to “river”", {"step": "scores"}),
        ("embedding of “river”, feature 1", {"step": "embeddings", "query": "2"}),
        ("score from “river” to “river”", {"step": "scores", "query": "2"}),
    ):
        panel.get_by_role("button", name=name).click()
        eventually(page, lambda: link(page).get("step"), place["step"])
        eventually(page, lambda: link(page).get("query"), place.get("query"))
        settle(page)


def test_the_matrices_can_be_changed_too(page):
    visit(page, charts=12, example="bank_river", qkv=1)
    click_cell(page, "w_k", 1, 2)
    panel = page.locator(".st-key-given_cell")
    panel.get_by_label("Change it to").fill("2,5")
    panel.get_by_label("Change it to").press("Enter")
    eventually(page, lambda: numbers(page, "w_k").ravel()[6:7].tolist(), [2.5])
    typed = "row 2, column 3: 2.5 is what you typed"
    eventually(page, lambda: typed in panel.inner_text(), True)  # text comes after the charts
    settle(page)
    page.locator(".st-key-change summary").click()
    page.locator(".st-key-change canvas").first.wait_for()
    settle(page)
    embeddings = page.locator(".st-key-change canvas").first.element_handle()
    pick(page, "changed", "Output matrix W_O")
    embeddings.wait_for_element_state("hidden")  # the table of another matrix is another table
    settle(page)
    page.wait_for_timeout(300)
    enter(page, 0, 0, "3")
    eventually(page, lambda: numbers(page, "w_o").ravel()[:1].tolist(), [3])
    draws_its_link(page)
