"""Where the reader looks: nothing here changes a number, all of it is in the link."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from explorer.settings import Scale, Settings


class Open(StrEnum):
    """The view that is open; only this one is computed and drawn."""

    ATTENTION = "attention"
    COMPARE = "compare"


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


PAIRS = (Step.SCORES, Step.SCALED, Step.MASKED, Step.WEIGHTS)
"""The steps with a row for each query and a column for each key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What is shown of one experiment."""

    view: Open = Open.ATTENTION
    query: int = 0  #    which word asks, from 0
    key: int = 0  #      which word answers
    head: int = 0
    step: Step = Step.WEIGHTS  # the step whose arithmetic is open
    feature: int = 0  #  the column, in steps whose columns are features
    direction: Direction = Direction.FROM_QUERY
    colour: Colour = Colour.MATRIX
    decimals: int = 3


def steps(settings: Settings) -> tuple[Step, ...]:
    """The steps that an experiment has, in the order in which they are computed."""
    has = {
        Step.W_Q: settings.qkv,
        Step.W_K: settings.qkv,
        Step.W_V: settings.qkv,
        Step.QUERIES: settings.qkv,
        Step.KEYS: settings.qkv,
        Step.VALUES: settings.qkv,
        Step.SCALED: settings.scale is not Scale.RAW,
        Step.MASKED: bool(settings.mask),
        Step.W_O: settings.has_w_o,
        Step.OUTPUT: settings.has_w_o or settings.n_heads > 1,
    }
    return tuple(step for step in Step if has.get(step, True))


def n_features(settings: Settings, step: Step) -> int:
    """How many columns a step has, where its columns are features. Else those of the context."""
    per_head = {Step.QUERIES: settings.d_query, Step.KEYS: settings.d_query}
    whole = {
        Step.EMBEDDINGS: settings.d_model,
        Step.W_Q: settings.n_heads * settings.d_query,
        Step.W_K: settings.n_heads * settings.d_query,
        Step.W_V: settings.d_joined,
        Step.W_O: settings.d_model,
        Step.OUTPUT: settings.d_joined,
    }
    return (per_head | whole).get(step, settings.d_value)
