"""Tables of words and numbers as people have them.

CSV and TSV of a spreadsheet or of pandas, and word vectors of GloVe, word2vec and fastText. A line
is a word, then its numbers. Nothing is guessed of a number: it is read, or its cell is named.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass

from explorer import edits as by_hand
from explorer import labels
from explorer.edits import Rows
from explorer.files.reading import Refused, wall
from explorer.settings import MAX_TOKENS

MOST_NUMBERS = 1_024
"""Of one word, before they are made fewer."""
_SEPARATORS = "\t;, "
_LOOKED_AT = 20  # lines and cells: enough to tell one separator from another
# What somebody meant as a number, well written or not: such a line is no line of names.
_MEANT = re.compile(r"[\s\d.,%+\-−OolIeE']*\d[\s\d.,%+\-−OolIeE']*|nan|na|n/a|null|none|[+-]?inf|")
_WORD_COLUMN = ("", "word", "words", "token", "tokens")
Line = list[str]


@dataclass(frozen=True, slots=True)
class Table:
    """The words of a file and their numbers as text; the names of its columns if it has some."""

    words: tuple[str, ...]
    rows: Rows
    columns: tuple[str, ...] | None
    notes: tuple[str, ...]


def table(text: str) -> Table:
    """Read a table. Raises ValueError, in a sentence."""
    lines = _lines(text)
    if not lines:
        raise Refused("There is no line with a word and its numbers in this file.")
    notes, names = [], None
    if len(lines) > 1 and [str(len(lines) - 1), str(_width(lines[1:]) - 1)] == lines[0]:
        lines = lines[1:]
        notes.append("The first line was taken for the count of words and of numbers.")
    elif _is_names(lines):
        names, *lines = lines
        notes.append("The first line was taken for names of columns.")
    if not lines:
        raise Refused("There is no line with a word and its numbers in this file.")
    counted = [[str(n)] for n in range(len(lines))] == [line[:1] for line in lines]
    if names and names[0] == "" and counted and len(lines[0]) > 2:
        if not _is_number(lines[0][1]):  # pandas counts the lines beside the words
            names, lines = names[1:], [line[1:] for line in lines]
            notes.append("The first column only counts the lines and was left out.")
        else:
            lines = [[f"word{n}", *line[1:]] for n, line in enumerate(lines, start=1)]
            notes.append(
                "The first column only counts the lines, so words are called word1 and so on."
            )
    elif all(_is_number(line[0]) for line in lines) and len(lines[0]) > 1:
        if names:
            raise Refused("No line begins with a word. Put each word before its own numbers.")
        lines = [[f"word{n}", *line] for n, line in enumerate(lines, start=1)]
        notes.append("No line begins with a word, so the words are called word1, word2 and so on.")
    rows = tuple(_row(line, _width(lines), n) for n, line in enumerate(lines, start=1))
    columns = None if names is None else tuple(map(_word, names[1:]))
    return Table(tuple(_word(line[0]) for line in lines), rows, columns, tuple(notes))


def _lines(text: str) -> list[Line]:
    """The cells of each line, by the separator that makes most sense of all of them."""
    count = sum(1 for line in text.splitlines() if line.strip())
    if count > MAX_TOKENS + 1:
        raise Refused(f"There may be up to {MAX_TOKENS} words; this file has {count:,} lines.")
    if max(map(len, text.splitlines()), default=0) > 30 * MOST_NUMBERS:
        raise Refused(f"A word may have up to {MOST_NUMBERS:,} numbers; a line here is longer.")
    with wall("This file is no table of words and numbers."):
        found = {mark: _cut(text, mark) for mark in _SEPARATORS}
        return max(found.values(), key=_sense)  # of equals the first


def _cut(text: str, mark: str) -> list[Line]:
    if mark == " ":
        parts = [line.rstrip().split(" ") for line in text.split("\n") if line.strip()]
        n = _width(parts) - 1  # a word may hold spaces itself
        return [
            [" ".join(p[: len(p) - n]), *p[len(p) - n :]] if len(p) > n > 0 else p for p in parts
        ]
    lines = [line for line in csv.reader(io.StringIO(text), delimiter=mark) if any(line)]
    if lines and all(len(line) > 2 and not line[-1].strip() for line in lines):
        lines = [line[:-1] for line in lines]  # every line ends with a separator
    return lines


def _sense(lines: list[Line]) -> tuple[int, int]:
    """How many lines are a word and numbers, and how many numbers."""
    counts = [
        sum(map(_is_number, line[1:_LOOKED_AT])) for line in lines[:_LOOKED_AT] if len(line) > 1
    ]
    return sum(1 for n in counts if n), sum(counts)


def _width(lines: list[Line]) -> int:
    return Counter(map(len, lines)).most_common(1)[0][0] if lines else 0


def _is_names(lines: list[Line]) -> bool:
    first, *cells = (cell.strip() for cell in lines[0])
    counted = [[str(n) for n in range(start, start + len(cells))] for start in (0, 1)]
    if first.lower() in _WORD_COLUMN and cells in counted:
        return True
    if first == "" and cells and len(lines) > 1 and not any(map(_is_number, cells)):
        return True
    return not any(_MEANT.fullmatch(cell.lower()) or _is_number(cell) for cell in cells)


def _row(line: Line, width: int, n: int) -> tuple[str, ...]:
    word, *cells = line
    if len(line) != width:
        raise Refused(
            f"Every word needs as many numbers as most have, {width - 1}; "
            f"“{labels.shown(word, 30)}” (word {n}) has {len(cells)}."
        )
    return tuple(_number(cell, word, c) for c, cell in enumerate(cells, start=1))


def _number(cell: str, word: str, column: int) -> str:
    try:
        return by_hand.number(cell)
    except ValueError as problem:
        raise Refused(
            f"“{labels.shown(cell, 30)}”, number {column} of “{labels.shown(word, 30)}”, {problem}."
        ) from None


def _is_number(cell: str) -> bool:
    try:
        by_hand.number(cell)
    except ValueError:
        return False
    return True


def _word(cell: str) -> str:
    return labels.uncelled(cell.strip() or cell)
