"""Picking a word or a number: its arithmetic opens, its operands are lit, nothing else moves."""

from browser.helpers import (
    arithmetic,
    choose,
    click_cell,
    eventually,
    formula,
    link,
    link_becomes,
    lit,
    place,
    visit,
)

from explorer.examples import EXAMPLES
from explorer.operations.matrices import Role
from explorer.trace import trace

WARM_MAT = trace(EXAMPLES["warm_mat"].settings)
THE, CAT, SAT, ON, THE_AGAIN, WARM, MAT = range(7)
FEATURES = (0, 2)
WORDS = (0, 6)
FROM_QUERY, TO_KEY, ALL = range(3)

# Marks every chart, until it is drawn again.
MARK = """document.querySelectorAll('.chart .js-plotly-plot').forEach((chart) => {
  chart.marked = true;
  chart.on('plotly_afterplot', () => { chart.marked = false; });
})"""
MARKED = "key => document.querySelector(`.st-key-${key} .js-plotly-plot`).marked === true"

# Every place and size that the charts have had since, and the height of the page, frame by frame.
WATCH = """() => {
  window.seen = new Set();
  const look = () => {
    const places = [...document.querySelectorAll('.chart')]
      .map((chart) => chart.getBoundingClientRect())
      .filter(({ width, height }) => width * height)  // a chart to come is not seen yet
      .map(({ x, y, width, height }) => [x, y, width, height].map(Math.round));
    const { scrollHeight, scrollTop } = document.querySelector('[data-testid=stMain]');
    window.seen.add(JSON.stringify([places, scrollHeight, scrollTop]));
    requestAnimationFrame(look);
  };
  look();
}"""


def operands(page, key):
    """The outlined blocks of a chart by their role, without the one of the query's row."""
    return [(role, *cells) for (role, _), *cells in lit(page, key) if role != "row"]


def test_a_click_on_a_score_opens_its_arithmetic_and_lights_its_operands(page):
    visit(page)
    click_cell(page, "scores", WARM, SAT)
    link_becomes(page, query="5", key="2", step="scores")
    eventually(page, lambda: arithmetic(page), "score from “warm” to “sat”")
    assert rf"\mathbf{{{WARM_MAT.scores[0, WARM, SAT]:.3f}}}" in formula(page)
    wanted = [(Role.QUERY, (WARM, WARM), FEATURES), (Role.KEY, (SAT, SAT), FEATURES)]
    eventually(page, lambda: operands(page, "embeddings"), wanted)
    assert operands(page, "scores") == [(Role.PICKED, (WARM, WARM), (SAT, SAT))]
    assert operands(page, "weights") == operands(page, "context") == []


def test_a_click_on_a_context_vector_lights_the_weights_and_the_values(page):
    visit(page)
    click_cell(page, "context", MAT, 1)
    link_becomes(page, query="6", step="context", feature="1")
    eventually(page, lambda: arithmetic(page), "context of “mat”, feature 2")
    assert rf"\mathbf{{{WARM_MAT.context[0, MAT, 1]:.3f}}}" in formula(page)
    wanted = [(Role.OPERAND, (MAT, MAT), WORDS)]
    eventually(page, lambda: operands(page, "weights"), wanted)
    assert operands(page, "embeddings") == [(Role.VALUE, WORDS, (1, 1))]
    assert operands(page, "context") == [(Role.PICKED, (MAT, MAT), (1, 1))]


def test_a_click_on_a_word_under_the_arrows_makes_it_the_query_or_the_key(page):
    visit(page)
    click_cell(page, "arrows", -14, ON)
    link_becomes(page, query="3")
    choose(page, "direction", TO_KEY)
    link_becomes(page, query="3", direction="to")
    click_cell(page, "arrows", -14, CAT)
    link_becomes(page, query="3", key="1", direction="to")
    page.get_by_role("figure", name="Arrows from each word to cat:").wait_for()


def test_another_query_draws_no_heat_map_again_and_moves_nothing(page):
    visit(page)
    eventually(page, lambda: len(lit(page, "context")), 1)
    page.evaluate(WATCH)
    for query in (WARM, THE):
        page.evaluate(MARK)
        choose(page, "query", query)
        link_becomes(page, query=str(query))
        eventually(page, lambda: page.evaluate(MARKED, "arrows"), False)
        eventually(page, lambda: lit(page, "context")[0][1:], ((query, query), FEATURES))
        for key in ("embeddings", "scores", "weights", "context"):
            assert page.evaluate(MARKED, key), f"{key} was drawn again"
    assert len(page.evaluate("[...seen]")) == 1, page.evaluate("[...seen]")


def test_the_pointer_shows_the_same_cell_and_row_elsewhere_without_the_server(page):
    visit(page)
    eventually(page, lambda: len(lit(page, "context")), 1)
    page.evaluate(MARK)
    chart = page.locator(".st-key-weights .js-plotly-plot")
    chart.hover(position=place(page, "weights", SAT, MAT))
    same_cell = page.locator(".st-key-scores .kin > *")
    same_cell.wait_for()
    assert same_cell.inner_text() == f"{WARM_MAT.scores[0, SAT, MAT]:.4f}"
    assert page.locator(".st-key-context .kin > *").count() == 1
    assert page.locator(".st-key-embeddings .kin > *").count() == 2
    page.locator("h1").hover()
    eventually(page, lambda: page.locator(".kin > *").count(), 0)
    assert link(page) == {}
    assert page.evaluate(MARKED, "arrows")
