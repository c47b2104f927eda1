"""What stands around the views: notices, the choice of word, head and view, the link."""

from __future__ import annotations

import streamlit as st

from explorer import labels
from explorer.page import address
from explorer.page.arithmetic import word_choice
from explorer.page.copy_link import copy_link
from explorer.settings import Settings
from explorer.view import Direction, Open, View

_VIEWS = {Open.ATTENTION: "Attention", Open.COMPARE: "Compare"}

_DIRECTIONS = {
    Direction.FROM_QUERY: "from the query",
    Direction.TO_KEY: "to the key",
    Direction.ALL: "all words",
}


def notices() -> None:
    """Say what to try on a first visit, and what of a link could not be used."""
    if address.first_visit():
        st.caption(
            "Choose a query word to see what it attends to, click any number to see where it comes "
            "from, then change the sentence on the left."
        )
    ignored = address.ignored()
    if ignored:
        lines = [
            f"- {labels.markdown(part.name, 30)} = {labels.markdown(part.given, 60)} "
            f"(possible: {labels.markdown(part.rule)})"
            for part in ignored
        ]
        st.warning("Not everything could be used; the usual value stands instead.\n\n" + "\n".join(lines))


def choices(settings: Settings, view: View) -> None:
    """Choose the query word, the head and the view; they hold everywhere."""
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        if settings.tokens:
            word_choice("query", "Query word: who asks?", settings.tokens)
        if settings.n_heads > 1:
            heads = range(settings.n_heads)
            address.renew("head", heads)
            st.segmented_control(
                "Head",
                heads,
                wrap=True,
                format_func=lambda h: str(h + 1),
                required=True,
                **address.named("head"),
            )
        if settings.tokens and view.view is Open.ATTENTION:
            st.segmented_control(
                "Arrows",
                list(map(str, Direction)),
                wrap=True,
                format_func=_DIRECTIONS.get,
                required=True,
                **address.named("direction"),
            )
        with st.container(horizontal=True, width="content", vertical_alignment="bottom"):
            st.segmented_control(
                "View",
                list(map(str, Open)),
                wrap=True,
                format_func=_VIEWS.get,
                required=True,
                **address.named("view"),
            )
            copy_link()


def refusal(problem: ValueError) -> None:
    """Say in a sentence why there is nothing to draw. What was typed stays where it is."""
    st.warning(labels.markdown(str(problem)))


def nothing_yet() -> None:
    """Invite to type."""
    st.info("Type a sentence on the left. Each of its words will attend to all the others.")
