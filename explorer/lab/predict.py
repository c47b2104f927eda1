"""Questions to answer before one looks, from the reader's own numbers, and the likely slips.

The seed chooses words and rows: the same link asks a whole class the same.

Indices: query i, key j, from 0. Shapes: T words; D features of a query or key.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from explorer import masks
from explorer.attention import Array, BoolArray
from explorer.lab.mistakes import masked, masked_after_softmax, softmax_over_queries
from explorer.trace import AttentionTrace

MOST_FEATURES = 4
"""More products are no mental arithmetic; the first ones are asked for then."""
N_QUESTIONS = range(1, 6)
_TOLERANCE = 0.011
"""Answers have two decimals, and whoever rounds on the way may be off by one in the last."""


class Kind(StrEnum):
    """What is asked."""

    READS = "reads"  #    which word does i read most?
    DOT = "dot"  #        what is the dot product of query i and key j?
    SCALED = "scaled"  #  what does a score become when it is scaled?
    HIDDEN = "hidden"  #  which cell does the mask hide?
    SUM = "sum"  #        does this row sum to 1?


class Sum(StrEnum):
    """What a row can sum to."""

    ONE = "one"
    LESS = "less"
    MORE = "more"


class Way(StrEnum):
    """How the row of the last question was made."""

    RIGHT = "right"
    MASK_AFTER = "mask_after"
    AXIS = "axis"


class Slip(StrEnum):
    """What probably went wrong on the way to a wrong answer."""

    COLUMN = "column"  #              the column was read instead of the row
    OWN_WORD = "own_word"  #          the word itself, because that seems natural
    FIRST_TERM = "first_term"  #      only the first product
    SIGN = "sign"  #                  a minus got lost
    ADDED = "added"  #                numbers were added where they are multiplied
    SUMS = "sums"  #                  the sums were multiplied
    ROOT_FORGOTTEN = "root"  #        divided already, or not at all
    BY_D = "by_d"  #                  divided by d instead of its root
    MULTIPLIED = "multiplied"  #      multiplied by the root
    D_MODEL = "d_model"  #            root of d_model
    TURNED = "turned"  #              row and column mixed up
    SEEN = "seen"  #                  this one may be seen
    AFTER = "after"  #                hidden keys had their share before
    COLUMN_SUMS = "column_sums"  #    the columns sum to 1 there
    SOFTMAX = "softmax"  #            a softmax always sums to 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question, its right answers, and which wrong ones say what."""

    kind: Kind
    i: int
    j: int = 0
    options: tuple = ()  #             words, cells or sums to choose from; none for a number
    answers: tuple = ()  #             any of these is right
    slips: tuple[tuple[object, Slip], ...] = ()  # wrong answers that are easily explained
    left: tuple[float, ...] = ()  #    of a dot product
    right: tuple[float, ...] = ()
    score: float = 0.0  #              to be scaled
    d_k: int = 1
    way: Way = Way.RIGHT
    visible: tuple[tuple[bool, ...], ...] = ()  # (T, T), where the mask is what is asked for

    @property
    def answer(self) -> Any:
        """The right answer; the first, where several are."""
        return self.answers[0]


def check(question: Question, given: object) -> tuple[bool, Slip | None]:
    """Whether an answer is right, and if not, what it looks like."""
    if any(_same(given, answer) for answer in question.answers):
        return True, None
    for wrong, slip in question.slips:
        if _same(given, wrong):
            return False, slip
    return False, None


def questions(t: AttentionTrace, head: int, seed: int) -> tuple[Question, ...]:
    """One question of each kind that these numbers allow, in order."""
    if not t.tokens:
        return ()
    draw = np.random.default_rng(seed)
    makers = (_reads, _dot, _scaled, _hidden, _sum)
    found = (maker(t, head, draw) for maker in makers)
    return tuple(question for question in found if question is not None)


def _reads(t: AttentionTrace, head: int, draw: np.random.Generator) -> Question | None:
    weights = t.weights[head]
    rows, columns = weights.argmax(axis=1), weights.argmax(axis=0)
    sees = ~t.sees_nobody
    # Where row and column say different things, the answer tells which of them was read.
    telling = sees & (rows != columns) & (columns != np.arange(len(weights)))
    possible = np.flatnonzero(telling if telling.any() else sees)
    if not len(possible) or len(weights) < 2:
        return None
    i = int(draw.choice(possible))
    top = weights[i].max()
    answers = tuple(np.flatnonzero(np.isclose(weights[i], top, rtol=1e-9, atol=0)).tolist())
    slips = [(i, Slip.OWN_WORD), (int(columns[i]), Slip.COLUMN)]
    return Question(
        kind=Kind.READS,
        i=i,
        options=tuple(range(len(weights))),
        answers=answers,
        slips=tuple(slip for slip in slips if slip[0] not in answers),
    )


