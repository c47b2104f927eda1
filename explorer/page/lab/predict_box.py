"""Predict first: questions about the reader's own numbers, checked at once."""

from __future__ import annotations

import numpy as np
import streamlit as st

from explorer import labels
from explorer.describe import word
from explorer.lab import predict
from explorer.lab.predict import MOST_FEATURES, N_QUESTIONS, Kind, Question, Slip, Sum, Way
from explorer.labels import exact, number
from explorer.page.choose import choose, whole_number
from explorer.page.lab import parts
from explorer.page.lab.parts import Map
from explorer.settings import SEED, Settings
from explorer.trace import AttentionTrace, trace
from explorer.view import View

_MOST_BUTTONS = 12
_SUMS = {Sum.ONE: "exactly 1", Sum.LESS: "less than 1", Sum.MORE: "more than 1"}
_WAYS = {
    Way.RIGHT: "The hidden scores become −∞, then comes the softmax of each row.",
    Way.MASK_AFTER: "The softmax of each row comes first, then the hidden weights become 0.",
    Way.AXIS: "The softmax is taken down each column.",
}
_SLIPS = {
    Slip.COLUMN: "That is the word that reads this one most: you went down the column. A query’s "
    "weights stand in its row.",
    Slip.OWN_WORD: "That is the word itself. It need not win: a longer vector that points the same "
    "way scores more.",
    Slip.FIRST_TERM: "That is the first product only; all of them are added up.",
    Slip.SIGN: "Mind the signs: minus times plus is minus.",
    Slip.ADDED: "You added all numbers. Multiply pair by pair first, then add.",
    Slip.SUMS: "You multiplied the sums. Multiply pair by pair first, then add.",
    Slip.ROOT_FORGOTTEN: "The root: a score is the plain dot product, and a scaled score is that "
    "divided by √d_k. You did the one where the other was asked.",
    Slip.BY_D: "You divided by d_k itself; it is its square root.",
    Slip.MULTIPLIED: "You multiplied by the root; divide.",
    Slip.D_MODEL: "You took the root of d_model; a head’s own d_k counts.",
    Slip.TURNED: "Turned around: the row is who asks, the column who answers.",
    Slip.SEEN: "That one may be seen.",
    Slip.AFTER: "The softmax shared out 1 among all keys; what hidden keys got is then taken away, "
    "and nobody gets it back.",
    Slip.COLUMN_SUMS: "There each column sums to 1, so a row can sum to anything.",
    Slip.SOFTMAX: "A softmax over the keys shares out exactly 1 among those that may be seen.",
}


def predict_box(settings: Settings, view: View) -> None:
    """Ask one question at a time, check the answer, and name the likely slip."""
    parts.question("Can you say it before the page does?")
    t = trace(settings)
    head = view.head or 0
    asked = predict.questions(t, head, view.lab_seed)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choose("lab_question", "Question", N_QUESTIONS, str)
        whole_number("lab_seed", "Seed", SEED, width=130)
    if view.lab_question > len(asked):
        st.info(f"This sentence allows only {len(asked)} questions. Choose one of those.")
    else:
        _ask(asked[view.lab_question - 1], t, head, view)
    parts.do_it_yourself(
        "Change the seed: other words are asked for. Whoever opens this link gets the same ones.",
        "Copy the link for a class; answers are not in it.",
        "Choose a mask in the sidebar: it is the one that is asked for.",
    )
    parts.code(predict.questions, predict.check)


def _ask(question: Question, t: AttentionTrace, head: int, view: View) -> None:
    st.markdown(f"**{_text(question, t)}**")
    if question.kind is Kind.DOT:
        st.latex(_vectors(question))
    if question.kind is Kind.HIDDEN:
        own = "the mask of this page" if not t.visible.all() else "a causal mask"
        st.caption(f"Here: {own}. A cell is written query → key.")
    given = _answer(question, t, view)
    if given is None:
        return
    right, slip = predict.check(question, given)
    if right:
        st.success(f"Right. {_why(question, t, head)}")
        _look(question, t, head, view)
    else:
        hint = _SLIPS[slip] if slip else "Look at the view Attention and try again."
        st.error(f"Not quite. {hint}")


