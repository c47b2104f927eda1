"""The one place where the steps are put together: settings in, every number out.

Shapes as in `explorer.attention`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from explorer import embeddings, positions
from explorer.attention import (
    Array,
    BoolArray,
    attend,
    join_heads,
    multiply,
    share_by_total,
    softmax,
    split_heads,
)
from explorer.settings import Position, Rule, Settings, Table


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class AttentionTrace:
    """Every number on the way from a sentence to its attention output, in order.

    The figures draw from here and compute nothing.
    """

    tokens: tuple[str, ...]  # T of them
    x: Array  #         (T, C)        embeddings
    positions: Array | None  # (T, C) added to the embeddings; None: nothing is
    inputs: Array  #    (T, C)        embeddings plus positions
    w_q: Array | None  # (C, H * D)   makes the queries; None: the embeddings are the queries
    w_k: Array | None  # (C, H * D)   makes the keys
    w_v: Array | None  # (C, H * Dv)  makes the values
    q: Array  #         (H, T, D)     queries
    k: Array  #         (H, T, D)     keys
    v: Array  #         (H, T, Dv)    values
    q_turned: Array  #  (H, T, D)     queries as they meet the keys: turned by rotary positions
    k_turned: Array  #  (H, T, D)     keys likewise; without rotary positions q and k themselves
    scores: Array  #    (H, T, T)     q_turned k_turned^T
    factor: float  #                  what the scores are multiplied by
    scaled: Array  #    (H, T, T)     scores * factor
    bias: Array | None  # (H, T, T)   added to the scaled scores; None: nothing is
    biased: Array  #    (H, T, T)     scaled + bias
    temperature: float
    cooled: Array  #    (H, T, T)     biased / temperature
    visible: BoolArray  # (T, T)      True where query i may see key j
    masked: Array  #    (H, T, T)     cooled, or -inf where not visible
    weights: Array  #   (H, T, T)     softmax of masked; a row that sees any key sums to 1
    context: Array  #   (H, T, Dv)    weights v
    joined: Array  #    (T, H * Dv)   the heads' contexts side by side
    w_o: Array | None  # (H * Dv, C)  brings the joined heads back to d_model; None: left out
    output: Array  #    (T, C)        joined W_O; without W_O, joined as it is

    @property
    def n_heads(self) -> int:
        """H."""
        return len(self.scores)

    def weights_of(self, head: int | None) -> Array:
        """One head's weights, or with None their average over the heads: (T, T).

        An average of weights only. It is no softmax of anything, and no head attends like this.
        """
        return self.weights.mean(axis=0) if head is None else self.weights[head]

    @property
    def sees_nobody(self) -> BoolArray:
        """(T,) True for a query that may see no key: its weights and its context are 0."""
        return ~np.asarray(self.visible.any(axis=-1))


def trace(settings: Settings) -> AttentionTrace:
    """Compute every step of one experiment, in float64."""
    tokens, n_heads = settings.tokens, settings.n_heads
    x, w_q, w_k, w_v, w_o = given(settings)
    added = _added_positions(settings)
    inputs = x if added is None else x + added
    if w_q is not None and w_k is not None and w_v is not None:
        q, k, v = (split_heads(multiply(inputs, w), n_heads) for w in (w_q, w_k, w_v))
    else:
        q = k = v = split_heads(inputs, n_heads)
    turned = settings.position is Position.ROTARY
    q_turned, k_turned = (positions.rotary(q), positions.rotary(k)) if turned else (q, k)
    bias = positions.alibi(len(tokens), n_heads) if settings.position is Position.ALIBI else None

    steps = attend(
        q_turned,
        k_turned,
        v,
        scale=settings.factor,
        visible=settings.visible,
        bias=bias,
        temperature=settings.temperature,
        share_out=softmax if settings.rule is Rule.SOFTMAX else share_by_total,
    )

    joined = join_heads(steps.context)
    return AttentionTrace(
        tokens=tokens,
        x=x,
        positions=added,
        inputs=inputs,
        w_q=w_q,
        w_k=w_k,
        w_v=w_v,
        q=q,
        k=k,
        v=v,
        q_turned=q_turned,
        k_turned=k_turned,
        scores=steps.scores,
        factor=settings.factor,
        scaled=steps.scaled,
        bias=bias,
        biased=steps.biased,
        temperature=settings.temperature,
        cooled=steps.cooled,
        visible=settings.visible,
        masked=steps.masked,
        weights=steps.weights,
        context=steps.context,
        joined=joined,
        w_o=w_o,
        output=joined if w_o is None else multiply(joined, w_o),
    )


def given(
    settings: Settings,
) -> tuple[Array, Array | None, Array | None, Array | None, Array | None]:
    """The numbers that all others are computed from: X, W_Q, W_K, W_V and W_O.

    Those given by hand, the others made from the words and the seed; None for a matrix that the
    experiment does without.
    """
    if settings.x is None:
        x = embeddings.generated(settings.tokens, settings.d_model, settings.seed)
    else:
        x = _array(settings.x).reshape(len(settings.tokens), settings.d_model)
    w_q, w_k, w_v = _projections(settings) if settings.qkv else (None, None, None)
    w_o = None
    if settings.has_w_o:
        w_o = np.eye(settings.d_model) if settings.w_o is None else _array(settings.w_o)
    return x, w_q, w_k, w_v, w_o


def _added_positions(settings: Settings) -> Array | None:
    if not settings.position.is_added:
        return None
    waves = (
        positions.sinusoidal
        if settings.position is Position.SINUSOIDAL
        else positions.sinusoidal_halves
    )
    return waves(len(settings.tokens), settings.d_model)


def _projections(settings: Settings) -> tuple[Array, Array, Array]:
    """W_Q, W_K and W_V: those given by hand, the others drawn from the seed."""
    drawn = embeddings.projections(
        settings.d_model,
        settings.n_heads * settings.d_query,
        settings.n_heads * settings.d_value,
        settings.seed,
    )
    by_hand = (settings.w_q, settings.w_k, settings.w_v)
    w_q, w_k, w_v = (
        made if given is None else _array(given) for given, made in zip(by_hand, drawn, strict=True)
    )
    return w_q, w_k, w_v


def _array(rows: Table) -> Array:
    return np.array(rows, dtype=np.float64)
