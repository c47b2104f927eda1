"""One state of the page and what follows from it: each thing is made once, when it is asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from explorer.edits import NOTHING
from explorer.link import codec
from explorer.link import experiment as of_state
from explorer.link.parameters import PARAMETERS
from explorer.link.state import State
from explorer.settings import Settings
from explorer.trace import AttentionTrace, trace
from explorer.view import View


@dataclass(frozen=True)
class Numbers:
    """What an experiment computes. `state` is looked at with the default view and has no pin."""

    state: State

    @cached_property
    def made(self) -> Settings | ValueError:
        """The settings, or why there are none."""
        try:
            return of_state.experiment(self.state)
        except ValueError as problem:
            return problem

    @cached_property
    def trace(self) -> AttentionTrace:
        """Every number."""
        if isinstance(self.made, ValueError):
            raise self.made
        return trace(self.made)


@dataclass(frozen=True)
class Run:
    """The state of the page in one run, its experiment, and what of it is looked at."""

    state: State
    numbers: Numbers

    @property
    def view(self) -> View:
        """What is looked at."""
        return self.state.view

    @property
    def refusal(self) -> ValueError | None:
        """Why there is no such experiment, in a sentence."""
        return self.numbers.made if isinstance(self.numbers.made, ValueError) else None

    @property
    def settings(self) -> Settings:
        """What is computed. Raises the refusal where there is one."""
        if isinstance(self.numbers.made, ValueError):
            raise self.numbers.made
        return self.numbers.made

    @property
    def trace(self) -> AttentionTrace:
        """Every number of it. Raises the refusal where there is one."""
        return self.numbers.trace

    @cached_property
    def whole_link(self) -> dict[str, str]:
        """All that a file holds."""
        return codec.encode(self.state, limited=False)

    @property
    def link(self) -> dict[str, str]:
        """What of it there is room for in an address."""
        return codec.within_limits(self.whole_link)

    @property
    def fits_link(self) -> bool:
        """Whether that is everything; what was changed by hand may be too much."""
        return self.link == self.whole_link

    @cached_property
    def set_aside(self) -> list[str]:
        """The matrices changed by hand that have no place now."""
        return [] if self.state.edits == NOTHING else of_state.set_aside(self.state)

    def changed(self, state: State) -> set[str]:
        """The names of the values in which another state differs."""
        if state == self.state:
            return set()
        names = {n for n in PARAMETERS if state.value(n) != self.state.value(n)}
        return names | ({"edits"} if state.edits != self.state.edits else set())

    def forget_trace(self) -> None:
        """Free the many numbers: a session waits long between two runs."""
        vars(self.numbers).pop("trace", None)


def run(state: State, before: Run | None = None) -> Run:
    """The run of a state; it takes over what an earlier one has computed of the same experiment."""
    plain = replace(state, view=View(), pin=None)
    if before is not None and before.numbers.state == plain:
        return Run(state, before.numbers)
    return Run(state, Numbers(plain))
