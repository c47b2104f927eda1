"""How a row of scores becomes weights. Each rule is one row of a table, with all that it knows.

To add one, add its row: link, control, text, arithmetic and programs follow from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from explorer.attention import Array, share_by_total, softmax
from explorer.operations.matrices import WEIGHTS, Matrix
from explorer.operations.operation import Library, transposed
from explorer.operations.terms import (
    Every,
    Exp,
    Fraction,
    Less,
    Number,
    Sum,
    Worked,
    Written,
    value,
)

Work = Callable[[tuple[Number, ...], int], Worked]


@dataclass(frozen=True, slots=True, kw_only=True)
class Normaliser:
    """One rule by which scores, (..., Tq, Tk), become weights; a hidden score is -inf.

    work: the arithmetic of one weight, from the scores of its row that may be seen and the place of
    its own among them.
    """

    title: str  #  in its control
    matrix: Matrix  # what the weights are called, and what they answer
    weights: Callable[[Array], Array]
    work: Work
    formula: Callable[[str, str, bool], str]  # of the weights, from the scores; words as columns?
    program: Callable[[str, str, Library, Array], list[str]]  # lines: the weights, from the scores
    back: Callable[[Array, Array, Array], Array]  # from the gradient, the weights and the scores
    sums_to_1: bool = True
    not_softmax: str = ""  # half a sentence, said beside code that writes the softmax


def _softmax_work(scores: tuple[Number, ...], chosen: int) -> Worked:
    own, total = Exp(scores[chosen]), Sum(tuple(map(Exp, scores)))
    powers = [Number(value(Exp(score)), more=1) for score in scores]
    top = max(scores, key=lambda score: score.number)
    lowered = [value(Exp(Less(score, top))) for score in scores]
    below = value(Sum(tuple(map(Number, lowered))))
    result = Number(lowered[chosen] / below)
    all_lowered = Every(Exp(Less(Written(r"\ldots", 0.0), top)), below)
    lowered_first = Worked(
        (
            (Fraction(Exp(Less(scores[chosen], top)), all_lowered),),
            (Fraction(Number(lowered[chosen], more=1), Number(below, more=1)), result),
        )
    )
    return Worked(
        (
            (Fraction(own, total),),
            (Fraction(powers[chosen], Sum(tuple(powers))),),
            (Fraction(powers[chosen], Number(value(total), more=1)), result),
        ),
        instead=lowered_first,
    )


def _softmax_formula(weights: str, scores: str, turned: bool) -> str:
    if turned:
        of_columns = r"\mathrm{softmax}_{\text{of each column}}"
        return rf"{transposed(weights)} = {of_columns} \allowbreak ({transposed(scores)})"
    return rf"{weights} = \mathrm{{softmax}}({scores})"


def _softmax_program(weights: str, scores: str, library: Library, numbers: Array) -> list[str]:
    blind = np.isneginf(numbers).all(axis=-1).any()
    if library.name == "torch":
        lines = [f"{weights} = torch.softmax({scores}, dim=-1)  # weights"]
        if blind:
            lines.append(
                f"{weights} = {weights}.nan_to_num(0.0)  # a word that may see nobody: 0, not 0/0"
            )
        return lines
    if blind:
        return [
            f"top = {scores}.max(axis=-1, keepdims=True)",
            f"E = np.exp({scores} - np.where(np.isinf(top), 0, top))",
            "total = E.sum(axis=-1, keepdims=True)",
            f"{weights} = E / np.where(total == 0, 1, total)"
            "  # a word that may see nobody: 0, not 0/0",
        ]
    return [
        f"E = np.exp({scores} - {scores}.max(axis=-1, keepdims=True))"
        "  # less the largest: nothing overflows",
        f"{weights} = E / E.sum(axis=-1, keepdims=True)  # weights",
    ]


def _softmax_back(gradient: Array, weights: Array, scores: Array) -> Array:
    return weights * (gradient - (gradient * weights).sum(axis=-1, keepdims=True))


def _total_work(scores: tuple[Number, ...], chosen: int) -> Worked:
    own, total = scores[chosen], value(Sum(scores))
    last = Fraction(own, Number(total))
    first = (Fraction(own, Sum(scores)),)
    if total == 0:
        return Worked((first, (last,)), undefined=True)
    return Worked((first, (last, Number(own.number / total))))


def _total_formula(weights: str, scores: str, turned: bool) -> str:
    where = "" if scores == "S" else rf"\;\; (S = {scores})"
    return rf"a_{{i,j}} = s_{{i,j}} / \textstyle\sum_n s_{{i,n}}{where}"


def _total_program(weights: str, scores: str, library: Library, numbers: Array) -> list[str]:
    numpy, lines = library.name == "numpy", []
    hidden = np.isneginf(numbers)
    shares = scores
    if hidden.any():
        shares, zero = "kept", "0.0" if numpy else "torch.zeros_like(S)"
        lines.append(f"kept = {library.module}.where({scores} == -{library.module}.inf, {zero}, S)")
    over = "axis=-1, keepdims=True" if numpy else "-1, keepdim=True"
    divided = f"{shares} / total"
    if (np.where(hidden, 0, numbers).sum(axis=-1) == 0).any():
        divided = (
            f"np.divide({shares}, total, out=np.full(S.shape, np.nan), where=total != 0)"
            if numpy
            else f"torch.where(total == 0, torch.nan, {shares} / total)"
        )
    lines += [
        f"total = {shares}.sum({over})",
        f"{weights} = {divided}  # each score over its row's total: no softmax",
    ]
    if hidden.any():
        blank = f"{weights}[{scores} == -{library.module}.inf] = 0"
        lines.append(f"{blank}  # a word that may see nobody: 0, not 0/0")
    return lines


def _total_back(gradient: Array, weights: Array, scores: Array) -> Array:
    seen = ~np.isneginf(scores)
    total = np.where(seen, scores, 0).sum(axis=-1, keepdims=True)
    inner = (gradient * weights).sum(axis=-1, keepdims=True)
    return np.where(seen, (gradient - inner) / total, 0)


NORMALISERS: dict[str, Normaliser] = {
    "softmax": Normaliser(
        title="softmax",
        matrix=WEIGHTS,
        weights=softmax,
        work=_softmax_work,
        formula=_softmax_formula,
        program=_softmax_program,
        back=_softmax_back,
    ),
    "total": Normaliser(
        title="plain division",
        matrix=replace(
            WEIGHTS,
            title="Weights A by plain division",
            question="Which share does each key get if a score is simply divided by its row’s "
            "total? It may be negative or more than 1, and at a total of 0 there is none: that is "
            "what the softmax is for.",
        ),
        weights=share_by_total,
        work=_total_work,
        formula=_total_formula,
        program=_total_program,
        back=_total_back,
        sums_to_1=False,
        not_softmax="the page divides by the total now",
    ),
}
"""Every rule by its code, which stands in links and never changes."""
