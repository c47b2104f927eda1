"""The view Real model: the reader's sentence through a trained transformer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

from explorer import describe, labels
from explorer.attention import Array, BoolArray
from explorer.export import markdown_table
from explorer.figures import maps, palette
from explorer.figures.arrows import LEAST, arrows, slot_width, strongest
from explorer.figures.matrix import Kind, largest, layout, matrix
from explorer.link.run import Run as PageRun
from explorer.operations.matrices import Role
from explorer.page import model_parts, model_state, style
from explorer.page.bridge import Kin, is_place, light
from explorer.page.chart import chart
from explorer.page.choose import choose
from explorer.page.learned_box import learned_box
from explorer.page.session import address, tellings
from explorer.page.session.state import said
from explorer.page.tables import Matrix, tables
from explorer.pretrained.layer import Layer
from explorer.pretrained.model import Model, Run, next_words
from explorer.pretrained.text import Pieces, groups, join, name_of
from explorer.rendering.panel import written
from explorer.view import Direction, View
from explorer.walks import Light, Lights

_MOST_BUTTONS = 16
_MOST_WITH_SUMS = 16
_CAUTION = (
    "Attention weights show where numbers flow, not why a model answers as it does: see Jain and "
    "Wallace (2019), “Attention is not Explanation”, arXiv:1902.10186."
)


@dataclass(frozen=True, eq=False, slots=True)
class Shown:
    """What of one head is drawn. R rows: pieces, or words where their pieces are joined."""

    rows: list[list[int]]  #     the pieces of each row
    names: tuple[str, ...]  # R
    weights: Array  #         (R, R)
    visible: BoolArray  #     (R, R)
    asks: int  #                 the row that asks
    answers: int


def model_view(now: PageRun) -> None:
    """Draw who attends to whom in one head, all heads, and what they do to a word."""
    settings, view, model = now.settings, now.view, model_state.model()
    if model is None:
        return
    st.markdown(_about(model))
    st.caption(_CAUTION)
    try:
        pieces, run = model_state.run(model, settings.sentence)
    except ValueError as problem:
        st.warning(labels.markdown(str(problem)))
        return
    view = _within(model, view)
    layer = run.layers[view.layer]
    shown = _shown(layer, pieces, view)
    _choices(model, pieces, shown, view)
    lit: Lights = {}
    _arrow_graph(shown, view)
    if pieces.unknown:
        words = ", ".join(f"“{labels.markdown(pieces.words[n], 24)}”" for n in pieces.unknown)
        st.caption(f"Not in the model’s vocabulary, so all one unknown word to it: {words}.")
    numbers = _matrices(layer, shown, view, lit)
    _arithmetic(layer, pieces, shown, view)
    if model.causal:
        _next_words(model, run, shown)
    _all_maps(run, view, lit)
    model_parts.behaviours(run, pieces, view, lit)
    asked = shown.rows[shown.asks]
    model_parts.moves(model, run, asked, shown.names[shown.asks], view, lit)
    model_parts.several_sentences(model, view)
    learned_box(model, settings)
    tables(numbers)
    kin = dict.fromkeys(("model_weights", "model_scores"), Kin.PAIRS)
    light(shown.names, lit, kin, view.decimals, lambda: _pick(model, pieces, shown, view))


def _about(model: Model) -> str:
    sees = "sees only what stands before" if model.causal else "sees the whole sentence"
    return (
        f"**{labels.markdown(model.name, 60)}**, a trained "
        f"{'GPT-2' if model.causal else 'BERT'}: {model.n_layers} layers of {model.n_heads} heads, "
        f"d_model = {model.d_model}, d_k = {model.d_model // model.n_heads}. Each token {sees}. "
        f"Computed here by the same function as the other views; of the sidebar it knows only the "
        f"sentence."
    )


def _within(model: Model, view: View) -> View:
    """The view with a layer and a head that this model has."""
    found: dict[str, Any] = {}
    for name, count in (("layer", model.n_layers), ("layer_head", model.n_heads)):
        if getattr(view, name) >= count:
            address.fall_back(name, 0, f"expected a whole number from 0 to {count - 1}; 0 is used")
            found[name] = 0
    return replace(view, **found)


def _shown(layer: Layer, pieces: Pieces, view: View) -> Shown:
    rows = groups(pieces, view.special, view.joined) or groups(pieces, True, view.joined)
    weights = join(layer.weights[view.layer_head], rows, view.renormalised and not view.special)
    return Shown(
        rows,
        tuple(name_of(pieces, row) for row in rows),
        weights,
        join(layer.visible.astype(np.float32), rows) > 0,
        _row(rows, pieces, view.piece, view.query),
        _row(rows, pieces, view.to_piece, view.key),
    )


def _row(rows: list[list[int]], pieces: Pieces, piece: int | None, word: int) -> int:
    """The row of a piece; where it is another word's, or not shown, that of the word."""
    if piece is not None and piece < len(pieces.ids) and pieces.word_of[piece] in (None, word):
        for n, row in enumerate(rows):
            if piece in row:
                return n
    for n, row in enumerate(rows):
        if pieces.word_of[row[0]] == word:
            return n
    return 0


