"""The usual mistakes, each as the line that someone wrote, next to the right one.

The lines below work on any numbers. `outcome` runs them on those of an experiment and says in a
sentence, computed from both results, what breaks.

Shapes: T words; H heads; D features of a head; C = H * D.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from explorer import masks
from explorer.attention import (
    Array,
    BoolArray,
    attend,
    hide,
    join_heads,
    mix,
    softmax,
    split_heads,
)
from explorer.labels import number, percent
from explorer.measures import entropy_bits
from explorer.settings import divisors
from explorer.trace import AttentionTrace


class Mistake(StrEnum):
    """What went wrong. The codes stand in links."""

    AXIS = "axis"
    MASK_AFTER = "mask_after"
    MASK_ZERO = "mask_zero"
    MASK_TINY = "mask_tiny"
    POLARITY = "polarity"
    PADDING_QUERIES = "padding_queries"
    CAUSAL_STRICT = "causal_strict"
    CAUSAL_SHIFTED = "causal_shifted"
    DIVIDE_D = "divide_d"
    TIMES_ROOT = "times_root"
    ROOT_D_MODEL = "root_d_model"
    ROOT_HEADS = "root_heads"
    SPLIT = "split"
    MERGE = "merge"
    OVERFLOW = "overflow"
    TWICE = "twice"
    AVERAGE = "average"


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Outcome:
    """One mistake on one experiment."""

    right: Array  #  (T, T) weights, or (T, features)
    wrong: Array  #  likewise
    note: str  #     what was taken from the experiment
    breaks: str  #   what breaks, in words and numbers
    lines: tuple[Callable, Callable]  # the functions that ran: the right one, the wrong one
    pairs: bool = True  # whether the columns are words; else features
    visible: BoolArray | None = None  # (T, T) True where the right way lets the query see the key


# The wrong lines


def softmax_over_queries(scores: Array) -> Array:
    """The softmax down each column, over the queries: (T, T)."""
    return softmax(scores.T).T


def masked_after_softmax(scores: Array, visible: BoolArray) -> Array:
    """First the softmax over all keys, then the mask: (T, T)."""
    return softmax(scores) * visible


def masked_with_zero(scores: Array, visible: BoolArray) -> Array:
    """The score 0 for a hidden key, as if that meant "nothing": (T, T)."""
    return softmax(np.where(visible, scores, 0.0))


def masked_with_tiny(scores: Array, visible: BoolArray) -> Array:
    """A minus in the wrong place: -1e-9 is added where -1e9 was meant: (T, T)."""
    return softmax(scores + np.where(visible, 0.0, -1e-9))


def masked_upside_down(scores: Array, visible: BoolArray) -> Array:
    """True read as "hidden", by a function for which it means "may be seen": (T, T)."""
    return softmax(hide(scores, ~visible))


def padding_on_queries(n_words: int, pad: int) -> BoolArray:
    """The rows of the padding hidden instead of its columns: (T, T)."""
    return masks.padding(n_words, pad).T


def causal_strict(n_words: int) -> BoolArray:
    """Only the words before, not the word itself: (T, T)."""
    return np.tri(n_words, k=-1, dtype=bool)


def causal_shifted(n_words: int) -> BoolArray:
    """One word too many: the next one is seen as well: (T, T)."""
    return np.tri(n_words, k=1, dtype=bool)


def split_without_transpose(x: Array, n_heads: int) -> Array:
    """Cut straight into heads; the shape is right, the numbers are not: (T, C) -> (H, T, D)."""
    return x.reshape(n_heads, len(x), -1)


def merge_without_transpose(heads: Array) -> Array:
    """Put together straight away; again only the shape is right: (H, T, D) -> (T, C)."""
    return heads.reshape(heads.shape[1], -1)


def softmax_without_maximum(scores: Array) -> Array:
    """The plain formula, which overflows where a score is large: (T, T)."""
    with np.errstate(over="ignore", invalid="ignore"):
        exp = np.exp(scores)
        return exp / exp.sum(axis=-1, keepdims=True)


def softmax_twice(scores: Array) -> Array:
    """A softmax of what is a softmax already, as before a loss that has its own: (T, T)."""
    return softmax(softmax(scores))


def averaged_heads(weights: Array, v: Array) -> Array:
    """Every head's values mixed by the average weights: (H, T, T), (H, T, D) -> (T, C)."""
    return join_heads(mix(weights.mean(axis=0), v))


