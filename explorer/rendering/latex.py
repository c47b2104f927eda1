"""The arithmetic of one cell as LaTeX. Numbers and symbols only: no word gets in here."""

from __future__ import annotations

from collections.abc import Sequence

from explorer import labels
from explorer.operations.terms import (
    Every,
    Exp,
    Fraction,
    Less,
    Number,
    Product,
    Sum,
    Term,
    Worked,
    Written,
    value,
)

FOLD = 8
"""Terms up to which a sum is written out."""
_NO_NUMBER = r"\text{no number: the total is } 0"


def worked(name: str, work: Worked, decimals: int, largest_first: bool = False) -> str:
    """The lines of one number, each equal to it, the result in bold at their end.

    largest_first: the terms of a long sum by their size, so that what is folded matters least.
    """
    lines = [
        " = ".join(_term(term, decimals, largest_first) for term in line) for line in work.lines
    ]
    result = work.lines[-1][-1]
    if work.undefined:
        lines[-1] += f" = {_NO_NUMBER}"
    elif isinstance(result, Number):
        bold = rf"\mathbf{{{number(result.number, decimals)}}}"
        before = [_term(term, decimals, largest_first) for term in work.lines[-1][:-1]]
        lines[-1] = " = ".join([*before, bold])
    if len(lines) == 1:
        remark = f" {work.remark}" if work.remark else ""
        return f"{work.over}{name} = {lines[0]}{remark}"
    lines[0] += f" {work.remark}" if work.remark else ""
    return _aligned(f"{work.over}{name} &= {lines[0]}", *(f"&= {line}" for line in lines[1:]))


def n_terms(work: Worked) -> int:
    """How many terms its longest sum has."""
    sums = [term for line in work.lines for term in line]
    sums += [part.below for part in sums if isinstance(part, Fraction)]
    return max((len(term.terms) for term in sums if isinstance(term, Sum)), default=0)


def number(value_: float, decimals: int) -> str:
    """A number as it is shown elsewhere, in LaTeX's signs."""
    text = labels.number(value_, decimals)
    text = text.replace("−∞", r"-\infty").replace("∞", r"\infty").replace("−", "-")
    if "e" in text:
        mantissa, power = text.split("e")
        return rf"{mantissa} \cdot 10^{{{power}}}"
    return text.replace("NaN", r"\text{NaN}")


def _term(term: Term, decimals: int, largest_first: bool) -> str:
    def write(part: Term) -> str:
        return _term(part, decimals, largest_first)

    match term:
        case Number(value_, more):
            return number(value_, decimals + more)
        case Written(signs):
            return signs
        case Sum(terms):
            if largest_first and len(terms) > FOLD:
                terms = tuple(sorted(terms, key=lambda part: -abs(value(part))))
            return _added([_in_brackets(write(part)) for part in terms])
        case Less(left, right):
            return f"{write(left)} - {_in_brackets(write(right))}"
        case Every(part):
            return rf"\sum_n {write(part)}"
        case Product(factors):
            return r" \cdot ".join(_in_brackets(write(factor)) for factor in factors)
        case Fraction(above, below):
            return rf"\frac{{{write(above)}}}{{{write(below)}}}"
        case Exp(exponent):
            return f"e^{{{write(exponent)}}}"


def _in_brackets(text: str) -> str:
    """A part of a sum or a product: in brackets if it is negative."""
    return f"({text})" if text.startswith("-") else text


def _added(terms: Sequence[str]) -> str:
    if len(terms) > FOLD:
        more = len(terms) - FOLD
        terms = [*terms[: FOLD - 1], rf"\underbrace{{\cdots}}_{{{more}\text{{ more}}}}", terms[-1]]
    return " + ".join(terms)


def _aligned(*lines: str) -> str:
    return r"\begin{aligned}" + r" \\[8pt] ".join(lines) + r"\end{aligned}"
