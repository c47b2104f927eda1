"""Files that a reader brings: word vectors, arrays, or a state of the page.

Whatever a file holds, it becomes values of controls, so that what follows is computed by the same
steps as everything else. Nothing in a file is ever run.
"""

from __future__ import annotations

import csv
import importlib.util
import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer import edits as by_hand
from explorer import labels
from explorer.attention import Array
from explorer.edits import Edits, Rows, written
from explorer.examples import OWN
from explorer.export import read_state
from explorer.link import codec
from explorer.link.codec import Ignored
from explorer.link.state import State, defaults
from explorer.settings import D_MODEL, MAX_CHARACTERS, MAX_NUMBER, MAX_TOKENS, Mask
from explorer.tokens import tokenize

ENDINGS = ("csv", "tsv", "txt", "json", "npy", "npz", "safetensors")
_MOST_BYTES = 50_000_000
_ATTENTION = ("attention", "attentions", "weights")
_OFF = 1e-3  # a row that sums to 1 but for this has only been rounded


@dataclass(frozen=True, eq=False, slots=True)
class Ready:
    """Attention weights that somebody else computed: to look at, not to compute with."""

    tokens: tuple[str, ...]
    weights: Array  # (H, T, T)

    def said(self) -> str:
        """Whether they are what attention weights should be."""
        n_heads, n_tokens, _ = self.weights.shape
        sums = self.weights.sum(axis=-1)
        off = np.argwhere(np.abs(sums - 1) > _OFF)
        negative = int((self.weights < 0).sum())
        parts = [f"{n_heads} {'head' if n_heads == 1 else 'heads'} of {n_tokens} by {n_tokens}."]
        if len(off):
            h, i = off[0]
            parts.append(
                f"{len(off)} of {sums.size} rows do not sum to 1; the first is row {i + 1} of head "
                f"{h + 1}, with {sums[h, i]:.3f}."
            )
        else:
            parts.append("Every row sums to 1.")
        if negative:
            parts.append(f"{negative} of the numbers are negative, which no share can be.")
        return " ".join(parts)


def ready(name: str, data: bytes) -> Ready | None:
    """The attention weights in a file; None where it is a file of another kind.

    (heads, T, T), in an NPY or, with tokens if there are any, under one of the names `attention`,
    `attentions` and `weights`. A batch of one is opened, of more refused.
    """
    ending = name.rpartition(".")[2].lower()
    if ending == "npy":
        arrays = {"attention": _array(data)}
        if arrays["attention"].ndim < 3:
            return None
    elif ending in ("npz", "safetensors"):
        arrays = _arrays(data) if ending == "npz" else _tensors(data)
    else:
        return None
    found = {key.lower(): array for key, array in arrays.items()}
    if found.keys() & {"x", "q"} or not found.keys() & set(_ATTENTION):
        return None
    weights = next(found[key] for key in _ATTENTION if key in found)
    if weights.ndim == 4 and len(weights) == 1:
        weights = weights[0]
    if weights.ndim == 2:
        weights = weights[None]
    if weights.ndim != 3 or weights.shape[1] != weights.shape[2]:
        raise ValueError(
            f"Attention weights must be heads by words by words, of one sentence; got "
            f"{_by(weights.shape)}."
        )
    weights = _finite("The attention weights", weights, 3)
    n_tokens = weights.shape[1]
    if n_tokens > MAX_TOKENS:
        raise ValueError(f"There may be up to {MAX_TOKENS} words; this file has {n_tokens:,}.")
    tokens = found.get("tokens")
    words = [] if tokens is None else [str(token) for token in tokens.ravel()]
    if words and len(words) != n_tokens:
        raise ValueError(
            f"There must be a token for each of the {n_tokens} rows of weights of shape "
            f"{_by(weights.shape)}; got {len(words)}."
        )
    return Ready(tuple(words) or tuple(f"word{n}" for n in range(1, n_tokens + 1)), weights)


