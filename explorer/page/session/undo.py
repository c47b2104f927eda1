"""Undo and redo of what was changed by hand."""

from __future__ import annotations

from typing import Any

import streamlit as st

from explorer.page.session import address
from explorer.page.session.state import session

_MOST = 50


def act(**after: Any) -> None:
    """Set controls from a callback, so that it can be undone."""
    state, mine = address.now().state, session()
    before = {name: state.value(name) for name in after}
    if before == after:
        return
    mine.done.append((before, after))
    del mine.done[:-_MOST]
    mine.undone.clear()
    address.put(**after)


def buttons() -> None:
    """Draw undo and redo."""
    mine = session()
    for label, stack, callback in (("Undo", mine.done, _undo), ("Redo", mine.undone, _redo)):
        what = _kind(*stack[-1]) if stack else ""
        st.button(
            f"{label} {what}".strip(), key=label.lower(), disabled=not stack, on_click=callback
        )


def _undo() -> None:
    before, after = session().done.pop()
    session().undone.append((before, after))
    address.put(**before)


def _redo() -> None:
    before, after = session().undone.pop()
    session().done.append((before, after))
    address.put(**after)


def _kind(before: dict[str, Any], after: dict[str, Any]) -> str:
    """What an entry changed, in a word: undoing a choice of example is no surprise then."""
    changed = {name for name in after if before[name] != after[name]}
    if "example" in changed:
        return "the example"
    return "the sentence" if "text" in changed else "a number"
