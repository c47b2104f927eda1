"""A list of steps, computed forwards, and backwards."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from explorer.attention import Array
from explorer.operations.operation import AnyArray
from explorer.operations.steps import Step


def run(
    steps: Iterable[Step],
    given: Mapping[str, AnyArray],
    keep: Collection[str] | None = None,
) -> dict[str, AnyArray]:
    """Compute every step that is not given. Returns all numbers by the names of their steps.

    keep: the names of those that are wanted; what else there is goes as soon as no step needs it.
    """
    steps, arrays = tuple(steps), dict(given)
    last = {name: step.name for step in steps for name in step.operation.inputs}
    for step in steps:
        names = step.operation.inputs
        if step.name not in arrays:
            arrays[step.name] = step.operation.run(*(arrays[name] for name in names))
        for name in names:
            if keep is not None and name not in keep and last[name] == step.name:
                arrays.pop(name, None)  # a step may take the same one twice
    return arrays


@dataclass(frozen=True, eq=False, slots=True)
class Again(Mapping[str, AnyArray]):
    """The numbers of all steps, of which only some are kept: the others are computed when asked."""

    steps: tuple[Step, ...]
    kept: Mapping[str, AnyArray]

    def __getitem__(self, name: str) -> AnyArray:
        if name in self.kept:
            return self.kept[name]
        for step in self.steps:
            if step.name == name:
                return step.operation.run(*(self[input_] for input_ in step.operation.inputs))
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self.kept, *(step.name for step in self.steps))))

    def __len__(self) -> int:
        return len(list(iter(self)))


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
