"""Rotary positions: the same distance gives the same score, in both layouts but not in their mix.

Shapes: D features of a query or key, an even number of them.
Sources: "RoFormer" and GPT-NeoX as in `explorer.positions`; the order of columns is that by which
Meta's checkpoints of Llama are converted for Hugging Face's library.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from explorer.attention import Array, score
from explorer.positions import Pairs, Turning, rotary

Way = Callable[[Array, int, Turning], Array]
"""Turns one vector, (D,), as it stands at a place."""


def by_neighbours(x: Array, place: int, turning: Turning) -> Array:
    """Features 1 and 2 turn together, 3 and 4, and so on: (D,)."""
    return rotary(x[None], replace(turning, pairs=Pairs.NEIGHBOURS), place)[0]


def by_halves(x: Array, place: int, turning: Turning) -> Array:
    """Each feature of the first half turns with the same one of the second: (D,)."""
    return rotary(x[None], replace(turning, pairs=Pairs.HALVES), place)[0]


def mixed(x: Array, place: int, turning: Turning) -> Array:
    """The usual mistake: angles laid out for neighbours, partners taken from the halves: (D,)."""
    half = len(x) // 2
    angle = np.repeat(turning.angles(1, 2 * half, place)[0], 2)
    partner = np.concatenate([-x[half:], x[:half]])
    return x * np.cos(angle) + partner * np.sin(angle)


WAYS: dict[str, Way] = {"neighbours": by_neighbours, "halves": by_halves, "mixed": mixed}


def scores(
    q: Array, k: Array, away: int, places: Sequence[int], turn: Way, turning: Turning
) -> Array:
    """The score of a query with a key that stands `away` words before it, at each place.

    places: where the key stands. Returns (len(places),).
    """
    return np.array(
        [
            score(turn(q, place + away, turning)[None], turn(k, place, turning)[None])[0, 0]
            for place in places
        ]
    )


def columns_for_halves(n_features: int, n_heads: int = 1) -> list[int]:
    """The order of the columns of W_Q and W_K that gives halves the scores of neighbours.

    n_features: of all heads together; the columns of each head stay its own.
    """
    width = n_features // n_heads
    even = width // 2 * 2
    own = [*range(0, even, 2), *range(1, even, 2), *range(even, width)]
    return [head * width + column for head in range(n_heads) for column in own]
