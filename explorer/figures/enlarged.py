"""A figure for the front of a class: everything larger by the same factor."""

from __future__ import annotations

from typing import Any

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
