"""The view Attention: who attends to whom, then every step with its numbers."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from explorer import describe, labels
from explorer.attention import Array, BoolArray
from explorer.figures import heads as all_heads
from explorer.figures import palette
from explorer.figures.arrows import LEAST, arrows, columns, slot_width, strongest
from explorer.figures.figure import Figure
from explorer.figures.matrix import Kind, Layout, fits_digits, largest, layout, matrix, row_bounds
from explorer.link.run import Run
from explorer.operations.matrices import Axis, Role
from explorer.operations.steps import Step
from explorer.page import given_cell, moved, style
from explorer.page.arithmetic import arithmetic
from explorer.page.bridge import Kin, bridge
from explorer.page.chart import chart
from explorer.page.session import address, fragments
from explorer.page.tables import Matrix, tables
from explorer.rendering.captions import Caption, caption
from explorer.settings import Settings
from explorer.trace import AttentionTrace
from explorer.view import Colour, Direction, Drawing, Turned, View
from explorer.walks import Light, drawn, lights, matrix_of

_MOST_WITH_SUMS = 16


def attention_view(run: Run) -> None:
    """Draw the arrow graph, the steps in the order of computing, and one cell's arithmetic."""
    t, view = run.trace, run.view
    fragments.are_enough()
    if view.drawing is Drawing.ARCS:
        n_tokens = len(t.tokens)
        style.least_width("arrows", n_tokens * slot_width(t.tokens), most=n_tokens * 170)
    _who_attends()
    if t.n_heads > 1:
        _head_maps()
    _steps()
    _read_aloud()
    opened = given_cell.opened(t, view)
    if opened:
        step, row, column = opened
        given_cell.panel(float(t.arrays[step][row, column]), step, row, column)
    arithmetic(run.settings)
    _tables()


@fragments.part(follows=fragments.NUMBERS, has_charts=True)
def _steps() -> None:
    """Draw every step's matrix in the order of computing, and beside it what moved."""
    run = address.now()
    t, view, before = run.trace, run.view, moved.baseline(run)
    shown, frame = shown_steps(t, run.settings, view), layout(t.tokens)
    _what_is_thinned(len(t.tokens), max(m.numbers.shape[1] for m in shown))
    with st.container(horizontal=True, gap="small", key="steps"):
        for count, matrix_ in enumerate(shown, start=1):
            _draw(count, matrix_, view, frame)
            if before is not None:
                _draw_change(matrix_, before, view, frame)


@fragments.part(follows=fragments.NUMBERS)
def _tables() -> None:
    run = address.now()
    shown = shown_steps(run.trace, run.settings, run.view)
    tables([Matrix(m.told.title, m.numbers, m.rows, m.columns) for m in shown])


@dataclass(frozen=True, eq=False, slots=True)
class Shown:
    """One step as it is drawn."""

    step: Step
    told: Caption
    numbers: Array
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    hidden: BoolArray | None


def shown_steps(t: AttentionTrace, settings: Settings, view: View) -> list[Shown]:
    """What there is to draw, in the order of computing."""
    return [_shown(step, t, settings, view) for step in drawn(t.steps, view.head)]


def _shown(step: Step, t: AttentionTrace, settings: Settings, view: View) -> Shown:
    numbers = matrix_of(t, step.name, view.head)
    return Shown(
        step,
        caption(t, step, view.head, view.turned is Turned.COLUMNS),
        numbers,
        rows=_features(numbers.shape[0]) if step.matrix.is_learned else t.tokens,
        columns=t.tokens if step.matrix.is_pairs else _features(numbers.shape[1]),
        hidden=~t.visible if settings.mask and step.name in ("masked", "weights") else None,
    )


def _features(count: int) -> tuple[str, ...]:
    return tuple(str(n) for n in range(1, count + 1))


@fragments.part(has_charts=True)
def _who_attends() -> None:
    """Draw the arrows and light the cells."""
    run = address.now()
    t, view = run.trace, run.view
    graph = arrow_graph(t, view)
    with st.container(key="arrows_scroll"):
        chart(graph.figure, "arrows", graph.alt)
    _light(t, run.settings, view)
    st.caption(_under_the_words(t, view))
    if graph.left_out:
        st.caption(
            f"The {graph.n_drawn} strongest arrows; {graph.left_out:,} weaker ones are not drawn."
        )
    if t.sees_nobody[view.query] and view.direction is Direction.FROM_QUERY:
        asks = labels.markdown(t.tokens[view.query])
        st.caption(f"“{asks}” may see no word at all: all its weights are 0.")


def _light(t: AttentionTrace, settings: Settings, view: View) -> None:
    lit = lights(t, view)
    if view.head is not None:
        n_heads, n_tokens = settings.n_heads, len(settings.tokens)
        lit["heads"] = [Light(Role.PICKED, *all_heads.outline(view.head, n_heads, n_tokens))]
    opened = given_cell.opened(t, view)
    if opened:
        step, row, column = opened
        lit[step].append(Light(Role.PICKED, (row, row), (column, column)))
    kin = {step.name: _kin(step) for step in drawn(t.steps, view.head)}
    bridge(t, view, lit, kin)


