"""The controls that belong to one choice alone: they are drawn under it, while it is chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import streamlit as st

from explorer import settings as limits
from explorer.page.choose import choose, whole_number
from explorer.page.session import address
from explorer.positions import Pairs, Stretched

_PAIRS = {Pairs.NEIGHBOURS: "neighbours", Pairs.HALVES: "halves"}
_STRETCHED = {Stretched.PLACES: "places", Stretched.BASE: "base (NTK)"}


def draw(names: Iterable[str]) -> None:
    """Draw the controls of these settings."""
    for name in names:
        _KNOBS[name]()


def _pairs() -> None:
    choose(
        "pairs",
        "Rotary: which features turn together",
        Pairs,
        _PAIRS.__getitem__,
        help="Neighbours, as the paper and Meta’s Llama have it: 1 and 2, 3 and 4. Halves, as "
        "GPT-NeoX and Hugging Face have it: with four features 1 and 3, 2 and 4. Weights that "
        "were trained with the one are wrong with the other.",
    )


def _base() -> None:
    help_ = "Each pair of features turns more slowly than the one before it. A larger base makes "
    help_ += "the last pairs slower still: 10,000 in the paper, 500,000 in Llama 3."
    whole_number("base", "Rotary: base", limits.BASE, help=help_)


def _stretch() -> None:
    st.number_input(
        "Rotary: stretch",
        *limits.STRETCH,
        step=1.0,
        format="%g",
        help="For a sentence this many times as long as those that a model learned from. "
        "1 changes nothing.",
        **address.named("stretch"),
    )


def _stretched() -> None:
    choose(
        "stretched",
        "Rotary: what is stretched",
        Stretched,
        _STRETCHED.__getitem__,
        help="Places: every place is divided by the stretch. Base: the base grows, so that the "
        "slowest pair turns that many times as slowly and the fastest pair stays as it is.",
    )


_KNOBS: dict[str, Callable[[], None]] = {
    "pairs": _pairs,
    "base": _base,
    "stretch": _stretch,
    "stretched": _stretched,
}
