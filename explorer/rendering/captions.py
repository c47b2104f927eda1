"""What is said beside each matrix: its title, its question, its formula, its shape."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from explorer.operations.operation import Sheet
from explorer.operations.steps import Step
from explorer.trace import AttentionTrace


@dataclass(frozen=True, slots=True)
class Caption:
    """The words of one step. `formula` is LaTeX without any word of the reader's."""

    title: str
    question: str
    formula: str
    shapes: str
    function: Callable[..., Any] | None


def caption(t: AttentionTrace, step: Step, head: int | None, turned: bool = False) -> Caption:
    """Put one step into words, with the sizes of this experiment.

    turned: words are columns, so every matrix and its formula are transposed.
    """
    matrix, operation = step.matrix, step.operation
    row, column = ("column", "row") if turned else ("row", "column")
    question = matrix.question.format(row=row, column=column)
    if matrix.name == "scores" and _is_cut(t):
        x = _step(t, "inputs" if "inputs" in t.arrays else "embeddings").matrix.symbol
        question += f" {x}_h is the part of {x} that belongs to the head."
    sheet = Sheet(turned, t.arrays[step.name].shape, head, t.n_heads)
    given = [t.arrays[name] for name in operation.inputs]
    fact = operation.fact(sheet, t.arrays[step.name], *given)
    question += f" {fact}" if fact else ""
    inputs = [one for name in operation.inputs for one in t.steps if one.name == name]
    return Caption(
        title=matrix.title,
        question=question,
        formula=operation.formula(
            symbol(t, step), *(symbol(t, other) for other in inputs), sheet=sheet
        ),
        shapes=_shapes(t, step, sheet),
        function=operation.code,
    )


def symbol(t: AttentionTrace, step: Step) -> str:
    """What the matrix of a step is called in formulas; h is the head, where there are several.

    What is not drawn is called as what it is taken from.
    """
    name = step.matrix.symbol
    if not step.shown and step.by_head:
        (of,) = step.operation.inputs
        name = _step(t, of).matrix.symbol
    return f"{name}_h" if step.by_head and t.n_heads > 1 else name


def _shapes(t: AttentionTrace, step: Step, sheet: Sheet) -> str:
    given = [t.arrays[name] for name in step.operation.inputs]
    out = t.arrays[step.name]
    rows, columns = sheet.shape[-2:]
    note = step.operation.note(sheet, out, *given)
    here = "" if t.n_heads == 1 or sheet.head is None or not step.by_head else _of(sheet.head)
    if sheet.turned:
        return f"{here}{columns} × {rows}{note}"
    if step.matrix.unit:
        return f"{rows} {step.matrix.unit} × {columns} features"
    factors = [f"{n} × {m}" for n, m in step.operation.factors(out, *given)]
    product = f"{' · '.join(factors)} = " if factors else ""
    return f"{here}{product}{rows} × {columns}{note}"


def _of(head: int) -> str:
    return f"head {head + 1}: "


def _is_cut(t: AttentionTrace) -> bool:
    """Whether heads take their part of the words as they are."""
    return t.n_heads > 1 and not _step(t, "queries").shown


def _step(t: AttentionTrace, name: str) -> Step:
    return next(step for step in t.steps if step.name == name)
