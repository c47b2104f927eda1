"""Attention again and again: the output of one layer is the input of the next.

The same settings hold in every layer. There is nothing else in between: no residual, no
feed-forward layer, no normalisation; what a real transformer adds is there to stop just this.

Shapes: T words; C features; L layers.
Source: Dong, Cordonnier, Loukas (2021), "Attention is not all you need: pure attention loses rank
doubly exponentially with depth", arXiv:2103.03404.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from explorer.attention import Array
from explorer.lab.own_word import cosines
from explorer.settings import Settings, table
from explorer.trace import given, trace

N_LAYERS = range(1, 13)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Layer:
    """The words after so many layers."""

    x: Array  #     (T, C)
    apart: float  # how far the words lie apart: root mean square distance from their mean
    cosine: float  # mean cosine between two different words; 1 for a single word


def repeat(settings: Settings, n_layers: int) -> list[Layer]:
    """The embeddings and what each layer makes of them: up to n_layers + 1 entries.

    Fewer, where the numbers grow beyond what Settings allows. Only the embeddings, where the
    output does not have as many features as the input, so that it cannot go in again.
    """
    x = given(settings)["embeddings"]
    found = [measure(x)]
    for _ in range(n_layers):
        try:
            x = trace(replace(settings, x=table(x))).output
        except ValueError:
            break
        if x.shape[1] != settings.d_model:
            break
        found.append(measure(x))
    return found


def measure(x: Array) -> Layer:
    """How alike the words are."""
    n_words = len(x)
    others = ~np.eye(n_words, dtype=bool)
    angles = cosines(x, x)[others]
    spread = x - x.mean(axis=0) if n_words else x
    return Layer(
        x=x,
        apart=float(np.sqrt((spread**2).sum(axis=-1).mean())) if n_words else 0.0,
        cosine=float(angles.mean()) if angles.size else 1.0,
    )
