"""The link to the page as it is, to copy and to put into an article."""

from __future__ import annotations

import html
from pathlib import Path

import streamlit as st

from explorer.page.session import address, fragments


def copy_link() -> None:
    """Draw the button. What it copies is the address, which is kept up to the page."""
    component = st.components.v2.component(
        "copy_link",
        js=(Path(__file__).parent / "copy_link.js").read_text(),
        css=(Path(__file__).parent / "copy_link.css").read_text(),
    )
    component(key="copy_link", width="content")


def embed_snippet() -> None:
    """Show the line that puts the open view into an article, once the reader opens this."""
    box = st.popover("Embed", key="embed_box", on_change="rerun")
    if box.open:
        with box:
            _line_to_embed()


@fragments.part
def _line_to_embed() -> None:
    st.markdown("Paste this into a page. It shows the open view alone, and it can be used.")
    st.code(_snippet(address.link()), language="html", wrap_lines=True)
    st.caption(
        "The link contains the sentence."
        if "text" in address.now().link
        else "The link names the example; a sentence of your own would be in it."
    )


def _snippet(link: str) -> str:
    embedded = link + ("&" if "?" in link else "?") + "embed=true"
    return (
        f'<iframe src="{html.escape(embedded)}" width="100%" height="900" loading="lazy" '
        f'title="Self-Attention Explorer"></iframe>'
    )
