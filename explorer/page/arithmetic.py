"""The arithmetic behind the picked cell, with the actual numbers."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from explorer import labels
from explorer.link.experiment import is_typed
from explorer.page import change_box
from explorer.page.session import address, fragments
from explorer.page.session.state import said
from explorer.rendering import latex
from explorer.rendering.panel import Panel, heading, panel
from explorer.settings import Mask, Settings
from explorer.trace import AttentionTrace
from explorer.view import View
from explorer.walks import feeds, made_of, n_features, openable, step_of

_MOST_BUTTONS = 16


def word_choice(name: str, label: str, tokens: tuple[str, ...]) -> None:
    """Choose a word by mouse or keyboard: buttons, or a list to search when there are many.

    Words carry their position, counted from 1: it tells apart words that come twice.
    """
    address.renew(name, tokens)
    places = range(len(tokens))
    if len(tokens) <= _MOST_BUTTONS:
        st.segmented_control(
            label,
            places,
            wrap=True,
            format_func=lambda n: f"{labels.markdown(tokens[n], 16)} :small[{n + 1}]",
            required=True,
            **address.named(name),
        )
    else:
        st.selectbox(
            label,
            places,
            format_func=lambda n: f"{n + 1}  {labels.shown(tokens[n], 60)}",
            **address.named(name),
        )


def arithmetic(settings: Settings) -> None:
    """Show where the picked number comes from, and let the keyboard pick another."""
    with st.container(border=True, key="arithmetic"):
        st.markdown("**Where a number comes from**")
        _cell_choice(settings)
        _picked_number()


@fragments.part(follows={"step"} | fragments.NUMBERS, has_controls=True)
def _cell_choice(settings: Settings) -> None:
    t, view = address.now().trace, address.view()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        here = openable(t, view.head)
        names = {step.name: step.matrix.cell for step in t.steps}
        address.renew("step", here)
        st.segmented_control(
            "Step",
            here,
            wrap=True,
            format_func=names.__getitem__,
            required=True,
            **address.named("step"),
        )
        step = step_of(t, view.step, view.head)
        if step is not None and step.matrix.is_pairs:
            word_choice("key", "Key word: who answers?", settings.tokens)
            address.gone("feature")
        else:
            _feature_choice(n_features(t, view.step))
            address.gone("key")


@fragments.part
def _picked_number() -> None:
    run = address.now()
    t, view = run.trace, run.view
    title = heading(t, view)
    st.markdown(f"**{title[0].upper()}{title[1:]}**")
    typed = view.step == "embeddings" and is_typed(run.state, "x", view.query, view.feature)
    answer = panel(t, view, said("largest_first", False), typed)
    _draw(answer)
    if answer.is_given:
        _change_here(t, view)
    if view.step == "masked" and Mask.CUSTOM in run.settings.mask:
        _tick(t, view)
    if answer.n_terms > latex.FOLD:
        st.toggle("Largest terms first", key="largest_first", on_change=address.touch)
    _walk(t, view)


def _draw(answer: Panel) -> None:
    if answer.said:
        st.markdown(answer.said)
    if answer.formula:
        st.latex(answer.formula)
    if answer.aside:
        sentence, formula = answer.aside
        with st.popover("As the computer does it", type="tertiary"):
            st.markdown(sentence)
            st.latex(formula)


def _walk(t: AttentionTrace, view: View) -> None:
    """Go on to a number that this one is made of, or to one that it feeds."""
    ways = (("Made of", made_of(t, view)), ("Feeds", feeds(t, view)))
    with st.container(horizontal=True, vertical_alignment="center"):
        for name, places in ways:
            if places:
                st.markdown(f":small[{name}]", width="content")
            for n, place in enumerate(places):
                there = replace(view, **place)
                st.button(
                    heading(t, there),
                    key=f"{name}_{n}",
                    type="tertiary",
                    on_click=address.put,
                    kwargs=place,
                )


def _feature_choice(width: int) -> None:
    address.renew("feature", width)
    st.selectbox(
        "Feature",
        range(width),
        format_func=lambda c: str(c + 1),
        width=120,
        **address.named("feature"),
    )


def _tick(t: AttentionTrace, view: View) -> None:
    """Hide or show the opened cell in the custom mask."""
    i, j = view.query, view.key
    asks, answers = (f"“{labels.markdown(t.tokens[n])}”" for n in (i, j))
    st.button(
        f"Hide {answers} from {asks}" if t.visible[i, j] else f"Let {asks} see {answers}",
        help="In the custom mask; what the other masks hide stays hidden.",
        on_click=change_box.tick,
        args=(i, j),
    )


def _change_here(t: AttentionTrace, view: View) -> None:
    """Type another number into the very cell that is open."""
    i, c = view.query, view.feature
    key = f"cell_{i}_{c}_{labels.exact(t.x[i, c])}"
    st.text_input(
        "Change it to",
        key=key,
        width=160,
        placeholder=labels.exact(t.x[i, c]),
        on_change=lambda: change_box.change_cell("x", i, c, said(key)),
    )
    for problem in change_box.refused():
        st.warning(labels.markdown(problem))
