"""What stands around the views: notices, the choice of word, head and view, the link."""

from __future__ import annotations

import streamlit as st

from explorer import labels
from explorer.link.parameters import MEAN
from explorer.link.run import Run
from explorer.page import moved
from explorer.page.arithmetic import word_choice
from explorer.page.choose import choose
from explorer.page.copy_link import copy_link, embed_snippet
from explorer.page.session import address, fragments
from explorer.page.session.state import session
from explorer.settings import Settings
from explorer.view import Direction, Open, View

MOST_NAMED = 10
"""Things that a notice names; of more, how many."""
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
    if session().first_visit and view.view is Open.ATTENTION:
        st.caption(
            "Choose a query word to see what it attends to, click any number to see where it comes "
            "from, then change the sentence in the sidebar."
        )
    if session().ignored:
        lines = [
            f"- {labels.markdown(part.name, 30)} = {labels.markdown(part.given, 60)} "
            f"({labels.markdown(part.rule)})"
            for part in session().ignored[:MOST_NAMED]
        ]
        if len(session().ignored) > MOST_NAMED:
            lines.append(f"- and {len(session().ignored) - MOST_NAMED:,} more")
        st.warning("Not everything could be used:\n\n" + "\n".join(lines))


def choices(run: Run) -> None:
    """Choose the query word and the view, which hold everywhere, and what of it is shown."""
    settings, view = run.settings, run.view
    model = view.view is Open.MODEL  # it has other tokens and other heads, and chooses among them
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        if settings.tokens and not model:
            _query_choice(settings)
        if settings.n_heads > 1 and not model:
            _head_choice(settings.n_heads)
        if settings.tokens and (model or view.view is Open.ATTENTION):
            choose("direction", "Arrows", Direction, _DIRECTIONS.__getitem__)
            if not (st.context.is_embedded or model):
                moved.switch(run.state)
    if not st.context.is_embedded:
        with st.container(
            horizontal=True,
            vertical_alignment="bottom",
            horizontal_alignment="distribute",
            key="share",
        ):
            choose(
                "view", "View", Open, _VIEWS.__getitem__, wrap=True, label_visibility="collapsed"
            )
            with st.container(horizontal=True, width="content"):
                copy_link()
                embed_snippet()


@fragments.part(follows=set(), has_controls=True)
def _query_choice(settings: Settings) -> None:
    word_choice("query", "Query word: who asks?", settings.tokens)


def _head_choice(n_heads: int) -> None:
    options = [*range(n_heads), MEAN]
    address.renew("head", options)

    def name(head: int | str) -> str:
        return "average" if head == MEAN else str(int(head) + 1)

    choose("head", "Head", options, name, as_list=n_heads > 8, wrap=True, width=130)


def refusal(problem: ValueError) -> None:
    """Say in a sentence why there is nothing to draw. What was typed stays where it is."""
    st.warning(labels.markdown(str(problem)))


def nothing_yet() -> None:
    """Invite to type."""
    st.info("Type a sentence in the sidebar. Each of its words will attend to all of them.")
