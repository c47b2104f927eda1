"""The operations of the paper's attention: products, sums, the mask, the heads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from explorer import attention, embeddings
from explorer.attention import Array
from explorer.operations.normalisers import NORMALISERS, Normaliser
from explorer.operations.operation import (
    TORCH,
    AnyArray,
    Arrays,
    Gradients,
    Library,
    Name,
    Operation,
    Seen,
    Sheet,
    at,
    dot,
    fitted,
    numbers,
    sized,
    transposed,
)
from explorer.operations.terms import (
    Fraction,
    Number,
    Product,
    Sum,
    Why,
    Worked,
    Written,
    value,
)


@dataclass(frozen=True, slots=True)
class Given(Operation):
    """Numbers that everything else is computed from. identity: they are those of the matrix I."""

    is_given: ClassVar[bool] = True

    identity: bool = False

    def work(self, seen: Seen, out: Array, *given: AnyArray) -> Worked:
        return Worked(why=Why.GIVEN)

    def formula(self, out: str, *symbols: str, sheet: Sheet) -> str:
        if sheet.turned:
            return transposed(out)
        return f"{out} = I" if self.identity else sized(out, sheet.shape)


@dataclass(frozen=True, slots=True)
class Generated(Given):
    """Numbers that were made up from the words and the seed."""

    ran = staticmethod(embeddings.generated)


@dataclass(frozen=True, slots=True)
class Drawn(Given):
    """A matrix that was made up from the seed."""

    ran = staticmethod(embeddings.projections)


@dataclass(frozen=True, slots=True)
class Multiply(Operation):
    """A matrix product: rows of the one with columns of the other."""

    line: ClassVar[str] = "{0} @ {1}"
    reads: ClassVar[str] = "i n, n j -> i j"

    left: Name
    right: Name
    product: attention.Product = attention.multiply

    def run(self, *given: AnyArray) -> Array:
        return self.product(*given)

    def formula(self, out: str, *symbols: str, sheet: Sheet) -> str:
        left, right = symbols[:2]
        return _product(out, left, right, sheet.turned)

    def back(self, gradient: Array, out: Array, *given: AnyArray) -> Gradients:
        left, right = given[:2]
        to_left = self.product(gradient, right.swapaxes(-1, -2))
        to_right = self.product(left.swapaxes(-1, -2), gradient)
        return fitted(to_left, left), fitted(to_right, right), *(None for _ in given[2:])


@dataclass(frozen=True, slots=True)
class Score(Multiply):
    """Each query with each key: rows of the one with rows of the other."""

    ran = staticmethod(attention.score)
    line: ClassVar[str] = "{0} @ {1}.T"
    reads: ClassVar[str] = "i n, j n -> i j"

    def run(self, *given: AnyArray) -> Array:
        queries, keys = given
        return attention.score(queries, keys, self.product)

    def formula(self, out: str, *symbols: str, sheet: Sheet) -> str:
        queries, keys = symbols
        if sheet.turned:
            return rf"{transposed(out)} = {keys}\, {transposed(queries)}"
        return f"{out} = {queries} {transposed(keys)}"

    def back(self, gradient: Array, out: Array, *given: AnyArray) -> Gradients:
        queries, keys = given
        to_queries = self.product(gradient, keys)
        to_keys = self.product(gradient.swapaxes(-1, -2), queries)
        return fitted(to_queries, queries), fitted(to_keys, keys)


@dataclass(frozen=True, slots=True)
class Mix(Multiply):
    """Weights times values. Hidden values are left out: 0 times a NaN would be a NaN."""

    ran = staticmethod(attention.mix)
    reads: ClassVar[str] = "i n, n j, i n -> i j"

    visible: Name = "visible"

    def run(self, *given: AnyArray) -> Array:
        weights, values, visible = given
        return attention.mix(weights, values, visible, self.product)

    def work(self, seen: Seen, out: Array, *given: AnyArray) -> Worked:
        weights, values, visible = given
        may = at(np.broadcast_to(visible, weights.shape), seen.blocks[0]).ravel()
        left, right = numbers(seen, 0, weights), numbers(seen, 1, values)
        kept = tuple(
            number if sees or np.isfinite(number.number) else Number(0.0, of=number.of)
            for number, sees in zip(right, may, strict=True)
        )
        return dot(seen, left, kept)


@dataclass(frozen=True, slots=True)
class Project(Operation):
    """Words times a matrix of numbers, cut into heads: the queries, keys or values of each head."""

    ran = staticmethod(attention.split_heads)
    reads: ClassVar[str] = "i n, n (n_heads j) -> n_heads i j"
    line: ClassVar[str] = "{0} @ {1}"
    deals_out: ClassVar[bool] = True

    words: Name
    matrix: Name
    n_heads: int

    @property
    def code(self) -> Callable[..., Any] | None:
        return self.ran if self.n_heads > 1 else None

    def run(self, *given: AnyArray) -> Array:
        return attention.split_heads(attention.multiply(*given), self.n_heads)

    def formula(self, out: str, *symbols: str, sheet: Sheet) -> str:
        words, matrix = symbols
        letter, _, which = matrix.partition("_")
        part = f"{letter}_{{{which}{',h' if self.n_heads > 1 else ''}}}"
        return _product(out, words, part, sheet.turned)

    def back(self, gradient: Array, out: Array, *given: AnyArray) -> Gradients:
        words, matrix = given
        whole = attention.join_heads(gradient)
        return attention.multiply(whole, matrix.T), attention.multiply(words.T, whole)


@dataclass(frozen=True, slots=True)
class Heads(Operation):
    """Features dealt out to heads, each perhaps read by several heads of queries."""

    reads: ClassVar[str] = "i (n_heads j) -> (n_heads shared_by) i j"
    line: ClassVar[str] = "{0}"
    deals_out: ClassVar[bool] = True

    words: Name
    n_heads: int
    shared_by: int = 1

    def run(self, *given: AnyArray) -> Array:
        heads = attention.split_heads(given[0], self.n_heads)
        return heads if self.shared_by == 1 else heads.repeat(self.shared_by, axis=-3)

    def back(self, gradient: Array, out: Array, *given: AnyArray) -> Gradients:
        *lead, _, n_words, width = gradient.shape
        own = gradient.reshape(*lead, self.n_heads, self.shared_by, n_words, width).sum(axis=-3)
        return (attention.join_heads(own),)


@dataclass(frozen=True, slots=True)
class Join(Operation):
    """The heads' features side by side again."""

    ran = staticmethod(attention.join_heads)
    reads: ClassVar[str] = "h i j -> i (h j)"

    heads: Name

    def work(self, seen: Seen, out: Array, *given: AnyArray) -> Worked:
        return Worked(why=Why.JOINED)

    def formula(self, out: str, *symbols: str, sheet: Sheet) -> str:
        heads = symbols[0].removesuffix("_h")
        whole, side_by_side = _both(sheet.turned, out, rf"[{heads}_1 \ldots {heads}_H]")
        return f"{whole} = {side_by_side}"

    def program(self, out: str, *names: str, library: Library, arrays: Arrays) -> list[str]:
        return []  # the loop over the heads ends by putting them side by side

    def back(self, gradient: Array, out: Array, *given: AnyArray) -> Gradients:
        return (attention.split_heads(gradient, given[0].shape[-3]),)


