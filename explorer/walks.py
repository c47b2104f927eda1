"""Walks over the steps of an experiment: what a number is made of, what it feeds, what lights up.

Steps that are not drawn only hand the numbers of one step on: a walk goes through them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from explorer.attention import Array
from explorer.operations.axes import Block
from explorer.operations.basic import Average
from explorer.operations.matrices import AVERAGE, Axis, Role
from explorer.operations.operation import AnyArray, cell_of
from explorer.operations.steps import Step
from explorer.operations.terms import Cell
from explorer.trace import AttentionTrace
from explorer.view import View

Place = dict[str, Any]
"""Controls that open another number: the step, and what else is not as it is now."""
Span = tuple[int, int]
"""The first and the last of a range of rows or columns."""


class Computed(Protocol):
    """Steps and their numbers: of an experiment, or of a layer of a trained model."""

    @property
    def steps(self) -> tuple[Step, ...]:
        """What was computed, in order."""

    @property
    def arrays(self) -> Mapping[str, AnyArray]:
        """The numbers of each step, by its name."""


@dataclass(frozen=True, slots=True)
class Light:
    """A block of cells, and why it is lit."""

    role: Role
    rows: Span
    columns: Span


Lights = dict[str, list[Light]]


@dataclass(frozen=True, slots=True)
class Operand:
    """Cells that a cell is made of: of an input, and where a step that is drawn has them."""

    given: Block
    step: Step
    block: Block
    role: Role


def drawn(steps: tuple[Step, ...], head: int | None) -> tuple[Step, ...]:
    """The steps that the page draws, in the order in which they are computed.

    Of the average over the heads (`head` None) there are only the weights: what leads to them and
    what comes of them belongs to one head.
    """
    shown = tuple(step for step in steps if step.shown)
    if head is not None:
        return shown
    average = Step(AVERAGE, Average("weights"))
    return tuple(
        average if step.name == "weights" else step
        for step in shown
        if step.name == "weights" or not step.by_head
    )


def step_of(t: AttentionTrace, name: str, head: int | None) -> Step | None:
    """The step of this name, if it is drawn."""
    return next((step for step in drawn(t.steps, head) if step.name == name), None)


def openable(t: AttentionTrace, head: int | None) -> tuple[str, ...]:
    """The steps whose numbers can be opened to where they come from."""
    return tuple(step.name for step in drawn(t.steps, head) if not step.matrix.is_learned)


def matrix_of(t: AttentionTrace, name: str, head: int | None) -> Array:
    """The numbers of a step as a matrix: of one head, or with None the average over all."""
    array = t.arrays[name]
    if array.ndim == 2:
        return array
    return array.mean(axis=0) if head is None else array[head]


def n_features(t: AttentionTrace, name: str) -> int:
    """How many columns a step has, where its columns are features. Else those of the context."""
    step = next(step for step in t.steps if step.name == name)
    return t.arrays["context" if step.matrix.is_pairs else name].shape[-1]


def opened(view: View, step: Step) -> Cell:
    """Where the opened number stands in the array of a step."""
    column = view.key if step.matrix.axes[1] is Axis.KEY else view.feature
    lead = (view.head or 0,) if step.by_head else ()
    return (*lead, view.query, column)


def operands(t: Computed, step: Step, block: Block) -> list[Operand]:
    """The cells that a block of a step is made of, one for each input that is drawn."""
    names = step.operation.inputs
    parts = step.operation.operands(block, *(t.arrays[name] for name in names))
    found = (_drawn_operand(t, *pair) for pair in zip(names, parts, strict=True))
    return [operand for operand in found if operand is not None]


def _drawn_operand(t: Computed, name: str, block: Block) -> Operand | None:
    """Go through steps that are not drawn. What is no step at all, as the mask, has no cells."""
    step = next((step for step in t.steps if step.name == name), None)
    if step is None:
        return None
    if step.shown:
        return Operand(block, step, block, step.matrix.role)
    (before,) = operands(t, step, block)
    role = before.role if step.matrix.role is Role.OPERAND else step.matrix.role
    return Operand(block, before.step, before.block, role)


def readers(t: AttentionTrace, name: str, block: Block) -> Iterator[tuple[Step, Block]]:
    """The drawn steps that a block goes into, each with the cells that hang on it."""
    for step in t.steps:
        names = step.operation.inputs
        for which in (n for n, input_ in enumerate(names) if input_ == name):
            given = (t.arrays[input_] for input_ in names)
            part = step.operation.readers(which, block, t.arrays[step.name], *given)
            if step.shown:
                yield step, part
            else:
                yield from readers(t, step.name, part)


def made_of(t: AttentionTrace, view: View) -> list[Place]:
    """The numbers from which the open one is computed, one of each kind."""
    step = step_of(t, view.step, view.head)
    if step is None or view.head is None:
        return []
    found = [
        _place(operand.step, operand.block, view, among=view.key)
        for operand in operands(t, step, cell_of(opened(view, step)))
        if not operand.step.matrix.is_learned
    ]
    # A word that meets itself is one number, and not two.
    return [place for n, place in enumerate(found) if place not in found[:n]]


def feeds(t: AttentionTrace, view: View) -> list[Place]:
    """The numbers that are computed from the open one, one of each kind."""
    step = step_of(t, view.step, view.head)
    if step is None or view.head is None:
        return []
    block = cell_of(opened(view, step))
    found = [
        _place(reader, part, view, among=view.query)
        for reader, part in readers(t, step.name, block)
    ]
    return list({place["step"]: place for place in reversed(found)}.values())[::-1]


def lights(t: AttentionTrace, view: View) -> Lights:
    """Light the query's row in every matrix of words, the picked cell and what it is made of."""
    lit: Lights = {}
    for step in drawn(t.steps, view.head):
        width = t.arrays[step.name].shape[-1]
        row = Light(Role.ROW, (view.query, view.query), (0, width - 1))
        lit[step.name] = [] if step.matrix.is_learned else [row]
    picked = step_of(t, view.step, view.head)
    if picked is None or picked.matrix.is_learned:
        return lit
    cell = opened(view, picked)
    if view.head is not None:
        for operand in operands(t, picked, cell_of(cell)):
            heads = operand.block[0] if operand.step.by_head else (view.head,)
            if view.head in heads:  # of other heads nothing is drawn
                rows, columns = operand.block[-2:]
                # Cells that leave some out between them are lit one by one.
                spans = [_span(columns)] if columns.step == 1 else [(c, c) for c in columns]
                lit[operand.step.name] += [Light(operand.role, _span(rows), s) for s in spans]
    *_, i, j = cell
    lit[picked.name].append(Light(Role.PICKED, (i, i), (j, j)))
    return lit


def _place(step: Step, block: Block, view: View, among: int) -> Place:
    """One number of a block: the head and the key that are chosen, if they are among its own.

    among: the word to take where the block has the rows of all.
    """
    *lead, rows, columns = block
    place: Place = {"query": among if among in rows else rows[0]}
    if step.matrix.axes[1] is Axis.KEY:
        place["key"] = view.key if view.key in columns else columns[0]
    else:
        place["feature"] = columns[0]
    for heads in lead:
        place["head"] = view.head if view.head in heads else heads[0]
    changed = {name: value for name, value in place.items() if getattr(view, name) != value}
    return {"step": step.name} | changed


def _span(part: range) -> Span:
    return part[0], part[-1]
