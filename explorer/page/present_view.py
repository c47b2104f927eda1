"""The view Present: for the front of a class. Large digits, one step after the other, no controls.

The arrow keys do it: right and left reveal and hide a step, down and up go on to the next word.
"""

from __future__ import annotations

import streamlit as st

from explorer import labels
from explorer.figures.enlarged import enlarged
from explorer.figures.matrix import layout
from explorer.lights import lights
from explorer.page import address, style
from explorer.page.attention_view import Shown, arrow_graph, shown_steps, step_alt, step_figure
from explorer.page.bridge import bridge
from explorer.page.chart import chart
from explorer.settings import Settings
from explorer.trace import AttentionTrace
from explorer.view import Open, View

_FACTOR = 1.6


def present_view(t: AttentionTrace, settings: Settings, view: View) -> None:
    """Show the sentence and the steps revealed so far; the last thing revealed are the arrows."""
    style.stage()
    shown = shown_steps(t, settings, view)
    revealed = min(view.revealed, len(shown) + 1)
    bridge(settings, view, t.tokens, lights(settings, view), {})
    _sentence(t, view)
    with st.container(horizontal=True, gap="medium", key="steps"):
        for count, step in enumerate(shown[:revealed], start=1):
            _step(count, step, t, view)
    if revealed > len(shown):
        graph = arrow_graph(t, view)
        figure = enlarged(graph.figure, _FACTOR)
        with st.container(key="arrows_scroll"):
            chart(figure, "arrows", graph.alt)
    _keys(revealed, len(shown) + 1, view.query, len(t.tokens))


def _sentence(t: AttentionTrace, view: View) -> None:
    words = [
        f":blue[**{labels.markdown(token)}**]" if n == view.query else labels.markdown(token)
        for n, token in enumerate(t.tokens)
    ]
    st.markdown(f"## {' '.join(words)}")


def _step(count: int, shown: Shown, t: AttentionTrace, view: View) -> None:
    figure = enlarged(step_figure(shown, view, layout(t.tokens)), _FACTOR)
    with st.container(width=int(figure.layout.width), gap="xxsmall"):
        st.markdown(f"### {count} {labels.markdown(shown.told.title)}")
        chart(figure, shown.step.value, step_alt(shown, view))
        st.markdown(f"${shown.told.formula}$")


def _keys(revealed: int, most: int, query: int, n_tokens: int) -> None:
    """Buttons, so that a finger can do it too; each has a key."""
    with st.container(horizontal=True, key="present_keys"):
        for label, shortcut, off, change in (
            ("Step back", "Left", revealed <= 1, {"revealed": revealed - 1}),
            ("Next step", "Right", revealed >= most, {"revealed": revealed + 1}),
            ("Word before", "Up", query <= 0, {"query": query - 1}),
            ("Next word", "Down", query >= n_tokens - 1, {"query": query + 1}),
            ("Leave", "Escape", False, {"view": Open.ATTENTION.value}),
        ):
            st.button(
                label,
                key=label.replace(" ", "_").lower(),
                type="tertiary",
                shortcut=shortcut,
                disabled=off,
                on_click=address.put,
                kwargs=change,
            )
