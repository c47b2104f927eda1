"""The arithmetic of one cell as plain text, for where no formula can be typeset."""

from __future__ import annotations

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
)


def worked(work: Worked, decimals: int) -> list[str]:
    """The lines of one number in digits; what stands there in signs alone is left out."""
    lines = [[term for term in line if not isinstance(term, Written)] for line in work.lines]
    return [" = ".join(_term(term, decimals) for term in line) for line in lines if line]


def _term(term: Term, decimals: int) -> str:
    def write(part: Term) -> str:
        text = _term(part, decimals)
        return f"({text})" if isinstance(part, Sum | Less) else text

    match term:
        case Number(number, more):
            return labels.number(number, decimals + more)
        case Written(signs):
            return signs.replace("\\", "")
        case Sum(terms):
            return " + ".join(map(write, terms))
        case Less(left, right):
            return f"{write(left)} − {write(right)}"
        case Every(part):
            return f"sum of {write(part)}"
        case Product(factors):
            return " · ".join(map(write, factors))
        case Fraction(above, below):
            return f"{write(above)} / {write(below)}"
        case Exp(exponent):
            return f"e^{write(exponent)}"
