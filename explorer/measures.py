"""What can be said of weights in one number."""

from __future__ import annotations

import numpy as np

from explorer.attention import Array


def entropy_bits(weights: Array) -> Array:
    """How spread each row of weights is: 0 for one key, log2(T) for T keys alike.

    weights: (..., T, T). Returns (..., T), in bits; NaN for a row that sees nobody.
    """
    logs = np.log2(weights, out=np.zeros_like(weights), where=weights > 0)
    # 0.0 - x, not -x: a row with one weight of 1 has the entropy 0, not -0.
    entropy = 0.0 - (weights * logs).sum(axis=-1)
    return np.where(weights.sum(axis=-1) > 0, entropy, np.nan)
