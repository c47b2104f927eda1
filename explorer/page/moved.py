"""What moved: the change of every number against another state of the page."""

from __future__ import annotations

import numpy as np
import streamlit as st

from explorer import labels
from explorer.attention import Array
from explorer.examples import EXAMPLES
from explorer.link.run import Run, run
from explorer.link.state import State, defaults
from explorer.page.session import address, pins
from explorer.trace import AttentionTrace

_SMALLEST = 5e-4  # a change that is written as 0.0 %


def switch(state: State) -> None:
    """Turn it on, and choose what is compared with."""
    st.toggle(
        "What moved",
        help="Shows beside each matrix by how much its numbers differ from the example’s own "
        "state, or from a state that you pinned.",
        **address.named("moved"),
    )
    if not state.view.moved:
        return
    if state.pin is not None:
        st.button("Unpin", on_click=pins.unpin, help="Compare with the example’s own state again.")
    st.button(
        "Pin this state",
        on_click=pins.pin,
        help="Compare what comes next with the page as it is now.",
    )


def baseline(now: Run) -> AttentionTrace | None:
    """The state that is compared with; None where it is switched off or has other words."""
    if not now.view.moved:
        return None
    t, pinned = now.trace, pins.pinned()
    if pinned is None and now.state.example not in EXAMPLES:
        st.caption("What moved: pin this state, and what you change next is compared with it.")
        return None
    before = (pinned or run(defaults(now.state.example))).trace
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
