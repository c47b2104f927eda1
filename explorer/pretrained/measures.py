"""What can be measured on a sentence's way through a model: heads, words, parts of a layer.

Shapes as in `explorer.pretrained.model`. Nothing here has a name for what a head "means"; each
measure says what was added up.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from explorer.attention import Array, BoolArray
from explorer.pretrained.layer import Layer, LayerWeights
from explorer.pretrained.model import Model, Run
from explorer.pretrained.text import Pieces
from explorer.tokens import same_word


class Behaviour(StrEnum):
    """What share of its attention a head gives, on average over the pieces of the sentence."""

    PREVIOUS = "previous"  # to the piece before
    NEXT = "next"  #         to the piece after
    OWN = "own"  #           to itself
    SPECIAL = "special"  #   to the model's special tokens; without any, to the first token
    SAME = "same"  #         to other pieces with the same entry of the vocabulary
    BROAD = "broad"  #       how evenly it is spread: entropy over its largest possible value


def behaviours(
    weights: Array, visible: BoolArray, ids: NDArray[np.integer], special: BoolArray
) -> dict[str, Array]:
    """Measure every head on one sentence: for each behaviour (L, H) between 0 and 1.

    weights: (L, H, T, T); visible: (T, T); ids: (T,); special: (T,), True for what the model added.
    Only the pieces of the sentence ask; a behaviour that none could show is NaN everywhere.

    Sources: Clark, Khandelwal, Levy, Manning (2019), "What Does BERT Look At?", section 3, measures
    the same but for SAME.
    """
    place = np.arange(len(ids))
    asks = ~special
    both = asks[:, None] & asks & visible
    offset = place - place[:, None]
    sinks = special if special.any() else place == 0
    most = np.log2(visible.sum(axis=-1))  # bits, if all that may be seen gets the same
    spread = -(weights * np.log2(weights, out=np.zeros_like(weights), where=weights > 0)).sum(-1)
    can_spread = asks & (most > 0)
    return {
        Behaviour.PREVIOUS: _given(weights, both & (offset == -1)),
        Behaviour.NEXT: _given(weights, both & (offset == 1)),
        Behaviour.OWN: _given(weights, both & (offset == 0)),
        # The first token itself cannot but attend to itself where it sees nothing else.
        Behaviour.SPECIAL: _given(weights, (asks & (place > 0))[:, None] & sinks),
        Behaviour.SAME: _given(weights, both & (offset != 0) & (ids[:, None] == ids)),
        Behaviour.BROAD: (spread[..., can_spread] / most[can_spread]).mean(axis=-1)
        if can_spread.any()
        else np.full(weights.shape[:2], np.nan),
    }


def ranked(scores: Array, count: int) -> list[tuple[int, int]]:
    """The (layer, head) of the largest scores, (L, H), best first; none where they are NaN."""
    order = np.argsort(-scores, axis=None, kind="stable")[:count]
    places = (np.unravel_index(n, scores.shape) for n in order)
    return [(int(i), int(h)) for i, h in places if not np.isnan(scores[i, h])]


def find_word(pieces: Pieces, word: str) -> list[int]:
    """The places of the pieces of a word's first occurrence; none where it does not occur."""
    wanted = same_word(word.strip())
    for n, here in enumerate(pieces.words):
        if same_word(here) == wanted:
            return pieces.of_word(n)
    return []


def vectors_of(run: Run, places: Sequence[int]) -> Array:
    """A word's vector before layer 1 and after each, the mean of its pieces: (L + 1, C)."""
    return np.stack([hidden[list(places)].mean(axis=0) for hidden in run.hidden])


def cosines(vectors: Array) -> Array:
    """How alike the same word is in several sentences, layer by layer.

    vectors: (S, L + 1, C), one of each sentence. Returns (S, S, L + 1).
    """
    unit = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.einsum("alc,blc->abl", unit, unit)


def contributions(layer: Layer, weights: LayerWeights, places: Sequence[int]) -> Array:
    """How long a vector each piece adds to a word's by attention: (T,).

    The norm of the weighted values through W_O, all heads together, on average over the word's
    pieces. What W_O's bias adds comes from no piece and is left out.

    Source: Kobayashi, Kuribayashi, Yokoi, Inui (2020), "Attention is Not Only a Weight: Analyzing
    Transformers with Vector Norms", arXiv:2004.10102, section 3, equation 6.
    """
    n_heads, _, d = layer.v.shape
    w_o = weights.out.w.reshape(n_heads, d, -1)
    through = np.einsum("hjd,hdc->hjc", layer.v, w_o, optimize=True)
    added = np.einsum("hij,hjc->ijc", layer.weights[:, list(places)], through, optimize=True)
    return np.linalg.norm(added, axis=-1).mean(axis=0)


def parts(model: Model) -> tuple[str, ...]:
    """The parts of a layer that move a word's vector, in order."""
    if model.causal:
        return ("attention", "feed-forward")
    return ("attention", "norm", "feed-forward", "second norm")


def moves(model: Model, run: Run, places: Sequence[int]) -> Array:
    """How far each part of each layer moved a word's vector: (parts, L), Euclidean distances.

    Of several pieces the mean. In GPT-2 the normalisation stands beside the way of the vector, in
    front of attention and feed-forward, and so moves nothing itself.
    """
    found = []
    for before, layer in zip(run.hidden[:-1], run.layers, strict=True):
        if model.causal:
            steps = [layer.attended, layer.fed]
        else:
            summed, fed = before + layer.attended, layer.middle + layer.fed
            steps = [layer.attended, layer.middle - summed, layer.fed, layer.hidden - fed]
        found.append([np.linalg.norm(step[list(places)], axis=-1).mean() for step in steps])
    return np.array(found).T


def word_vectors(model: Model, words: Sequence[str]) -> Array:
    """The vectors that the model has learned for words before any context: (T, C), float64.

    Of a word in several pieces the mean of theirs. A word without any piece gets zeros.
    """
    found = np.zeros((len(words), model.d_model))
    for n, word in enumerate(words):
        ids = model.tokenizer.encode(word, add_special_tokens=False).ids
        if ids:
            found[n] = model.words[ids].mean(axis=0)
    return found


def reduced(vectors: Array, d: int) -> Array:
    """The first d principal components of vectors, to two decimals: (T, C) -> (T, d).

    The mean is taken off, equal vectors count once, and all is stretched by one factor so that the
    largest number is 1. Fewer different vectors than d leave zeros at the end. The same vectors,
    in any order, give the same numbers.

    Source: Jolliffe (2002), "Principal Component Analysis", 2nd edition, chapter 1.
    """
    different = np.unique(np.asarray(vectors, dtype=np.float64), axis=0)
    mean = different.mean(axis=0)
    _, lengths, axes = np.linalg.svd(different - mean, full_matrices=False)
    axes = axes[lengths > lengths.max(initial=0.0) * 1e-9][:d]
    # The sign of an axis is anybody's choice: here its largest number is positive.
    largest = np.abs(axes).argmax(axis=1)
    axes = axes * np.sign(axes[np.arange(len(axes)), largest])[:, None]
    found = np.zeros((len(vectors), d))
    found[:, : len(axes)] = (vectors - mean) @ axes.T
    return np.round(found / (np.abs(found).max(initial=0.0) or 1.0), 2) + 0.0


def _given(weights: Array, wanted: BoolArray) -> Array:
    """What the queries that have a wanted key give to all of theirs, on average: (L, H)."""
    asks = wanted.any(axis=-1)
    if not asks.any():
        return np.full(weights.shape[:2], np.nan)
    return (weights * wanted).sum(axis=-1)[..., asks].mean(axis=-1)
