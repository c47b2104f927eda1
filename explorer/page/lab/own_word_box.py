"""Does a word's own word win: lengths and cosines."""

from __future__ import annotations

import numpy as np
import streamlit as st

from explorer import labels
from explorer.attention import attend
from explorer.export import markdown_table
from explorer.figures.lines import lines
from explorer.lab import own_word
from explorer.lab.own_word import LENGTHS, Words
from explorer.labels import number, percent
from explorer.page.lab import parts
from explorer.page.session import address
from explorer.settings import Settings
from explorer.trace import trace
from explorer.view import View

_STEPS = 40


def own_word_box(settings: Settings, view: View) -> None:
    """Stretch the query word, and draw what it and the others make of that."""
    parts.question("Does a word always attend most to itself?")
    t = trace(settings)
    head, i = view.head or 0, view.query
    q, k = t.q_turned[head], t.k_turned[head]
    word = labels.markdown(t.tokens[i], 24)
    found = own_word.measure(q, k, t.factor, t.visible)
    parts.answer(_said(found, settings.qkv))
    st.slider(
        "Length of the query word, in percent of its own",
        LENGTHS[0],
        LENGTHS[-1],
        step=10,
        width=420,
        **address.named("lab_length"),
    )
    factors = np.linspace(LENGTHS[0], LENGTHS[-1], _STEPS) / 100
    curve = own_word.stretch(q, k, t.factor, t.visible, i, factors)
    here = view.lab_length / 100
    two = own_word.stretch(q, k, t.factor, t.visible, i, np.array([1.0, here]))
    (was, own), (gave, gets) = two.own, two.received
    figure = lines(
        factors * 100,
        {"its weight on itself": curve.own, "what each other word gives it": curve.received},
        x_title="length of the query word, percent",
        y_title="weight",
        marked=view.lab_length,
        marked_name=f"{view.lab_length} %",
        y_range=(0, 1.03),
    )
    said = (
        f"With {view.lab_length} % of its length, “{word}” gives itself {percent(own)} instead "
        f"of {percent(was)}, and each other word gives it {percent(gets)} instead of "
        f"{percent(gave)} on average."
    )
    parts.picture(figure, "own_word", said)
    parts.answer(
        f"{said} A score is length × length × cosine: a long key makes its column larger for "
        f"everybody who points roughly its way, and smaller for whoever points away."
    )
    st.markdown(_table(t.tokens, found, view))
    parts.do_it_yourself(
        "Find a word that does not win its own row, and look for a longer word with a cosine "
        "near 1.",
        "Choose a short word as the query word and stretch it until it wins everywhere.",
        "Divide by √d_k in the sidebar: the curve becomes flatter, the order stays.",
    )
    parts.code(own_word.stretch, own_word.measure, own_word.cosines, attend)


def _said(found: Words, qkv: bool) -> str:
    n_words, wins = len(found.wins), int(found.wins.sum())
    why = (
        "With separate Q, K, V a word’s query and key are different vectors, so nothing favours "
        "its own word."
        if qkv
        else "With Q = K = X the cosine with itself is 1, the largest there is; but a longer word "
        "with a cosine near 1 gets a higher score."
    )
    of = "**all** of them" if wins == n_words else f"**{wins} of {n_words}**"
    return f"No: {of} win here. {why}" if wins < n_words else f"Here it does, for {of}. {why}"


def _table(tokens: tuple[str, ...], found: Words, view: View) -> str:
    names = [labels.markdown(token, 24) for token in tokens]
    columns = {
        "length of its key": [number(n, view.decimals) for n in found.length],
        f"cosine with “{names[view.query]}”": [
            number(n, view.decimals) for n in found.cosine[view.query]
        ],
        "own weight": map(percent, found.own),
        "own word wins": ["yes" if wins else "no" for wins in found.wins],
        "gets from the others": map(percent, found.received),
    }
    names[view.query] = f"**{names[view.query]}**"
    return markdown_table(["word", *columns], zip(names, *columns.values(), strict=True), left=4)
