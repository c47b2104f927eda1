"""What every function here returns: a figure in Plotly's terms, as plain data."""

from __future__ import annotations

import json
import math
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from explorer.attention import Array
from explorer.figures import palette

STILL = {"showlegend": False, "dragmode": False, "hovermode": "closest"}
"""Of a layout. A finger on the chart scrolls the page, not the chart."""


@dataclass(frozen=True, eq=False, slots=True)
class Figure:
    """Traces and a layout, named as Plotly names them. Nobody has checked them yet.

    To check takes longer than all else in a run. So the tests let Plotly check each kind of figure,
    and so does whoever needs one of Plotly's own.
    """

    data: list[dict[str, Any]]
    layout: dict[str, Any]

    @property
    def width(self) -> int | Literal["stretch"]:
        """In pixels; "stretch" is as wide as there is room."""
        return self.layout.get("width", "stretch")

    @property
    def height(self) -> int:
        """In pixels."""
        return self.layout["height"]

    def widened(self, width: int) -> Figure:
        """The same figure in another width."""
        return replace(self, layout=self.layout | {"width": width})

    def to_json(self) -> str:
        """The figure as Plotly reads it in a browser; what is no number is null."""
        figure = {"data": self.data, "layout": self.layout}
        try:
            return _json(figure)
        except ValueError:  # JSON has no word for NaN or infinity
            return _json(_without_nan(figure))


def _json(figure: object) -> str:
    return json.dumps(figure, default=_packed, allow_nan=False, separators=(",", ":"))


def _packed(array: np.ndarray) -> dict[str, str]:
    """An array in Plotly's own short form, which keeps NaN."""
    array = np.asarray(array, dtype="<f4")
    shape = ", ".join(map(str, array.shape))
    return {"dtype": "f4", "bdata": b64encode(array.tobytes()).decode(), "shape": shape}


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nan(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_without_nan(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def ticks(at: Sequence[float], names: Iterable[object]) -> dict[str, Any]:
    """Of an axis: its ticks, and what is written at each."""
    return {"tickmode": "array", "tickvals": list(at), "ticktext": list(map(str, names))}


def text(x: Sequence[float], y: Sequence[float], words: Sequence[str], size: int) -> dict[str, Any]:
    """A trace of words without markers: even unseen ones take as long to draw as the words."""
    return {
        "type": "scatter",
        "mode": "text",
        "x": list(x),
        "y": list(y),
        "text": list(words),
        "textfont": {"size": size},
        "hoverinfo": "skip",
    }


def weights_map(grid: Array) -> dict[str, Any]:
    """A trace of weights on one colour scale from 0, NaN left out, that says nothing itself."""
    return {
        "type": "heatmap",
        "z": grid,
        "zmin": 0.0,
        "zmax": float(np.nanmax(grid, initial=0.0)) or 1.0,
        "colorscale": palette.WEIGHTS,
        "showscale": False,
        "hoverinfo": "none",
    }
