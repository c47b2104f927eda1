"""What a file stands for: a row for each format, and what was made of each array.

Whatever a file holds is used, or named among what was not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from urllib.parse import parse_qsl

import numpy as np

from explorer import edits as by_hand
from explorer import labels
from explorer.attention import Array
from explorer.edits import Edits, Rows, written
from explorer.examples import OWN
from explorer.export import FORMAT, read_state
from explorer.files import reading
from explorer.files.reading import Refused, wall
from explorer.files.ready import Ready, are_shares
from explorer.files.tables import MOST_NUMBERS, table
from explorer.link import codec, experiment
from explorer.link.codec import Ignored
from explorer.link.state import State, defaults
from explorer.settings import D_MODEL, MAX_CELLS, MAX_CHARACTERS, MAX_NUMBER, MAX_TOKENS, Mask
from explorer.settings import N_HEADS as HEADS
from explorer.tokens import Cut, given, tokenize
from explorer.trace import given as given_matrices

_X = ("x", "embeddings", "embedding", "vectors", "hidden_states", "last_hidden_state")
_ATTENTION = ("attention", "attentions", "weights", "attn", "attn_weights", "attention_weights")
_TOKENS = ("tokens", "words", "labels")
_MASK = ("visible", "mask", "attention_mask", "attn_mask", "key_padding_mask")
_WEIGHTS = ("w_q", "w_k", "w_v", "w_o")
WANTED = {*_X, *_ATTENTION, *_TOKENS, *_MASK, *_WEIGHTS, "q", "k", "v", "link"}


class Reading(StrEnum):
    """What the numbers of a file may be taken for, where their shape does not say."""

    EMBEDDINGS = "embeddings"
    ATTENTION = "attention"
    TOKENS_FIRST = "tokens first, then heads"
    HEADS_FIRST = "heads first, then tokens"
    HIDES = "a mask that says which keys are hidden"
    SHOWS = "a mask that says which keys may be seen"
    FIRST = "the first numbers of each word"
    PRINCIPAL = "the principal components"


@dataclass(frozen=True, eq=False, slots=True)
class Opened:
    """What a file stands for: a state of the page, or weights to look at."""

    state: State | None = None
    ready: Ready | None = None
    notes: tuple[str, ...] = ()  #       what was made of it, and what was not used, in sentences
    others: tuple[Reading, ...] = ()  #  what else it may be taken for
    ignored: tuple[Ignored, ...] = ()


def opened(name: str, data: bytes, wish: Reading | None = None) -> Opened:
    """What a file stands for, or what the reader wishes it to be taken for.

    Raises ValueError, in a sentence, for a file that cannot be used.
    """
    ending = name.rpartition(".")[2].lower()
    ending = "npz" if data[:4] == b"PK\3\4" and ending == "npy" else ending
    if ending not in _FORMATS:
        raise Refused(_INSTEAD.get(ending, f"This page opens files that end in {_ENDINGS}."))
    with wall("This file cannot be read; it may be damaged."):
        return _FORMATS[ending](data, wish)


def _table(data: bytes, wish: Reading | None) -> Opened:
    read = table(reading.text(data))
    words = list(read.words)
    is_square = read.columns == read.words and len(read.rows) == len(read.words)
    if wish is Reading.ATTENTION or (is_square and wish is not Reading.EMBEDDINGS):
        array: Array = np.array(by_hand.floats(read.rows), dtype=np.float64)
        note = "The table was taken for attention weights: its rows and columns are the same words."
        return Opened(ready=_ready(array, words), notes=(note,), others=(Reading.EMBEDDINGS,))
    rows, notes, others = _fewer(read.rows, wish)
    others += (Reading.ATTENTION,) if is_square else ()
    return Opened(_own(words, rows), notes=(*read.notes, *notes), others=others)


def _npz(data: bytes, wish: Reading | None) -> Opened:
    found, others = reading.npz(data, WANTED)
    return _arrays(found, wish, others)


def _json(data: bytes, wish: Reading | None) -> Opened:
    if FORMAT.encode() in data[:200]:
        return _linked(read_state(data))
    found = reading.of_json(data)
    if not found.keys() & WANTED:
        raise Refused("This JSON file was not written by this page, and holds no x or attention.")
    return _arrays(found, wish)


def _program(data: bytes, _: Reading | None) -> Opened:
    """The link in the first comment of a program that this page wrote. It is never run."""
    first = re.match(r"# (https?://[^\s?]*)(?:\?(\S*))?\s*\n", reading.text(data))
    if not first:
        raise Refused("This program does not begin with a link of this page; it is not run here.")
    return _linked(dict(parse_qsl(first[2] or "", keep_blank_values=True, max_num_fields=200)))


def _linked(link: dict[str, str]) -> Opened:
    state, ignored = codec.decode(link)
    return Opened(state, ignored=tuple(ignored))


def _arrays(arrays: dict[str, Array], wish: Reading | None, others: Sequence[str] = ()) -> Opened:
    """What arrays are, by their names, and where one stands alone, by its shape."""
    found = {name.lower(): array for name, array in arrays.items()}
    if "link" in found and (own := _unchanged(found)):
        return own
    found.pop("link", None)
    if len(found) == 1 and not found.keys() & WANTED:
        (array,) = found.values()
        name = "x" if _are_embeddings(array, wish) else "attention"
        alone = _arrays({name: array}, wish)
        other = Reading.ATTENTION if name == "x" else Reading.EMBEDDINGS
        may_be = array.ndim in (2, 3) and array.shape[-1] == array.shape[-2]
        return replace(alone, others=(*alone.others, *((other,) if may_be else ())))
    used, notes, choices = set[str](), [], tuple[Reading, ...]()

    def take(names: Sequence[str]) -> Array | None:
        name = next((name for name in names if name in found), None)
        used.update(() if name is None else (name,))
        return None if name is None else found[name]

    x_there, weights_there = ({*names} & found.keys() for names in (_X, _ATTENTION))
    if weights_there and (wish is Reading.ATTENTION or not ({"q"} & found.keys() or x_there)):
        weights, tokens = take(_ATTENTION), take(_TOKENS)
        assert weights is not None
        ready = _ready(weights, None if tokens is None else reading.texts(tokens))
        notes += [f"An array of {_by(weights.shape)} was taken for attention weights."]
        choices = (Reading.EMBEDDINGS,) if x_there else ()
        return Opened(ready=ready, notes=(*notes, *_unused(arrays, used, others)), others=choices)
    if x_there:
        vectors = take(_X)
        assert vectors is not None
        x = _finite("X", vectors[0] if vectors.ndim == 3 and len(vectors) == 1 else vectors, 2)
        _check_width(x.shape[1])
        rows, more, choices = _fewer(written(x.tolist()), wish)
        words = _words(take(_TOKENS), len(x))
        state = _own(words, rows)
        notes += [f"X was taken for the embeddings of {len(x)} words.", *more]
        if weights_there:
            choices += (Reading.ATTENTION,)
        if {"w_q", "w_k", "w_v"} <= found.keys() and not more:
            state = _projected(state, {n: _finite(n, found[n], 2) for n in _WEIGHTS if n in found})
            used |= {*_WEIGHTS} & found.keys()
            notes.append("W_Q, W_K and W_V are used, with one head and raw scores.")
    elif {"q", "k", "v"} <= found.keys():
        used |= {"q", "k", "v"}
        state, note, choices = _of_queries(found["q"], found["k"], found["v"], take(_TOKENS), wish)
        notes.append(note)
    else:
        raise Refused(
            "An array named x or attention, or three named q, k and v, are needed; this file has "
            f"{_named([*arrays, *others]) or 'none'}."
        )
    masks = [name for name in _MASK if name in found]
    if masks:
        used.add(masks[0])
        state, note, more_choices = _masked(state, masks[0], found[masks[0]], wish)
        notes.append(note)
        choices += more_choices
    return Opened(state, notes=(*notes, *_unused(arrays, used, others)), others=choices)


def _unchanged(found: dict[str, Array]) -> Opened | None:
    """The state in this page's own file; None where its arrays were changed since."""
    link = dict(parse_qsl(reading.texts(found["link"])[0], keep_blank_values=True))
    own = _linked(link)
    assert own.state is not None
    made = given_matrices(experiment.experiment(own.state))
    same = all(
        np.array_equal(found["x" if name == "embeddings" else name], matrix)
        for name, matrix in made.items()
        if ("x" if name == "embeddings" else name) in found
    )
    return own if same else None


