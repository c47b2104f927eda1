"""Clicks from the charts to the page, and lights from the page to the charts."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from explorer.figures import palette
from explorer.lights import Lights, Role
from explorer.page import address
from explorer.settings import Settings
from explorer.view import PAIRS, Direction, Step, View, n_features, steps

_COLOURS = {
    Role.QUERY: palette.QUERY,
    Role.KEY: palette.KEY,
    Role.VALUE: palette.VALUE,
    Role.OPERAND: palette.OPERAND,
    Role.PICKED: palette.PICKED,
}


def bridge(settings: Settings, view: View, charts: list[str], lights: Lights) -> None:
    """Light the cells, and let a click on a chart pick what it points at."""
    component = st.components.v2.component(
        "charts_bridge", js=(Path(__file__).parent / "bridge.js").read_text()
    )

    def picked() -> None:
        pick(st.session_state["bridge"].get("picked"), settings, view)

    component(
        key="bridge",
        data={
            "charts": charts,
            "lights": {
                key: [(light.role, *light.rows, *light.columns) for light in lit]
                for key, lit in lights.items()
            },
            "colours": _COLOURS,
        },
        height=1,
        on_picked_change=picked,
    )


def pick(cell: object, settings: Settings, view: View) -> None:
    """Open what was clicked. What the browser says is checked: it may say anything."""
    if not isinstance(cell, dict):
        return
    n_tokens = len(settings.tokens)
    row, column = cell.get("row"), cell.get("column")
    if not _is_place(column):
        return
    if cell.get("chart") == "arrows":
        if column < n_tokens:
            address.put(**{"key" if view.direction is Direction.TO_KEY else "query": int(column)})
        return
    name = str(cell.get("chart")).removeprefix("a_").removeprefix("b_")
    if name == "difference":
        name = Step.WEIGHTS
    if name not in steps(settings) or not _is_place(row) or row >= n_tokens:
        return
    step = Step(name)
    if step in PAIRS and column < n_tokens:
        address.put(step=step.value, query=int(row), key=int(column))
    elif step not in PAIRS and column < n_features(settings, step):
        address.put(step=step.value, query=int(row), feature=int(column))


def _is_place(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 and (
        value == int(value) if value < 1e9 else False
    )
