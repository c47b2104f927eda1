"""What stands around attention in a transformer: normalisation, projections, activations.

Everything is computed in the float type that comes in; the weights are float32.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from explorer.attention import Array

_ERF_ABOVE = (
    -2.72614225801306e-10,
    2.77068142495902e-08,
    -2.10102402082508e-06,
    -5.69250639462346e-05,
    -7.34990630326855e-04,
    -2.95459980854025e-03,
    -1.60960333262415e-02,
)
_ERF_BELOW = (
    -1.45660718464996e-05,
    -2.13374055278905e-04,
    -1.68282697438203e-03,
    -7.37332916720468e-03,
    -1.42647390514189e-02,
)
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


def erf(x: Array) -> Array:
    """The error function, for float32, with an error below 5e-7.

    Source: the rational approximation that Eigen (`generic_fast_erf_float`) and XLA
    (`ErfImpl32`) use: x P(x^2) / Q(x^2), for x within -4 and 4; beyond, the result is 1 or -1.
    """
    x = np.clip(x, -4, 4)
    square = x * x
    x *= _polynomial(square, _ERF_ABOVE)
    x /= _polynomial(square, _ERF_BELOW)
    return x


def gelu(x: Array) -> Array:
    """x times the share of a normal distribution below x.

    Source: Hendrycks and Gimpel (2016), arXiv:1606.08415, section 2.
    """
    y = erf(x * x.dtype.type(0.5**0.5))
    y += 1
    y *= x
    y *= 0.5
    return y


def gelu_tanh(x: Array) -> Array:
    """The same by the approximation with tanh, which GPT-2 was trained with. Source: as `gelu`."""
    y = x * x
    y *= 0.044715
    y += 1
    y *= x
    y *= (2 / np.pi) ** 0.5
    np.tanh(y, out=y)
    y += 1
    y *= x
    y *= 0.5
    return y


def relu(x: Array) -> Array:
    """x where it is positive, else 0."""
    return np.maximum(x, 0)


ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "gelu": gelu,
    "gelu_new": gelu_tanh,
    "gelu_pytorch_tanh": gelu_tanh,
    "relu": relu,
}
"""By the names that a checkpoint's config.json uses."""


def activate(x: Array, activation: Callable[[Array], Array]) -> Array:
    """Apply an activation to what a `Linear` gave, (..., T, F), which is used up."""
    turned = _turned(x)
    flat = turned.reshape(-1)
    for start in range(0, len(flat), _AT_ONCE):
        part = flat[start : start + _AT_ONCE]
        part[:] = activation(part)
    return _turned(flat.reshape(turned.shape))


def _turned(x: Array) -> Array:
    return np.swapaxes(x, -1, -2)


def _polynomial(x: Array, coefficients: tuple[float, ...]) -> Array:
    """By Horner's rule, the coefficient of the highest power first."""
    first, second, *others = coefficients
    y = x * x.dtype.type(first)
    y += second
    for coefficient in others:
        y *= x
        y += coefficient
    return y
