"""What the browser tests do to the page, and what they read from it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import numpy as np

from explorer.link.codec import decode
from explorer.link.experiment import experiment
from explorer.trace import trace
from explorer.walks import drawn, matrix_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

PATIENCE = 30  # seconds

_SETTLED = """charts => {
  const app = document.querySelector('[data-testid="stApp"]');
  const drawn = (chart) => chart._fullLayout && chart.querySelector('.main-svg');
  const all = [...document.querySelectorAll('.chart .js-plotly-plot')];
  return app?.dataset.testScriptState === 'notRunning'
    && app.dataset.testConnectionState === 'CONNECTED'
    && !document.querySelector('[data-testid="stSkeleton"], [data-testid="stAppSkeleton"]')
    && !document.querySelector('[data-stale="true"], [data-waiting]')
    && all.length >= charts && all.every(drawn);
}"""
_CHART = "const chart = document.querySelector(`.st-key-${key} .js-plotly-plot`);"


def visit(page: Page, charts: int = 5, **link: Any) -> None:
    """Open the page by a link, and wait until so many charts are drawn."""
    page.goto(f"/?{urlencode(link)}")
    settle(page, charts)


def settle(page: Page, charts: int = 0) -> None:
    """Wait until the server is done, nothing is stale, and at least so many charts are drawn."""
    # Asked now and then, not at every frame: that would make the browser draw frames all the time.
    page.wait_for_function(_SETTLED, arg=charts, polling=100)


def eventually(page: Page, read: Callable[[], Any], wanted: Any) -> None:
    """Wait until `read` gives what is wanted, and show what it gives if it never does."""
    deadline = time.monotonic() + PATIENCE
    while (found := read()) != wanted and time.monotonic() < deadline:
        page.wait_for_timeout(100)  # to ask takes the page's time, which it needs for drawing
    assert found == wanted


# The link


def link(page: Page) -> dict[str, str]:
    """The parameters in the address bar."""
    return dict(parse_qsl(urlsplit(page.url).query, keep_blank_values=True))


def link_becomes(page: Page, **wanted: str) -> None:
    """Wait for exactly these parameters in the address bar, and for the page to settle."""
    eventually(page, lambda: link(page), wanted)
    settle(page)


# The charts


def charts(page: Page) -> list[str]:
    """The keys of the charts that are drawn, in their order on the page."""
    return page.evaluate(
        """() => [...document.querySelectorAll('.chart .js-plotly-plot')].map((chart) =>
          chart.closest('[class*="st-key-"]').className.match(/st-key-(\\S+)/)[1])"""
    )


def numbers(page: Page, key: str) -> np.ndarray:
    """The numbers of a heat map, as its chart has drawn them; none where it is not drawn."""
    rows = page.evaluate(
        f"""key => {{ {_CHART}
          return chart?._fullData ? [...chart._fullData[0].z].map((row) => [...row]) : []; }}""",
        key,
    )
    return np.array(rows, dtype=float)


def cells(page: Page, key: str) -> list[str]:
    """What stands in the cells of a heat map, row by row."""
    return page.locator(f".st-key-{key} .words .cell").all_text_contents()


def draws_its_link(page: Page) -> None:
    """Wait until every step that the link stands for is drawn, with the numbers computed for it."""
    state, ignored = decode(link(page))
    assert not ignored
    settings, view = experiment(state), state.view
    t = trace(settings)
    here = [step.name for step in drawn(t.steps, view.head)]

    def wrong() -> list[str]:
        found = [key for key in charts(page) if key not in ("arrows", "heads")]
        if found != list(here):
            return [f"drawn: {found}"]
        return [step for step in here if not alike(numbers(page, step), wanted[step])]

    settle(page)
    wanted = {step: matrix_of(t, step, view.head) for step in here}
    for step in ("masked", "weights"):
        if settings.mask and step in here:  # hidden cells are drawn apart
            wanted[step] = np.where(t.visible, wanted[step], np.nan)
    eventually(page, wrong, [])


def alike(drawn: np.ndarray, computed: np.ndarray) -> bool:
    """Whether a chart shows these numbers."""
    # Charts are drawn from float32.
    return drawn.shape == computed.shape and np.allclose(
        drawn, computed, rtol=1e-6, atol=1e-7, equal_nan=True
    )


def lit(page: Page, key: str) -> list[tuple[str, tuple[int, int], tuple[int, int]]]:
    """The outlines in a chart: role and colour, the first and last row, first and last column."""
    boxes = page.evaluate(
        """key => [...document.querySelectorAll(`.st-key-${key} .lights > *`)].map((box) =>
          [box.className, getComputedStyle(box).outlineColor, ...JSON.parse(box.dataset.cells)])""",
        key,
    )
    return [
        ((role, colour), (top, bottom), (left, right))
        for role, colour, top, bottom, left, right in boxes
    ]


def place(page: Page, key: str, row: float, column: float) -> dict[str, float]:
    """Where coordinates of a chart's axes lie in the chart, in pixels."""
    x, y = page.evaluate(
        f"""([key, row, column]) => {{ {_CHART}
          const {{ xaxis: x, yaxis: y }} = chart._fullLayout;
          return [x._offset + x.d2p(column), y._offset + y.d2p(row)]; }}""",
        [key, row, column],
    )
    return {"x": x, "y": y}


def click_cell(page: Page, key: str, row: float, column: float) -> None:
    """Click into a chart at these coordinates of its axes."""
    chart = page.locator(f".st-key-{key} .js-plotly-plot")
    chart.click(position=place(page, key, row, column))


# The controls


def choose(page: Page, key: str, option: int) -> None:
    """Choose an option of a segmented control by its place, from 0."""
    page.locator(f".st-key-{key}").get_by_role("radio").nth(option).click()


def pick(page: Page, key: str, option: str) -> None:
    """Choose an option of a list by its words."""
    settle(page)
    box = page.locator(f".st-key-{key}").get_by_role("combobox")
    wanted = page.get_by_role("option", name=option, exact=True)
    deadline = time.monotonic() + PATIENCE
    # A list that is redrawn while it opens closes again: its reader opens it once more.
    while not wanted.count() and time.monotonic() < deadline:
        box.click()
        box.fill(option)
        page.wait_for_timeout(300)
    wanted.click()


def type_number(page: Page, key: str, number: int) -> None:
    """Type a number into its field."""
    field = page.locator(f".st-key-{key} input")
    field.fill(str(number))
    field.press("Enter")


def sentence(page: Page):
    """The field in which the sentence is typed."""
    return page.locator(".st-key-text").get_by_role("textbox")


# The arithmetic


def arithmetic(page: Page) -> str:
    """The heading of the panel that says where a number comes from."""
    heading = page.locator(".st-key-arithmetic p strong").nth(1).inner_text()
    return heading[0].lower() + heading[1:]


def formula(page: Page) -> str:
    """The source of the formula in that panel."""
    return page.locator(".st-key-arithmetic annotation").first.text_content()
