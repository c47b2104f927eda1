"""The controls that say what is computed."""

from __future__ import annotations

import streamlit as st

from explorer import settings as limits
from explorer.examples import EXAMPLES, OWN
from explorer.link import parameters
from explorer.link.run import Run
from explorer.link.state import State, defaults
from explorer.operations.normalisers import NORMALISERS
from explorer.operations.schemes import SCHEMES
from explorer.page import knobs
from explorer.page.choose import choose, slide, whole_number
from explorer.page.session import address, undo
from explorer.settings import Mask, Scale, divisors
from explorer.tokens import Cut
from explorer.view import Colour, Drawing, Open, Turned

_SCALES = {Scale.RAW: "raw", Scale.SQRT_D_K: "÷ √d_k"}
_MASKS = {
    Mask.CAUSAL: "causal",
    Mask.WINDOW: "window",
    Mask.PADDING: "padding",
    Mask.CUSTOM: "custom",
}
_CUTS = {Cut.WORDS: "as in writing", Cut.SPACES: "at spaces only"}
_DRAWINGS = {Drawing.ARCS: "as arcs", Drawing.COLUMNS: "between columns"}
_TURNED = {Turned.ROWS: "rows", Turned.COLUMNS: "columns"}
_COLOURS = {Colour.MATRIX: "by matrix", Colour.ROW: "by row", Colour.UNIT: "0 to 1"}


def sidebar(run: Run) -> None:
    """Draw every control. What they say is in the run already."""
    state = run.state
    with st.sidebar:
        st.title("Self-Attention Explorer", anchor=False)
        choose(
            "example",
            "Example",
            [*EXAMPLES, OWN],
            _example_title,
            as_list=True,
            on_change=_load_example,
        )
        _about(state.example)
        st.text_input(
            "Sentence",
            live=True,
            placeholder="Type a sentence",
            **address.named("text"),
        )
        if state.cut is Cut.SPACES:  # nobody needs the choice who did not open a file
            choose("cut", "Words end", Cut, _CUTS.__getitem__)
        slide(
            "d_model",
            "Dimension d_model",
            limits.D_MODEL,
            help="How many numbers stand for a word.",
        )
        _source_of_vectors(run)
        _scaling(state)
        _masks(state)
        st.toggle(
            "Separate Q, K, V",
            help="On: queries, keys and values are X times the matrices W_Q, W_K and W_V. "
            "Off: all three are the embeddings X themselves.",
            **address.named("qkv"),
        )
        box = st.expander("More: heads, positions, sizes, digits", key="more", on_change="rerun")
        if box.open:  # a dozen controls that nobody sees would slow down every redraw
            with box:
                _sizes_and_positions(state)
                _looks()


def _load_example() -> None:
    """Callback: fill every control with the chosen example's own state."""
    example = address.chosen("example")
    if example != address.now().state.example:
        undo.act(**({"example": example} if example == OWN else defaults(example).values()))


def _example_title(name: str) -> str:
    return EXAMPLES[name].title if name in EXAMPLES else "A sentence of your own"


def _about(name: str) -> None:
    """Say whose the example is, and where its source's numbers are off."""
    if name in EXAMPLES:
        example = EXAMPLES[name]
        source = f"From {example.source}." if example.source else ""
        if source or example.note:
            st.caption(f"{source} {example.note}".strip())


def _source_of_vectors(run: Run) -> None:
    """Say where the numbers of the words come from, where that is not plain to see."""
    example = EXAMPLES.get(run.state.example)
    if example is None or example.settings.x is None or run.refusal or run.settings.x is not None:
        return
    reason = (
        "The sentence is no longer the example’s"
        if run.state.d_model == example.settings.d_model
        else f"The example’s vectors have {example.settings.d_model} numbers"
    )
    st.caption(f"{reason}, so every word has a made-up vector now.")
    st.button(
        "Back to the example",
        on_click=address.put,
        kwargs={"text": example.settings.text, "d_model": example.settings.d_model},
    )


def _scaling(state: State) -> None:
    compared = state.view.view is Open.COMPARE and state.pin is None
    label = "Scaling of the scores"
    if compared:
        # The label of a disabled control is too pale to read, and it still has to be read.
        st.markdown(f":small[{label}]")
    choose(
        "scale",
        label,
        Scale,
        _SCALES.__getitem__,
        disabled=compared,
        label_visibility="collapsed" if compared else "visible",
        help="Divide each score by the square root of d_k, the number of features of a key, "
        "or leave it raw.",
    )
    if compared:
        st.caption("Compare shows both.")


def _masks(state: State) -> None:
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
    if Mask.WINDOW in state.mask:
        help_ = "The word itself always belongs to its window."
        whole_number("radius", "Window: words on each side", limits.RADIUS, help=help_)
    if Mask.PADDING in state.mask:
        whole_number("pad", "Padding: tokens at the end", limits.PAD)


def _sizes_and_positions(state: State) -> None:
    possible = list(divisors(state.d_model))
    if state.qkv and state.d_k:
        possible = sorted({*range(1, 9), *possible, state.n_heads})
    address.renew("n_heads", possible)
    choose(
        "n_heads",
        "Heads",
        possible,
        str,
        as_list=True,
        help="Each head attends on its own, with its own share of the features.",
    )
    choose(
        "position",
        "Positions",
        SCHEMES,
        lambda code: SCHEMES[code].title,
        as_list=True,
        help="How a word’s place comes into the numbers. Sinusoidal (Vaswani et al. 2017): waves "
        "added to the embeddings; in halves, as tensor2tensor lays them out. Rotary (Su et al. "
        "2021): queries and keys are turned. ALiBi (Press et al. 2022): distance lowers the score.",
    )
    knobs.draw(SCHEMES[state.position].knobs)
    choose(
        "rule",
        "Scores become weights by",
        NORMALISERS,
        lambda code: NORMALISERS[code].title,
        help="Plain division is what one would try first. Try negative scores.",
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
    own_size = state.d_model // state.n_heads
    for name, of in (("d_k", "a query or key"), ("d_v", "a value")):
        whole_number(
            name,
            f"{name}: features of {of}",
            limits.D_HEAD,
            step=1,
            value=None,
            placeholder=f"{own_size}" if name == "d_k" else "as d_k",
            disabled=not state.qkv,
            help="In one head. Needs separate Q, K, V.",
        )
    whole_number("seed", "Seed of the made-up numbers", limits.SEED)


def _looks() -> None:
    choose(
        "colour",
        "Colours",
        Colour,
        _COLOURS.__getitem__,
        help="What the darkest colour stands for: the largest number of the matrix, of each row, "
        "or 1.",
    )
    choose("drawing", "Arrows are drawn", Drawing, _DRAWINGS.__getitem__)
    weakest = "Arrows from this share on, in %"
    whole_number("least", weakest, parameters.LEAST, help="Weaker ones are left out.")
    st.toggle("A word’s arrow to itself", **address.named("own"))
    choose(
        "turned",
        "Words are",
        Turned,
        _TURNED.__getitem__,
        help="Some books write a word’s vector as a row, some as a column. Then every matrix is "
        "transposed and the factors change places; no number changes.",
    )
    slide("decimals", "Decimals", parameters.DECIMALS)
