"""Which keys each query may see. In every mask here, True means "may be seen".

PyTorch's `scaled_dot_product_attention` reads a boolean mask the same way round, while its
`MultiheadAttention` means "hidden" by True.

Shapes: T tokens; every mask is (T, T), a row for each query, a column for each key; where queries
and keys are different tokens, Tq of them and Tk, it is (Tq, Tk).
"""

from __future__ import annotations

import numpy as np

from explorer.attention import BoolArray


def everything(n_tokens: int) -> BoolArray:
    """Every query sees every key."""
    return np.ones((n_tokens, n_tokens), dtype=bool)


def causal(n_queries: int, n_keys: int | None = None, n_past: int = 0) -> BoolArray:
    """Each word sees itself and the words before it, as a model that writes from left to right.

    n_keys: None means one for each query.
    n_past: how many keys come before the first query's own, so that query i is key n_past + i.
    With 0 the triangle starts in the top left corner; n_keys - n_queries makes the queries the
    last of the keys, and the triangle ends in the bottom right corner.
    Source: Vaswani et al. (2017), section 3.2.3.
    """
    return np.tri(n_queries, n_keys, n_past, dtype=bool)


def window(n_tokens: int, radius: int) -> BoolArray:
    """Each word sees itself and `radius` words on each side."""
    position = np.arange(n_tokens)
    return abs(position[:, None] - position) <= radius


def padding(n_tokens: int, pad: int) -> BoolArray:
    """Nobody sees the last `pad` tokens; they are filler and only make the sentence longer.

    Only their columns are hidden. Their rows stay: filler still asks, but nobody uses the answer.
    """
    real = np.arange(n_tokens) < n_tokens - pad
    return np.broadcast_to(real, (n_tokens, n_tokens)).copy()