def _unused(arrays: dict[str, Array], used: set[str], others: Sequence[str]) -> list[str]:
    left = [n for n in arrays if n.lower() not in used and n.lower() != "link"] + [*others]
    return [f"Not used: {_named(left)}."] if left else []


def _named(names: Sequence[str]) -> str:
    shown = [labels.shown(name, 20) for name in names[:10]]
    more = f" and {len(names) - 10:,} more" if len(names) > 10 else ""
    return ", ".join(shown) + more


def _are_embeddings(array: Array, wish: Reading | None) -> bool:
    if wish in (Reading.EMBEDDINGS, Reading.ATTENTION):
        return wish is Reading.EMBEDDINGS
    if array.ndim < 3:
        return not are_shares(array)
    if array.ndim == 3 and len(array) == 1:
        return not are_shares(array)
    return False


def _ready(weights: Array, words: list[str] | None) -> Ready:
    """Weights of one sentence: words by words, before them heads, before them layers."""
    shape = weights.shape
    if weights.ndim == 5 and shape[1] == 1:
        weights = weights[:, 0]
    weights = weights[(None,) * (4 - weights.ndim)] if weights.ndim in (2, 3) else weights
    if weights.ndim != 4 or weights.shape[2] != weights.shape[3]:
        raise Refused(
            "Attention weights must be heads by words by words, of one sentence and with as many "
            f"queries as keys; got {_by(shape)}."
        )
    n_layers, n_heads, n_tokens, _ = weights.shape
    if n_tokens > MAX_TOKENS:
        raise Refused(f"There may be up to {MAX_TOKENS} words; this file has {n_tokens:,}.")
    if n_heads not in HEADS or n_layers not in HEADS or weights.size > MAX_CELLS:
        raise Refused(
            f"There may be up to {HEADS[-1]} heads and layers, and {MAX_CELLS:,} weights in all; "
            f"got {_by(shape)}."
        )
    weights = _finite("The attention weights", weights, 4)
    words = _words(None if words is None else np.array(words, dtype=object), n_tokens)
    return Ready(tuple(words), weights)


