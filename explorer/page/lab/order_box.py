"""Does the order of the words matter: the same words put differently."""

from __future__ import annotations

import numpy as np
import streamlit as st

from explorer import labels
from explorer.examples import OWN
from explorer.figures.matrix import largest
from explorer.lab import order
from explorer.lab.order import Order, Reordered
from explorer.labels import number
from explorer.page.choose import choose, whole_number
from explorer.page.lab import parts
from explorer.page.lab.parts import MOST_WORDS, Map
from explorer.page.session import undo
from explorer.positions import sinusoidal
from explorer.settings import SEED, Settings
from explorer.trace import AttentionTrace, trace
from explorer.view import View

_ORDERS = {
    Order.REVERSED: "reversed",
    Order.SWAPPED: "query and key word swapped",
    Order.SHUFFLED: "shuffled",
}
_DOG = "dog bites man"


def order_box(settings: Settings, view: View) -> None:
    """Attend in two orders, without positions and with them, and subtract."""
    parts.question("Does attention know the order of the words?")
    t = trace(settings)
    n_words = min(len(t.tokens), MOST_WORDS)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choose("lab_order", "The other order", Order, _ORDERS.__getitem__, wrap=True)
        if view.lab_order is Order.SHUFFLED:
            whole_number("lab_seed", "Seed", SEED, width=130)
        st.button(f"Try “{_DOG}”", on_click=_try, disabled=settings.text == _DOG)
    first, second = (min(place, n_words - 1) for place in (view.query, view.key))
    there = order.places(view.lab_order, n_words, first, second, view.lab_seed)
    words = t.tokens[:n_words]
    put = tuple(words[place] for place in there)
    st.markdown(f"{_sentence(words)} → {_sentence(put)}")
    without, with_ = (_reordered(t, there, view, positions) for positions in (False, True))
    parts.answer(_said(without, with_))
    for name, both, title in (
        ("without", without, "Without positions"),
        ("with", with_, "With positions added to the embeddings"),
    ):
        st.markdown(f"**{title}** · largest change {_exactly(both.largest_change)}")
        _maps(name, both, words, put)
    left_out = []
    if settings.mask:
        left_out.append("The mask is left out here: a causal mask or a window tells order, too.")
    if len(t.tokens) > n_words:
        left_out.append(f"Only the first {n_words} words take part.")
    if left_out:
        st.caption(" ".join(left_out))
    parts.do_it_yourself(
        "Press the button with the dog: reversed, it is the man who bites, and without positions "
        "not one weight between the same two words is another.",
        "Choose “shuffled” and another seed: the 0 stays.",
        "Write a word twice: without positions both rows are the same, with positions they differ.",
    )
    parts.code(order.reorder, order.weights, order.dots, sinusoidal)


def _try() -> None:
    """Callback: the three words that everybody quotes, with made-up vectors."""
    undo.act(example=OWN, text=_DOG)


def _reordered(
    t: AttentionTrace, there: tuple[int, ...], view: View, with_positions: bool
) -> Reordered:
    x, head = t.x[: len(there)], view.head or 0
    # Without matrices a head takes its own features out of the embeddings, as the identity does.
    whole = (np.eye(x.shape[1]) if w is None else w for w in (t.w_q, t.w_k))
    w_q, w_k = (np.split(w, t.n_heads, axis=1)[head] for w in whole)
    return order.reorder(x, there, w_q, w_k, t.factor, with_positions)


def _maps(name: str, both: Reordered, words: tuple[str, ...], put: tuple[str, ...]) -> None:
    end = max(largest(both.before), largest(both.after))
    before = Map(f"order_{name}_before", "in their own order", both.before, words)
    after = Map(f"order_{name}_after", "in the other order", both.after, put)
    title = "change between the same two words"
    change = Map(f"order_{name}_change", title, both.change, words, weights=False)
    parts.maps(f"order_{name}", [before, after, change], bound=end)


def _said(without: Reordered, with_: Reordered) -> str:
    still = (
        "Without positions the weights only move along with their words: between the same two "
        f"words the largest change is {_exactly(without.largest_change)}"
    )
    if not with_.largest_change:
        return f"{still}. Here the other order is no other: nothing changes with positions either."
    return (
        f"{still}. With positions a weight changes by up to "
        f"**{number(with_.largest_change, 3)}**: only they tell who stood first."
    )


def _exactly(change: float) -> str:
    return "**exactly 0**" if change == 0 else f"**{number(change, 3)}**"


def _sentence(words: tuple[str, ...]) -> str:
    return " ".join(labels.markdown(word, 24) for word in words)
