"""The numbers that a reader changed: whole matrices of decimals, exactly as they were typed.

They are kept as text and become floats only where they are computed with, so that they travel in a
link or a file and come back digit for digit.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import unicodedata
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

from explorer.settings import D_MODEL, MAX_NUMBER, MAX_TOKENS, Table

Rows = tuple[tuple[str, ...], ...]
"""A matrix as text, row by row."""

_VERSION = "1"
_MOST_BYTES = 4_000_000
"""A link is unpacked no further than this: a few characters may claim to hold anything."""
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?", re.IGNORECASE)

_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Edits:
    """What was changed by hand; None where nothing was.

    words: the tokens whose vectors `x` holds. The vectors belong to them and to no other sentence.
    visible: "1" where the query (row) may see the key (column), "0" where not.
    """

    words: tuple[str, ...] = ()
    x: Rows | None = None
    w_q: Rows | None = None
    w_k: Rows | None = None
    w_v: Rows | None = None
    w_o: Rows | None = None
    visible: Rows | None = None


MATRICES = tuple(field.name for field in fields(Edits) if field.name != "words")
NOTHING = Edits()
_C, _WIDE = D_MODEL[-1], D_MODEL[-1] ** 2
_MOST = {
    "x": (MAX_TOKENS, _C),
    **dict.fromkeys(("w_q", "w_k", "w_v"), (_C, _WIDE)),
    "w_o": (_WIDE, _C),
    "visible": (MAX_TOKENS, MAX_TOKENS),
}
"""The most rows and columns of each: looked at before its cells are."""


def number(typed: object) -> str:
    """Read a number as somebody would write it; returns its digits, those and no others.

    A comma may stand for the decimal point, digits may be of any script. Raises ValueError, in half
    a sentence, for what is no number or has no place in the computation.
    """
    text = str("" if typed is None else typed).strip()
    text = "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)
    text = text.replace("−", "-")
    if not text:
        raise ValueError("is empty; every cell needs a number, and 0 is one")
    if _THOUSANDS.fullmatch(text):
        raise ValueError("may be a thousand or one; write it without a comma, or with a point")
    if text.count(",") == 1 and "." not in text:
        text = text.replace(",", ".")
    if not _NUMBER.fullmatch(text):
        raise ValueError("is not a number; write it like 0.5, -2 or 1e-3")
    if abs(float(text)) > MAX_NUMBER:
        raise ValueError("is too large; numbers go from -1,000,000 to 1,000,000")
    return text


def written(numbers: Sequence[Sequence[float]]) -> Rows:
    """Numbers as text, each with the fewest digits that name it and no other."""
    return tuple(tuple(_written(float(n)) for n in row) for row in numbers)


def floats(rows: Rows) -> Table:
    """Text as numbers."""
    return tuple(tuple(float(n) for n in row) for row in rows)


def shape(rows: Sequence[Sequence]) -> tuple[int, int]:
    """Rows and columns."""
    return len(rows), len(rows[0]) if rows else 0


def changed(edits: Edits, **matrices: Rows | tuple[str, ...] | None) -> Edits:
    """Put some matrices into the place of others."""
    # Which name takes which of the types, a call with names cannot say.
    return replace(edits, **matrices)  # type: ignore[arg-type]


def pack(edits: Edits, base: Mapping[str, Rows]) -> str:
    """Write edits for a link: of each matrix only the cells that differ from `base`.

    base: the matrices that stand where nothing is edited. One that is not there, or has another
    shape, is no help, and the edited matrix is written whole.
    """
    parts: dict[str, list] = {}
    for name in MATRICES:
        rows = getattr(edits, name)
        if rows is None:
            continue
        flat = [text for row in rows for text in row]
        usual = _flat(base.get(name), shape(rows))
        cells: list = list(shape(rows))
        if usual is None:
            cells += flat
        else:
            cells.append({str(n): t for n, t in enumerate(flat) if t != usual[n]})
        parts[name] = cells
    if edits.x is not None:
        parts["words"] = list(edits.words)
    text = json.dumps(parts, separators=(",", ":"), ensure_ascii=False)
    squeezed = zlib.compress(text.encode("utf-8", "surrogatepass"), 9)
    return _VERSION + base64.urlsafe_b64encode(squeezed).decode().rstrip("=")


def unpack(packed: str, base: Mapping[str, Rows]) -> Edits:
    """Read what `pack` wrote. Raises ValueError for anything else."""
    if not packed.startswith(_VERSION):
        raise ValueError("another version")
    try:
        squeezed = base64.b64decode(packed[1:] + "=" * (-len(packed[1:]) % 4), b"-_", True)
        unzip = zlib.decompressobj()
        text = unzip.decompress(squeezed, _MOST_BYTES)
        if not unzip.eof or unzip.unused_data:
            raise ValueError("cut off")
        parts = json.loads(text.decode("utf-8", "surrogatepass"))
    except (binascii.Error, zlib.error, UnicodeError, RecursionError) as damage:
        raise ValueError("damaged") from damage
    return from_parts(parts, base)


def from_parts(parts: object, base: Mapping[str, Rows]) -> Edits:
    """Check what came from outside, matrix by matrix. Raises ValueError."""
    if not isinstance(parts, dict) or not set(parts) <= {*MATRICES, "words"}:
        raise ValueError("unknown parts")
    found: dict[str, Rows | tuple[str, ...]] = {
        name: _matrix(name, parts[name], base.get(name)) for name in MATRICES if name in parts
    }
    words = parts.get("words", [])
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ValueError("words must be texts")
    if len(words) != len(found.get("x", ())):
        raise ValueError("one word a row")
    return Edits(**found | {"words": tuple(words)})


def _matrix(name: str, cells: object, usual: Rows | None) -> Rows:
    if not isinstance(cells, list) or len(cells) < 2:
        raise ValueError("no matrix")
    n_rows, n_columns, *rest = cells
    for size, limit in zip((n_rows, n_columns), _MOST[name], strict=True):
        if isinstance(size, bool) or not isinstance(size, int) or not 0 <= size <= limit:
            raise ValueError("no size")
    if len(rest) == 1 and isinstance(rest[0], dict):
        flat = _flat(usual, (n_rows, n_columns))
        if flat is None:
            raise ValueError("changes of nothing")
        for place, text in rest[0].items():
            if not re.fullmatch("[0-9]{1,7}", place) or int(place) >= len(flat):
                raise ValueError("no such cell")
            flat[int(place)] = text
    else:
        flat = rest
    if len(flat) != n_rows * n_columns or not all(isinstance(text, str) for text in flat):
        raise ValueError("not one number a cell")
    for text in flat:
        if (text not in ("0", "1")) if name == "visible" else (number(text) != text):
            raise ValueError("not a number")
    return tuple(tuple(flat[r * n_columns : (r + 1) * n_columns]) for r in range(n_rows))


def _flat(rows: Rows | None, wanted: tuple[int, int]) -> list[str] | None:
    if rows is None or shape(rows) != wanted:
        return None
    return [text for row in rows for text in row]


def _written(value: float) -> str:
    return repr(value + 0.0).removesuffix(".0")  # adding 0 turns -0 into 0