def _choose(pieces: Pieces, row: list[int], answers: bool) -> None:
    """Take a row as the one that asks or answers, and with it the word, which other views show."""
    piece, word = ("to_piece", "key") if answers else ("piece", "query")
    chosen = {piece: row[0]}
    of = pieces.word_of[row[0]]
    if of is not None:
        chosen[word] = of
    address.put(**chosen)


def _choices(model: Model, pieces: Pieces, shown: Shown, view: View) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        _row_choice("Query token: who asks?", pieces, shown, shown.asks, answers=False)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        _number_choice("layer", "Layer", model.n_layers)
        _number_choice("layer_head", "Head", model.n_heads)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        st.toggle(
            "The model’s own tokens" if not model.causal else "Special tokens",
            **address.named("special"),
        )
        st.toggle("Join the pieces of a word", **address.named("joined"))
        if not view.special:
            st.toggle("Make the rest sum to 1", **address.named("renormalised"))


def _number_choice(name: str, label: str, count: int) -> None:
    address.renew(name, count)
    many = count > 12
    choose(name, label, range(count), lambda n: str(n + 1), as_list=many, wrap=True, width=120)


def _row_choice(label: str, pieces: Pieces, shown: Shown, chosen: int, answers: bool) -> None:
    key = "row_answers" if answers else "row_asks"

    def changed() -> None:
        row = tellings.chosen(key, None)
        if row is not None:
            _choose(pieces, shown.rows[row], answers)

    if said(key) != chosen:
        tellings.tell(key, chosen)
    else:
        tellings.tell_again(key, chosen)
    if len(shown.rows) <= _MOST_BUTTONS:
        st.segmented_control(
            label,
            range(len(shown.rows)),
            wrap=True,
            format_func=lambda n: f"{labels.markdown(shown.names[n], 16)} :small[{n + 1}]",
            required=True,
            key=key,
            on_change=changed,
        )
    else:
        st.selectbox(
            label,
            range(len(shown.rows)),
            format_func=lambda n: f"{n + 1}  {labels.shown(shown.names[n], 60)}",
            key=key,
            on_change=changed,
        )


