"""The same attention written three times: as on paper, as in a textbook, as in a library.

Each takes one head's q, k and v, (T, D), (T, D), (T, Dv), the scale, the mask, (T, T), True where
the query may see the key, and what is added to the scaled scores, (T, T), mostly 0. It returns the
context vectors, (T, Dv).
"""

from __future__ import annotations

import math

import numpy as np

from explorer.attention import Array, BoolArray, hide, mix, score, softmax


def word_by_word(
    q: Array, k: Array, v: Array, scale: float, visible: BoolArray, bias: Array
) -> Array:
    """One query after the other, with loops and plain numbers. Words count from 0 here."""
    context = []
    for i in range(len(q)):
        seen = [j for j in range(len(k)) if visible[i][j]]
        scores = [
            scale * sum(a * b for a, b in zip(q[i], k[j], strict=True)) + bias[i][j] for j in seen
        ]
        top = max(scores, default=0.0)
        powers = [math.exp(score - top) for score in scores]
        weights = [power / sum(powers) for power in powers]
        context.append(
            [
                sum(weight * v[j][c] for weight, j in zip(weights, seen, strict=True))
                for c in range(v.shape[1])
            ]
        )
    return np.array(context, dtype=float).reshape(len(q), v.shape[1])


def step_by_step(
    q: Array, k: Array, v: Array, scale: float, visible: BoolArray, bias: Array
) -> Array:
    """All queries at once, a line for each step."""
    scores = score(q, k)
    scaled = scores * scale
    masked = hide(scaled + bias, visible)
    weights = softmax(masked)
    return mix(weights, v, visible)


def in_one_line(
    q: Array, k: Array, v: Array, scale: float, visible: BoolArray, bias: Array
) -> Array:
    """The formula as it stands in the paper."""
    return softmax(hide(q @ k.T * scale + bias, visible)) @ v
