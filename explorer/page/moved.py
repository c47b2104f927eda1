"""What moved: the change of every number against another state of the page."""

from __future__ import annotations

import numpy as np
import streamlit as st

from explorer import labels, share
from explorer.attention import Array
from explorer.examples import EXAMPLES
from explorer.page import address
from explorer.share import Values
from explorer.trace import AttentionTrace, trace

_SMALLEST = 5e-4  # a change that is written as 0.0 %


def switch(values: Values) -> None:
    """Turn it on, and choose what is compared with."""
    st.toggle(
        "What moved",
        help="Shows beside each matrix by how much its numbers differ from the example’s own "
        "state, or from a state that you pinned.",
        **address.named("moved"),
    )
    if not values["moved"]:
        return
    if values[share.PIN] is not None:
        st.button("Unpin", on_click=unpin, help="Compare with the example’s own state again.")
    st.button(
        "Pin this state",
        on_click=pin,
        help="Compare what comes next with the page as it is now.",
    )


def baseline(values: Values, t: AttentionTrace) -> AttentionTrace | None:
    """The state that is compared with; None where it is switched off or has other words."""
    if not values["moved"]:
        return None
    pinned = share.pinned(values)
    if pinned is None and values["example"] not in EXAMPLES:
        st.caption("What moved: pin this state, and what you change next is compared with it.")
        return None
    try:
        before = trace(share.experiment(pinned or share.defaults(values["example"])))
    except ValueError:
        return None
    what = "the pinned state" if pinned else "the example’s own state"
    if len(before.tokens) != len(t.tokens):
        st.caption(
            f"What moved: {what} has {len(before.tokens)} words, so there is nothing to compare "
            f"word by word."
        )
        return None
    st.caption(f"What moved, against {what}: {_largest(before, t)}")
    return before


def change(before: Array | None, now: Array | None) -> Array | None:
    """Now less before, NaN where either is hidden; None where the sizes differ."""
    if before is None or now is None or before.shape != now.shape:
        return None
    with np.errstate(invalid="ignore"):
        difference = now - before
    return np.where(np.isfinite(before) & np.isfinite(now), difference, np.nan)


def _largest(before: AttentionTrace, now: AttentionTrace) -> str:
    """Say which share of attention changed most."""
    if before.n_heads != now.n_heads:
        return "the number of heads is another."
    difference = np.nan_to_num(now.weights - before.weights)
    h, i, j = np.unravel_index(np.abs(difference).argmax(), difference.shape)
    if abs(difference[h, i, j]) < _SMALLEST:
        return "no weight moved."
    asks, answers = (labels.markdown(now.tokens[n], 24) for n in (i, j))
    where = f" in head {h + 1}" if now.n_heads > 1 else ""
    share_now, share_before = (labels.percent(t.weights[h, i, j]) for t in (now, before))
    return (
        f"the largest change of a weight: “{answers}” now gets {share_now} of “{asks}”{where}, "
        f"{share_before} before."
    )


def pin() -> None:
    """Callback: keep the present state, to compare what comes next with it."""
    address.put(pin=share.pin_of(st.session_state["_values"]))


def unpin() -> None:
    """Callback: forget it."""
    address.put(pin=None)


def swap() -> None:
    """Callback: make the pinned state the present one, and pin this one."""
    values = st.session_state["_values"]
    pinned = share.pinned(values)
    assert pinned is not None, "the button stands only beside a pinned state"
    before = share.experiment_of(pinned)
    address.put(**before, pin=share.pin_of(values))
