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
from explorer.operations.axes import Block
from explorer.operations.matrices import BIAS, POSITIONS, TURNED_KEYS, TURNED_QUERIES, Matrix
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
    sized,
    transposed,
)
from explorer.operations.terms import Number, Product, Sum, Worked, Written
from explorer.positions import Pairs, Stretched, Turning


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheme:
    """One way to tell attention where a word stands. It may act in three places.

    added: numbers that are added to the embeddings, from the counts of words and features.
    turned: what is done to queries and keys before they meet, from the name of the step they are
    and from how rotary positions turn.
    bias: numbers that are added to the scores, from the counts of words and heads.
    """

    title: str  # in its control
    added: tuple[Matrix, Callable[[int, int], Operation]] | None = None
    turned: tuple[tuple[Matrix, Matrix], Callable[[str, Turning], Operation]] | None = None
    bias: tuple[Matrix, Callable[[int, int], Operation]] | None = None
    knobs: tuple[str, ...] = ()  # the settings that belong to it alone


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

    line: ClassVar[str] = "turn({0})"

    words: Name
    turning: Turning

    ran = staticmethod(positions.rotary)

    def run(self, *given: AnyArray) -> Array:
        return positions.rotary(given[0], self.turning)

    def operands(self, block: Block, *given: AnyArray) -> tuple[Block, ...]:
        return ((*block[:-1], self._together(block[-1], given[0].shape[-1])),)

    def readers(self, which: int, block: Block, out: Array, *given: AnyArray) -> Block:
        return (*block[:-1], self._together(block[-1], out.shape[-1]))

    def _together(self, features: range, n_features: int) -> range:
        if len(features) == 1:
            return self.turning.together(features[0], n_features)
        return range(n_features)  # a whole vector

    def formula(self, out: str, *symbols: str, sheet: Sheet) -> str:
        left, right = map(transposed, (out, *symbols)) if sheet.turned else (out, *symbols)
        halves = r"_{\text{halves}}" if self.turning.pairs is Pairs.HALVES else ""
        return f"{left} = R{halves}({right})"

    def work(self, seen: Seen, out: Array, *given: AnyArray) -> Worked:
        *_, place, feature = seen.cell
        n_features = given[0].shape[-1]
        pair = numbers(seen, 0, given[0])
        if len(pair) == 1:
            return Worked(((Number(pair[0].number),),), r"\quad \text{(no partner)}")
        which = self.turning.pair(feature, n_features)
        angle = self.turning.angles(1, n_features, place)[0, which]
        cos, sin = float(np.cos(angle)), float(np.sin(angle))
        if feature == self.turning.together(feature, n_features)[0]:
            turns = Written(r"\cos\theta", cos), Written(r"(-\sin\theta)", -sin)
        else:
            turns = Written(r"\sin\theta", sin), Written(r"\cos\theta", cos)
        signs = Sum(tuple(map(Product, zip(pair, turns, strict=True))))
        by = (Number(turn.number, more=1) for turn in turns)
        exact = Sum(tuple(map(Product, zip(pair, by, strict=True))))
        remark = rf"\qquad \theta = {place} / {self._slowness(which, n_features)}"
        return Worked(((signs,), (exact,), (Number(float(out[seen.cell])),)), remark)

    def _slowness(self, pair: int, n_features: int) -> str:
        """What a place is divided by for the angle of a pair, in signs."""
        base, stretch = f"{self.turning.base:.15g}", f"{self.turning.stretch:g}"
        power = f"^{{{2 * pair}/{n_features}}}"
        if self.turning.stretch == 1 or (self._is_slower and n_features <= 2):
            return f"{base}{power}"
        if self._is_slower:
            return rf"({base} \cdot {stretch}^{{{n_features}/{n_features - 2}}}){power}"
        return rf"({stretch} \cdot {base}{power})"

    @property
    def _is_slower(self) -> bool:
        return self.turning.stretched is Stretched.BASE

    def helper(self, library: Library, arrays: Arrays) -> list[str]:
        m, double, d, turning = library.module, library.double, arrays[0].shape[-1], self.turning
        even, place = d - d % 2, f"{m}.arange(len(x), dtype={double})[:, None]"
        base = repr(turning.base)
        if turning.stretch != 1 and not self._is_slower:
            place += f" / {turning.stretch!r}"
        elif turning.stretch != 1 and d > 2:
            base = f"({base} * {turning.stretch!r} ** ({d} / {d - 2}))"
        left, right = f"0:{even}:2", f"1:{even}:2"
        if turning.pairs is Pairs.HALVES:
            left, right = f"0:{d // 2}", f"{d // 2}:{even}"
        return [
            "def turn(x):  # rotary positions: each pair of features, by the angle of its place",
            f"    place = {place}",
            f"    angle = place / {base} ** (2 * {m}.arange({d // 2}, dtype={double}) / {d})",
            f"    a, b = x[:, {left}], x[:, {right}]",
            f"    turned = x.{library.clone}()",
            f"    turned[:, {left}] = a * {m}.cos(angle) - b * {m}.sin(angle)",
            f"    turned[:, {right}] = a * {m}.sin(angle) + b * {m}.cos(angle)",
            "    return turned",
        ]

    def back(self, gradient: Array, out: Array, *given: AnyArray) -> Gradients:
        # A turn is undone by the turn the other way, and that is also its way back.
        angle = self.turning.angles(*gradient.shape[-2:])
        return (positions.turn(gradient, np.cos(angle), -np.sin(angle), self.turning.pairs),)

    def fact(self, sheet: Sheet, out: Array, *given: AnyArray) -> str:
        """Which features turn together, how fast, and that no length changes."""
        n_features = out.shape[-1]
        n_pairs = n_features // 2
        if not n_pairs or not out.size:
            return ""
        speeds = np.degrees(self.turning.angles(1, n_features, 1)[0])
        told = [
            f"{first + 1} and {second + 1} by {speed:.3g}°"
            for n, speed in enumerate(speeds[:_MOST_PAIRS])
            for first, second in [self._partners(n, n_features)]
        ]
        more = f"; so do {n_pairs - _MOST_PAIRS} more pairs" if n_pairs > _MOST_PAIRS else ""
        before, after = (
            float(np.linalg.norm(rows[sheet.head or 0, -1])) for rows in (given[0], out)
        )
        return (
            f"Features turn in pairs: {', '.join(told)} a word{more}. The last word’s length is "
            f"{before:.3f} before and {after:.3f} after."
        )

    def _partners(self, pair: int, n_features: int) -> tuple[int, int]:
        feature = pair if self.turning.pairs is Pairs.HALVES else 2 * pair
        both = self.turning.together(feature, n_features)
        return both[0], both[-1]


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
    "rotary": Scheme(
        title="rotary",
        turned=((TURNED_QUERIES, TURNED_KEYS), Turn),
        knobs=("pairs", "base", "stretch", "stretched"),
    ),
    "alibi": Scheme(title="ALiBi", bias=(BIAS, Distance)),
}
"""Every scheme by its code, which stands in links and never changes."""


_MOST_PAIRS = 4
