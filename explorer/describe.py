"""Sentences computed from the numbers: what a chart shows, for those who cannot see it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from explorer import labels
from explorer.attention import Array, BoolArray

_LONGEST_WORD = 40


def pairs(
    name: str, numbers: Array, tokens: Sequence[str], visible: BoolArray | None, decimals: int
) -> str:
    """Describe a matrix with a row for each query and a column for each key."""
    seen = np.isfinite(numbers) if visible is None else np.isfinite(numbers) & visible
    parts = [f"{name}: {len(tokens)} by {len(tokens)}, a row for each query, a column for each key."]
    hidden = int((~seen).sum())
    if hidden:
        parts.append(f"{hidden} cells are hidden by the mask.")
    if seen.any():
        i, j = np.unravel_index(np.argmax(np.where(seen, numbers, -np.inf)), numbers.shape)
        parts.append(
            f"The largest, {labels.number(numbers[i, j], decimals)}, "
            f"is from {word(tokens, i)} to {word(tokens, j)}."
        )
    return " ".join(parts)


def vectors(name: str, numbers: Array, rows: Sequence[str], decimals: int) -> str:
    """Describe a matrix with a vector in each row."""
    n_rows, n_columns = numbers.shape
    parts = [f"{name}: {n_rows} rows of {n_columns} numbers."]
    if numbers.size:
        low, high = (labels.number(end, decimals) for end in (numbers.min(), numbers.max()))
        parts.append(f"They lie between {low} and {high}.")
        if n_rows <= 12 and n_columns <= 12:
            parts += [
                f"{labels.shown(name, _LONGEST_WORD)}: "
                f"{', '.join(labels.number(number, decimals) for number in row)}."
                for name, row in zip(rows, numbers, strict=True)
            ]
    return " ".join(parts)


def shares(weights: Array, tokens: Sequence[str]) -> str:
    """Say how one query's weights, (T,), are shared out, the largest first."""
    order = np.argsort(-weights, kind="stable")[:8]
    return ", ".join(f"{word(tokens, j)} {labels.percent(weights[j])}" for j in order)


def word(tokens: Sequence[str], i: int) -> str:
    """A word with its position, counted from 1, where the sentence has it more than once."""
    name = labels.shown(tokens[i], _LONGEST_WORD)
    return f"{name} (word {i + 1})" if tokens.count(tokens[i]) > 1 else name
