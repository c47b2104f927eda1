"""How a word's place comes into attention. Each scheme is one row of a table, with all it knows.

To add one, add its row, with an operation of its own where none here will do: link, control, text,
arithmetic and programs follow from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from explorer import positions
from explorer.attention import Array
from explorer.operations.matrices import BIAS, POSITIONS, TURNED_KEYS, TURNED_QUERIES, Matrix
from explorer.operations.operation import (
    AnyArray,
    Arrays,
    Block,
    Gradients,
    Library,
    Name,
    Operation,
    Seen,
    Sheet,
    numbers,
    sized,
    transposed,
)
from explorer.operations.terms import Number, Product, Sum, Worked, Written


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheme:
    """One way to tell attention where a word stands. It may act in three places.

    added: numbers that are added to the embeddings, from the counts of words and features.
    turned: what is done to queries and keys before they meet, from the name of the step they are.
    bias: numbers that are added to the scores, from the counts of words and heads.
    """

    title: str  # in its control
    added: tuple[Matrix, Callable[[int, int], Operation]] | None = None
    turned: tuple[tuple[Matrix, Matrix], Callable[[str], Operation]] | None = None
    bias: tuple[Matrix, Callable[[int, int], Operation]] | None = None


@dataclass(frozen=True, slots=True)
class Waves(Operation):
    """Sines and cosines of places: (T, C). Each feature is a wave of its own length."""

    n_words: int
    n_features: int

    def run(self, *given: AnyArray) -> Array:
        made: Any = self.ran
        return made(self.n_words, self.n_features)

    def formula(self, out: str, *symbols: str, sheet: Sheet) -> str:
        return transposed(out) if sheet.turned else sized(out, sheet.shape)

    def work(self, seen: Seen, out: Array, *given: AnyArray) -> Worked:
        place, feature = seen.cell
        wave = self.wave(feature)
        result = Number(float(out[seen.cell]))
        if wave is None:
            return Worked(((result,),), r"\quad \text{(the last of an odd number of features)}")
        function, exponent = wave
        angle = rf"\left({place} / 10000^{{{exponent}}}\right)"
        return Worked(((Written(rf"\{function}\!{angle}", result.number), result),))

    def wave(self, feature: int) -> tuple[str, str] | None:
        """The function and the exponent of a feature; None where it has no wave."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Sinusoidal(Waves):
    """Sine and cosine in turns."""

    ran = staticmethod(positions.sinusoidal)

    def wave(self, feature: int) -> tuple[str, str] | None:
        return ("cos" if feature % 2 else "sin"), f"{feature - feature % 2}/{self.n_features}"

    def program(self, out: str, *names: str, library: Library, arrays: Arrays) -> list[str]:
        m, c = library.module, self.n_features
        return [
            f"place = {m}.arange({self.n_words}, dtype={library.double})[:, None]",
            f"feature = {m}.arange({c}, dtype={library.double})",
            f"angle = place / 10000.0 ** ((feature - feature % 2) / {c})",
            f"{out} = {m}.where(feature % 2 == 0, {m}.sin(angle), {m}.cos(angle))"
            "  # sinusoidal positions",
        ]


@dataclass(frozen=True, slots=True)
class SinusoidalHalves(Waves):
    """All sines first, then all cosines."""

    ran = staticmethod(positions.sinusoidal_halves)

    def wave(self, feature: int) -> tuple[str, str] | None:
        waves = self.n_features // 2
        if feature >= 2 * waves:
            return None
        exponent = f"{feature % waves}/{waves - 1}" if waves > 1 else "0"
        return ("sin" if feature < waves else "cos"), exponent

    def program(self, out: str, *names: str, library: Library, arrays: Arrays) -> list[str]:
        m, double, waves = library.module, library.double, self.n_features // 2
        join = "np.concatenate" if library.name == "numpy" else "torch.cat"
        odd = f", {m}.zeros(({self.n_words}, 1), dtype={double})" if self.n_features % 2 else ""
        last = max(waves - 1, 1)
        return [
            f"place = {m}.arange({self.n_words}, dtype={double})[:, None]",
            f"angle = place / 10000.0 ** ({m}.arange({waves}, dtype={double}) / {last})",
            f"{out} = {join}([{m}.sin(angle), {m}.cos(angle){odd}], {library.axis}=1)"
            "  # sinusoidal positions, sines first",
        ]


