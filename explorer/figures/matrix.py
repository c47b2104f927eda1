"""A matrix as a heat map whose cells have the same size wherever it stands.

Positions are the coordinates, not words: a word that comes twice keeps two rows, and a word that
looks like a number or a date stays a word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from explorer import labels
from explorer.attention import Array, BoolArray
from explorer.figures import palette
from explorer.figures.figure import Figure, text, ticks

MOST_WITH_DIGITS = 12
"""Rows or columns up to which every cell holds its digits."""
MOST_WITH_ALL_TICKS = 16
FONT = 12
_LONGEST_ROW = 12
_LONGEST_COLUMN = 10
"""Characters of a word beside its row and above its column."""
_WIDEST_CELL = 58
_TALLEST = 768
"""Pixels of all rows together, where there are more of them than can be told apart singly."""
_MARGIN = 6
_MOST_WITH_GAPS = 64
_NARROWEST = 160
"""Streamlit draws no chart narrower than about this; what is cut off would be cells."""


class Kind(StrEnum):
    """What a matrix holds, which decides its colours."""

    WEIGHTS = "weights"  # shares, from 0
    SIGNED = "signed"  #    anything, white at 0


@dataclass(frozen=True, slots=True)
class Layout:
    """The sizes that all matrices beside each other share, so that their rows stay level."""

    cell_height: int
    left: int  # room for the row labels
    top: int  #  room for the column labels


def layout(tokens: Sequence[str], n_rows: int | None = None) -> Layout:
    """Leave room for the words as row and column labels. All in pixels."""
    n_rows = len(tokens) if n_rows is None else n_rows
    rows, columns = (labels.told_apart(tokens, n) for n in (_LONGEST_ROW, _LONGEST_COLUMN))
    longest = max(map(_pixels, columns), default=0)
    return Layout(
        cell_height=_cell_height(n_rows),
        left=int(max(map(_pixels, rows), default=0)) + 14,
        top=20
        if longest <= _WIDEST_CELL - 6 and len(tokens) <= MOST_WITH_DIGITS
        else int(longest) + 14,
    )


def matrix(
    numbers: Array,
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    kind: Kind,
    frame: Layout,
    decimals: int = 3,
    hidden: BoolArray | None = None,
    bound: float | None = None,
    row_bounds: Array | None = None,
    hover: str = "%{y}, %{x}",
    beside: Sequence[str] | None = None,
    turned: bool = False,
) -> Figure:
    """Draw numbers, (rows, columns), with their digits where they fit and row 0 at the top.

    hidden: True for a cell that is drawn grey and called hidden, whatever it holds.
    bound: the number at the end of the colour scale; None takes the largest one drawn.
    row_bounds: (rows, 1) the number at the end of each row's own colour scale; the numbers
    themselves are in `customdata` then.
    A number that is NaN without being hidden has a colour of its own and is called NaN.
    hover: how a cell is named when it is pointed at, with %{y} for its row, %{x} for its column.
    Where not every row and column has a tick, a chart cannot name them, and says nothing.
    beside: what is written to the right of each row, under the heading "sum".
    turned: draw the transpose instead; everything else is given as without it. Then nothing stands
    beside the rows, which are none of the sums'.
    """
    if turned:
        numbers, rows, columns = numbers.T, columns, rows
        hidden = None if hidden is None else hidden.T
        row_bounds = None if row_bounds is None else row_bounds.T
        hover = hover.replace("%{y}", "%{_}").replace("%{x}", "%{y}").replace("%{_}", "%{x}")
        beside = None
    drawn = numbers if hidden is None else np.where(hidden, np.nan, numbers)
    digits = _digits(drawn, hidden, decimals) if fits_digits(*numbers.shape) else None
    cells = _coloured(drawn, kind, bound, row_bounds)
    if digits:
        cells |= _written(digits)
    traces = [cells]
    if hidden is not None and hidden.any():
        traces.append(hidden_cells(hidden))
    undefined = np.isnan(drawn) if hidden is None else np.isnan(drawn) & ~hidden
    if undefined.any():
        traces.append(_undefined_cells(undefined))
    _name(traces, drawn, rows, columns, hover)
    figure = Figure(traces, _layout(rows, columns, frame, digits))
    if beside is not None:
        _write_beside(figure, beside, min(FONT, frame.cell_height - 2))
    return figure


def _coloured(drawn: Array, kind: Kind, bound: float | None, row_bounds: Array | None) -> dict:
    """The trace of the cells themselves."""
    if row_bounds is not None:
        end, z = 1.0, np.divide(drawn, row_bounds)
        more = {"customdata": drawn.astype(np.float32)}
    else:
        end, z, more = largest(drawn) if bound is None else bound, drawn, {}
    weights = kind is Kind.WEIGHTS
    colours = palette.WEIGHTS if weights else palette.SIGNED
    return _heat(z, 0.0 if weights else -end, end, colours) | more


def _name(
    traces: list[dict], drawn: Array, rows: Sequence[str], columns: Sequence[str], hover: str
) -> None:
    """What each cell says when it is pointed at, the first trace's with its number."""
    if max(drawn.shape) > MOST_WITH_ALL_TICKS:
        for trace in traces:
            trace["hoverinfo"] = "none"
        return
    hover = _whole_names(hover, rows, columns, traces)
    form = ".5g" if largest(drawn) >= 1e5 else ".4f"
    number = f"%{{{'customdata' if 'customdata' in traces[0] else 'z'}:{form}}}"
    for trace, said in zip(traces, (number, *("hidden" for _ in traces[1:])), strict=True):
        trace["hovertemplate"] = f"{hover}: {trace.get('name', said)}<extra></extra>"


