"""What controls were told to say, until the browser has heard it.

A run brings what every control said when the browser asked for it. Over a slow line, or from a fast
reader, that may be what a control said before the page told it something else, and then it is
nobody's choice. And what a control is told may come after the reader's next choice and cover it, or
be lost where the next run follows at once. So a control is told again in every run until it is
heard: telling has numbers, and a control that nobody sees says the last one that came.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

_HEARD = "heard"


@dataclass(frozen=True)
class _Telling:
    number: int
    may_say: list[Any]
    """What the control may say before it is heard without anybody having chosen it."""


def tell(name: str, value: Any) -> None:
    """Tell a control what to say, from this run on until it is heard.

    In a callback, or in a run before the control is drawn.
    """
    state, tellings = st.session_state, _tellings()
    before = tellings[name].may_say if name in tellings else []
    said = [state[name]] if name in state else []
    tellings[name] = _Telling(_last() + 1, [*before, *said, value])
    state[name] = value


def tell_again(name: str, value: Any) -> None:
    """Tell it again, where it is not heard yet. This too has to be heard: it may come later."""
    tellings = _tellings()
    if name in tellings:
        tellings[name] = replace(tellings[name], number=_last() + 1)
        st.session_state[name] = value


def chosen(name: str, value: Any) -> Any:
    """What the reader has chosen with a control that is on the page; else `value`, as it was.

    Once in a run for each control: what is the reader's choice here is none the next time.
    """
    said = st.session_state.get(name, value)
    telling = _tellings().get(name)
    if telling is None:
        return said
    if _number_heard() >= telling.number:
        del _tellings()[name]
        return said
    if said in telling.may_say:
        return value
    tell(name, said)  # or what comes to it late would cover the choice
    return said


def is_waiting() -> bool:
    """Whether some control has not heard yet what it is to say."""
    return any(telling.number > _number_heard() for telling in _tellings().values())


def draw() -> None:
    """Draw the control that nobody sees, after all that were told something."""
    state = st.session_state
    if any(telling.number > _last() for telling in _tellings().values()):
        state["_last_telling"] = _last() + 1
    if _number_heard() != _last():
        state[_HEARD] = str(_last())
    with st.container(key="out_of_sight"):
        st.text_input("The last telling that was heard", key=_HEARD)


def _tellings() -> dict[str, _Telling]:
    return st.session_state.setdefault("_tellings", {})


def _last() -> int:
    return st.session_state.get("_last_telling", 0)


def _number_heard() -> int:
    heard = st.session_state.get(_HEARD) or ""
    return int(heard) if heard.isdecimal() else 0
