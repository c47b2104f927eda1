"""Programs that compute the page's numbers without it: NumPy and PyTorch, with the numbers in.

Each is complete, in the plain style in which one writes such a thing to understand it, and ends by
checking itself against the weights and context vectors that the page shows.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from explorer import positions
from explorer.attention import Array
from explorer.edits import written
from explorer.settings import Mask, Position, Rule, Scale, Settings
from explorer.trace import AttentionTrace

_DECIMALS = 6
_NUMPY, _TORCH = "numpy", "torch"


def numpy_script(t: AttentionTrace, settings: Settings) -> str:
    """The experiment in NumPy. It needs at least one token."""
    return _script(t, settings, _NUMPY)


def torch_script(t: AttentionTrace, settings: Settings) -> str:
    """The experiment in PyTorch. It needs at least one token."""
    return _script(t, settings, _TORCH)


def _script(t: AttentionTrace, settings: Settings, library: str) -> str:
    parts = [
        ["import numpy as np"] if library == _NUMPY else ["import torch"],
        _given(t, library),
        _positions(t, settings, library),
        _queries_keys_values(t, settings),
        _turn(settings, library),
        _mask(t, settings, library),
        _attention(t, settings, library),
        _output(t, settings, library),
        _checks(t, library),
    ]
    return "\n\n".join("\n".join(lines) for lines in parts if lines) + "\n"


def _given(t: AttentionTrace, library: str) -> list[str]:
    lines = ["tokens = ["]
    lines += [f"    {token!r}," for token in t.tokens]
    lines += ["]", f"X = {_array(t.x, library)}  # a row for each token"]
    for name, matrix in (("W_Q", t.w_q), ("W_K", t.w_k), ("W_V", t.w_v), ("W_O", t.w_o)):
        if matrix is not None:
            lines.append(f"{name} = {_array(matrix, library)}")
    return lines


def _positions(t: AttentionTrace, settings: Settings, library: str) -> list[str]:
    """Where each word stands, added to its embedding."""
    if not settings.position.is_added:
        return []
    np_, double = ("np", "float") if library == _NUMPY else ("torch", "torch.float64")
    n, c = t.x.shape
    lines = [f"place = {np_}.arange({n}, dtype={double})[:, None]"]
    if settings.position is Position.SINUSOIDAL:
        return [
            *lines,
            f"feature = {np_}.arange({c}, dtype={double})",
            f"angle = place / 10000.0 ** ((feature - feature % 2) / {c})",
            f"P = {np_}.where(feature % 2 == 0, {np_}.sin(angle), {np_}.cos(angle))",
            "X = X + P  # sinusoidal positions",
        ]
    waves = c // 2
    join = "np.concatenate" if library == _NUMPY else "torch.cat"
    axis = "axis=1" if library == _NUMPY else "dim=1"
    zeros = f", {np_}.zeros(({n}, 1), dtype={double})" if c % 2 else ""
    return [
        *lines,
        f"angle = place / 10000.0 ** ({np_}.arange({waves}, dtype={double}) / {max(waves - 1, 1)})",
        f"P = {join}([{np_}.sin(angle), {np_}.cos(angle){zeros}], {axis})",
        "X = X + P  # sinusoidal positions, sines first",
    ]


def _turn(settings: Settings, library: str) -> list[str]:
    """A function that turns one head's queries or keys."""
    if settings.position is not Position.ROTARY:
        return []
    np_, copy = ("np", "x.copy()") if library == _NUMPY else ("torch", "x.clone()")
    d, even = settings.d_query, settings.d_query - settings.d_query % 2
    double = "float" if library == _NUMPY else "torch.float64"
    return [
        "def turn(x):  # rotary positions: each pair of features, by the angle of its place",
        f"    place = {np_}.arange(len(x), dtype={double})[:, None]",
        f"    angle = place / 10000.0 ** (2 * {np_}.arange({d // 2}, dtype={double}) / {d})",
        f"    a, b = x[:, 0:{even}:2], x[:, 1:{even}:2]",
        f"    turned = {copy}",
        f"    turned[:, 0:{even}:2] = a * {np_}.cos(angle) - b * {np_}.sin(angle)",
        f"    turned[:, 1:{even}:2] = a * {np_}.sin(angle) + b * {np_}.cos(angle)",
        "    return turned",
    ]


