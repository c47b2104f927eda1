"""The arithmetic behind one number, as it is written on paper: numbers and what is done to them.

Nothing here is rounded and nothing is marked up. `value` works a term out; `explorer.rendering`
writes it down.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

Cell = tuple[int, ...]
"""Where a number stands: an index for each axis of its array."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a matrix, or the result of a line before."""

    number: float
    more: int = 0  # decimals that are written beyond those of the page
    of: tuple[str, Cell] | None = None  # the matrix that holds it, and where


@dataclass(frozen=True, slots=True)
class Written:
    """A part that is written in signs (LaTeX), and what it stands for."""

    latex: str
    number: float


@dataclass(frozen=True, slots=True)
class Sum:
    """terms[0] + terms[1] + ..."""

    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Less:
    """left - right."""

    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Every:
    """One term for every n, added up: it is written once, and its sum is known."""

    term: Term
    number: float


@dataclass(frozen=True, slots=True)
class Product:
    """factors[0] * factors[1] * ..."""

    factors: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Fraction:
    """above / below."""

    above: Term
    below: Term


@dataclass(frozen=True, slots=True)
class Exp:
    """e to the power of a number."""

    exponent: Term


Term = Number | Written | Sum | Less | Every | Product | Fraction | Exp


class Why(StrEnum):
    """What there is to say of a number that no arithmetic stands behind."""

    GIVEN = "given"  #      it is where all others come from
    KEPT = "kept"  #        the key may be seen, so its score stays
    HIDDEN = "hidden"  #    the key may not be seen, so its score is minus infinity
    UNSEEN = "unseen"  #    the key may not be seen, so its weight is 0
    BLIND = "blind"  #      the query may see no key at all
    JOINED = "joined"  #    a feature of one of the heads that stand side by side


@dataclass(frozen=True, slots=True)
class Worked:
    """How one number comes about: lines that all have the same value, the result last.

    The terms of a line are equal too: they are written with = between them.
    """

    lines: tuple[tuple[Term, ...], ...] = ()
    remark: str = ""  #        LaTeX that stands behind the first line
    undefined: bool = False  # there is no result: a division by 0
    why: Why | None = None  #  what is said in the place of lines
    over: str = ""  #          LaTeX over the number's name, such as a bar
    instead: Worked | None = None
    """The same in another way, in which no power is too large to write down."""

    @property
    def fits(self) -> bool:
        """Whether every number can be written down: powers of e may be infinite, or all be 0."""
        return all(_is_writable(term) for line in self.lines for term in line)

    @property
    def writable(self) -> Worked:
        """This, or the same in the way that can be written down."""
        return self if self.fits or self.instead is None else self.instead


def value(term: Term) -> float:
    """What a term comes to. A power too large for a float is infinite; 0 / 0 is NaN."""
    match term:
        case Number(number) | Written(_, number) | Every(_, number):
            return number
        case Less(left, right):
            return value(left) - value(right)
        case Sum(terms):
            total = 0.0
            for part in terms:  # one after the other: `sum` corrects its rounding since Python 3.12
                total += value(part)
            return total
        case Product(factors):
            return math.prod(map(value, factors))
        case Fraction(above, below):
            divisor = value(below)
            return value(above) / divisor if divisor else math.nan
        case Exp(exponent):
            return power(value(exponent))


def power(exponent: float) -> float:
    """e to the power of a number; infinite where that is too large for a float."""
    try:
        return math.exp(exponent)
    except OverflowError:
        return math.inf


def dot_product(signs: str, left: tuple[Number, ...], right: tuple[Term, ...]) -> Worked:
    """A sum of products: the signs, the numbers, the products, the result."""
    products = tuple(Product(pair) for pair in zip(left, right, strict=True))
    total = value(Sum(products))
    return Worked(
        (
            (Written(signs, total),),
            (Sum(products),),
            (Sum(tuple(Number(value(product), more=1) for product in products)),),
            (Number(total),),
        )
    )


def _is_writable(term: Term) -> bool:
    match term:
        case Number(number) | Written(_, number) | Every(_, number):
            return not math.isinf(number)
        case Less(left, right):
            return _is_writable(left) and _is_writable(right)
        case Fraction(above, below):
            return value(below) != 0 and _is_writable(above) and _is_writable(below)
        case Sum(parts) | Product(parts):
            return all(map(_is_writable, parts))
        case Exp(exponent):
            return math.isfinite(power(value(exponent)))
