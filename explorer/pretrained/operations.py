"""What a trained layer does beside attention: projections with a bias, normalisation, activation.

Each holds what it has learned, so that its steps take only what was computed before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from explorer.attention import Array, join_heads, split_heads
from explorer.operations.axes import Side, axes
from explorer.operations.operation import (
    AnyArray,
    Arrays,
    Gradients,
    Library,
    Name,
    Operation,
    Seen,
    Sheet,
    numbers,
    transposed,
)
from explorer.operations.terms import (
    Fraction,
    Less,
    Number,
    Product,
    Sum,
    Worked,
    Written,
    value,
)
from explorer.pretrained import parts


@dataclass(frozen=True, slots=True)
class Linear(Operation):
    """x W + b; cut into heads where `n_heads` is given. `letter` tells this W from others."""

    x: Name
    learned: parts.Linear
    letter: str
    n_heads: int | None = None

    def run(self, *given: AnyArray) -> Array:
        y = self.learned(given[0])
        return y if self.n_heads is None else split_heads(y, self.n_heads)

    @property
    def axes(self) -> tuple[Side, ...]:
        """The weights are no input, so what a number is made of is a row of x."""
        return axes("i n -> i j" if self.n_heads is None else "i n -> n_heads i j")

    def work(self, seen: Seen, out: Array, *given: AnyArray) -> Worked:
        *_, feature = seen.cell
        column = feature if self.n_heads is None else seen.cell[-3] * out.shape[-1] + feature
        weights = tuple(Number(float(number)) for number in self.learned.w[:, column])
        bias = Number(float(self.learned.b[column]), more=1)
        pairs = zip(numbers(seen, 0, given[0]), weights, strict=True)
        products = tuple(map(Product, pairs))
        terms = tuple(Number(value(product), more=1) for product in products)
        total, j = value(Sum((*products, bias))), column + 1
        w, b = f"w^{{{self.letter}}}_{{n,{j}}}", f"b^{{{self.letter}}}_{{{j}}}"
        return Worked(
            (
                (Written(rf"\sum_n {seen.signs[0]}\,{w} + {b}", total),),
                (Sum((*products, bias)),),
                (Sum((*terms, bias)),),
                (Number(total),),
            )
        )

    def formula(self, out: str, *symbols: str, sheet: Sheet) -> str:
        head = "" if self.n_heads is None else ",h"
        w, b = (f"{letter}_{{{self.letter}{head}}}" for letter in "Wb")
        if sheet.turned:
            return f"{transposed(out)} = {transposed(w)} {transposed(symbols[0])} + {transposed(b)}"
        return f"{out} = {symbols[0]} {w} + {b}"

    def program(self, out: str, *names: str, library: Library, arrays: Arrays) -> list[str]:
        return [f"{out} = {names[0]} @ W_{self.letter} + b_{self.letter}"]

    def back(self, gradient: Array, out: Array, *given: AnyArray) -> Gradients:
        whole = gradient if self.n_heads is None else join_heads(gradient)
        return (whole @ self.learned.w.T,)


@dataclass(frozen=True, slots=True)
class Normal(Operation):
    """Layer normalisation: the mean 0 and the variance 1, then a gain and a shift."""

    reads: ClassVar[str] = "i all -> i j"

    x: Name
    learned: parts.Norm
    letter: str

    def run(self, *given: AnyArray) -> Array:
        return self.learned(given[0])

    def work(self, seen: Seen, out: Array, *given: AnyArray) -> Worked:
        row, n = numbers(seen, 0, given[0]), seen.cell[-1]
        features = np.array([number.number for number in row])
        mean = Number(float(features.mean()), more=1)
        root = Number(float(np.sqrt(features.var() + self.learned.epsilon)), more=1)
        gain, shift = (Number(float(w[n]), more=1) for w in (self.learned.gain, self.learned.shift))
        unit = Fraction(Less(row[n], mean), root)
        total = value(Sum((Product((gain, unit)), shift)))
        place = f"{{{n + 1}}}"
        signs = (
            rf"\gamma_{place}\,\frac{{{seen.signs[0]} - \mu}}{{\sqrt{{\sigma^2 + \epsilon}}}}"
            rf" + \beta_{place}"
        )
        return Worked(
            ((Written(signs, total),), (Sum((Product((gain, unit)), shift)), Number(total)))
        )

    def formula(self, out: str, *symbols: str, sheet: Sheet) -> str:
        each = r"\mathrm{norm}_{\text{of each column}}" if sheet.turned else r"\mathrm{norm}"
        left, x = map(transposed, (out, symbols[0])) if sheet.turned else (out, symbols[0])
        return f"{left} = {each}({x})"

    def program(self, out: str, *names: str, library: Library, arrays: Arrays) -> list[str]:
        over = f"({library.axis}=-1, {library.keep}=True)"
        return [
            f"centred = {names[0]} - {names[0]}.mean{over}",
            f"root = ((centred**2).mean{over} + {self.learned.epsilon!r}) ** 0.5",
            f"{out} = centred / root * gain_{self.letter} + shift_{self.letter}",
        ]

    def back(self, gradient: Array, out: Array, *given: AnyArray) -> Gradients:
        (x,), n = given, given[0].shape[-1]
        centred = x - x.mean(axis=-1, keepdims=True)
        root = np.sqrt(x.var(axis=-1, keepdims=True) + self.learned.epsilon)
        unit, to_unit = centred / root, gradient * self.learned.gain
        # Moving one number also moves the mean of its row, and the variance.
        by_mean = to_unit.sum(axis=-1, keepdims=True) / n
        by_variance = unit * (to_unit * unit).sum(axis=-1, keepdims=True) / n
        return ((to_unit - by_mean - by_variance) / root,)


@dataclass(frozen=True, slots=True)
class Activate(Operation):
    """Each number lets through a share of itself."""

    signs: ClassVar[str] = r"\mathrm{{{self.activation.name}}}({0})"

    x: Name
    activation: parts.Activation

    def run(self, *given: AnyArray) -> Array:
        return self.activation(given[0])

    def work(self, seen: Seen, out: Array, *given: AnyArray) -> Worked:
        (x,) = numbers(seen, 0, given[0])
        result = float(out[seen.cell])
        share = Number(result / x.number if x.number else 0.0, more=1)
        signs = Written(rf"\mathrm{{{self.activation.name}}}({seen.signs[0]})", result)
        return Worked(((signs, Product((x, share)), Number(result)),))

    def program(self, out: str, *names: str, library: Library, arrays: Arrays) -> list[str]:
        return [f"{out} = {self.activation.program(names[0], library.module)}"]

    def helper(self, library: Library, arrays: Arrays) -> list[str]:
        return ["import math"] if library.name == "numpy" else []

    def back(self, gradient: Array, out: Array, *given: AnyArray) -> Gradients:
        return (gradient * self.activation.slope(given[0]),)
