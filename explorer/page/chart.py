"""The one way in which a chart gets onto the page: drawn once, then changed in place.

Three small components do it. The engine (`charts.js`) draws, and is sent once. Each chart is one
that hands its figure to the engine. Lights and the pointer's kin are one more (see `bridge`),
because they change more often than the numbers.

A figure that the browser was sent already is not sent again: its hash stands for it. Should it not
have arrived, because a run was broken off, the browser says so and gets everything again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from explorer.figures.figure import Figure
from explorer.page import streamlit_inside

if TYPE_CHECKING:
    import plotly.graph_objects as go

from explorer.page.session.state import session

_CONFIG = {"displayModeBar": False, "scrollZoom": False, "doubleClick": False, "displaylogo": False}

# The engine may come after what it is to draw, or not at all where its run was broken off.
_TO_ENGINE = """
const engine = (window.explorerCharts ??= { waiting: [] });
const awaited = (given, act) => new Promise((resolve) => {
  engine.waiting.push(() => resolve(act()));
  setTimeout(() => engine.draw || given.setTriggerValue("missing", true), 3000);
});
"""
_DRAW = """
const draw = (given) => engine.draw(given);
export default (given) => engine.draw ? draw(given) : awaited(given, () => draw(given));
"""
_LIGHT = """
const light = (given) => engine.light(given);
export default (given) => engine.light ? light(given) : awaited(given, () => light(given));
"""


def engine() -> None:
    """Bring the drawing library and what draws with it onto the page, before any chart."""
    if _is_plain():
        return
    with st.container(key="chart_engine"):
        streamlit_inside.fetch_plotly()
        source = _TO_ENGINE + _source("charts.js").replace("CSS_TEXT", repr(_source("charts.css")))
        is_news, _ = _news("engine", source)
        if is_news:
            st.components.v2.component("charts_engine", js=source)(key="charts_engine")


def chart(
    figure: Figure,
    key: str,
    alt: str,
    download: dict[str, Any] | None = None,
) -> None:
    """Draw a figure under its key, with a text that says in words what it shows.

    Nothing that only moves a light belongs into the figure. Its size does: nothing on the page
    jumps. download: the options of a button on the chart that saves it as a picture; None has no
    button.
    """
    config: dict[str, Any] = _CONFIG
    if download is not None:
        config = _CONFIG | {
            "displayModeBar": True,
            "modeBarButtons": [["toImage"]],
            "toImageButtonOptions": download,
        }
    size: dict[str, Any] = {"width": figure.width, "height": figure.height}
    if _is_plain():
        checked = validated(figure)
        st.plotly_chart(checked, key=key, theme="streamlit", config=config, alt=alt, **size)
        return
    text = figure.to_json()
    is_news, since = _news(key, text)
    data = {"name": key, "hash": _hash(text), "since": since, "alt": alt, "config": config}
    if is_news:
        data["figure"] = text
    component = st.components.v2.component("chart", js=_TO_ENGINE + _DRAW, isolate_styles=False)
    calls: dict[str, Any] = {"on_plain_change": _go_plain, "on_missing_change": _send_all_again}
    component(key=key, data=_listed(data), **calls, **size)


def send_lights(data: dict[str, Any], on_picked: Callable[[], None]) -> None:
    """Tell the engine what is lit in which chart, and have it tell which cell was clicked."""
    component = st.components.v2.component("chart_lights", js=_TO_ENGINE + _LIGHT)
    component(key="bridge", data=_listed(data), height=1, on_picked_change=on_picked)


def validated(figure: Figure) -> go.Figure:
    """The figure as one of Plotly's own, for Streamlit or for a file.

    Raises ValueError if there is something in it that Plotly does not know.
    """
    # Plotly uses pandas where it finds it, even half loaded, for the first page of another reader.
    import pandas  # noqa: F401
    import plotly.graph_objects as go

    return go.Figure(figure.data, figure.layout)


def _listed(data: dict[str, Any]) -> list[dict[str, Any]]:
    """Data for a component, in a list: in a dictionary Streamlit would look for data frames.

    For that it has to load pandas, 0.3 seconds and 68 MB before the first chart is on the page.
    """
    return [data]


@cache
def _source(name: str) -> str:
    return (Path(__file__).parent / name).read_text()


def _is_plain() -> bool:
    """Whether the browser could not bring the library to the engine: then Streamlit draws."""
    return session().plain_charts


def _go_plain() -> None:
    session().plain_charts = session().touched = True  # all charts, and not this part's alone


def _news(name: str, text: str) -> tuple[bool, int]:
    """Whether this session's browser was last sent something else under this name; since when not.

    The time, in milliseconds, tells the browser the newer of two states: where charts change their
    places, Streamlit may bring the older one after the newer.
    """
    sent = session().sent
    digest, now = _hash(text), time.time_ns() // 1_000_000
    before = sent.get(name)
    if before is not None and before[0] == digest:
        return False, before[1]
    sent[name] = (digest, now)
    return True, now


def _send_all_again() -> None:
    session().sent, session().touched = {}, True


def _hash(text: str) -> str:
    return blake2b(text.encode(), digest_size=12).hexdigest()
