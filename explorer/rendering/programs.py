"""Programs that compute the page's numbers without it: NumPy and PyTorch, with the numbers in.

Each is complete, in the plain style in which one writes such a thing to understand it, and ends by
checking itself against the weights and context vectors that the page shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from explorer.attention import Array
from explorer.edits import written
from explorer.operations.operation import NUMPY, TORCH, Library
from explorer.operations.steps import Step
from explorer.settings import Mask, Settings
from explorer.trace import AttentionTrace

_DECIMALS = 6


def numpy_script(t: AttentionTrace, settings: Settings) -> str:
    """The experiment in NumPy. It needs at least one token."""
    return _script(t, settings, NUMPY)


def torch_script(t: AttentionTrace, settings: Settings) -> str:
    """The experiment in PyTorch. It needs at least one token."""
    return _script(t, settings, TORCH)


def _script(t: AttentionTrace, settings: Settings, library: Library) -> str:
    parts = [
        ["import numpy as np" if library is NUMPY else "import torch"],
        _given(t, library),
        _helpers(t, library),
        _whole(t, library),
        _mask(settings, library),
        _heads(t, library),
        _output(t, library),
        _checks(t, library),
    ]
    return "\n\n".join("\n".join(lines) for lines in parts if lines) + "\n"


def _given(t: AttentionTrace, library: Library) -> list[str]:
    lines = ["tokens = ["]
    lines += [f"    {token!r}," for token in t.tokens]
    lines += ["]", f"X = {_array(t.x, library)}  # a row for each token"]
    for name, matrix in (("W_Q", t.w_q), ("W_K", t.w_k), ("W_V", t.w_v), ("W_O", t.w_o)):
        if matrix is not None:
            lines.append(f"{name} = {_array(matrix, library)}")
    return lines


def _is_whole(step: Step) -> bool:
    """Whether a step is written for all heads at once, ahead of the loop over them."""
    return step.operation.deals_out or not step.by_head


def _whole(t: AttentionTrace, library: Library) -> list[str]:
    """What is computed before the heads: positions, queries, keys and values."""
    lines = []
    for step in t.steps:
        if _is_whole(step) and step.operation.inputs != ("context",) and step.name != "output":
            lines += _lines(t, step, library)
    return _together(lines)


def _helpers(t: AttentionTrace, library: Library) -> list[str]:
    """Functions that several lines need, each once."""
    found: dict[str, None] = {}
    for step in t.steps:
        lines = step.operation.helper(library, _arrays(t, step))
        found |= dict.fromkeys(["\n".join(lines)] if lines else [])
    return "\n\n\n".join([*found]).split("\n") if found else []


def _heads(t: AttentionTrace, library: Library) -> list[str]:
    """From the scores to the context vectors, for one head or for each."""
    steps = [step for step in t.steps if not _is_whole(step)]
    if t.n_heads == 1:
        return [line for step in steps for line in _lines(t, step, library)]
    dealt = [step.matrix.variable for step in t.steps if step.operation.deals_out]
    widths = {"V": "d_v"}
    inside = [
        f"{name}_h = {name}[:, h * {d} : (h + 1) * {d}]"
        for name in dealt
        for d in [widths.get(name, "d_k")]
    ]
    inside += [line for step in steps for line in _lines(t, step, library, of_head=dealt)]
    stack, join = (
        ("np.stack", "np.concatenate(contexts, axis=-1)")
        if library is NUMPY
        else ("torch.stack", "torch.cat(contexts, dim=-1)")
    )
    return [
        f"n_heads, d_k, d_v = {t.n_heads}, {t.q.shape[-1]}, {t.v.shape[-1]}",
        "weights, contexts = [], []",
        "for h in range(n_heads):",
        *(f"    {line}" for line in inside),
        "    weights.append(A)",
        "    contexts.append(Y)",
        f"A = {stack}(weights)",
        f"Y = {join}  # the heads' context vectors side by side",
    ]


def _output(t: AttentionTrace, library: Library) -> list[str]:
    """What becomes of the joined heads."""
    last = t.steps[-1]
    return [] if last.operation.inputs == ("context",) else _lines(t, last, library)


def _lines(
    t: AttentionTrace, step: Step, library: Library, of_head: Iterable[str] = ()
) -> list[str]:
    """The lines of one step, the first one with what it computes behind it."""
    variables = {"visible": "visible"} | {other.name: other.matrix.variable for other in t.steps}

    def named(name: str) -> str:
        return f"{variables[name]}_h" if variables[name] in of_head else variables[name]

    names = [named(name) for name in step.operation.inputs]
    if step.operation.is_given:
        return []
    lines = step.operation.program(
        named(step.name), *names, library=library, arrays=_arrays(t, step)
    )
    if len(lines) == 1 and "#" not in lines[0] and not _ALIAS.fullmatch(lines[0]):
        lines = [f"{lines[0]}  # {step.name.replace('_', ' ')}"]
    return lines


_ALIAS = re.compile(r"(\w+) = (\w+)")


def _together(lines: list[str]) -> list[str]:
    """Several names for one matrix on one line: Q = K = V = X."""
    found: list[str] = []
    for line in lines:
        alias = _ALIAS.fullmatch(line)
        if alias and found and found[-1].endswith(f" = {alias[2]}") and "@" not in found[-1]:
            found[-1] = found[-1].removesuffix(alias[2]) + line
        else:
            found.append(line)
    return found


def _arrays(t: AttentionTrace, step: Step) -> tuple[Array, ...]:
    return t.arrays[step.name], *(t.arrays[name] for name in step.operation.inputs)


def _mask(settings: Settings, library: Library) -> list[str]:
    """What may be seen, rule by rule."""
    if not settings.mask:
        return []
    numpy = library is NUMPY
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


def _checks(t: AttentionTrace, library: Library) -> list[str]:
    """The page's weights and context vectors, and that these are the same."""
    weights = t.weights[0] if t.n_heads == 1 else t.weights
    lines = [
        f"shown_weights = {_array(weights, library, _DECIMALS)}",
        f"shown_context = {_array(t.joined, library, _DECIMALS)}",
    ]
    # Half a unit of the last decimal, or of the last digit of a large number.
    near = "rtol=1e-5, atol=1e-6"
    nan = ", equal_nan=True" if np.isnan(t.weights).any() else ""
    lines += [
        f"assert {library.module}.allclose({name}, shown_{what}, {near}{nan})"
        for name, what in (("A", "weights"), ("Y", "context"))
    ]
    return [*lines, 'print("The same weights and context vectors as on the page.")']


def _array(numbers: Array, library: Library, decimals: int | None = None) -> str:
    empty = f".reshape({', '.join(map(str, numbers.shape))})" if not numbers.size else ""
    if numbers.ndim == 3:
        text = f"[{', '.join(_rows(_text(matrix, decimals)) for matrix in numbers)}]"
    else:
        text = _rows(_text(numbers, decimals))
    make = "np.array" if library is NUMPY else "torch.tensor"
    return f"{make}({text}, dtype={library.double}){empty}"


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
