"""Ways to tell attention where a word stands. Without one it cannot know: order moves no weight.

Shapes: T tokens; C features of a token; H heads; D features of a query or key in one head.
Positions count from 0 here, as in the sources.
"""

from __future__ import annotations

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


def rotary(x: Array) -> Array:
    """Turn queries or keys by an angle that grows with their position: (..., T, D).

    Features 2i and 2i + 1 are a point in the plane, turned by p / BASE^(2i/D); with an odd D the
    last feature stays. A score then depends on how far apart two words are, not on where they are.
    Source: Su et al. (2021), "RoFormer", section 3.2.2, equation 15, arXiv:2104.09864.
    """
    n_tokens, n_features = x.shape[-2:]
    even = n_features - n_features % 2
    angle = rotary_angles(n_tokens, n_features)
    cos, sin = np.cos(angle), np.sin(angle)
    turned = x.copy()
    first, second = x[..., 0:even:2], x[..., 1:even:2]
    turned[..., 0:even:2] = first * cos - second * sin
    turned[..., 1:even:2] = first * sin + second * cos
    return turned


def rotary_angles(n_tokens: int, n_features: int) -> Array:
    """By how much each pair of features is turned, in radians: (T, D // 2)."""
    pair = np.arange(n_features // 2)
    return np.arange(n_tokens)[:, None] * BASE ** (-2 * pair / n_features)


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
