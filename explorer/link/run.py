"""One state of the page and what follows from it: each thing is made once."""

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
class Run:
    """The state of the page in one run. What takes long is made when it is first asked for."""

    state: State
    experiment: Settings | None  #       what is computed; None where that is refused
    refusal: ValueError | None = None  # and why, in a sentence

    @property
    def settings(self) -> Settings:
        """What is computed. Ask only where nothing is refused."""
        assert self.experiment is not None, self.refusal
        return self.experiment

    @property
    def view(self) -> View:
        """What is looked at."""
        return self.state.view

    @cached_property
    def trace(self) -> AttentionTrace:
        """Every number of the experiment, where there is one."""
        return trace(self.settings)

    @cached_property
    def whole_link(self) -> dict[str, str]:
        """All that a file holds."""
        return codec.encode(self.state, limited=False)

    @property
    def link(self) -> dict[str, str]:
        """What of it there is room for in an address; changed numbers may be too many."""
        return codec.within_limits(self.whole_link)

    @cached_property
    def set_aside(self) -> list[str]:
        """The matrices changed by hand that have no place now."""
        return [] if self.state.edits == NOTHING else of_state.set_aside(self.state)

    def changed(self, state: State) -> set[str]:
        """The names of the values in which another state differs."""
        if state == self.state:
            return set()
        return {n for n in (*PARAMETERS, "edits") if state.value(n) != self.state.value(n)}

    def forget_trace(self) -> None:
        """Free the many numbers: a session waits long between two runs."""
        vars(self).pop("trace", None)


def run(state: State, before: Run | None = None) -> Run:
    """The run of a state; one that computes what an earlier one did has the same settings."""
    if before and replace(state, view=before.view, pin=before.state.pin) == before.state:
        return replace(before, state=state)
    try:
        return Run(state, of_state.experiment(state))
    except ValueError as problem:
        return Run(state, None, problem)
