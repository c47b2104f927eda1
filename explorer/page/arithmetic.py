"""The arithmetic behind the picked cell, with the actual numbers."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from explorer import labels, share, trail
from explorer.page import address, change_box, latex, panel, parts
from explorer.settings import Mask, Settings
from explorer.trace import AttentionTrace, trace
from explorer.view import PAIRS, Step, View, n_features, openable

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
        _picked_number(settings)


@parts.part(follows={"step"})
def _cell_choice(settings: Settings) -> None:
    view = address.view()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        here = openable(settings, view.head)
        address.renew("step", here)
        st.segmented_control(
            "Step",
            list(map(str, here)),
            wrap=True,
            format_func=panel.NAMES.__getitem__,
            required=True,
            **address.named("step"),
        )
        if view.step in PAIRS:
            word_choice("key", "Key word: who answers?", settings.tokens)
            address.gone("feature")
        else:
            _feature_choice(settings, view)
            address.gone("key")


@parts.part
def _picked_number(settings: Settings) -> None:
    t, view = trace(settings), address.view()
    heading = panel.heading(t, view)
    st.markdown(f"**{heading[0].upper()}{heading[1:]}**")
    folded = panel.n_terms(t, settings, view) > latex.FOLD
    largest_first = folded and st.session_state.get("largest_first", False)
    _say(
        panel.content(
            t, settings, view, largest_first=largest_first, typed=_is_typed(settings, view)
        )
    )
    _change_here(t, settings, view)
    if folded:
        st.toggle("Largest terms first", key="largest_first", on_change=address.touch)
    _walk(t, settings, view)


def _say(content: panel.Content) -> None:
    for part in content:
        match part:
            case panel.Formula():
                st.latex(part.latex)
            case panel.Sentence():
                st.markdown(part.markdown)
            case panel.Aside():
                with st.popover(part.title, type="tertiary"):
                    _say(part.parts)


def _is_typed(settings: Settings, view: View) -> bool:
    """Whether the open number is one that the reader typed."""
    return view.step is Step.EMBEDDINGS and share.is_typed(
        st.session_state["_values"], "x", view.query, view.feature
    )


def _change_here(t: AttentionTrace, settings: Settings, view: View) -> None:
    """Change what can be changed at the very cell that is open: a given number, a tick."""
    if view.step is Step.EMBEDDINGS:
        _change_cell(t, view)
    elif view.step is Step.MASKED and Mask.CUSTOM in settings.mask:
        i, j = view.query, view.key
        asks, answers = (f"“{labels.markdown(t.tokens[n])}”" for n in (i, j))
        st.button(
            f"Hide {answers} from {asks}" if t.visible[i, j] else f"Let {asks} see {answers}",
            help="In the custom mask; what the other masks hide stays hidden.",
            on_click=change_box.tick,
            args=(i, j),
        )


def _change_cell(t: AttentionTrace, view: View) -> None:
    """Type another number into the very cell that is open."""
    i, c = view.query, view.feature
    key = f"cell_{i}_{c}_{labels.exact(t.x[i, c])}"
    st.text_input(
        "Change it to",
        key=key,
        width=160,
        placeholder=labels.exact(t.x[i, c]),
        on_change=lambda: change_box.change_cell("x", i, c, st.session_state[key]),
    )
    for problem in change_box.refused():
        st.warning(labels.markdown(problem))


def _walk(t: AttentionTrace, settings: Settings, view: View) -> None:
    """Go on to a number that this one is made of, or to one that it feeds."""
    ways = (("Made of", trail.made_of(settings, view)), ("Feeds", trail.feeds(settings, view)))
    with st.container(horizontal=True, vertical_alignment="center"):
        for name, places in ways:
            if places:
                st.markdown(f":small[{name}]", width="content")
            for n, place in enumerate(places):
                there = replace(view, **place)
                st.button(
                    panel.heading(t, there),
                    key=f"{name}_{n}",
                    type="tertiary",
                    on_click=address.put,
                    kwargs={key: _code(value) for key, value in place.items()},
                )


def _code(value: object) -> object:
    return str(value) if isinstance(value, Step) else value


def _feature_choice(settings: Settings, view: View) -> None:
    width = n_features(settings, view.step)
    address.renew("feature", width)
    st.selectbox(
        "Feature",
        range(width),
        format_func=lambda c: str(c + 1),
        width=120,
        **address.named("feature"),
    )
