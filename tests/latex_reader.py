r"""Read formulas back: LaTeX in, the number or the matrix that it says out.

`parse` takes the numbers out of a formula, so that formulas which differ in nothing else are parsed
once; `value` puts numbers in. Numbers that were rounded for print are `Interval`s: what a line says
is known no better than its digits allow, and no worse.

A symbol is looked up by its name, its mark standing behind it: `q^R`, `s'`, `\tilde S`, `W_Q`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

_NUMBER = re.compile(
    r"\((-\d+(?:\.\d+)?(?: \\cdot 10\^\{-?\d+\})?)\)|(-?\d+(?:\.\d+)?(?: \\cdot 10\^\{-?\d+\})?)"
)
_TOKEN = re.compile(r"\\text\{[^}]*\}|\\[A-Za-z]+|\\[,;!]|[A-Za-z]|[-+/=^_{}()|\[\],'#]")
_SPACES = (r"\,", r"\;", r"\!", r"\left", r"\right", r"\textstyle", r"\quad", r"\allowbreak")
_MARKS = ("R", "B", "Q", "K", "V", "O", r"\tau")
_NAMES = (r"\tilde", r"\bar", r"\theta", r"\ldots")
_FUNCTIONS = {r"\sqrt": "sqrt", r"\sin": "sin", r"\cos": "cos"}
_ENDS = ("+", "-", "/", "=", ")", "}", "]", ",", r"\cdot", r"\qquad")

Node = tuple[Any, ...]
"""An operation and what it is applied to."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A number that lies from `low` to `high`, or an array of such numbers."""

    low: Any
    high: Any

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high)

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)

    def __mul__(self, other: Interval) -> Interval:
        return _hull([a * b for a in (self.low, self.high) for b in (other.low, other.high)])

    def __truediv__(self, other: Interval) -> Interval:
        with np.errstate(divide="ignore", invalid="ignore"):
            found = _hull([a / b for a in (self.low, self.high) for b in (other.low, other.high)])
        around_0 = (other.low <= 0) & (other.high >= 0)
        return Interval(
            np.where(around_0, -np.inf, found.low), np.where(around_0, np.inf, found.high)
        )

    def __pow__(self, other: Interval) -> Interval:
        return _hull([a**b for a in (self.low, self.high) for b in (other.low, other.high)])

    def __abs__(self) -> Interval:
        ends = np.abs(self.low), np.abs(self.high)
        around_0 = (self.low <= 0) & (self.high >= 0)
        return Interval(np.where(around_0, 0, np.minimum(*ends)), np.maximum(*ends))

    def apply(self, function: Callable) -> Interval:
        """A function that rises, or one of a number that is known exactly."""
        return _hull([function(self.low), function(self.high)])

    def sum(self) -> Interval:
        """All numbers of the array added up."""
        return Interval(self.low.sum(), self.high.sum())

    def holds(self, numbers: Any) -> Any:
        """Whether each number lies inside; the slack is that of floats."""
        slack = 1e-9 * (1 + np.abs(numbers))
        return (self.low - slack <= numbers) & (numbers <= self.high + slack)


def _hull(ends: Sequence[Any]) -> Interval:
    return Interval(np.minimum.reduce(ends), np.maximum.reduce(ends))


def lines(formula: str) -> list[list[str]]:
    """The lines of a formula, each as what it says is equal."""
    inner = formula.removeprefix(r"\begin{aligned}").removesuffix(r"\end{aligned}")
    return [_sides(line) for line in inner.replace("&", "").split(r" \\[8pt] ")]


def _sides(line: str) -> list[str]:
    said, *where = line.split(r" \qquad ")  # what follows says what a symbol stands for
    tail = "".join(rf" \qquad {clause}" for clause in where)
    return [side.strip() + tail for side in said.split("=") if side.strip()]


def slots(text: str) -> tuple[str, tuple[str, ...]]:
    """A formula with its numbers taken out, and the numbers."""
    numbers: list[str] = []

    def take(found: re.Match) -> str:
        numbers.append(found[1] or found[2])
        return "#"

    return _NUMBER.sub(take, text), tuple(numbers)


def printed(text: str, decimals: int) -> tuple[float, float]:
    """A number in print and how far off it may be: rounded if it has as many decimals or more."""
    mantissa, _, power = text.partition(r" \cdot 10^")
    factor = 10.0 ** int(power.strip("{}")) if power else 1.0
    places = len(mantissa.partition(".")[2])
    rounded = bool(power) or places >= decimals
    return float(mantissa) * factor, 0.5 * 10.0**-places * factor if rounded else 0.0


@cache
def parse(template: str) -> Node:
    """What is to be computed. Raises ValueError for what this reader does not know."""
    return _Parser(template).whole()


@cache
def has_symbols(template: str) -> bool:
    """Whether a formula speaks of more than the numbers that stand in it."""

    def any_symbol(node: Any) -> bool:
        if not isinstance(node, tuple):
            return False
        return node[:1] == ("symbol",) or any(map(any_symbol, node))

    return any_symbol(parse(template))


