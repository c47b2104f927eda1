"""Words and links are shown exactly as they were typed, and nothing in them is ever obeyed."""

from browser.helpers import (
    arithmetic,
    choose,
    draws_its_link,
    eventually,
    place,
    sentence,
    settle,
    visit,
)

# Each is one token and short enough for a label, so it stands whole wherever it is shown.
WORDS = ["__init__", "www.a.org", "_a_", "x_y_z", "<", ">", "&", "#", "*", "$", "`", "~"]
HOSTILE = (
    '<img src="//example.com/x.png" onerror="alert(1)"> <script>alert(2)</script> '
    '<a href="https://example.com">ok</a> ![x](https://example.com/y.png) [y](//example.com)'
)
# What nobody but the reader would have brought onto the page.
MADE = """:is([data-testid=stMain], [data-testid=stSidebar])
  :is(a, img, script, iframe, em, del, code, h2, h3, h4, svg a, [onerror])"""
COMPARE = 1


def texts(locator):
    """What is read there, without the joiners that keep an address from becoming a link."""
    return [text.replace("\u2060", "") for text in locator.all_text_contents()]


def test_words_that_look_like_markup_are_shown_as_typed(page):
    visit(page, text=" ".join(WORDS), step="scores", key=1)
    numbered = [f"{word} {n}" for n, word in enumerate(WORDS, start=1)]
    for control in ("query", "key"):
        assert texts(page.locator(f".st-key-{control}").get_by_role("radio")) == numbered
    assert arithmetic(page).replace("\u2060", "") == "score from “__init__” to “www.a.org”"
    assert texts(page.locator(".st-key-arrows text"))[: len(WORDS)] == WORDS
    for axis in ("x", "y"):
        assert texts(page.locator(f".st-key-scores text.{axis}")) == WORDS
    chart = page.locator(".st-key-scores .js-plotly-plot")
    chart.hover(position=place(page, "scores", 4, 6))
    page.locator(".st-key-scores .kin span").wait_for()
    assert texts(page.locator(".st-key-scores .kin span"))[0].startswith("< → &: ")

    page.get_by_text("Read the numbers as tables").click()
    table = page.locator(".st-key-tables table")
    table.wait_for()
    settle(page)
    assert texts(table.locator("th"))[1:] == WORDS
    assert texts(table.locator("td:first-child")) == WORDS
    assert page.locator(MADE).count() == 0

    choose(page, "view", COMPARE)
    page.get_by_text("Read each word in numbers").click()
    table = page.locator("[data-testid=stMain] table").filter(has_text="entropy")
    table.wait_for()
    settle(page, charts=5)
    assert texts(table.locator("td:first-child")) == WORDS
    assert page.locator(MADE).count() == 0


def test_markup_in_a_sentence_makes_nothing_and_asks_nobody(page):
    """The page fixture sees to the rest: no dialog, no request to another host."""
    visit(page)
    sentence(page).fill(HOSTILE)
    eventually(page, lambda: page.locator(".st-key-query").get_by_role("combobox").count(), 1)
    draws_its_link(page)
    assert sentence(page).input_value() == HOSTILE
    assert page.locator(MADE).count() == 0


def test_markup_in_a_link_is_shown_as_typed_where_the_link_is_refused(page):
    image = "![x](https://example.com/y.png) :smile: $x^2$ **b**"
    visit(page, scale=image, **{"<img src=//example.com/x>": "<b>www.example.com</b>"})
    notice = page.get_by_role("alert").inner_text().replace("\u2060", "")
    assert f"scale = {image} (" in notice
    assert "<img src=//example.com/x> = <b>www.example.com</b> (" in notice
    assert page.locator(MADE).count() == 0
