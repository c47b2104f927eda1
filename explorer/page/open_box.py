"""Open a file: word vectors, arrays or a saved state, in the place of what is on the page."""

from __future__ import annotations

import numpy as np
import streamlit as st

from explorer import describe, labels
from explorer.figures import heads as all_heads
from explorer.figures.matrix import Kind, layout, matrix
from explorer.files.opening import Reading, opened
from explorer.files.ready import Ready
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
            "A table of words and their numbers (CSV, TSV, word vectors as TXT or VEC), arrays "
            "(NPY, NPZ, safetensors, JSON), or what you took home from here (JSON, NPZ, PY)",
            key=f"file_{count}",
            on_change=_read,
            args=(f"file_{count}",),
        )
        if session().file_problem:
            st.warning(labels.markdown(session().file_problem or ""))
        _what_was_made_of_it()
        st.caption(
            "A table has a line for each word: the word, then its numbers. Arrays are named x, or "
            "q, k and v, with tokens and a mask if you have them; or attention, to look at. Undo "
            "brings back what was here."
        )


def _what_was_made_of_it() -> None:
    """Say what the last file was taken for, and offer what else it may be."""
    brought = session().brought
    if brought is None:
        return
    found = brought[2]
    if found.notes:
        st.info(labels.markdown(" ".join(found.notes)))
    for other in found.others:
        st.button(f"Take it for {other}", key=f"other_{other.name}", on_click=_take, args=(other,))
    if found.ready:
        _look_at(found.ready)


def _from_1(n: int) -> str:
    return str(n + 1)


def _look_at(weights: Ready) -> None:
    """Show attention weights that were computed elsewhere."""
    n_layers, n_heads, n_tokens, _ = weights.layers.shape
    address.keep("ready_layer", list(range(n_layers)), 0)
    layer = 0
    if n_layers > 1:
        layer = st.selectbox("Layer", list(range(n_layers)), key="ready_layer", format_func=_from_1)
    here = weights.layers[layer]
    st.markdown(f"**Attention from your file** · {weights.said(layer)}")
    if n_heads > 1 and here.size <= all_heads.MOST_CELLS:
        everything = np.ones((n_tokens, n_tokens), dtype=bool)
        alt = f"The weights of all {n_heads} heads as small maps."
        chart(all_heads.heads(here, everything), "ready_heads", alt)
    address.keep("ready_head", list(range(n_heads)), 0)
    head = st.selectbox(
        "Head", list(range(n_heads)), key="ready_head", format_func=_from_1, width=120
    )
    decimals = address.view().decimals
    figure = matrix(
        here[head],
        rows=weights.tokens,
        columns=weights.tokens,
        kind=Kind.WEIGHTS,
        frame=layout(weights.tokens),
        decimals=decimals,
        hover="%{y} → %{x}",
    )
    title = f"Weights of head {head + 1} from your file"
    alt = describe.pairs(title, here[head], weights.tokens, None, decimals)
    chart(figure, "ready_weights", alt)


def _read(key: str) -> None:
    """Callback: take over what the file stands for, or say why it cannot be used."""
    file = said(key)
    session().file_problem = None
    if file is not None and _open(file.name, file.getvalue()):
        # The place for the next file is a new one: this one would be offered again at every turn.
        session().n_files += 1


def _take(other: Reading) -> None:
    """Callback: take the last file for something else."""
    brought, session().file_problem = session().brought, None
    if brought is not None:
        _open(brought[0], brought[1], other)


def _open(name: str, data: bytes, wish: Reading | None = None) -> bool:
    mine = session()
    try:
        found = opened(name, data, wish)
    except ValueError as problem:
        mine.file_problem = str(problem)
        return False
    mine.brought = name, data if found.others else b"", found
    if found.state is not None:
        undo.act(**found.state.values())
        mine.ignored = list(found.ignored)
    return True
