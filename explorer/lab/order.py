"""Does the order of the words matter? Without positions it moves no weight.

Sums here are rounded once, at their end (`math.fsum`), and everything else is done number by
number. So a sum is the same to the last bit in whichever order its terms come, and "does not
matter" is an exact 0 that no rounding can blur.

Shapes: T words; C features of a word; D features of a query or key.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from explorer.attention import Array
from explorer.positions import sinusoidal


class Order(StrEnum):
    """In which other order the words are put."""

    REVERSED = "reversed"
    SWAPPED = "swapped"  #   two words change places
    SHUFFLED = "shuffled"


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Reordered:
    """The weights in the words' own order and in another one. All (T, T)."""

    before: Array
    after: Array  #     rows and columns in the new order
    put_back: Array  #  the same, its rows and columns in the words' own order again

    @property
    def change(self) -> Array:
        """What the order did to the weight between each two words."""
        return self.put_back - self.before

    @property
    def largest_change(self) -> float:
        """The largest of all changes; 0 says that order did nothing at all."""
        return float(np.abs(self.change).max(initial=0.0))


def places(order: Order, n_words: int, first: int, second: int, seed: int) -> tuple[int, ...]:
    """Which word stands at each place of the new order, from 0.

    first and second are the two that change places; the seed shuffles.
    """
    if order is Order.SHUFFLED:
        return tuple(np.random.default_rng(seed).permutation(n_words).tolist())
    there = list(range(n_words))
    if order is Order.SWAPPED:
        there[first], there[second] = second, first
    else:
        there.reverse()
    return tuple(there)


def reorder(
    x: Array,
    there: tuple[int, ...],
    w_q: Array | None,
    w_k: Array | None,
    factor: float,
    with_positions: bool,
) -> Reordered:
    """Attend in both orders, with or without sinusoidal positions added to the embeddings.

    x: (T, C); w_q and w_k: (C, D), or None where the embeddings are the queries and keys; factor:
    what the scores are multiplied by.
    """
    waves = sinusoidal(*x.shape) if with_positions else np.zeros_like(x)
    chosen = np.array(there, dtype=int)
    before = weights(x + waves, w_q, w_k, factor)
    after = weights(x[chosen] + waves, w_q, w_k, factor)
    back = np.argsort(chosen)
    return Reordered(before=before, after=after, put_back=after[np.ix_(back, back)])


def weights(x: Array, w_q: Array | None, w_k: Array | None, factor: float) -> Array:
    """Softmax of the scores, (T, T), every sum rounded only once."""
    q, k = (x if w is None else dots(x, w.T) for w in (w_q, w_k))
    rows = []
    for scores in dots(q, k) * factor:
        top = scores.max()
        powers = [math.exp(score - top) for score in scores]
        total = math.fsum(powers)
        rows.append([power / total for power in powers])
    return np.array(rows).reshape(len(x), len(x))


def dots(left: Array, right: Array) -> Array:
    """The dot product of each row of `left`, (T, D), with each row of `right`, (U, D): (T, U)."""
    sums = [[math.fsum((a * b).tolist()) for b in right] for a in left]
    return np.array(sums).reshape(len(left), len(right))
