"""Scaled dot-product attention, step by step: one experiment as the list of what is computed.

Read it from top to bottom: it is section 3.2 of Vaswani et al. (2017), a line a step. Steps that an
experiment does without are not in its list. A step takes earlier ones by their names.
"""

from __future__ import annotations

from collections.abc import Iterator

from explorer.operations import matrices as m
from explorer.operations.basic import (
    Add,
    Divide,
    DivideByRoot,
    Drawn,
    Generated,
    Given,
    Heads,
    Hide,
    Join,
    Mix,
    Multiply,
    Normalise,
    Project,
    Score,
)
from explorer.operations.normalisers import NORMALISERS
from explorer.operations.schemes import SCHEMES
from explorer.operations.steps import Step
from explorer.settings import Scale, Settings

Steps = tuple[Step, ...]


def attention(settings: Settings) -> Steps:
    """Every step of an experiment, in the order in which they are computed."""
    return (*_words(settings), *_heads(settings), *_meeting(settings), *_answer(settings))


def _words(s: Settings) -> Iterator[Step]:
    """Section 3.5: the words as numbers, marked by their places where positions are added."""
    yield Step(m.EMBEDDINGS, Generated() if s.x is None else Given())
    added = SCHEMES[s.position].added
    if added is not None:
        positions, operation = added
        yield Step(positions, operation(len(s.tokens), s.d_model))
        yield Step(m.INPUTS, Add("embeddings", positions.name))


def _heads(s: Settings) -> Iterator[Step]:
    """Section 3.2.2: queries, keys and values for each head."""
    words = "embeddings" if SCHEMES[s.position].added is None else "inputs"
    if s.qkv:
        for matrix, by_hand in ((m.W_Q, s.w_q), (m.W_K, s.w_k), (m.W_V, s.w_v)):
            yield Step(matrix, Drawn() if by_hand is None else Given())
        yield Step(m.QUERIES, Project(words, "w_q", s.n_heads), by_head=True)
        yield Step(m.KEYS, Project(words, "w_k", s.n_heads), by_head=True)
        yield Step(m.VALUES, Project(words, "w_v", s.n_heads), by_head=True)
    else:  # the words themselves, dealt out to the heads
        for matrix in (m.QUERIES, m.KEYS, m.VALUES):
            yield Step(matrix, Heads(words, s.n_heads), by_head=True, shown=False)


def _meeting(s: Settings) -> Iterator[Step]:
    """Section 3.2.1, equation 1: softmax(Q K^T / sqrt(d_k)), and what may come in between."""
    scheme, queries, keys = SCHEMES[s.position], "queries", "keys"
    if scheme.turned is not None:
        (q, k), operation = scheme.turned
        yield Step(q, operation(queries, s.turning), by_head=True)
        yield Step(k, operation(keys, s.turning), by_head=True)
        queries, keys = q.name, k.name

    yield Step(m.SCORES, Score(queries, keys), by_head=True)
    last = "scores"
    if s.scale is Scale.SQRT_D_K:
        yield Step(m.SCALED, DivideByRoot(last, s.d_query), by_head=True)
        last = "scaled"
    if scheme.bias is not None:
        bias, added = scheme.bias
        yield Step(bias, added(len(s.tokens), s.n_heads), by_head=True)
        yield Step(m.BIASED, Add(last, bias.name), by_head=True)
        last = "biased"
    if s.temperature != 1:
        yield Step(m.COOLED, Divide(last, s.temperature), by_head=True)
        last = "cooled"
    if s.mask:
        yield Step(m.MASKED, Hide(last), by_head=True)
        last = "masked"
    yield Step(NORMALISERS[s.rule].matrix, Normalise(last, s.rule), by_head=True)


def _answer(s: Settings) -> Iterator[Step]:
    """Equation 1 times V, and the heads brought together by W_O."""
    yield Step(m.CONTEXT, Mix("weights", "values"), by_head=True)
    if s.has_w_o:
        identity = s.w_o is None
        yield Step(m.JOINED if s.n_heads == 1 else m.SIDE_BY_SIDE, Join("context"), shown=False)
        yield Step(m.IDENTITY_W_O if identity else m.W_O, Given(identity=identity))
        yield Step(m.OUTPUT_OF_W_O, Multiply("joined", "w_o"))
    else:
        yield Step(m.OUTPUT, Join("context"), shown=s.n_heads > 1)
