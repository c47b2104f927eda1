"""The way from a number down to what it is made of, and up to what it feeds."""

from __future__ import annotations

from typing import Any

from explorer.settings import Position, Settings
from explorer.view import (
    PAIRS,
    Step,
    View,
    before,
    chain,
    handed_over,
    meeting,
    meeting_features,
    steps,
    word_vectors,
)

Place = dict[str, Any]
"""Controls that open another number: step, query, key and feature, as far as they change."""


def made_of(settings: Settings, view: View) -> list[Place]:
    """The numbers from which the open one is computed, one of each kind."""
    step, i, j, c, h = view.step, view.query, view.key, view.feature, view.head
    if h is None:
        return []
    dv = settings.d_value
    if step is Step.OUTPUT:
        if settings.has_w_o:
            return [{"step": Step.CONTEXT, "feature": 0}]
        return [{"step": Step.CONTEXT, "feature": c % dv, "head": c // dv}]
    if step is Step.CONTEXT:
        values = handed_over(settings)
        feature = c if settings.qkv else h * dv + c
        return [{"step": Step.WEIGHTS}, {"step": values, "query": j, "feature": feature}]
    if step is Step.SCORES:
        queries, keys = meeting(settings)
        feature = meeting_features(settings, h)[0]
        found = [
            {"step": queries, "query": i, "feature": feature},
            {"step": keys, "query": j, "feature": feature},
        ]
        return found[: 1 if found[0] == found[1] else 2]
    if step is Step.BIASED:
        return [{"step": before(step, settings)}, {"step": Step.BIAS}]
    if step in PAIRS and step is not Step.BIAS:
        return [{"step": before(step, settings)}]
    if step in (Step.QUERIES, Step.KEYS, Step.VALUES):
        return [{"step": word_vectors(settings), "feature": 0}]
    if step is Step.INPUTS:
        return [{"step": Step.EMBEDDINGS}, {"step": Step.POSITIONS}]
    if step is Step.TURNED_QUERIES:
        return [_untouched(settings, Step.QUERIES, h, c)]
    if step is Step.TURNED_KEYS:
        return [_untouched(settings, Step.KEYS, h, c)]
    return []


def feeds(settings: Settings, view: View) -> list[Place]:
    """The numbers that are computed from the open one, one of each kind."""
    step, i, c, h = view.step, view.query, view.feature, view.head
    if h is None:
        return []
    if step in (Step.EMBEDDINGS, Step.POSITIONS) and settings.position.is_added:
        return [{"step": Step.INPUTS}]
    if step in (Step.EMBEDDINGS, Step.INPUTS):
        if settings.qkv:
            return [{"step": s, "feature": 0} for s in (Step.QUERIES, Step.KEYS, Step.VALUES)]
        return _of_its_head(settings, h, c)
    if step in (Step.QUERIES, Step.KEYS) and settings.position is Position.ROTARY:
        return [{"step": meeting(settings)[step is Step.KEYS]}]
    if step in (Step.QUERIES, Step.TURNED_QUERIES):
        return [{"step": Step.SCORES}]
    if step in (Step.KEYS, Step.TURNED_KEYS):
        return [{"step": Step.SCORES, "key": i}]
    if step is Step.VALUES:
        return [{"step": Step.CONTEXT}]
    if step is Step.BIAS:
        return [{"step": Step.BIASED}]
    if step in PAIRS:
        pairs = chain(settings)
        after = pairs[pairs.index(step) + 1 :]
        return [{"step": after[0]} if after else {"step": Step.CONTEXT, "feature": 0}]
    if step is Step.CONTEXT and Step.OUTPUT in steps(settings, h):
        return [
            {"step": Step.OUTPUT, "feature": 0 if settings.has_w_o else h * settings.d_value + c}
        ]
    return []


def _of_its_head(settings: Settings, head: int, column: int) -> list[Place]:
    """What a number that goes into attention as it is feeds: only the head that it belongs to."""
    own, feature = divmod(column, settings.d_query)
    there: Place = {} if own == head else {"head": own}
    as_a_value = {"step": Step.CONTEXT, "feature": feature} | there
    if settings.position is Position.ROTARY:
        turned = [{"step": s, "feature": feature} | there for s in meeting(settings)]
        return [*turned, as_a_value]
    return [{"step": Step.SCORES} | there, as_a_value]


def _untouched(settings: Settings, step: Step, head: int, feature: int) -> Place:
    """Where a query's or key's feature stood before it was turned."""
    if settings.qkv:
        return {"step": step, "feature": feature}
    return {"step": Step.EMBEDDINGS, "feature": head * settings.d_query + feature}
