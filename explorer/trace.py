"""Settings in, every number out: the one place where an experiment is computed.

Shapes as in `explorer.attention`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer import embeddings
from explorer.attention import Array, BoolArray
from explorer.operations.operation import AnyArray
from explorer.operations.schemes import SCHEMES
from explorer.operations.steps import Step
from explorer.pipeline.layer import attention
from explorer.pipeline.run import run
from explorer.settings import Settings, Table


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class AttentionTrace:
    """Every number on the way from a sentence to its attention output, in order.

    The figures draw from here and compute nothing. A step that the experiment does without holds
    what the one before it does.
    """

    tokens: tuple[str, ...]  # T of them
    steps: tuple[Step, ...]  # what was computed, in order
    arrays: Mapping[str, AnyArray]  # the numbers of each step, by its name
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
    steps, numbers = attention(settings), dict[str, AnyArray](given(settings))
    visible = numbers["visible"] = settings.visible
    arrays = run(steps, numbers)
    scheme = SCHEMES[settings.position]
    q, k = (matrix.name for matrix in scheme.turned[0]) if scheme.turned else ("queries", "keys")

    def of(*names: str) -> Any:
        """The first of these steps that there is; None where there is none of them."""
        return next((arrays[name] for name in names if name in arrays), None)

    chain = ["masked", "cooled", "biased", "scaled", "scores"]
    return AttentionTrace(
        tokens=settings.tokens,
        steps=steps,
        arrays=arrays,
        x=arrays["embeddings"],
        positions=of(scheme.added[0].name) if scheme.added else None,
        inputs=of("inputs", "embeddings"),
        w_q=of("w_q"),
        w_k=of("w_k"),
        w_v=of("w_v"),
        q=arrays["queries"],
        k=arrays["keys"],
        v=arrays["values"],
        q_turned=arrays[q],
        k_turned=arrays[k],
        scores=arrays["scores"],
        factor=settings.factor,
        scaled=of(*chain[3:]),
        bias=of(scheme.bias[0].name) if scheme.bias else None,
        biased=of(*chain[2:]),
        temperature=settings.temperature,
        cooled=of(*chain[1:]),
        visible=visible,
        masked=of(*chain),
        weights=arrays["weights"],
        context=arrays["context"],
        joined=of("joined", "output"),
        w_o=of("w_o"),
        output=arrays["output"],
    )


def given(settings: Settings) -> dict[str, Array]:
    """The numbers that all others are computed from, by name: X, W_Q, W_K, W_V and W_O.

    Those given by hand, the others made from the words and the seed; a matrix that the experiment
    does without is not among them.
    """
    if settings.x is None:
        x = embeddings.generated(settings.tokens, settings.d_model, settings.seed)
    else:
        x = _array(settings.x).reshape(len(settings.tokens), settings.d_model)
    found = {"embeddings": x}
    if settings.qkv:
        found |= _projections(settings)
    if settings.has_w_o:
        found["w_o"] = np.eye(settings.d_model) if settings.w_o is None else _array(settings.w_o)
    return found


def _projections(settings: Settings) -> dict[str, Array]:
    """W_Q, W_K and W_V: those given by hand, the others drawn from the seed."""
    drawn = embeddings.projections(
        settings.d_model,
        settings.n_heads * settings.d_query,
        settings.n_heads * settings.d_value,
        settings.seed,
    )
    by_hand = {"w_q": settings.w_q, "w_k": settings.w_k, "w_v": settings.w_v}
    return {
        name: made if table is None else _array(table)
        for (name, table), made in zip(by_hand.items(), drawn, strict=True)
    }


def _array(rows: Table) -> Array:
    return np.array(rows, dtype=np.float64)