# The right lines where they are not a function of `explorer.attention` already


def masked(scores: Array, visible: BoolArray) -> Array:
    """-inf for a hidden key, and then the softmax: (T, T)."""
    return softmax(hide(scores, visible))


def each_head(weights: Array, v: Array) -> Array:
    """Every head's values mixed by its own weights: (H, T, T), (H, T, D) -> (T, C)."""
    return join_heads(mix(weights, v))


def scaled_softmax(scores: Array, scale: float) -> Array:
    """The scores times the scale, and then the softmax: (T, T)."""
    return softmax(scores * scale)


# One experiment


def outcome(mistake: Mistake, t: AttentionTrace, head: int = 0) -> Outcome:
    """Make one mistake with the numbers of one head of an experiment."""
    return _ALL[mistake](t, head)


def _axis(t: AttentionTrace, head: int) -> Outcome:
    scores = t.scaled[head]
    right, wrong = softmax(scores), softmax_over_queries(scores)
    sums = wrong.sum(axis=-1)
    return Outcome(
        right=right,
        wrong=wrong,
        note="The scores of this page, without a mask.",
        breaks=f"Now the columns sum to 1, and the rows to anything: from {number(sums.min(), 3)} "
        f"to {number(sums.max(), 3)} here. No row is a query’s attention any more.",
        lines=(softmax, softmax_over_queries),
    )


def _mask_after(t: AttentionTrace, head: int) -> Outcome:
    scores, visible, note = _masked_scores(t, head)
    wrong = masked_after_softmax(scores, visible)
    low = wrong.sum(axis=-1).min()
    return Outcome(
        right=masked(scores, visible),
        wrong=wrong,
        note=note,
        breaks=f"Hidden keys had their share before they were hidden, and it is lost: rows sum to "
        f"as little as {number(low, 3)} instead of 1.",
        lines=(masked, masked_after_softmax),
        visible=visible,
    )


def _mask_zero(t: AttentionTrace, head: int) -> Outcome:
    return _leak(t, head, masked_with_zero, "e⁰ is 1, not 0, so a score of 0 hides nothing:")


def _mask_tiny(t: AttentionTrace, head: int) -> Outcome:
    said = "−1e-9 is nearly 0, so the scores stay what they were:"
    return _leak(t, head, masked_with_tiny, said)


def _leak(t: AttentionTrace, head: int, line: Callable, why: str) -> Outcome:
    scores, visible, note = _masked_scores(t, head)
    wrong = line(scores, visible)
    leaked = np.where(visible, 0.0, wrong).sum(axis=-1).max()
    return Outcome(
        right=masked(scores, visible),
        wrong=wrong,
        note=note,
        breaks=f"{why} up to {percent(leaked)} of a row goes to keys that should be hidden.",
        lines=(masked, line),
        visible=visible,
    )


def _polarity(t: AttentionTrace, head: int) -> Outcome:
    scores, visible, note = _masked_scores(t, head)
    empty = int(visible.all(axis=-1).sum())
    hidden = int((~visible).sum())
    return Outcome(
        right=masked(scores, visible),
        wrong=masked_upside_down(scores, visible),
        note=note,
        breaks=f"Exactly the {hidden} {_plural(hidden, 'cell')} that should be hidden "
        f"{_plural(hidden, 'is', 'are')} seen, and nothing else; {empty} "
        f"{_plural(empty, 'row')} that should see everything {_plural(empty, 'sees', 'see')} "
        f"nobody. In PyTorch True means “hide” for MultiheadAttention and “may be seen” for "
        f"scaled_dot_product_attention.",
        lines=(masked, masked_upside_down),
        visible=visible,
    )


