"""What controls were told to say, until the browser has heard it.

A run brings what every control said when the browser asked for it. Over a slow line, or from a fast
reader, that may be what a control said before the page told it something else, and then it is
nobody's choice. And what a control is told may come after the reader's next choice and cover it, or
be lost where the next run follows at once. So a control is told again in every run until it is
heard: telling has numbers, and a control that nobody sees says the last one that came.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from explorer.page.session.state import Telling, said, say, session

_HEARD = "heard"


def tell(name: str, value: Any) -> None:
    """Tell a control what to say, from this run on until it is heard.

    In a callback, or in a run before the control is drawn.
    """
    mine = session()
    before = mine.tellings[name].may_say if name in mine.tellings else []
    says = [said(name)] if name in st.session_state else []
    mine.tellings[name] = Telling(mine.last_telling + 1, [*before, *says, value])
    say(name, value)


def tell_again(name: str, value: Any) -> None:
    """Tell it again, where it is not heard yet. This too has to be heard: it may come later."""
    mine = session()
    if name in mine.tellings:
        mine.tellings[name] = replace(mine.tellings[name], number=mine.last_telling + 1)
        say(name, value)


def not_heard_yet() -> None:
    """Say that a run begins, which may drop what was told on its way: let it be heard anew.

    Streamlit drops the messages of the parts that it draws again, but not the later message of the
    control that nobody sees. That would be heard, and what was told would not.
    """
    mine, heard = session(), _number_heard()
    for name, telling in mine.tellings.items():
        if telling.number > heard:
            mine.tellings[name] = replace(telling, number=mine.last_telling + 1)


def chosen(name: str, value: Any) -> Any:
    """What the reader has chosen with a control that is on the page; else `value`, as it was.

    Once in a run for each control: what is the reader's choice here is none the next time.
    """
    says, tellings = said(name, value), session().tellings
    telling = tellings.get(name)
    if telling is None:
        return says
    if _number_heard() >= telling.number:
        del tellings[name]
        return says
    if says in telling.may_say:
        return value
    tell(name, says)  # or what comes to it late would cover the choice
    return says


def is_untold(name: str) -> bool:
    """Whether a control may not have heard yet what it was told."""
    return name in session().tellings


def is_waiting() -> bool:
    """Whether some control has not heard yet what it is to say."""
    return any(telling.number > _number_heard() for telling in session().tellings.values())


def draw() -> None:
    """Draw the control that nobody sees, after all that were told something."""
    mine = session()
    if any(telling.number > mine.last_telling for telling in mine.tellings.values()):
        mine.last_telling += 1
    if _number_heard() != mine.last_telling:
        say(_HEARD, str(mine.last_telling))
    with st.container(key="out_of_sight"):
        st.text_input("The last telling that was heard", key=_HEARD)


def _number_heard() -> int:
    heard = said(_HEARD) or ""
    return int(heard) if heard.isdecimal() else 0
