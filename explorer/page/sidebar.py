"""The controls that say what is computed."""

from __future__ import annotations

import streamlit as st

from explorer import settings as limits
from explorer import share
from explorer.examples import EXAMPLES, OWN
from explorer.operations.normalisers import NORMALISERS
from explorer.operations.schemes import SCHEMES
from explorer.page import address, history
from explorer.settings import Mask, Scale, divisors
from explorer.share import Values
from explorer.view import Colour, Drawing, Open, Turned

_SCALES = {Scale.RAW: "raw", Scale.SQRT_D_K: "÷ √d_k"}
_MASKS = {
    Mask.CAUSAL: "causal",
    Mask.WINDOW: "window",
    Mask.PADDING: "padding",
    Mask.CUSTOM: "custom",
}
_DRAWINGS = {Drawing.ARCS: "as arcs", Drawing.COLUMNS: "between columns"}
_TURNED = {Turned.ROWS: "rows", Turned.COLUMNS: "columns"}
_COLOURS = {Colour.MATRIX: "by matrix", Colour.ROW: "by row", Colour.UNIT: "0 to 1"}


def sidebar(values: Values) -> None:
    """Draw every control. What they say is in `address.read()` already."""
    with st.sidebar:
        st.title("Self-Attention Explorer", anchor=False)
        st.selectbox(
            "Example",
            [*EXAMPLES, OWN],
            format_func=_example_title,
            **address.named("example") | {"on_change": _load_example},
        )
        _about(values["example"])
        st.text_input(
            "Sentence",
            live=True,
            placeholder="Type a sentence",
            **address.named("text"),
        )
        st.slider(
            "Dimension d_model",
            limits.D_MODEL[0],
            limits.D_MODEL[-1],
            help="How many numbers stand for a word.",
            **address.named("d_model"),
        )
        _source_of_vectors(values)
        _scaling(values)
        _masks(values)
        st.toggle(
            "Separate Q, K, V",
            help="On: queries, keys and values are X times the matrices W_Q, W_K and W_V. "
            "Off: all three are the embeddings X themselves.",
            **address.named("qkv"),
        )
        box = st.expander("More: heads, positions, sizes, digits", key="more", on_change="rerun")
        if box.open:  # a dozen controls that nobody sees would slow down every redraw
            with box:
                _more(values)


def _load_example() -> None:
    """Callback: fill every control with the chosen example's own state."""
    example = address.chosen("example")
    if example != st.session_state["_values"]["example"]:
        history.act(**({"example": example} if example == OWN else share.defaults(example)))


def _example_title(name: str) -> str:
    return EXAMPLES[name].title if name in EXAMPLES else "A sentence of your own"


def _about(name: str) -> None:
    """Say whose the example is, and where its source's numbers are off."""
    if name in EXAMPLES:
        example = EXAMPLES[name]
        source = f"From {example.source}." if example.source else ""
        if source or example.note:
            st.caption(f"{source} {example.note}".strip())


def _source_of_vectors(values: Values) -> None:
    """Say where the numbers of the words come from, where that is not plain to see."""
    example = EXAMPLES.get(values["example"])
    if example is None or example.settings.x is None:
        return
    try:
        if share.experiment(values).x is not None:
            return
    except ValueError:
        return
    reason = (
        "The sentence is no longer the example’s"
        if values["d_model"] == example.settings.d_model
        else f"The example’s vectors have {example.settings.d_model} numbers"
    )
    st.caption(f"{reason}, so every word has a made-up vector now.")
    st.button(
        "Back to the example",
        on_click=address.put,
        kwargs={"text": example.settings.text, "d_model": example.settings.d_model},
    )


def _scaling(values: Values) -> None:
    compared = values["view"] == Open.COMPARE and values[share.PIN] is None
    label = "Scaling of the scores"
    if compared:
        # The label of a disabled control is too pale to read, and it still has to be read.
        st.markdown(f":small[{label}]")
    st.segmented_control(
        label,
        list(map(str, Scale)),
        format_func=_SCALES.__getitem__,
        required=True,
        disabled=compared,
        label_visibility="collapsed" if compared else "visible",
        help="Divide each score by the square root of d_k, the number of features of a key, "
        "or leave it raw.",
        **address.named("scale"),
    )
    if compared:
        st.caption("Compare shows both, raw and scaled, so there is nothing to choose here.")


