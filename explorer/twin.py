"""The same experiment by PyTorch, worked out from the settings and not from our steps.

PyTorch is handed the numbers a reader can see on the page (embeddings and projection matrices)
and the settings; it makes its own queries, keys, values, heads, scale and mask.
Needs torch; nothing imports this module before its result is shown.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from explorer.attention import Array
from explorer.positions import Pairs, Stretched
from explorer.settings import Mask, Scale, Settings
from explorer.trace import AttentionTrace


@dataclass(frozen=True, eq=False, slots=True)
class Twin:
    """What PyTorch makes of the same settings. Shapes as in `explorer.trace`."""

    weights: Array  #       (H, T, T)   by the three lines; NaN for a query that may see nobody
    context: Array  #       (H, T, Dv)  by the three lines; NaN likewise
    fused_context: Array | None
    """(H, T, Dv) by scaled_dot_product_attention; 0 there. None: it knows nothing but softmax."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The largest distance from our numbers, over the queries that may see somebody.

    Infinite where PyTorch and we do not agree which queries these are.
    """

    weights: float
    context: float
    fused_context: float | None


def run(t: AttentionTrace, settings: Settings) -> Twin:
    """Attend with PyTorch, in float64."""
    q, k, v = heads(t, settings)
    visible = may_see(settings, len(t.tokens))
    if settings.position == "rotary":
        q, k = turned(q, settings), turned(k, settings)
    scale = scale_of(settings, q.shape[-1]) / settings.temperature
    bias = distance_bias(settings, len(t.tokens)) / settings.temperature
    lines, fused = WAYS[settings.rule]
    given = q, k, v, scale, visible, bias
    weights, context = lines(*given)
    return Twin(weights.numpy(), context.numpy(), fused(*given).numpy() if fused else None)


def three_lines(
    q: Tensor, k: Tensor, v: Tensor, scale: float, visible: Tensor, bias: Tensor
) -> tuple[Tensor, Tensor]:
    """Attention as the formula says it."""
    scores = (q @ k.transpose(-2, -1) * scale + bias).masked_fill(~visible, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights, weights @ v


def by_total(
    q: Tensor, k: Tensor, v: Tensor, scale: float, visible: Tensor, bias: Tensor
) -> tuple[Tensor, Tensor]:
    """The same with plain division in the softmax's place."""
    scores = (q @ k.transpose(-2, -1) * scale + bias) * visible
    total = scores.sum(dim=-1, keepdim=True)
    weights = torch.where(total == 0, torch.nan, scores / total)
    return weights, weights @ v


def fused_line(
    q: Tensor, k: Tensor, v: Tensor, scale: float, visible: Tensor, bias: Tensor
) -> Tensor:
    """Attention by PyTorch's own function, which takes numbers to add as its mask."""
    mask = torch.where(visible, bias, -torch.inf)
    return scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale)


WAYS: dict[str, tuple[Callable[..., tuple[Tensor, Tensor]], Callable[..., Tensor] | None]] = {
    "softmax": (three_lines, fused_line),
    "total": (by_total, None),
}
"""How PyTorch attends by each rule: line by line, and by its own function where that knows it."""


def scale_of(settings: Settings, d_k: int) -> float:
    """1/sqrt(d_k) or 1, by way of PyTorch."""
    if settings.scale is Scale.RAW:
        return 1.0
    return torch.rsqrt(torch.tensor(d_k, dtype=torch.float64)).item()


def heads(t: AttentionTrace, settings: Settings) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values from the embeddings: (H, T, features of a head)."""
    x = torch.tensor(t.x) + added_positions(settings, *t.x.shape)

    def split(rows: Tensor) -> Tensor:
        return rows.unflatten(-1, (settings.n_heads, -1)).transpose(0, 1)

    if not settings.qkv:
        return split(x), split(x), split(x)
    q, k, v = (split(x @ torch.tensor(w)) for w in (t.w_q, t.w_k, t.w_v))
    return q, k, v


def added_positions(settings: Settings, n_tokens: int, n_features: int) -> Tensor:
    """Sinusoidal positions, feature by feature; 0 where none are added."""
    place = torch.arange(n_tokens, dtype=torch.float64)
    added = torch.zeros(n_tokens, n_features, dtype=torch.float64)
    for c in range(n_features):
        if settings.position == "sinusoidal":
            wave = place / 10_000 ** (2 * (c // 2) / n_features)
            added[:, c] = torch.cos(wave) if c % 2 else torch.sin(wave)
        elif settings.position == "halves" and c < n_features // 2 * 2:
            waves = n_features // 2
            wave = place / 10_000 ** (c % waves / max(waves - 1, 1))
            added[:, c] = torch.cos(wave) if c >= waves else torch.sin(wave)
    return added


def turned(x: Tensor, settings: Settings) -> Tensor:
    """Rotary positions as complex numbers: (H, T, D)."""
    n_tokens, n_features = x.shape[-2:]
    pairs = n_features // 2
    if not pairs:
        return x
    place = torch.arange(n_tokens, dtype=torch.float64)
    pair = torch.arange(pairs, dtype=torch.float64)
    base = torch.tensor(float(settings.base), dtype=torch.float64)
    if settings.stretched is Stretched.PLACES:
        place = place / settings.stretch
    elif n_features > 2:
        base = base * settings.stretch ** (n_features / (n_features - 2))
    angle = torch.outer(place, base ** (-2 * pair / n_features))
    two = x[..., : 2 * pairs]
    halves = settings.pairs is Pairs.HALVES
    points = (
        two.unflatten(-1, (2, pairs)).transpose(-1, -2) if halves else two.unflatten(-1, (pairs, 2))
    )
    points = torch.view_as_complex(points.contiguous())
    there = torch.view_as_real(points * torch.polar(torch.ones_like(angle), angle))
    there = (there.transpose(-1, -2) if halves else there).flatten(-2)
    return torch.cat([there, x[..., 2 * pairs :]], dim=-1)


def distance_bias(settings: Settings, n_tokens: int) -> Tensor:
    """ALiBi's penalty, (H, T, T); 0 without it."""
    bias = torch.zeros(settings.n_heads, n_tokens, n_tokens, dtype=torch.float64)
    if settings.position == "alibi":
        place = torch.arange(n_tokens)
        distance = (place[:, None] - place).abs()
        for h, slope in enumerate(slopes(settings.n_heads)):
            bias[h] = -slope * distance
    return bias


def slopes(n_heads: int) -> list[float]:
    """As the authors of ALiBi compute them."""

    def of_power(n: int) -> list[float]:
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start**h for h in range(n)]

    if math.log2(n_heads).is_integer():
        return of_power(n_heads)
    closest = 2 ** math.floor(math.log2(n_heads))
    return of_power(closest) + slopes(2 * closest)[0::2][: n_heads - closest]


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
    ours_too = ~np.isnan(t.weights).all(axis=(0, 2)) & ~t.sees_nobody
    agreed = np.array_equal(sees, ours_too)

    def largest(ours: Array, theirs: Array) -> float:
        if not agreed:
            return np.inf
        return float(np.nan_to_num(np.abs(ours[:, sees] - theirs[:, sees])).max(initial=0.0))

    return Difference(
        weights=largest(t.weights, twin.weights),
        context=largest(t.context, twin.context),
        fused_context=None
        if twin.fused_context is None
        else largest(t.context, twin.fused_context),
    )