class _Parser:
    """Recursive descent; `#` is the next number."""

    def __init__(self, template: str) -> None:
        self.template = template
        found = _TOKEN.findall(template)
        if _without_blanks("".join(found)) != _without_blanks(template):
            raise ValueError(f"an unknown sign in {template}")
        self.tokens = [token for token in found if token not in _SPACES]
        self.at = self.numbers = 0
        self.in_bars = False

    def whole(self) -> Node:
        node = self.sum()
        while self.peek() is not None:
            if self.take_if(r"\text{ where seen,}"):
                self.take(r"\text{ else }")
                node = ("where seen", node, self.sum())
            elif self.take_if(r"\qquad") or self.take_if("("):  # theta = ..., (S = ...)
                name = self.atom()
                self.take("=")
                node = ("where", node, name[1], self.sum())
                self.take_if(")")
            elif (self.peek() or "").startswith(r"\text{("):  # a remark
                self.at += 1
            else:
                raise ValueError(f"{self.tokens[self.at :]} in {self.template}")
        return node

    def peek(self) -> str | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self, token: str | None = None) -> str:
        found = self.peek()
        if found is None or (token is not None and found != token):
            raise ValueError(f"{token} instead of {found} in {self.template}")
        self.at += 1
        return found

    def take_if(self, token: str) -> bool:
        if self.peek() != token:
            return False
        self.at += 1
        return True

    def sum(self) -> Node:
        node = ("minus", self.product()) if self.take_if("-") else self.product()
        while self.peek() in ("+", "-"):
            if self.take() == "+":
                node = ("plus", node, self.product())
            else:
                node = ("plus", node, ("minus", self.product()))
        return node

    def product(self) -> Node:
        node = self.power()
        while (next_ := self.peek()) is not None:
            if next_ == "/":
                self.take()
                node = ("over", node, self.power())
            elif next_ == r"\cdot":
                self.take()
                node = ("times", node, self.power())
            elif (
                next_ in _ENDS
                or next_.startswith(r"\text{")
                or self.is_definition()
                or (next_ == "|" and self.in_bars)
            ):
                return node
            else:
                node = ("times", node, self.power())
        return node

    def is_definition(self) -> bool:
        """Whether "(S = ...)" follows."""
        return self.peek() == "(" and self.tokens[self.at + 2 : self.at + 3] == ["="]

    def power(self) -> Node:
        node = self.atom()
        while self.take_if("^"):
            if self.take_if(r"\top"):
                node = ("transposed", node)
            elif node == ("symbol", "e", ()):
                node = ("exp", self.group())
            elif self.tokens[self.at : self.at + 4] == ["{", "(", "h", ")"]:  # of head h
                self.at += 5
                node = ("symbol", f"{node[1]}^(h)", (*node[2], "h"))
            else:
                node = ("power", node, self.group())
        return node

    def group(self) -> Node:
        self.take("{")
        node = self.sum()
        self.take("}")
        return node

    def atom(self) -> Node:
        token = self.take()
        if token == "#":
            self.numbers += 1
            return ("number", self.numbers - 1)
        if token in ("(", "{"):
            node = self.sum()
            self.take({"(": ")", "{": "}"}[token])
            return node
        if token == "|":
            self.in_bars = True
            node = self.sum()
            self.take("|")
            self.in_bars = False
            return ("abs", node)
        if token == "[":
            return self.joined()
        if token == r"\frac":
            return ("over", self.group(), self.group())
        if token == r"\mathbf":
            return self.group()
        if token in _FUNCTIONS:
            return (_FUNCTIONS[token], self.atom())
        if token == r"\sum":
            self.take("_")
            return ("sum", self.take(), self.product())
        if token == r"\infty":
            return ("infinity",)
        if token == r"\underbrace":
            while self.take() != "_":
                pass
            self.take("{")
            node = ("more", self.atom()[1])
            self.take(r"\text{ more}")
            self.take("}")
            return node
        if token == r"\mathrm":
            return self.softmax()
        if token == "R":
            halves = self.take_if("_")
            if halves:
                for token_ in ("{", r"\text{halves}", "}"):
                    self.take(token_)
            self.take("(")
            node = self.sum()
            self.take(")")
            return ("turn by halves" if halves else "turn", node)
        return self.symbol(token)

    def softmax(self) -> Node:
        name = self.group_text()
        if name != "softmax":
            raise ValueError(f"{name} in {self.template}")
        of_columns = self.take_if("_")
        if of_columns:
            self.take("{")
            self.take(r"\text{of each column}")
            self.take("}")
        self.take("(")
        node = self.sum()
        self.take(")")
        return ("softmax of columns" if of_columns else "softmax", node)

    def joined(self) -> Node:
        r"""[Y_1 \ldots Y_H]: the same of every head, side by side."""
        first = self.atom()
        self.take(r"\ldots")
        last = self.atom()
        self.take("]")
        if first[1] != last[1] or last[2] != ("H",):
            raise ValueError(f"from {first} to {last} in {self.template}")
        return ("side by side", first[1], first[2])

    def group_text(self) -> str:
        self.take("{")
        letters = []
        while not self.take_if("}"):
            letters.append(self.take())
        return "".join(letters)

    def symbol(self, token: str) -> Node:
        if not (token.isalpha() or token in _NAMES):
            raise ValueError(f"{token} in {self.template}")
        name = f"{token} {self.take()}" if token in (r"\tilde", r"\bar") else token
        if self.take_if("'"):
            name += "'"
        if self.peek() == "^":
            after = self.tokens[self.at + 1 : self.at + 4]
            if after[0] in _MARKS:
                self.at += 2
                name += f"^{after[0]}"
            elif after[0] == "{" and after[1] in _MARKS and after[2] == "}":
                self.at += 4
                name += f"^{after[1]}"
        indices: list[Any] = []
        if self.take_if("_"):
            braces = self.take_if("{")
            indices.append(self.index())
            while braces and self.take_if(","):
                indices.append(self.index())
            if braces:
                self.take("}")
        if name == "W" or (name == "d" and indices == ["k"]):
            name, indices = f"{name}_{indices[0]}", indices[1:]
        return ("symbol", name, tuple(indices))

    def index(self) -> Any:
        token = self.take()
        if token == "#":
            self.numbers += 1
            return self.numbers - 1
        return token