def _arrow_graph(shown: Shown, view: View) -> None:
    weights, i, j = shown.weights, shown.asks, shown.answers
    drawn = np.full_like(weights, np.nan)
    to_key = view.direction is Direction.TO_KEY
    focus: int | None = j if to_key else i
    if to_key:
        drawn[:, j] = weights[:, j]
        shares, seen = weights[:, j], shown.visible[:, j]
    elif view.direction is Direction.FROM_QUERY:
        drawn[i] = weights[i]
        shares, seen = weights[i], shown.visible[i]
    else:
        drawn, focus = weights, None
        shares, seen = weights.mean(axis=0), np.asarray(shown.visible.any(axis=0))
    said, alt = describe.arrows(shares, shown.names, focus, to_key)
    under = [labels.percent(w) if s else "hidden" for w, s in zip(shares, seen, strict=True)]
    figure = arrows(
        drawn,
        shown.names,
        under,
        [labels.plotly(text) for text in said],
        focus,
        palette.KEY if to_key else palette.QUERY,
    )
    count = len(shown.names)
    style.least_width("arrows", count * slot_width(shown.names), most=count * 170)
    with st.container(key="arrows_scroll"):
        chart(figure, "arrows", alt)
    st.caption(_under_the_words(shown, view))
    n_drawn = len(strongest(drawn, focus))
    left_out = int((np.nan_to_num(drawn) >= LEAST).sum()) - n_drawn
    if left_out:
        st.caption(f"The {n_drawn} strongest arrows; {left_out:,} weaker ones are not drawn.")


def _under_the_words(shown: Shown, view: View) -> str:
    asks, answers = (labels.markdown(shown.names[n], 24) for n in (shown.asks, shown.answers))
    text = {
        Direction.FROM_QUERY: f"Under each token: its share of the attention of “{asks}”.",
        Direction.TO_KEY: f"Under each token: how much of its own attention goes to “{answers}”.",
        Direction.ALL: "Under each token: what it gets of a token’s attention on average.",
    }[view.direction]
    if not view.special and view.renormalised:
        text += " The model’s own tokens are left out, and each row is divided by what remains."
    elif not view.special:
        rest = labels.percent(1 - float(shown.weights[shown.asks].sum()))
        text += (
            f" The model’s own tokens are left out; they have the missing {rest} of “{asks}”’s "
            f"attention."
        )
    return text


def _matrices(layer: Layer, shown: Shown, view: View, lit: Lights) -> list[Matrix]:
    """Draw the scores and the weights of one head, and return them for the tables."""
    frame = layout(shown.names)
    hidden = None if shown.visible.all() else ~shown.visible
    single = all(len(row) == 1 for row in shown.rows)
    drawn = []
    if single:
        places = [row[0] for row in shown.rows]
        scaled = layer.arrays["scaled"][view.layer_head][np.ix_(places, places)]
        drawn.append(("model_scores", "Scaled scores", scaled, Kind.SIGNED))
    drawn.append(("model_weights", "Weights", shown.weights, Kind.WEIGHTS))
    with st.container(horizontal=True, gap="small", key="steps"):
        for key, title, numbers, kind in drawn:
            sums = None
            if kind is Kind.WEIGHTS and len(shown.names) <= _MOST_WITH_SUMS:
                sums = [labels.number(total, view.decimals) for total in numbers.sum(axis=-1)]
            figure = matrix(
                numbers,
                rows=shown.names,
                columns=shown.names,
                kind=kind,
                frame=frame,
                decimals=view.decimals,
                hidden=hidden,
                hover="%{y} → %{x}",
                beside=sums,
            )
            with st.container(width=figure.width, gap="xxsmall"):
                st.markdown(f"**{title}**")
                visible = None if hidden is None else shown.visible
                chart(figure, key, describe.pairs(title, numbers, shown.names, visible, 3))
                seen = numbers if hidden is None else np.where(hidden, np.nan, numbers)
                end = labels.number(largest(seen), view.decimals)
                weights = kind is Kind.WEIGHTS
                style.legend(
                    "0" if weights else f"−{end}",
                    end,
                    palette.WEIGHTS if weights else palette.SIGNED,
                )
            i, j = shown.asks, shown.answers
            lit[key] = [
                Light(Role.ROW, (i, i), (0, len(shown.names) - 1)),
                Light(Role.PICKED, (i, i), (j, j)),
            ]
    if not single:
        st.caption(
            "A word in several pieces gives what they give on average, and gets what they get "
            "together (Clark et al. 2019, “What Does BERT Look At?”, section 4.1)."
        )
    return [Matrix(title, numbers, shown.names, shown.names) for _, title, numbers, _ in drawn]