def _projected(state: State, matrices: dict[str, Array]) -> State:
    queries, values = matrices["w_q"].shape[1], matrices["w_v"].shape[1]
    picks = {name: written(matrix.tolist()) for name, matrix in matrices.items()}
    found = state.but(
        qkv=True, d_k=queries, d_v=values, edits=by_hand.changed(state.edits, **picks)
    )
    codec.settle(found)
    if queries > D_MODEL[-1] or values > D_MODEL[-1] or experiment.set_aside(found):
        raise Refused(
            f"W_Q, W_K and W_V need a row for each of the {state.d_model} numbers of a word, and "
            f"up to {D_MODEL[-1]} columns."
        )
    return found


def _of_queries(
    q: Array, k: Array, v: Array, tokens: Array | None, wish: Reading | None
) -> tuple[State, str, tuple[Reading, ...]]:
    """Queries, keys and values side by side as embeddings, and matrices that pick each out again.

    (T, D) or, with heads, (H, T, D) or (T, H, D): tokens say which, where they are given.
    """
    q, k, v = (m[0] if m.ndim == 4 and len(m) == 1 else m for m in (q, k, v))
    choices: tuple[Reading, ...] = ()
    tokens_first = False
    if q.ndim == k.ndim == v.ndim == 3:
        tokens_first = tokens is not None and tokens.size == len(q) != q.shape[1]
        if wish in (Reading.TOKENS_FIRST, Reading.HEADS_FIRST):
            tokens_first = wish is Reading.TOKENS_FIRST
        choices = (Reading.HEADS_FIRST if tokens_first else Reading.TOKENS_FIRST,)
    if tokens_first:
        q, k, v = (m.swapaxes(0, 1) for m in (q, k, v))
    q, k, v = (_finite(name, m, 3) for name, m in (("Q", q), ("K", k), ("V", v)))
    if q.shape != k.shape or q.shape[:2] != v.shape[:2]:
        raise Refused(
            f"Queries and keys must have the same shape, and values as many heads and words; got "
            f"{_by(q.shape)}, {_by(k.shape)} and {_by(v.shape)}."
        )
    n_heads, n_tokens, d_k = q.shape
    d_model = n_heads * (2 * d_k + v.shape[2])
    if d_model > D_MODEL[-1]:
        raise Refused(
            f"Queries, keys and values of all heads may have {D_MODEL[-1]} numbers a word "
            f"together; these have {d_model}."
        )
    joined = [m.swapaxes(0, 1).reshape(n_tokens, -1) for m in (q, k, v)]
    state = _own(_words(tokens, n_tokens), written(np.concatenate(joined, axis=1).tolist()))
    picks, start = {}, 0
    for name, matrix in zip(("w_q", "w_k", "w_v"), joined, strict=True):
        width = matrix.shape[1]
        picks[name] = written(np.eye(d_model)[:, start : start + width].tolist())
        start += width
    edits = by_hand.changed(state.edits, **picks)
    note = (
        f"Q, K and V were taken for {n_heads} {'head' if n_heads == 1 else 'heads'} of {n_tokens} "
        "words. The scores are raw; the scaling is chosen at the left."
    )
    state = state.but(qkv=True, n_heads=n_heads, d_k=d_k, d_v=v.shape[2], edits=edits)
    return state, note, choices