@dataclass(frozen=True, slots=True)
class DivideByRoot(Operation):
    """Scores over the square root of d_k."""

    signs: ClassVar[str] = r"{0} / \sqrt{{{self.d_k}}}"
    line: ClassVar[str] = "{0} / {self.d_k} ** 0.5"

    scores: Name
    d_k: int

    @property
    def factor(self) -> float:
        """What each score is multiplied by."""
        return self.d_k**-0.5

    ran = staticmethod(attention.attend)

    def run(self, *given: AnyArray) -> Array:
        return given[0] * self.factor

    def work(self, seen: Seen, out: Array, *given: AnyArray) -> Worked:
        (score,) = numbers(seen, 0, given[0], more=1)
        root = Written(rf"\sqrt{{{self.d_k}}}", self.d_k**0.5)
        result = score.number * self.factor
        signs = Written(rf"\frac{{{seen.signs[0]}}}{{\sqrt{{d_k}}}}", result)
        product = Product((score, Number(self.factor, more=1)))
        return Worked(((signs, Fraction(score, root)), (product,), (Number(result),)))

    def back(self, gradient: Array, out: Array, *given: AnyArray) -> Gradients:
        return (gradient * self.factor,)

    def note(self, sheet: Sheet, out: Array, *given: AnyArray) -> str:
        return f", each times {self.factor:.4f}"


@dataclass(frozen=True, slots=True)
class Divide(Operation):
    """Scores over the temperature."""

    signs: ClassVar[str] = "{0} / {self.by:g}"
    line: ClassVar[str] = "{0} / {self.by!r}  # temperature"

    scores: Name
    by: float

    ran = staticmethod(attention.attend)

    def run(self, *given: AnyArray) -> Array:
        return given[0] / self.by

    def work(self, seen: Seen, out: Array, *given: AnyArray) -> Worked:
        (score,) = numbers(seen, 0, given[0], more=1)
        by = Written(f"{self.by:g}", self.by)
        return Worked(((Fraction(score, by), Number(score.number / self.by)),))

    def back(self, gradient: Array, out: Array, *given: AnyArray) -> Gradients:
        return (gradient / self.by,)

    def note(self, sheet: Sheet, out: Array, *given: AnyArray) -> str:
        return f", each divided by {self.by:g}"


@dataclass(frozen=True, slots=True)
class Add(Operation):
    """One matrix and another, number by number."""

    signs: ClassVar[str] = "{0} + {1}"
    line: ClassVar[str] = "{0} + {1}"

    left: Name
    right: Name

    def run(self, *given: AnyArray) -> Array:
        return given[0] + given[1]

    def work(self, seen: Seen, out: Array, *given: AnyArray) -> Worked:
        both = tuple(numbers(seen, n, array, more=1)[0] for n, array in enumerate(given))
        result = value(Sum(both))
        return Worked(((Written(" + ".join(seen.signs), result), Sum(both), Number(result)),))

    def back(self, gradient: Array, out: Array, *given: AnyArray) -> Gradients:
        return tuple(fitted(gradient, array) for array in given)


