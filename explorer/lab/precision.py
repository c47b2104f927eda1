"""The same attention in short and in long floats: where digits and rows begin to differ.

PyTorch is imported where it is needed: NumPy has no bfloat16, and PyTorch takes over a second.

Shapes: T words; D features of a query or key.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from explorer.attention import Array, BoolArray


class Float(StrEnum):
    """A type of float, from the coarsest to the finest."""

    BFLOAT16 = "bfloat16"
    FLOAT16 = "float16"
    FLOAT32 = "float32"
    FLOAT64 = "float64"


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Precise:
    """Attention in one type of float, held against float64."""

    weights: Array  #      (T, T) as float64
    difference: Array  #   (T, T) from float64; NaN where there is no number
    other_winners: int  #  rows whose largest weight is on another word
    other_digits: int  #   cells that show another number at so many decimals
    no_numbers: int  #     rows with NaN
    off: float  #          the largest distance of a row's sum from 1; NaN where no row has one
    eps: float  #          distance from 1 to the next number
    most: float  #         the largest number


def compare(
    q: Array, k: Array, scale: float, visible: BoolArray, decimals: int
) -> dict[Float, Precise]:
    """Attend in every type of float. q, k: (T, D); visible: (T, T)."""
    import torch

    found = {name: weights(q, k, scale, visible, name) for name in Float}
    exact = found[Float.FLOAT64]
    sees = visible.any(axis=-1)
    compared = {}
    for name, ours in found.items():
        info = torch.finfo(getattr(torch, name))
        numbers = ~np.isnan(ours).any(axis=-1)
        sums = ours[sees & numbers].sum(axis=-1)
        shown = [np.round(np.nan_to_num(side, nan=-1), decimals) for side in (ours, exact)]
        compared[name] = Precise(
            weights=ours,
            difference=ours - exact,
            other_winners=_other_winners(ours[sees & numbers], exact[sees & numbers]),
            other_digits=int((shown[0] != shown[1]).sum()),
            no_numbers=int((~numbers).sum()),
            off=float(abs(sums - 1).max()) if len(sums) else np.nan,
            eps=float(info.eps),
            most=float(info.max),
        )
    return compared


def weights(q: Array, k: Array, scale: float, visible: BoolArray, name: Float) -> Array:
    """Every step in one type of float: (T, T). A query that sees nobody has weights 0."""
    import torch

    dtype = getattr(torch, name)
    q_, k_ = (torch.tensor(side).to(dtype) for side in (q, k))
    seen = torch.tensor(visible)
    scores = (q_ @ k_.T * scale).masked_fill(~seen, -torch.inf)
    found = torch.softmax(scores, dim=-1).to(torch.float64).numpy()
    return np.where(visible.any(axis=-1, keepdims=True), found, 0.0)


def _other_winners(ours: Array, exact: Array) -> int:
    """Rows whose largest weight falls on a word that has less in float64.

    Several words may share the largest weight after rounding; if the right one is among them, the
    row counts only where there is more than one, because then nobody can tell.
    """
    if not ours.size:
        return 0
    winners = ours == ours.max(axis=-1, keepdims=True)
    right = exact == exact.max(axis=-1, keepdims=True)
    return int((winners != right).any(axis=-1).sum())