def _padding_queries(t: AttentionTrace, head: int) -> Outcome:
    n_words = len(t.tokens)
    right = masks.padding(n_words, 1)
    wrong = masked(t.scaled[head], padding_on_queries(n_words, 1))
    leaked = wrong[:, -1].max(initial=0.0)
    return Outcome(
        right=masked(t.scaled[head], right),
        wrong=wrong,
        note="The last word plays padding.",
        breaks=f"The padding’s own row is empty, which nobody needs, and the other words still "
        f"read it: up to {percent(leaked)} of their attention goes to filler.",
        lines=(masks.padding, padding_on_queries),
        visible=right,
    )


def _causal_strict(t: AttentionTrace, head: int) -> Outcome:
    wrong = _causal(t, head, causal_strict)
    lost = np.diagonal(wrong.right)[1:]
    return _with(
        wrong,
        f"No word sees itself: it loses the weight {number(lost.mean(), 3)} on average "
        f"(rows 2 and on), and the first row sees nobody, which is 0/0 in the plain formula."
        if len(lost)
        else "The only word does not see itself: its row sees nobody.",
    )


def _causal_shifted(t: AttentionTrace, head: int) -> Outcome:
    wrong = _causal(t, head, causal_shifted)
    leaked = np.diagonal(wrong.wrong, 1)
    return _with(
        wrong,
        f"Every word but the last sees the next one: {percent(leaked.mean())} of its attention on "
        f"average. A model that learns to predict the next word only has to copy it."
        if len(leaked)
        else "With one word there is no next one to see.",
    )


def _causal(t: AttentionTrace, head: int, line: Callable) -> Outcome:
    scores, visible = t.scaled[head], masks.causal(len(t.tokens))
    return Outcome(
        right=masked(scores, visible),
        wrong=masked(scores, line(len(scores))),
        note="The scores of this page with a causal mask.",
        breaks="",
        lines=(masks.causal, line),
        visible=visible,
    )


def _divide_d(t: AttentionTrace, head: int) -> Outcome:
    d_k = t.q.shape[-1]
    return _scale(t.scores[head], d_k, 1 / d_k, f"1/d_k = 1/{d_k}")


def _times_root(t: AttentionTrace, head: int) -> Outcome:
    d_k = t.q.shape[-1]
    return _scale(t.scores[head], d_k, d_k**0.5, f"√d_k = √{d_k}")


def _root_d_model(t: AttentionTrace, head: int) -> Outcome:
    q, n_heads, d_k = _two_heads_at_least(t)
    d_model = n_heads * d_k
    return _scale(
        q[0] @ _two_heads_at_least(t, keys=True)[0][0].T,
        d_k,
        d_model**-0.5,
        f"1/√(all features) = 1/√{d_model}",
        f"The first of {n_heads} heads, with d_k = {d_k} of {d_model} features. ",
    )


def _root_heads(t: AttentionTrace, head: int) -> Outcome:
    q, n_heads, d_k = _two_heads_at_least(t)
    return _scale(
        q[0] @ _two_heads_at_least(t, keys=True)[0][0].T,
        d_k,
        n_heads**-0.5,
        f"1/√(heads) = 1/√{n_heads}",
        f"The first of {n_heads} heads, with d_k = {d_k} features. ",
    )


