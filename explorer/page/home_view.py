"""The view Take home: the code, the numbers, the pictures and a handout, to keep."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from explorer import export, labels
from explorer.figures.matrix import layout
from explorer.link import codec
from explorer.link.run import Run
from explorer.link.state import State
from explorer.page.attention_view import arrow_graph, shown_steps, step_figure
from explorer.page.chart import chart
from explorer.page.choose import choose_here
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
        language = choose_here(
            "language",
            "Library",
            list(_LANGUAGES),
            "numpy",
            buttons=True,
            format_func=_LANGUAGES.__getitem__,
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
        _download("Download attention.py", lambda: script, "attention.py", "text/x-python")


def _numbers(t: AttentionTrace, settings: Settings, view: View, opened: State) -> None:
    tables = export.tables(t)
    with st.container(border=True):
        st.markdown("**The numbers**")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            name = choose_here("exported", "Matrix", list(tables), "weights", width=220)
            table = tables[name]
            for label, ending, mime, make in (
                ("CSV", "csv", "text/csv", lambda: export.csv_text(table)),
                ("Markdown", "md", "text/markdown", lambda: export.markdown(table, view.decimals)),
                ("LaTeX", "tex", "text/x-tex", lambda: export.latex(table, view.decimals)),
            ):
                _download(label, make, f"{name}.{ending}", mime, ending)
        st.caption(
            f"CSV has all digits; Markdown and LaTeX have {view.decimals} decimals, as the page."
        )
        with st.container(horizontal=True):
            link = codec.encode(opened, limited=False)
            arrays, mime = "All arrays as NPZ", "application/octet-stream"

            def state() -> str:
                return export.state(link, settings, t)

            _download("Everything as JSON", state, "attention.json", "application/json", "json")
            _download(arrays, lambda: export.npz(t, link), "attention.npz", mime, "npz")
        st.caption(
            "The JSON file holds the settings and every step at full precision. It opens again "
            "under “Open a file” in the view Attention."
        )


def _pictures(t: AttentionTrace, settings: Settings, view: View) -> None:
    with st.container(border=True):
        st.markdown("**Pictures**")
        shown = {m.told.title: m for m in shown_steps(t, settings, view)}
        name = choose_here("picture", "Picture of", [_ARROWS, *shown], _ARROWS, width=260)
        if name == _ARROWS:
            graph = arrow_graph(t, view)
            figure, alt = graph.figure.widened(max(640, 64 * len(t.tokens))), graph.alt
        else:
            figure, alt = step_figure(shown[name], view, layout(t.tokens)), name
        forms = ["svg", "png"]
        form = choose_here(
            "picture_format", "Format", forms, "svg", buttons=True, format_func=str.upper
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

        _download("Download handout.html", make, "handout.html", "text/html", "handout")


def _download(
    label: str,
    made: str | Callable[[], str | bytes],
    name: str,
    mime: str,
    key: str | None = None,
) -> None:
    """A button that saves a file, and has nothing else drawn anew."""
    st.download_button(label, made, name, mime, key=key, on_click="ignore")
