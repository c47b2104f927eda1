"""Open a file: word vectors, arrays or a saved state, in the place of what is on the page."""

from __future__ import annotations

import streamlit as st

from explorer import labels
from explorer.open_file import ENDINGS, opened
from explorer.page import history


def open_box() -> None:
    """Draw the place where a file is put, once the reader opens this."""
    box = st.expander("Open a file", key="open", on_change="rerun")
    if not box.open:
        return
    with box:
        count = st.session_state.get("_files", 0)
        st.file_uploader(
            "A table of words and their numbers (CSV, TSV), arrays (NPY, NPZ), or a state saved "
            "under Take home (JSON)",
            type=list(ENDINGS),
            key=f"file_{count}",
            on_change=_read,
            args=(f"file_{count}",),
        )
        problem = st.session_state.get("_file_problem")
        if problem:
            st.warning(labels.markdown(problem))
        st.caption(
            "A table has a line for each word: the word, then its numbers; a first line of names "
            "is passed over. Arrays are named x, or q, k and v ((words, numbers), or with heads "
            "first), with tokens and visible if you have them. Undo brings back what was here."
        )


def _read(key: str) -> None:
    """Callback: take over what the file stands for, or say why it cannot be used."""
    file = st.session_state[key]
    st.session_state["_file_problem"] = None
    if file is None:
        return
    try:
        values, ignored = opened(file.name, file.getvalue())
    except ValueError as problem:
        st.session_state["_file_problem"] = str(problem)
        return
    # The place for the next file is a new one: this one would be offered again at every turn.
    st.session_state["_files"] = st.session_state.get("_files", 0) + 1
    history.act(**values)
    st.session_state["_ignored"] = ignored
