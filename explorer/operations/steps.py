"""What a step is: a matrix with a name, and the operation that makes it out of earlier ones."""

from __future__ import annotations

from dataclasses import dataclass

from explorer.operations.matrices import Matrix
from explorer.operations.operation import Operation


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a computation: a matrix, and how it is made.

    shown: whether the page draws it; what is not drawn only hands numbers on.
    by_head: whether its array has the heads as its first axis.
    """

    matrix: Matrix
    operation: Operation
    by_head: bool = False
    shown: bool = True

    @property
    def name(self) -> str:
        """The code of its matrix."""
        return self.matrix.name