def _answer(question: Question, t: AttentionTrace, view: View) -> object:
    """The reader's answer, or None. Another question is another widget, which is empty."""
    key = f"answer_{abs(hash(question))}"
    if not question.options:
        return st.number_input(
            "Your answer, to two decimals", value=None, step=0.01, width=220, key=key
        )

    def name(place: int) -> str:
        option = question.options[place]
        if question.kind is Kind.READS:
            return _word(t, option)
        if question.kind is Kind.HIDDEN:
            return f"{_word(t, option[0])} → {_word(t, option[1])}"
        return _SUMS[option]

    places = range(len(question.options))
    if len(places) <= _MOST_BUTTONS:
        chosen = st.segmented_control("Your answer", places, format_func=name, wrap=True, key=key)
    else:
        chosen = st.selectbox(
            "Your answer", places, index=None, format_func=name, width=320, key=key
        )
    return None if chosen is None else question.options[chosen]


def _text(question: Question, t: AttentionTrace) -> str:
    i, j = _word(t, question.i), _word(t, question.j)
    return {
        Kind.READS: f"Which word does “{i}” read most?",
        Kind.DOT: f"What is the score from “{i}” to “{j}”{_first(t)}: the dot product of these "
        f"two?",
        Kind.SCALED: f"The score from “{i}” to “{j}” is {number(question.score, 2)}, and "
        f"d_k = {question.d_k}. What is the scaled score?".replace("_", r"\_"),
        Kind.HIDDEN: "Which of these cells does the mask hide?",
        Kind.SUM: f"{_WAYS[question.way]} To what does the row of “{i}” sum?",
    }[question.kind]


def _first(t: AttentionTrace) -> str:
    if t.q.shape[-1] <= MOST_FEATURES:
        return ""
    return f" in its first {MOST_FEATURES} features"


def _vectors(question: Question) -> str:
    left, right = (
        r" & ".join(exact(round(n, 2)).replace("−", "-") for n in side)
        for side in (question.left, question.right)
    )
    return rf"(\,\begin{{matrix}}{left}\end{{matrix}}\,)\cdot(\,\begin{{matrix}}{right}" + (
        r"\end{matrix}\,)"
    )


def _why(question: Question, t: AttentionTrace, head: int) -> str:
    i = _word(t, question.i)
    if question.kind is Kind.READS:
        weight = t.weights[head, question.i, question.answer]
        return f"The largest weight in the row of “{i}” is {number(weight, 3)}."
    if question.kind is Kind.DOT:
        products = [number(a * b, 4) for a, b in zip(question.left, question.right, strict=True)]
        return f"{' + '.join(products)} = {number(question.answer, 4)}"
    if question.kind is Kind.SCALED:
        return (
            f"{number(question.score, 2)} / √{question.d_k} = {number(question.score, 2)} / "
            f"{number(question.d_k**0.5, 3)} = {number(question.answer, 3)}"
        )
    if question.kind is Kind.HIDDEN:
        return f"“{i}” may not see “{_word(t, question.j)}”."
    slip = dict(question.slips).get(Sum.ONE, Slip.SOFTMAX)
    return f"The row sums to {number(question.score, 3)}. {_SLIPS[slip]}"


def _look(question: Question, t: AttentionTrace, head: int, view: View) -> None:
    """The matrix that the answer stands in."""
    weights = question.kind in (Kind.READS, Kind.SUM)
    title = "Weights" if weights else "Scores, raw"
    hidden = None
    if question.kind is Kind.HIDDEN:
        hidden, title = ~np.array(question.visible), "Scores, raw, under the mask"
    looked_at = Map("predict", title, predict.row(question, t, head), t.tokens, hidden=hidden)
    parts.maps("predict", [looked_at], weights=weights, decimals=view.decimals, sums=weights)


def _word(t: AttentionTrace, place: int) -> str:
    return labels.markdown(word(t.tokens, place))
