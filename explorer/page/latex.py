"""The arithmetic of one cell as LaTeX. Numbers and symbols only: no word gets in here."""

from __future__ import annotations

from explorer import labels, worked

FOLD = 8
"""Terms up to which a sum is written out."""


def dot_product(
    name: str,
    sum_: worked.DotProduct,
    symbols: tuple[str, str],
    decimals: int,
    largest_first: bool = False,
) -> str:
    """A sum of products: the symbols, the numbers, the products, the result.

    largest_first: the terms by their size, so that what is folded is what matters least.
    """
    left, right = symbols
    terms = list(zip(sum_.left, sum_.right, sum_.products, strict=True))
    if largest_first:
        terms.sort(key=lambda term: -abs(term[2]))
    factors = [rf"{_factor(a, decimals)} \cdot {_factor(b, decimals)}" for a, b, _ in terms]
    products = [_factor(product, decimals + 1) for _, _, product in terms]
    return _aligned(
        rf"{name} &= \sum_n {left}\,{right}",
        rf"&= {_added(factors)}",
        rf"&= {_added(products)}",
        rf"&= \mathbf{{{number(sum_.value, decimals)}}}",
    )


def scaling(name: str, scaling_: worked.Scaling, before: str, d_k: int, decimals: int) -> str:
    """A score divided by the square root of d_k."""
    return _aligned(
        rf"{name} &= \frac{{{before}}}{{\sqrt{{d_k}}}} = "
        rf"\frac{{{number(scaling_.score, decimals + 1)}}}{{\sqrt{{{d_k}}}}}",
        rf"&= {number(scaling_.score, decimals + 1)} \cdot {number(scaling_.factor, decimals + 1)}",
        rf"&= \mathbf{{{number(scaling_.value, decimals)}}}",
    )


def plus(name: str, left: float, right: float, decimals: int) -> str:
    """One number and another."""
    return (
        f"{name} = {number(left, decimals + 1)} + {_factor(right, decimals + 1)}"
        rf" = \mathbf{{{number(left + right, decimals)}}}"
    )


def turn(
    name: str, sum_: worked.DotProduct, place: int, feature: int, d_k: int, decimals: int
) -> str:
    """A feature of a query or key, turned together with its partner by the angle of its place."""
    if len(sum_.left) == 1:
        return rf"{name} = \mathbf{{{number(sum_.value, decimals)}}} \quad \text{{(no partner)}}"
    angle = rf"\theta = {place} / 10000^{{{feature - feature % 2}/{d_k}}}"
    parts = (
        (r"\cos\theta", r"(-\sin\theta)") if feature % 2 == 0 else (r"\sin\theta", r"\cos\theta")
    )
    terms = [
        rf"{_factor(value, decimals)} \cdot {part}"
        for value, part in zip(sum_.left, parts, strict=True)
    ]
    numbers = [
        rf"{_factor(a, decimals)} \cdot {_factor(b, decimals + 1)}"
        for a, b in zip(sum_.left, sum_.right, strict=True)
    ]
    return _aligned(
        rf"{name} &= {_added(terms)} \qquad {angle}",
        rf"&= {_added(numbers)}",
        rf"&= \mathbf{{{number(sum_.value, decimals)}}}",
    )


def total(name: str, total_: worked.Total, decimals: int) -> str:
    """A score over the total of its row."""
    own = number(total_.scores[total_.chosen], decimals)
    terms = [_factor(score, decimals) for score in total_.scores]
    end = r"\text{no number: the total is } 0"
    if total_.total:
        end = rf"\mathbf{{{number(total_.scores[total_.chosen] / total_.total, decimals)}}}"
    return _aligned(
        rf"{name} &= \frac{{{own}}}{{{_added(terms)}}}",
        rf"&= \frac{{{own}}}{{{number(total_.total, decimals)}}} = {end}",
    )


def softmax(name: str, softmax_: worked.Softmax, decimals: int, largest_first: bool = False) -> str:
    """One exponential over the sum of those that may be seen; `largest_first` as above."""
    seen = [
        (s, e)
        for s, e in zip(softmax_.scores, softmax_.exponentials, strict=True)
        if s != float("-inf")
    ]
    if largest_first:
        seen.sort(reverse=True)
    exponents = [f"e^{{{number(score, decimals)}}}" for score, _ in seen]
    terms = [number(exponential, decimals + 1) for _, exponential in seen]
    chosen = softmax_.chosen
    own = number(softmax_.scores[chosen], decimals)
    return _aligned(
        rf"{name} &= \frac{{e^{{{own}}}}}{{{_added(exponents)}}}",
        rf"&= \frac{{{number(softmax_.exponentials[chosen], decimals + 1)}}}{{{_added(terms)}}}",
        rf"&= \frac{{{number(softmax_.exponentials[chosen], decimals + 1)}}}"
        rf"{{{number(softmax_.total, decimals + 1)}}}"
        rf" = \mathbf{{{number(softmax_.value, decimals)}}}",
    )


def shifted_softmax(name: str, softmax_: worked.Softmax, decimals: int) -> str:
    """The same with the row's largest score subtracted first, as it is computed."""
    own = softmax_.scores[softmax_.chosen]
    return _aligned(
        rf"{name} &= \frac{{e^{{{number(own, decimals)} - {_factor(softmax_.top, decimals)}}}}}"
        rf"{{\sum_n e^{{\ldots - {_factor(softmax_.top, decimals)}}}}}",
        rf"&= \frac{{{number(softmax_.shifted[softmax_.chosen], decimals + 1)}}}"
        rf"{{{number(softmax_.shifted_total, decimals + 1)}}}"
        rf" = \mathbf{{{number(softmax_.value, decimals)}}}",
    )


def average(name: str, weights: worked.Numbers, decimals: int) -> str:
    """The heads' weights, added up and divided by the number of heads."""
    terms = _added([number(weight, decimals + 1) for weight in weights])
    return _aligned(
        rf"\bar {name} &= \frac{{1}}{{H}} \sum_h {name}^{{(h)}} = "
        rf"\frac{{{terms}}}{{{len(weights)}}}",
        rf"&= \mathbf{{{number(sum(weights) / len(weights), decimals)}}}",
    )


def number(value: float, decimals: int) -> str:
    """A number as it is shown elsewhere, in LaTeX's signs."""
    text = labels.number(value, decimals)
    text = text.replace("−∞", r"-\infty").replace("∞", r"\infty").replace("−", "-")
    if "e" in text:
        mantissa, power = text.split("e")
        return rf"{mantissa} \cdot 10^{{{power}}}"
    return text.replace("NaN", r"\text{NaN}")


def _factor(value: float, decimals: int) -> str:
    """A number within a product or a sum: in brackets if it is negative."""
    text = number(value, decimals)
    return f"({text})" if text.startswith("-") else text


def _added(terms: list[str]) -> str:
    if len(terms) > FOLD:
        more = len(terms) - FOLD
        terms = [*terms[: FOLD - 1], rf"\underbrace{{\cdots}}_{{{more}\text{{ more}}}}", terms[-1]]
    return " + ".join(terms)


def _aligned(*lines: str) -> str:
    return r"\begin{aligned}" + r" \\[8pt] ".join(lines) + r"\end{aligned}"
