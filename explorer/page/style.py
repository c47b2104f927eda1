"""The few rules of layout that Streamlit has no setting for. No colours, no words."""

from __future__ import annotations

import streamlit as st

_PAGE = """
.stMainBlockContainer { padding: 3.25rem 2rem 4rem; }
@media (max-width: 640px) { .stMainBlockContainer { padding: 4.5rem 1rem 4rem; } }
[data-testid="stSidebarHeader"] { height: 2rem; margin-bottom: 0; }
[data-testid="stSidebar"] h1 { font-size: 1.3rem; padding-top: 0; }
[class*="arrows_scroll"] { overflow-x: auto; overflow-y: hidden; }
[class*="st-key-steps"] > *, [class*="st-key-steps"] [data-testid="stLayoutWrapper"],
[class*="st-key-steps"] .stElementContainer { max-width: 100%; }
[class*="st-key-steps"] .katex { display: inline-block; max-width: 100%; overflow: auto hidden;
  vertical-align: bottom; padding: 3px 3px 6px 0; margin: -3px 0 -6px; }
[data-testid="stMarkdownContainer"]:has(table) { overflow-x: auto; }
@keyframes fade { from { mask-size: 100% 100%; } }
[class*="arrows_scroll"], .chart, .katex-display, [data-testid="stMarkdownContainer"]:has(table) {
  mask: linear-gradient(to right, #000 calc(100% - 2.5rem), transparent)
    0 0 / calc(100% + 2.5rem) 100% no-repeat;
  animation: fade linear; animation-timeline: scroll(self inline); }
[class*="st-key-share"] button { min-height: 2rem; padding-top: 0; padding-bottom: 0; }
/* A sentence from right to left begins at the right. */
.st-key-text input { unicode-bidi: plaintext; text-align: start; }
.katex-display { overflow-x: auto; overflow-y: hidden; padding: 0.25rem 4px; }
.katex-display > .katex { text-align: left; }
.stCode .token.token.token { color: inherit; }
.stCode .token.keyword, .stCode .token.function, .stCode .token.class-name { font-weight: 600; }
.legend { display: flex; align-items: center; gap: 0.4rem; font-size: 0.75rem;
  white-space: nowrap; }
.legend i { flex: 0 1 5rem; height: 0.5rem; border: 1px solid rgba(128, 128, 128, 0.4); }
.st-key-bridge { position: absolute; height: 0; overflow: hidden; }
.st-key-out_of_sight { display: none; }
.st-key-chart_engine { position: absolute; width: 1px; height: 1px; overflow: hidden;
  visibility: hidden; }
"""


def page() -> None:
    """Set the margins of the page, and let what is too wide scroll inside itself."""
    st.html(f"<style>{_PAGE}</style>")


def stage() -> None:
    """Larger letters and less around them, for the front of a class."""
    st.html(
        "<style>.stMainBlockContainer { padding-top: 1.5rem; } header { display: none; } "
        ".stMain .katex { font-size: 1.5em; } .stMain h2 { font-size: 2.4rem; } "
        ".stMain h3 { font-size: 1.4rem; white-space: nowrap; }</style>"
    )


def least_width(key: str, least: int, most: int) -> None:
    """Keep a chart from being squeezed below `least` pixels or stretched beyond `most`."""
    st.html(
        f"<style>.st-key-{key} {{ min-width: {least}px; max-width: {max(least, most)}px; }}</style>"
    )


def legend(low: str, high: str, colours: list[list]) -> None:
    """Show which colours stand for which numbers. Both ends are written by the page itself."""
    stops = ", ".join(f"{colour} {100 * place:.0f}%" for place, colour in colours)
    st.html(
        f'<div class="legend"><span>{low}</span>'
        f'<i style="background: linear-gradient(to right, {stops})"></i><span>{high}</span></div>'
    )
