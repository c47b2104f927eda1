"""What answers "where does this number come from?": formulas and sentences for one number."""

from __future__ import annotations

from dataclasses import dataclass

from explorer import describe, labels
from explorer.operations.axes import Block
from explorer.operations.matrices import Matrix
from explorer.operations.operation import Seen, cell_of
from explorer.operations.steps import Step
from explorer.operations.terms import Cell, Why, Worked
from explorer.rendering import latex
from explorer.trace import AttentionTrace
from explorer.view import View
from explorer.walks import Computed, matrix_of, opened, operands, step_of

_TOO_LARGE = (
    "The powers of e are too large or too small to write down, so the row’s largest score is "
    "subtracted first. That changes no weight."
)
_AS_COMPUTED = (
    "The row’s largest score is subtracted first. That changes no weight and keeps the powers of e "
    "from becoming too large."
)


@dataclass(frozen=True, slots=True)
class Panel:
    """The answer, part by part.

    said: a sentence of Markdown. formula: LaTeX. aside: a sentence and a formula that say the same
    another way, for those who ask. n_terms: how many terms its longest sum has.
    """

    said: str = ""
    formula: str = ""
    aside: tuple[str, str] | None = None
    n_terms: int = 0
    is_given: bool = False  # there is nothing before it to compute it from


def panel(t: AttentionTrace, view: View, largest_first: bool = False, typed: bool = False) -> Panel:
    """Work out the number that is open. It must be one of a step that can be opened.

    typed: whether the reader typed it.
    """
    step = step_of(t, view.step, view.head)
    assert step is not None
    work = worked(t, step, opened(view, step))
    why = (_unseen(t, view) if step.name == "weights" else None) or work.why
    if why is not None:
        return Panel(_said(why, t, step, view, typed), is_given=why is Why.GIVEN)
    name = named(step.matrix, cell_of(opened(view, step)))

    def write(lines: Worked) -> str:
        return latex.worked(name, lines, view.decimals, largest_first)

    if work.instead is None:
        return Panel(formula=write(work), n_terms=latex.n_terms(work))
    if not work.fits:
        return Panel(_TOO_LARGE, write(work.instead), n_terms=latex.n_terms(work))
    aside = (_AS_COMPUTED, write(work.instead))
    return Panel(formula=write(work), aside=aside, n_terms=latex.n_terms(work))


def written(t: Computed, step: Step, cell: Cell, decimals: int, largest_first: bool = False) -> str:
    """The arithmetic of one number as LaTeX, in a way in which every power can be written down."""
    shown = worked(t, step, cell).writable
    return latex.worked(named(step.matrix, cell_of(cell)), shown, decimals, largest_first)


def worked(t: Computed, step: Step, cell: Cell) -> Worked:
    """The arithmetic of one number, with its operands under the names that the page shows."""
    operation, found = step.operation, operands(t, step, cell_of(cell))
    seen = Seen(
        cell,
        blocks=tuple(operand.given for operand in found),
        signs=tuple(
            named(operand.step.matrix, operand.block, operation.summed(n))
            for n, operand in enumerate(found)
        ),
        of=tuple((operand.step.name, operand.block) for operand in found),
    )
    given = (t.arrays[name] for name in operation.inputs)
    return operation.work(seen, t.arrays[step.name], *given)


def named(matrix: Matrix, block: Block, summed: int | None = None) -> str:
    """A number of a matrix in signs, counted from 1; n where a sum runs over it."""
    indices = [str(part[0] + 1) for part in block[-2:]]
    if summed is not None:
        indices[summed] = "n"
    return f"{matrix.small}_{{{','.join(indices)}}}"


def heading(t: AttentionTrace, view: View) -> str:
    """Name the picked number in words."""
    step = step_of(t, view.step, view.head)
    assert step is not None
    asks, answers = (
        f"“{labels.markdown(describe.word(t.tokens, n))}”" for n in (view.query, view.key)
    )
    name = labels.markdown(step.matrix.cell)
    if step.matrix.is_pairs:
        return f"{name} from {asks} to {answers}"
    return f"{name} of {asks}, feature {view.feature + 1}"


def _unseen(t: AttentionTrace, view: View) -> Why | None:
    """Whether the mask alone decides a weight."""
    if t.sees_nobody[view.query]:
        return Why.BLIND
    return None if t.visible[view.query, view.key] else Why.UNSEEN


def _given(number: str, typed: bool, made_up: bool) -> str:
    if typed:
        return f"**{number}** is what you typed."
    if made_up:
        return (
            f"**{number}** is made up from the word itself and the seed, so the same word always "
            f"has the same vector. In a trained model it would be learned."
        )
    return f"**{number}** is given: the example’s author chose it."


def _said(why: Why, t: AttentionTrace, step: Step, view: View, typed: bool) -> str:
    i, j = view.query, view.key
    asks, answers = (f"“{labels.markdown(t.tokens[n])}”" for n in (i, j))
    value = float(matrix_of(t, step.name, view.head)[opened(view, step)[-2:]])
    number = labels.number(value, view.decimals)
    match why:
        case Why.GIVEN:
            return _given(labels.exact(value), typed, made_up=step.operation.code is not None)
        case Why.KEPT:
            return f"{asks} may see {answers}, so the score stays **{number}**."
        case Why.HIDDEN:
            return (
                f"{asks} may not see {answers}. The score becomes **−∞**, and e to the power of "
                f"−∞ is 0, so {answers} gets no weight."
            )
        case Why.UNSEEN:
            return f"{asks} may not see {answers}, so the weight is **0**."
        case Why.BLIND:
            return f"{asks} may see no word at all, so every weight in its row is **0**."
        case Why.JOINED:
            head, within = divmod(view.feature, t.context.shape[-1])
            return (
                f"The heads’ context vectors stand side by side; this is feature {within + 1} of "
                f"head {head + 1}: **{number}**."
            )
