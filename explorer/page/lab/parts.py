"""What every experiment of the lab is made of: a question, pictures, an answer, something to do."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

from explorer import describe, labels
from explorer.attention import Array, BoolArray
from explorer.figures.figure import Figure
from explorer.figures.matrix import Kind, Layout, layout, matrix
from explorer.page.chart import chart

MOST_WORDS = 16
"""Experiments that repeat themselves many times take the first words of a long sentence."""
_PICTURE_WIDTH = 720
_MOST_WITH_SUMS = 16


@dataclass(frozen=True, eq=False, slots=True)
class Map:
    """One small heat map."""

    key: str  #   of its chart, without "lab_"
    title: str  # written by the page: Markdown
    numbers: Array
    rows: Sequence[str]
    columns: Sequence[str] | None = None  # None: as the rows
    weights: bool = True  # else numbers of either sign
    bound: float | None = None  # the end of the colour scale
    hidden: BoolArray | None = None
    decimals: int = 3
    sums: bool = False  # whether each row has its sum beside it


def question(text: str) -> None:
    """What the experiment settles."""
    st.header(text, anchor=False)


def answer(text: str) -> None:
    """What came out, computed on the spot. Words in it went through `labels` already."""
    st.markdown(text)


def picture(figure: Figure, key: str, alt: str) -> None:
    """A chart as wide as the page, but never so wide that a line is hard to follow."""
    with st.container(width=_PICTURE_WIDTH):
        chart(figure, f"lab_{key}", alt)


def maps(key: str, several: Sequence[Map], **shared: Any) -> None:
    """Heat maps beside each other, their rows level; below each other where there is no room.

    shared: fields that all of them have alike.
    """
    by_rows = [layout(one.rows) for one in several]
    by_columns = [layout(one.columns or one.rows) for one in several]
    frame = Layout(
        cell_height=min(frame.cell_height for frame in by_rows),
        left=max(frame.left for frame in by_rows),
        top=max(frame.top for frame in by_columns),
    )
    with st.container(horizontal=True, gap="medium", key=f"steps_lab_{key}"):
        for one in several:
            _map(replace(one, **shared), frame)


def _map(one: Map, frame: Layout) -> None:
    columns = one.rows if one.columns is None else one.columns
    figure = matrix(
        one.numbers,
        rows=one.rows,
        columns=columns,
        kind=Kind.WEIGHTS if one.weights else Kind.SIGNED,
        frame=frame,
        decimals=one.decimals,
        hidden=one.hidden,
        bound=one.bound,
        hover="%{y} → %{x}" if one.columns is None else "%{y}, feature %{x}",
        beside=_sums(one),
    )
    with st.container(width=figure.width, gap="xxsmall"):
        st.markdown(f"**{one.title}**")
        chart(figure, f"lab_{one.key}", _alt(one))


def _sums(one: Map) -> list[str] | None:
    """What each row sums to, where that is asked for and there is room for it."""
    if not one.sums or len(one.rows) > _MOST_WITH_SUMS:
        return None
    return [labels.number(total, 3) for total in one.numbers.sum(axis=-1)]


def _alt(one: Map) -> str:
    title = re.sub(r"\\(.)", r"\1", one.title)  # read aloud, not as Markdown
    undefined = int(np.isnan(one.numbers).sum())
    if undefined:
        return f"{title}: {undefined} of {one.numbers.size} cells are NaN, which is no number."
    if one.columns is None:
        visible = None if one.hidden is None else ~one.hidden
        return describe.pairs(title, one.numbers, one.rows, visible, one.decimals)
    return describe.vectors(title, one.numbers, one.rows, one.decimals)


def do_it_yourself(*steps: str) -> None:
    """What to change on the page, one thing after the other."""
    lines = "\n".join(f"{n}. {step}" for n, step in enumerate(steps, start=1))
    st.markdown(f"**Do it yourself**\n\n{lines}")


def code(*functions: Callable) -> None:
    """Show the very functions that ran, so that text and code cannot part ways."""
    with st.popover("The code that ran", type="tertiary"):
        st.code("\n\n".join(inspect.getsource(f) for f in dict.fromkeys(functions)), "python")


def features(count: int) -> tuple[str, ...]:
    """Names for columns that are no words."""
    return tuple(str(n) for n in range(1, count + 1))
