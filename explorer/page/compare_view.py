"""The view Compare: two states side by side, and what lies between. It opens as raw and scaled."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from explorer import describe, labels
from explorer.attention import Array, BoolArray
from explorer.export import markdown_table
from explorer.figures.bars import bars
from explorer.figures.enlarged import narrowed
from explorer.figures.matrix import Kind, largest, layout, matrix, row_bounds
from explorer.link.parameters import EDITS, PARAMETERS
from explorer.link.run import Run
from explorer.link.state import State
from explorer.measures import entropy_bits
from explorer.operations.matrices import Role
from explorer.page import style
from explorer.page.attention_view import arrow_graph
from explorer.page.bridge import Kin, is_place, light, pick
from explorer.page.chart import chart
from explorer.page.session import address, pins
from explorer.page.session.state import said
from explorer.settings import D_MODEL, Scale, Settings
from explorer.tokens import same_word
from explorer.trace import AttentionTrace, trace
from explorer.view import Colour, Turned, View
from explorer.walks import Light, Lights

_NAMES = {
    "text": "sentence",
    "d_model": "d_model",
    "position": "positions",
    "pairs": "rotary pairs",
    "base": "rotary base",
    "stretch": "rotary stretch",
    "stretched": "stretched by",
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


_BESIDE = 12
"""Words up to which A and B stand beside each other."""
_HALF = 327
"""Pixels of a matrix of few words: two fit beside each other on a small laptop."""


@dataclass(frozen=True, eq=False, slots=True)
class Side:
    """One of the two states."""

    name: str
    t: AttentionTrace
    view: View  # what is looked at in it: its own query, and a head that it has

    @property
    def scores(self) -> Array:
        """What the weights are made of, hidden keys at -inf."""
        return self.t.masked[self.view.head]

    @property
    def weights(self) -> Array:
        """Of the open head, or the average."""
        return self.t.weights_of(self.view.head)

    @property
    def context(self) -> Array:
        """Of the open head; where that is the average, what leaves the layer."""
        head = self.view.head
        return self.t.output if head is None else self.t.context[head]


@dataclass(frozen=True, eq=False, slots=True)
class Pair:
    """Both, and which words of the one are which of the other."""

    a: Side
    b: Side
    shared: list[tuple[int, int]]

    @property
    def aligned(self) -> bool:
        """Whether both have the same words, so that they can be subtracted cell by cell."""
        return self.a.t.tokens == self.b.t.tokens

    def in_b(self, chart: str, row: int) -> int | None:
        """The word of B that a row in a chart, or a column of words, stands for."""
        if self.aligned or chart in ("b_weights", "b_scores", "b_arrows"):
            return row
        if chart in ("a_weights", "a_scores", "a_arrows"):
            return dict(self.shared).get(row)
        return self.shared[row][1] if row < len(self.shared) else None


def compare_view(run: Run) -> None:
    """Draw both on the same scales: arrows, weights, context vectors and scores."""
    settings, view, pinned = run.settings, run.view, pins.pinned()
    if pinned is None:
        raw, scaled = (trace(replace(settings, scale=scale)) for scale in Scale)
        pair = _paired("raw", raw, view, "scaled", scaled, view)
        d_k = settings.d_query
        st.markdown(
            f"**A**: raw scores. **B**: the same scores divided by √{d_k} = "
            f"{labels.number(d_k**0.5, view.decimals)}. "
            + describe.scaling(raw, scaled, view.head, settings.qkv)
        )
    else:
        pair = _paired("pinned", pinned.trace, pinned.view, "now", run.trace, view)
        a, b = pair.a, pair.b
        st.markdown(_what_differs(pinned.state, run.state, not np.array_equal(a.t.x, b.t.x)))
        if not pair.aligned:
            st.markdown(_same_word(pair))
        else:
            st.markdown(describe.compared(a.weights, b.weights, a.t, b.t))
    _buttons(pinned is not None)
    if st.context.is_embedded:
        _dimension()
    _draw(pair, settings, view)


def _paired(
    name_a: str, a: AttentionTrace, look_a: View, name_b: str, b: AttentionTrace, view: View
) -> Pair:
    """Both sides. A asks with the word of B's query; where A has no such word, with its own."""
    shared = _shared(a.tokens, b.tokens)
    query = {j: i for i, j in shared}.get(view.query, min(look_a.query, len(a.tokens) - 1))
    # A head that only one of them has is compared with the first one of the other.
    head = view.head if view.head is None or view.head < a.n_heads else 0
    key = min(view.key, len(a.tokens) - 1)
    look = replace(view, query=query, key=key, head=head)
    return Pair(Side(f"A, {name_a}", a, look), Side(f"B, {name_b}", b, view), shared)