@dataclass(frozen=True, eq=False, slots=True)
class Graph:
    """The arrow graph, in words too, and how much of it is drawn."""

    figure: Figure
    alt: str
    n_drawn: int
    left_out: int


def arrow_graph(t: AttentionTrace, view: View) -> Graph:
    """Who attends to whom, in the direction that the reader chose."""
    weights = t.weights_of(view.head)
    i, j = view.query, view.key
    drawn = np.full_like(weights, np.nan)
    focus: int | None = i
    colour = palette.QUERY
    if view.direction is Direction.FROM_QUERY:
        drawn[i] = weights[i]
        shares, seen = weights[i], t.visible[i]
    elif view.direction is Direction.TO_KEY:
        drawn[:, j] = weights[:, j]
        shares, seen = weights[:, j], t.visible[:, j]
        focus, colour = j, palette.KEY
    else:
        drawn, focus = weights, None
        shares, seen = weights.mean(axis=0), t.visible.any(axis=0)
    said, alt = describe.arrows(shares, t.tokens, focus, view.direction is Direction.TO_KEY)
    under = [labels.percent(w) if s else "hidden" for w, s in zip(shares, seen, strict=True)]
    hover = [labels.plotly(text) for text in said]
    drawn = np.where(np.nan_to_num(drawn) >= view.least / 100, drawn, np.nan)
    if not view.own:
        drawn = np.where(np.eye(len(drawn), dtype=bool), np.nan, drawn)
    n_drawn = len(strongest(drawn, focus))
    left_out = int((np.nan_to_num(drawn) >= LEAST).sum()) - n_drawn
    draw = arrows if view.drawing is Drawing.ARCS else columns
    return Graph(draw(drawn, t.tokens, under, hover, focus, colour), alt, n_drawn, left_out)


def _under_the_words(t: AttentionTrace, view: View) -> str:
    """Say what the percentages are shares of: in each direction of something else."""
    asks, answers = (labels.markdown(t.tokens[n], 24) for n in (view.query, view.key))
    where = "Under" if view.drawing is Drawing.ARCS else "Beside"
    return {
        Direction.FROM_QUERY: f"{where} each word: its share of the attention of “{asks}”.",
        Direction.TO_KEY: f"{where} each word: how much of its own attention goes to “{answers}”, "
        f"the key word; click another word to ask for that.",
        Direction.ALL: f"{where} each word: what it gets of a word’s attention on average.",
    }[view.direction]


@fragments.part(follows=fragments.NUMBERS, has_charts=True)
def _head_maps() -> None:
    """Draw all heads beside each other."""
    t = address.now().trace
    n_heads, n_tokens = t.n_heads, len(t.tokens)
    if t.weights.size > all_heads.MOST_CELLS:
        st.caption(
            f"{n_heads} heads of {n_tokens} by {n_tokens} weights are too many to draw beside "
            f"each other."
        )
        return
    st.markdown("**All heads** · weights, on one scale; click one to open it")
    d_k = t.q.shape[-1]
    st.caption(
        f"Each head attends on its own, with its own {d_k} {'feature' if d_k == 1 else 'features'} "
        f"of a query and a key; what the heads gather stands side by side in the output."
    )
    alt = f"The weights of all {n_heads} heads as small maps."
    chart(all_heads.heads(t.weights, t.visible), "heads", alt)


def _what_is_thinned(n_tokens: int, widest: int) -> None:
    if fits_digits(n_tokens, widest):
        return
    if fits_digits(n_tokens, 1):
        st.caption("The digits of the wide matrices are in the tables below and under the pointer.")
        return
    said = ["the digits are in the tables and under the pointer"]
    if n_tokens > 16:
        said.append("not every row and column has its label")
    st.caption(f"With {n_tokens} words, {' and '.join(said)}.")


def _draw(count: int, shown: Shown, view: View, frame: Layout) -> None:
    figure, told = step_figure(shown, view, frame), shown.told
    with st.container(width=figure.width, gap="xxsmall"):
        st.markdown(f"**{count} {labels.markdown(told.title)}**")
        st.caption(labels.markdown(told.shapes))
        chart(figure, shown.step.name, step_alt(shown, view))
        _legend(shown, view)
        st.markdown(f"${told.formula}$")
        st.caption(told.question)
        _code(told, shown.step.name)


@fragments.part(follows={"query", "key"} | fragments.NUMBERS)
def _read_aloud() -> None:
    """One weight in words, so that nobody takes rows for columns."""
    t, view = address.now().trace, address.view()
    i, j = view.query, view.key
    asks, answers = (f"“{labels.markdown(describe.word(t.tokens, n))}”" for n in (i, j))
    where = f"Row {asks}, column {answers}"
    if view.turned is Turned.COLUMNS:
        where = f"Column {asks}, row {answers}"
    if t.visible[i, j]:
        share = labels.percent(t.weights_of(view.head)[i, j])
        st.caption(f"{where}: {asks} gives {share} of its attention to {answers}.")
    else:
        st.caption(f"{where}: {asks} may not see {answers}.")


