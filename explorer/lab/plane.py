"""Where attention moves a word: its vector before and after, laid out in the plane.

The context vector is the word's own value plus, for every word, the weight times the way from the
own value to that word's value. So the pulls add up to the move, whatever the dimension.

Shapes: T words; C features; H heads; Dv features of a value in one head, C = H * Dv.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from explorer.attention import Array, join_heads
from explorer.trace import AttentionTrace


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Moves:
    """Every word's move, in the plane."""

    before: Array  # (T, 2) the values, which without projections are the embeddings
    after: Array  #  (T, 2) the context vectors
    pulls: Array  #  (T, 2) how far each word draws the query word
    kept: float  #   which share of the spread of all points the plane shows; 1 is all of it

    @property
    def exact(self) -> bool:
        """Whether the plane shows the features themselves, and leaves nothing out."""
        return self.kept == 1.0


def moves(t: AttentionTrace, query: int) -> Moves:
    """Lay out the words before and after attention, all heads together."""
    before, after = join_heads(t.v), t.joined
    # Head by head, because each has its own weights: (H, T, Dv).
    ways = t.v - t.v[:, [query]]
    pulls = join_heads(t.weights[:, query, :, None] * ways)
    centre, axes, kept = plane(np.concatenate([before, after]))
    return Moves(
        before=(before - centre) @ axes,
        after=(after - centre) @ axes,
        pulls=pulls @ axes,
        kept=kept,
    )


def plane(points: Array) -> tuple[Array, Array, float]:
    """A plane through points (N, C): its origin (C,), its axes (C, 2), the share it shows.

    With two features or fewer, the features themselves. Else the first two principal components,
    which show more of the spread than any other plane.
    """
    n_features = points.shape[1]
    if n_features <= 2:
        return np.zeros(n_features), np.eye(n_features, 2), 1.0
    centre = points.mean(axis=0)
    _, sizes, components = np.linalg.svd(points - centre, full_matrices=False)
    axes = np.zeros((n_features, 2))
    axes[:, : len(components[:2])] = components[:2].T
    # A component's sign is arbitrary: its largest number is made positive, so that the same
    # words lie on the same side every time.
    largest = np.abs(axes).argmax(axis=0)
    axes *= np.where(axes[largest, [0, 1]] < 0, -1.0, 1.0)
    total = float((sizes**2).sum())
    return centre, axes, float((sizes[:2] ** 2).sum()) / total if total else 1.0