def _shared(a: tuple[str, ...], b: tuple[str, ...]) -> list[tuple[int, int]]:
    """The words of both sentences, each time a word comes, as their places in A and in B."""
    if a == b:
        return [(n, n) for n in range(len(a))]
    free: dict[str, list[int]] = {}
    for j, word in enumerate(b):
        free.setdefault(same_word(word), []).append(j)
    pairs = [(i, free.get(same_word(word), [])) for i, word in enumerate(a)]
    return [(i, places.pop(0)) for i, places in pairs if places]


def _buttons(is_pinned: bool) -> None:
    with st.container(horizontal=True):
        if is_pinned:
            st.button("Swap A and B", on_click=pins.swap)
            st.button("Unpin", on_click=pins.unpin, help="Back to raw against scaled.")
        st.button(
            "Keep this as A, then change something",
            on_click=pins.pin,
            key="pin_this",
            help="A stays as it is, B follows the page. The link holds both.",
        )


def _what_differs(pinned: State, state: State, other_vectors: bool) -> str:
    """Name everything in which the two states differ."""
    found = []
    for name, word in _NAMES.items():
        before, now = pinned.value(name), state.value(name)
        if before == now:
            continue
        if name in ("text", EDITS):
            found.append(word)
        else:
            write = PARAMETERS[name].write
            found.append(f"{word} {_code(write(before))} → {_code(write(now))}")
    if not found and other_vectors:  # two examples may share their words and nothing else
        found.append("embeddings")
    if not found:
        return "**A** is what you kept. Now change anything. A stays as it is."
    return f"**A** is what you kept, **B** is the page now. They differ in: {'; '.join(found)}."


def _code(text: str) -> str:
    words = text.replace("_", " ").replace(",", ", ")
    return labels.markdown(words.replace("sqrt d k", "÷ √d_k"))  # as its control says it


def _same_word(pair: Pair) -> str:
    """Say what the two sentences make of the word that asks in both."""
    a, b = pair.a, pair.b
    i, j = a.view.query, b.view.query
    word = labels.markdown(b.t.tokens[j], 24)
    if (i, j) not in pair.shared:
        return f"“{word}” stands in B alone. Click a word of both sentences to compare it."
    if a.t.x.shape[1] != b.t.x.shape[1] or a.context.shape[1] != b.context.shape[1]:
        return f"“{word}” stands in both, with vectors of different sizes."
    same = np.allclose(a.t.x[i], b.t.x[j])
    lengths = np.linalg.norm(a.context[i]) * np.linalg.norm(b.context[j])
    alike = labels.number(a.context[i] @ b.context[j] / lengths, 2) if lengths else None
    into = "the same vector in" if same else "another vector in"
    return f"**“{word}” in both: {into}, another vector out.**" + (
        f" The cosine between the two context vectors is **{alike}**; 1 would mean the same "
        f"direction."
        if alike
        else ""
    )


def _draw(pair: Pair, settings: Settings, view: View) -> None:
    a, b = pair.a, pair.b
    drawing = _Drawing(pair, view)
    _arrows(pair)
    if pair.aligned:
        drawing.weights()
        drawing.of_shared("context", "Context vectors", (a.context, b.context))
    elif pair.shared:
        drawing.of_shared("embeddings", "Embeddings of the words in both", (a.t.x, b.t.x))
        both = (a.context, b.context)
        drawing.of_shared("context", "Context vectors of the words in both", both)
    else:
        st.caption("The two sentences share no word, so there is no vector to compare.")
    if not pair.aligned:
        drawing.weights()
    if view.head is not None:
        drawing.scores()
    if pair.aligned and view.colour is not Colour.ROW:
        st.caption("A and B share one colour scale; B − A has its own, white where nothing moved.")
    _in_numbers(pair, view)
    lit = drawing.lit
    kin = dict.fromkeys([key for key in lit if "context" not in key], Kin.PAIRS)
    light(
        b.t.tokens, lit, kin if pair.aligned else {}, view.decimals, lambda: _picked(pair),
        view.turned is Turned.COLUMNS,
    )  # fmt: skip


