"""Every number of an experiment as files: tables for people, arrays for programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any
from urllib.parse import urlencode

import numpy as np

from explorer import labels
from explorer.attention import Array
from explorer.edits import written
from explorer.settings import Settings
from explorer.trace import AttentionTrace

FORMAT = "self-attention-explorer 1"
"""What a state file calls itself, and which version of it."""


@dataclass(frozen=True, eq=False, slots=True)
class Table:
    """One matrix with the names of its rows and columns."""

    name: str
    numbers: Array
    rows: Sequence[str]
    columns: Sequence[str]


def tables(t: AttentionTrace) -> dict[str, Table]:
    """Every matrix of the experiment by its name, in the order of computing, head by head."""
    words, found = t.tokens, {}

    def add(name: str, numbers: Array, rows: Sequence[str] | None, pairs: bool) -> None:
        matrices = {name: numbers}
        if numbers.ndim == 3:
            matrices = {f"{name}_head_{h}": m for h, m in enumerate(numbers, start=1)}
            if len(matrices) == 1:
                matrices = {name: numbers[0]}
        for key, matrix in matrices.items():
            columns = words if pairs else _counted("feature", matrix.shape[1])
            found[key] = Table(key, matrix, rows or _counted("row", len(matrix)), columns)

    for step in t.steps:
        if step.shown or step.by_head or step.name == "output":
            rows = None if step.matrix.is_learned else words
            add(step.name, t.arrays[step.name], rows, step.matrix.is_pairs)
    add("visible", t.visible.astype(float), words, True)
    return found


def csv_text(table: Table) -> str:
    """The matrix with all its digits, for a spreadsheet. A minus sign is a plain hyphen."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["", *map(labels.cell, table.columns)])
    for name, row in zip(table.rows, written(table.numbers.tolist()), strict=True):
        writer.writerow([labels.cell(name), *row])
    return out.getvalue()


def markdown(table: Table, decimals: int) -> str:
    """The matrix as a Markdown table."""
    rows = (
        [labels.markdown(name), *(labels.number(n, decimals) for n in row)]
        for name, row in zip(table.rows, table.numbers, strict=True)
    )
    return markdown_table(["", *map(labels.markdown, table.columns)], rows) + "\n"


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]], left: int = 0) -> str:
    """Cells, which are Markdown already, as a table: the first column words, the others numbers.

    left: another column of words, from 0.
    """
    rule = "|".join(":--" if n in (0, left) else "--:" for n in range(len(head)))
    top, *below = ("|" + "".join(f" {c} |" if c else " |" for c in row) for row in (head, *rows))
    return "\n".join([top, f"|{rule}|", *below])


def latex(table: Table, decimals: int) -> str:
    """The matrix as a LaTeX table."""
    lines = [
        rf"\begin{{tabular}}{{l{'r' * len(table.columns)}}}",
        " & ".join(["", *map(labels.latex, table.columns)]) + r" \\ \hline",
    ]
    for name, row in zip(table.rows, table.numbers, strict=True):
        cells = [_in_latex(labels.number(n, decimals)) for n in row]
        lines.append(" & ".join([labels.latex(name), *cells]) + r" \\")
    return "\n".join([*lines, r"\end{tabular}"]) + "\n"


def npz(t: AttentionTrace, link: Mapping[str, str] | None = None) -> bytes:
    """All arrays under the names of `AttentionTrace`, for `numpy.load`. No pickles.

    link: the parameters of the page's whole link, so that the file opens again as it was.
    """
    arrays: dict[str, Any] = {
        field.name: array
        for field in fields(t)
        if isinstance(array := getattr(t, field.name), np.ndarray)
    }
    if link is not None:
        arrays["link"] = np.array(urlencode(link))
    out = io.BytesIO()
    np.savez_compressed(out, tokens=np.array(t.tokens, dtype=np.str_), **arrays)
    return out.getvalue()


def state(link: Mapping[str, str], settings: Settings, t: AttentionTrace) -> str:
    """Everything as JSON: the state of the page, to be opened again, and every step.

    link: the parameters of the page's link, whole, however long they are.
    Numbers have all their digits; a score of minus infinity is the text "-inf".
    """
    steps = {name: _json(table.numbers) for name, table in tables(t).items()}
    chosen = {name: value for name, value in asdict(settings).items() if name not in _TABLES}
    return json.dumps(
        {
            "format": FORMAT,
            "state": dict(link),
            "settings": chosen,
            "tokens": list(t.tokens),
            "steps": steps,
        },
        ensure_ascii=False,
        indent=1,
    )


_TABLES = ("x", "w_q", "w_k", "w_v", "w_o", "custom")


def read_state(text: str | bytes) -> dict[str, str]:
    """The parameters in a file that `state` wrote.

    Raises ValueError, in a sentence, for any other file.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("This is no JSON file, or a damaged one.") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ValueError("This JSON file was not written by this page.")
    link = found.get("state")
    if not isinstance(link, dict) or not all(
        isinstance(part, str) for pair in link.items() for part in pair
    ):
        raise ValueError("The state in this file is damaged.")
    return link


def _json(numbers: Array) -> list[list[float | str]]:
    return [[n if np.isfinite(n) else str(n) for n in row] for row in numbers.tolist()]


def _counted(word: str, count: int) -> list[str]:
    return [f"{word} {n}" for n in range(1, count + 1)]


def _in_latex(number: str) -> str:
    if number == "−∞":
        return r"$-\infty$"
    return f"${number.replace('−', '-')}$" if number.startswith("−") else number
