"""An example's published numbers, held against those of the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from explorer.attention import Array
from explorer.examples import Example, Printed
from explorer.settings import table
from explorer.trace import AttentionTrace


@dataclass(frozen=True, slots=True)
class Published:
    """One number that a source prints, and what stands in its place here."""

    step: str  #      as in `Printed`
    row: int  #       which word, from 0
    column: int  #    from 0
    printed: str  #   with the decimals it is printed with
    value: float  #   ours, at full precision
    misprint: bool  # the source is off by more than rounding, and is known to be

    @property
    def decimals(self) -> int:
        """How many decimals the source prints."""
        return len(self.printed.partition(".")[2])

    @property
    def matches(self) -> bool:
        """Whether ours, rounded as the source rounds, is what it prints."""
        # Half a unit of the last decimal, and a hair, because 0.5 may be rounded either way.
        return abs(self.value - float(self.printed)) <= 0.5 * 10.0**-self.decimals + 1e-12


def published(example: Example, t: AttentionTrace) -> list[Published]:
    """Every published number of an example with ours; none where the sizes are not the example's.

    The vectors that a source chose count among its numbers.
    """
    settings = example.settings
    if not example.printed or t.x.shape != (len(settings.tokens), settings.d_model):
        return []
    found = []
    for printed in (*_chosen(example), *example.printed):
        ours = _ours(printed.step, t)
        if ours is None or ours.shape[0] <= max(printed.rows):
            continue
        if ours.shape[1] != len(printed.numbers[0]):
            continue
        for row, numbers in zip(printed.rows, printed.numbers, strict=True):
            for column, number in enumerate(numbers):
                text = f"{number:.{printed.decimals}f}"
                value = float(ours[row, column])
                found.append(Published(printed.step, row, column, text, value, not printed.holds))
    return found


def _chosen(example: Example) -> list[Printed]:
    """The vectors that the source chose, as it prints them."""
    x = example.settings.x
    if x is None:
        return []
    decimals = max(len(repr(n).removesuffix(".0").partition(".")[2]) for row in x for n in row)
    return [Printed("embeddings", tuple(range(len(x))), table(x), decimals)]


def _ours(step: str, t: AttentionTrace) -> Array | None:
    """Our numbers of a step, of the first head: (words, columns)."""
    with np.errstate(over="ignore"):
        steps: dict[str, Callable[[], Array]] = {
            "embeddings": lambda: t.x,
            "queries": lambda: t.q[0],
            "keys": lambda: t.k[0],
            "values": lambda: t.v[0],
            "scores": lambda: t.scores[0],
            "scaled": lambda: t.scaled[0],
            "masked": lambda: t.masked[0],
            "exponentials": lambda: np.exp(t.masked[0]),
            "exponentials_total": lambda: np.exp(t.masked[0]).sum(axis=-1, keepdims=True),
            "weights": lambda: t.weights[0],
            "context": lambda: t.context[0],
            "output": lambda: t.output,
        }
        return steps[step]() if step in steps else None
