"""Where the reader looks: nothing here changes a number, all of it is in the link."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from explorer.lab.mistakes import Mistake
from explorer.lab.order import Order
from explorer.pretrained.measures import Behaviour
from explorer.settings import Position, Scale, Settings


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


TIMES = (1, 10, 100, 1000)
"""What queries and keys can be multiplied by, to see floats fail."""


class Curve(StrEnum):
    """What the sweep over the dimensions draws."""

    LARGEST = "largest"
    ENTROPY = "entropy"
    SPREAD = "spread"
    OWN = "own"


class Step(StrEnum):
    """A step of the computation. Its name is also the key of its chart."""

    EMBEDDINGS = "embeddings"
    POSITIONS = "positions"
    INPUTS = "inputs"
    W_Q = "w_q"
    W_K = "w_k"
    W_V = "w_v"
    QUERIES = "queries"
    KEYS = "keys"
    VALUES = "values"
    TURNED_QUERIES = "turned_queries"
    TURNED_KEYS = "turned_keys"
    SCORES = "scores"
    SCALED = "scaled"
    BIAS = "bias"
    BIASED = "biased"
    COOLED = "cooled"
    MASKED = "masked"
    WEIGHTS = "weights"
    CONTEXT = "context"
    W_O = "w_o"
    OUTPUT = "output"


GIVEN = (Step.W_Q, Step.W_K, Step.W_V, Step.W_O)
"""The steps that are given, and whose rows are no words: there is no cell to open."""

_CHAIN = (Step.SCORES, Step.SCALED, Step.BIASED, Step.COOLED, Step.MASKED, Step.WEIGHTS)
"""The steps from the scores to the weights, each computed from the one before it."""

PAIRS = (*_CHAIN, Step.BIAS)
"""The steps with a row for each query and a column for each key."""


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
    step: Step = Step.WEIGHTS  # the step whose arithmetic is open
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


def steps(settings: Settings, head: int | None = 0) -> tuple[Step, ...]:
    """The steps that an experiment has, in the order in which they are computed.

    Of the average over the heads (`head` None) there are only the weights: what leads to them and
    what comes of them belongs to one head.
    """
    one_head = head is not None
    rotary = settings.position is Position.ROTARY and one_head
    alibi = settings.position is Position.ALIBI and one_head
    has = {
        Step.POSITIONS: settings.position.is_added,
        Step.INPUTS: settings.position.is_added,
        Step.W_Q: settings.qkv,
        Step.W_K: settings.qkv,
        Step.W_V: settings.qkv,
        Step.QUERIES: settings.qkv and one_head,
        Step.KEYS: settings.qkv and one_head,
        Step.VALUES: settings.qkv and one_head,
        Step.TURNED_QUERIES: rotary,
        Step.TURNED_KEYS: rotary,
        Step.SCORES: one_head,
        Step.SCALED: settings.scale is not Scale.RAW and one_head,
        Step.BIAS: alibi,
        Step.BIASED: alibi,
        Step.COOLED: settings.temperature != 1 and one_head,
        Step.MASKED: bool(settings.mask) and one_head,
        Step.CONTEXT: one_head,
        Step.W_O: settings.has_w_o,
        Step.OUTPUT: settings.has_w_o or settings.n_heads > 1,
    }
    return tuple(step for step in Step if has.get(step, True))


def openable(settings: Settings, head: int | None) -> tuple[Step, ...]:
    """The steps whose cells can be opened to where they come from."""
    return tuple(step for step in steps(settings, head) if step not in GIVEN)


def before(step: Step, settings: Settings) -> Step:
    """The step from which a step with a cell for each pair of words is computed."""
    here = chain(settings)
    return here[here.index(step) - 1]


def chain(settings: Settings) -> tuple[Step, ...]:
    """The steps that lead from the scores to the weights."""
    return tuple(step for step in steps(settings) if step in _CHAIN)


def word_vectors(settings: Settings) -> Step:
    """The step whose rows go into attention: the embeddings, or with positions added."""
    return Step.INPUTS if settings.position.is_added else Step.EMBEDDINGS


def meeting(settings: Settings) -> tuple[Step, Step]:
    """The steps whose rows meet in the scores: the queries' and the keys'."""
    if settings.position is Position.ROTARY:
        return Step.TURNED_QUERIES, Step.TURNED_KEYS
    if settings.qkv:
        return Step.QUERIES, Step.KEYS
    return word_vectors(settings), word_vectors(settings)


def meeting_features(settings: Settings, head: int) -> range:
    """The columns of these steps that belong to a head."""
    whole_rows = meeting(settings)[0] in (Step.EMBEDDINGS, Step.INPUTS)
    first = head * settings.d_query if whole_rows else 0
    return range(first, first + settings.d_query)


def handed_over(settings: Settings) -> Step:
    """The step whose rows the weights blend."""
    return Step.VALUES if settings.qkv else word_vectors(settings)


def n_features(settings: Settings, step: Step) -> int:
    """How many columns a step has, where its columns are features. Else those of the context."""
    return {
        Step.EMBEDDINGS: settings.d_model,
        Step.POSITIONS: settings.d_model,
        Step.INPUTS: settings.d_model,
        Step.W_Q: settings.n_heads * settings.d_query,
        Step.W_K: settings.n_heads * settings.d_query,
        Step.W_V: settings.d_joined,
        Step.QUERIES: settings.d_query,
        Step.KEYS: settings.d_query,
        Step.TURNED_QUERIES: settings.d_query,
        Step.TURNED_KEYS: settings.d_query,
        Step.W_O: settings.d_model,
        Step.OUTPUT: settings.d_model if settings.has_w_o else settings.d_joined,
    }.get(step, settings.d_value)
