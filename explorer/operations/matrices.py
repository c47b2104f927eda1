"""What the matrices of the page are called, and what each of them answers: the words of a step.

Their names are codes that stand in links and files and never change; all else may be said in other
words. In a question, {row} and {column} stand for the way round in which the matrix is drawn.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum


class Axis(StrEnum):
    """What one axis of a matrix counts."""

    TOKEN = "token"  #     words, as they ask and as they answer
    QUERY = "query"  #     words as they ask
    KEY = "key"  #         words as they answer
    FEATURE = "feature"


class Role(StrEnum):
    """Why a cell is lit."""

    ROW = "row"  #       the query word's row
    PICKED = "picked"  # the cell whose arithmetic is open
    QUERY = "query"  #   an operand that belongs to the query
    KEY = "key"  #       an operand that belongs to a key
    VALUE = "value"  #   an operand that belongs to a value
    OPERAND = "operand"


WORDS = (Axis.TOKEN, Axis.FEATURE)
ASKING = (Axis.QUERY, Axis.FEATURE)
ANSWERING = (Axis.KEY, Axis.FEATURE)
PAIRS = (Axis.QUERY, Axis.KEY)
LEARNED = (Axis.FEATURE, Axis.FEATURE)


@dataclass(frozen=True, slots=True)
class Matrix:
    """One kind of matrix: its code, its letter in formulas, what its rows and columns count."""

    name: str
    symbol: str  #   LaTeX
    axes: tuple[Axis, Axis]
    title: str
    cell: str  #     what one of its numbers is called
    question: str
    role: Role = Role.OPERAND  # how its cells are lit as operands
    unit: str = ""  # what its rows are, where that is said
    called: str = ""  # in programs, where that is not its letter

    @property
    def is_pairs(self) -> bool:
        """Whether it has a row for each query and a column for each key."""
        return self.axes == PAIRS

    @property
    def is_learned(self) -> bool:
        """Whether it is a matrix of numbers that a model would learn: no row belongs to a word."""
        return self.axes == LEARNED

    @property
    def small(self) -> str:
        """What one of its numbers is called in formulas: the small letter."""
        small = re.sub("[A-Z]", lambda letter: letter[0].lower(), self.symbol, count=1)
        return re.sub("_(.+)", r"^{\1}", small)  # below stands where the number is

    @property
    def variable(self) -> str:
        """What it is called in a program."""
        letter = re.search("[A-Z](_[A-Z0-9])?", self.symbol)
        return self.called or (letter[0] if letter else self.name)


EMBEDDINGS = Matrix(
    "embeddings", "X", WORDS, "Embeddings X", "embedding",
    "Which numbers stand for each word?", unit="tokens",
)  # fmt: skip
POSITIONS = Matrix(
    "positions", "P", WORDS, "Positions P", "position",
    "Which numbers stand for each place? Sines and cosines of waves, the first place 0.",
    unit="places",
)  # fmt: skip
INPUTS = Matrix(
    "inputs", "X'", WORDS, "Inputs X′", "input",
    "What goes into attention: each word, marked by its place.", unit="tokens",
)  # fmt: skip


def _learned(letter: str, verb: str, role: Role) -> Matrix:
    question = f"Turns a word’s vector into what it {verb}."
    name, symbol = f"w_{letter.lower()}", f"W_{letter}"
    title, cell = f"Matrix {symbol}", f"number of {symbol}"
    return Matrix(name, symbol, LEARNED, title, cell, question, role)


W_Q = _learned("Q", "asks for", Role.QUERY)
W_K = _learned("K", "offers to be found by", Role.KEY)
W_V = _learned("V", "hands over", Role.VALUE)
QUERIES = Matrix(
    "queries", "Q", ASKING, "Queries Q", "query", "What does each word look for?", Role.QUERY
)
KEYS = Matrix("keys", "K", ANSWERING, "Keys K", "key", "By what is each word found?", Role.KEY)
VALUES = Matrix(
    "values", "V", ANSWERING, "Values V", "value", "What does each word hand over?", Role.VALUE
)


def _turned(matrix: Matrix) -> Matrix:
    what = matrix.name
    return replace(
        matrix,
        name=f"turned_{what}",
        symbol=f"{matrix.symbol}^R",
        title=f"Turned {what} {matrix.symbol}ᴿ",
        cell=f"turned {matrix.cell}",
        question=f"Which way do the {what} point, once each pair of features is turned by its "
        f"place?",
    )


TURNED_QUERIES, TURNED_KEYS = _turned(QUERIES), _turned(KEYS)
SCORES = Matrix(
    "scores", "S", PAIRS, "Scores S", "score",
    "How well does each key ({column}) answer each query ({row})?",
)  # fmt: skip
SCALED = Matrix(
    "scaled", "S'", PAIRS, "Scaled scores S′", "scaled score",
    "How large are the scores once longer vectors have no advantage?",
)  # fmt: skip
BIAS = Matrix(
    "bias", "B", PAIRS, "Bias B (ALiBi)", "bias", "How much does distance count against a key?"
)
BIASED = Matrix(
    "biased", "S^B", PAIRS, "Scores with bias", "score with bias",
    "How well does each key answer, once its distance is counted?",
)  # fmt: skip
COOLED = Matrix(
    "cooled", r"S^\tau", PAIRS, "Scores by temperature", "score by temperature",
    "How sharp shall the choice be? Above 1 it becomes more even, below 1 sharper.",
)  # fmt: skip
MASKED = Matrix(
    "masked", r"\tilde S", PAIRS, "Masked scores", "masked score",
    "Which keys may each query see? Grey ones are hidden: their score is −∞.",
)  # fmt: skip
WEIGHTS = Matrix(
    "weights", "A", PAIRS, "Weights A", "weight",
    "Which share of its attention does each query ({row}) give to each key ({column})?",
)  # fmt: skip
AVERAGE = replace(
    WEIGHTS,
    title="Average of the weights",
    question="How much do the heads attend on average? An average of weights only: no head attends "
    "like this, and it is no softmax of anything.",
)
CONTEXT = Matrix(
    "context", "Y", ASKING, "Context vectors Y", "context",
    "What does each word become, blended from what it attends to?",
)  # fmt: skip
JOINED = replace(CONTEXT, name="joined")
SIDE_BY_SIDE = replace(JOINED, symbol=r"[Y_1 \ldots Y_H]", called="Y")
W_O = replace(
    _learned("O", "", Role.OPERAND),
    title="Output matrix W_O",
    question="How are the heads’ answers brought together?",
)
IDENTITY_W_O = replace(W_O, question=f"{W_O.question} Here: as they are (identity).")
OUTPUT = Matrix(
    "output", "O", ASKING, "Output", "output", "What leaves the layer: the heads side by side.",
    called="output",
)  # fmt: skip
OUTPUT_OF_W_O = replace(
    OUTPUT, question="What leaves the layer: the heads side by side, times W_O."
)
