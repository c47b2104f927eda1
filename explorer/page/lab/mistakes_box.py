"""The usual mistakes, each next to the right way."""

from __future__ import annotations

import inspect

import numpy as np
import streamlit as st

from explorer.attention import hide, softmax
from explorer.figures.matrix import largest
from explorer.lab import mistakes
from explorer.lab.mistakes import Mistake, Outcome
from explorer.page.choose import choose
from explorer.page.lab import parts
from explorer.page.lab.parts import Map
from explorer.settings import Settings
from explorer.trace import trace
from explorer.view import View

_TITLES = {
    Mistake.AXIS: "Softmax over the wrong axis",
    Mistake.MASK_AFTER: "Mask after the softmax",
    Mistake.MASK_ZERO: "Mask by 0 instead of −∞",
    Mistake.MASK_TINY: "Mask by −1e-9 instead of −1e9",
    Mistake.POLARITY: "Mask upside down: True taken for “hidden”",
    Mistake.PADDING_QUERIES: "Padding hidden as queries, not as keys",
    Mistake.CAUSAL_STRICT: "Causal mask without the word itself",
    Mistake.CAUSAL_SHIFTED: "Causal mask with one word too many",
    Mistake.DIVIDE_D: "Divide by d_k instead of its root",
    Mistake.TIMES_ROOT: "Multiply by the root of d_k",
    Mistake.ROOT_D_MODEL: "Root of d_model instead of d_k",
    Mistake.ROOT_HEADS: "Root of the number of heads instead of d_k",
    Mistake.SPLIT: "Split heads without the transpose",
    Mistake.MERGE: "Merge heads without the transpose",
    Mistake.OVERFLOW: "exp without subtracting the maximum",
    Mistake.TWICE: "Softmax twice",
    Mistake.AVERAGE: "Average of heads taken for attention",
}


def mistakes_box(settings: Settings, view: View) -> None:
    """Draw what is right and what comes of one mistake, on this page's numbers."""
    parts.question("What happens if I get one step wrong?")
    choose("lab_mistake", "Mistake", Mistake, _TITLES.__getitem__, as_list=True, width=420)
    t = trace(settings)
    found = mistakes.outcome(view.lab_mistake, t, view.head or 0)
    parts.answer(found.breaks)
    st.caption(found.note)
    parts.maps("mistake", _maps(found, t.tokens, view.decimals))
    right, wrong = found.lines
    if right is wrong:
        parts.do_it_yourself(*_steps(view.lab_mistake))
        parts.code(right, softmax)
        return
    st.markdown("**The line that is wrong**")
    st.code(inspect.getsource(wrong), language="python")
    parts.do_it_yourself(*_steps(view.lab_mistake))
    parts.code(right, softmax, hide)


def _maps(found: Outcome, tokens: tuple[str, ...], decimals: int) -> list[Map]:
    both = np.concatenate([found.right.ravel(), found.wrong.ravel()])
    end = largest(both)
    hidden = None if found.visible is None else ~found.visible
    columns: list[tuple[str, ...] | None] = [None, None]
    if not found.pairs:
        columns = [parts.features(side.shape[1]) for side in (found.right, found.wrong)]
    return [
        Map(
            key=f"mistake_{name}",
            title=title,
            numbers=numbers,
            rows=tokens,
            columns=names,
            weights=found.pairs,
            bound=end,
            # What should be hidden is hidden on the right side only: on the other it is the point.
            hidden=hidden if name == "right" else None,
            decimals=decimals,
            sums=found.pairs,
        )
        for name, title, numbers, names in (
            ("right", "Right", found.right, columns[0]),
            ("wrong", "Wrong", found.wrong, columns[1]),
        )
    ]


def _steps(mistake: Mistake) -> tuple[str, ...]:
    masks = "Choose masks in the sidebar: the mistake is made with them instead of a causal one."
    heads = "Choose several heads in the sidebar under “More”: the mistake is made with those."
    return {
        Mistake.AXIS: (
            "Add up a row of “Wrong” and then a column: which of the two sums to 1?",
            "Change the scaling in the sidebar: the columns still sum to 1.",
        ),
        Mistake.MASK_AFTER: (
            masks,
            "Divide a row of “Wrong” by its sum: now it is the row of “Right”.",
        ),
        Mistake.MASK_ZERO: (
            masks,
            "Look for a score below 0: its word now gets less than a hidden one.",
        ),
        Mistake.MASK_TINY: (
            masks,
            "Open “Softmax” in the view Attention: the weights of “Wrong” "
            "are those without a mask.",
        ),
        Mistake.POLARITY: (masks, "Compare the empty cells of “Right” with the 0s of “Wrong”."),
        Mistake.PADDING_QUERIES: (
            "Choose the mask “padding” in the sidebar and look at the view Attention: the column "
            "of the last word is hidden, its row is not.",
        ),
        Mistake.CAUSAL_STRICT: ("Count the words that each row of “Wrong” sees: 0, 1, 2, …",),
        Mistake.CAUSAL_SHIFTED: ("Count the words that each row of “Wrong” sees: 2, 3, 4, …",),
        Mistake.DIVIDE_D: ("Move the dimension in the sidebar: the larger it is, the more even.",),
        Mistake.TIMES_ROOT: ("Move the dimension in the sidebar: the larger, the more uneven.",),
        Mistake.ROOT_D_MODEL: (heads,),
        Mistake.ROOT_HEADS: (heads, "With as many heads as features of a head, nobody notices."),
        Mistake.SPLIT: (heads, "Find the first word’s numbers again in “Wrong”."),
        Mistake.MERGE: (heads, "Find the first word’s numbers again in “Wrong”."),
        Mistake.OVERFLOW: ("Find the rows with NaN: is there a score beyond 88 in each?",),
        Mistake.TWICE: ("Write a longer sentence: the rows become still more even.",),
        Mistake.AVERAGE: (heads,),
    }[mistake]