def _without_blanks(text: str) -> str:
    return re.sub(r"\s", "", text)


class Reader:
    """Computes what a formula says. `symbol(name, indices)` knows what the symbols stand for.

    matrices: two factors side by side are a matrix product, on the last two axes.
    """

    def __init__(self, symbol: Callable[[str, tuple], Any], matrices: bool = False) -> None:
        self.symbol = symbol
        self.matrices = matrices

    def value(self, template: str, numbers: Sequence[Any]) -> Any:
        """numbers: floats, or intervals where what was printed is rounded."""
        return self._value(parse(template), numbers, {})

    def _value(self, node: Node, numbers: Sequence[Any], known: dict[str, Any]) -> Any:
        name, *rest = node
        if name == "number":
            return numbers[rest[0]]
        if name == "symbol":
            symbol, indices = rest
            if symbol in known:
                return known[symbol]
            indices = tuple(_index(index, numbers) for index in indices)
            if symbol.upper() in known:  # a cell of a matrix that is known
                return self.cell(known[symbol.upper()], indices)
            return self.symbol(symbol, indices)
        if name == "where":
            said, symbol, meaning = rest
            given = {symbol: self._value(meaning, numbers, known)}
            return self._value(said, numbers, known | given)
        if name == "sum":
            return self.total(self._value(rest[1], numbers, known), rest[0])
        if name == "more":
            return Interval(-np.inf, np.inf)
        if name == "infinity":
            return np.inf
        if name == "side by side":
            symbol, (first,) = rest
            assert _index(first, numbers) == 1, "from the first head"
            return self.side_by_side(symbol)
        values = [self._value(part, numbers, known) for part in rest]
        return getattr(self, name.replace(" ", "_"))(*values)

    def plus(self, a: Any, b: Any) -> Any:
        return a + b

    def minus(self, a: Any) -> Any:
        return -a

    def times(self, a: Any, b: Any) -> Any:
        if not self.matrices or not np.ndim(a) or not np.ndim(b):
            same = isinstance(a, Interval) or not np.ndim(a) or np.shape(a) == np.shape(b)
            assert same, "a sum runs over as many of one factor as of the other"
            return a * b
        return a @ b

    def over(self, a: Any, b: Any) -> Any:
        return a / b

    def power(self, a: Any, b: Any) -> Any:
        return a**b

    def abs(self, a: Any) -> Any:
        return abs(a)

    def exp(self, a: Any) -> Any:
        return _apply(np.exp, a)

    def sqrt(self, a: Any) -> Any:
        return _apply(np.sqrt, a)

    def sin(self, a: Any) -> Any:
        return _apply(np.sin, a)

    def cos(self, a: Any) -> Any:
        return _apply(np.cos, a)

    def transposed(self, a: Any) -> Any:
        return np.swapaxes(a, -1, -2)

    def total(self, terms: Any, index: str) -> Any:
        return terms.sum()

    def side_by_side(self, name: str) -> Any:
        raise NotImplementedError

    def cell(self, matrix: Any, indices: tuple) -> Any:
        raise NotImplementedError


def _apply(function: Callable, value: Any) -> Any:
    return value.apply(function) if isinstance(value, Interval) else function(value)


def _index(index: Any, numbers: Sequence[Any]) -> Any:
    """A number in an index is a place, counted from 1."""
    if not isinstance(index, int):
        return index
    number = numbers[index]
    return int(number.low if isinstance(number, Interval) else number)
