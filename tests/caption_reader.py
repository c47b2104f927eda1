r"""Compute what the formula beside a matrix says, from the other matrices.

Written from the papers and not from the product: `softmax`, `R(...)` and "where seen" are our own.
Matrices may come in batches, in front of their last two axes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from latex_reader import Node, Reader, parse, slots

MATRICES = {
    "X": "embeddings",
    "P": "positions",
    "X'": "inputs",
    "W_Q": "w_q",
    "W_K": "w_k",
    "W_V": "w_v",
    "Q": "queries",
    "K": "keys",
    "V": "values",
    "Q^R": "turned_queries",
    "K^R": "turned_keys",
    "S": "scores",
    "S'": "scaled",
    "B": "bias",
    "S^B": "biased",
    r"S^\tau": "cooled",
    r"\tilde S": "masked",
    "A": "weights",
    "Y": "context",
    "O": "output",
    "W_O": "w_o",
}
"""What a capital letter is; a small one with two indices is a cell of it."""
Arrays = Callable[[str, int | None], Any]
"""The matrix of a step and a head, as it is drawn where words are rows."""


class CaptionReader(Reader):
    """Knows the symbols of one experiment's captions.

    head: that the captions speak of; None: the average. turned: words are columns.
    first_place: of the first word. A pair of features that is turned by no angle stays as it is.
    settings: say the base and the stretch of rotary positions; None: those of the paper.
    """

    def __init__(
        self,
        arrays: Arrays,
        visible: np.ndarray,
        n_heads: int,
        head: int | None,
        turned: bool = False,
        first_place: int = 0,
        settings: Any = None,
    ) -> None:
        super().__init__(self.look_up, matrices=True)
        self.arrays, self.visible, self.n_heads, self.head = arrays, visible, n_heads, head
        self.turned, self.first_place, self.settings = turned, first_place, settings
        self.asked: set[str] = set()

    def matrix(self, step: str, head: int | None = None) -> Any:
        self.asked.add(step)
        return self.arrays(step, self.head if head is None else head)

    def read(self, side: str) -> Any:
        """What one side of a formula says."""
        template, numbers = slots(side)
        return self.value(template, [float(number) for number in numbers])

    def factors(self, side: str) -> list[Any] | None:
        """The two factors of a product."""
        template, numbers = slots(side)
        node: Node = parse(template)
        if node[0] != "times":
            return None
        return [self._value(part, [float(number) for number in numbers], {}) for part in node[1:]]

    def look_up(self, name: str, indices: tuple) -> Any:
        n = len(self.visible)
        if name == "I":
            width = self.arrays("w_o", self.head).shape[-1]
            return np.eye(width)
        if (name, indices) in (("i", ()), ("j", ())):
            return np.arange(n)[:, None] if name == "i" else np.arange(n)
        if name.upper() in MATRICES and not name.isupper() and name not in MATRICES:
            return self.cell(self.matrix(MATRICES[name.upper()]), indices)
        many = self.n_heads > 1
        if name == "A" and indices == ("h",) and self.head is None:
            return np.array([self.arrays("weights", h) for h in range(self.n_heads)])
        if name == "Y" and not indices and many:
            return self.side_by_side("Y")
        matrix = self.matrix(MATRICES[name])
        if indices == ("h",):
            assert many, f"{name} of a head, where there is one only"
            return self.part(matrix) if name in ("X", "X'", "W_Q", "W_K", "W_V") else matrix
        assert not indices, (name, indices)
        of_head = name not in ("X", "P", "X'", "W_Q", "W_K", "W_V", "W_O", "O")
        assert not (of_head and many), f"{name} of which head?"
        return matrix

    def part(self, matrix: Any) -> Any:
        """The columns that belong to the head."""
        width = matrix.shape[-1] // self.n_heads
        return matrix[..., self.head * width : (self.head + 1) * width]

    def side_by_side(self, name: str) -> Any:
        heads = [self.matrix(MATRICES[name], h) for h in range(self.n_heads)]
        batch = np.broadcast_shapes(*(head.shape[:-2] for head in heads))
        wide = [np.broadcast_to(head, (*batch, *head.shape[-2:])) for head in heads]
        return np.concatenate(wide, axis=-1)

    def cell(self, matrix: Any, indices: tuple) -> Any:
        """All cells at once. What is hidden has no part in a sum."""
        assert indices in (("i", "j"), ("i", "n")), indices
        return np.where(np.isneginf(matrix), 0.0, matrix)

    def total(self, terms: Any, index: str) -> Any:
        if index == "h":
            return terms.sum(axis=0)
        assert index == "n", index
        return terms.sum(axis=-1, keepdims=True)

    def over(self, a: Any, b: Any) -> Any:
        with np.errstate(invalid="ignore"):
            return a / b

    def where_seen(self, seen: Any, hidden: Any) -> Any:
        return np.where(self.visible.T if self.turned else self.visible, seen, hidden)

    def softmax(self, rows: Any) -> Any:
        powers = np.exp(rows)
        total = powers.sum(axis=-1, keepdims=True)
        return powers / np.where(total, total, 1.0)  # a row that sees nobody is 0

    def softmax_of_columns(self, columns: Any) -> Any:
        return self.transposed(self.softmax(self.transposed(columns)))

    def turn(self, vectors: Any) -> Any:
        d = vectors.shape[-2 if self.turned else -1]
        return self.turn_pairs(vectors, np.arange(d // 2 * 2).reshape(-1, 2))

    def turn_by_halves(self, vectors: Any) -> Any:
        d = vectors.shape[-2 if self.turned else -1]
        return self.turn_pairs(vectors, np.arange(d // 2 * 2).reshape(2, -1).T)

    def turn_pairs(self, vectors: Any, pairs: np.ndarray) -> Any:
        """Each pair of features is a point in the plane, turned by p / 10000^(2i/d)."""
        rows = self.transposed(vectors) if self.turned else vectors
        n, d = rows.shape[-2:]
        left, right = pairs.T
        place, base = np.arange(n)[:, None] + self.first_place, 10_000.0
        if self.settings is not None:
            base, stretch = float(self.settings.base), self.settings.stretch
            if self.settings.stretched == "places":
                place = place / stretch
            elif d > 2:
                base *= stretch ** (d / (d - 2))
        turn = np.exp(1j * place / base ** (2 * np.arange(len(pairs)) / d))
        points = (rows[..., left] + 1j * rows[..., right]) * turn
        turned = rows.copy()
        turned[..., left], turned[..., right] = points.real, points.imag
        return self.transposed(turned) if self.turned else turned
