"""The view Compare: raw against scaled, for the present experiment."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from explorer import describe, labels
from explorer.attention import Array
from explorer.figures.matrix import Kind, largest, layout, matrix, row_bounds
from explorer.lights import Light, Lights, Role
from explorer.page import address
from explorer.page.bridge import Kin, bridge
from explorer.page.chart import chart
from explorer.settings import D_MODEL, Scale, Settings
from explorer.trace import AttentionTrace, trace
from explorer.view import Colour, View
from explorer.worked import entropy_bits

_CHARTS = ("a_scores", "a_weights", "b_scores", "b_weights", "difference")


def compare_view(settings: Settings, view: View) -> None:
    """Draw scores and weights of both on one scale, what scaling changed, and by how much."""
    raw = trace(replace(settings, scale=Scale.RAW))
    scaled = trace(replace(settings, scale=Scale.SQRT_D_K))
    a, b = raw.weights_of(view.head), scaled.weights_of(view.head)
    d_k = settings.d_query
    st.markdown(
        f"**A, raw** against **B, scaled**: the same experiment twice, the scores as they are and "
        f"the scores divided by √d_k = √{d_k} = {labels.number(d_k**0.5, view.decimals)}."
    )
    st.markdown(describe.scaling(raw, scaled, view.head, settings.qkv))
    if st.context.is_embedded:
        _dimension()
    frame = layout(raw.tokens)
    hidden = ~raw.visible if settings.mask else None
    one_head = view.head is not None
    scores = [side.masked[view.head] for side in (raw, scaled)] if one_head else []
    score_bound = max(map(largest, scores), default=0.0)
    weight_bound = 1.0 if view.colour is Colour.UNIT else largest(np.stack((a, b)))
    by_row = view.colour is Colour.ROW

    def draw(
        key: str, title: str, numbers: Array, kind: Kind, bound: float | None, pair: list[Array]
    ) -> None:
        figure = matrix(
            numbers,
            rows=raw.tokens,
            columns=raw.tokens,
            kind=kind,
            frame=frame,
            decimals=view.decimals,
            hidden=hidden,
            bound=bound,
            row_bounds=row_bounds(np.hstack(pair)) if by_row and pair else None,
            hover="%{y} → %{x}",
        )
        alt = describe.pairs(title, numbers, raw.tokens, raw.visible, view.decimals)
        with st.container(width=int(figure.layout.width), gap="xxsmall"):
            st.markdown(f"**{title}**")
            chart(figure, key, alt)

    if one_head:
        with st.container(horizontal=True, key="steps"):
            draw("a_scores", "A: scores, raw", scores[0], Kind.SIGNED, score_bound, scores)
            draw("b_scores", "B: scores, scaled", scores[1], Kind.SIGNED, score_bound, scores)
    with st.container(horizontal=True, key="steps_of_weights"):
        draw("a_weights", "A: weights, raw", a, Kind.WEIGHTS, weight_bound, [a, b])
        draw("b_weights", "B: weights, scaled", b, Kind.WEIGHTS, weight_bound, [a, b])
        draw("difference", "B − A: change of the weights", b - a, Kind.SIGNED, None, [])
    st.caption(_scales(view, score_bound, weight_bound, largest(b - a)))
    st.markdown(_per_row(raw, a, b, view))
    lit = _query_row(view, len(raw.tokens))
    bridge(settings, view, raw.tokens, lit, dict.fromkeys(_CHARTS, Kin.PAIRS))


def _dimension() -> None:
    """Change the dimension where its effect is seen; elsewhere the sidebar stands beside it."""
    st.number_input(
        "Dimension d_model", D_MODEL[0], D_MODEL[-1], width=180, **address.named("d_model")
    )


def _scales(view: View, scores: float, weights: float, change: float) -> str:
    score, weight, most = (labels.number(n, view.decimals) for n in (scores, weights, change))
    if view.colour is Colour.ROW:
        return (
            f"Colours: each row up to its largest number in A and B; the change from −{most} to "
            f"{most}."
        )
    return (
        f"Changes are computed before rounding. "
        f"Colours, one scale for each pair: scores from −{score} to {score}, white at 0; "
        f"weights from 0 to {weight}. The change has its own, from −{most} to {most}."
    )


def _per_row(t: AttentionTrace, a: Array, b: Array, view: View) -> str:
    """A Markdown table: per query the largest weight and the entropy, raw and scaled."""
    entropies = entropy_bits(a), entropy_bits(b)
    lines = [
        "| query | largest weight: raw | scaled | change "
        "| entropy in bits: raw | scaled | change |",
        "|:--|--:|--:|--:|--:|--:|--:|",
    ]
    for i, token in enumerate(t.tokens):
        word = labels.markdown(token, 24)
        cells = [f"**{word}**" if i == view.query else word]
        for before, after in ((a[i].max(), b[i].max()), (entropies[0][i], entropies[1][i])):
            if t.sees_nobody[i]:
                cells += ["–"] * 3
            else:
                cells += [labels.number(n, view.decimals) for n in (before, after, after - before)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _query_row(view: View, n_tokens: int) -> Lights:
    row = Light(Role.ROW, (view.query, view.query), (0, n_tokens - 1))
    return {key: [row] for key in _CHARTS}
