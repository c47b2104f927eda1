"""Sentences computed from the numbers: what a chart shows, for those who cannot see it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from explorer import labels
from explorer.attention import Array, BoolArray
from explorer.measures import entropy_bits
from explorer.trace import AttentionTrace

_LONGEST_WORD = 40
_NO_NUMBERS = "Some weights are no numbers here, because the total of their row is 0."


def pairs(
    name: str, numbers: Array, tokens: Sequence[str], visible: BoolArray | None, decimals: int
) -> str:
    """Describe a matrix with a row for each query and a column for each key."""
    seen = np.isfinite(numbers) if visible is None else np.isfinite(numbers) & visible
    parts = [
        f"{name}: {len(tokens)} by {len(tokens)}, a row for each query, a column for each key."
    ]
    hidden = int((~seen).sum())
    if hidden:
        parts.append(f"{hidden} {'cell is' if hidden == 1 else 'cells are'} hidden by the mask.")
    if seen.any():
        largest = np.argmax(np.where(seen, numbers, -np.inf))
        i, j = map(int, np.unravel_index(largest, numbers.shape))
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


def arrows(
    weights: Array, tokens: Sequence[str], focus: int | None, to_key: bool
) -> tuple[list[str], str]:
    """Say what the arrow graph shows: a sentence for each word, and one for the whole.

    weights: (T,) what is written under the words: the focus word's weights, or with `to_key` the
    weights that all words give to it, or without a focus what each word gets on average.
    """
    names = [word(tokens, n) for n in range(len(tokens))]
    given = shares(weights, tokens)
    if focus is None:
        each = "{name} gets {share} of a word’s attention on average"
        whole = "Arrows between all words. On average each gets: {given}."
    elif to_key:
        each = "{name} gives {share} of its attention to {focus}"
        whole = "Arrows from each word to {focus}: {given}."
    else:
        each = "{focus} gives {share} of its attention to {name}"
        whole = "Arrows from {focus} to each word it attends to: {given}."
    middle = "" if focus is None else names[focus]
    said = [
        each.format(name=name, share=labels.percent(weight), focus=middle)
        for name, weight in zip(names, weights, strict=True)
    ]
    return said, whole.format(focus=middle, given=given)


def scaling(raw: AttentionTrace, scaled: AttentionTrace, head: int | None, qkv: bool) -> str:
    """Say what scaling did to this experiment, over the queries that may see somebody."""
    sees = ~raw.sees_nobody
    if not sees.any():
        return "No word may see any other, so scaling changes nothing."
    before, after = (side.weights_of(head)[sees] for side in (raw, scaled))
    if not (np.isfinite(before).all() and np.isfinite(after).all()):
        return _NO_NUMBERS
    top_before, top_after = before.max(axis=-1).mean(), after.max(axis=-1).mean()
    bits_before, bits_after = entropy_bits(before).mean(), entropy_bits(after).mean()
    turned = (
        "stayed as it was"
        if np.isclose(bits_before, bits_after, atol=5e-4)
        else ("became more even" if bits_after > bits_before else "became more uneven")
    )
    said = (
        f"With scaling, attention {turned}: on average a word’s largest weight is "
        f"{labels.percent(top_after)} instead of {labels.percent(top_before)}, and the entropy "
        f"{bits_after:.2f} bits instead of {bits_before:.2f}."
    )
    if not qkv:
        said += (
            " Here a word is compared with itself, and that score grows faster than √d, so scaling "
            "helps less."
        )
    return said


def compared(a: Array, b: Array, before: AttentionTrace, now: AttentionTrace) -> str:
    """Say how the weights of two states differ: on average, and where most.

    a, b: (T, T) weights of the one and of the other.
    """
    kept = [w[~t.sees_nobody] for w, t in ((a, before), (b, now))]
    if not all(len(w) for w in kept):
        return "In one of the two no word may see any other."
    if not all(np.isfinite(w).all() for w in kept):
        return _NO_NUMBERS
    (top_a, top_b), (bits_a, bits_b) = (
        [float(measure(w).mean()) for w in kept]
        for measure in (lambda w: w.max(axis=-1), entropy_bits)
    )
    said = (
        f"A word’s largest weight is {labels.percent(top_b)} on average in B, "
        f"{labels.percent(top_a)} in A; the entropy {bits_b:.2f} bits in B, {bits_a:.2f} in A."
    )
    if before.tokens != now.tokens:
        return said
    change = np.abs(np.nan_to_num(b - a))
    i, j = map(int, np.unravel_index(change.argmax(), change.shape))
    if change[i, j] < 5e-4:
        return f"{said} No weight differs by as much as 0.1 %."
    asks, answers = (f"“{labels.markdown(word(now.tokens, n))}”" for n in (i, j))
    return (
        f"{said} The largest change: {answers} gets {labels.percent(b[i, j])} of {asks} in B, "
        f"{labels.percent(a[i, j])} in A."
    )


def word(tokens: Sequence[str], i: int) -> str:
    """A word with its position, counted from 1, where the sentence has it, or one alike, again."""
    name = labels.shown(tokens[i], _LONGEST_WORD)
    alike = tokens.count(tokens[i])
    if len(tokens[i]) > _LONGEST_WORD:
        alike = [labels.shown(token, _LONGEST_WORD) for token in tokens].count(name)
    return f"{name} (word {i + 1})" if alike > 1 else name