def _picked(pair: Pair) -> None:
    """Callback: what was clicked on either side is opened in B, by the word that both have."""
    cell = said("bridge").get("picked")
    if not isinstance(cell, dict):
        return
    name, row, column = str(cell.get("chart")), cell.get("row"), cell.get("column")
    step = name.partition("_")[2]
    is_pairs = step in ("weights", "scores", "arrows")
    if is_place(row, 10**6) and step != "arrows":
        row = pair.in_b(name, int(row))
    if is_place(column, 10**6) and is_pairs:
        column = pair.in_b(name, int(column))
    pick({"chart": step, "row": row, "column": column}, pair.b.t, pair.b.view)


def _arrows(pair: Pair) -> None:
    """Who attends to whom on both sides, beside each other where there is room."""
    few = max(len(side.t.tokens) for side in (pair.a, pair.b)) <= _BESIDE
    places = st.columns(2, gap="medium") if few else [st.container(), st.container()]
    for place, letter, side in zip(places, "ab", (pair.a, pair.b), strict=True):
        with place:
            word = labels.markdown(side.t.tokens[side.view.query], 24)
            st.markdown(f"**{side.name}: “{word}” asks**")
            graph = arrow_graph(side.t, side.view)
            n_tokens = len(side.t.tokens)
            style.least_width(f"{letter}_arrows", 40 * n_tokens, most=150 * n_tokens)
            with st.container(key=f"{letter}_arrows_scroll"):
                chart(graph.figure, f"{letter}_arrows", graph.alt)


