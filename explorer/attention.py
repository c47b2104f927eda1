"""Scaled dot-product attention in NumPy, one function a step.

Shapes:
    T  tokens in the sentence (Tq queries, Tk keys where they differ)
    C  features of a token (d_model)
    H  heads
    G  key heads where they are fewer than query heads (G divides H)
    D  features of a query or key in one head (d_k)
    Dv features of a value in one head (d_v)

Every function works on the last two axes and leaves all axes before them alone, so one head,
many heads and many sentences are the same call; the axis before those two is the heads'. The float
type that comes in goes out.

Source: Vaswani et al. (2017), "Attention Is All You Need", section 3.2, arXiv:1706.03762.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.floating]
BoolArray = NDArray[np.bool_]
Product = Callable[[Array, Array], Array]
"""What multiplies two matrices: (..., I, N) and (..., N, J) make (..., I, J)."""


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Attention:
    """Every step of one attention, in the order in which they are computed."""

    scores: Array  #   (..., Tq, Tk)  q k^T: how well each key answers each query
    scaled: Array  #   (..., Tq, Tk)  scores times the scale
    biased: Array  #   (..., Tq, Tk)  scaled plus the bias
    cooled: Array  #   (..., Tq, Tk)  biased over the temperature
    masked: Array  #   (..., Tq, Tk)  cooled, -inf where a key may not be seen
    weights: Array  #  (..., Tq, Tk)  softmax of masked: what share of each value is taken
    context: Array  #  (..., Tq, Dv)  weights times v: the answer


def attend(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    scale: float | None = None,
    visible: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    temperature: float = 1.0,
    share_out: Callable[[Array], Array] | None = None,
    product: Product | None = None,
) -> Attention:
    """Let every query gather what the keys it may see have to offer, and keep each step.

    q: (..., Tq, D); k: (..., Tk, D); v: (..., Tk, Dv). With heads, q: (..., H, Tq, D);
    k: (..., G, Tk, D); v: (..., G, Tk, Dv), where H / G query heads share a key head.
    scale: what the scores are multiplied by; None means 1/sqrt(D), and 1 leaves them raw.
    visible: (..., Tq, Tk), (1, Tk) or (Tk,), True where the query may see the key.
    bias: as visible, but numbers, added to the scaled scores; -inf hides the key as well.
    temperature: above 1 evens the weights out, below 1 sharpens them.
    share_out: how a row of scores becomes weights; None means softmax.
    product: how two matrices are multiplied; None means `multiply`, `np.matmul` is faster.

    Raises ValueError if the shapes do not belong together or the mask is not boolean.
    Source: Vaswani et al. (2017), section 3.2.1, equation 1.
    """
    q, k, v = _same_float_type(q, k, v)
    _check_shapes(q, k, v)
    if min(q.ndim, k.ndim, v.ndim) > 2 and q.shape[-3] != k.shape[-3]:
        k, v = share_heads(k, q.shape[-3]), share_heads(v, q.shape[-3])
    n_queries, n_keys = q.shape[-2], k.shape[-2]
    seen = _mask("visible", True if visible is None else visible, n_queries, n_keys)
    if seen.dtype != np.bool_:
        raise ValueError(
            f"visible must be boolean, because 0 and 1 are read either way round elsewhere; "
            f"True means that the key may be seen; got {seen.dtype}."
        )
    if bias is not None:
        with np.errstate(over="ignore"):  # -1e9 is meant to hide; for float16 it is -inf
            bias = _mask("bias", bias, n_queries, n_keys).astype(q.dtype, copy=False)
        seen = seen & ~np.isneginf(bias)

    scores = score(q, k, product)
    scaled = scores * (q.shape[-1] ** -0.5 if scale is None else float(scale))
    # Behind the mask the bias may hold anything; what is no number must not even be added.
    biased = scaled if bias is None else scaled + np.where(seen | np.isfinite(bias), bias, 0)
    cooled = biased if temperature == 1 else biased / temperature
    masked = hide(cooled, seen)
    weights = (share_out or softmax)(masked)
    context = mix(weights, v, seen, product)
    return Attention(
        scores=scores,
        scaled=scaled,
        biased=biased,
        cooled=cooled,
        masked=masked,
        weights=weights,
        context=context,
    )


def multiply(a: Array, b: Array) -> Array:
    """Matrix product in which equal rows and equal columns give equal numbers, to the last bit.

    a: (..., I, N); b: (..., N, J). Returns (..., I, J).
    """
    # Libraries for matrices sum the cells at the edge of a block in another order, which would
    # make two words with the same vector differ. Here every cell is summed in the same order.
    return np.einsum("...in,...nj->...ij", a, b)


def score(q: Array, k: Array, product: Product | None = None) -> Array:
    """Measure how well each key answers each query: one dot product a pair.

    q: (..., Tq, D); k: (..., Tk, D). Returns (..., Tq, Tk), a row for each query.
    """
    with np.errstate(invalid="ignore"):  # infinity times 0 is NaN, and may be about to be hidden
        return (product or multiply)(q, np.swapaxes(k, -1, -2))


def hide(scores: Array, visible: BoolArray) -> Array:
    """Set the scores of the keys that may not be seen to -inf, so that their weight is 0.

    scores: (..., Tq, Tk); visible: broadcast to it, True where the key may be seen.
    """
    if np.all(visible):
        return scores
    # Chosen, not multiplied or added: a NaN behind the mask must not reach the answer.
    return np.where(visible, scores, scores.dtype.type(-np.inf))


def softmax(scores: Array) -> Array:
    """Turn each row of scores into weights that are not negative and sum to 1.

    scores: (..., Tq, Tk), -inf where a key may not be seen. A query that may see no key at all
    gets the weight 0 for every key (PyTorch's `scaled_dot_product_attention` and ONNX agree);
    the plain formula would say 0/0 there.

    The row's maximum is subtracted first. That changes no weight and keeps exp from overflowing.
    """
    top = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    top = np.where(np.isneginf(top), scores.dtype.type(0), top)
    # The gap between two finite scores may itself be too large for the float type: -inf is right.
    with np.errstate(over="ignore", under="ignore"):
        exp = scores - top
        np.exp(exp, out=exp)
        total = exp.sum(axis=-1, keepdims=True)
    # Only a row of zeros sums to 0. A NaN that a query does see must stay NaN, not turn into 0.
    exp /= np.where(total == 0, exp.dtype.type(1), total)
    return exp


def share_by_total(scores: Array) -> Array:
    """Turn each row of scores into shares by plain division: each score over the row's total.

    What one would try first, and why the softmax is there: a negative score gives a negative
    weight, and a total near 0 blows all weights up; at exactly 0 they are NaN. Hidden keys get 0.
    scores: (..., Tq, Tk), -inf where a key may not be seen.
    """
    seen = ~np.isneginf(scores)
    kept = np.where(seen, scores, scores.dtype.type(0))
    total = kept.sum(axis=-1, keepdims=True)
    nan = np.full_like(kept, np.nan)
    shares = np.divide(kept, total, out=nan, where=total != 0)
    return np.where(seen, shares, scores.dtype.type(0))


def mix(
    weights: Array, v: Array, visible: BoolArray | None = None, product: Product | None = None
) -> Array:
    """Blend the values by the weights: each query's context vector.

    weights: (..., Tq, Tk); v: (..., Tk, Dv); visible: broadcast to weights, True where the key
    may be seen. Returns (..., Tq, Dv).
    """
    if visible is None or np.isfinite(v).all():
        return (product or multiply)(weights, v)
    # 0 * NaN is NaN, so a hidden value has to be left out of the sum, not weighted by 0.
    terms = weights[..., :, :, None] * v[..., None, :, :]
    return np.where(visible[..., None], terms, v.dtype.type(0)).sum(axis=-2)


def split_heads(x: Array, n_heads: int) -> Array:
    """Give each head its own features: (..., T, C) -> (..., H, T, C / H).

    Raises ValueError if the heads do not divide the features.
    """
    *lead, n_tokens, n_features = x.shape
    if n_heads < 1 or n_features % n_heads:
        raise ValueError(
            f"n_heads must divide the features, so that every head gets the same number of them; "
            f"got {n_features} features and n_heads={n_heads}."
        )
    # First cut each row into heads, then bring the heads to the front. A reshape straight to
    # (H, T, D) has the right shape too, but deals the rows out to the wrong heads.
    return x.reshape(*lead, n_tokens, n_heads, n_features // n_heads).swapaxes(-2, -3)


def join_heads(heads: Array) -> Array:
    """Put the heads' features side by side again: (..., H, T, D) -> (..., T, H * D)."""
    *lead, n_heads, n_tokens, n_features = heads.shape
    return heads.swapaxes(-2, -3).reshape(*lead, n_tokens, n_heads * n_features)


def share_heads(x: Array, n_heads: int) -> Array:
    """Let neighbouring query heads read the same key head: (..., G, T, D) -> (..., H, T, D).

    Query head h reads key head h // (H / G). With G = 1 all of them read the same one.

    Raises ValueError if the key heads do not divide the query heads.
    Source: Ainslie et al. (2023), "GQA", section 2.2, arXiv:2305.13245.
    """
    n_key_heads = x.shape[-3]
    if min(n_heads, n_key_heads) < 1 or n_heads % n_key_heads:
        raise ValueError(
            f"the key heads must divide the query heads, so that each of them is shared by the "
            f"same number of query heads; "
            f"got {n_heads} query heads and {n_key_heads} key heads."
        )
    # Each head is repeated in its place: 0 0 1 1. All of them over again, 0 1 0 1, has the right
    # shape too, but hands most query heads the wrong keys.
    return np.repeat(x, n_heads // n_key_heads, axis=-3)


def _same_float_type(*arrays: ArrayLike) -> list[Array]:
    """Bring the arrays to the one float type that holds them all; whole numbers to float64."""
    given = [np.asarray(array) for array in arrays]
    common = np.result_type(*given)
    if not np.issubdtype(common, np.floating):
        common = np.dtype(np.float64)
    return [array.astype(common, copy=False) for array in given]


def _check_shapes(q: Array, k: Array, v: Array) -> None:
    if min(q.ndim, k.ndim, v.ndim) < 2:
        raise ValueError(
            f"q, k and v need two axes, tokens and features; "
            f"got shapes {q.shape}, {k.shape}, {v.shape}."
        )
    if q.shape[-1] != k.shape[-1] or not q.shape[-1]:
        raise ValueError(
            f"queries and keys must have the same number of features, at least one, "
            f"because a score is their dot product; got {q.shape} and {k.shape}."
        )
    if k.shape[-2] != v.shape[-2] or (min(k.ndim, v.ndim) > 2 and k.shape[-3] != v.shape[-3]):
        raise ValueError(
            f"there must be one value for each key, in every head; "
            f"got keys {k.shape} and values {v.shape}."
        )


def _mask(name: str, mask: ArrayLike, n_queries: int, n_keys: int) -> NDArray:
    """Check that a mask lies over the scores without being turned or stretched by accident."""
    mask = np.asarray(mask)
    rows, columns = ((1, 1, *mask.shape))[-2:]
    if mask.ndim and (columns != n_keys or rows not in (1, n_queries)):
        raise ValueError(
            f"{name} must have a column for each key and a row for each query (or one row for "
            f"all), so that no key is hidden by accident; "
            f"got shape {mask.shape} for {n_queries} queries and {n_keys} keys."
        )
    return np.broadcast_to(mask, (*mask.shape[:-2], n_queries, n_keys))
