"""Words of any length and kind: told apart, whole when pointed at; no formula out of its place."""

from browser.helpers import place, visit

LONG = ("%{x}", "internationalisation", "internationalization")
_OUTSIDE = """() => [
  ...document.querySelectorAll('[class*="st-key-steps"] .katex')
].filter((formula) => {
  const column = formula.closest('[data-testid="stMarkdownContainer"]').getBoundingClientRect();
  return formula.getBoundingClientRect().right > column.right + 1
    || formula.scrollWidth > formula.clientWidth || formula.scrollHeight > formula.clientHeight;
}).map((formula) => formula.textContent)"""


def test_what_is_pointed_at_is_named_whole_and_formulas_stay_in_their_columns(page):
    visit(page, text=" ".join(LONG), cut="spaces", mask="causal")
    assert page.evaluate(_OUTSIDE) == []
    chart = page.locator(".st-key-weights .js-plotly-plot")
    chart.scroll_into_view_if_needed()
    for row, column in ((0, 1), (2, 1)):
        chart.hover(position=place(page, "weights", row, column))
        label = page.locator(".st-key-weights .kin span")
        label.get_by_text(f"{LONG[row]} → {LONG[column]}: ").wait_for()
        inner, outer = label.bounding_box(), page.locator(".st-key-weights .chart").bounding_box()
        assert outer["x"] <= inner["x"]
        assert inner["x"] + inner["width"] <= outer["x"] + outer["width"] + 1
        assert outer["y"] <= inner["y"]
        assert inner["y"] + inner["height"] <= outer["y"] + outer["height"] + 1
        page.mouse.move(0, 0)
        label.wait_for(state="detached")
    rows = page.locator(".st-key-weights .words .y").all_text_contents()
    assert len({*rows}) == 3
