"""A number of a matrix that is given: what it is, what it feeds, and another in its place."""

from __future__ import annotations

import streamlit as st

from explorer import labels
from explorer.link.experiment import is_typed
from explorer.page import change_box
from explorer.page.session import address
from explorer.page.session.state import said, session
from explorer.trace import AttentionTrace
from explorer.view import View
from explorer.walks import step_of

_FEEDS = {"w_q": "queries", "w_k": "keys", "w_v": "values", "w_o": "output"}


def show(step: str, row: int, column: int) -> None:
    """Callback: open this number. Which one is open is in no link: nothing is computed there."""
    address.touch()
    session().given_cell = (step, row, column)


def close() -> None:
    """Callback: put the number away again."""
    if session().given_cell:
        session().given_cell = None
        address.touch()


def opened(t: AttentionTrace, view: View) -> tuple[str, int, int] | None:
    """The number that is open, if its matrix is still there and as large."""
    found = session().given_cell
    if found is None:
        return None
    name, row, column = found
    step = step_of(t, name, view.head)
    if step is None or not step.matrix.is_learned:
        return None
    n_rows, n_columns = t.arrays[step.name].shape
    return found if row < n_rows and column < n_columns else None


def panel(number: float, name: str, row: int, column: int) -> None:
    """Say where the number comes from and what it feeds, and take another one."""
    typed = is_typed(address.now().state, name, row, column)
    source = (
        "what you typed"
        if typed
        else "given: nothing before it is computed. In a trained model it would be learned"
    )
    key = f"given_{name}_{row}_{column}_{labels.exact(number)}"
    with st.container(border=True, key="given_cell"):
        st.markdown(
            f"**Matrix {labels.markdown(name.upper())}** · row {row + 1}, column {column + 1}: "
            f"**{labels.exact(number)}** is {source}. It feeds the {_FEEDS[name]} of every word, "
            f"where feature {row + 1} is multiplied by it."
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input(
                "Change it to",
                key=key,
                width=160,
                placeholder=labels.exact(number),
                on_change=lambda: change_box.change_cell(name, row, column, said(key)),
            )
            st.button("Close", key="close_given", on_click=close)
        for problem in change_box.refused():
            st.warning(labels.markdown(problem))
