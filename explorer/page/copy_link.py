"""A button that copies the link to the page as it is."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from explorer.page import address


def copy_link() -> None:
    """Draw the button. The link is made here; the browser copies it without a trip to the server."""
    component = st.components.v2.component(
        "copy_link",
        js=(Path(__file__).parent / "copy_link.js").read_text(),
        css=(Path(__file__).parent / "copy_link.css").read_text(),
    )
    component(key="copy_link", data={"link": address.link()}, width="content")