def opened(name: str, data: bytes) -> tuple[State, list[Ignored]]:
    """What a file stands for, as the state of the page, and what of it could not be used.

    Raises ValueError, in a sentence, for a file that cannot be used.
    """
    ending = name.rpartition(".")[2].lower()
    if ending == "json":
        return codec.decode(read_state(data))
    if ending == "npy":
        return _of_arrays({"x": _array(data)}), []
    if ending == "npz":
        return _of_arrays(_arrays(data)), []
    if ending == "safetensors":
        return _of_arrays(_tensors(data)), []
    if ending in ENDINGS:
        return _of_table(data), []
    raise ValueError(f"This page opens files that end in {', '.join(ENDINGS)}.")


def _of_table(data: bytes) -> State:
    """A line for each word: the word, then its numbers. A first line of names is passed over."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeError:
        raise ValueError("This file is no text in UTF-8; save it as UTF-8 and try again.") from None
    first = text.partition("\n")[0]
    separator = next((mark for mark in "\t;," if mark in first), ",")
    try:
        lines = [line for line in csv.reader(io.StringIO(text), delimiter=separator) if any(line)]
    except csv.Error:
        raise ValueError("This file is no table of words and numbers.") from None
    if lines and not any(_is_number(cell) for cell in lines[0][1:]):
        lines = lines[1:]
    if not lines:
        raise ValueError("There is no line with a word and its numbers in this file.")
    rows = []
    for n, (word, *cells) in enumerate(lines, start=1):
        if len(cells) != len(lines[0]) - 1:
            raise ValueError(
                f"Every word needs as many numbers as the first one, {len(lines[0]) - 1}; "
                f"“{labels.shown(word, 30)}” (word {n}) has {len(cells)}."
            )
        rows.append(tuple(_number(cell, word, c) for c, cell in enumerate(cells, start=1)))
    return _own([line[0].strip() for line in lines], tuple(rows))


def _of_arrays(arrays: dict[str, Array]) -> State:
    """X, or Q, K and V; with tokens and a mask where they are given."""
    found = {name.lower(): array for name, array in arrays.items()}
    tokens = found.pop("tokens", None)
    mask = next((found.pop(n) for n in ("visible", "mask") if n in found), None)
    if {"q", "k", "v"} <= found.keys() and "x" not in found:
        state = _of_queries(found["q"], found["k"], found["v"], tokens)
    elif "x" in found:
        x = _finite("X", found["x"], 2)
        state = _own(_words(tokens, len(x)), written(x.tolist()))
    else:
        raise ValueError(
            f"An array named x, or three named q, k and v, are needed; this file has "
            f"{', '.join(labels.shown(name, 20) for name in arrays) or 'none'}."
        )
    if mask is not None:
        n_tokens = len(state.edits.words)
        if mask.shape != (n_tokens, n_tokens):
            raise ValueError(
                f"A mask must be {n_tokens} by {n_tokens}, a row for each query and a column for "
                f"each key; this one is {_by(mask.shape)}."
            )
        if mask.dtype != np.bool_:
            raise ValueError(
                "A mask must be of True and False, True where the key may be seen; this one holds "
                f"{mask.dtype}."
            )
        if not mask.all():
            visible = tuple(tuple("1" if seen else "0" for seen in row) for row in mask)
            edits = by_hand.changed(state.edits, visible=visible)
            state = state.but(edits=edits, mask=(Mask.CUSTOM,))
    return state


def _of_queries(q: Array, k: Array, v: Array, tokens: Array | None) -> State:
    """Queries, keys and values side by side as embeddings, and matrices that pick each out again.

    (T, D) or, with heads, (H, T, D).
    """
    q, k, v = (_finite(name, array, 3) for name, array in (("Q", q), ("K", k), ("V", v)))
    if q.shape != k.shape or q.shape[:2] != v.shape[:2]:
        raise ValueError(
            f"Queries and keys must have the same shape, and values as many heads and words; got "
            f"{_by(q.shape)}, {_by(k.shape)} and {_by(v.shape)}."
        )
    n_heads, n_tokens, d_k = q.shape
    joined = [m.swapaxes(0, 1).reshape(n_tokens, -1) for m in (q, k, v)]
    x = np.concatenate(joined, axis=1)
    d_model = x.shape[1]
    if d_model > D_MODEL[-1]:
        raise ValueError(
            f"Queries, keys and values of all heads may have {D_MODEL[-1]} numbers a word "
            f"together; these have {d_model}."
        )
    state = _own(_words(tokens, n_tokens), written(x.tolist()))
    picks, start = {}, 0
    for name, matrix in zip(("w_q", "w_k", "w_v"), joined, strict=True):
        width = matrix.shape[1]
        picks[name] = written(np.eye(d_model)[:, start : start + width].tolist())
        start += width
    edits = by_hand.changed(state.edits, **picks)
    return state.but(qkv=True, n_heads=n_heads, d_k=d_k, d_v=v.shape[2], edits=edits)


def _own(words: Sequence[str], rows: Rows) -> State:
    """A sentence of the reader's own whose words have these vectors."""
    n_features = by_hand.shape(rows)[1]
    if n_features not in D_MODEL:
        raise ValueError(
            f"A word may have {D_MODEL[0]} to {D_MODEL[-1]} numbers; here it has {n_features}."
        )
    if len(words) > MAX_TOKENS:
        raise ValueError(f"There may be up to {MAX_TOKENS} words; this file has {len(words):,}.")
    for n, word in enumerate(words, start=1):
        if tokenize(word) != (word,):
            raise ValueError(
                f"Each line needs one word, without spaces or signs inside; line {n} has "
                f"“{labels.shown(word, 30)}”."
            )
    text = " ".join(words)
    if tokenize(text) != tuple(words) or len(text) > MAX_CHARACTERS:
        raise ValueError("These words do not stay apart in a sentence, or are too long for one.")
    edits = Edits(words=tuple(words), x=rows)
    return defaults(OWN).but(text=text, d_model=n_features, edits=edits)


