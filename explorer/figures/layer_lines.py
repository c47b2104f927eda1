"""Numbers along the layers as lines, each with its name at its end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from explorer import labels
from explorer.attention import Array
from explorer.figures import palette
from explorer.figures.figure import STILL, Figure, text, ticks

_HEIGHT = 300
_LINE = 15  # pixels from one name to the next
_TOP, _BOTTOM = 10, 48


def lines(
    numbers: Array, names: Sequence[str], places: Sequence[str], titles: tuple[str, str]
) -> Figure:
    """Draw a line for each row of numbers, (lines, places).

    names: of the lines, written at their ends; places: the ticks; titles: of the horizontal and the
    vertical axis.
    """
    low, high = float(numbers.min()), float(numbers.max())
    spare = 0.05 * (high - low or 1.0)
    low, high = low - spare, high + spare
    heights = _apart(numbers[:, -1], _LINE * (high - low) / (_HEIGHT - _TOP - _BOTTOM))
    last = len(places) - 1
    written = [labels.plotly(name, 24) for name in names]
    widest = max((labels.width(labels.shown(name, 24)) for name in names), default=0)
    axis = {"fixedrange": True, "zeroline": False, "gridcolor": palette.GRID}
    drawn = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "x": list(range(len(places))),
            "y": row.tolist(),
            "line": {"color": palette.LINES[3], "width": 2, "dash": palette.DASHES[n % 4]},
            "marker": {"size": 6},
            "meta": name,  # in the template itself, signs of a word would be read
            "hovertemplate": "%{meta}: %{y:.3f}<extra></extra>",
        }
        for n, (row, name) in enumerate(zip(numbers, written, strict=True))
    ]
    # A space, past the marker.
    ends = text([last] * len(written), heights.tolist(), [f"\u2002{n}" for n in written], 12)
    layout = {
        "height": _HEIGHT,
        "margin": {"l": 56, "r": 24 + round(12 * widest), "t": _TOP, "b": _BOTTOM, "pad": 0},
        "font": {"size": 12},
        "xaxis": axis
        | ticks(range(len(places)), places)
        | {"range": [-0.1, last + 0.1], "title": {"text": titles[0], "standoff": 6}},
        "yaxis": axis | {"title": {"text": titles[1]}, "range": [low, high]},
    }
    ends |= {"textposition": "middle right", "cliponaxis": False}
    return Figure([*drawn, ends], STILL | layout)


def _apart(heights: Array, least: float) -> Array:
    """The heights in the same order, moved so that no two are closer than `least`."""
    order = np.argsort(heights, kind="stable")
    steps = np.arange(len(heights)) * least
    # Each at least so far above the one below; then all down by what that took on average.
    moved = np.maximum.accumulate(heights[order] - steps) + steps
    moved -= (moved - heights[order]).mean() if len(moved) else 0.0
    found = np.empty_like(moved)
    found[order] = moved
    return found
