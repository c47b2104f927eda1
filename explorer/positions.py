"""Ways to tell attention where a word stands. Without one it cannot know: order moves no weight.

Shapes: T tokens; C features of a token; H heads; D features of a query or key in one head.
Positions count from 0 here, as in the sources.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from explorer.attention import Array

BASE = 10_000.0
"""The longest wave is 2 pi times this many words long."""


def sinusoidal(n_tokens: int, n_features: int) -> Array:
    """Waves that are added to the embeddings: (T, C).

    Feature 2i of position p is sin(p / BASE^(2i/C)), feature 2i + 1 the cosine of the same; with an
    odd C the last sine has no cosine.
    Source: Vaswani et al. (2017), section 3.5.
    """
    feature = np.arange(n_features)
    angle = np.arange(n_tokens)[:, None] * BASE ** (-(feature - feature % 2) / n_features)
    return np.where(feature % 2 == 0, np.sin(angle), np.cos(angle))


def sinusoidal_halves(n_tokens: int, n_features: int) -> Array:
    """The same idea in another layout: all sines first, then all cosines: (T, C).

    With h = C // 2 waves, wave i of position p has the angle p / BASE^(i/(h - 1)); with an odd C
    the last feature is 0. A well-known figure of "The Illustrated Transformer" shows this one.
    Source: tensor2tensor, `get_timing_signal_1d` in `common_attention.py`.
    """
    waves = n_features // 2
    angle = np.arange(n_tokens)[:, None] * BASE ** (-np.arange(waves) / max(waves - 1, 1))
    odd = np.zeros((n_tokens, n_features % 2))
    return np.concatenate([np.sin(angle), np.cos(angle), odd], axis=1)


class Pairs(StrEnum):
    """Which two features turn together. Numbers of the one layout are wrong in the other."""

    NEIGHBOURS = "neighbours"  # 2i and 2i + 1: the paper, and Meta's own Llama
    HALVES = "halves"  #         i and i + D // 2: GPT-NeoX, and Hugging Face


class Stretched(StrEnum):
    """What makes room for a sentence longer than those that a model learned from."""

    PLACES = "places"  # every place divided by the same number: Chen et al. (2023)
    BASE = "ntk"  #     a larger base, which slows the slow pairs most: "NTK-aware" scaling


@dataclass(frozen=True, slots=True)
class Turning:
    """How rotary positions turn. Pair i at place p turns by p / base^(2i/D).

    stretch: how many times as long a sentence may be; 1 changes nothing.
    Sources: Su et al. (2021), arXiv:2104.09864; Chen et al. (2023), "Extending Context Window of
    Large Language Models via Positional Interpolation", arXiv:2306.15595; for the larger base,
    base * stretch^(D/(D-2)): Peng et al. (2023), "YaRN", section 3.1, arXiv:2309.00071.
    """

    pairs: Pairs = Pairs.NEIGHBOURS
    base: float = BASE
    stretch: float = 1.0
    stretched: Stretched = Stretched.PLACES

    def angles(self, n_tokens: int, n_features: int, first: int = 0) -> Array:
        """By how much each pair of features is turned, in radians: (T, D // 2).

        first: the place of the first token.
        """
        pair, base, by = np.arange(n_features // 2), self.base, 1.0
        if self.stretched is Stretched.PLACES:
            by = self.stretch
        elif n_features > 2:  # the first pair turns by the place itself, whatever the base
            base *= self.stretch ** (n_features / (n_features - 2))
        place = (np.arange(n_tokens) + first) / by
        return place[:, None] * base ** (-2 * pair / n_features)

    def together(self, feature: int, n_features: int) -> range:
        """A feature and the one that it turns with; alone where it is the last of an odd number."""
        half = n_features // 2
        if feature >= 2 * half:
            return range(feature, feature + 1)
        if self.pairs is Pairs.HALVES:
            return range(feature % half, feature % half + half + 1, half)
        return range(feature - feature % 2, feature - feature % 2 + 2)

    def pair(self, feature: int, n_features: int) -> int:
        """Which pair a feature belongs to, from 0."""
        return feature % (n_features // 2) if self.pairs is Pairs.HALVES else feature // 2


def rotary(x: Array, turning: Turning = Turning(), first: int = 0) -> Array:
    """Turn queries or keys by an angle that grows with their position: (..., T, D).

    Two features are a point in the plane, turned by an angle; with an odd D the last feature
    stays. A score then depends on how far apart two words are, not on where they are.
    first: the place of the first token.
    Source: Su et al. (2021), "RoFormer", section 3.2.2, equation 15, arXiv:2104.09864.
    """
    angle = turning.angles(x.shape[-2], x.shape[-1], first)
    return turn(x, np.cos(angle), np.sin(angle), turning.pairs)


def turn(x: Array, cos: Array, sin: Array, pairs: Pairs) -> Array:
    """Turn each pair of features by its own angle: (..., T, D).

    cos, sin: (..., T, D // 2) of the angle of each pair.
    """
    half = x.shape[-1] // 2
    if pairs is Pairs.HALVES:
        left, right = slice(0, half), slice(half, 2 * half)
    else:
        left, right = slice(0, 2 * half, 2), slice(1, 2 * half, 2)
    turned = x.copy()
    turned[..., left] = x[..., left] * cos - x[..., right] * sin
    turned[..., right] = x[..., left] * sin + x[..., right] * cos
    return turned


def alibi(n_tokens: int, n_heads: int) -> Array:
    """A penalty for distance that is added to the scores: (H, T, T).

    Minus slope times the number of words between query and key, to either side.
    Source: Press et al. (2022), "Train Short, Test Long", section 3, arXiv:2108.12409; there for
    causal attention, where keys to the right are hidden anyway.
    """
    place = np.arange(n_tokens)
    # + 0.0 turns the -0 of a word's distance to itself into 0.
    return -alibi_slopes(n_heads)[:, None, None] * abs(place[:, None] - place) + 0.0


def alibi_slopes(n_heads: int) -> Array:
    """How much each head minds distance: (H,).

    2^(-8h/H) for h = 1, ..., H where H is a power of two. Else the slopes of the next smaller
    power of two, and then every other slope of twice that power, as in the authors' code.
    """
    power = 2 ** int(np.log2(n_heads))
    slopes = 2.0 ** (-8 * np.arange(1, power + 1) / power)
    between = 2.0 ** (-4 * np.arange(1, 2 * power + 1, 2) / power)
    return np.concatenate([slopes, between])[:n_heads]
