"""What stands around the views: notices, the choice of word, head and view, the link."""

from __future__ import annotations

import streamlit as st

from explorer import labels, share
from explorer.page import address, moved, parts
from explorer.page.arithmetic import word_choice
from explorer.page.copy_link import copy_link, embed_snippet
from explorer.settings import Settings
from explorer.share import Values
from explorer.view import Direction, Open, View

_VIEWS = {
    Open.ATTENTION: "Attention",
    Open.COMPARE: "Compare",
    Open.LAB: "Lab",
    Open.MODEL: "Real model",
    Open.HOME: "Take home",
    Open.PRESENT: "Present",
}

_DIRECTIONS = {
    Direction.FROM_QUERY: "from the query",
    Direction.TO_KEY: "to the key",
    Direction.ALL: "all words",
}


def notices(view: View) -> None:
    """Say what to try on a first visit, and what of a link could not be used."""
    if address.first_visit() and view.view is Open.ATTENTION:
        st.caption(
            "Choose a query word to see what it attends to, click any number to see where it comes "
            "from, then change the sentence in the sidebar."
        )
    ignored = address.ignored()
    if ignored:
        lines = [
            f"- {labels.markdown(part.name, 30)} = {labels.markdown(part.given, 60)} "
            f"({labels.markdown(part.rule)})"
            for part in ignored
        ]
        st.warning("Not everything could be used:\n\n" + "\n".join(lines))


def choices(settings: Settings, view: View, values: Values) -> None:
    """Choose the query word and the view, which hold everywhere, and what of it is shown."""
    model = view.view is Open.MODEL  # it has other tokens and other heads, and chooses among them
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        if settings.tokens and not model:
            _query_choice(settings)
        if settings.n_heads > 1 and not model:
            _head_choice(settings.n_heads)
        if settings.tokens and (model or view.view is Open.ATTENTION):
            st.segmented_control(
                "Arrows",
                list(map(str, Direction)),
                format_func=_DIRECTIONS.__getitem__,
                required=True,
                **address.named("direction"),
            )
            if not (st.context.is_embedded or model):
                moved.switch(values)
    if not st.context.is_embedded:
        with st.container(
            horizontal=True,
            vertical_alignment="bottom",
            horizontal_alignment="distribute",
            key="share",
        ):
            st.segmented_control(
                "View",
                list(map(str, Open)),
                wrap=True,
                format_func=_VIEWS.__getitem__,
                required=True,
                label_visibility="collapsed",
                **address.named("view"),
            )
            with st.container(horizontal=True, width="content"):
                copy_link()
                embed_snippet()


@parts.part(follows=set())
def _query_choice(settings: Settings) -> None:
    word_choice("query", "Query word: who asks?", settings.tokens)


def _head_choice(n_heads: int) -> None:
    options = [*range(n_heads), share.MEAN]
    address.renew("head", options)

    def name(head: int | str) -> str:
        return "average" if head == share.MEAN else str(int(head) + 1)

    if n_heads <= 8:
        st.segmented_control(
            "Head", options, wrap=True, format_func=name, required=True, **address.named("head")
        )
    else:
        st.selectbox("Head", options, format_func=name, width=130, **address.named("head"))


def refusal(problem: ValueError) -> None:
    """Say in a sentence why there is nothing to draw. What was typed stays where it is."""
    st.warning(labels.markdown(str(problem)))


def nothing_yet() -> None:
    """Invite to type."""
    st.info("Type a sentence in the sidebar. Each of its words will attend to all of them.")
