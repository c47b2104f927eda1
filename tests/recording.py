"""What the page showed on the day of the recording, and in which words a difference is told.

The product is spoken to in the first part alone, so that a rebuild has one place to adapt: a link
becomes an experiment, and that becomes matrices by name.

Numbers are never compared by bits: other processors add in other orders. What is recorded of a
matrix is all of its digits where it is small; of a large one a sum for each row and each column,
each number times a weight of its place, so that a difference still has a row and a column.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

import numpy as np
from numpy.typing import NDArray

from explorer import share
from explorer.examples import EXAMPLES
from explorer.trace import trace

DATA = Path(__file__).parent / "data"
DIGITS = DATA / "digits_of_links.jsonl.xz"

MATRICES = (
    "x",
    "positions",
    "inputs",
    "w_q",
    "w_k",
    "w_v",
    "q",
    "k",
    "v",
    "q_turned",
    "k_turned",
    "scores",
    "scaled",
    "bias",
    "biased",
    "cooled",
    "visible",
    "masked",
    "weights",
    "context",
    "joined",
    "w_o",
    "output",
)
"""The fields of a trace, in the order of computing."""


# The product.


@dataclass(frozen=True, eq=False)
class Opened:
    """What a link opens: the experiment's words and numbers, and the link as the page writes it."""

    canonical: str
    ignored: tuple[str, ...]
    tokens: tuple[str, ...]
    matrices: Mapping[str, NDArray[np.float64]]


def open_link(link: str) -> Opened:
    """From a link's query string to every number of its experiment, without the page."""
    values, ignored = share.decode(dict(parse_qsl(link, keep_blank_values=True)))
    t = trace(share.experiment(values))
    found = {name: getattr(t, name) for name in MATRICES}
    return Opened(
        urlencode(share.encode(values)),
        tuple(part.name for part in ignored),
        t.tokens,
        {name: np.asarray(m, np.float64) for name, m in found.items() if m is not None},
    )


def example_links() -> list[str]:
    """The link to each example."""
    return [urlencode({"example": name}) for name in EXAMPLES]


# Numbers.

RELATIVE, ABSOLUTE = 1e-9, 1e-12
"""How far a number may be off: of itself, and of the largest in its matrix."""
OF_A_SUM = 1e-11
"""How far a sum may be off: of the sum of all its terms' sizes."""
WHOLE = 96
"""Matrices with up to so many numbers are recorded digit by digit."""
_STAND_INS = {"nan": 5.19, "inf": 7.17, "-inf": -7.13}
"""What is added up in the place of what is no number."""


def fingerprint(matrix: NDArray[np.float64]) -> dict[str, Any]:
    """What is recorded of a matrix of any shape: its digits, or sums over its rows and columns.

    The rows of all heads count as one list, so a column's sum goes through all heads.
    """
    kept: dict[str, Any] = {"shape": list(matrix.shape)}
    if matrix.size <= WHOLE:
        return kept | {"digits": matrix.ravel().tolist()}
    rows, columns = _sums(_flat(matrix))
    return kept | {"rows": rows.tolist(), "columns": columns.tolist()}


def difference(recorded: Mapping[str, Any], matrix: NDArray[np.float64]) -> str:
    """In words how a matrix differs from what was recorded of it; empty where it does not."""
    shape = tuple(recorded["shape"])
    if matrix.shape != shape:
        return f"its shape was {shape} and is {matrix.shape}"
    if "digits" in recorded:
        return _difference_of_digits(np.array(recorded["digits"]).reshape(shape), matrix)
    flat = _flat(matrix)
    sizes = _sums(np.abs(np.where(np.isfinite(flat), flat, 0)) + np.spacing(1.0))
    found = []
    for what, now, size in zip(("rows", "columns"), _sums(flat), sizes, strict=True):
        then = np.array(recorded[what])
        (off,) = np.nonzero(np.abs(now - then) > OF_A_SUM * size)
        if off.size:
            worst = off[np.argmax(np.abs(now - then)[off])]
            where = _row_in_words(int(worst), shape) if what == "rows" else f"column {worst + 1}"
            found.append(
                f"{off.size} of {then.size} {what} differ, most {where}, "
                f"whose weighted sum was {then[worst]!r} and is {now[worst]!r}"
            )
    return "; ".join(found)


