"""The one way in which a chart gets onto the page."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go
import streamlit as st

_CONFIG = {"displayModeBar": False, "scrollZoom": False, "doubleClick": False}


def chart(figure: go.Figure, key: str, alt: str, download: dict[str, Any] | None = None) -> None:
    """Draw a figure under its key, with a text that says in words what it shows.

    A figure that did not change is left as it is by Streamlit, so nothing that only moves a light
    belongs into it (see `bridge`). Its size is part of the figure: nothing on the page jumps.
    download: the options of a button on the chart that saves it as a picture; None has no button.
    """
    config = _CONFIG
    if download is not None:
        config = _CONFIG | {
            "displayModeBar": True,
            "modeBarButtons": [["toImage"]],
            "toImageButtonOptions": download,
        }
    wide = figure.layout.width
    st.plotly_chart(
        figure,
        key=key,
        width=int(wide) if wide else "stretch",
        height=int(figure.layout.height),
        theme="streamlit",
        config=config,
        alt=alt,
    )
