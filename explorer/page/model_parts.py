"""What the heads of the trained model do, and what its layers do to a word."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import streamlit as st

from explorer import describe, labels
from explorer.attention import Array
from explorer.export import markdown_table
from explorer.figures.layer_lines import lines
from explorer.figures.matrix import Kind, layout, matrix
from explorer.operations.matrices import Role
from explorer.page import model_state
from explorer.page.chart import chart
from explorer.page.choose import choose
from explorer.page.session import address
from explorer.pretrained import measures
from explorer.pretrained.measures import Behaviour
from explorer.pretrained.model import Model, Run
from explorer.pretrained.text import Pieces
from explorer.view import View
from explorer.walks import Light, Lights

MOST_SENTENCES = 6
_BEST = 6
_MOVERS = 4

_BEHAVIOURS = {
    Behaviour.PREVIOUS: ("previous", "Share of a token’s attention that goes to the token before."),
    Behaviour.NEXT: ("next", "Share of a token’s attention that goes to the token after."),
    Behaviour.OWN: ("itself", "Share of a token’s attention that it keeps to itself."),
    Behaviour.SPECIAL: (
        "special",
        "Share that goes to the model’s own tokens; where it has none, to the first token.",
    ),
    Behaviour.SAME: ("same word", "Share that goes to other occurrences of the very same token."),
    Behaviour.BROAD: (
        "broad",
        "How evenly attention is spread: entropy as a share of the largest possible one.",
    ),
}


def behaviours(run: Run, pieces: Pieces, view: View, lit: Lights) -> None:
    """Sort the heads by what they do on this sentence."""
    st.markdown("**What each head does** · measured on this sentence; click one to open it")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choose("behaviour", "Sort by", Behaviour, lambda code: _BEHAVIOURS[code][0], wrap=True)
    weights = run.weights
    found = measures.behaviours(weights, run.layers[0].visible, pieces.ids, pieces.special)
    scores = found[view.behaviour]
    st.caption(f"{_BEHAVIOURS[view.behaviour][1]} On average over the tokens of the sentence.")
    if np.isnan(scores).all():
        st.caption("No token of this sentence can show it: there is none of that kind.")
        return
    with st.container(horizontal=True):
        for layer, head in measures.ranked(scores, _BEST):
            st.button(
                f"layer {layer + 1} · head {head + 1}: **{labels.percent(scores[layer, head])}**",
                key=f"best_{layer}_{head}",
                type="tertiary",
                on_click=address.put,
                kwargs={"layer": layer, "layer_head": head},
            )
    n_layers, n_heads = scores.shape
    rows, columns = _layers(n_layers), [str(n + 1) for n in range(n_heads)]
    figure = matrix(
        scores,
        rows=rows,
        columns=columns,
        kind=Kind.WEIGHTS,
        frame=replace(layout(rows), top=layout(columns).top),
        decimals=2,
        hover="%{y}, head %{x}",
    )
    name = f"Score of every head for {_BEHAVIOURS[view.behaviour][0]}"
    chart(figure, "head_scores", describe.vectors(name, scores, rows, 2))
    place = ((view.layer, view.layer), (view.layer_head, view.layer_head))
    lit["head_scores"] = [Light(Role.PICKED, *place)]


def moves(model: Model, run: Run, asked: list[int], name: str, view: View, lit: Lights) -> None:
    """Show how far each part of each layer moved the vector of the token that asks."""
    word = labels.markdown(name, 24)
    st.markdown(f"**Where attention sits** · how far each part of a layer moved “{word}”")
    numbers = measures.moves(model, run, asked)
    parts, columns = measures.parts(model), [str(n + 1) for n in range(model.n_layers)]
    way = " → ".join(
        f"{part} {labels.number(distance, 2)}"
        for part, distance in zip(parts, numbers[:, view.layer], strict=True)
    )
    st.markdown(f"Layer {view.layer + 1}: in → {way} → out")
    figure = matrix(
        numbers,
        rows=parts,
        columns=columns,
        kind=Kind.WEIGHTS,
        frame=replace(layout(parts), top=layout(columns).top),
        decimals=2,
        hover="%{y}, layer %{x}",
    )
    chart(figure, "moves", describe.vectors("Distances by part and layer", numbers, parts, 2))
    lit["moves"] = [Light(Role.PICKED, (0, len(parts) - 1), (view.layer, view.layer))]
    norms = (
        "The norms stand in front of both parts, beside the vector’s way, and move nothing."
        if model.causal
        else "Attention and feed-forward add something to the vector; the norms rescale it."
    )
    st.caption(f"A column for each layer. Distances between the vectors before and after. {norms}")


def several_sentences(model: Model, view: View) -> None:
    """Follow one word through several sentences: how alike its vectors are after each layer."""
    st.markdown("**One word, several sentences** · how the context moves a word’s vector")
    left, right = st.columns([1, 4])  # on a phone one below the other
    with left:
        st.text_input("Word", max_chars=100, **address.named("word"))
    with right:
        st.text_area(
            f"Two to {MOST_SENTENCES} sentences, each on a line of its own",
            height=130,
            max_chars=2_000,
            **address.named("sentences"),
        )
    written = [line.strip() for line in view.sentences.splitlines() if line.strip()]
    if len(written) > MOST_SENTENCES:
        st.caption(f"Only the first {MOST_SENTENCES} sentences are compared.")
    found, problems = _runs(model, view.word, written[:MOST_SENTENCES])
    for problem in problems:
        st.caption(labels.markdown(problem))
    if len(found) < 2:
        st.caption("It takes two sentences with the word in them.")
        return
    vectors = np.stack([measures.vectors_of(run, places) for _, _, run, places in found])
    _cosines(measures.cosines(vectors), [n for n, *_ in found])
    _movers(model, view, found)


_Found = tuple[int, Pieces, Run, list[int]]
"""A sentence's number, its pieces, its run, and where the word's pieces are."""


def _runs(model: Model, word: str, sentences: list[str]) -> tuple[list[_Found], list[str]]:
    found, problems = [], []
    for n, sentence in enumerate(sentences, start=1):
        try:
            pieces, run = model_state.run(model, sentence)
        except ValueError as problem:
            problems.append(f"Sentence {n}: {problem}")
            continue
        places = measures.find_word(pieces, word)
        if places:
            found.append((n, pieces, run, places))
        else:
            problems.append(f"Sentence {n} is left out: the word is not in it.")
    return found, problems


def _cosines(cosines: Array, numbers: list[int]) -> None:
    pairs = list(combinations(range(len(numbers)), 2))
    rows = np.stack([cosines[a, b] for a, b in pairs])
    names = [f"{numbers[a]} and {numbers[b]}" for a, b in pairs]
    places = ["input", *(str(n) for n in range(1, rows.shape[1]))]
    last = rows[:, -1]
    st.markdown(
        f"After the last layer most alike: sentences **{names[int(last.argmax())]}** "
        f"({labels.number(last.max(), 3)}); least: **{names[int(last.argmin())]}** "
        f"({labels.number(last.min(), 3)})."
    )
    alt = describe.vectors("Cosine of the word’s vectors, pair by layer", rows, names, 3)
    chart(lines(rows, names, places, ("layer", "cosine")), "cosines", alt)
    cells = (
        [name, *(labels.number(n, 3) for n in row)] for name, row in zip(names, rows, strict=True)
    )
    st.markdown(markdown_table(["sentences", *places], cells))
    st.caption(
        "Cosine between the word’s vectors in two sentences, as they enter the first layer and "
        "after each. At the input they differ by the word’s position only."
    )


def _movers(model: Model, view: View, found: list[_Found]) -> None:
    """Which words moved it, in the chosen layer."""
    said = []
    for n, pieces, run, places in found:
        layer, learned = run.layers[view.layer], model.layers[view.layer]
        lengths = measures.contributions(layer, learned, places)
        order = np.argsort(-lengths, kind="stable")[:_MOVERS]
        words = (
            f"{labels.markdown(pieces.names[j], 24)} {labels.number(lengths[j], 2)}" for j in order
        )
        said.append((str(n), ", ".join(words)))
    head = ("sentence", f"moved most by, in layer {view.layer + 1}")
    st.markdown(markdown_table(head, said, left=1))
    st.caption(
        "How long a vector each token adds to the word’s, through the values, the weights and W_O "
        "of all heads (Kobayashi et al. 2020, “Attention is Not Only a Weight”)."
    )


def _layers(count: int) -> list[str]:
    return [f"layer {n + 1}" for n in range(count)]
