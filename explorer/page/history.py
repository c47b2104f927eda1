"""Undo and redo of what was changed by hand."""

from __future__ import annotations

from typing import Any

import streamlit as st

from explorer.page import address

_MOST = 50


def act(**after: Any) -> None:
    """Set controls from a callback, so that it can be undone."""
    values = st.session_state["_values"]
    before = {name: values[name] for name in after}
    if before == after:
        return
    done = _stack("_done")
    done.append((before, after))
    del done[:-_MOST]
    _stack("_undone").clear()
    address.put(**after)


def buttons() -> None:
    """Draw undo and redo."""
    for label, from_, to in (("Undo", "_done", "_undone"), ("Redo", "_undone", "_done")):
        what = _kind(*_stack(from_)[-1]) if _stack(from_) else ""
        st.button(
            f"{label} {what}".strip(),
            key=label.lower(),
            disabled=not _stack(from_),
            on_click=_move,
            args=(from_, to),
        )


def _move(from_: str, to: str) -> None:
    before, after = _stack(from_).pop()
    _stack(to).append((before, after))
    address.put(**(before if from_ == "_done" else after))


def _kind(before: dict[str, Any], after: dict[str, Any]) -> str:
    """What an entry changed, in a word: undoing a choice of example is no surprise then."""
    changed = {name for name in after if before[name] != after[name]}
    if "example" in changed:
        return "the example"
    return "the sentence" if "text" in changed else "a number"


def _stack(name: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    return st.session_state.setdefault(name, [])
