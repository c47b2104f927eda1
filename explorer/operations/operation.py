"""An operation: how a matrix comes out of others.

Each knows the same few things about itself, for every experiment that it takes part in:

    run       the numbers
    operands  the cells that a cell is made of; `readers` is the inverse
    work      the arithmetic of one cell
    formula   the same for the whole matrix, in signs
    program   the same as a line of NumPy or PyTorch
    back      the way back: how much each number that came in moved what came out (the gradient)

All else - what lights up, where a number comes from and where it goes, the text under a matrix, the
program to take home - is a walk over the steps (`explorer.pipeline`, `explorer.rendering`).

A block is a range for each axis of an array, with steps where it leaves some out; a cell is a
block of one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache
from itertools import product
from typing import Any, ClassVar

from numpy.typing import NDArray

from explorer.attention import Array
from explorer.operations.axes import Block, Side, axes, follow, sizes
from explorer.operations.terms import Cell, Number, Worked, dot_product

AnyArray = NDArray[Any]
"""Numbers, or yes and no."""
Arrays = tuple[AnyArray, ...]
Gradients = tuple[Array | None, ...]
Name = str
"""The name of a step that an operation takes."""


@dataclass(frozen=True, slots=True)
class Library:
    """How one array library says what NumPy and PyTorch say differently."""

    name: str
    module: str
    double: str  #     its type of numbers
    clone: str  #      what copies an array
    axis: str  #       what names an axis
    keep: str  #       what keeps a summed axis


NUMPY = Library("numpy", "np", "float", "copy", "axis", "keepdims")
TORCH = Library("torch", "torch", "torch.float64", "clone", "dim", "keepdim")


@dataclass(frozen=True, slots=True)
class Seen:
    """One cell that is worked out: where it stands, and what its operands are called.

    signs: for each operand, its letter with indices: n where a sum runs over them.
    of: for each operand, the name of the matrix that holds it.
    """

    cell: Cell
    blocks: tuple[Block, ...]
    signs: tuple[str, ...]
    of: tuple[tuple[str, Block], ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """How a matrix is written down.

    turned: words are columns, so every matrix stands transposed. head: None for the average.
    """

    turned: bool
    shape: tuple[int, ...]
    head: int | None
    n_heads: int


@dataclass(frozen=True, slots=True)
class Operation:
    """What all operations share: each number comes from the numbers in the same place."""

    signs: ClassVar[str] = ""
    """The right side of the formula, of what goes number by number: {0} is the first input."""
    line: ClassVar[str] = ""
    """Likewise the right side of a line of NumPy, where that is all and PyTorch says the same."""
    ran: ClassVar[Callable[..., Any] | None] = None
    reads: ClassVar[str] = ""
    """Its axes, as `explorer.operations.axes` writes them; a sum of products runs over n. A name of
    several letters is the field that says how far it counts. Nothing: number by number."""
    is_given: ClassVar[bool] = False
    """Whether its numbers come from outside and are not computed."""
    deals_out: ClassVar[bool] = False
    """Whether it deals features out to the heads; a program does that as it takes each head."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the steps that it takes: its fields that are a `Name`."""
        kind: Any = type(self)
        return tuple(getattr(self, name) for name in _names(kind))

    @property
    def code(self) -> Callable[..., Any] | None:
        """The function that is shown as what ran."""
        return self.ran

    def run(self, *given: AnyArray) -> Array:
        """The numbers, from those of its inputs."""
        if self.ran is None:
            raise NotImplementedError
        return self.ran(*given)

    @property
    def axes(self) -> tuple[Side, ...]:
        """The axes of each input, and last those of what comes out."""
        return axes(self.reads)

    def summed(self, which: int) -> int | None:
        """The axis of an input that a sum runs over, from the end; None where there is none."""
        side = self._side(which)
        return side.index(("n",)) - len(side) if ("n",) in side else None

    def operands(self, block: Block, *given: AnyArray) -> tuple[Block, ...]:
        """For each input the cells that a block is made of."""
        out, size = self.axes[-1], self._sizes(*given)
        return tuple(
            clipped(follow(block, out, self._side(n), size), array) for n, array in enumerate(given)
        )

    def readers(self, which: int, block: Block, out: Array, *given: AnyArray) -> Block:
        """The cells that a block of input `which` goes into."""
        size = self._sizes(*given, out)
        return widened(follow(block, self._side(which), self.axes[-1], size), out)

    def _side(self, which: int) -> Side:
        return self.axes[which] if len(self.axes) > 1 else ()

    def _sizes(self, *arrays: AnyArray) -> dict[str, int]:
        known = {f.name: getattr(self, f.name) for f in fields(self) if f.type == "int"}
        return sizes(self.axes, (array.shape for array in arrays), known)

    def work(self, seen: Seen, out: Array, *given: AnyArray) -> Worked:
        """How one number comes about; here as a sum of products."""
        return dot(seen, *(numbers(seen, n, array) for n, array in enumerate(given)))

    def formula(self, out: str, *symbols: str, sheet: Sheet) -> str:
        """The whole matrix in signs, as it is written on this sheet."""
        left, *right = map(transposed, (out, *symbols)) if sheet.turned else (out, *symbols)
        return f"{left} = {self.signs.format(*right, self=self)}"

    def program(self, out: str, *names: str, library: Library, arrays: Arrays) -> list[str]:
        """Lines of a program that put the result into the variable `out`.

        arrays: the numbers of the result and of the inputs; which lines it takes may hang on them.
        """
        return [f"{out} = {self.line.format(*names, self=self)}"]

    def helper(self, library: Library, arrays: Arrays) -> list[str]:
        """Lines of a program that stand once, ahead of all that need them."""
        return []

    def back(self, gradient: Array, out: Array, *given: AnyArray) -> Gradients:
        """For each input the gradient, from that of what came out; None where there is none."""
        raise NotImplementedError

    def factors(self, out: Array, *given: AnyArray) -> tuple[tuple[int, ...], ...]:
        """The shapes that are multiplied, for a product."""
        if self.summed(0) is None:
            return ()
        n = given[0].shape[-1]
        return (out.shape[-2], n), (n, out.shape[-1])

    def note(self, sheet: Sheet, out: Array, *given: AnyArray) -> str:
        """What is said behind the shape of the matrix."""
        return ""

    def fact(self, sheet: Sheet, out: Array, *given: AnyArray) -> str:
        """A sentence about the present numbers, said behind the question that they answer."""
        return ""


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.type == "Name")