def fits_digits(n_rows: int, n_columns: int) -> bool:
    """Whether every cell holds its digits."""
    return max(n_rows, n_columns) <= MOST_WITH_DIGITS


def largest(numbers: Array) -> float:
    """The largest size among the numbers that can be drawn; 1 where all are 0 or there are none."""
    finite = numbers[np.isfinite(numbers)]
    return float(np.abs(finite).max(initial=0.0)) or 1.0


def row_bounds(numbers: Array) -> Array:
    """The largest size in each row, (rows, 1), for matrices that are coloured by row."""
    return np.array([[largest(row)] for row in numbers]).reshape(len(numbers), 1)


def size(n_rows: int, frame: Layout) -> int:
    """How high a matrix is drawn, in pixels."""
    return frame.top + n_rows * frame.cell_height + _MARGIN


def _layout(
    rows: Sequence[str],
    columns: Sequence[str],
    frame: Layout,
    digits: list[list[str]] | None,
) -> dict:
    n_rows, n_columns = len(rows), len(columns)
    cell_width = _cell_width(columns, digits)
    level = all(_pixels(name) <= cell_width for name in labels.told_apart(columns, _LONGEST_COLUMN))
    axis = {"showgrid": False, "zeroline": False, "fixedrange": True, "type": "linear"}
    axis |= {"ticks": "outside", "ticklen": 3, "tickcolor": "rgba(0,0,0,0)"}
    needed = round(frame.left + n_columns * cell_width + _MARGIN)
    spare = max(_NARROWEST - needed, 0)
    return {
        "width": needed + spare,
        "height": size(n_rows, frame),
        "margin": {"l": frame.left, "t": frame.top, "r": _MARGIN + spare, "b": _MARGIN, "pad": 0},
        # A finger on the chart scrolls the page, not the chart.
        "dragmode": False,
        "font": {"size": FONT},
        "xaxis": axis
        | _ticks(columns, _LONGEST_COLUMN)
        | {"side": "top", "range": [-0.5, n_columns - 0.5], "tickangle": 0 if level else -90},
        "yaxis": axis | _ticks(rows, _LONGEST_ROW) | {"range": [n_rows - 0.5, -0.5]},
    }