def _masked(
    state: State, name: str, mask: Array, wish: Reading | None
) -> tuple[State, str, tuple[Reading, ...]]:
    """A mask of True and False, of 1 and 0, or of 0 and minus infinity; a square or a vector."""
    n_tokens, shape = len(state.tokens), mask.shape
    while mask.ndim > 1 and len(mask) == 1:
        mask = mask[0]
    if mask.shape not in ((n_tokens,), (n_tokens, n_tokens)):
        raise Refused(
            f"A mask must be {n_tokens} by {n_tokens}, a row for each query and a column for each "
            f"key, or have one number a key; this one is {_by(shape)}."
        )
    kinds = mask.dtype.kind
    added = kinds == "f" and bool(((mask == 0) | (mask <= -1e4)).all()) and bool((mask < 0).any())
    if not added and (kinds not in "biuf" or not np.isin(mask, (0, 1)).all()):
        raise Refused(
            "A mask must be of True and False, of 1 and 0, or of 0 and minus infinity; this one "
            "holds something else."
        )
    hides = name == "key_padding_mask"
    if wish in (Reading.HIDES, Reading.SHOWS):
        hides = wish is Reading.HIDES
    seen = mask == 0 if added or hides else mask != 0
    signs = "0" if added else "False or 0" if hides else "True or 1"
    note = f"In the mask, {signs} was taken for “may be seen”."
    choices = () if added else (Reading.SHOWS if hides else Reading.HIDES,)
    if seen.all():
        return state, note, choices
    square = np.broadcast_to(seen, (n_tokens, n_tokens))
    visible = tuple(tuple("1" if one else "0" for one in row) for row in square)
    edits = by_hand.changed(state.edits, visible=visible)
    return state.but(edits=edits, mask=(Mask.CUSTOM,)), note, choices


def _fewer(rows: Rows, wish: Reading | None) -> tuple[Rows, list[str], tuple[Reading, ...]]:
    """As many numbers a word as the page shows, and what was left out for that."""
    width = by_hand.shape(rows)[1]
    if width <= D_MODEL[-1]:
        return rows, [], ()
    _check_width(width)
    x = np.array(by_hand.floats(rows), dtype=np.float64)
    if wish is Reading.FIRST:
        rows = written(x[:, : D_MODEL[-1]].tolist())
        return (
            rows,
            [f"Of {width} numbers a word, the first {D_MODEL[-1]} are used."],
            (Reading.PRINCIPAL,),
        )
    # Not centred: so all dot products stay, but for what the left-out directions add.
    left, sizes, right = np.linalg.svd(x, full_matrices=False)
    count = max(2, min(D_MODEL[-1], len(x)))
    turned = left * sizes * np.sign(right[np.arange(len(right)), np.abs(right).argmax(axis=1)])
    turned = np.pad(turned, ((0, 0), (0, max(0, count - turned.shape[1]))))[:, :count]
    note = f"Of {width} numbers a word, the {count} first principal components are used."
    return written(turned.round(6).tolist()), [note], (Reading.FIRST,)