def _difference_of_digits(then: NDArray[np.float64], now: NDArray[np.float64]) -> str:
    largest = np.abs(then[np.isfinite(then)]).max(initial=0.0)
    near = np.isclose(now, then, rtol=RELATIVE, atol=ABSOLUTE * max(largest, 1), equal_nan=True)
    if near.all():
        return ""
    with np.errstate(invalid="ignore"):
        gaps = np.where(near, 0, np.nan_to_num(np.abs(now - then), nan=np.inf))
    worst = np.unravel_index(int(gaps.argmax()), gaps.shape)
    *head, row, column = (int(place) + 1 for place in worst)
    where = f"head {head[0]}, " if head else ""
    return (
        f"{(~near).sum()} of {near.size} numbers differ, most {where}row {row}, column {column}: "
        f"it was {float(then[worst])!r} and is {float(now[worst])!r}, off by {gaps[worst]:.2g}"
    )


def _row_in_words(row: int, shape: tuple[int, ...]) -> str:
    n_rows = shape[-2]
    head = f"head {row // n_rows + 1}, " if len(shape) == 3 else ""
    return f"{head}row {row % n_rows + 1}"


def _flat(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    return matrix.reshape(-1, matrix.shape[-1]) if matrix.size else np.zeros((0, 1))


def _sums(flat: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of every row and of every column, the sum of its numbers times a weight of their place."""
    numbers = np.nan_to_num(
        flat, nan=_STAND_INS["nan"], posinf=_STAND_INS["inf"], neginf=_STAND_INS["-inf"]
    )
    down, along = (_weights(size) for size in numbers.shape)
    return (numbers * along).sum(axis=1), (numbers * down[:, None]).sum(axis=0)


def _weights(count: int) -> NDArray[np.float64]:
    """From 1 to 2 and no two alike: rows of weights, which sum to 1, would all look the same."""
    return 1 + np.arange(count) * 0.6180339887498949 % 1


# The digits of links.


def record_link(link: str) -> dict[str, Any]:
    """What is recorded of a link, ready for JSON. A matrix that equals another names it."""
    opened = open_link(link)
    kept: dict[str, Any] = {}
    for name, matrix in opened.matrices.items():
        same = next(
            (n for n in kept if np.array_equal(opened.matrices[n], matrix, equal_nan=True)), None
        )
        kept[name] = same or fingerprint(matrix)
    return {
        "link": link,
        "canonical": opened.canonical,
        "tokens": list(opened.tokens),
        "matrices": kept,
    }


def differences_of_link(recorded: Mapping[str, Any]) -> list[str]:
    """In words all that a link opens to and did not open to when it was recorded."""
    opened = open_link(recorded["link"])
    found = []
    if opened.ignored:
        found.append(f"the page ignores {', '.join(opened.ignored)}")
    if opened.canonical != recorded["canonical"]:
        found.append(f"it was written as {recorded['canonical']} and is as {opened.canonical}")
    if list(opened.tokens) != recorded["tokens"]:
        found.append(f"its words were {recorded['tokens']} and are {list(opened.tokens)}")
    then = recorded["matrices"]
    for name in dict.fromkeys([*then, *opened.matrices]):
        if name not in then or name not in opened.matrices:
            found.append(f"matrix {name} is {'gone' if name in then else 'new'}")
            continue
        kept = then[then[name]] if isinstance(then[name], str) else then[name]
        if told := difference(kept, opened.matrices[name]):
            found.append(f"matrix {name}: {told}")
    return [f"?{_short(recorded['link'])}: {part}" for part in found]


def _short(text: str, most: int = 200) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


# Files.


def read(path: Path) -> list[dict[str, Any]]:
    """What was recorded, a line each."""
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def write(path: Path, recorded: Sequence[Mapping[str, Any]]) -> None:
    """Write a recording. The same one gives the same bytes."""
    lines = "".join(_lines(recorded))
    path.write_bytes(lzma.compress(lines.encode(), preset=9 | lzma.PRESET_EXTREME))


def _lines(recorded: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for part in recorded:
        yield json.dumps(part, ensure_ascii=False, separators=(",", ":")) + "\n"
