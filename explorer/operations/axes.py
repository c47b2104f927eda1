"""Which axes an operation reads and makes, as `einsum` and einops write it, and blocks that follow.

"i n, n j -> i j" is a product of matrices: a cell in row i and column j is made of row i of the
first and column j of the second, over all n. "h i j -> i (h j)" puts heads side by side: the axis
(h j) counts j within h. What stands in front of the axes named here is the same on both sides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from math import prod

Block = tuple[range, ...]
Side = tuple[tuple[str, ...], ...]
"""For each axis the letters that it counts: mostly one."""


@cache
def axes(written: str) -> tuple[Side, ...]:
    """Read what is written: the axes of each input, and last those of what comes out."""
    return tuple(
        tuple(tuple(re.findall(r"\w+", axis)) for axis in re.findall(r"\(.*?\)|\w+", side))
        for side in re.split(",|->", written)
    )


def sizes(
    sides: Iterable[Side], shapes: Iterable[tuple[int, ...]], known: Mapping[str, int]
) -> dict[str, int]:
    """How far each letter counts."""
    found = dict(known)
    for side, shape in zip(sides, shapes, strict=False):
        for letters, size in zip(side, shape[len(shape) - len(side) :], strict=True):
            *others, last = sorted(letters, key=lambda letter: letter not in found)
            found.setdefault(last, size // prod(found[letter] for letter in others))
    return found


def follow(block: Block, here: Side, there: Side, size: Mapping[str, int]) -> Block:
    """Where the cells of a block lie, or lead, on the other side: all of what only that counts."""
    lead, parts = block[: len(block) - len(here)], dict[str, range]()
    for letters, part in zip(here, block[len(lead) :], strict=True):
        for letter in reversed(letters[1:]):
            part, parts[letter] = _cut(part, size[letter])
        parts[letters[0]] = part
    return *lead, *(_joined(letters, parts, size) for letters in there)


def _cut(part: range, width: int) -> tuple[range, range]:
    """Which groups of `width` some places belong to, and where they stand in them."""
    groups = range(part[0] // width, part[-1] // width + 1)
    if len(groups) > 1:
        return groups, range(width)
    start = groups[0] * width
    return groups, range(part[0] - start, part[-1] - start + 1, part.step)


def _joined(letters: tuple[str, ...], parts: Mapping[str, range], size: Mapping[str, int]) -> range:
    """The places of one axis, from those of the letters that it counts."""
    first, last, step = 0, 0, 1
    for letter in letters:
        part = parts.get(letter, range(size[letter]))
        # What is left out between the cells of one group lies closely between those of several.
        step = part.step if first == last else 1
        first, last = first * size[letter] + part[0], last * size[letter] + part[-1]
    return range(first, last + 1, step)