def _check_width(width: int) -> None:
    if width > MOST_NUMBERS:
        raise Refused(f"A word may have up to {MOST_NUMBERS:,} numbers; here it has {width:,}.")


def _own(words: Sequence[str], rows: Rows) -> State:
    """A sentence of the reader's own whose words have these vectors."""
    n_features = by_hand.shape(rows)[1]
    if n_features not in D_MODEL:
        raise Refused(
            f"A word may have {D_MODEL[0]} to {D_MODEL[-1]} numbers; here it has {n_features}."
        )
    if len(words) > MAX_TOKENS:
        raise Refused(f"There may be up to {MAX_TOKENS} words; this file has {len(words):,}.")
    tokens = tuple(words)
    text, cut = " ".join(tokens), Cut.WORDS
    if tokenize(text) != tokens:
        text, cut = given(tokens), Cut.SPACES
    if len(text) > MAX_CHARACTERS:
        raise Refused(f"The words may have up to {MAX_CHARACTERS:,} characters together.")
    edits = Edits(words=tokens, x=rows)
    return defaults(OWN).but(text=text, cut=cut, d_model=n_features, edits=edits)


def _words(tokens: Array | None, count: int) -> list[str]:
    if count > MAX_TOKENS:
        raise Refused(f"There may be up to {MAX_TOKENS} words; this file has {count:,}.")
    if tokens is None:
        return [f"word{n}" for n in range(1, count + 1)]
    if tokens.size != count:
        raise Refused(f"There must be one token for each of the {count} rows; got {tokens.size:,}.")
    words = reading.texts(tokens)
    if "" in words:
        raise Refused(
            f"Word {words.index('') + 1} is empty. Give every word at least one character."
        )
    return words


def _finite(name: str, array: Array, n_axes: int) -> Array:
    if array.ndim == 2 and n_axes == 3:
        array = array[None]
    if array.ndim != n_axes or not array.size or array.dtype.kind not in "fiu":
        raise Refused(
            f"{name} must be numbers with a row for each word; got {array.dtype}, "
            f"{_by(array.shape)}."
        )
    if array.shape[-2] > MAX_TOKENS:
        raise Refused(f"There may be up to {MAX_TOKENS} words; here are {array.shape[-2]:,} rows.")
    if array.size > MAX_CELLS:
        raise Refused(f"{name} may hold up to {MAX_CELLS:,} numbers; here are {array.size:,}.")
    array = array.astype(np.float64)
    wrong = np.argwhere(~(np.abs(array) <= MAX_NUMBER))
    if len(wrong):
        raise Refused(
            f"{name} may hold numbers from -1,000,000 to 1,000,000; got "
            f"{array[tuple(wrong[0])]} in row {wrong[0][-2] + 1}, column {wrong[0][-1] + 1}."
        )
    return array


def _by(shape: Sequence[int]) -> str:
    return " by ".join(map(str, shape)) or "a single number"


_FORMATS: dict[str, Callable[[bytes, Reading | None], Opened]] = {
    **dict.fromkeys(("csv", "tsv", "txt", "vec"), _table),
    "json": _json,
    "npy": lambda data, wish: _arrays({"array": reading.npy(data)}, wish),
    "npz": _npz,
    "safetensors": lambda data, wish: _arrays(reading.safetensors(data), wish),
    "py": _program,
}
"""What opens the files of each ending."""
_ENDINGS = ", ".join(_FORMATS)
_TORCH = (
    "PyTorch’s own files can run code, so this page does not open them. Save the weights in Python "
    "with np.savez('attention.npz', attention=torch.load('attention.pt').float().numpy())."
)
_INSTEAD = dict.fromkeys(("pt", "pth", "bin"), _TORCH) | {
    "pkl": "Pickled files can run code, so they are not opened. Save the arrays with np.savez.",
    **dict.fromkeys(("xlsx", "xls", "ods"), "Save the spreadsheet as CSV and open that."),
    "parquet": "Save the table as CSV, with DataFrame.to_csv, and open that.",
}
