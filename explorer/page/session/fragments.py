"""Parts of the page that are drawn again alone.

Another word or another cell changes no number, and another scaling no control. What follows them is
made of parts, each a fragment with a name of its own, and where nothing else changed only they are
run, sent and drawn.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Set
from functools import partial, wraps
from typing import Any

import streamlit as st

from explorer.page import streamlit_inside
from explorer.page.session.state import Part, session

LOOKED_AT = frozenset({"query", "key", "step", "feature"})
"""Parameters that are in no formula: they choose what is looked at."""
NUMBERS = frozenset(
    {"scale", "temperature", "rule", "position", "pairs", "base", "stretch", "stretched"}
)
"""Parameters that change numbers and steps, but neither words nor sizes, nor any control."""
FOLLOWED = LOOKED_AT | NUMBERS
"""What parts can follow."""

_AHEAD = 0.03
"""Seconds by which charts are sent ahead of the rest. Only speed hangs on it: a browser that
gets all at once lays out the text first, and the charts, which the reader looks at, come later by
as much."""


def part(
    draw: Callable[..., None] | None = None,
    *,
    follows: Set[str] = FOLLOWED,
    has_charts: bool = False,
    has_controls: bool = False,
) -> Callable[..., Any]:
    """Make what a function draws a part.

    Its arguments stay those of the last whole run, and are kept for as long: let them be small, and
    let none hang on what is followed. That is read from the page's state.

    follows: what else than its own controls decides what it shows.
    has_charts: whether it is to be drawn before the others.
    has_controls: whether there are parameters' controls in it, which may have to be told something.
    """
    if draw is None:
        return partial(part, follows=follows, has_charts=has_charts, has_controls=has_controls)
    name = draw.__name__

    @wraps(draw)
    def drawn(*args: Any) -> None:
        if session().touched:
            st.rerun()  # by one of its own controls, and for more than the parts
        draw(*args)
        session().parts_waiting.discard(name)
        if session().last_chart == name:
            session().last_chart = None
            streamlit_inside.is_sent()
            time.sleep(_AHEAD)

    fragment = st.fragment(drawn, key=name)

    @wraps(draw)
    def registered(*args: Any) -> None:
        session().parts.append(Part(name, frozenset(follows), has_charts, has_controls))
        fragment(*args)

    return registered


def begin() -> None:
    """Say that the whole page is being drawn."""
    mine = session()
    mine.parts, mine.parts_are_enough, mine.last_chart = [], False, None
    mine.parts_waiting = set()


def are_enough() -> None:
    """Say that nothing in the open view but its parts hangs on what they follow."""
    session().parts_are_enough = True


def done() -> None:
    """Say that the whole page is drawn: a run that was broken off has to be made up for.

    Only what is sent counts as drawn, and no part is drawn again before. Meanwhile the next run may
    begin, so what is whole is told by its parts, which each whole run has of its own.
    """
    parts = session().parts
    if streamlit_inside.is_sent():
        session().parts_of_whole = parts


def can_follow(names: Collection[str]) -> bool:
    """Whether a change of these parameters, and of no other, needs the parts alone."""
    can = session().parts_are_enough and session().is_whole()
    return bool(can and names) and FOLLOWED.issuperset(names)


def follow(names: Set[str], controls: bool) -> None:
    """Callback: draw the parts that follow these parameters, and nothing else. Does not return.

    controls: whether those with controls are drawn too. A control that the reader used says what
    it is to say already; after a click on a chart all controls have something else to say.
    """
    mine = session()
    # What was asked for before may have been broken off by this change, before it was drawn.
    mine.parts_waiting |= {
        part.name for part in mine.parts if part.follows & names or (controls and part.has_controls)
    }
    parts = [part for part in mine.parts if part.name in mine.parts_waiting]
    parts.sort(key=lambda part: not part.has_charts)
    mine.last_chart = next((part.name for part in reversed(parts) if part.has_charts), None)
    st.rerun([part.name for part in parts])