def _scale(scores: Array, d_k: int, factor: float, name: str, note: str = "") -> Outcome:
    right, wrong = scaled_softmax(scores, d_k**-0.5), scaled_softmax(scores, factor)
    tops = [side.max(axis=-1).mean() for side in (right, wrong)]
    bits = [entropy_bits(side).mean() for side in (right, wrong)]
    if np.isclose(factor, d_k**-0.5):
        breaks = f"Both factors are {number(factor, 3)} here, so nothing breaks, and nobody notices"
        breaks += " until the sizes change."
    else:
        breaks = (
            f"Weights become too {'even' if factor < d_k**-0.5 else 'uneven'}: a row’s largest is "
            f"{percent(tops[1])} instead of {percent(tops[0])} on average, and the entropy "
            f"{number(bits[1], 2)} bits instead of {number(bits[0], 2)}."
        )
    return Outcome(
        right=right,
        wrong=wrong,
        note=f"{note}Right: times 1/√d_k = 1/√{d_k} = {number(d_k**-0.5, 3)}. Wrong: times "
        f"{name} = {number(factor, 3)}. No mask.",
        breaks=breaks,
        lines=(scaled_softmax, scaled_softmax),
    )


def _split(t: AttentionTrace, head: int) -> Outcome:
    n_heads = _heads_for(t.x.shape[1], t.n_heads)
    right, wrong = split_heads(t.x, n_heads)[0], split_without_transpose(t.x, n_heads)[0]
    same = int((right == wrong).all(axis=-1).sum())
    return Outcome(
        right=right,
        wrong=wrong,
        note=f"The embeddings of this page, split into {n_heads} heads; the first is shown.",
        breaks=f"The shape {right.shape[0]} × {right.shape[1]} is right, so nothing fails, but "
        f"only {same} of {len(right)} rows {_plural(same, 'holds', 'hold')} the features of "
        f"{_plural(same, 'its', 'their')} own word: the head got whole words instead of a part "
        f"of each.",
        lines=(split_heads, split_without_transpose),
        pairs=False,
    )


def _merge(t: AttentionTrace, head: int) -> Outcome:
    n_heads = _heads_for(t.x.shape[1], t.n_heads)
    heads = split_heads(t.x, n_heads)
    right, wrong = join_heads(heads), merge_without_transpose(heads)
    same = int((right == wrong).all(axis=-1).sum())
    return Outcome(
        right=right,
        wrong=wrong,
        note=f"The embeddings of this page in {n_heads} heads, put together again.",
        breaks=f"The shape is right, but only {same} of {len(right)} words "
        f"{_plural(same, 'gets', 'get')} {_plural(same, 'its', 'their')} own features back; the "
        f"others are patched together from several words.",
        lines=(join_heads, merge_without_transpose),
        pairs=False,
    )


def _overflow(t: AttentionTrace, head: int) -> Outcome:
    scores = t.scaled[head].astype(np.float32)
    top = np.abs(scores).max(initial=0.0)
    times = 100 / top if top > 0 else 1.0
    scores = scores * np.float32(times)
    right, wrong = softmax(scores), softmax_without_maximum(scores)
    bad = int(np.isnan(wrong).any(axis=-1).sum())
    most = {dtype: np.log(np.finfo(dtype).max) for dtype in (np.float32, np.float64)}
    return Outcome(
        right=right,
        wrong=wrong,
        note=f"The scores of this page in float32, times {number(times, 1)}, so that the largest "
        f"has the size 100.",
        breaks=f"e to the power of a score is infinite beyond {number(most[np.float32], 2)} in "
        f"float32 and beyond {number(most[np.float64], 2)} in float64, and ∞/∞ is NaN: "
        f"{bad} of {len(wrong)} rows {_plural(bad, 'has', 'have')} one here. With the row’s "
        f"maximum subtracted first, no exponent is above 0.",
        lines=(softmax, softmax_without_maximum),
    )