def _arithmetic(layer: Layer, pieces: Pieces, shown: Shown, view: View) -> None:
    with st.container(border=True, key="arithmetic"):
        names = [f"“{labels.markdown(shown.names[n], 24)}”" for n in (shown.asks, shown.answers)]
        st.markdown(f"**Where a number comes from** · weight from {names[0]} to {names[1]}")
        _row_choice("Key token: who answers?", pieces, shown, shown.answers, answers=True)
        asks, answers = shown.rows[shown.asks], shown.rows[shown.answers]
        if len(asks) > 1 or len(answers) > 1:
            st.markdown(
                f"{len(asks)} × {len(answers)} weights between the pieces make up this number. "
                f"Stop joining the pieces to see where each comes from."
            )
            return
        i, j, h, places = asks[0], answers[0], view.layer_head, view.decimals
        first = st.toggle("Largest terms first", key="largest_first", on_change=address.touch)
        steps = {step.name: step for step in layer.steps}
        for name in ("scores", "scaled"):
            st.latex(written(layer, steps[name], (h, i, j), places, first))
        if not layer.visible[i, j]:
            st.markdown(f"{names[0]} may not see {names[1]}, so the weight is **0**.")
            return
        st.latex(written(layer, steps["weights"], (h, i, j), places, first))
        if not view.special and view.renormalised:
            st.caption("Above, this weight is divided by the sum of those that are shown.")


def _next_words(model: Model, run: Run, shown: Shown) -> None:
    last = shown.rows[shown.asks][-1]
    st.markdown(f"**What comes next** after “{labels.markdown(shown.names[shown.asks], 24)}”")
    rows = (
        (labels.markdown(model.tokenizer.decode([token]) or "∅", 24), labels.percent(probability))
        for token, probability in next_words(model, run.final[last])
    )
    st.markdown(markdown_table(("token", "probability"), rows))


def _all_maps(run: Run, view: View, lit: Lights) -> None:
    weights = run.weights
    n_layers, n_heads, n_tokens, _ = weights.shape
    side = maps.side_of(n_layers, n_heads, n_tokens)
    st.markdown("**All layers and heads** · weights, on one scale from 0; click one to open it")
    if side < n_tokens:
        st.caption(f"With {n_tokens} tokens, each dot is the largest of the weights around it.")
    chart(maps.maps(weights), "maps", f"The weights of {n_layers} layers of {n_heads} heads.")
    rows, columns = maps.outline(view.layer, view.layer_head, side)
    lit["maps"] = [Light(Role.PICKED, rows, columns)]


def _pick(model: Model, pieces: Pieces, shown: Shown, view: View) -> None:
    """Open what was clicked. What the browser says is checked: it may say anything."""
    cell = said("bridge").get("picked")
    if not isinstance(cell, dict):
        return
    name, row, column = cell.get("chart"), cell.get("row"), cell.get("column")
    count = len(shown.rows)
    if name == "arrows" and is_place(column, count):
        _choose(pieces, shown.rows[int(column)], view.direction is Direction.TO_KEY)
    elif name in ("model_weights", "model_scores"):
        if is_place(row, count) and is_place(column, count):
            _choose(pieces, shown.rows[int(row)], answers=False)
            _choose(pieces, shown.rows[int(column)], answers=True)
    elif name == "maps" and is_place(row, 10**6) and is_place(column, 10**6):
        side = maps.side_of(model.n_layers, model.n_heads, len(pieces.ids))
        found = maps.map_at(int(row), int(column), model.n_layers, model.n_heads, side)
        if found is not None:
            address.put(layer=found[0], layer_head=found[1])
    elif (
        name == "head_scores" and is_place(row, model.n_layers) and is_place(column, model.n_heads)
    ):
        address.put(layer=int(row), layer_head=int(column))
    elif name == "moves" and is_place(column, model.n_layers):
        address.put(layer=int(column))
