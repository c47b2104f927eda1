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

from explorer.link import codec
from explorer.link.codec import Ignored
from explorer.link.parameters import PARAMETERS
from explorer.link.run import Run, run
from explorer.link.state import State
from explorer.page.session import fragments, tellings
from explorer.page.session.state import said, say, session
from explorer.view import View

_OPTIONAL = ("d_k", "d_v")


def read() -> Run:
    """The state in this run, of every control, whether its widget is on the page or not."""
    mine = session()
    mine.touched = False
    if _is_told_by_address():
        link, is_first = st.query_params.to_dict(), mine.run is None
        # Going back, the browser may still be told the address of what the reader goes back from.
        mine.link = link if is_first else None
        mine.first_visit = is_first and not link
        state, mine.ignored = codec.decode(link)
        _tell(state, [name for name in PARAMETERS if said(name) != _to_control(name, state)])
    else:
        now = _chosen_state()
        state, mended = codec.settle(now)
        if "n_heads" in mended:
            rule = f"expected {mended['n_heads']}"
            mine.ignored = [Ignored("n_heads", str(now.n_heads), rule)]
        _tell(state, mended)
    mine.run, mine.chosen = run(state, mine.run), state
    # A run may be broken off by the next change; what was on the page before still counts then.
    mine.on_page, mine.drawn = mine.on_page | mine.drawn, set()
    fragments.begin()
    return mine.run


def done() -> None:
    """Say that the page is drawn to its end: these are its widgets now."""
    _address()  # the last part: the reader waits for the others
    session().on_page = session().drawn
    fragments.done()


def write() -> None:
    """Bring the address up to the controls. Sends nothing where it is, or is on its way to be."""
    link = now().link
    if link != session().link:
        session().link = link
        st.query_params.from_dict(link)


@fragments.part
def _address() -> None:
    write()
    tellings.draw()
    now().forget_trace()


def now() -> Run:
    """The state of the page and what follows from it, in a part or a callback too."""
    run_ = session().run
    assert run_ is not None, "the address is read first"
    return run_


def view() -> View:
    """What is looked at now."""
    return now().view


def touch(name: str | None = None) -> None:
    """Say that the reader changed something on the page, and by which control if by one."""
    _changed(() if name is None else (name,), name)


def _changed(names: Collection[str], control: str | None = None) -> None:
    """Note a change; where the parts can follow it, have them drawn and end the callback here."""
    mine, chosen = session(), _chosen_state()
    tellings.not_heard_yet()
    names = {*names, *now().changed(chosen)}
    same_controls = chosen.knobs == now().state.knobs
    if same_controls and fragments.can_follow(names) and not (mine.touched or mine.ignored):
        _, mended = codec.settle(chosen)
        following = run(chosen, mine.run)
        if not mended and not following.refusal:
            mine.run = following
            fragments.follow(names, controls=control is None or tellings.is_waiting())
    mine.touched, mine.ignored = True, []


def named(name: str) -> dict[str, Any]:
    """Name a widget after its parameter, and give it the value that the page remembers."""
    mine = session()
    value = _to_control(name, now().state)
    if name not in mine.on_page or name not in st.session_state:
        tellings.tell(name, value)
    else:
        tellings.tell_again(name, value)
    mine.drawn.add(name)
    return {"key": name, "on_change": partial(touch, name)}


def gone(name: str) -> None:
    """Say, in a part, that a control which it may draw is not on the page: it forgets its value."""
    session().on_page.discard(name)
    session().drawn.discard(name)


def chosen(name: str) -> Any:
    """What the reader has chosen with a control, in its callback."""
    return _chosen_state().value(name)


def put(**values: Any) -> None:
    """Set values from a callback, as if the reader had set their controls."""
    state = session().chosen = _chosen_state().but(**values)
    _tell(state, values)
    _changed(values)


def renew(name: str, options: object) -> None:
    """Give a widget its value again after its options changed, which would reset it."""
    mine = session()
    if name not in mine.options or mine.options[name] != options:
        mine.options[name] = options
        tellings.tell(name, _to_control(name, now().state))


def keep(key: str, options: list, usual: object) -> None:
    """Keep a choice that is in no link on one of its options."""
    if said(key) not in options:
        say(key, usual if usual in options else options[0])


def fall_back(name: str, to: Any, rule: str) -> None:
    """Take another value than the link's, which only the view itself could check, and say so."""
    mine, state = session(), now().state
    mine.ignored = [*mine.ignored, Ignored(name, str(state.value(name)), rule)]
    mine.chosen = state.but(**{name: to})
    mine.run = run(mine.chosen, mine.run)
    tellings.tell(name, to)
    write()


def link(state: State | None = None, limited: bool = True) -> str:
    """The address of the page as it is now, or as it is in another state."""
    page = (st.context.url or "").split("?")[0]
    return codec.address(page, now().link if state is None else codec.encode(state, limited))


def _is_told_by_address() -> bool:
    """Whether this run opens a link, or goes back or forward among those of this session."""
    context = get_script_run_ctx()
    return session().run is None or (context is not None and context.is_history_navigation)


def _to_control(name: str, state: State) -> Any:
    return PARAMETERS[name].to_control(state.value(name))


def _tell(state: State, names: Collection[str]) -> None:
    """Tell the controls that are on the page; the others are told when they are drawn.

    None is told what it says already: on its way that would cover what the reader chooses next.
    """
    for name in _on_page().intersection(names):
        value = _to_control(name, state)
        if said(name) != value or tellings.is_untold(name):
            tellings.tell(name, value)


def _on_page() -> set[str]:
    """The controls that there are, if only since a run that was broken off."""
    return session().on_page | session().drawn


def _chosen_state() -> State:
    """The state of the last run, and what the reader has chosen since.

    A widget that is not on the page forgets its value, or worse, remembers an old one.
    """
    mine, found = session(), {}
    chosen = mine.chosen
    assert chosen is not None, "the address is read first"
    for name in _on_page():
        kept = _to_control(name, chosen)
        says = tellings.chosen(name, kept)
        # A field that was emptied says nothing; what was before counts.
        if says != kept and (says is not None or name in _OPTIONAL):
            found[name] = PARAMETERS[name].from_control(says)
    if found:
        chosen = mine.chosen = chosen.but(**found)
    return chosen
