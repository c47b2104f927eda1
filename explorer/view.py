"""Where the reader looks: nothing here changes a number, all of it is in the link."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from explorer.lab.mistakes import Mistake
from explorer.lab.order import Order
from explorer.pretrained.measures import Behaviour


class Open(StrEnum):
    """The view that is open; only this one is computed and drawn."""

    ATTENTION = "attention"
    COMPARE = "compare"
    LAB = "lab"
    MODEL = "model"
    HOME = "home"
    PRESENT = "present"


class Direction(StrEnum):
    """Which arrows the graph draws."""

    FROM_QUERY = "from"
    TO_KEY = "to"
    ALL = "all"


class Drawing(StrEnum):
    """How the arrows are drawn."""

    ARCS = "arcs"  #        over the sentence
    COLUMNS = "columns"  #  from a column of queries to a column of keys


class Turned(StrEnum):
    """Which way round matrices are drawn. It changes no number."""

    ROWS = "rows"  #        a word's vector is a row; queries are rows, keys are columns
    COLUMNS = "columns"  #  everything transposed


class Colour(StrEnum):
    """What the ends of the colour scale stand for."""

    MATRIX = "matrix"
    ROW = "row"
    UNIT = "unit"


class Lab(StrEnum):
    """An experiment of the lab."""

    ROOT = "root"
    ORDER = "order"
    MISTAKES = "mistakes"
    NOBODY = "nobody"
    PRECISION = "precision"
    OWN_WORD = "own_word"
    PLANE = "plane"
    PREDICT = "predict"
    LEARN = "learn"
    LAYERS = "layers"
    DISTANCE = "distance"


TIMES = (1, 10, 100, 1000)
"""What queries and keys can be multiplied by, to see floats fail."""


class Curve(StrEnum):
    """What the sweep over the dimensions draws."""

    LARGEST = "largest"
    ENTROPY = "entropy"
    SPREAD = "spread"
    OWN = "own"


BANKS = """\
They had a picnic on the grassy bank of the river.
She opened a savings account at the bank in town.
A heron stood on the muddy bank beside the stream.
The bank raised its interest rates on loans again."""
"""One word in four sentences, a sentence a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What is shown of one experiment."""

    view: Open = Open.ATTENTION
    query: int = 0  #    which word asks, from 0
    key: int = 0  #      which word answers
    head: int | None = 0  # None: the average over the heads, which has weights only
    step: str = "weights"  # the step whose arithmetic is open
    feature: int = 0  #  the column, in steps whose columns are features
    direction: Direction = Direction.FROM_QUERY
    colour: Colour = Colour.MATRIX
    decimals: int = 3
    drawing: Drawing = Drawing.ARCS
    least: int = 0  #    percent; arrows for smaller weights are left out
    own: bool = True  #  whether a word's arrow to itself is drawn
    turned: Turned = Turned.ROWS
    revealed: int = 1  # steps shown so far, in front of a class
    moved: bool = False  # whether each matrix has its change beside it
    lab: Lab = Lab.ROOT
    lab_seed: int = 0  # of what the lab draws at random: the same link, the same draw
    lab_curve: Curve = Curve.LARGEST
    lab_order: Order = Order.REVERSED
    lab_mistake: Mistake = Mistake.AXIS
    lab_length: int = 200  # percent of the query word's own length
    lab_layers: int = 2
    lab_question: int = 1
    lab_times: int = 1  # what queries and keys are multiplied by
    # Of the trained model:
    layer: int = 0
    layer_head: int = 0
    piece: int | None = None  #     which piece asks, from 0; None: the first of the query word
    to_piece: int | None = None  #  which piece answers; None: the first of the key word
    special: bool = True  #         whether the model's own tokens are shown
    renormalised: bool = False  #   whether the weights without them are made to sum to 1 again
    joined: bool = False  #         whether the pieces of a word stand together
    behaviour: Behaviour = Behaviour.PREVIOUS  # what the heads are sorted by
    word: str = "bank"  #           the word that is followed through several sentences
    sentences: str = BANKS
