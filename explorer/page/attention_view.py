"""The view Attention: who attends to whom, then every step with its numbers."""

from __future__ import annotations

import inspect
from collections.abc import Sequence

import numpy as np
import streamlit as st

from explorer import describe, labels
from explorer.attention import Array, BoolArray
from explorer.figures import palette
from explorer.figures.arrows import arrows, slot_width
from explorer.figures.matrix import Kind, Layout, largest, layout, matrix
from explorer.page import style
from explorer.page.arithmetic import arithmetic
from explorer.page.bridge import bridge
from explorer.page.chart import chart
from explorer.page.steps import Telling, telling
from explorer.lights import lights
from explorer.settings import Settings
from explorer.trace import AttentionTrace
from explorer.view import PAIRS, Direction, Colour, Step, View, steps

_BY_FEATURE = (Step.W_Q, Step.W_K, Step.W_V, Step.W_O)


def attention_view(t: AttentionTrace, settings: Settings, view: View) -> None:
    """Draw the arrow graph, the steps in the order of computing, and one cell's arithmetic."""
    here = steps(settings)
    _arrow_graph(t, view)
    frame = layout(t.tokens)
    with st.container(horizontal=True, gap="small", key="steps"):
        for count, step in enumerate(here, start=1):
            _step(count, step, t, settings, view, frame)
    arithmetic(t, settings, view)
    lit = lights(settings, view, here)
    bridge(settings, view, ["arrows", *map(str, here)], lit)


def _arrow_graph(t: AttentionTrace, view: View) -> None:
    weights = t.weights[view.head]
    i, j = view.query, view.key
    name = [describe.word(t.tokens, n) for n in range(len(t.tokens))]
    drawn = np.full_like(weights, np.nan)
    if view.direction is Direction.FROM_QUERY:
        drawn[i] = weights[i]
        shares, seen, focus, colour = weights[i], t.visible[i], i, palette.QUERY
        said = [f"{name[i]} gives {labels.percent(w)} of its attention to {n}" for w, n in zip(shares, name, strict=True)]
        alt = f"Arrows from {name[i]} to each word it attends to: {describe.shares(shares, t.tokens)}."
    elif view.direction is Direction.TO_KEY:
        drawn[:, j] = weights[:, j]
        shares, seen, focus, colour = weights[:, j], t.visible[:, j], j, palette.KEY
        said = [f"{n} gives {labels.percent(w)} of its attention to {name[j]}" for w, n in zip(shares, name, strict=True)]
        alt = f"Arrows from each word to {name[j]}: {describe.shares(shares, t.tokens)}."
    else:
        drawn = weights
        shares, seen, focus, colour = weights.mean(axis=0), t.visible.any(axis=0), None, palette.QUERY
        said = [f"{n} gets {labels.percent(w)} of a word’s attention on average" for w, n in zip(shares, name, strict=True)]
        alt = f"Arrows between all words. On average each gets: {describe.shares(shares, t.tokens)}."
    under = [labels.percent(w) if s else "hidden" for w, s in zip(shares, seen, strict=True)]
    hover = [labels.plotly(text) for text in said]
    style.least_width("arrows", len(t.tokens) * slot_width(t.tokens), most=len(t.tokens) * 170)
    with st.container(key="arrows_scroll"):
        chart(arrows(drawn, t.tokens, under, hover, focus, colour), "arrows", alt)
    if t.sees_nobody[i] and view.direction is Direction.FROM_QUERY:
        st.caption(f"{labels.markdown(t.tokens[i])} may see no word at all: all its weights are 0.")


def _step(
    count: int, step: Step, t: AttentionTrace, settings: Settings, view: View, frame: Layout
) -> None:
    told = telling(step, settings, t)
    numbers = _numbers(step, t, view.head)
    pairs = step in PAIRS
    rows = t.tokens if step not in _BY_FEATURE else _features(numbers.shape[0])
    columns = t.tokens if pairs else _features(numbers.shape[1])
    hidden = ~t.visible if step in (Step.MASKED, Step.WEIGHTS) and settings.mask else None
    weights = step is Step.WEIGHTS
    figure = matrix(
        numbers,
        rows=rows,
        columns=columns,
        kind=Kind.WEIGHTS if weights else Kind.SIGNED,
        frame=frame,
        decimals=view.decimals,
        hidden=hidden,
        bound=1.0 if weights and view.colour is Colour.UNIT else None,
        by_row=view.colour is Colour.ROW,
        hover="%{y} → %{x}" if pairs else "%{y}, feature %{x}",
        beside=_row_sums(t, view) if weights else None,
    )
    alt = (
        describe.pairs(told.title, numbers, t.tokens, None if hidden is None else t.visible, view.decimals)
        if pairs
        else describe.vectors(told.title, numbers, rows, view.decimals)
    )
    with st.container(width=int(figure.layout.width), gap="xxsmall"):
        st.markdown(f"**{count} {labels.markdown(told.title)}**")
        st.caption(labels.markdown(told.shapes))
        chart(figure, step.value, alt)
        _legend(numbers, hidden, weights, view)
        st.markdown(f"${told.formula}$")
        st.caption(told.question)
        _code(told)


def _legend(numbers: Array, hidden: BoolArray | None, weights: bool, view: View) -> None:
    drawn = numbers if hidden is None else np.where(hidden, np.nan, numbers)
    end = labels.number(largest(drawn), view.decimals)
    if weights and view.colour is Colour.UNIT:
        end = "1"
    if view.colour is Colour.ROW:
        end = "the row’s largest"
    style.legend("0" if weights else f"−{end}", end, palette.WEIGHTS if weights else palette.SIGNED)


def _code(told: Telling) -> None:
    """Show the very function that computed the step, so that text and code cannot part ways."""
    if told.function is not None:
        with st.popover("Code", type="tertiary"):
            st.code(inspect.getsource(told.function), language="python")


def _numbers(step: Step, t: AttentionTrace, head: int) -> Array:
    whole = {
        Step.EMBEDDINGS: t.x,
        Step.W_Q: t.w_q,
        Step.W_K: t.w_k,
        Step.W_V: t.w_v,
        Step.W_O: t.w_o,
        Step.OUTPUT: t.output,
    }
    if step in whole:
        return whole[step]
    return {
        Step.QUERIES: t.q,
        Step.KEYS: t.k,
        Step.VALUES: t.v,
        Step.SCORES: t.scores,
        Step.SCALED: t.scaled,
        Step.MASKED: t.masked,
        Step.WEIGHTS: t.weights,
        Step.CONTEXT: t.context,
    }[step][head]


def _row_sums(t: AttentionTrace, view: View) -> list[str]:
    return [labels.number(total, view.decimals) for total in t.weights[view.head].sum(axis=-1)]


def _features(count: int) -> Sequence[str]:
    return [str(n) for n in range(1, count + 1)]
