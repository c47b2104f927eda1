"""From the state of the page to the experiment, with the numbers changed by hand where they fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from explorer import edits as by_hand
from explorer.edits import NOTHING, Rows
from explorer.examples import EXAMPLES
from explorer.link.state import State
from explorer.settings import Mask, Settings
from explorer.trace import AttentionTrace, trace
from explorer.trace import given as given_matrices
from explorer.view import View


def shape(state: State) -> Settings:
    """The sizes of the experiment, without its sentence: that may still be too long.

    Raises ValueError, in a sentence, where sizes do not go together.
    """
    return _shape(**state.scalars() | {"text": ""})


def outline(state: State) -> AttentionTrace:
    """The steps of the experiment and how wide they are, without a word in them.

    Raises ValueError like `shape`.
    """
    return _outline(**state.scalars() | {"text": ""})


@lru_cache(maxsize=256)
def _outline(**given: Any) -> AttentionTrace:
    return trace(_shape(**given))


@lru_cache(maxsize=256)  # several times a run; making it takes six times as long as finding it
def _shape(**given: Any) -> Settings:
    return Settings(**given)


def experiment(state: State) -> Settings:
    """The settings that the state stands for.

    Raises ValueError, in a sentence, if there is no such experiment.
    """
    tables = _of_example(state) | _fitting(state)
    return Settings(**state.scalars(), **tables)


def unedited(state: State) -> Settings:
    """The settings without the numbers changed by hand. Raises ValueError like `experiment`."""
    return Settings(**state.scalars(), **_of_example(state))


def set_aside(state: State) -> list[str]:
    """The matrices changed by hand that fit neither the sentence nor the sizes as they are now."""
    fitting = {"visible" if name == "custom" else name for name in _fitting(state)}
    return [
        name
        for name in by_hand.MATRICES
        if getattr(state.edits, name) is not None and name not in fitting
    ]


def base(state: State) -> Mapping[str, Rows]:
    """The matrices that stand where nothing is changed by hand; none without an experiment."""
    return _base(replace(state, view=View(), pin=None, edits=NOTHING))


def is_typed(state: State, name: str, row: int, column: int) -> bool:
    """Whether a number on the page was changed by hand."""
    rows = getattr(state.edits, name)
    if rows is None or name in set_aside(state):
        return False
    usual = base(state).get(name)
    if usual is None or by_hand.shape(usual) != by_hand.shape(rows):
        return True
    return float(rows[row][column]) != float(usual[row][column])


@lru_cache(maxsize=8)  # 0.2 s for the largest; the link, the table and the panel ask for it
def _base(plain: State) -> Mapping[str, Rows]:
    try:
        settings = unedited(plain)
    except ValueError:
        return {}
    found = {
        "x" if name == "embeddings" else name: by_hand.written(matrix.tolist())
        for name, matrix in given_matrices(settings).items()
    }
    n_tokens = len(settings.tokens)
    return found | {"visible": (("1",) * n_tokens,) * n_tokens}


def _of_example(state: State) -> dict[str, Any]:
    """The numbers that the example's author chose, as far as they belong to the state.

    Vectors belong to their own words and dimension; with any other, those of all words are made,
    so that the two are never mixed. Matrices stay as long as they fit.
    """
    named = EXAMPLES.get(state.example)
    if named is None or state.d_model != named.settings.d_model:
        return {}
    here, theirs = shape(state), named.settings
    given: dict[str, Any] = {}
    if state.tokens == theirs.tokens:
        given["x"] = theirs.x
    if here.qkv:
        if here.n_heads * here.d_query == theirs.n_heads * theirs.d_query:
            given |= {"w_q": theirs.w_q, "w_k": theirs.w_k}
        if here.n_heads * here.d_value == theirs.n_heads * theirs.d_value:
            given["w_v"] = theirs.w_v
    return given


def _fitting(state: State) -> dict[str, Any]:
    """Those of the edits that belong to this sentence and these sizes, as fields of Settings."""
    edits, tokens = state.edits, state.tokens
    if edits == NOTHING:
        return {}
    here, n_tokens = shape(state), len(tokens)
    c, queries = here.d_model, here.n_heads * here.d_query
    sizes = {"x": (n_tokens, c)} if edits.words == tokens else {}
    if here.qkv:
        sizes |= {"w_q": (c, queries), "w_k": (c, queries), "w_v": (c, here.d_joined)}
    if here.has_w_o:
        sizes["w_o"] = (c, c)
    found: dict[str, Any] = {
        name: by_hand.floats(rows)
        for name, size in sizes.items()
        if (rows := getattr(edits, name)) is not None and by_hand.shape(rows) == size
    }
    visible = edits.visible if Mask.CUSTOM in here.mask else None
    if visible is not None and by_hand.shape(visible) == (n_tokens, n_tokens):
        found["custom"] = tuple(tuple(text == "1" for text in row) for row in visible)
    return found
