"""A list of steps, computed forwards, and backwards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from explorer.attention import Array
from explorer.operations.operation import AnyArray
from explorer.operations.steps import Step


def run(steps: Iterable[Step], given: Mapping[str, AnyArray]) -> dict[str, AnyArray]:
    """Compute every step that is not given. Returns all numbers by the names of their steps."""
    arrays = dict(given)
    for step in steps:
        if step.name not in arrays:
            arrays[step.name] = step.operation.run(*(arrays[n] for n in step.operation.inputs))
    return arrays


def gradients(
    steps: Sequence[Step], arrays: Mapping[str, AnyArray], of: Mapping[str, Array]
) -> dict[str, Array]:
    """How much each number moves what is asked for: gradients by the names of their steps.

    of: the gradient to begin with, for one step or several; all 0 but for a 1 asks for one number.
    """
    found: dict[str, Array] = {name: np.asarray(gradient) for name, gradient in of.items()}
    for step in reversed(steps):
        names = step.operation.inputs
        if step.name not in found or not names:
            continue
        inputs = [arrays[name] for name in names]
        backwards = step.operation.back(found[step.name], arrays[step.name], *inputs)
        for name, gradient in zip(names, backwards, strict=True):
            if gradient is not None:
                found[name] = found.get(name, 0) + gradient
    return found
