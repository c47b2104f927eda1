"""Where a word moves: its vector before and after attention, in the plane."""

from __future__ import annotations

import numpy as np
import streamlit as st

from explorer import labels
from explorer.figures.plane import plane
from explorer.lab import plane as planes
from explorer.lab.plane import Moves
from explorer.labels import number, percent
from explorer.page.lab import parts
from explorer.settings import Settings
from explorer.trace import AttentionTrace, trace
from explorer.view import View


def plane_box(settings: Settings, view: View) -> None:
    """Draw every word's move, and each word's pull on the query word."""
    parts.question("Where does attention move a word?")
    t = trace(settings)
    found = planes.moves(t, view.query)
    axes = ("feature 1", "feature 2")
    if not found.exact:
        axes = ("first principal component", "second principal component")
    figure = plane(
        found.before,
        found.after,
        t.tokens,
        focus=view.query,
        pulls=found.pulls,
        axes=axes,
    )
    said = _said(t, found, view)
    parts.picture(figure, "plane", said)
    st.caption(_legend(found, settings.qkv))
    parts.answer(said)
    parts.do_it_yourself(
        "Choose another query word: the orange arrows are the pulls on that one, and together "
        "they make its blue one.",
        "Choose the mask “causal”: the first word sees only itself and does not move.",
        "Divide by √d_k: weights become more even, and all words move closer to the middle.",
    )
    parts.code(planes.moves, planes.plane)


def _legend(found: Moves, qkv: bool) -> str:
    start = "the word’s value" if qkv else "the word’s embedding"
    shown = (
        "The plane is exact: it shows the two features themselves."
        if found.exact
        else f"The plane is made of the first two principal components of all points and shows "
        f"{percent(found.kept)} of their spread; the rest is left out."
    )
    return (
        f"Each arrow leads from {start} to its context vector. Blue: the query word’s. Orange: how "
        f"far each other word pulls it, its weight times the way there. {shown}"
    )


def _said(t: AttentionTrace, found: Moves, view: View) -> str:
    i = view.query
    word = labels.markdown(t.tokens[i], 24)
    if t.sees_nobody[i]:
        return f"“{word}” may see nobody, so its context vector is 0."
    move = float(np.linalg.norm(found.after[i] - found.before[i]))
    sizes = np.linalg.norm(found.pulls, axis=-1)
    if not sizes.any():
        return f"“{word}” stays where it was: nobody pulls."
    j = int(sizes.argmax())
    puller = labels.markdown(t.tokens[j], 24)
    spread = [float(np.ptp(side, axis=0).max()) for side in (found.before, found.after)]
    closer = (
        f" All words together shrink from {number(spread[0], 2)} across to {number(spread[1], 2)}: "
        f"an average lies inside of what it is made from."
        if spread[1] < spread[0]
        else ""
    )
    return (
        f"“{word}” moves by {number(move, 2)}, and “{puller}” (word {j + 1}) pulls hardest, by "
        f"{number(sizes[j], 2)}, with a weight of {percent(t.weights[:, i, j].mean())}."
        f"{closer}"
    )
