"""The one object in which a reader's session is kept, and the way to what controls say."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from explorer.edits import Rows
from explorer.files.opening import Opened
from explorer.link.codec import Ignored
from explorer.link.run import Run
from explorer.link.state import State

_KEY = "session"


@dataclass(frozen=True, slots=True)
class Telling:
    """What a control was told to say, and has not been heard to say yet."""

    number: int
    may_say: list[Any]
    """What the control may say before it is heard without anybody having chosen it."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the page that can be drawn alone (see `fragments`)."""

    name: str
    follows: frozenset[str]  # parameters
    has_charts: bool
    has_controls: bool


@dataclass(frozen=True, slots=True)
class Table:
    """What the table on the page was given, and what it has become by what was typed since."""

    name: str
    words: tuple[str, ...]
    start: Rows
    now: Rows
    version: int


@dataclass(slots=True)
class Session:
    """Everything that the page remembers of one reader, but for what its controls say."""

    # The state (see `address`)
    run: Run | None = None  #       of the last run
    chosen: State | None = None  #  the last run's, and what the reader has chosen since
    touched: bool = False  #        whether the reader changed something since
    ignored: list[Ignored] = field(default_factory=list)  # what of a link could not be used
    link: dict[str, str] | None = None  # what the browser's address was last made to say
    first_visit: bool = False  #    whether this began without a link
    on_page: set[str] = field(default_factory=set)  # controls of the last run that was not broken
    drawn: set[str] = field(default_factory=set)  #   controls of this run so far
    options: dict[str, object] = field(default_factory=dict)  # of controls whose options change

    # What is drawn alone (see `fragments`)
    parts: list[Part] = field(default_factory=list)
    parts_are_enough: bool = False
    parts_of_whole: list[Part] | None = None  # of the last one drawn
    parts_waiting: set[str] = field(default_factory=set)  # to be drawn, by name
    last_chart: str | None = None  #  the last part with charts of those that are drawn now

    # What controls were told (see `tellings`)
    tellings: dict[str, Telling] = field(default_factory=dict)
    last_telling: int = 0

    # Undo (see `undo`): values by name, before and after
    done: list[tuple[dict[str, Any], dict[str, Any]]] = field(default_factory=list)
    undone: list[tuple[dict[str, Any], dict[str, Any]]] = field(default_factory=list)

    # What boxes of the page remember
    table: Table | None = None  #              in which numbers are typed over
    refused: list[str] = field(default_factory=list)  # what was typed and could not be used
    given_cell: tuple[Any, int, int] | None = None  # step, row and column of an open given number
    n_files: int = 0  #                        that were opened
    file_problem: str | None = None
    brought: tuple[str, bytes, Opened] | None = None  # the last file, and what was made of it
    learning: Any = None  #                    trainings that go on (see `lab.learn_box`)

    # What the browser has (see `chart`)
    sent: dict[str, tuple[str, int]] = field(default_factory=dict)
    plain_charts: bool = False

    def is_whole(self) -> bool:
        """Whether the last whole run came to its end and all of it is on its way."""
        return self.parts_of_whole is self.parts


def session() -> Session:
    """This reader's."""
    if _KEY not in st.session_state:
        st.session_state[_KEY] = Session()
    return st.session_state[_KEY]


def said(key: str, nothing: Any = None) -> Any:
    """What a control says, by its key; `nothing` where it never said anything."""
    return st.session_state.get(key, nothing)


def say(key: str, value: Any) -> None:
    """Have a control say something: in a callback, or in a run before it is drawn."""
    st.session_state[key] = value
