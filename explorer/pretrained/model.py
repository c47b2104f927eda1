"""The forward pass of a trained transformer, with every intermediate kept.

Shapes as in `explorer.attention`, and besides:
    L  layers
    V  entries of the vocabulary
    P  positions that were learned

Two families share one pass. BERT sees the whole sentence and normalises after each sum; GPT-2 sees
only what stands before and normalises ahead of each part; see `explorer.pretrained.layer`.

Sources: Devlin et al. (2018), "BERT", arXiv:1810.04805; Radford et al. (2019), "Language Models are
Unsupervised Multitask Learners", section 2.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.attention import Array, BoolArray
from explorer.masks import causal, everything
from explorer.operations.steps import Step
from explorer.pretrained.layer import Layer, LayerWeights, computed, layer_steps
from explorer.pretrained.parts import Activation, Norm, laid_out


@dataclass(frozen=True, eq=False, kw_only=True)
class Model:
    """A trained transformer: its sizes, what it has learned, and how it cuts text."""

    name: str
    family: str  #              "bert" or "gpt2"
    n_heads: int  #             H
    words: Array  #             (V, C)  a vector for each entry of the vocabulary
    positions: Array  #         (P, C)  a vector for each position
    segment: Array | None  #    (C,)    what BERT adds to every word of the first sentence
    first_norm: Norm | None  #          over the sum of these
    layers: tuple[LayerWeights, ...]
    last_norm: Norm | None  #           over the last layer's output
    unembed: Array | None  #    (V, C)  turns a vector into a score for each next word
    activation: Activation
    tokenizer: Any  #                  a `tokenizers.Tokenizer`

    @property
    def causal(self) -> bool:
        """Whether a token sees only itself and what stands before it."""
        return self.family == "gpt2"

    @cached_property
    def steps(self) -> tuple[tuple[Step, ...], ...]:
        """What each layer does, step by step."""
        return tuple(
            layer_steps(learned, self.n_heads, self.activation, norm_first=self.causal)
            for learned in self.layers
        )

    @property
    def n_layers(self) -> int:
        """L."""
        return len(self.layers)

    @property
    def d_model(self) -> int:
        """C."""
        return self.words.shape[1]

    @property
    def max_tokens(self) -> int:
        """P: more tokens than this the model cannot read."""
        return len(self.positions)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Run:
    """A sentence on its way through the model."""

    embedded: Array  #         (T, C)  the vectors that enter the first layer
    layers: tuple[Layer, ...]
    final: Array  #            (T, C)  the vectors at the end; GPT-2 normalises once more

    @property
    def hidden(self) -> tuple[Array, ...]:
        """L + 1 times (T, C): the vectors before the first layer and after each."""
        return (self.embedded, *(layer.hidden for layer in self.layers))

    @property
    def weights(self) -> Array:
        """(L, H, T, T) all attention weights."""
        return np.stack([layer.weights for layer in self.layers])


def forward(model: Model, ids: NDArray[np.integer], seen: BoolArray | None = None) -> Run:
    """Send tokens through the model and keep every number.

    ids: (..., T) entries of the vocabulary; seen: (..., T), False for padding, which no token may
    see. What comes out for padding itself means nothing.

    Raises ValueError if there are more tokens than the model has positions, or none.
    """
    ids = np.asarray(ids)
    n_tokens = ids.shape[-1]
    check_length(model, n_tokens)
    x = model.words[ids] + model.positions[:n_tokens]
    if model.segment is not None:
        x += model.segment
    if model.first_norm is not None:
        x = model.first_norm(x)
    x = laid_out(x)
    visible = (causal if model.causal else everything)(n_tokens)
    if seen is not None:
        visible = visible & np.asarray(seen)[..., None, None, :]
    embedded, layers = x, []
    for steps in model.steps:
        layers.append(computed(steps, x, visible))
        x = layers[-1].hidden
    return Run(
        embedded=embedded,
        layers=tuple(layers),
        final=x if model.last_norm is None else model.last_norm(x),
    )


def check_length(model: Model, n_tokens: int) -> None:
    """Raise ValueError, in a sentence, where the model cannot read so many tokens."""
    if not n_tokens:
        raise ValueError("There is no token to send through the model.")
    if n_tokens > model.max_tokens:
        raise ValueError(
            f"The model has learned {model.max_tokens:,} positions and cannot read more tokens at "
            f"once, its own special ones included; this text has {n_tokens:,}. Shorten it."
        )


def next_words(model: Model, final: Array, count: int = 10) -> list[tuple[int, float]]:
    """The most probable next tokens after one token, with their probabilities.

    final: (C,) the token's vector at the end. Returns entries of the vocabulary, best first.

    Raises ValueError for a model that does not predict the next word.
    """
    if model.unembed is None:
        raise ValueError(f"{model.name} was not trained to predict the next word.")
    scores = model.unembed @ final
    exp = np.exp(scores - scores.max())
    best = np.argsort(-scores, kind="stable")[:count]
    return [(int(n), float(exp[n] / exp.sum())) for n in best]
