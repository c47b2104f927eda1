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
from explorer.page import parts
from explorer.share import Ignored, Values
from explorer.view import View

_OPTIONAL = ("d_k", "d_v")


def read() -> Values:
    """The value of every control in this run, whether its widget is on the page or not."""
    state = st.session_state
    state.pop("_touched", None)
    if _is_told_by_address():
        link = st.query_params.to_dict()
        state["_first_visit"] = "_values" not in state and not link
        values, state["_ignored"] = share.decode(link)
        state.update(values)
    else:
        values, mended = _of_widgets()
        state.update({name: values[name] for name in mended})
        if "n_heads" in mended:
            state["_ignored"] = [
                Ignored(
                    "n_heads", str(state["_values"]["n_heads"]), f"expected {mended['n_heads']}"
                )
            ]
    state["_values"] = values
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
    """Bring the address up to the controls. Sends nothing where it already is."""
    link = share.encode(st.session_state["_values"])
    if link != st.query_params.to_dict():
        st.query_params.from_dict(link)


@parts.part
def _address() -> None:
    write()


def view() -> View:
    """What is looked at now, in a part too."""
    return share.view(st.session_state["_values"])


def touch(name: str | None = None) -> None:
    """Say that the reader changed something on the page, and by which control if by one."""
    _changed(() if name is None else (name,), name)


def _changed(names: Collection[str], control: str | None = None) -> None:
    """Note a change; where the parts can follow it, have them drawn and end the callback here."""
    state = st.session_state
    if parts.can_follow(names) and not (state.get("_touched") or state["_ignored"]):
        values, mended = _of_widgets()
        if not mended:
            state["_values"] = values
            parts.follow(control)
    state["_touched"], state["_ignored"] = True, []


def named(name: str) -> dict[str, Any]:
    """Name a widget after its parameter, and give it the value that the page remembers."""
    state = st.session_state
    # Streamlit tells the browser a value that was set in a callback, unless a click asks for parts.
    is_put = name in state.get("_put", ())
    if is_put or name not in state["_on_page"] or name not in state:
        state[name] = state["_values"][name]
    if is_put:
        state["_put"].discard(name)
    state["_drawn"].add(name)
    return {"key": name, "on_change": partial(touch, name)}


def put(**values: Any) -> None:
    """Set controls from a callback, as if the reader had set them."""
    st.session_state.update(values)
    st.session_state["_values"] = st.session_state["_values"] | values
    st.session_state.setdefault("_put", set()).update(values)
    _changed(values)


def renew(name: str, options: object) -> None:
    """Give a widget its value again after its options changed, which would reset it."""
    kept = f"_options_of_{name}"
    if st.session_state.get(kept) != options:
        st.session_state[kept] = options
        st.session_state[name] = st.session_state["_values"][name]


def keep(key: str, options: list, usual: object) -> None:
    """Keep a choice that is in no link on one of its options."""
    if st.session_state.get(key) not in options:
        st.session_state[key] = usual if usual in options else options[0]


def fall_back(name: str, to: Any, rule: str) -> None:
    """Take another value than the link's, which only the view itself could check, and say so."""
    state = st.session_state
    state["_ignored"] = [*ignored(), Ignored(name, str(state["_values"][name]), rule)]
    state["_values"][name] = state[name] = to
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


def _of_widgets() -> tuple[Values, list[str]]:
    """What the controls say, made to fit together, and the names of those that did not."""
    kept = st.session_state["_values"]
    return share.settle({name: _of_widget(name, value) for name, value in kept.items()})


def _of_widget(name: str, kept: Any) -> Any:
    """A widget's value; the one before where it has none, as after a click that deselects.

    A widget that is not on the page forgets its value, or worse, remembers an old one.
    """
    if name not in st.session_state["_on_page"]:
        return kept
    value = st.session_state.get(name, kept)
    return kept if value is None and name not in _OPTIONAL else value
