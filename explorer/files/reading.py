"""From the bytes of a file to arrays, behind one wall.

Libraries raise whatever they like at what they cannot read, in words for programmers. Here, and
here only, any exception becomes a plain sentence. Sizes are looked at before numbers are.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from explorer.attention import Array
from explorer.settings import MAX_CELLS

MOST_ARRAYS = 64
_MOST_BYTES = 8 * MAX_CELLS + 10_000  # of one array: as many numbers as scores may have
_TYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "BOOL": "?", "I64": "<i8",
    "I32": "<i4", "I16": "<i2", "I8": "i1", "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "u1",
}  # fmt: skip


class Refused(ValueError):
    """A sentence for the reader about a file that cannot be used."""


@contextmanager
def wall(sentence: str) -> Iterator[None]:
    """Turn whatever a library raises into this sentence."""
    try:
        yield
    except Refused:
        raise
    except Exception:
        raise Refused(sentence) from None


def text(data: bytes) -> str:
    """The text of a file, in UTF-8 or with the mark of UTF-16."""
    utf16 = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    with wall("This file is no text in UTF-8. Save it as UTF-8 and try again."):
        found = data.decode("utf-16" if utf16 else "utf-8-sig")
    if "\0" in found:
        raise Refused("This file is no text in UTF-8. Save it as UTF-8 and try again.")
    return found


def npy(data: bytes) -> Array:
    """The array of an NPY file. One with objects in it could run code and is not opened."""
    with wall("This is no NumPy file, a damaged one, or one with objects, which are not opened."):
        if data[:6] != b"\x93NUMPY":
            raise ValueError
        found = np.load(io.BytesIO(data), allow_pickle=False)
        if not isinstance(found, np.ndarray):
            raise ValueError
        return found


def npz(data: bytes, wanted: set[str]) -> tuple[dict[str, Array], list[str]]:
    """The arrays of an NPZ file whose names are wanted, and the names of the others.

    A file of one array is wanted whatever it is called.
    """
    with (
        wall("This is no NPZ file, or a damaged one."),
        zipfile.ZipFile(io.BytesIO(data)) as archive,
    ):
        parts = archive.infolist()
        _check_count(len(parts))
        found, others = {}, []
        for part in parts:
            name = part.filename.removesuffix(".npy")
            if len(parts) > 1 and name.lower() not in wanted:
                others.append(name)
                continue
            _check_bytes(name, part.file_size)
            found[name] = npy(archive.read(part))
        return found, others


def safetensors(data: bytes) -> dict[str, Array]:
    """The arrays of a safetensors file. Its header says where each begins and what it holds.

    Half, bfloat16 and all whole numbers are read; tokens may stand as JSON in the metadata.
    """
    with wall("This is no safetensors file, or a damaged one."):
        start = 8 + int.from_bytes(data[:8], "little")
        header = json.loads(data[8:start])
        tokens = header.pop("__metadata__", {}).get("tokens")
        _check_count(len(header))
        found = dict[str, Any]()
        if tokens is not None:
            found["tokens"] = np.array(json.loads(tokens), dtype=np.str_)
        for name, told in header.items():
            if told["dtype"] not in _TYPES:
                raise Refused("This file holds numbers of a kind that is not read. Save float32.")
            first, last = told["data_offsets"]
            _check_bytes(name, last - first)
            numbers = np.frombuffer(data[start + first : start + last], _TYPES[told["dtype"]])
            if told["dtype"] == "BF16":  # the upper half of a float32
                numbers = (numbers.astype(np.uint32) << 16).view(np.float32)
            found[name] = numbers.reshape(told["shape"])
        return found


def of_json(data: bytes) -> dict[str, Array]:
    """The lists of a JSON file as arrays, by their names; other things in it are left out."""
    with wall("This is no JSON file of tokens and numbers, or a damaged one."):
        parts = json.loads(text(data))
        lists = {name: part for name, part in parts.items() if isinstance(part, list)}
        _check_count(len(lists))
        return {name: np.array(part) for name, part in lists.items()}


def texts(tokens: Array) -> list[str]:
    """The tokens of a file, as given."""
    with wall("The tokens of this file cannot be read as text in UTF-8."):
        given: list[Any] = tokens.ravel().tolist()
        found = [t.decode() if isinstance(t, bytes) else str(t) for t in given]
        for token in found:
            token.encode()  # half a character: no browser and no URL can hold it
        return found


def _check_count(count: int) -> None:
    if count > MOST_ARRAYS:
        raise Refused(f"A file may hold up to {MOST_ARRAYS} arrays; this one holds {count:,}.")


def _check_bytes(name: str, size: int) -> None:
    if size > _MOST_BYTES:
        raise Refused(
            f"An array may have up to {_MOST_BYTES:,} bytes; one of this file has {size:,}."
        )