def _draw_change(shown: Shown, before: AttentionTrace, view: View, frame: Layout) -> None:
    """Beside a matrix by how much its numbers moved, white where they did not."""
    head = view.head if view.head is None or view.head < before.n_heads else 0
    difference = moved.change(_before(before, shown.step.name, head), shown.numbers)
    if difference is None:
        return
    hidden = np.isnan(difference) if np.isnan(difference).any() else None
    figure = _heat_map(shown, difference, Kind.SIGNED, view, frame, hidden=hidden)
    end = labels.number(largest(difference), view.decimals)
    still = not np.nan_to_num(difference).any()
    with st.container(width=figure.width, gap="xxsmall"):
        st.markdown(f"**Change of {labels.markdown(shown.told.title)}**")
        st.caption("nothing moved" if still else "now less before")
        alt = describe.vectors(
            f"Change of {shown.told.title}", np.nan_to_num(difference), shown.rows, view.decimals
        )
        chart(figure, f"moved_{shown.step.name}", alt)
        if not still:  # of no change at all there is no largest one
            style.legend(f"−{end}", end, palette.SIGNED)


def _before(t: AttentionTrace, name: str, head: int | None) -> Array | None:
    """What a step was in another state; a step that it did without held what the one before did."""
    array = t.arrays.get(name, getattr(t, name, None))
    if array is None or array.ndim == 2:
        return array
    return t.weights_of(head) if name == "weights" else array[head or 0]


def step_figure(shown: Shown, view: View, frame: Layout) -> Figure:
    """The heat map of one step."""
    weights = shown.step.name == "weights"
    sums = None
    if weights and len(shown.rows) <= _MOST_WITH_SUMS:
        sums = [labels.number(total, view.decimals) for total in shown.numbers.sum(axis=-1)]
    return _heat_map(
        shown,
        shown.numbers,
        _kind(shown),
        view,
        frame,
        hidden=shown.hidden,
        bound=1.0 if weights and view.colour is Colour.UNIT else None,
        row_bounds=row_bounds(_drawn(shown)) if view.colour is Colour.ROW else None,
        beside=sums,
    )


def _heat_map(
    shown: Shown, numbers: Array, kind: Kind, view: View, frame: Layout, **more: Any
) -> Figure:
    return matrix(
        numbers,
        rows=shown.rows,
        columns=shown.columns,
        kind=kind,
        frame=frame,
        decimals=view.decimals,
        hover="%{y} → %{x}" if shown.step.matrix.is_pairs else "%{y}, feature %{x}",
        turned=view.turned is Turned.COLUMNS,
        **more,
    )


def step_alt(shown: Shown, view: View) -> str:
    """What one step's heat map shows, in words."""
    if shown.step.matrix.is_pairs:
        visible = None if shown.hidden is None else ~shown.hidden
        return describe.pairs(shown.told.title, shown.numbers, shown.rows, visible, view.decimals)
    return describe.vectors(shown.told.title, shown.numbers, shown.rows, view.decimals)


def _legend(shown: Shown, view: View) -> None:
    weights = shown.step.name == "weights"
    end = labels.number(largest(_drawn(shown)), view.decimals)
    if weights and view.colour is Colour.UNIT:
        end = "1"
    if view.colour is Colour.ROW:
        end = "row’s largest"
    shares = _kind(shown) is Kind.WEIGHTS
    style.legend("0" if shares else f"−{end}", end, palette.WEIGHTS if shares else palette.SIGNED)


def _kind(shown: Shown) -> Kind:
    """Weights have one colour from 0, unless plain division made some negative."""
    negative = (np.nan_to_num(shown.numbers) < 0).any()
    return Kind.WEIGHTS if shown.step.name == "weights" and not negative else Kind.SIGNED


def _drawn(shown: Shown) -> Array:
    """The numbers that have a colour: hidden ones have none."""
    return shown.numbers if shown.hidden is None else np.where(shown.hidden, np.nan, shown.numbers)


def _code(told: Caption, step: str) -> None:
    """Show the very function that computed the step, so that text and code cannot part ways."""
    if told.function is not None:
        key = f"code_{step}"
        box = st.popover("Code", type="tertiary", key=key, on_change="rerun")
        if box.open:
            box.code(inspect.getsource(told.function), language="python")


def _kin(step: Step) -> Kin:
    rows, columns = step.matrix.axes
    if columns is Axis.KEY:
        return Kin.PAIRS
    return {
        Axis.FEATURE: Kin.NONE,
        Axis.TOKEN: Kin.BOTH,
        Axis.KEY: Kin.KEY_ROWS,
        Axis.QUERY: Kin.QUERY_ROWS,
    }[rows]
