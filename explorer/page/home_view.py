"""The view Take home: the code, the numbers, the pictures and a handout, to keep."""

from __future__ import annotations

import streamlit as st

from explorer import export, labels
from explorer.figures.matrix import layout
from explorer.link import codec
from explorer.link.run import Run
from explorer.link.state import State
from explorer.page.attention_view import arrow_graph, shown_steps, step_figure
from explorer.page.chart import chart
from explorer.page.session import address
from explorer.rendering import programs
from explorer.settings import Settings
from explorer.trace import AttentionTrace
from explorer.view import Open, View

_LANGUAGES = {"numpy": "NumPy", "torch": "PyTorch"}
_ARROWS = "Arrow graph"
_PRINT_SCALE = 3
_LONGEST_SCRIPT = 12_000
"""More characters are a wall of numbers, and slow to colour."""


def home_view(run: Run) -> None:
    """Offer what a reader takes with them. Files are made only when they are asked for."""
    t, settings, view, opened = run.trace, run.settings, run.view, _opened(run.state)
    _code(t, settings, opened)
    _numbers(t, settings, view, opened)
    _pictures(t, settings, view)
    _handout(t, settings, view, opened)


def _opened(state: State) -> State:
    """What is taken home opens again on the numbers, not on this view."""
    return state.but(view=Open.ATTENTION)


def _code(t: AttentionTrace, settings: Settings, opened: State) -> None:
    with st.container(border=True):
        st.markdown("**Code that reproduces this page**")
        address.keep("language", list(_LANGUAGES), "numpy")
        language = st.segmented_control(
            "Library",
            list(_LANGUAGES),
            format_func=_LANGUAGES.__getitem__,
            required=True,
            key="language",
            label_visibility="collapsed",
        )
        make = programs.torch_script if language == "torch" else programs.numpy_script
        whole = address.link(opened, limited=False)
        script = f"# {whole}\n{make(t, settings)}"
        st.caption(
            "Complete: save it, run it. It ends by checking itself against the weights and the "
            "context vectors of this page."
        )
        if len(script) <= _LONGEST_SCRIPT:
            st.code(script, language="python", wrap_lines=True)
        else:
            st.caption("Too long to show here: it has all your numbers in.")
        st.download_button(
            "Download attention.py", script, "attention.py", "text/x-python", on_click="ignore"
        )


def _numbers(t: AttentionTrace, settings: Settings, view: View, opened: State) -> None:
    tables = export.tables(t)
    with st.container(border=True):
        st.markdown("**The numbers**")
        address.keep("exported", list(tables), "weights")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            name = st.selectbox("Matrix", list(tables), key="exported", width=220)
            table = tables[name]
            for label, ending, mime, make in (
                ("CSV", "csv", "text/csv", lambda: export.csv_text(table)),
                ("Markdown", "md", "text/markdown", lambda: export.markdown(table, view.decimals)),
                ("LaTeX", "tex", "text/x-tex", lambda: export.latex(table, view.decimals)),
            ):
                st.download_button(
                    label, make, f"{name}.{ending}", mime, key=ending, on_click="ignore"
                )
        st.caption(
            f"CSV has all digits; Markdown and LaTeX have {view.decimals} decimals, as the page."
        )
        with st.container(horizontal=True):
            st.download_button(
                "Everything as JSON",
                lambda: export.state(codec.encode(opened, limited=False), settings, t),
                "attention.json",
                "application/json",
                key="json",
                on_click="ignore",
            )
            st.download_button(
                "All arrays as NPZ",
                lambda: export.npz(t, codec.encode(opened, limited=False)),
                "attention.npz",
                "application/octet-stream",
                key="npz",
                on_click="ignore",
            )
        st.caption(
            "The JSON file holds the settings and every step at full precision. It opens again "
            "under “Open a file” in the view Attention."
        )


def _pictures(t: AttentionTrace, settings: Settings, view: View) -> None:
    with st.container(border=True):
        st.markdown("**Pictures**")
        shown = {m.told.title: m for m in shown_steps(t, settings, view)}
        address.keep("picture", [_ARROWS, *shown], _ARROWS)
        name = st.selectbox("Picture of", [_ARROWS, *shown], key="picture", width=260)
        if name == _ARROWS:
            graph = arrow_graph(t, view)
            figure, alt = graph.figure.widened(max(640, 64 * len(t.tokens))), graph.alt
        else:
            figure = step_figure(shown[name], view, layout(t.tokens))
            alt = name
        address.keep("picture_format", ["svg", "png"], "svg")
        form = st.segmented_control(
            "Format",
            ["svg", "png"],
            format_func=str.upper,
            required=True,
            key="picture_format",
        )
        st.caption(
            "The camera at the picture’s upper right corner saves it: SVG with the words as text, "
            f"or PNG in {_PRINT_SCALE} times the size, for print."
        )
        chart(
            figure,
            "picture_chart",
            alt,
            download={
                "format": form,
                "filename": labels.shown(name).replace(" ", "_"),
                "scale": 1 if form == "svg" else _PRINT_SCALE,
            },
        )


def _handout(t: AttentionTrace, settings: Settings, view: View, opened: State) -> None:
    with st.container(border=True):
        st.markdown("**Handout**")
        st.caption(
            "One file that opens in any browser, without a network: the sentence, every step, the "
            "arithmetic of the number that is open, the settings and the link. About 5 MB, nearly "
            "all of it the drawing library."
        )
        link = address.link(opened)

        def make() -> str:
            from explorer.page.handout import handout

            return handout(t, settings, view, link)

        st.download_button(
            "Download handout.html",
            make,
            "handout.html",
            "text/html",
            key="handout",
            on_click="ignore",
        )
