"""Every matrix as a table: for those who cannot see the picture, or want to copy the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from explorer import describe, labels
from explorer.attention import Array
from explorer.export import markdown_table
from explorer.page.choose import choose_here
from explorer.page.session import address

_MOST_COLUMNS = 16
"""Up to here a plain table, which every reader of a screen knows; beyond, a grid that scrolls."""


@dataclass(frozen=True, eq=False, slots=True)
class Matrix:
    """Numbers with the names of their rows and columns."""

    name: str
    numbers: Array
    rows: Sequence[str]
    columns: Sequence[str]


def tables(matrices: Sequence[Matrix]) -> None:
    """Show one of the matrices as a table, once the reader opens this."""
    box = st.expander("Read the numbers as tables", key="tables", on_change="rerun")
    if not box.open:
        return
    with box:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            names = [matrix.name for matrix in matrices]
            name = choose_here("table", "Matrix", names, "Weights A", width=260)
            exact = st.toggle("Full precision", key="full_precision")
        matrix = matrices[names.index(name)]
        if len(matrix.columns) <= _MOST_COLUMNS:
            st.markdown(_markdown(matrix, exact))
        else:
            _grid(matrix, exact)


def _markdown(matrix: Matrix, exact: bool) -> str:
    decimals = address.view().decimals
    corner = "word" if matrix.rows != _numbered(len(matrix.rows)) else "row"
    rows = (
        [f"**{name}**", *(labels.exact(n) if exact else labels.number(n, decimals) for n in row)]
        for name, row in zip(_names(matrix.rows), matrix.numbers, strict=True)
    )
    return markdown_table([corner, *_names(matrix.columns)], rows)


def _grid(matrix: Matrix, exact: bool) -> None:
    import pandas as pd  # here, because no page needs it until a grid is shown

    decimals = 17 if exact else address.view().decimals
    # The grid refuses two columns of one name: words carry their position.
    columns = [f"{c} {labels.shown(name, 24)}" for c, name in enumerate(matrix.columns, start=1)]
    rows = [f"{r} {labels.shown(name, 24)}" for r, name in enumerate(matrix.rows, start=1)]
    frame = pd.DataFrame(matrix.numbers, index=pd.Index(rows, name="row"), columns=columns)
    st.dataframe(
        frame,
        column_config={
            name: st.column_config.NumberColumn(format=f"%.{decimals}f") for name in columns
        },
    )


def _names(names: Sequence[str]) -> list[str]:
    return [labels.markdown(describe.word(names, n)) for n in range(len(names))]


def _numbered(count: int) -> tuple[str, ...]:
    return tuple(str(n) for n in range(1, count + 1))
