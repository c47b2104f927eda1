"""Charts change in place: what did not change is neither sent nor drawn, and the pointer stays."""

from browser.helpers import (
    alike,
    choose,
    click_cell,
    draws_its_link,
    eventually,
    link,
    link_becomes,
    lit,
    numbers,
    pick,
    place,
    settle,
    visit,
)

from explorer.link.codec import decode
from explorer.link.experiment import experiment
from explorer.link.state import defaults
from explorer.trace import trace

SAT, MAT = 2, 6
LAB = 2
KEEP = "key => { document.querySelector(`.st-key-${key} .js-plotly-plot`).kept = true; }"
KEPT = "key => document.querySelector(`.st-key-${key} .js-plotly-plot`).kept === true"

# Every chart that a change has flashed in, from now on.
WATCH_FLASHES = """() => {
  window.flashed = new Set();
  new MutationObserver((records) => records.forEach(({ target }) => {
    if (target.className === 'flash' && target.querySelector('path'))
      window.flashed.add(target.closest('[class*=st-key-]').className.match(/st-key-(\\S+)/)[1]);
  })).observe(document.body, { childList: true, subtree: true });
}"""
LOSE_A_FIGURE = """() => {
  const { draw } = window.explorerCharts;
  window.explorerCharts.draw = (given) => {
    if (given.data[0].name !== 'weights' || window.lost) return draw(given);
    window.lost = true;
  };
}"""
WRITTEN = """([key, x, y]) => {
  const texts = [...document.querySelectorAll(`.st-key-${key} .words text`)];
  const near = (text, name, value) => Math.abs(Number(text.getAttribute(name)) - value) < 1;
  const of = (kind, ...rules) => texts.find((text) => text.matches(`.${kind}`)
    && rules.every(([name, value]) => near(text, name, value)))?.textContent;
  return { y: of('y', ['y', y]), x: of('x', ['x', x]), cell: of('cell', ['x', x], ['y', y]) };
}"""
# The engine gives up after 10 s; sooner than the page is first drawn it would not on any machine.
NO_LIBRARY = """
  Object.defineProperty(window, 'Plotly', { get: () => undefined, set: () => {} });
  window.explorerCharts = { waiting: [], patience: 4000 };
"""


def test_a_held_pointer_says_the_new_number_in_the_same_chart(page):
    visit(page, view="compare")

    def weight(**link):
        t = trace(experiment(decode(link)[0]))
        return f"sat → mat: {t.weights[0, SAT, MAT]:.4f}"

    page.evaluate(KEEP, "a_weights")
    chart = page.locator(".st-key-a_weights .js-plotly-plot")
    said = page.locator(".st-key-a_weights .kin span")
    chart.hover(position=place(page, "a_weights", SAT, MAT))
    eventually(page, said.text_content, weight())
    page.locator(".st-key-d_model").get_by_role("slider").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    link_becomes(page, d_model="6", view="compare")
    eventually(page, said.text_content, weight(d_model="6"))
    assert page.evaluate(KEPT, "a_weights")
    page.locator("h1").hover()
    eventually(page, page.locator(".kin > *").count, 0)


def test_what_did_not_change_is_not_sent(page):
    frames = []

    def listen(socket):
        socket.on("framereceived", lambda frame: frames.append(bytes(frame)))

    page.on("websocket", listen)
    visit(page)
    assert sum(b"colorscale" in frame for frame in frames) == 4
    frames.clear()
    choose(page, "query", SAT)
    link_becomes(page, query="2")
    eventually(page, lambda: lit(page, "context")[0][1], (SAT, SAT))
    assert not [frame for frame in frames if b"colorscale" in frame]
    assert len([frame for frame in frames if b"triangle-down" in frame]) == 1


def test_a_figure_that_was_lost_on_its_way_is_sent_again(page):
    visit(page)
    page.evaluate(LOSE_A_FIGURE)
    choose(page, "scale", 1)
    link_becomes(page, scale="sqrt_d_k")
    eventually(page, lambda: page.evaluate("window.lost"), True)
    choose(page, "direction", 1)
    link_becomes(page, scale="sqrt_d_k", direction="to")
    draws_its_link(page)