def _masks(values: Values) -> None:
    st.pills(
        "Mask: what may not be seen",
        list(map(str, Mask)),
        format_func=_MASKS.__getitem__,
        selection_mode="multi",
        help="Causal: nothing after the word itself. Window: only the word and its neighbours. "
        "Padding: not the last tokens. Custom: as ticked under “Change the numbers”. "
        "Several hold together.",
        **address.named("mask"),
    )
    if Mask.WINDOW in values["mask"]:
        st.number_input(
            "Window: words on each side",
            limits.RADIUS[0],
            limits.RADIUS[-1],
            help="The word itself always belongs to its window.",
            **address.named("radius"),
        )
    if Mask.PADDING in values["mask"]:
        st.number_input(
            "Padding: tokens at the end",
            limits.PAD[0],
            limits.PAD[-1],
            **address.named("pad"),
        )


def _more(values: Values) -> None:
    possible = list(divisors(values["d_model"]))
    if values["qkv"] and values["d_k"]:
        possible = sorted({*range(1, 9), *possible, values["n_heads"]})
    address.renew("n_heads", possible)
    st.selectbox(
        "Heads",
        possible,
        help="Each head attends on its own, with its own share of the features.",
        **address.named("n_heads"),
    )
    st.selectbox(
        "Positions",
        list(SCHEMES),
        format_func=lambda code: SCHEMES[code].title,
        help="How a word’s place comes into the numbers. Sinusoidal (Vaswani et al. 2017): waves "
        "added to the embeddings; in halves, as tensor2tensor lays them out. Rotary (Su et al. "
        "2021): queries and keys are turned. ALiBi (Press et al. 2022): distance lowers the score.",
        **address.named("position"),
    )
    st.segmented_control(
        "Scores become weights by",
        list(NORMALISERS),
        format_func=lambda code: NORMALISERS[code].title,
        required=True,
        help="Plain division is what one would try first. Try negative scores.",
        **address.named("rule"),
    )
    st.number_input(
        "Temperature",
        *limits.TEMPERATURE,
        step=0.1,
        format="%.2f",
        help="The scores are divided by it, last before they become weights. Below 1 the choice "
        "becomes sharper, above 1 more even.",
        **address.named("temperature"),
    )
    own_size = values["d_model"] // values["n_heads"]
    for name, of in (("d_k", "a query or key"), ("d_v", "a value")):
        st.number_input(
            f"{name}: features of {of}",
            limits.D_HEAD[0],
            limits.D_HEAD[-1],
            step=1,
            value=None,
            placeholder=f"{own_size}" if name == "d_k" else "as d_k",
            disabled=not values["qkv"],
            help="In one head. Needs separate Q, K, V.",
            **address.named(name),
        )
    st.number_input(
        "Seed of the made-up numbers",
        limits.SEED[0],
        limits.SEED[-1],
        **address.named("seed"),
    )
    st.segmented_control(
        "Colours",
        list(map(str, Colour)),
        format_func=_COLOURS.__getitem__,
        required=True,
        help="What the darkest colour stands for: the largest number of the matrix, of each row, "
        "or 1.",
        **address.named("colour"),
    )
    st.segmented_control(
        "Arrows are drawn",
        list(map(str, Drawing)),
        format_func=_DRAWINGS.__getitem__,
        required=True,
        **address.named("drawing"),
    )
    st.number_input(
        "Arrows from this share on, in %",
        share.LEAST[0],
        share.LEAST[-1],
        help="Weaker ones are left out.",
        **address.named("least"),
    )
    st.toggle("A word’s arrow to itself", **address.named("own"))
    st.segmented_control(
        "Words are",
        list(map(str, Turned)),
        format_func=_TURNED.__getitem__,
        required=True,
        help="Some books write a word’s vector as a row, some as a column. Then every matrix is "
        "transposed and the factors change places; no number changes.",
        **address.named("turned"),
    )
    st.slider("Decimals", share.DECIMALS[0], share.DECIMALS[-1], **address.named("decimals"))