@dataclass(frozen=True, slots=True)
class Hide(Operation):
    """Scores of keys that may not be seen become minus infinity."""

    signs: ClassVar[str] = r"{0} \text{{ where seen,}} \allowbreak \text{{ else }} {{-\infty}}"
    line: ClassVar[str] = "np.where({1}, {0}, -np.inf)"

    scores: Name
    visible: Name = "visible"

    ran = staticmethod(attention.hide)

    def work(self, seen: Seen, out: Array, *given: AnyArray) -> Worked:
        sees = np.broadcast_to(given[1], out.shape)[seen.cell]
        return Worked(why=Why.KEPT if sees else Why.HIDDEN)

    def program(self, out: str, *names: str, library: Library, arrays: Arrays) -> list[str]:
        if library is TORCH:
            return [f'{out} = {names[0]}.masked_fill(~{names[1]}, float("-inf"))']
        return Operation.program(self, out, *names, library=library, arrays=arrays)

    def back(self, gradient: Array, out: Array, *given: AnyArray) -> Gradients:
        return np.where(given[1], gradient, 0), None

    def note(self, sheet: Sheet, out: Array, *given: AnyArray) -> str:
        return f", {int((~given[1]).sum())} of {given[1].size} cells hidden"


@dataclass(frozen=True, slots=True)
class Normalise(Operation):
    """Each row of scores becomes weights, by a rule."""

    reads: ClassVar[str] = "i all -> i j"

    scores: Name
    rule: str

    @property
    def normaliser(self) -> Normaliser:
        """The row of the table that this rule is."""
        return NORMALISERS[self.rule]

    @property
    def code(self) -> Callable[..., Any] | None:
        return self.normaliser.weights

    def run(self, *given: AnyArray) -> Array:
        return self.normaliser.weights(given[0])

    def work(self, seen: Seen, out: Array, *given: AnyArray) -> Worked:
        row = numbers(seen, 0, given[0])
        may = [number for number in row if number.number != -np.inf]
        chosen = row[seen.cell[-1]]
        if not may or chosen not in may:
            return Worked(why=Why.UNSEEN if may else Why.BLIND)
        return self.normaliser.work(tuple(may), may.index(chosen))

    def formula(self, out: str, *symbols: str, sheet: Sheet) -> str:
        return self.normaliser.formula(out, symbols[0], sheet.turned)

    def program(self, out: str, *names: str, library: Library, arrays: Arrays) -> list[str]:
        return self.normaliser.program(out, names[0], library, arrays[1])

    def back(self, gradient: Array, out: Array, *given: AnyArray) -> Gradients:
        return (self.normaliser.back(gradient, out, given[0]),)

    def note(self, sheet: Sheet, out: Array, *given: AnyArray) -> str:
        line = "column" if sheet.turned else "row"
        if not self.normaliser.sums_to_1:
            return ""
        blind = np.isneginf(given[0]).all(axis=-1).any()
        return f", each {line} {'of a word that sees any ' if blind else ''}sums to 1"


@dataclass(frozen=True, slots=True)
class Average(Operation):
    """The heads' matrices, added up and divided by their number."""

    reads: ClassVar[str] = "h i j -> i j"

    heads: Name

    @property
    def code(self) -> Callable[..., Any] | None:
        return self.run

    def run(self, *given: AnyArray) -> Array:
        return given[0].mean(axis=0)

    def work(self, seen: Seen, out: Array, *given: AnyArray) -> Worked:
        weights = numbers(seen, 0, given[0], more=1)
        n_heads = len(weights)
        average = sum(weight.number for weight in weights) / n_heads
        signs = Written(rf"\frac{{1}}{{H}} \sum_h {seen.signs[0]}^{{(h)}}", average)
        fraction = Fraction(Sum(weights), Written(str(n_heads), n_heads))
        return Worked(((signs, fraction), (Number(average),)), over=r"\bar ")

    def formula(self, out: str, *symbols: str, sheet: Sheet) -> str:
        each = transposed(symbols[0]) if sheet.turned else symbols[0]
        return rf"\frac{{1}}{{{sheet.n_heads}}} \sum_h {each}"

    def back(self, gradient: Array, out: Array, *given: AnyArray) -> Gradients:
        return (np.broadcast_to(gradient / len(given[0]), given[0].shape),)

    def note(self, sheet: Sheet, out: Array, *given: AnyArray) -> str:
        return f", over {sheet.n_heads} heads"


def _both(turned: bool, *symbols: str) -> tuple[str, ...]:
    """All of them transposed, or none: what goes number by number looks alike both ways."""
    return tuple(map(transposed, symbols)) if turned else symbols


def _product(out: str, left: str, right: str, turned: bool) -> str:
    """A product in signs; transposed, the factors change places."""
    if turned:
        return f"{transposed(out)} = {transposed(right)} {transposed(left)}"
    return f"{out} = {left} {right}"