def _dot(t: AttentionTrace, head: int, draw: np.random.Generator) -> Question | None:
    i, j = (int(n) for n in draw.integers(len(t.tokens), size=2))
    q, k = (np.round(side[head, n, :MOST_FEATURES], 2) for side, n in ((t.q, i), (t.k, j)))
    return Question(
        kind=Kind.DOT,
        i=i,
        j=j,
        answers=(float(q @ k),),
        left=tuple(q.tolist()),
        right=tuple(k.tolist()),
        slips=(
            (float(q[0] * k[0]), Slip.FIRST_TERM),
            (float(np.abs(q) @ np.abs(k)), Slip.SIGN),
            (float(q.sum() + k.sum()), Slip.ADDED),
            (float(q.sum() * k.sum()), Slip.SUMS),
            (float(q @ k) / t.q.shape[-1] ** 0.5, Slip.ROOT_FORGOTTEN),
        ),
    )


def _scaled(t: AttentionTrace, head: int, draw: np.random.Generator) -> Question | None:
    d_k = t.q.shape[-1]
    if d_k == 1:
        return None
    # The cells with the larger scores: of a score near 0 every multiple is near 0.
    large = np.argwhere(abs(t.scores[head]) >= np.median(abs(t.scores[head])))
    i, j = (int(n) for n in draw.choice(large))
    score, d_model = round(float(t.scores[head, i, j]), 2), t.x.shape[1]
    slips = [
        (score, Slip.ROOT_FORGOTTEN),
        (score / d_k, Slip.BY_D),
        (score * d_k**0.5, Slip.MULTIPLIED),
    ]
    if d_model != d_k:
        slips.append((score / d_model**0.5, Slip.D_MODEL))
    return Question(
        kind=Kind.SCALED,
        i=i,
        j=j,
        answers=(score / d_k**0.5,),
        slips=tuple(slips),
        score=score,
        d_k=d_k,
    )


def _hidden(t: AttentionTrace, head: int, draw: np.random.Generator) -> Question | None:
    visible = _mask(t)
    if visible.all() or not visible.any():
        return None
    hidden, seen = np.argwhere(~visible).tolist(), np.argwhere(visible).tolist()
    # Where the turned cell may be seen, the answer tells whether rows and columns were mixed up.
    telling = [cell for cell in hidden if visible[cell[1], cell[0]]]
    i, j = hidden[0] if len(hidden) == 1 else draw.choice(telling or hidden).tolist()
    wrong = [(j, i)] if visible[j, i] else []
    others = [tuple(cell) for cell in draw.permutation(seen).tolist()]
    wrong += [cell for cell in others if cell not in wrong][: 3 - len(wrong)]
    options = sorted([(i, j), *wrong])
    return Question(
        kind=Kind.HIDDEN,
        i=i,
        j=j,
        options=tuple(options),
        answers=((i, j),),
        slips=tuple((cell, Slip.TURNED if cell == (j, i) else Slip.SEEN) for cell in wrong),
        visible=tuple(map(tuple, visible.tolist())),
    )


def _sum(t: AttentionTrace, head: int, draw: np.random.Generator) -> Question | None:
    visible, scores = _mask(t), t.scaled[head]
    made = {
        Way.RIGHT: masked(scores, visible),
        Way.MASK_AFTER: masked_after_softmax(scores, visible),
        Way.AXIS: softmax_over_queries(scores),
    }
    sees = visible.any(axis=-1)
    possible = {
        # A row that is nearly 1 by accident is no fair question.
        way: np.flatnonzero(sees & ((way is Way.RIGHT) | (abs(rows.sum(axis=-1) - 1) > 0.01)))
        for way, rows in made.items()
    }
    ways = [way for way in Way if len(possible[way])]
    if not ways:
        return None
    way = ways[int(draw.integers(len(ways)))]
    i = int(draw.choice(possible[way]))
    total = float(made[way][i].sum())
    answer = Sum.ONE if abs(total - 1) < 1e-9 else (Sum.LESS if total < 1 else Sum.MORE)
    slip = {Way.RIGHT: Slip.SOFTMAX, Way.MASK_AFTER: Slip.AFTER, Way.AXIS: Slip.COLUMN_SUMS}[way]
    return Question(
        kind=Kind.SUM,
        i=i,
        options=tuple(Sum),
        answers=(answer,),
        slips=tuple((other, slip) for other in Sum if other is not answer),
        score=total,
        way=way,
    )


def _mask(t: AttentionTrace) -> BoolArray:
    """The experiment's own mask, or where that hides nothing, a causal one."""
    return masks.causal(len(t.tokens)) if t.visible.all() else t.visible


def row(question: Question, t: AttentionTrace, head: int) -> Array:
    """The matrix that a question's answer stands in, to look it up: (T, T)."""
    if question.kind is Kind.READS:
        return t.weights[head]
    if question.kind is Kind.SUM:
        visible, scores = _mask(t), t.scaled[head]
        if question.way is Way.AXIS:
            return softmax_over_queries(scores)
        return (masked if question.way is Way.RIGHT else masked_after_softmax)(scores, visible)
    return t.scores[head]


def _same(given: object, other: object) -> bool:
    if isinstance(other, float) and isinstance(given, float | int):
        # Of a large number two decimals are more than anybody would type.
        return abs(given - other) <= max(_TOLERANCE, 1e-3 * abs(other))
    return given == other
