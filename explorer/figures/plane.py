"""Points in the plane, and arrows from where they were to where they went."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from explorer import labels
from explorer.attention import Array
from explorer.figures import palette
from explorer.figures.figure import STILL, Figure

HEIGHT = 460
_FONT = 13
_LONGEST_WORD = 14
_MOST_WITH_NAMES = 24


def plane(
    before: Array,
    after: Array,
    names: Sequence[str],
    *,
    focus: int,
    pulls: Array,
    axes: tuple[str, str],
) -> Figure:
    """Draw every word's move, (T, 2) to (T, 2), and what draws one of them, (T, 2).

    focus: the word that is set off; each of the pulls on it is an arrow that starts there.
    axes: what the two directions are called. Both have the same scale.
    """
    shown = [labels.plotly(name) for name in labels.told_apart(names, _LONGEST_WORD)]
    others = [n for n in range(len(names)) if n != focus]
    start = np.broadcast_to(before[focus], pulls.shape) if len(names) else pulls
    named = len(names) <= _MOST_WITH_NAMES
    data = [
        _arrows("moves", before[others], after[others], palette.LINES[3], 1.5, shown, others),
        _arrows("pulls", start[others], (start + pulls)[others], palette.KEY, 1.5, shown, others),
        _arrows("move", before[[focus]], after[[focus]], palette.QUERY, 3.5, shown, [focus]),
        {
            "type": "scatter",
            "mode": "markers+text" if named else "markers",
            "name": "words",
            "x": before[:, 0].tolist(),
            "y": before[:, 1].tolist(),
            "text": [f"<b>{word}</b>" if n == focus else word for n, word in enumerate(shown)],
            "textposition": _sides(before, focus),
            "cliponaxis": False,
            "customdata": shown,
            "hovertemplate": "%{customdata}: %{x:.3f}, %{y:.3f}<extra></extra>",
            "marker": {
                "size": 8,
                "color": [
                    palette.QUERY if n == focus else palette.LINES[3] for n in range(len(names))
                ],
            },
        },
    ]
    axis = {"fixedrange": True, "gridcolor": palette.GRID, "zerolinecolor": palette.GRID}
    x_range, y_range = _ranges(np.concatenate([before, after]))
    layout = {
        "height": HEIGHT,
        "margin": {"l": 50, "r": 12, "t": 12, "b": 46, "pad": 0},
        "font": {"size": _FONT},
        "xaxis": axis | {"title": {"text": axes[0]}, "range": x_range},
        "yaxis": axis | {"title": {"text": axes[1]}, "range": y_range, "scaleanchor": "x"},
    }
    return Figure(data, STILL | layout)


def _arrows(
    name: str,
    start: Array,
    end: Array,
    colour: str,
    width: float,
    words: Sequence[str],
    which: Sequence[int],
) -> dict:
    """One trace of many arrows: a line that is lifted between them, with tips at the ends."""
    x, y, said, sizes = [], [], [], []
    for n, (x0, y0), (x1, y1) in zip(which, start.tolist(), end.tolist(), strict=True):
        x += [x0, x1, None]
        y += [y0, y1, None]
        said += [words[n]] * 3
        sizes += [0, 6 + 2 * width, 0]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": x,
        "y": y,
        "customdata": said,
        "hovertemplate": "%{customdata}<extra></extra>",
        "line": {"color": colour, "width": width},
        "marker": {
            "symbol": "arrow",
            "angleref": "previous",
            "size": sizes,
            "color": colour,
            "opacity": 1,
            "line": {"width": 0},
        },
    }


def _sides(points: Array, focus: int) -> list[str]:
    """Where each point has its name: above it, unless a name near by is there already."""
    size = np.maximum(np.ptp(points, axis=0), 1e-12) if len(points) else np.ones(2)
    sides = ["top center"] * len(points)
    done: list[int] = []
    for n in sorted(range(len(points)), key=lambda n: n != focus):
        near = abs((points[done] - points[n]) / size) < (0.2, 0.08)
        taken = {sides[done[m]] for m in np.flatnonzero(near.all(axis=-1))}
        free = [s for s in ("top center", "bottom center", "middle left") if s not in taken]
        sides[n] = free[0] if free else "middle right"
        done.append(n)
    return sides


def _ranges(points: Array) -> tuple[list[float], list[float]]:
    """Room around all points, so that their names stay inside; never a range of nothing."""
    found = []
    for numbers in points.T:
        low, high = (numbers.min(), numbers.max()) if len(numbers) else (0.0, 0.0)
        room = 0.12 * (high - low) or 0.5
        found.append([float(low - room), float(high + room)])
    return found[0], found[1]
