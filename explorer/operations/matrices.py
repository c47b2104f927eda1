"""What the matrices of the page are called, and what each of them answers: the words of a step.

The codes stand in links and files and never change; all else may be said otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum


class Axis(StrEnum):
    """What one axis of an array counts."""

    HEAD = "head"
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """What a matrix of the page is called, and what it answers.

    Words of the page are here and nowhere else. In a question, {row} and {column} stand for the way
    round in which the matrix is drawn.
    """

    name: str  #          its code: in links, files and charts
    symbol: str  #        in formulas, LaTeX
    small: str  #         of one of its numbers
    axes: tuple[Axis, ...]  # without the heads: the rows and the columns
    title: str
    question: str
    cell: str  #          what one of its numbers is called
    variable: str  #      in programs to take home
    unit: str = ""  #      what its rows are, where that is said
    role: Role = Role.OPERAND  # how its cells are lit as operands

    @property
    def is_pairs(self) -> bool:
        """Whether it has a row for each query and a column for each key."""
        return self.axes == (Axis.QUERY, Axis.KEY)

    @property
    def is_learned(self) -> bool:
        """Whether it is a matrix of numbers that a model would learn: no row belongs to a word."""
        return self.axes == (Axis.FEATURE, Axis.FEATURE)


_WORDS = (Axis.TOKEN, Axis.FEATURE)
_ASKING = (Axis.QUERY, Axis.FEATURE)
_ANSWERING = (Axis.KEY, Axis.FEATURE)
_PAIRS = (Axis.QUERY, Axis.KEY)
_LEARNED = (Axis.FEATURE, Axis.FEATURE)

EMBEDDINGS = Matrix(
    name="embeddings",
    symbol="X",
    small="x",
    axes=_WORDS,
    title="Embeddings X",
    question="Which numbers stand for each word?",
    cell="embedding",
    variable="X",
    unit="tokens",
)
POSITIONS = Matrix(
    name="positions",
    symbol="P",
    small="p",
    axes=_WORDS,
    title="Positions P",
    question="Which numbers stand for each place? Sines and cosines of waves, the first place 0.",
    cell="position",
    variable="P",
    unit="places",
)
INPUTS = Matrix(
    name="inputs",
    symbol="X'",
    small="x'",
    axes=_WORDS,
    title="Inputs X′",
    question="What goes into attention: each word, marked by its place.",
    cell="input",
    variable="X",
    unit="tokens",
)


def _learned(letter: str, verb: str, role: Role) -> Matrix:
    return Matrix(
        name=f"w_{letter.lower()}",
        symbol=f"W_{letter}",
        small=f"w^{letter}",
        axes=_LEARNED,
        title=f"Matrix W_{letter}",
        question=f"Turns a word’s vector into what it {verb}.",
        cell=f"number of W_{letter}",
        variable=f"W_{letter}",
        role=role,
    )


W_Q = _learned("Q", "asks for", Role.QUERY)
W_K = _learned("K", "offers to be found by", Role.KEY)
W_V = _learned("V", "hands over", Role.VALUE)
QUERIES = Matrix(
    name="queries",
    symbol="Q",
    small="q",
    axes=_ASKING,
    title="Queries Q",
    question="What does each word look for?",
    cell="query",
    variable="Q",
    role=Role.QUERY,
)
KEYS = Matrix(
    name="keys",
    symbol="K",
    small="k",
    axes=_ANSWERING,
    title="Keys K",
    question="By what is each word found?",
    cell="key",
    variable="K",
    role=Role.KEY,
)
VALUES = Matrix(
    name="values",
    symbol="V",
    small="v",
    axes=_ANSWERING,
    title="Values V",
    question="What does each word hand over?",
    cell="value",
    variable="V",
    role=Role.VALUE,
)


def _turned(matrix: Matrix) -> Matrix:
    what = matrix.name
    return replace(
        matrix,
        name=f"turned_{what}",
        symbol=f"{matrix.symbol}^R",
        small=f"{matrix.small}^R",
        title=f"Turned {what} {matrix.symbol}ᴿ",
        question=f"Which way do the {what} point, once each pair of features is turned by its "
        f"place?",
        cell=f"turned {matrix.cell}",
    )


TURNED_QUERIES, TURNED_KEYS = _turned(QUERIES), _turned(KEYS)
SCORES = Matrix(
    name="scores",
    symbol="S",
    small="s",
    axes=_PAIRS,
    title="Scores S",
    question="How well does each key ({column}) answer each query ({row})?",
    cell="score",
    variable="S",
)
SCALED = Matrix(
    name="scaled",
    symbol="S'",
    small="s'",
    axes=_PAIRS,
    title="Scaled scores S′",
    question="How large are the scores once longer vectors have no advantage?",
    cell="scaled score",
    variable="S",
)
BIAS = Matrix(
    name="bias",
    symbol="B",
    small="b",
    axes=_PAIRS,
    title="Bias B (ALiBi)",
    question="How much does distance count against a key?",
    cell="bias",
    variable="B",
)
BIASED = Matrix(
    name="biased",
    symbol="S^B",
    small="s^B",
    axes=_PAIRS,
    title="Scores with bias",
    question="How well does each key answer, once its distance is counted?",
    cell="score with bias",
    variable="S",
)
COOLED = Matrix(
    name="cooled",
    symbol=r"S^\tau",
    small=r"s^\tau",
    axes=_PAIRS,
    title="Scores by temperature",
    question="How sharp shall the choice be? Above 1 it becomes more even, below 1 sharper.",
    cell="score by temperature",
    variable="S",
)
MASKED = Matrix(
    name="masked",
    symbol=r"\tilde S",
    small=r"\tilde s",
    axes=_PAIRS,
    title="Masked scores",
    question="Which keys may each query see? Grey ones are hidden: their score is −∞.",
    cell="masked score",
    variable="S",
)
WEIGHTS = Matrix(
    name="weights",
    symbol="A",
    small="a",
    axes=_PAIRS,
    title="Weights A",
    question="Which share of its attention does each query ({row}) give to each key ({column})?",
    cell="weight",
    variable="A",
)
AVERAGE = replace(
    WEIGHTS,
    title="Average of the weights",
    question="How much do the heads attend on average? An average of weights only: no head attends "
    "like this, and it is no softmax of anything.",
)
CONTEXT = Matrix(
    name="context",
    symbol="Y",
    small="y",
    axes=_ASKING,
    title="Context vectors Y",
    question="What does each word become, blended from what it attends to?",
    cell="context",
    variable="Y",
)
JOINED = replace(CONTEXT, name="joined")
SIDE_BY_SIDE = replace(JOINED, symbol=r"[Y_1 \ldots Y_H]")
W_O = replace(
    _learned("O", "", Role.OPERAND),
    title="Output matrix W_O",
    question="How are the heads’ answers brought together?",
)
IDENTITY_W_O = replace(W_O, question=f"{W_O.question} Here: as they are (identity).")
OUTPUT = Matrix(
    name="output",
    symbol="O",
    small="o",
    axes=_ASKING,
    title="Output",
    question="What leaves the layer: the heads side by side.",
    cell="output",
    variable="output",
)
OUTPUT_OF_W_O = replace(
    OUTPUT, question="What leaves the layer: the heads side by side, times W_O."
)