TWO_PLACES = """() => {
  const [a, b] = ['div', 'div'].map((tag) =>
    document.body.appendChild(document.createElement(tag)));
  const figure = JSON.stringify({ data: [{ type: 'heatmap', z: [[1]] }], layout: { width: 200,
    height: 100, margin: { l: 0, r: 0, t: 0, b: 0 }, xaxis: { range: [0, 1] },
    yaxis: { range: [0, 1] } } });
  const data = { name: 'moved_about', hash: 'h', since: 1, alt: 'a', config: {}, figure };
  const draw = (parentElement) => window.explorerCharts.draw({ data: [data], parentElement });
  draw(a); const leaveB = draw(b); const leaveA = draw(a);
  const inside = (place) => place.querySelectorAll('.chart').length;
  const steps = [[inside(a), inside(b)]];
  a.remove(); leaveA();
  steps.push([inside(a), inside(b)]);
  b.remove(); leaveB();
  return new Promise((done) => setTimeout(() => done([...steps, [inside(a), inside(b)]]), 900));
}"""


def test_a_chart_with_two_places_stands_in_the_one_that_stays(page):
    """On a slow machine a place that is going may ask for the chart after the one that has come."""
    visit(page)
    assert page.evaluate(TWO_PLACES) == [[1, 0], [0, 1], [0, 0]]


OLDER_AFTER_NEWER = """() => {
  const layout = { width: 200, height: 100, margin: { l: 0, r: 0, t: 0, b: 0 },
    xaxis: { range: [0, 1] }, yaxis: { range: [0, 1] } };
  const draw = (since) => window.explorerCharts.draw({
    parentElement: document.body.appendChild(document.createElement('div')),
    data: [{ name: 'overtaken', hash: `h${since}`, since, alt: 'a', config: {},
      figure: JSON.stringify({ data: [{ type: 'heatmap', z: [[since]] }], layout }) }] });
  draw(2); draw(1);
  const plot = () => document.querySelector('[aria-label=a] .js-plotly-plot')?._fullData[0].z[0][0];
  return new Promise((done) => setTimeout(() => done(plot()), 500));
}"""


def test_an_older_state_that_comes_late_is_not_drawn(page):
    """Fast key presses on a slider bring it, where a line of text appears above the charts."""
    visit(page)
    assert page.evaluate(OLDER_AFTER_NEWER) == 2


def test_what_moved_comes_and_goes_and_takes_no_matrix_along(page):
    visit(page)
    for shown in (9, 5, 9, 5):
        page.locator(".st-key-moved label").click()
        eventually(page, lambda: page.locator(".chart .main-svg:first-child").count(), shown)
        settle(page, charts=shown)


def test_numbers_that_changed_flash_unless_motion_is_unwelcome(page):
    for motion, wanted in (("no-preference", ["context", "output", "weights"]), ("reduce", [])):
        page.emulate_media(reduced_motion=motion)
        visit(page, qkv=1)
        page.evaluate(WATCH_FLASHES)
        choose(page, "scale", 1)
        link_becomes(page, scale="sqrt_d_k", qkv="1")
        draws_its_link(page)
        assert sorted(page.evaluate("[...window.flashed]")) == wanted


def test_without_the_library_streamlit_draws_the_charts(new_page):
    page = new_page()
    page.add_init_script(NO_LIBRARY)
    page.goto("/?example=bank_river")
    page.locator(".st-key-weights .stPlotlyChart .main-svg").first.wait_for()
    settle(page)
    assert page.locator(".chart").count() == 0
    wanted = trace(experiment(defaults("bank_river")))
    eventually(page, lambda: alike(numbers(page, "weights"), wanted.weights[0]), True)
    choose(page, "query", 2)
    link_becomes(page, example="bank_river", query="2")


def test_a_click_in_the_lab_asks_nothing_of_the_view_before(page):
    sent = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    visit(page)
    choose(page, "view", LAB)
    link_becomes(page, view="lab")
    pick(page, "lab", "Usual mistakes")
    eventually(page, lambda: numbers(page, "lab_mistake_right").shape, (7, 7))
    settle(page)
    sent.clear()
    click_cell(page, "lab_mistake_right", SAT, MAT)
    page.wait_for_timeout(500)
    assert sent == []


def test_digits_and_labels_are_written_where_their_cells_are(page):
    """The page writes them itself, because the library lays out each text on its own."""
    visit(page, mask="causal")
    t = trace(experiment(decode(link(page))[0]))
    for row, query in enumerate(t.tokens):
        for column, key in enumerate(t.tokens):
            seen = f"{t.weights[0, row, column]:.3f}" if t.visible[row, column] else ""
            found = page.evaluate(
                WRITTEN, ["weights", *place(page, "weights", row, column).values()]
            )
            assert found == {"y": query, "x": key, "cell": seen}, (row, column)


def test_a_chart_to_be_saved_has_its_texts_in_the_picture(page):
    visit(page, charts=1, view="home")
    chart = page.locator(".st-key-picture_chart .chart")
    assert chart.locator(".main-svg text").all_text_contents()[:3] == ["The", "cat", "sat"]
    assert chart.locator(".words text").count() == 0
