"""Which cells of which matrix are lit: the query's row, the picked cell, and what it is made of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from explorer.settings import Settings
from explorer.view import (
    GIVEN,
    PAIRS,
    Step,
    View,
    before,
    handed_over,
    meeting,
    meeting_features,
    n_features,
    steps,
    word_vectors,
)


class Role(StrEnum):
    """Why a cell is lit."""

    ROW = "row"  #       the query word's row
    PICKED = "picked"  # the cell whose arithmetic is open
    QUERY = "query"  #   an operand that belongs to the query
    KEY = "key"  #       an operand that belongs to a key
    VALUE = "value"  #   an operand that belongs to a value
    OPERAND = "operand"


Span = tuple[int, int]
"""The first and the last of a range of rows or columns."""


@dataclass(frozen=True, slots=True)
class Light:
    """A block of cells."""

    role: Role
    rows: Span
    columns: Span


Lights = dict[str, list[Light]]


def lights(settings: Settings, view: View) -> Lights:
    """Light the query's row in every matrix of words, the picked cell and what it is made of."""
    here = steps(settings, view.head)
    lit: Lights = {step.value: [] for step in here}
    n_tokens = len(settings.tokens)
    for step in here:
        if step not in GIVEN:
            width = n_tokens if step in PAIRS else n_features(settings, step)
            lit[step].append(Light(Role.ROW, (view.query, view.query), (0, width - 1)))
    if view.head is not None:
        for step, role, rows, columns in _operands(settings, view, n_tokens):
            lit[step].append(Light(role, rows, columns))
    if view.step not in GIVEN:
        column = view.key if view.step in PAIRS else view.feature
        lit[view.step].append(Light(Role.PICKED, (view.query, view.query), (column, column)))
    return lit


def _operands(settings: Settings, view: View, n_tokens: int) -> list[tuple[Step, Role, Span, Span]]:
    """The cells that the picked cell is made of: step, role, rows, columns."""
    step, i, j, c, h = view.step, view.query, view.key, view.feature, view.head
    assert h is not None, "the average over the heads is made of no cells"
    d, dv = settings.d_query, settings.d_value
    row, all_words, all_features = (i, i), (0, n_tokens - 1), (0, settings.d_model - 1)

    if step is Step.SCORES:
        own = meeting_features(settings, h)
        features = (own[0], own[-1])
        queries, keys = meeting(settings)
        return [(queries, Role.QUERY, row, features), (keys, Role.KEY, (j, j), features)]
    if step is Step.BIASED:
        cells = (row, (j, j))
        return [(s, Role.OPERAND, *cells) for s in (before(step, settings), Step.BIAS)]
    if step in (Step.SCALED, Step.COOLED, Step.MASKED):
        return [(before(step, settings), Role.OPERAND, row, (j, j))]
    if step is Step.WEIGHTS:
        return [(before(step, settings), Role.OPERAND, row, all_words)]
    if step is Step.CONTEXT:
        column = c if settings.qkv else h * dv + c
        values = handed_over(settings)
        return [
            (Step.WEIGHTS, Role.OPERAND, row, all_words),
            (values, Role.VALUE, all_words, (column, column)),
        ]
    if step in _PROJECTED:
        matrix, role = _PROJECTED[step]
        column = h * (dv if step is Step.VALUES else d) + c
        return [
            (word_vectors(settings), Role.OPERAND, row, all_features),
            (matrix, role, all_features, (column, column)),
        ]
    if step is Step.INPUTS:
        return [(s, Role.OPERAND, row, (c, c)) for s in (Step.EMBEDDINGS, Step.POSITIONS)]
    if step in (Step.TURNED_QUERIES, Step.TURNED_KEYS):
        pair = (c - c % 2, min(c - c % 2 + 1, d - 1))
        from_, role = _before_turning(step, settings)
        first = 0 if settings.qkv else h * d
        return [(from_, role, row, (first + pair[0], first + pair[1]))]
    if step is Step.OUTPUT and settings.has_w_o:
        return [
            (Step.CONTEXT, Role.OPERAND, row, (0, dv - 1)),  # of the joined heads, the one on show
            (Step.W_O, Role.OPERAND, (0, settings.d_joined - 1), (c, c)),
        ]
    if step is Step.OUTPUT and c // dv == h:
        return [(Step.CONTEXT, Role.OPERAND, row, (c % dv, c % dv))]
    return []


def _before_turning(step: Step, settings: Settings) -> tuple[Step, Role]:
    asks = step is Step.TURNED_QUERIES
    role = Role.QUERY if asks else Role.KEY
    if not settings.qkv:
        return Step.EMBEDDINGS, role
    return (Step.QUERIES if asks else Step.KEYS), role


_PROJECTED = {
    Step.QUERIES: (Step.W_Q, Role.QUERY),
    Step.KEYS: (Step.W_K, Role.KEY),
    Step.VALUES: (Step.W_V, Role.VALUE),
}