class _Drawing:
    """Draws the matrices of both sides, and keeps what of them is lit."""

    def __init__(self, pair: Pair, view: View) -> None:
        self.pair, self.view = pair, view
        self.lit: Lights = {}
        self.few = max(len(pair.a.t.tokens), len(pair.b.t.tokens)) <= _BESIDE

    def scores(self) -> None:
        """What the weights are made of."""
        a, b = self.pair.a, self.pair.b
        bound = max(largest(side.scores) for side in (a, b))
        masked = not all(side.t.visible.all() for side in (a, b))
        st.markdown("**Masked scores**" if masked else "**Scores**")
        with st.container(horizontal=True, key="steps"):
            self._both_pairs("scores", Kind.SIGNED, (a.scores, b.scores), bound)

    def weights(self) -> None:
        """Who attends to whom, and where both have the same words what is between."""
        a, b = self.pair.a, self.pair.b
        both = (a.weights, b.weights)
        bound = 1.0 if self.view.colour is Colour.UNIT else max(map(largest, both))
        negative = any((np.nan_to_num(w) < 0).any() for w in both)
        st.markdown("**Weights**")
        with st.container(horizontal=True, key="steps_of_weights"):
            self._both_pairs("weights", Kind.SIGNED if negative else Kind.WEIGHTS, both, bound)
            if self.pair.aligned:
                unseen = ~(a.t.visible | b.t.visible)
                self._matrix(
                    "c_weights", "B − A", b.weights - a.weights, a.t.tokens, None,
                    Kind.SIGNED, b.view.query, hidden=unseen if unseen.any() else None,
                )  # fmt: skip
        if not self.pair.aligned:
            st.caption("Different words, so cells cannot be subtracted.")

    def of_shared(self, step: str, title: str, both: tuple[Array, Array]) -> None:
        """Vectors of the words that both have, in the same rows, and what is between."""
        pair = self.pair
        places = tuple(zip(*pair.shared, strict=True))
        rows = tuple(pair.b.t.tokens[j] for j in places[1])
        vectors = [numbers[list(at)] for numbers, at in zip(both, places, strict=True)]
        bound = max(map(largest, vectors))
        asks = pair.b.view.query
        lit = places[1].index(asks) if asks in places[1] else None
        st.markdown(f"**{title}**")
        with st.container(horizontal=True, key=f"steps_of_{step}"):
            for letter, side, numbers in zip("ab", (pair.a, pair.b), vectors, strict=True):
                names = _features(numbers.shape[1])
                self._matrix(
                    f"{letter}_{step}",
                    side.name,
                    numbers,
                    rows,
                    names,
                    Kind.SIGNED,
                    lit,
                    bound=bound,
                )
            if vectors[0].shape == vectors[1].shape:
                names, change = _features(vectors[0].shape[1]), vectors[1] - vectors[0]
                self._matrix(f"c_{step}", "B − A", change, rows, names, Kind.SIGNED, lit)

    def _both_pairs(self, step: str, kind: Kind, both: tuple[Array, Array], bound: float) -> None:
        sides = (self.pair.a, self.pair.b)
        hidden = [~side.t.visible for side in sides]
        bounds = None
        if self.view.colour is Colour.ROW and self.pair.aligned:
            seen = [np.where(h, np.nan, m) for m, h in zip(both, hidden, strict=True)]
            bounds = row_bounds(np.hstack(seen))
        for letter, side, numbers, unseen in zip("ab", sides, both, hidden, strict=True):
            self._matrix(
                f"{letter}_{step}", side.name, numbers, side.t.tokens, None, kind, side.view.query,
                hidden=unseen if unseen.any() else None, bound=bound, bounds=bounds,
            )  # fmt: skip

    def _matrix(
        self,
        key: str,
        title: str,
        numbers: Array,
        rows: tuple[str, ...],
        columns: tuple[str, ...] | None,
        kind: Kind,
        query: int | None,
        *,
        hidden: BoolArray | None = None,
        bound: float | None = None,
        bounds: Array | None = None,
    ) -> None:
        view = self.view
        figure = matrix(
            numbers,
            rows=rows,
            columns=rows if columns is None else columns,
            kind=kind,
            frame=layout(rows),
            decimals=view.decimals,
            hidden=hidden,
            bound=bound,
            row_bounds=bounds,
            hover="%{y} → %{x}" if columns is None else "%{y}, feature %{x}",
            turned=view.turned is Turned.COLUMNS,
        )
        if self.few:
            figure = narrowed(figure, _HALF)
        what = f"{key.partition('_')[2].capitalize()}, {title}"
        if columns is None:
            seen = None if hidden is None else ~hidden
            alt = describe.pairs(what, numbers, rows, seen, view.decimals)
        else:
            alt = describe.vectors(what, numbers, rows, view.decimals)
        with st.container(width=figure.width, gap="xxsmall"):
            st.markdown(f"**{title}**")
            chart(figure, key, alt)
        whole = (0, numbers.shape[1] - 1)
        self.lit[key] = [] if query is None else [Light(Role.ROW, (query, query), whole)]


def _features(count: int) -> tuple[str, ...]:
    return tuple(str(n) for n in range(1, count + 1))


def _dimension() -> None:
    """Change the dimension where its effect is seen; elsewhere the sidebar stands beside it."""
    st.number_input(
        "Dimension d_model", D_MODEL[0], D_MODEL[-1], width=180, **address.named("d_model")
    )


def _in_numbers(pair: Pair, view: View) -> None:
    """The largest weight of each word as bars, and all that is measured in a table."""
    a, b = pair.a, pair.b
    if not pair.shared:
        return
    places = tuple(map(list, zip(*pair.shared, strict=True)))
    tops = [_measures(side)[0][at] for side, at in zip((a, b), places, strict=True)]
    names = [b.t.tokens[j] for j in places[1]]
    what = "Each word’s largest weight"
    st.markdown(f"**{what}** in A and in B")
    figure = bars({a.name: tops[0], b.name: tops[1]}, names, title="largest weight")
    chart(figure, "largest", describe.vectors(what, np.stack(tops, axis=-1), names, view.decimals))
    box = st.expander("Read each word in numbers", key="in_numbers", on_change="rerun")
    if box.open:
        box.markdown(_table(a, b, view, pair.aligned))


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
