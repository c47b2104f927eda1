"""Why the scores are divided by the square root of d: what grows with d, and what does not.

Seeded normal vectors stand for trained queries and keys, as in the footnote that gives the reason:
the dot product of two of them, with d features of variance 1 each, has the variance d.

Shapes: N trials; T words; D features.
Source: Vaswani et al. (2017), section 3.2.1, footnote 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from explorer.attention import Array, attend
from explorer.measures import entropy_bits

DIMENSIONS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
TRIALS = 100
N_WORDS = 6


@dataclass(frozen=True, slots=True)
class Spread:
    """What d features do, on average over all trials and words. Entropies are in bits."""

    d: int
    scores: float  #          standard deviation of the raw scores; in theory sqrt(d)
    largest_raw: float  #     a row's largest weight
    largest_scaled: float
    entropy_raw: float
    entropy_scaled: float
    own_raw: float  #         with Q = K = X: the weight that a word gives to itself
    own_scaled: float
    own_score_raw: float  #   with Q = K = X: a word's score with itself; in theory d
    own_score_scaled: float  # likewise; in theory sqrt(d)

    @property
    def root(self) -> float:
        """sqrt(d)."""
        return self.d**0.5


def sweep(present: int, seed: int, n_trials: int = TRIALS) -> Iterator[Spread]:
    """Measure each of the dimensions, and the present one in its place, the smallest first.

    One set of vectors serves all: a dimension takes as many of their features as it needs, so
    neighbours differ by what was added and not by luck.
    """
    dimensions = sorted({*DIMENSIONS, present})
    draw = np.random.default_rng(seed).standard_normal
    q, k = draw((2, n_trials, N_WORDS, dimensions[-1]))
    for d in dimensions:
        yield measure(q[..., :d], k[..., :d])


def measure(q: Array, k: Array) -> Spread:
    """Attend raw and scaled, with keys of their own and with Q = K = X. q and k: (N, T, D)."""
    raw, scaled = (attend(q, k, k, scale=scale) for scale in (1.0, None))
    own_raw, own_scaled = (attend(q, q, q, scale=scale) for scale in (1.0, None))
    return Spread(
        d=q.shape[-1],
        scores=float(raw.scores.std()),
        largest_raw=float(raw.weights.max(axis=-1).mean()),
        largest_scaled=float(scaled.weights.max(axis=-1).mean()),
        entropy_raw=float(entropy_bits(raw.weights).mean()),
        entropy_scaled=float(entropy_bits(scaled.weights).mean()),
        own_raw=_own(own_raw.weights),
        own_scaled=_own(own_scaled.weights),
        own_score_raw=_own(own_raw.scaled),
        own_score_scaled=_own(own_scaled.scaled),
    )


def _own(pairs: Array) -> float:
    return float(np.diagonal(pairs, axis1=-2, axis2=-1).mean())
