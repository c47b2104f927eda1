"""Which cells of which matrix are lit: the query's row, the picked cell, and what it is made of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from explorer.settings import Settings
from explorer.view import PAIRS, Step, View


class Role(StrEnum):
    """Why a cell is lit."""

    ROW = "row"  #       the query word's row
    PICKED = "picked"  # the cell whose arithmetic is open
    QUERY = "query"  #   an operand that belongs to the query
    KEY = "key"  #       an operand that belongs to a key
    VALUE = "value"  #   an operand that belongs to a value
    OPERAND = "operand"


@dataclass(frozen=True, slots=True)
class Light:
    """A block of cells, first and last of each included."""

    role: Role
    rows: tuple[int, int]
    columns: tuple[int, int]


Lights = dict[str, list[Light]]


def lights(settings: Settings, view: View, steps: tuple[Step, ...]) -> Lights:
    """Light the query's row in every matrix of words, the picked cell and its operands."""
    lit: Lights = {step.value: [] for step in steps}
    n_tokens = len(settings.tokens)
    if not n_tokens:
        return lit
    widths = _widths(settings, n_tokens)
    i, j, c, h = view.query, view.key, view.feature, view.head

    for step in steps:
        if step not in (Step.W_Q, Step.W_K, Step.W_V, Step.W_O):
            lit[step].append(Light(Role.ROW, (i, i), (0, widths[step] - 1)))
    column = j if view.step in PAIRS else c
    for step, role, rows, columns in _operands(settings, view.step, i, j, c, h, n_tokens, widths):
        lit[step].append(Light(role, rows, columns))
    if view.step in lit:
        lit[view.step].append(Light(Role.PICKED, (i, i), (column, column)))
    return lit


def _operands(settings, step, i, j, c, h, n_tokens, widths):
    """The cells that a cell of `step` is made of: (step, role, rows, columns)."""
    d, dv = settings.d_query, settings.d_value
    words = (0, n_tokens - 1)
    last = Step.MASKED if settings.mask else (
        Step.SCALED if settings.scale.value != "raw" else Step.SCORES
    )
    if settings.qkv:
        queries, keys, values = (Step.QUERIES, 0), (Step.KEYS, 0), (Step.VALUES, 0)
    else:  # each head takes its own slice of the embeddings
        queries = keys = (Step.EMBEDDINGS, h * d)
        values = (Step.EMBEDDINGS, h * dv)

    if step is Step.SCORES:
        (q, a), (k, b) = queries, keys
        return [
            (q, Role.QUERY, (i, i), (a, a + d - 1)),
            (k, Role.KEY, (j, j), (b, b + d - 1)),
        ]
    if step is Step.SCALED:
        return [(Step.SCORES, Role.OPERAND, (i, i), (j, j))]
    if step is Step.MASKED:
        before = Step.SCALED if settings.scale.value != "raw" else Step.SCORES
        return [(before, Role.OPERAND, (i, i), (j, j))]
    if step is Step.WEIGHTS:
        return [(last, Role.OPERAND, (i, i), words)]
    if step is Step.CONTEXT:
        v, a = values
        return [
            (Step.WEIGHTS, Role.OPERAND, (i, i), words),
            (v, Role.VALUE, words, (a + c, a + c)),
        ]
    if step in (Step.QUERIES, Step.KEYS, Step.VALUES):
        w, role, size = {
            Step.QUERIES: (Step.W_Q, Role.QUERY, d),
            Step.KEYS: (Step.W_K, Role.KEY, d),
            Step.VALUES: (Step.W_V, Role.VALUE, dv),
        }[step]
        column = h * size + c
        return [
            (Step.EMBEDDINGS, Role.OPERAND, (i, i), (0, settings.d_model - 1)),
            (w, role, (0, settings.d_model - 1), (column, column)),
        ]
    if step is Step.OUTPUT:
        head, within = divmod(c, dv)
        if settings.has_w_o:
            own = [(Step.W_O, Role.OPERAND, (0, settings.d_joined - 1), (c, c))]
            return own + [(Step.CONTEXT, Role.OPERAND, (i, i), (0, dv - 1))]
        return [(Step.CONTEXT, Role.OPERAND, (i, i), (within, within))] if head == h else []
    return []


def _widths(settings: Settings, n_tokens: int) -> dict[Step, int]:
    return {
        Step.EMBEDDINGS: settings.d_model,
        Step.QUERIES: settings.d_query,
        Step.KEYS: settings.d_query,
        Step.VALUES: settings.d_value,
        Step.CONTEXT: settings.d_value,
        Step.OUTPUT: settings.d_joined,
    } | dict.fromkeys(PAIRS, n_tokens)
