"""The arithmetic behind one number: its terms, as they would be written on paper.

Each function answers "where does this number come from?" for one cell of the trace, at full
precision. Nothing here is rounded and nothing is marked up; the page does both.

Indices: query i, key j, head h, feature c, all from 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from explorer import positions
from explorer.attention import Array
from explorer.trace import AttentionTrace

Numbers = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class DotProduct:
    """left[0] * right[0] + left[1] * right[1] + ... = value."""

    left: Numbers
    right: Numbers

    @property
    def products(self) -> Numbers:
        """Each pair multiplied, before they are added up."""
        return tuple(a * b for a, b in zip(self.left, self.right, strict=True))

    @property
    def value(self) -> float:
        """The sum of the products."""
        return float(sum(self.products))


@dataclass(frozen=True, slots=True)
class Scaling:
    """score * factor = value."""

    score: float
    factor: float

    @property
    def value(self) -> float:
        """The scaled score."""
        return self.score * self.factor


@dataclass(frozen=True, slots=True)
class Softmax:
    """exp(scores[chosen]) over the sum of exp(score) of every key that may be seen."""

    scores: Numbers  # of the whole row; -inf for a key that may not be seen
    chosen: int

    @property
    def exponentials(self) -> Numbers:
        """e to the power of each score, as on paper; infinite where a score is beyond 709."""
        with np.errstate(over="ignore"):
            return tuple(np.exp(np.array(self.scores)).tolist())

    @property
    def total(self) -> float:
        """The sum of the exponentials."""
        return float(sum(self.exponentials))

    @property
    def top(self) -> float:
        """The row's largest score, which is subtracted before anything is raised to a power."""
        return max(self.scores, default=-np.inf)

    @property
    def shifted(self) -> Numbers:
        """e to the power of each score less the largest one: at most 1, so never too large."""
        if self.top == -np.inf:
            return tuple(0.0 for _ in self.scores)
        return tuple(np.exp(np.array(self.scores) - self.top).tolist())

    @property
    def shifted_total(self) -> float:
        """The sum of the shifted exponentials."""
        return float(sum(self.shifted))

    @property
    def fits(self) -> bool:
        """Whether the plain exponentials can be written down: neither infinite nor all 0."""
        return 0 < self.total < np.inf

    @property
    def value(self) -> float:
        """The weight. 0 for a query that may see nobody."""
        return self.shifted[self.chosen] / self.shifted_total if self.shifted_total else 0.0


def score(t: AttentionTrace, h: int, i: int, j: int) -> DotProduct:
    """How well key j answers query i: the dot product of the two."""
    return _dot(t.q_turned[h, i], t.k_turned[h, j])


def turn(t: AttentionTrace, which: str, h: int, i: int, c: int) -> DotProduct:
    """Feature c of word i's query or key (`which` is "q" or "k") after its turn in head h.

    A pair of features is a point in the plane: the two numbers times cosine and sine of the angle.
    The last of an odd number of features has no partner and stays as it is.
    """
    row = (t.q if which == "q" else t.k)[h, i]
    pair = c // 2
    if 2 * pair + 1 >= len(row):
        return _dot(row[[c]], np.ones(1))
    angle = positions.rotary_angles(len(t.tokens), len(row))[i, pair]
    turned = (np.cos(angle), -np.sin(angle)) if c % 2 == 0 else (np.sin(angle), np.cos(angle))
    return _dot(row[2 * pair : 2 * pair + 2], np.array(turned))


@dataclass(frozen=True, slots=True)
class Total:
    """scores[chosen] over the sum of the scores of every key that may be seen."""

    scores: Numbers
    chosen: int

    @property
    def total(self) -> float:
        """The sum of the scores."""
        return float(sum(self.scores))


def total(t: AttentionTrace, h: int, i: int, j: int) -> Total:
    """The share that key j gets by plain division. It needs a key that may be seen."""
    seen = t.visible[i]
    return Total(tuple(t.masked[h, i][seen].tolist()), int(seen[:j].sum()))


def scaling(t: AttentionTrace, h: int, i: int, j: int) -> Scaling:
    """The score of (i, j), times the factor."""
    return Scaling(float(t.scores[h, i, j]), t.factor)


def softmax(t: AttentionTrace, h: int, i: int, j: int) -> Softmax:
    """The share of query i's attention that key j gets."""
    return Softmax(tuple(t.masked[h, i].tolist()), j)


def average(t: AttentionTrace, i: int, j: int) -> Numbers:
    """The weights that each head gives to (i, j); their sum over H is the average."""
    return tuple(t.weights[:, i, j].tolist())


def context(t: AttentionTrace, h: int, i: int, c: int) -> DotProduct:
    """Feature c of query i's context: its weights times that feature of every value it sees."""
    # A hidden value has no part in the sum; one that is no number must not even be multiplied.
    values = t.v[h, :, c]
    values = np.where(t.visible[i] | np.isfinite(values), values, 0.0)
    return _dot(t.weights[h, i], values)


def projection(t: AttentionTrace, which: str, h: int, i: int, c: int) -> DotProduct:
    """Feature c of word i's query, key or value (`which` is "q", "k" or "v") in head h.

    Raises ValueError where there is no projection, because the embeddings are used as they are.
    """
    w = {"q": t.w_q, "k": t.w_k, "v": t.w_v}[which]
    if w is None:
        raise ValueError(f"{which} is a part of the embeddings here; it is not computed.")
    width = w.shape[1] // t.n_heads
    return _dot(t.inputs[i], w[:, h * width + c])


def output(t: AttentionTrace, i: int, c: int) -> DotProduct:
    """Feature c of word i's output: its joined heads times a column of W_O.

    Raises ValueError where there is no W_O, because the joined heads are the output.
    """
    if t.w_o is None:
        raise ValueError("There is no output matrix here; the joined heads are the output.")
    return _dot(t.joined[i], t.w_o[:, c])


def entropy_bits(weights: Array) -> Array:
    """How spread each row of weights is: 0 for one key, log2(T) for T keys alike.

    weights: (..., T, T). Returns (..., T), in bits; NaN for a row that sees nobody.
    """
    logs = np.log2(weights, out=np.zeros_like(weights), where=weights > 0)
    # 0.0 - x, not -x: a row with one weight of 1 has the entropy 0, not -0.
    entropy = 0.0 - (weights * logs).sum(axis=-1)
    return np.where(weights.sum(axis=-1) > 0, entropy, np.nan)


def _dot(left: Array, right: Array) -> DotProduct:
    return DotProduct(tuple(left.tolist()), tuple(right.tolist()))