def _ticks(names: Sequence[str], longest: int) -> dict:
    """All names as ticks, or every few where they would crowd and slow the drawing."""
    every = -(-len(names) // MOST_WITH_ALL_TICKS)
    at = list(range(0, len(names), every))
    short = labels.told_apart(names, longest)
    return ticks(at, (labels.plotly(short[i]) for i in at))


def hidden_cells(hidden: BoolArray, colour: str = palette.HIDDEN) -> dict:
    """A trace that is grey where `hidden` and nothing elsewhere."""
    return _heat(np.where(hidden, 1.0, np.nan), 0, 1, [[0, colour], [1, colour]])


def _undefined_cells(undefined: BoolArray) -> dict:
    """A trace that is pink where there is no number, and says so: on a dark page, too."""
    cells = hidden_cells(undefined, palette.UNDEFINED) | {"name": "NaN"}
    if fits_digits(*undefined.shape):
        cells |= _written(np.where(undefined, "NaN", "").tolist())
    return cells


def _heat(z: Array, low: float, high: float, colours: list) -> dict:
    gap = 1 if max(z.shape, default=0) <= _MOST_WITH_GAPS else 0
    return {
        "type": "heatmap",
        "z": z.astype(np.float32),
        "zmin": low,
        "zmax": high,
        "colorscale": colours,
        "showscale": False,
        "xgap": gap,
        "ygap": gap,
        "hoverongaps": False,
    }


def _written(words: list[list[str]]) -> dict:
    font = {"size": FONT, "color": palette.DIGITS}
    return {"text": words, "texttemplate": "%{text}", "textfont": font}


def _digits(drawn: Array, hidden: BoolArray | None, decimals: int) -> list[list[str]]:
    unseen = np.zeros(drawn.shape, dtype=bool) if hidden is None else hidden
    return [
        ["" if out else labels.number(number, decimals) for number, out in zip(*row, strict=True)]
        for row in zip(drawn, unseen, strict=True)
    ]


def _write_beside(figure: Figure, beside: Sequence[str], size: int) -> None:
    """Widen the figure by a column of plain text. Its cells have no colour: it is no data."""
    room = round(max(map(_pixels, [*beside, "sum"]), default=0)) + 10
    margin = figure.layout["margin"]
    before = figure.layout["width"] - margin["l"] - margin["r"]
    figure.layout["width"] += room
    axis = figure.layout["xaxis"]
    right = axis["range"][1]
    edge = right + room * (right + 0.5) / max(before, 1)
    middle = (right + edge) / 2
    axis |= ticks([*axis["tickvals"], middle], [*axis["ticktext"], "<i>sum</i>"])
    axis["range"] = [-0.5, edge]
    figure.data.append(text([middle] * len(beside), range(len(beside)), beside, size))
    figure.layout["showlegend"] = False


def _whole_names(
    hover: str, rows: Sequence[str], columns: Sequence[str], traces: list[dict]
) -> str:
    """Name a cell by its ticks, or where one is cut by a text of its own with the whole words."""
    if all(len(labels.shown(n)) <= _LONGEST_COLUMN for n in (*rows, *columns)):
        return hover
    form = hover.replace("%{", "{")
    whole_rows, whole_columns = ([*map(labels.plotly, names)] for names in (rows, columns))
    names = [[form.format(y=row, x=column) for column in whole_columns] for row in whole_rows]
    for trace in traces:
        trace["hovertext"] = names
    return "%{hovertext}"


def _cell_height(n_rows: int) -> int:
    for most, height in ((MOST_WITH_DIGITS, 32), (MOST_WITH_ALL_TICKS, 24), (32, 18), (64, 12)):
        if n_rows <= most:
            return height
    return max(_TALLEST // n_rows, 1)


def _cell_width(names: Sequence[str], digits: list[list[str]] | None) -> float:
    if digits is None:
        return max(_cell_height(max(len(names), MOST_WITH_DIGITS + 1)), 1)
    numbers = max((_pixels(text) for row in digits for text in row), default=0) + 8
    words = max(map(_pixels, labels.told_apart(names, _LONGEST_COLUMN)), default=0) + 6
    return round(max(numbers, min(words, _WIDEST_CELL), 32))


def _pixels(text: str) -> float:
    return labels.width(text) * FONT