def _bias(t: AttentionTrace, settings: Settings, library: str, head: str) -> list[str]:
    if settings.position is not Position.ALIBI:
        return []
    slopes = ", ".join(repr(float(slope)) for slope in positions.alibi_slopes(t.n_heads))
    place = "np.arange(len(S))" if library == _NUMPY else "torch.arange(len(S))"
    return [f"S = S - [{slopes}][{head}] * abs({place}[:, None] - {place})  # ALiBi: distance"]


def _queries_keys_values(t: AttentionTrace, settings: Settings) -> list[str]:
    if settings.qkv:
        return ["Q = X @ W_Q", "K = X @ W_K", "V = X @ W_V"]
    return ["Q = K = V = X"]


def _mask(t: AttentionTrace, settings: Settings, library: str) -> list[str]:
    """What may be seen, rule by rule."""
    if not settings.mask:
        return []
    numpy = library == _NUMPY
    lines = [
        "n = len(tokens)",
        "visible = np.ones((n, n), dtype=bool)  # row: query, column: key"
        if numpy
        else "visible = torch.ones(n, n, dtype=torch.bool)  # row: query, column: key",
    ]
    place = "np.arange(n)" if numpy else "torch.arange(n)"
    if Mask.CAUSAL in settings.mask:
        lines.append(f"visible &= {place}[:, None] >= {place}  # causal: nothing that comes later")
    if Mask.WINDOW in settings.mask:
        lines.append(f"visible &= abs({place}[:, None] - {place}) <= {settings.radius}  # a window")
    if Mask.PADDING in settings.mask:
        lines.append(f"visible &= {place} < n - {settings.pad}  # the last ones are padding")
    if Mask.CUSTOM in settings.mask and settings.custom is not None:
        rows = _rows([["True" if seen else "False" for seen in row] for row in settings.custom])
        made = f"np.array({rows}, dtype=bool)" if numpy else f"torch.tensor({rows})"
        shape = "" if settings.custom else ".reshape(n, n)"
        lines.append(f"visible &= {made}{shape}  # by hand")
    return lines


def _attention(t: AttentionTrace, settings: Settings, library: str) -> list[str]:
    d_k = settings.d_query
    if settings.n_heads == 1:
        return [
            *_head("Q", "K", "V", t, settings, library),
            "Y = A @ V  # the context vectors",
        ]
    stack = "np.stack" if library == _NUMPY else "torch.stack"
    join = "np.concatenate(contexts, axis=-1)"
    if library == _TORCH:
        join = "torch.cat(contexts, dim=-1)"
    return [
        f"n_heads, d_k, d_v = {settings.n_heads}, {d_k}, {settings.d_value}",
        "weights, contexts = [], []",
        "for h in range(n_heads):",
        "    Q_h = Q[:, h * d_k : (h + 1) * d_k]",
        "    K_h = K[:, h * d_k : (h + 1) * d_k]",
        "    V_h = V[:, h * d_v : (h + 1) * d_v]",
        *(f"    {line}" for line in _head("Q_h", "K_h", "V_h", t, settings, library)),
        "    weights.append(A)",
        "    contexts.append(A @ V_h)",
        f"A = {stack}(weights)",
        f"Y = {join}  # the heads' context vectors side by side",
    ]


