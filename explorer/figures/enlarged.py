"""A figure in another size: larger for the front of a class, narrower to stand beside another."""

from __future__ import annotations

from typing import Any

import numpy as np

from explorer import labels
from explorer.figures.figure import Figure

_FONT = 12
"""What Plotly writes in where nothing else is said."""


def enlarged(figure: Figure, factor: float) -> Figure:
    """A copy of a figure, its sizes in pixels and its letters `factor` times as large."""

    def larger(sizes: dict[str, Any], *names: str) -> dict[str, Any]:
        return sizes | {name: round(sizes[name] * factor) for name in names if sizes.get(name)}

    layout = larger(figure.layout, "width", "height")
    layout["margin"] = larger(layout["margin"], "l", "r", "t", "b")
    layout["font"] = larger({"size": _FONT} | layout.get("font", {}), "size")
    data = [
        trace | {"textfont": larger(trace["textfont"], "size")} if "textfont" in trace else trace
        for trace in figure.data
    ]
    return Figure(data, layout)


def narrowed(figure: Figure, most: int) -> Figure:
    """A heat map that is `most` pixels wide, or as much more as the digits in its cells need.

    Words above the columns stand upright where they are wider than their column then.
    """
    margin, axis = figure.layout["margin"], figure.layout["xaxis"]
    size, n_columns = figure.layout["font"]["size"], np.shape(figure.data[0]["z"])[1]
    digits = [word for row in figure.data[0].get("text", ()) for word in row]
    needed = size * max(map(labels.width, digits), default=0.0) + 6
    edge = margin["l"] + margin["r"]
    cell = max(needed, (most - edge) / max(n_columns, 1))
    width = round(edge + n_columns * cell)
    if width >= figure.layout["width"]:
        return figure
    longest = size * max(map(labels.width, axis["ticktext"]), default=0.0)
    top = margin["t"] if longest <= cell else max(margin["t"], round(longest) + 14)
    layout = figure.layout | {
        "width": width,
        "height": figure.layout["height"] + top - margin["t"],
        "margin": margin | {"t": top},
        "xaxis": axis | {"tickangle": 0 if longest <= cell else -90},
    }
    return Figure(figure.data, layout)
