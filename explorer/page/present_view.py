"""The view Present: for the front of a class. Large digits, one step after the other, no controls.

The arrow keys do it: right and left reveal and hide a step, down and up go on to the next word.
"""

from __future__ import annotations

import streamlit as st

from explorer import labels
from explorer.figures.enlarged import enlarged
from explorer.figures.figure import Figure
from explorer.figures.matrix import layout
from explorer.link.run import Run
from explorer.page import style
from explorer.page.attention_view import Shown, arrow_graph, shown_steps, step_alt, step_figure
from explorer.page.bridge import bridge
from explorer.page.chart import chart
from explorer.page.session import address
from explorer.trace import AttentionTrace
from explorer.view import Open, View
from explorer.walks import lights

_LARGEST = 1.6
_ROOM = 1220
"""Pixels that the steps of a short sentence shall share, so that they stand in one row."""


def present_view(run: Run) -> None:
    """Show the sentence and the steps revealed so far; the last thing revealed are the arrows."""
    t, settings, view = run.trace, run.settings, run.view
    style.stage()
    shown = shown_steps(t, settings, view)
    revealed = min(view.revealed, len(shown) + 1)
    figures = [step_figure(step, view, layout(t.tokens)) for step in shown]
    needed = sum(figure.layout["width"] for figure in figures)
    factor = min(max(_ROOM / needed, 1.0), _LARGEST)
    bridge(t, view, lights(t, view), {})
    _sentence(t, view)
    with st.container(horizontal=True, gap="medium", key="steps"):
        for count in range(1, min(revealed, len(shown)) + 1):
            _step(count, shown[count - 1], enlarged(figures[count - 1], factor), view)
    if revealed > len(shown):
        graph = arrow_graph(t, view)
        figure = enlarged(graph.figure, factor)
        with st.container(key="arrows_scroll"):
            chart(figure, "arrows", graph.alt)
    _keys(revealed, len(shown) + 1, view.query, len(t.tokens))


def _sentence(t: AttentionTrace, view: View) -> None:
    words = [
        f":blue[**{labels.markdown(token)}**]" if n == view.query else labels.markdown(token)
        for n, token in enumerate(t.tokens)
    ]
    st.markdown(f"## {' '.join(words)}")


def _step(count: int, shown: Shown, figure: Figure, view: View) -> None:
    with st.container(width=figure.width, gap="xxsmall"):
        st.markdown(f"### {count} {labels.markdown(shown.told.title)}")
        chart(figure, shown.step.name, step_alt(shown, view))
        st.markdown(f"${shown.told.formula}$")


def _keys(revealed: int, most: int, query: int, n_tokens: int) -> None:
    """Buttons, so that a finger can do it too; each has a key."""
    with st.container(horizontal=True, key="present_keys"):
        for label, shortcut, off, change in (
            ("Step back", "Left", revealed <= 1, ("revealed", -1, 1, most)),
            ("Next step", "Right", revealed >= most, ("revealed", 1, 1, most)),
            ("Word before", "Up", query <= 0, ("query", -1, 0, n_tokens - 1)),
            ("Next word", "Down", query >= n_tokens - 1, ("query", 1, 0, n_tokens - 1)),
            ("Leave", "Escape", False, None),
        ):
            st.button(
                label,
                key=label.replace(" ", "_").lower(),
                type="tertiary",
                shortcut=shortcut,
                disabled=off,
                on_click=_move if change else _leave,
                args=change,
            )


def _move(name: str, by: int, least: int, most: int) -> None:
    """Callback: go on from where the last press led, which may not be drawn yet."""
    here = min(address.chosen(name), most)
    address.put(**{name: min(max(here + by, least), most)})


def _leave() -> None:
    address.put(view=Open.ATTENTION, revealed=1)
