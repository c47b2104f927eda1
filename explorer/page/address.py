"""The page's state, kept in step with the address in the browser.

Every control is a widget whose key is the name of its parameter. The address is read when a link is
opened and when the reader goes back or forward; in any other run the controls say what counts, and
the address is brought up to them. It must not be read then: a run carries the address as the
browser knew it, which over a slow line is older than what the reader typed last.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from explorer import share
from explorer.page import parts, told
from explorer.share import Ignored, Values
from explorer.view import View

_OPTIONAL = ("d_k", "d_v")


def read() -> Values:
    """The value of every control in this run, whether its widget is on the page or not."""
    state = st.session_state
    state.pop("_touched", None)
    if _is_told_by_address():
        link, is_first = st.query_params.to_dict(), "_values" not in state
        # Going back, the browser may still be told the address of what the reader goes back from.
        state["_link"] = link if is_first else None
        state["_first_visit"] = is_first and not link
        values, state["_ignored"] = share.decode(link)
        _tell({name: value for name, value in values.items() if state.get(name) != value})
    else:
        now = _now()
        values, mended = share.settle(now)
        if "n_heads" in mended:
            rule = f"expected {mended['n_heads']}"
            state["_ignored"] = [Ignored("n_heads", str(now["n_heads"]), rule)]
        _tell({name: values[name] for name in mended})
    state.update(_values=values, _now=values)
    # A run may be broken off by the next change; what was on the page before still counts then.
    state["_on_page"] = state.get("_on_page", set()) | state.get("_drawn", set())
    state["_drawn"] = set()
    parts.begin()
    return values


def done() -> None:
    """Say that the page is drawn to its end: these are its widgets now."""
    _address()  # the last part: the reader waits for the others
    st.session_state["_on_page"] = st.session_state["_drawn"]
    parts.done()


def write() -> None:
    """Bring the address up to the controls. Sends nothing where it is, or is on its way to be."""
    link = share.encode(st.session_state["_values"])
    if link != st.session_state["_link"]:
        st.session_state["_link"] = link
        st.query_params.from_dict(link)


@parts.part
def _address() -> None:
    write()
    told.draw()


def view() -> View:
    """What is looked at now, in a part too."""
    return share.view(st.session_state["_values"])


def touch(name: str | None = None) -> None:
    """Say that the reader changed something on the page, and by which control if by one."""
    _changed(() if name is None else (name,), name)


def _changed(names: Collection[str], control: str | None = None) -> None:
    """Note a change; where the parts can follow it, have them drawn and end the callback here."""
    state = st.session_state
    before, now = state["_values"], _now()
    names = {*names, *(name for name in now if now[name] != before[name])}
    if parts.can_follow(names) and not (state.get("_touched") or state["_ignored"]):
        _, mended = share.settle(now)
        if not mended:
            state["_values"] = now
            parts.follow(None if control is None or told.is_waiting() else names)
    state["_touched"], state["_ignored"] = True, []


def named(name: str) -> dict[str, Any]:
    """Name a widget after its parameter, and give it the value that the page remembers."""
    state = st.session_state
    value = state["_values"][name]
    if name not in state["_on_page"] or name not in state:
        told.tell(name, value)
    else:
        told.tell_again(name, value)
    state["_drawn"].add(name)
    return {"key": name, "on_change": partial(touch, name)}


def gone(name: str) -> None:
    """Say, in a part, that a control which it may draw is not on the page: it forgets its value."""
    st.session_state["_on_page"].discard(name)
    st.session_state["_drawn"].discard(name)


def chosen(name: str) -> Any:
    """What the reader has chosen with a control, in its callback."""
    return _now()[name]


def put(**values: Any) -> None:
    """Set controls from a callback, as if the reader had set them."""
    st.session_state["_now"] = _now() | values
    _tell(values)
    _changed(values)


def renew(name: str, options: object) -> None:
    """Give a widget its value again after its options changed, which would reset it."""
    kept = f"_options_of_{name}"
    if st.session_state.get(kept) != options:
        st.session_state[kept] = options
        told.tell(name, st.session_state["_values"][name])


def keep(key: str, options: list, usual: object) -> None:
    """Keep a choice that is in no link on one of its options."""
    if st.session_state.get(key) not in options:
        st.session_state[key] = usual if usual in options else options[0]


def fall_back(name: str, to: Any, rule: str) -> None:
    """Take another value than the link's, which only the view itself could check, and say so."""
    state = st.session_state
    state["_ignored"] = [*ignored(), Ignored(name, str(state["_values"][name]), rule)]
    state["_values"][name] = to
    told.tell(name, to)
    write()


def ignored() -> list[Ignored]:
    """What could not be used of the link that was opened, until the reader moves on."""
    return st.session_state.get("_ignored", [])


def first_visit() -> bool:
    """Whether this session began without a link."""
    return st.session_state.get("_first_visit", False)


def link(values: Values | None = None) -> str:
    """The address of the page as it is now, or as it is with these values."""
    page = (st.context.url or "").split("?")[0]
    return share.address(page, st.session_state["_values"] if values is None else values)


def _is_told_by_address() -> bool:
    """Whether this run opens a link, or goes back or forward among those of this session."""
    run = get_script_run_ctx()
    return "_values" not in st.session_state or (run is not None and run.is_history_navigation)


def _tell(values: Values) -> None:
    """Tell the controls that are on the page; the others are told when they are drawn."""
    for name, value in values.items():
        if _is_on_page(name):
            told.tell(name, value)


def _is_on_page(name: str) -> bool:
    """Whether there is such a control, if only since a run that was broken off."""
    state = st.session_state
    return name in state.get("_on_page", ()) or name in state.get("_drawn", ())


def _now() -> Values:
    """The values of the last run, and what the reader has chosen since."""
    state = st.session_state
    state["_now"] = {name: _chosen(name, value) for name, value in state["_now"].items()}
    return state["_now"]


def _chosen(name: str, kept: Any) -> Any:
    """What a control says; where that is nothing, as in a field that was emptied, what was before.

    A widget that is not on the page forgets its value, or worse, remembers an old one.
    """
    if not _is_on_page(name):
        return kept
    value = told.chosen(name, kept)
    return kept if value is None and name not in _OPTIONAL else value
