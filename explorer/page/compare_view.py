"""The view Compare: two states side by side, and what lies between. It opens as raw and scaled."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from explorer import describe, labels
from explorer.attention import Array, BoolArray
from explorer.export import markdown_table
from explorer.figures.matrix import Kind, Layout, largest, layout, matrix, row_bounds
from explorer.link.parameters import EDITS, PARAMETERS
from explorer.link.run import Run
from explorer.link.state import State
from explorer.measures import entropy_bits
from explorer.operations.matrices import Role
from explorer.page.bridge import Kin, bridge
from explorer.page.chart import chart
from explorer.page.session import address, pins
from explorer.settings import D_MODEL, Scale, Settings
from explorer.trace import AttentionTrace, trace
from explorer.view import Colour, Turned, View
from explorer.walks import Light, Lights

_NAMES = {
    "text": "sentence",
    "d_model": "d_model",
    "position": "positions",
    "scale": "scaling",
    "temperature": "temperature",
    "rule": "weights by",
    "mask": "mask",
    "radius": "window",
    "pad": "padding",
    "cut": "where words end",
    "qkv": "separate Q, K, V",
    "n_heads": "heads",
    "d_k": "d_k",
    "d_v": "d_v",
    "seed": "seed",
    EDITS: "changed numbers",
}


@dataclass(frozen=True, eq=False, slots=True)
class Side:
    """One of the two states."""

    name: str
    t: AttentionTrace
    head: int | None

    @property
    def scores(self) -> Array:
        """What the weights are made of, hidden keys at -inf."""
        return self.t.masked[self.head]

    @property
    def weights(self) -> Array:
        """Of the open head, or the average."""
        return self.t.weights_of(self.head)


def compare_view(run: Run) -> None:
    """Draw scores and weights of both on one scale, the difference, and each row in numbers."""
    settings, view, pinned = run.settings, run.view, pins.pinned()
    _buttons(pinned is not None)
    if pinned is None:
        raw, scaled = (trace(replace(settings, scale=scale)) for scale in Scale)
        a, b = Side("A, raw", raw, view.head), Side("B, scaled", scaled, view.head)
        d_k = settings.d_query
        st.markdown(
            f"**A, raw** against **B, scaled**: the same experiment twice, the scores as they are "
            f"and the scores divided by √d_k = √{d_k} = {labels.number(d_k**0.5, view.decimals)}."
        )
        st.markdown(describe.scaling(raw, scaled, view.head, settings.qkv))
    else:
        a, b = _sides(pinned, run)
        st.markdown(_what_differs(pinned.state, run.state, not np.array_equal(a.t.x, b.t.x)))
        st.markdown(describe.compared(a.weights, b.weights, a.t, b.t))
    if st.context.is_embedded:
        _dimension()
    _draw(a, b, settings, view)


def _buttons(is_pinned: bool) -> None:
    with st.container(horizontal=True):
        st.button(
            "Pin this state as A",
            on_click=pins.pin,
            help="Then change anything: B is the page as it is, A stays. The link holds both.",
        )
        if is_pinned:
            st.button("Swap A and B", on_click=pins.swap)
            st.button("Unpin", on_click=pins.unpin, help="Back to raw against scaled.")


def _sides(pinned: Run, run: Run) -> tuple[Side, Side]:
    a, b, view = pinned.trace, run.trace, run.view
    # A head that only one of them has is compared with the first one of the other.
    head = view.head if view.head is None or view.head < a.n_heads else 0
    return Side("A, pinned", a, head), Side("B, now", b, view.head)


def _what_differs(pinned: State, state: State, other_vectors: bool) -> str:
    """Name everything in which the two states differ."""
    said = []
    for name, word in _NAMES.items():
        before, now = pinned.value(name), state.value(name)
        if before == now:
            continue
        if name in ("text", EDITS):
            said.append(word)
        else:
            write = PARAMETERS[name].write
            said.append(f"{word} {_code(write(before))} → {_code(write(now))}")
    if not said and other_vectors:  # two examples may share their words and nothing else
        said.append("embeddings")
    if not said:
        return "**A, pinned** and **B, now** are the same so far: change anything."
    return f"**A, pinned** against **B, now**. What differs: {'; '.join(said)}."


def _code(text: str) -> str:
    words = text.replace("_", " ").replace(",", ", ")
    return labels.markdown(words.replace("sqrt d k", "÷ √d_k"))  # as its control says it


def _draw(a: Side, b: Side, settings: Settings, view: View) -> None:
    aligned = a.t.tokens == b.t.tokens
    one_head = a.head is not None
    hidden = [~side.t.visible for side in (a, b)]
    frames = [layout(side.t.tokens) for side in (a, b)]
    by_row = view.colour is Colour.ROW and aligned
    drawn: list[str] = []

    def pair(step: str, kind: Kind, matrices: tuple[Array, Array], bound: float) -> None:
        seen = [np.where(h, np.nan, m) for m, h in zip(matrices, hidden, strict=True)]
        rows = row_bounds(np.hstack(seen)) if by_row else None
        for n, (letter, side) in enumerate((("a", a), ("b", b))):
            key = f"{letter}_{step}"
            masked = "masked " if step == "scores" and hidden[n].any() else ""
            title = side.name.replace(",", f": {masked}{step},", 1)
            _matrix(
                key, title, matrices[n], side.t.tokens, kind, frames[n], view,
                hidden=hidden[n] if hidden[n].any() else None, bound=bound, rows=rows,
            )  # fmt: skip
            drawn.append(key)

    score_bound = weight_bound = 1.0
    if one_head:
        score_bound = max(largest(side.scores) for side in (a, b))
        with st.container(horizontal=True, key="steps"):
            pair("scores", Kind.SIGNED, (a.scores, b.scores), score_bound)
    weights = (a.weights, b.weights)
    if view.colour is not Colour.UNIT:
        weight_bound = max(map(largest, weights))
    negative = any((np.nan_to_num(w) < 0).any() for w in weights)
    change = None
    with st.container(horizontal=True, key="steps_of_weights"):
        pair("weights", Kind.SIGNED if negative else Kind.WEIGHTS, weights, weight_bound)
        if aligned:
            change = b.weights - a.weights
            both = hidden[0] & hidden[1]
            _matrix(
                "difference", "B − A", change, a.t.tokens, Kind.SIGNED,
                frames[0], view, hidden=both if both.any() else None,
            )  # fmt: skip
            drawn.append("difference")
    if not aligned:
        st.caption("The sentences differ, so there is no difference to draw word by word.")
    st.caption(_scales(view, score_bound, weight_bound, change, by_row))
    st.markdown(_table(a, b, view, aligned))
    lit: Lights = {}
    for key in drawn:
        n_tokens = len((a if key.startswith("a_") else b).t.tokens)
        rows = (view.query, view.query)
        lit[key] = [Light(Role.ROW, rows, (0, n_tokens - 1))] if view.query < n_tokens else []
    bridge(b.t, view, lit, dict.fromkeys(drawn, Kin.PAIRS) if aligned else {})


def _matrix(
    key: str,
    title: str,
    numbers: Array,
    tokens: tuple[str, ...],
    kind: Kind,
    frame: Layout,
    view: View,
    *,
    hidden: BoolArray | None,
    bound: float | None = None,
    rows: Array | None = None,
) -> None:
    figure = matrix(
        numbers,
        rows=tokens,
        columns=tokens,
        kind=kind,
        frame=frame,
        decimals=view.decimals,
        hidden=hidden,
        bound=bound,
        row_bounds=rows,
        hover="%{y} → %{x}",
        turned=view.turned is Turned.COLUMNS,
    )
    alt = describe.pairs(title, numbers, tokens, None if hidden is None else ~hidden, view.decimals)
    with st.container(width=figure.width, gap="xxsmall"):
        st.markdown(f"**{title}**")
        chart(figure, key, alt)


def _dimension() -> None:
    """Change the dimension where its effect is seen; elsewhere the sidebar stands beside it."""
    st.number_input(
        "Dimension d_model", D_MODEL[0], D_MODEL[-1], width=180, **address.named("d_model")
    )


def _scales(view: View, scores: float, weights: float, change: Array | None, by_row: bool) -> str:
    score, weight = (labels.number(n, view.decimals) for n in (scores, weights))
    most = None if change is None else labels.number(largest(change), view.decimals)
    own = "" if most is None else f" The change has its own, from −{most} to {most}."
    if by_row:
        return f"Colours: each row up to its largest number in A and B.{own}"
    return (
        f"Changes are computed before rounding. Colours, one scale for each pair: scores from "
        f"−{score} to {score}, white at 0; weights from 0 to {weight}.{own}"
    )


def _measures(side: Side) -> tuple[Array, Array, Array]:
    """Of each query: its largest weight, its entropy, the weight of its own word."""
    weights = side.weights
    return weights.max(axis=-1, initial=0.0), entropy_bits(weights), np.diagonal(weights)


def _table(a: Side, b: Side, view: View, aligned: bool) -> str:
    """Each query in numbers, A, B and the change; of two sentences one after the other."""
    names = ("largest weight", "entropy in bits", "own word’s weight")
    if not aligned:
        return "\n\n".join(_one_sided(side, view, names) for side in (a, b))
    head = ["query", *(title for name in names for title in (f"{name}: A", "B", "change"))]
    rows = []
    measured = list(zip(_measures(a), _measures(b), strict=True))
    for i, token in enumerate(a.t.tokens):
        cells = [_word(token, i == view.query)]
        for before, after in measured:
            blind = a.t.sees_nobody[i], b.t.sees_nobody[i]
            cells += [
                "–" if unseen else labels.number(n, view.decimals)
                for n, unseen in (
                    (before[i], blind[0]),
                    (after[i], blind[1]),
                    (after[i] - before[i], any(blind)),
                )
            ]
        rows.append(cells)
    return markdown_table(head, rows)


def _one_sided(side: Side, view: View, names: tuple[str, ...]) -> str:
    measured, blind = _measures(side), side.t.sees_nobody
    rows = [
        [
            _word(token, False),
            *("–" if blind[i] else labels.number(n[i], view.decimals) for n in measured),
        ]
        for i, token in enumerate(side.t.tokens)
    ]
    return markdown_table([f"{side.name}: query", *names], rows)


def _word(token: str, bold: bool) -> str:
    word = labels.markdown(token, 24)
    return f"**{word}**" if bold else word
