"""The same numbers computed in three ways, on request, with the code that ran."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import numpy as np
import streamlit as st

from explorer import three_ways
from explorer.attention import Array
from explorer.operations.normalisers import NORMALISERS
from explorer.page.session import address, fragments
from explorer.trace import AttentionTrace

_MOST_IN_LOOPS = 64
_ROUNDING = 1e-9
_WAYS = {
    "Word by word": three_ways.word_by_word,
    "Step by step": three_ways.step_by_step,
    "In one line": three_ways.in_one_line,
}


@fragments.part(follows=fragments.NUMBERS)
def three_ways_box() -> None:
    """Run all three on the numbers of the page, and say how far apart they are."""
    box = st.expander("Three ways to compute it", key="three_ways", on_change="rerun")
    if not box.open:
        return
    run = address.now()
    t, head = run.trace, run.view.head or 0
    other = NORMALISERS[run.settings.rule].not_softmax
    if other:
        box.caption(f"These are three ways to write the softmax; {other}.")
        return
    with box:
        st.markdown(
            "Each ran just now on the numbers above"
            + (f", those of head {head + 1}" if t.n_heads > 1 else "")
            + ". On the page words count from 1; the loops count from 0."
        )
        for name, function in _WAYS.items():
            st.markdown(f"**{name}** · {_verdict(function, t, head)}")
            st.code(inspect.getsource(function), language="python")


def _verdict(function: Callable[..., Array], t: AttentionTrace, head: int) -> str:
    if function is three_ways.word_by_word and len(t.tokens) > _MOST_IN_LOOPS:
        return f"not run: with more than {_MOST_IN_LOOPS} words the loops take seconds"
    # The temperature divides whatever goes into the softmax.
    bias = (np.zeros(t.visible.shape) if t.bias is None else t.bias[head]) / t.temperature
    factor = t.factor / t.temperature
    context = function(t.q_turned[head], t.k_turned[head], t.v[head], factor, t.visible, bias)
    apart = float(np.abs(context - t.context[head]).max(initial=0.0))
    if apart == 0:
        return "the same context vectors to the last bit"
    if apart <= _ROUNDING * max(1.0, float(np.abs(t.context[head]).max(initial=0.0))):
        return f"the same context vectors; the largest difference is {apart:.0e}, a rounding error"
    return f"the context vectors differ by up to {apart:.0e}"
