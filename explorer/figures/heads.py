"""The weights of all heads as small maps beside each other, in one heat map."""

from __future__ import annotations

import numpy as np

from explorer.attention import Array, BoolArray
from explorer.figures.figure import Figure, weights_map
from explorer.figures.matrix import hidden_cells

MOST_CELLS = 300_000
"""Beyond this many cells a drawing of all heads takes the browser too long."""
_SIDE = 104  # pixels of a small map
_TITLE = 18
_ACROSS = 8


def heads(weights: Array, visible: BoolArray) -> Figure:
    """Draw the weights of every head, (H, T, T), all on one colour scale from 0.

    The maps lie on one grid of cells; `head_at` tells whose a cell is.
    """
    n_heads, n_tokens, _ = weights.shape
    across = min(n_heads, _ACROSS)
    down = -(-n_heads // across)
    pitch_x, pitch_y = _pitch(n_tokens)
    grid = np.full((down * pitch_y, across * pitch_x), np.nan, dtype=np.float32)
    hidden = np.zeros(grid.shape, dtype=bool)
    title = {"xanchor": "left", "yanchor": "bottom", "showarrow": False}
    titles = []
    for h in range(n_heads):
        (top, bottom), (left, right) = outline(h, n_heads, n_tokens)
        here = (slice(top, bottom + 1), slice(left, right + 1))
        grid[here] = np.where(visible, weights[h], np.nan)
        hidden[here] = ~visible
        titles.append(title | {"x": left - 0.5, "y": top - 0.5, "text": f"head {h + 1}"})
    cell = _SIDE / n_tokens
    axis = {"visible": False, "fixedrange": True}
    shading = [hidden_cells(hidden) | {"hoverinfo": "none"}] if hidden.any() else []
    layout = {
        "width": max(round(grid.shape[1] * cell) + 8, 170),
        "height": round(grid.shape[0] * cell) + 8,
        "margin": {"l": 4, "r": 4, "t": 4, "b": 4, "pad": 0},
        "dragmode": False,
        "font": {"size": 12},
        "annotations": titles,
        "xaxis": axis | {"range": [-0.5, max(grid.shape[1], 162 / cell) - 0.5]},
        "yaxis": axis | {"range": [grid.shape[0] - 0.5, -0.5]},
    }
    return Figure([weights_map(grid), *shading], layout)


def head_at(row: int, column: int, n_heads: int, n_tokens: int) -> int | None:
    """Whose cell it is, or None where there is no map."""
    across = min(n_heads, _ACROSS)
    pitch_x, pitch_y = _pitch(n_tokens)
    head = (row // pitch_y) * across + column // pitch_x
    return head if column // pitch_x < across and head < n_heads else None


def outline(head: int, n_heads: int, n_tokens: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """The rows and columns of one head's map, first and last."""
    across = min(n_heads, _ACROSS)
    pitch_x, pitch_y = _pitch(n_tokens)
    top = (head // across) * pitch_y + pitch_y - n_tokens
    left = (head % across) * pitch_x
    return (top, top + n_tokens - 1), (left, left + n_tokens - 1)


def _pitch(n_tokens: int) -> tuple[int, int]:
    """Cells from one map to the next, to the right and down, where the title stands."""
    right, down = (max(round(room * (n_tokens / _SIDE)), 1) for room in (10, _TITLE))
    return n_tokens + right, n_tokens + down
