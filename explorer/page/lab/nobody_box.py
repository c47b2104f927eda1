"""A query whose keys are all hidden: PyTorch's ways, and this page's."""

from __future__ import annotations

import numpy as np
import streamlit as st

from explorer import labels
from explorer.attention import Array, BoolArray, attend, softmax
from explorer.lab import nobody
from explorer.page.lab import parts
from explorer.page.lab.parts import Map
from explorer.page.torch_check import has_pytorch
from explorer.settings import Settings
from explorer.trace import trace
from explorer.view import View

_MOST_FEATURES = 8


def nobody_box(settings: Settings, view: View) -> None:
    """Hide everything from the query word, and show what each way makes of it."""
    parts.question("What if a word may see nobody?")
    x, i = trace(settings).x, view.query
    word = labels.markdown(settings.tokens[i], 24)
    visible = nobody.unseen(len(x), i)
    ours = attend(x, x, x, visible=visible)
    ways = {"this page": ours.context} | _by_pytorch(x, visible)
    st.markdown(f"Everything is hidden from the query word, “{word}”. {_said(ways, i)}")
    shown = np.array([context[i, :_MOST_FEATURES] for context in ways.values()])
    title, names = f"Context vector of “{word}”, by each way", parts.features(shown.shape[1])
    context = Map("nobody_context", title, shown, tuple(ways), names, weights=False)
    parts.maps("nobody", [context])
    weights = "Weights on this page", ours.weights, settings.tokens
    parts.maps("nobody_weights", [Map("nobody_weights", *weights, hidden=~visible, sums=True)])
    st.caption(
        "fused: scaled_dot_product_attention. module: MultiheadAttention with need_weights=True. "
        "module, fast: the same with need_weights=False. by hand: softmax of −∞ everywhere, which "
        "is 0/0. All with Q = K = V = X, one head, scaled, in float64."
        + (f" The first {_MOST_FEATURES} features." if x.shape[1] > _MOST_FEATURES else "")
    )
    parts.do_it_yourself(
        "Choose another query word: its row is the one that is empty.",
        "In the view Attention choose the masks “causal” and “padding” with as many tokens as the "
        "sentence has words: such rows come up by themselves.",
        "In a program of your own, look for NaN after the softmax, not in the loss.",
    )
    parts.code(nobody.pytorch, softmax)


def _by_pytorch(x: Array, visible: BoolArray) -> dict[str, Array]:
    if not has_pytorch("so only this page’s own way is shown"):
        return {}
    with st.spinner("Starting PyTorch"):
        theirs = nobody.pytorch(x, visible)
    return {
        "fused": theirs.fused,
        "module": theirs.module,
        "module, fast": theirs.fast,
        "by hand": theirs.by_hand,
    }


def _said(ways: dict, i: int) -> str:
    """Which of the ways gave 0 and which NaN, as they came out just now."""
    gave = {name: context[i] for name, context in ways.items()}
    zero = [name for name, row in gave.items() if not np.isnan(row).any() and not row.any()]
    nan = [name for name, row in gave.items() if np.isnan(row).all()]
    said = f"The context vector is **0** by: {', '.join(zero) or 'none'}."
    if len(ways) > 1:
        said += f" It is **NaN** by: {', '.join(nan) or 'none'}."
    return (
        f"{said} This page says 0 and flags the row: whoever sees nobody brings nothing home, and "
        f"one NaN would spread to every later layer."
    )
