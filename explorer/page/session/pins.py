"""The pinned state: another one that the present one is compared with."""

from __future__ import annotations

from explorer.link import codec
from explorer.link.run import Run, run
from explorer.link.state import experiment_of
from explorer.page.session import address


def pinned() -> Run | None:
    """The run of the pinned state; None where nothing is pinned."""
    state = codec.pinned(address.now().state.pin)
    return None if state is None else run(state)


def pin() -> None:
    """Callback: keep the present state, to compare what comes next with it."""
    address.put(pin=codec.pin_of(address.now().state))


def unpin() -> None:
    """Callback: forget it."""
    address.put(pin=None)


def swap() -> None:
    """Callback: make the pinned state the present one, with its query, and pin this one."""
    state = address.now().state
    pinned = codec.pinned(state.pin)
    assert pinned is not None, "the button stands only beside a pinned state"
    query = pinned.view.query
    address.put(**experiment_of(pinned), query=query, pin=codec.pin_of(state))
