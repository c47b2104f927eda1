"""Does a word's own word win? A score is a length times a length times a cosine.

Shapes: T words; D features of a query or key.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from explorer.attention import Array, BoolArray, attend, score

LENGTHS = range(10, 401)
"""How long a word can be made, in percent of its own length."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Words:
    """What decides who wins, word by word."""

    length: Array  #   (T,) of the key
    cosine: Array  #   (T, T) between query i and key j; 0 where one has no length
    own: Array  #      (T,) weight that a word gives to itself
    received: Array  # (T,) weight that the other words give to it, on average
    wins: BoolArray  # (T,) True where no other word gets more of a word's attention than itself


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Stretched:
    """One word made longer or shorter, all else left alone. All (n,) over the factors."""

    factors: Array
    own: Array  #      its weight on itself
    received: Array  # what the others give to it, on average


def measure(q: Array, k: Array, scale: float, visible: BoolArray) -> Words:
    """Lengths, cosines and weights of one head. q, k: (T, D); visible: (T, T)."""
    weights = attend(q, k, k, scale=scale, visible=visible).weights
    own = np.diagonal(weights).copy()
    return Words(
        length=np.linalg.norm(k, axis=-1),
        cosine=cosines(q, k),
        own=own,
        received=_from_others(weights),
        wins=own >= weights.max(axis=-1, initial=0.0),
    )


def stretch(
    q: Array, k: Array, scale: float, visible: BoolArray, word: int, factors: Array
) -> Stretched:
    """Multiply one word's query and key by each factor, and attend."""
    own, received = [], []
    for factor in factors:
        times = np.ones((len(q), 1))
        times[word] = factor
        weights = attend(q * times, k * times, k, scale=scale, visible=visible).weights
        own.append(weights[word, word])
        received.append(_from_others(weights)[word])
    return Stretched(factors=factors, own=np.array(own), received=np.array(received))


def cosines(q: Array, k: Array) -> Array:
    """The cosine of the angle between each query and each key: (T, T)."""
    sizes = np.linalg.norm(q, axis=-1)[:, None] * np.linalg.norm(k, axis=-1)
    return np.divide(score(q, k), sizes, out=np.zeros_like(sizes), where=sizes > 0)


def _from_others(weights: Array) -> Array:
    """(T,) the mean of each column without the diagonal; 0 for a single word."""
    others = len(weights) - 1
    return (weights.sum(axis=0) - np.diagonal(weights)) / max(others, 1)