def _words(tokens: Array | None, count: int) -> list[str]:
    if tokens is None:
        return [f"word{n}" for n in range(1, count + 1)]
    words = [str(token) for token in tokens.ravel()]
    if len(words) != count:
        raise ValueError(f"There must be one token a row; got {len(words)} for {count} rows.")
    return words


def _array(data: bytes) -> Array:
    try:
        return np.load(io.BytesIO(data), allow_pickle=False)
    except (ValueError, OSError, EOFError, MemoryError):
        raise ValueError(
            "This is no NumPy file, a damaged one, or one with objects in it, which could run "
            "code and are not opened."
        ) from None


def _arrays(data: bytes) -> dict[str, Array]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
            if sum(part.file_size for part in parts) > _MOST_BYTES:
                raise ValueError("The arrays in this file are too large.")
            return {
                part.filename.removesuffix(".npy"): _array(archive.read(part)) for part in parts
            }
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError):
        raise ValueError("This is no NPZ file, or a damaged one.") from None


def _tensors(data: bytes) -> dict[str, Array]:
    if importlib.util.find_spec("safetensors") is None:
        raise ValueError("The library safetensors is not installed here; save the arrays as NPZ.")
    from safetensors import SafetensorError
    from safetensors.numpy import load  # only for those who bring such a file

    try:
        return load(data)
    except (SafetensorError, ValueError, KeyError):
        raise ValueError("This is no safetensors file, or a damaged one.") from None


def _finite(name: str, array: Array, n_axes: int) -> Array:
    if array.ndim == 2 and n_axes == 3:
        array = array[None]
    if array.ndim != n_axes or not array.size or array.dtype.kind not in "fiu":
        raise ValueError(
            f"{name} must be numbers with a row for each word; got {array.dtype}, "
            f"{_by(array.shape)}."
        )
    array = array.astype(np.float64)
    wrong = np.argwhere(~(np.abs(array) <= MAX_NUMBER))
    if len(wrong):
        raise ValueError(
            f"{name} may hold numbers from -1,000,000 to 1,000,000; got "
            f"{array[tuple(wrong[0])]} in row {wrong[0][-2] + 1}, column {wrong[0][-1] + 1}."
        )
    return array


def _number(cell: str, word: str, column: int) -> str:
    try:
        return by_hand.number(cell)
    except ValueError as problem:
        raise ValueError(
            f"“{labels.shown(cell, 30)}”, number {column} of “{labels.shown(word, 30)}”, {problem}."
        ) from None


def _is_number(cell: Any) -> bool:
    try:
        by_hand.number(cell)
    except ValueError:
        return False
    return True


def _by(shape: Sequence[int]) -> str:
    return " by ".join(map(str, shape)) or "a single number"
