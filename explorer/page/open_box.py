"""Open a file: word vectors, arrays or a saved state, in the place of what is on the page."""

from __future__ import annotations

import numpy as np
import streamlit as st

from explorer import describe, labels
from explorer.figures import heads as all_heads
from explorer.figures.matrix import Kind, layout, matrix
from explorer.open_file import ENDINGS, Ready, opened, ready
from explorer.page.chart import chart
from explorer.page.session import address, undo
from explorer.page.session.state import said, session


def open_box() -> None:
    """Draw the place where a file is put, once the reader opens this."""
    box = st.expander("Open a file", key="open", on_change="rerun")
    if not box.open:
        return
    with box:
        count = session().n_files
        st.file_uploader(
            "A table of words and their numbers (CSV, TSV), arrays (NPY, NPZ, safetensors), or a "
            "state saved under Take home (JSON)",
            type=list(ENDINGS),
            key=f"file_{count}",
            on_change=_read,
            args=(f"file_{count}",),
        )
        problem = session().file_problem
        if problem:
            st.warning(labels.markdown(problem))
        weights = session().ready
        if weights:
            _look_at(weights)
        st.caption(
            "A table has a line for each word: the word, then its numbers; a first line of names "
            "is passed over. Arrays are named x, or q, k and v ((words, numbers), or with heads "
            "first), with tokens and visible if you have them; or attention, (heads, words, "
            "words), to look at. Undo brings back what was here."
        )


def _look_at(weights: Ready) -> None:
    """Show attention weights that were computed elsewhere."""
    st.markdown(f"**Attention from your file** · {weights.said()}")
    n_heads, n_tokens, _ = weights.weights.shape
    if n_heads > 1 and weights.weights.size <= all_heads.MOST_CELLS:
        everything = np.ones((n_tokens, n_tokens), dtype=bool)
        alt = f"The weights of all {n_heads} heads as small maps."
        chart(all_heads.heads(weights.weights, everything), "ready_heads", alt)
    address.keep("ready_head", list(range(n_heads)), 0)
    head = st.selectbox(
        "Head", list(range(n_heads)), key="ready_head", format_func=lambda h: str(h + 1), width=120
    )
    decimals = address.view().decimals
    figure = matrix(
        weights.weights[head],
        rows=weights.tokens,
        columns=weights.tokens,
        kind=Kind.WEIGHTS,
        frame=layout(weights.tokens),
        decimals=decimals,
        hover="%{y} → %{x}",
    )
    title = f"Weights of head {head + 1} from your file"
    alt = describe.pairs(title, weights.weights[head], weights.tokens, None, decimals)
    chart(figure, "ready_weights", alt)


def _read(key: str) -> None:
    """Callback: take over what the file stands for, or say why it cannot be used."""
    file, mine = said(key), session()
    mine.file_problem = None
    if file is None:
        return
    try:
        weights = ready(file.name, file.getvalue())
        state, ignored = (None, []) if weights else opened(file.name, file.getvalue())
    except ValueError as problem:
        mine.file_problem = str(problem)
        return
    # The place for the next file is a new one: this one would be offered again at every turn.
    mine.n_files += 1
    mine.ready = weights
    if state is not None:
        undo.act(**state.values())
        mine.ignored = ignored
