"""A query that may see nobody: what PyTorch's ways make of it.

PyTorch is imported where it is needed: it takes over a second and 200 MB.
Source: measured; PyTorch's own issues 103963 and 110213 tell the story.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.attention import Array, BoolArray


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Ways:
    """The context vectors of the same queries, keys and values: each (T, D)."""

    fused: Array  #      scaled_dot_product_attention
    module: Array  #     MultiheadAttention that returns its weights
    fast: Array  #       MultiheadAttention that does not
    by_hand: Array  #    softmax of -inf, and the weighted sum


def unseen(n_words: int, query: int) -> BoolArray:
    """Every query sees every key, but one query sees none: (T, T)."""
    visible = np.ones((n_words, n_words), dtype=bool)
    visible[query] = False
    return visible


def pytorch(x: Array, visible: BoolArray) -> Ways:
    """Attend in PyTorch's ways with Q = K = V = X, one head, scaled. x: (T, D)."""
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    given, seen = torch.tensor(x), torch.tensor(visible)
    module = _identity(x.shape[1])
    with torch.no_grad():
        # This one means "hidden" by True.
        slow, _ = module(given, given, given, attn_mask=~seen, need_weights=True)
        fast, _ = module(given, given, given, attn_mask=~seen, need_weights=False)
        scores = (given @ given.T / x.shape[1] ** 0.5).masked_fill(~seen, -torch.inf)
        return Ways(
            fused=scaled_dot_product_attention(given, given, given, attn_mask=seen).numpy(),
            module=slow.numpy(),
            fast=fast.numpy(),
            by_hand=(torch.softmax(scores, dim=-1) @ given).numpy(),
        )


def _identity(n_features: int) -> Callable[..., tuple[Any, Any]]:
    """PyTorch's own module with projections that change nothing."""
    import torch

    module = torch.nn.MultiheadAttention(n_features, 1, bias=False, dtype=torch.float64)
    with torch.no_grad():
        eye = torch.eye(n_features, dtype=torch.float64)
        module.in_proj_weight.copy_(eye.repeat(3, 1))
        module.out_proj.weight.copy_(eye)
    return module.eval()
