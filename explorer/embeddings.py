"""Numbers that are made up, but always the same: vectors for words, and projection matrices.

They stand in for what a trained model has learned. Each comes out of a hash of what it belongs to,
so that a link shows the same digits in every process, on every machine, for ever; a random number
generator of a library makes no such promise. All are uniform on [-1, 1] in steps of 0.01: two
decimals, so that the digits shown are the digits used.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from explorer.attention import Array
from explorer.tokens import same_word


def generated(tokens: Sequence[str], d_model: int, seed: int) -> Array:
    """Give every word its vector: (T, d_model).

    A word has the same vector wherever it stands, however it is capitalised and whichever way
    its accents are encoded.
    """
    rows = [_two_decimals(d_model, "word", same_word(token), d_model, seed) for token in tokens]
    return np.array(rows).reshape(len(rows), d_model)


def projections(
    d_model: int, d_queries: int, d_values: int, seed: int
) -> tuple[Array, Array, Array]:
    """Draw the matrices W_Q, W_K and W_V.

    W_Q and W_K: (d_model, d_queries); W_V: (d_model, d_values), where d_queries and d_values count
    the features of all heads together.

    Drawing order: one sequence of numbers for each (d_model, seed), dealt out to W_Q, then W_K,
    then W_V, each row by row.
    """
    ends = np.cumsum([d_model * d_queries, d_model * d_queries, d_model * d_values])
    numbers = _two_decimals(int(ends[-1]), "projections", d_model, seed)
    w_q, w_k, w_v = np.split(numbers, ends[:-1])
    return (
        w_q.reshape(d_model, d_queries),
        w_k.reshape(d_model, d_queries),
        w_v.reshape(d_model, d_values),
    )


def _two_decimals(count: int, *belongs_to: str | int) -> Array:
    """Numbers from -1.00 to 1.00 that depend on nothing but what they belong to."""
    # Lone surrogates cannot be typed, but a forged message may hold them.
    name = "\x1f".join(map(str, belongs_to)).encode("utf-8", "surrogatepass")
    digits = np.frombuffer(hashlib.shake_256(name).digest(8 * count), dtype="<u8")
    # 201 steps into 2**64: the first steps are likelier than the last by less than 1e-17.
    # Whole hundredths, divided once: the float nearest to the two decimals that are shown.
    return ((digits % 201).astype(np.float64) - 100) / 100
