"""The way from a number down to what it is made of, and up to what it feeds."""

from __future__ import annotations

from typing import Any

from explorer.settings import Settings
from explorer.view import PAIRS, Step, View, before, steps

Place = dict[str, Any]
"""Controls that open another number: step, query, key and feature, as far as they change."""


def made_of(settings: Settings, view: View) -> list[Place]:
    """The numbers from which the open one is computed, one of each kind."""
    step, i, j, c, h = view.step, view.query, view.key, view.feature, view.head
    if h is None:
        return []
    d, dv = settings.d_query, settings.d_value
    if step is Step.OUTPUT:
        if settings.has_w_o:
            return [{"step": Step.CONTEXT, "feature": 0}]
        return [{"step": Step.CONTEXT, "feature": c % dv, "head": c // dv}]
    if step is Step.CONTEXT:
        values = Step.VALUES if settings.qkv else Step.EMBEDDINGS
        feature = c if settings.qkv else h * dv + c
        return [{"step": Step.WEIGHTS}, {"step": values, "query": j, "feature": feature}]
    if step is Step.SCORES:
        queries, keys = (
            (Step.QUERIES, Step.KEYS) if settings.qkv else (Step.EMBEDDINGS, Step.EMBEDDINGS)
        )
        feature = 0 if settings.qkv else h * d
        found = [
            {"step": queries, "query": i, "feature": feature},
            {"step": keys, "query": j, "feature": feature},
        ]
        return found[: 1 if found[0] == found[1] else 2]
    if step in PAIRS:
        return [{"step": before(step, settings)}]
    if step in (Step.QUERIES, Step.KEYS, Step.VALUES):
        return [{"step": Step.EMBEDDINGS, "feature": 0}]
    return []


def feeds(settings: Settings, view: View) -> list[Place]:
    """The numbers that are computed from the open one, one of each kind."""
    step, i, c, h = view.step, view.query, view.feature, view.head
    if h is None:
        return []
    if step is Step.EMBEDDINGS:
        if settings.qkv:
            return [{"step": s, "feature": 0} for s in (Step.QUERIES, Step.KEYS, Step.VALUES)]
        return [{"step": Step.SCORES}]
    if step is Step.QUERIES:
        return [{"step": Step.SCORES}]
    if step is Step.KEYS:
        return [{"step": Step.SCORES, "key": i}]
    if step is Step.VALUES:
        return [{"step": Step.CONTEXT}]
    if step in PAIRS:
        pairs = [s for s in steps(settings, h) if s in PAIRS]
        after = pairs[pairs.index(step) + 1 :]
        return [{"step": after[0]} if after else {"step": Step.CONTEXT, "feature": 0}]
    if step is Step.CONTEXT and Step.OUTPUT in steps(settings, h):
        return [
            {"step": Step.OUTPUT, "feature": 0 if settings.has_w_o else h * settings.d_value + c}
        ]
    return []