@dataclass(frozen=True, slots=True)
class Turn(Operation):
    """Each pair of features turned by an angle that grows with the place: rotary positions."""

    signs: ClassVar[str] = "R({0})"
    line: ClassVar[str] = "turn({0})"

    words: Name

    ran = staticmethod(positions.rotary)

    def operands(self, block: Block, *given: AnyArray) -> tuple[Block, ...]:
        return ((*block[:-1], _pairs(block[-1], given[0].shape[-1])),)

    def readers(self, which: int, block: Block, out: Array, *given: AnyArray) -> Block:
        return (*block[:-1], _pairs(block[-1], out.shape[-1]))

    def work(self, seen: Seen, out: Array, *given: AnyArray) -> Worked:
        *_, place, feature = seen.cell
        n_features = given[0].shape[-1]
        pair = numbers(seen, 0, given[0])
        if len(pair) == 1:
            return Worked(((Number(pair[0].number),),), r"\quad \text{(no partner)}")
        angle = positions.rotary_angles(place + 1, n_features)[place, feature // 2]
        cos, sin = float(np.cos(angle)), float(np.sin(angle))
        if feature % 2 == 0:
            turns = Written(r"\cos\theta", cos), Written(r"(-\sin\theta)", -sin)
        else:
            turns = Written(r"\sin\theta", sin), Written(r"\cos\theta", cos)
        signs = Sum(tuple(map(Product, zip(pair, turns, strict=True))))
        by = (Number(turn.number, more=1) for turn in turns)
        exact = Sum(tuple(map(Product, zip(pair, by, strict=True))))
        remark = rf"\qquad \theta = {place} / 10000^{{{feature - feature % 2}/{n_features}}}"
        return Worked(((signs,), (exact,), (Number(float(out[seen.cell])),)), remark)

    def helper(self, library: Library, arrays: Arrays) -> list[str]:
        m, double, d = library.module, library.double, arrays[0].shape[-1]
        even = d - d % 2
        return [
            "def turn(x):  # rotary positions: each pair of features, by the angle of its place",
            f"    place = {m}.arange(len(x), dtype={double})[:, None]",
            f"    angle = place / 10000.0 ** (2 * {m}.arange({d // 2}, dtype={double}) / {d})",
            f"    a, b = x[:, 0:{even}:2], x[:, 1:{even}:2]",
            f"    turned = x.{library.clone}()",
            f"    turned[:, 0:{even}:2] = a * {m}.cos(angle) - b * {m}.sin(angle)",
            f"    turned[:, 1:{even}:2] = a * {m}.sin(angle) + b * {m}.cos(angle)",
            "    return turned",
        ]

    def back(self, gradient: Array, out: Array, *given: AnyArray) -> Gradients:
        # A turn is undone by the turn the other way, and that is also its way back.
        n_words, n_features = gradient.shape[-2:]
        angle = positions.rotary_angles(n_words, n_features)
        even = n_features - n_features % 2
        cos, sin = np.cos(angle), np.sin(angle)
        found = gradient.copy()
        first, second = gradient[..., 0:even:2], gradient[..., 1:even:2]
        found[..., 0:even:2] = first * cos + second * sin
        found[..., 1:even:2] = second * cos - first * sin
        return (found,)


@dataclass(frozen=True, slots=True)
class Distance(Operation):
    """Minus a slope times the distance between two words, for each head: ALiBi."""

    n_words: int
    n_heads: int

    ran = staticmethod(positions.alibi)

    def run(self, *given: AnyArray) -> Array:
        return positions.alibi(self.n_words, self.n_heads)

    def slope(self, head: int | None) -> float:
        """How much a head minds distance."""
        return float(positions.alibi_slopes(self.n_heads)[head or 0])

    def work(self, seen: Seen, out: Array, *given: AnyArray) -> Worked:
        head, i, j = seen.cell
        result = Number(float(out[seen.cell]))
        signs = rf"-{self.slope(head):.4g} \cdot |{i + 1} - {j + 1}|"
        return Worked(((Written(signs, result.number), result),))

    def formula(self, out: str, *symbols: str, sheet: Sheet) -> str:
        return rf"b_{{i,j}} = -{self.slope(sheet.head):.4g}\,|i - j|"

    def program(self, out: str, *names: str, library: Library, arrays: Arrays) -> list[str]:
        slopes = ", ".join(repr(self.slope(head)) for head in range(self.n_heads))
        place = f"{library.module}.arange({self.n_words})"
        head = "h" if self.n_heads > 1 else "0"
        return [f"{out} = -[{slopes}][{head}] * abs({place}[:, None] - {place})  # ALiBi: distance"]

    def note(self, sheet: Sheet, out: Array, *given: AnyArray) -> str:
        return f", the head’s slope is {self.slope(sheet.head):.4g}"


SCHEMES: dict[str, Scheme] = {
    "none": Scheme(title="none"),
    "sinusoidal": Scheme(title="sinusoidal", added=(POSITIONS, Sinusoidal)),
    "halves": Scheme(title="sinusoidal, in halves", added=(POSITIONS, SinusoidalHalves)),
    "rotary": Scheme(title="rotary", turned=((TURNED_QUERIES, TURNED_KEYS), Turn)),
    "alibi": Scheme(title="ALiBi", bias=(BIAS, Distance)),
}
"""Every scheme by its code, which stands in links and never changes."""


def _pairs(features: range, n_features: int) -> range:
    """The features and their partners; the last of an odd number has none."""
    first, last = features[0] - features[0] % 2, features[-1] - features[-1] % 2 + 1
    return range(first, min(last, n_features - 1) + 1)
