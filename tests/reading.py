"""All that the tests of formulas, lights and trail ask of the product, in one place.

An experiment that has been run, its cells, and what the page says of each: nothing else here knows
which module of the product says it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from explorer import walks
from explorer.operations.matrices import Role
from explorer.page import attention_view
from explorer.page import handout as handouts
from explorer.rendering import captions, latex
from explorer.rendering import panel as panels
from explorer.settings import D_MODEL, Mask, Settings
from explorer.trace import AttentionTrace, trace
from explorer.view import View

DECIMALS = 6
FOLD = latex.FOLD
Cell = tuple[int, int]


@dataclass(frozen=True, eq=False, slots=True)
class Run:
    """One experiment with all its numbers."""

    name: str
    settings: Settings
    trace: AttentionTrace
    arrays: dict[tuple[str, int | None], np.ndarray]
    order: dict[int | None, tuple[str, ...]]
    """For each head, and None for their average, its steps in the order of computing."""

    @property
    def heads(self) -> range:
        return range(self.settings.n_heads)

    @property
    def visible(self) -> np.ndarray:
        """(T, T), True where the query may see the key."""
        return self.trace.visible


def run(name: str, settings: Settings) -> Run:
    t = trace(settings)
    order = {
        head: tuple(step.name for step in walks.drawn(t.steps, head))
        for head in (*range(settings.n_heads), None)
    }
    arrays = {
        (step, head): walks.matrix_of(t, step, head)
        for head, here in order.items()
        for step in here
    }
    return Run(name, settings, t, arrays, order)


def identity(run: Run, step: str, head: int | None) -> tuple[object, ...]:
    """All that a step's panel can know: what is done to which numbers, and what comes of it.

    Many experiments differ in nothing that leads to a number; what is said of it is read once.
    """
    found = walks.step_of(run.trace, step, head)
    assert found is not None
    names = (step, *found.operation.inputs)
    numbers = tuple(run.trace.arrays[name].tobytes() for name in names)
    shown = tuple(other.name for other in walks.drawn(run.trace.steps, head))
    return step, head, repr(found.operation), numbers, shown[: shown.index(step)]


def structure(run: Run) -> tuple[object, ...]:
    """All that a walk can know: which steps there are, what each takes, how large they are."""
    return tuple(
        (step.name, step.shown, repr(step.operation), run.trace.arrays[step.name].shape)
        for step in run.trace.steps
    )


def steps(run: Run, head: int | None = 0) -> tuple[str, ...]:
    """All steps, the given matrices among them, in the order of computing."""
    return run.order[head]


def array(run: Run, step: str, head: int | None) -> np.ndarray:
    """The matrix that is drawn for a step, words as rows; `head` None: of the average."""
    return run.arrays[step, head]


def drawn(run: Run, head: int | None) -> dict[str, np.ndarray]:
    """The numbers of every matrix that the page draws, by step."""
    shown = attention_view.shown_steps(run.trace, run.settings, View(head=head))
    return {matrix.step.name: matrix.numbers for matrix in shown}


def is_given(step: str) -> bool:
    """Whether a step's matrix is given and has no cell to open."""
    return step.startswith("w_")


def has_keys(step: str) -> bool:
    """Whether a step has a column for each key."""
    return step in ("scores", "scaled", "bias", "biased", "cooled", "masked", "weights")


def openable(run: Run, head: int | None) -> tuple[str, ...]:
    """The steps whose cells can be opened."""
    return tuple(step for step in run.order[head] if not is_given(step))


def view(run: Run, step: str, cell: Cell, head: int | None) -> View:
    """The view that has this cell open.

    The column that the step has not, key or feature, is what was open before: the last word, or a
    feature that no other step need have.
    """
    last_word, far_off = len(run.settings.tokens) - 1, D_MODEL[-1]
    key, feature = (cell[1], far_off) if has_keys(step) else (last_word, cell[1])
    return View(step=step, query=cell[0], key=key, feature=feature, head=head, decimals=DECIMALS)


def cells(run: Run, head: int | None) -> Iterator[tuple[View, Cell]]:
    """Every cell that can be opened."""
    for step in openable(run, head):
        n_rows, n_columns = array(run, step, head).shape
        for i in range(n_rows):
            for c in range(n_columns):
                yield view(run, step, (i, c), head), (i, c)


def some_cells(run: Run, head: int | None, count: int) -> list[tuple[View, Cell]]:
    """Every cell of an experiment that has every step; else one of each step, in one head.

    Another one for each `count`. For what hangs on the settings alone and takes its time.
    """
    if run.settings.mask == tuple(Mask) and run.settings.temperature != 1:
        return list(cells(run, head))
    if head != count // 7 % run.settings.n_heads:  # out of step with the table's own rhythm
        return []
    shapes = {step: array(run, step, head).shape for step in openable(run, head)}
    places = {step: divmod(count % (n * m), m) for step, (n, m) in shapes.items()}
    return [(view(run, step, place, head), place) for step, place in places.items()]


def panel(run: Run, view: View, **how: bool) -> tuple[list[str], list[str]]:
    """What the panel says of an open cell: its formulas in LaTeX, and its sentences."""
    said = panels.panel(run.trace, view, **how)
    formulas = [said.formula] if said.formula else []
    sentences = [said.said] if said.said else []
    if said.aside:
        sentences.append(said.aside[0])
        formulas.append(said.aside[1])
    return formulas, sentences


def on_paper(run: Run, view: View) -> list[str]:
    """The lines of the same number in the page's printed file, in plain signs."""
    return handouts.arithmetic(run.trace, view)[1]


@dataclass(frozen=True, slots=True)
class Caption:
    """What stands beside a step's matrix."""

    question: str
    formula: str
    shapes: str


def caption(run: Run, step: str, head: int | None, turned: bool) -> Caption:
    """turned: words are columns."""
    found = walks.step_of(run.trace, step, head)
    assert found is not None
    told = captions.caption(run.trace, found, head, turned)
    return Caption(told.question, told.formula, told.shapes)


def lit(run: Run, view: View) -> dict[str, list[tuple[slice, slice]]]:
    """The blocks of cells that are lit as operands of the open cell, by step."""
    found: dict[str, list[tuple[slice, slice]]] = {}
    for step, blocks in walks.lights(run.trace, view).items():
        for block in blocks:
            if block.role not in (Role.ROW, Role.PICKED):
                rows, columns = (slice(a, b + 1) for a, b in (block.rows, block.columns))
                found.setdefault(step, []).append((rows, columns))
    return found


def made_of(run: Run, view: View) -> list[View]:
    return [replace(view, **place) for place in walks.made_of(run.trace, view)]


def feeds(run: Run, view: View) -> list[View]:
    return [replace(view, **place) for place in walks.feeds(run.trace, view)]


def cell(view: View) -> Cell:
    """The row and the column of the open cell."""
    return view.query, view.key if has_keys(view.step) else view.feature