def _head(q: str, k: str, v: str, t: AttentionTrace, settings: Settings, library: str) -> list[str]:
    if settings.position is Position.ROTARY:
        q, k = f"turn({q})", f"turn({k})"
    lines = [f"S = {q} @ {k}.T  # scores"]
    if settings.scale is Scale.SQRT_D_K:
        lines.append(f"S = S / {settings.d_query} ** 0.5")
    lines += _bias(t, settings, library, "h" if t.n_heads > 1 else "0")
    if settings.temperature != 1:
        lines.append(f"S = S / {settings.temperature!r}  # temperature")
    if settings.rule is Rule.TOTAL:
        return [*lines, *_by_total(t, settings, library)]
    if library == _TORCH:
        if settings.mask:
            lines.append('S = S.masked_fill(~visible, float("-inf"))')
        lines.append("A = torch.softmax(S, dim=-1)  # weights")
        if t.sees_nobody.any():
            lines.append("A = A.nan_to_num(0.0)  # a word that may see nobody: 0, not 0/0")
        return lines
    if settings.mask:
        lines.append("S = np.where(visible, S, -np.inf)")
    if t.sees_nobody.any():
        return [
            *lines,
            "top = S.max(axis=-1, keepdims=True)",
            "E = np.exp(S - np.where(np.isinf(top), 0, top))",
            "total = E.sum(axis=-1, keepdims=True)",
            "A = E / np.where(total == 0, 1, total)  # a word that may see nobody: 0, not 0/0",
        ]
    return [
        *lines,
        "E = np.exp(S - S.max(axis=-1, keepdims=True))  # less the largest: nothing overflows",
        "A = E / E.sum(axis=-1, keepdims=True)  # weights",
    ]


def _by_total(t: AttentionTrace, settings: Settings, library: str) -> list[str]:
    lines, np_ = [], "np" if library == _NUMPY else "torch"
    if settings.mask:
        zero = "0.0" if library == _NUMPY else "torch.zeros_like(S)"
        lines.append(f"S = {np_}.where(visible, S, {zero})")
    total = "S.sum(axis=-1, keepdims=True)" if library == _NUMPY else "S.sum(-1, keepdim=True)"
    divided = "S / total"
    if t.sees_nobody.any() or np.isnan(t.weights).any():
        divided = (
            "np.divide(S, total, out=np.full(S.shape, np.nan), where=total != 0)"
            if library == _NUMPY
            else "torch.where(total == 0, torch.nan, S / total)"
        )
    lines += [f"total = {total}", f"A = {divided}  # each score over its row's total: no softmax"]
    if settings.mask:
        lines.append("A[~visible] = 0  # a word that may see nobody: 0, not 0/0")
    return lines


def _output(t: AttentionTrace, settings: Settings, library: str) -> list[str]:
    return ["output = Y @ W_O"] if settings.has_w_o else []


def _checks(t: AttentionTrace, library: str) -> list[str]:
    """The page's weights and context vectors, and that these are the same."""
    weights = t.weights[0] if t.n_heads == 1 else t.weights
    lines = [
        f"shown_weights = {_array(weights, library, _DECIMALS)}",
        f"shown_context = {_array(t.joined, library, _DECIMALS)}",
    ]
    # Half a unit of the last decimal, or of the last digit of a large number.
    near = "rtol=1e-5, atol=1e-6"
    nan = ", equal_nan=True" if np.isnan(t.weights).any() else ""
    if library == _NUMPY:
        lines += [
            f"assert np.allclose(A, shown_weights, {near}{nan})",
            f"assert np.allclose(Y, shown_context, {near}{nan})",
        ]
    else:
        lines += [
            f"assert torch.allclose(A, shown_weights, {near}{nan})",
            f"assert torch.allclose(Y, shown_context, {near}{nan})",
        ]
    return [*lines, 'print("The same weights and context vectors as on the page.")']


def _array(numbers: Array, library: str, decimals: int | None = None) -> str:
    empty = f".reshape({', '.join(map(str, numbers.shape))})" if not numbers.size else ""
    if numbers.ndim == 3:
        inner = ", ".join(_rows(_text(matrix, decimals)) for matrix in numbers)
        text = f"[{inner}]"
    else:
        text = _rows(_text(numbers, decimals))
    if library == _NUMPY:
        return f"np.array({text}, dtype=float){empty}"
    return f"torch.tensor({text}, dtype=torch.float64){empty}"


def _text(numbers: Array, decimals: int | None) -> Iterable[Iterable[str]]:
    if decimals is None:
        return written(numbers.tolist())
    return [
        ['float("nan")' if np.isnan(number) else f"{number:.{decimals}f}" for number in row]
        for row in numbers
    ]


def _rows(rows: Iterable[Iterable[str]]) -> str:
    lines = [f"    [{', '.join(row)}],\n" for row in rows]
    return f"[\n{''.join(lines)}]" if lines else "[]"
