"""What stands around attention in a transformer: normalisation, projections, activations.

Everything is computed in the float type that comes in; the weights are float32.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from explorer.attention import Array

Coefficients = tuple[float, ...]
"""Of a polynomial, the highest power first."""
_NORMAL: Coefficients = (
    3.627848372e-09,
    -2.675661241e-07,
    7.948137113e-06,
    -1.105467415e-04,
    -6.605350843e-05,
    7.266829837e-02,
    1.595768537,
)
"""In powers of x^2: times x, the logarithm of the odds that a normal number is below x.

Fitted by reweighted least squares for the smallest error of x times the share of a normal
distribution below x. The largest is 7e-8, which is less than float32 rounds off.
"""
_TANH: Coefficients = (0.044715 * 2 * (2 / math.pi) ** 0.5, 2 * (2 / math.pi) ** 0.5)
"""The same to two terms, with which GPT-2 was trained: (1 + tanh(y)) / 2 = 1 / (1 + exp(-2 y))."""
_AT_ONCE = 1 << 15
"""Numbers that are activated at once: few enough to stay in the processor's cache meanwhile."""


@dataclass(frozen=True, eq=False, slots=True)
class Linear:
    """A projection: x W + b."""

    w: Array  # (in, out)
    b: Array  # (out,)

    def __call__(self, x: Array) -> Array:
        """Project each vector: (..., in) -> (..., out)."""
        # (W^T x^T)^T is the same, and a quarter faster: each vector's numbers lie a token apart,
        # so that the library for matrices reads the large matrix in one go.
        y = _turned(self.w.T @ _turned(x))
        y += self.b
        return y


@dataclass(frozen=True, eq=False, slots=True)
class Norm:
    """Layer normalisation. Source: Ba, Kiros, Hinton (2016), arXiv:1607.06450, equation 4."""

    gain: Array  # (C,)
    shift: Array  # (C,)
    epsilon: float

    def __call__(self, x: Array) -> Array:
        """Give each vector the mean 0 and the variance 1, then its gain and shift: (..., C)."""
        n = x.shape[-1]
        y = x - x.sum(axis=-1, keepdims=True) / n
        variance = np.einsum("...c,...c->...", y, y)[..., None] / n
        y *= 1 / np.sqrt(variance + self.epsilon)
        y *= self.gain
        y += self.shift
        return y


def gelu(x: Array, odds: Coefficients = _NORMAL, out: Array | None = None) -> Array:
    """x times the share of a normal distribution below x, by the logarithm of its odds.

    out: where the result goes; None makes a new array.
    Source: Hendrycks and Gimpel (2016), arXiv:1606.08415, section 2.
    """
    with np.errstate(over="ignore"):  # odds may become infinite: x / infinity is 0, and right
        y = _polynomial(x * x, tuple(-c for c in odds))
        y *= x
        np.exp(y, out=y)
    y += 1
    return np.divide(x, y, out=y if out is None else out)


def gelu_slope(x: Array, odds: Coefficients = _NORMAL) -> Array:
    """How fast `gelu` grows with x."""
    with np.errstate(over="ignore"):
        share = 1 / (1 + np.exp(-x * _polynomial(x * x, odds)))
    powers = range(2 * len(odds) - 1, 0, -2)
    grows = _polynomial(x * x, tuple(n * c for n, c in zip(powers, odds, strict=True)))
    return share + x * share * (1 - share) * grows


def relu(x: Array, out: Array | None = None) -> Array:
    """x where it is positive, else 0."""
    return np.maximum(x, 0, out=out)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Activation:
    """What is done to each number on its own between the two halves of the feed-forward part.

    slope: how fast the result grows with x. program: the same as a line of NumPy or PyTorch, from
    the name of x and that of the library.
    """

    name: str  # in formulas
    of: Callable[..., Array]  # of x, and of where it goes
    slope: Callable[[Array], Array]
    program: Callable[[str, str], str]

    def __call__(self, x: Array) -> Array:
        """Apply it to what a `Linear` gave: (..., T, F)."""
        turned = np.ascontiguousarray(_turned(x))
        found = np.empty_like(turned)
        given, taken = turned.reshape(-1), found.reshape(-1)
        for start in range(0, len(given), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            self.of(given[part], out=taken[part])
        return _turned(found)


def _erf_program(x: str, library: str) -> str:
    erf = "torch.erf" if library == "torch" else "np.vectorize(math.erf)"
    return f"{x} * (1 + {erf}({x} / 2**0.5)) / 2"


_GELU = Activation(name="GELU", of=gelu, slope=gelu_slope, program=_erf_program)
_GELU_TANH = Activation(
    name="GELU",
    of=partial(gelu, odds=_TANH),
    slope=partial(gelu_slope, odds=_TANH),
    program=lambda x, library: (
        f"{x} * (1 + {library}.tanh((2 / {math.pi}) ** 0.5 * ({x} + 0.044715 * {x}**3))) / 2"
    ),
)
_RELU = Activation(
    name="ReLU",
    of=relu,
    slope=lambda x: (x > 0).astype(x.dtype),
    program=lambda x, library: f"{x} * ({x} > 0)",
)
ACTIVATIONS = {
    "gelu": _GELU,
    "gelu_new": _GELU_TANH,
    "gelu_pytorch_tanh": _GELU_TANH,
    "relu": _RELU,
}
"""By the names that a checkpoint's config.json uses."""


def laid_out(x: Array) -> Array:
    """The same vectors, (..., T, C), in memory as `Linear` leaves them: a token beside a token.

    Arrays that lie alike are added ten times as fast as two that do not.
    """
    return _turned(np.ascontiguousarray(_turned(x)))


def _turned(x: Array) -> Array:
    return np.swapaxes(x, -1, -2)


def _polynomial(x: Array, coefficients: Coefficients) -> Array:
    """By Horner's rule."""
    first, second, *others = coefficients
    y = x * x.dtype.type(first)
    y += second
    for coefficient in others:
        y *= x
        y += coefficient
    return y
