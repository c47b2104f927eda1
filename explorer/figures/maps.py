"""The weights of all layers and heads as small maps, in one heat map: a row for each layer."""

from __future__ import annotations

import numpy as np

from explorer.attention import Array
from explorer.figures.figure import Figure, ticks, weights_map

_MOST_CELLS = 60_000
"""Of all maps together; beyond, each dot of a map is the largest of several weights."""
_LEAST_SIDE = 8
_SIDE = 76  # pixels of a map
_LEFT = 54  # room for the names of the layers
_TOP = 20


def maps(weights: Array) -> Figure:
    """Draw (L, H, T, T) weights on one colour scale from 0, a row for each layer.

    `map_at` tells whose a cell is, `outline` where a map lies.
    """
    n_layers, n_heads, n_tokens, _ = weights.shape
    side = side_of(n_layers, n_heads, n_tokens)
    small = _largest_of_blocks(weights, side)
    pitch = _pitch(side)
    grid = np.full((n_layers * pitch, n_heads * pitch), np.nan, dtype=np.float32)
    for layer in range(n_layers):
        for head in range(n_heads):
            (top, bottom), (left, right) = outline(layer, head, side)
            grid[top : bottom + 1, left : right + 1] = small[layer, head]
    cell = _SIDE / side
    middles = (side - 1) / 2 + np.arange(max(n_layers, n_heads)) * pitch
    axis = {"showgrid": False, "zeroline": False, "fixedrange": True}
    heads, layers = (
        ticks(middles[:count].tolist(), (f"{name} {n + 1}" for n in range(count)))
        for name, count in (("head", n_heads), ("layer", n_layers))
    )
    layout = {
        "width": round(grid.shape[1] * cell) + _LEFT + 4,
        "height": round(grid.shape[0] * cell) + _TOP + 4,
        "margin": {"l": _LEFT, "r": 4, "t": _TOP, "b": 4, "pad": 0},
        "dragmode": False,
        "font": {"size": 12},
        "xaxis": axis
        | heads
        | {"side": "top", "tickangle": 0, "range": [-0.5, grid.shape[1] - 0.5]},
        "yaxis": axis | layers | {"range": [grid.shape[0] - 0.5, -0.5]},
    }
    return Figure([weights_map(grid)], layout)


def side_of(n_layers: int, n_heads: int, n_tokens: int) -> int:
    """How many cells a map has across: one for each token, or fewer where there are many."""
    most = int((_MOST_CELLS / (n_layers * n_heads)) ** 0.5)
    return min(n_tokens, max(most, _LEAST_SIDE))


def map_at(row: int, column: int, n_layers: int, n_heads: int, side: int) -> tuple[int, int] | None:
    """The layer and head whose map a cell is in, or None beside the maps."""
    layer, head = row // _pitch(side), column // _pitch(side)
    return (layer, head) if 0 <= layer < n_layers and 0 <= head < n_heads else None


def outline(layer: int, head: int, side: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """The rows and columns of one map, first and last."""
    top, left = layer * _pitch(side), head * _pitch(side)
    return (top, top + side - 1), (left, left + side - 1)


def _pitch(side: int) -> int:
    """Cells from one map to the next."""
    return side + max(round(side * 8 / _SIDE), 1)


def _largest_of_blocks(weights: Array, side: int) -> Array:
    """(L, H, T, T) to (L, H, side, side), each the largest of its block: no spike is lost."""
    n_tokens = weights.shape[-1]
    if side == n_tokens:
        return weights
    edges = np.arange(side) * n_tokens // side
    return np.maximum.reduceat(np.maximum.reduceat(weights, edges, axis=-1), edges, axis=-2)