def _twice(t: AttentionTrace, head: int) -> Outcome:
    scores, n_words = t.scaled[head], len(t.tokens)
    right, wrong = softmax(scores), softmax_twice(scores)
    most = np.e / (np.e + n_words - 1)
    return Outcome(
        right=right,
        wrong=wrong,
        note="The scores of this page, without a mask.",
        breaks=f"Weights lie between 0 and 1, so as scores they are nearly alike: a row’s largest "
        f"falls from {percent(right.max(axis=-1).mean())} to {percent(wrong.max(axis=-1).mean())} "
        f"on average. With {n_words} {_plural(n_words, 'word')} none can pass {percent(most)}, "
        f"whatever the scores.",
        lines=(softmax, softmax_twice),
    )


def _average(t: AttentionTrace, head: int) -> Outcome:
    n_heads = _heads_for(t.x.shape[1], t.n_heads)
    parts = split_heads(t.x, n_heads)
    steps = attend(parts, parts, parts, scale=t.factor)
    right, wrong = each_head(steps.weights, parts), averaged_heads(steps.weights, parts)
    apart = np.abs(steps.weights - steps.weights.mean(axis=0)).max()
    return Outcome(
        right=right,
        wrong=wrong,
        note=f"The embeddings of this page as queries, keys and values of {n_heads} heads.",
        breaks=f"No head attends like the average: a head’s weight is up to {number(apart, 3)} "
        f"away from it, and context vectors mixed by the average are off by up to "
        f"{number(np.abs(right - wrong).max(), 3)}. As a picture an average is fine, if it is "
        f"called one.",
        lines=(each_head, averaged_heads),
        pairs=False,
    )


def _masked_scores(t: AttentionTrace, head: int) -> tuple[Array, BoolArray, str]:
    """The experiment's scores with its own mask, or where that hides nothing, a causal one."""
    if t.visible.all():
        note = "The scores of this page with a causal mask."
        return t.scaled[head], masks.causal(len(t.tokens)), note
    return t.scaled[head], t.visible, "The scores of this page with its own mask."


def _heads_for(n_features: int, n_heads: int) -> int:
    """The experiment's heads, where there are several that divide the features; else a few."""
    if n_heads > 1 and n_features % n_heads == 0:
        return n_heads
    return divisors(n_features)[1]


def _two_heads_at_least(t: AttentionTrace, keys: bool = False) -> tuple[Array, int, int]:
    """Queries or keys in several heads: (H, T, D), H, D."""
    given = t.k_turned if keys else t.q_turned
    if t.n_heads > 1:
        return given, t.n_heads, given.shape[-1]
    joined = join_heads(given)
    width = joined.shape[1]
    n_heads = _heads_for(width, 1) if width > 1 else 1
    return split_heads(joined, n_heads), n_heads, width // n_heads


def _with(outcome: Outcome, breaks: str) -> Outcome:
    return Outcome(
        right=outcome.right,
        wrong=outcome.wrong,
        note=outcome.note,
        breaks=breaks,
        lines=outcome.lines,
        visible=outcome.visible,
    )


def _plural(count: int, one: str, many: str | None = None) -> str:
    return one if count == 1 else many or f"{one}s"


_ALL = {
    Mistake.AXIS: _axis,
    Mistake.MASK_AFTER: _mask_after,
    Mistake.MASK_ZERO: _mask_zero,
    Mistake.MASK_TINY: _mask_tiny,
    Mistake.POLARITY: _polarity,
    Mistake.PADDING_QUERIES: _padding_queries,
    Mistake.CAUSAL_STRICT: _causal_strict,
    Mistake.CAUSAL_SHIFTED: _causal_shifted,
    Mistake.DIVIDE_D: _divide_d,
    Mistake.TIMES_ROOT: _times_root,
    Mistake.ROOT_D_MODEL: _root_d_model,
    Mistake.ROOT_HEADS: _root_heads,
    Mistake.SPLIT: _split,
    Mistake.MERGE: _merge,
    Mistake.OVERFLOW: _overflow,
    Mistake.TWICE: _twice,
    Mistake.AVERAGE: _average,
}
