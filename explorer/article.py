"""An example's published numbers, held against those of the page."""

from __future__ import annotations

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
    if step.startswith("exponentials"):
        with np.errstate(over="ignore"):
            powers = np.exp(t.masked[0])
            return powers if step == "exponentials" else powers.sum(axis=-1, keepdims=True)
    # A step that the experiment does without is no array of its own, but a field.
    ours: Array | None = t.arrays.get(step, getattr(t, step, None))
    return ours if ours is None or ours.ndim == 2 else ours[0]
