"""Attention weights that somebody else computed: to look at, not to compute with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from explorer.attention import Array

_OFF = 1e-3  # a row that sums to 1 but for this has only been rounded


@dataclass(frozen=True, eq=False, slots=True)
class Ready:
    """The weights of every layer that a file has."""

    tokens: tuple[str, ...]
    layers: Array  # (layers, H, T, T)

    @property
    def weights(self) -> Array:
        """Those of the first layer: (H, T, T)."""
        return self.layers[0]

    def said(self, layer: int = 0) -> str:
        """Whether they are what attention weights should be."""
        weights = self.layers[layer]
        n_heads, n_tokens, _ = weights.shape
        sums = weights.sum(axis=-1, dtype=np.float64)
        off = np.argwhere(np.abs(sums - 1) > _OFF)
        negative = int((weights < 0).sum())
        parts = [f"{n_heads} {'head' if n_heads == 1 else 'heads'} of {n_tokens} by {n_tokens}."]
        if len(off):
            h, i = off[0]
            parts.append(
                f"{len(off)} of {sums.size} rows do not sum to 1; the first is row {i + 1} of head "
                f"{h + 1}, with {sums[h, i]:.3f}."
            )
        else:
            parts.append("Every row sums to 1.")
        if negative:
            parts.append(f"{negative} of the numbers are negative, which no share can be.")
        return " ".join(parts)


def are_shares(weights: Array) -> bool:
    """Whether numbers look like attention weights: square, and rows of shares of 1."""
    square = weights.ndim > 1 and weights.shape[-1] == weights.shape[-2]
    if not square or weights.dtype.kind not in "fiu":
        return False
    sums = weights.sum(axis=-1, dtype=np.float64)
    return bool((weights >= 0).all() and (np.abs(sums - 1) <= _OFF).all())
