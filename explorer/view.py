"""Where the reader looks: nothing here changes a number, all of it is in the link."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from explorer.pretrained.measures import Behaviour
from explorer.settings import Scale, Settings


class Open(StrEnum):
    """The view that is open; only this one is computed and drawn."""

    ATTENTION = "attention"
    COMPARE = "compare"
    MODEL = "model"
    HOME = "home"


class Direction(StrEnum):
    """Which arrows the graph draws."""

    FROM_QUERY = "from"
    TO_KEY = "to"
    ALL = "all"


class Colour(StrEnum):
    """What the ends of the colour scale stand for."""

    MATRIX = "matrix"
    ROW = "row"
    UNIT = "unit"


class Step(StrEnum):
    """A step of the computation. Its name is also the key of its chart."""

    EMBEDDINGS = "embeddings"
    W_Q = "w_q"
    W_K = "w_k"
    W_V = "w_v"
    QUERIES = "queries"
    KEYS = "keys"
    VALUES = "values"
    SCORES = "scores"
    SCALED = "scaled"
    MASKED = "masked"
    WEIGHTS = "weights"
    CONTEXT = "context"
    W_O = "w_o"
    OUTPUT = "output"


GIVEN = (Step.W_Q, Step.W_K, Step.W_V, Step.W_O)
"""The steps that are given, and whose rows are no words: there is no cell to open."""

PAIRS = (Step.SCORES, Step.SCALED, Step.MASKED, Step.WEIGHTS)
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
    moved: bool = False  # whether each matrix has its change beside it
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
    has = {
        Step.W_Q: settings.qkv,
        Step.W_K: settings.qkv,
        Step.W_V: settings.qkv,
        Step.QUERIES: settings.qkv and one_head,
        Step.KEYS: settings.qkv and one_head,
        Step.VALUES: settings.qkv and one_head,
        Step.SCORES: one_head,
        Step.SCALED: settings.scale is not Scale.RAW and one_head,
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
    here = [pair for pair in steps(settings) if pair in PAIRS]
    return here[here.index(step) - 1]


def n_features(settings: Settings, step: Step) -> int:
    """How many columns a step has, where its columns are features. Else those of the context."""
    return {
        Step.EMBEDDINGS: settings.d_model,
        Step.W_Q: settings.n_heads * settings.d_query,
        Step.W_K: settings.n_heads * settings.d_query,
        Step.W_V: settings.d_joined,
        Step.QUERIES: settings.d_query,
        Step.KEYS: settings.d_query,
        Step.W_O: settings.d_model,
        Step.OUTPUT: settings.d_model if settings.has_w_o else settings.d_joined,
    }.get(step, settings.d_value)
