"""One table of experiments, built from the product's tables: what joins is tested everywhere.

`SMALL` is the full product at three words of what attention was in the paper, for tests that visit
every cell; in `TODAY`, at three words too, any two choices meet of all that came later. `PAIRS` is
for programs, pages and files: at other sizes, any two choices meet in some experiment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import numpy as np

from explorer.operations.normalisers import NORMALISERS
from explorer.operations.schemes import SCHEMES
from explorer.settings import Mask, Scale, Settings, table

THREE_WORDS = "dog bites man"
OTHER = 2.5
"""The temperature that is not 1."""
Choices = Mapping[str, Mapping[str, Any]]
"""For each question (mask, position, ...) the answers by their names, as fields of Settings."""


def _codes(field: str, codes: Iterable[str]) -> dict[str, dict[str, Any]]:
    return {str(code): {field: code} for code in codes}


MASKS = {
    "no mask": {"mask": ()},
    **{str(mask): {"mask": (mask,)} for mask in Mask},
    "causal and padding": {"mask": (Mask.CAUSAL, Mask.PADDING)},
    "all masks": {"mask": tuple(Mask)},
}
"""The custom mask (see `_with_tables`) leaves the second word nobody to see."""
_DRAWN = {"qkv": True, "d_model": 4}
_OWN_SIZES = {"qkv": True, "d_model": 3, "d_k": 3, "d_v": 2}
SHAPES = {
    "embeddings only": {"d_model": 3},
    "embeddings only, two heads": {"d_model": 6, "n_heads": 2},
    "projected": _DRAWN,
    "projected, two heads": _DRAWN | {"n_heads": 2},
    "own sizes": _OWN_SIZES,
    "by hand, two heads": _OWN_SIZES | {"n_heads": 2, "by_hand": ("x", "w_q", "w_k", "w_v", "w_o")},
}
"""Heads and projections. Three features of a query: with rotary positions one has no partner."""
_NUMBERS: Choices = {
    "position": _codes("position", SCHEMES),
    "rule": _codes("rule", NORMALISERS),
    "scale": _codes("scale", Scale),
    "temperature": {"temperature 1": {}, f"temperature {OTHER}": {"temperature": OTHER}},
    "mask": MASKS,
}
_HALVES = {"position": "rotary", "pairs": "halves"}
_LATER: Choices = _NUMBERS | {
    "position": _codes("position", SCHEMES)
    | {
        "rotary, halves": _HALVES,
        "rotary, halves, another base, places stretched": _HALVES | {"base": 500, "stretch": 2.5},
        "rotary, base stretched": {"position": "rotary", "stretch": 4.0, "stretched": "ntk"},
    },
}
"""What the paper's attention has, and what came later."""
_MORE_SHAPES = SHAPES | {
    "embeddings by hand": {"d_model": 5, "by_hand": ("x",)},
    "five features, five heads": {"d_model": 5, "n_heads": 5},
    "own sizes, three heads": {"qkv": True, "d_model": 5, "n_heads": 3, "d_k": 3, "d_v": 4},
    "square by hand": {"qkv": True, "d_model": 4, "n_heads": 2, "by_hand": ("x", "w_k", "w_o")},
    "wide": {"qkv": True, "d_model": 18, "n_heads": 2},
}
TEXTS = {
    "one word": {"text": "Hello"},
    "two words": {"text": "one two"},
    "a word that comes twice": {"text": "the cat and the mat"},
    "nine words": {"text": "<b> the the $x don’t a"},
}


def _with_tables(fields: Mapping[str, Any]) -> Settings:
    """The settings, with a custom mask and with the matrices that are given by hand."""
    fields = dict(fields)
    by_hand = fields.pop("by_hand", ())
    settings = Settings(**fields)
    n = len(settings.tokens)
    if Mask.CUSTOM in settings.mask:
        ticks = np.ones((n, n), dtype=bool)
        ticks[1 % n] = False
        ticks[0, -1] = n < 3
        settings = replace(settings, custom=tuple(map(tuple, ticks.tolist())))
    queries, values = settings.n_heads * settings.d_query, settings.d_joined
    sizes = {
        "x": (n, settings.d_model),
        "w_q": (settings.d_model, queries),
        "w_k": (settings.d_model, queries),
        "w_v": (settings.d_model, values),
        "w_o": (values, settings.d_model),
    }
    draw = np.random.default_rng(7)
    tables = {name: table(draw.normal(size=sizes[name]).round(3)) for name in by_hand}
    return replace(settings, **tables)


def every(choices: Choices, **fixed: Any) -> dict[str, Settings]:
    """The full product: every answer with every other."""
    found = {}
    for names in product(*choices.values()):
        answers = [answers[name] for answers, name in zip(choices.values(), names, strict=True)]
        fields = {key: value for answer in answers for key, value in answer.items()}
        found[", ".join(names)] = _with_tables(fixed | fields)
    return found


def pairwise(choices: Mapping[str, Sequence[str]]) -> list[tuple[str, ...]]:
    """Few rows of answers, one to a question, in which any two answers meet at least once.

    Greedy and without chance: each row begins with a pair that has not met yet, and takes of every
    other question the answer that brings most new pairs.
    """
    columns = list(choices.values())
    open_pairs = {
        ((a, one), (b, other)): None  # a dict keeps its order
        for a, b in combinations(range(len(columns)), 2)
        for one, other in product(columns[a], columns[b])
    }
    rows = []
    while open_pairs:
        row = dict(next(iter(open_pairs)))
        for column, answers in enumerate(columns):
            if column not in row:
                row[column] = max(
                    answers, key=lambda answer: _newly_met(row, column, answer, open_pairs)
                )
        for pair in combinations(sorted(row.items()), 2):
            open_pairs.pop(pair, None)
        rows.append(tuple(row[column] for column in range(len(columns))))
    return rows


def _newly_met(row: dict[int, str], column: int, answer: str, open_pairs: Mapping) -> int:
    own = (column, answer)
    return sum(tuple(sorted((own, other))) in open_pairs for other in row.items())


def _any_two_meet(choices: Choices, **fixed: Any) -> dict[str, Settings]:
    found = {}
    for names in pairwise({key: tuple(answers) for key, answers in choices.items()}):
        answers = [answers[name] for answers, name in zip(choices.values(), names, strict=True)]
        fields = {key: value for answer in answers for key, value in answer.items()}
        found[", ".join(names)] = _with_tables(fixed | fields)
    return found


SMALL = every(_NUMBERS | {"shape": SHAPES}, text=THREE_WORDS)
TODAY = _any_two_meet(_LATER | {"shape": SHAPES}, text=THREE_WORDS)
PAIRS = _any_two_meet(_LATER | {"shape": _MORE_SHAPES, "text": TEXTS})
