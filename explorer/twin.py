"""The same experiment by PyTorch, worked out from the settings and not from our steps.

PyTorch is handed the numbers a reader can see on the page (embeddings and projection matrices)
and the settings; it makes its own queries, keys, values, heads, scale and mask.
Needs torch; nothing imports this module before its result is shown.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from explorer.attention import Array
from explorer.settings import Mask, Scale, Settings
from explorer.trace import AttentionTrace


@dataclass(frozen=True, eq=False, slots=True)
class Twin:
    """What PyTorch makes of the same settings. Shapes as in `explorer.trace`."""

    weights: Array  #       (H, T, T)   by the three lines; NaN for a query that may see nobody
    context: Array  #       (H, T, Dv)  by the three lines; NaN likewise
    fused_context: Array  # (H, T, Dv)  by scaled_dot_product_attention; 0 there


@dataclass(frozen=True, slots=True)
class Difference:
    """The largest distance from our numbers, over the queries that may see somebody.

    Infinite where PyTorch and we do not agree which queries these are.
    """

    weights: float
    context: float
    fused_context: float


def run(t: AttentionTrace, settings: Settings) -> Twin:
    """Attend with PyTorch, in float64."""
    q, k, v = heads(t, settings)
    visible = may_see(settings, len(t.tokens))
    weights, context = three_lines(q, k, v, scale_of(settings, q.shape[-1]), visible)
    fused = fused_line(q, k, v, settings, visible)
    return Twin(weights.numpy(), context.numpy(), fused.numpy())


def three_lines(
    q: Tensor, k: Tensor, v: Tensor, scale: float, visible: Tensor
) -> tuple[Tensor, Tensor]:
    """Attention as the formula says it."""
    scores = (q @ k.transpose(-2, -1) * scale).masked_fill(~visible, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights, weights @ v


def fused_line(q: Tensor, k: Tensor, v: Tensor, settings: Settings, visible: Tensor) -> Tensor:
    """Attention by PyTorch's own function. Its mask, too, means "may be seen" by True."""
    scale = None if settings.scale is Scale.SQRT_D_K else 1.0  # None: PyTorch's 1/sqrt(d_k)
    return scaled_dot_product_attention(q, k, v, attn_mask=visible, scale=scale)


def scale_of(settings: Settings, d_k: int) -> float:
    """1/sqrt(d_k) or 1, by way of PyTorch."""
    return (
        torch.rsqrt(torch.tensor(d_k, dtype=torch.float64)).item()
        if (settings.scale is Scale.SQRT_D_K)
        else 1.0
    )


def heads(t: AttentionTrace, settings: Settings) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values from the embeddings: (H, T, features of a head)."""
    x = torch.tensor(t.x)

    def split(rows: Tensor) -> Tensor:
        return rows.unflatten(-1, (settings.n_heads, -1)).transpose(0, 1)

    if not settings.qkv:
        return split(x), split(x), split(x)
    return tuple(split(x @ torch.tensor(w)) for w in (t.w_q, t.w_k, t.w_v))


def may_see(settings: Settings, n_tokens: int) -> Tensor:
    """(T, T), True where the query may see the key."""
    visible = torch.ones(n_tokens, n_tokens, dtype=torch.bool)
    if Mask.CAUSAL in settings.mask:
        visible = visible.tril()
    if Mask.WINDOW in settings.mask:
        visible = visible.triu(-settings.radius) & visible.tril(settings.radius)
    if Mask.PADDING in settings.mask:
        visible = visible.clone()
        visible[:, max(0, n_tokens - settings.pad) :] = False
    if Mask.CUSTOM in settings.mask and settings.custom is not None:
        visible = visible & torch.tensor(settings.custom, dtype=torch.bool).reshape(visible.shape)
    return visible


def difference(t: AttentionTrace, twin: Twin) -> Difference:
    """How far PyTorch's numbers are from ours, at the most."""
    # By PyTorch's own mask, not by ours: its softmax over nothing is NaN.
    sees = ~np.isnan(twin.weights).all(axis=(0, 2))
    agreed = np.array_equal(sees, ~t.sees_nobody)

    def largest(ours: Array, theirs: Array) -> float:
        if not agreed:
            return np.inf
        return float(np.abs(ours[:, sees] - theirs[:, sees]).max(initial=0.0))

    return Difference(
        weights=largest(t.weights, twin.weights),
        context=largest(t.context, twin.context),
        fused_context=largest(t.context, twin.fused_context),
    )
