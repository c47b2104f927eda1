"""A line chart: how a few numbers change along one, with the present place marked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from explorer import labels
from explorer.attention import Array
from explorer.figures import palette
from explorer.figures.figure import STILL, Figure
from explorer.figures.figure import ticks as ticks_at

HEIGHT = 330
_FONT = 13
_MARGIN = {"l": 58, "r": 12, "t": 46, "b": 46, "pad": 0}
_LEGEND = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"}
_LEGEND |= {"itemclick": False, "itemdoubleclick": False}


def lines(
    x: Sequence[float] | Array,
    curves: Mapping[str, Sequence[float] | Array],
    *,
    x_title: str,
    y_title: str,
    marked: float | None = None,
    marked_name: str = "",
    doubling: bool = False,
    x_range: tuple[float, float] | None = None,
    y_range: tuple[float, float] | None = None,
    y_powers: bool = False,
    ticks: Sequence[float] | None = None,
) -> Figure:
    """Draw each curve, (len(x),), over x, in its own colour and its own dashes.

    marked: a place on the x axis that gets an upright line, with `marked_name` at its top.
    doubling: x is drawn so that twice as much is always one step further.
    y_powers: y is drawn in powers of ten; what is 0 has no place there and is left out.
    ticks: where x has its ticks; None leaves that to the chart.
    """
    drawn = [_curve(n, name, x, y) for n, (name, y) in enumerate(curves.items())]
    axis = {"fixedrange": True, "zeroline": False, "gridcolor": palette.GRID, "automargin": False}
    x_axis = axis | {"title": {"text": x_title}, "type": "log" if doubling else "linear"}
    if ticks is not None:
        x_axis |= ticks_at(ticks, ticks)
    y_axis = axis | {"title": {"text": y_title}}
    if y_powers:
        y_axis |= {"type": "log", "exponentformat": "power", "dtick": _decades(curves) // 7 + 1}
    if x_range is not None:
        x_axis["range"] = list(x_range)
    if y_range is not None:
        y_axis["range"] = list(y_range)
    layout = {
        "height": HEIGHT,
        "margin": _MARGIN | ({"l": 74} if y_powers else {}),
        "font": {"size": _FONT},
        "showlegend": len(drawn) > 1,
        "legend": _LEGEND,
        "xaxis": x_axis,
        "yaxis": y_axis,
    }
    if marked is not None:
        layout |= _mark(x, marked, labels.plotly(marked_name), doubling)
    return Figure(drawn, STILL | layout)


def _curve(n: int, name: str, x: Sequence[float] | Array, y: Sequence[float] | Array) -> dict:
    name, colour = labels.plotly(name), palette.LINES[n]
    return {
        "type": "scatter",
        "mode": "lines+markers" if len(x) <= 40 else "lines",
        "name": name,
        "x": list(map(float, x)),
        "y": list(map(float, y)),
        "line": {"color": colour, "width": 2.5, "dash": palette.DASHES[n]},
        "marker": {"size": 5, "color": colour},
        "hovertemplate": f"{name}: %{{y:.4g}} at %{{x}}<extra></extra>",
    }


def _decades(curves: Mapping[str, Sequence[float] | Array]) -> int:
    """Over how many powers of ten the curves stretch."""
    powers = [math.log10(y) for numbers in curves.values() for y in numbers if y > 0]
    return int(max(powers, default=0) - min(powers, default=0))


def _mark(x: Sequence[float] | Array, place: float, name: str, doubling: bool) -> dict:
    """What a layout needs for an upright line with a name at its foot."""
    line = {"color": palette.PICKED, "width": 1.5, "dash": "dot"}
    axes = {"xref": "x", "yref": "paper"}
    ends = {"type": "line", "x0": place, "x1": place, "y0": 0, "y1": 1, "layer": "below"}
    marks = {"shapes": [axes | ends | {"line": line}]}
    if not name:
        return marks
    at, low, high = (math.log10(n) if doubling else n for n in (place, min(x), max(x)))
    # On the right there is room only to the left of the line.
    right = at > low + 0.65 * (high - low)
    label = axes | {
        # On an axis of powers a text is placed by the exponent, a line by the number.
        "x": at,
        "y": 0,
        "xanchor": "right" if right else "left",
        "yanchor": "bottom",
        "xshift": -4 if right else 4,
        "text": name,
        "showarrow": False,
        "font": {"color": palette.PICKED},
    }
    return marks | {"annotations": [label]}