def cell_of(cell: Cell) -> Block:
    """A cell as a block of one."""
    return tuple(range(n, n + 1) for n in cell)


def clipped(block: Block, array: AnyArray) -> Block:
    """The same place in an array that lacks axes in front, or has one row for all."""
    own = block[len(block) - array.ndim :]
    return tuple(
        range(1) if size == 1 else part for part, size in zip(own, array.shape, strict=True)
    )


def widened(block: Block, out: Array) -> Block:
    """The same place in an array that has more axes in front; all of what they count."""
    lead = out.ndim - len(block)
    return (*map(range, out.shape[:lead]), *block)


def fitted(gradient: Array, array: AnyArray) -> Array:
    """Sum a gradient over whatever its array was repeated along."""
    while gradient.ndim > array.ndim:
        gradient = gradient.sum(axis=0)
    for axis, size in enumerate(array.shape):
        if size == 1 and gradient.shape[axis] != 1:
            gradient = gradient.sum(axis=axis, keepdims=True)
    return gradient


def at(array: AnyArray, block: Block) -> Any:
    """The numbers of a block, one axis after the other."""
    return array[tuple(slice(part.start, part.stop, part.step) for part in block)]


def numbers(seen: Seen, which: int, array: AnyArray, more: int = 0) -> tuple[Number, ...]:
    """The numbers of one operand, each with the matrix and the cell that it is read from.

    more: decimals that they are written with beyond those of the page.
    """
    name, block = seen.of[which]
    return tuple(
        Number(float(number), more, (name, cell))
        for number, cell in zip(at(array, seen.blocks[which]).ravel(), product(*block), strict=True)
    )


def dot(seen: Seen, left: tuple[Number, ...], right: tuple[Number, ...]) -> Worked:
    """The arithmetic of a sum of products over n."""
    return dot_product(rf"\sum_n {seen.signs[0]}\,{seen.signs[1]}", left, right)


def transposed(symbol: str) -> str:
    """A matrix with rows and columns changed over, in signs."""
    return rf"{{{symbol}}}^\top"


def sized(symbol: str, shape: tuple[int, ...]) -> str:
    """A matrix and its size, in signs."""
    rows, columns = shape[-2:]
    return rf"{symbol} \in \mathbb{{R}}^{{{rows} \times {columns}}}"
