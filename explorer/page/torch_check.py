"""The same experiment by PyTorch, on request."""

from __future__ import annotations

import importlib.util
import inspect

import streamlit as st

from explorer.page.session import address, fragments


def has_pytorch(without: str) -> bool:
    """Whether it is installed; if not, says so, and in half a sentence what is missing without."""
    found = importlib.util.find_spec("torch") is not None
    if not found:
        st.info(f"PyTorch is not installed here, {without}.")
    return found


@fragments.part(follows=fragments.NUMBERS)
def torch_check() -> None:
    """Run PyTorch once the reader opens this, and show how far its numbers are from ours."""
    box = st.expander("Check against PyTorch", key="torch_check", on_change="rerun")
    if not box.open:
        return
    run = address.now()
    t, settings = run.trace, run.settings
    with box:
        if not has_pytorch("so there is nothing to check against"):
            return
        with st.spinner("Starting PyTorch"):
            from explorer import twin  # over a second and 200 MB: only for those who ask

            if settings.rule not in twin.WAYS:
                st.info("This rule has not been written in PyTorch yet.")
                return
            found = twin.difference(t, twin.run(t, settings))
        st.markdown(
            f"PyTorch made its own queries, keys, values, scale and mask from the same settings, "
            f"in float64. Largest difference from the numbers on this page: weights "
            f"**{found.weights:.1e}**, context **{found.context:.1e}**"
            + (
                "; its built-in function knows the softmax alone."
                if found.fused_context is None
                else f"; context by its built-in function **{found.fused_context:.1e}**."
            )
        )
        if t.sees_nobody.any():
            st.markdown(
                "Words that may see nobody are left out: there the three lines give NaN (0/0), and "
                "the built-in function gives 0, as this page does."
            )
        ran = filter(None, twin.WAYS[settings.rule])
        st.code("\n\n".join(map(inspect.getsource, ran)), language="python")
