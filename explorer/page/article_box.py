"""The published numbers of an example, checked against the page as it is now."""

from __future__ import annotations

import streamlit as st

from explorer import describe, labels
from explorer.article import Published, published
from explorer.examples import EXAMPLES
from explorer.export import markdown_table
from explorer.page.session import address, fragments

_STEPS = {
    "embeddings": "embedding",
    "queries": "query",
    "keys": "key",
    "values": "value",
    "scores": "score",
    "scaled": "scaled score",
    "masked": "masked score",
    "exponentials": "e to the score",
    "exponentials_total": "sum of e to the scores",
    "weights": "weight",
    "context": "context",
    "output": "output",
}
_PAIRS = ("scores", "scaled", "masked", "exponentials", "weights")


@fragments.part(follows=fragments.NUMBERS)
def article_box() -> None:
    """Count the published numbers that hold, and list them once the reader opens this."""
    run = address.now()
    example = EXAMPLES.get(run.state.example)
    numbers = [] if example is None else published(example, run.trace)
    if example is None or not numbers:
        return
    box = st.expander(_count(numbers), key="article", on_change="rerun")
    if not box.open:
        return
    with box:
        shown = [n for n in numbers if not n.matches] or numbers
        if shown is not numbers:
            st.markdown(f"The {len(shown)} that do not hold:")
            if any(n.misprint for n in shown) and example.note:
                st.caption(example.note)
        st.markdown(_table(shown, run.trace.tokens))


def _count(numbers: list[Published]) -> str:
    total, misprints = len(numbers), sum(n.misprint and not n.matches for n in numbers)
    held = sum(n.matches for n in numbers)
    off = total - held - misprints
    known = ""
    if misprints:
        known = f"; {misprints} {'is' if misprints == 1 else 'are'} off in the source itself"
    if not off:
        return f"Matches the article: {held} of {total} published numbers hold{known}"
    return f"{off} of {total} published numbers no longer hold{known}"


def _table(numbers: list[Published], tokens: tuple[str, ...]) -> str:
    rows = []
    for n in numbers:
        here = labels.number(n.value, max(n.decimals, 2) + 2 * (not n.matches))
        verdict = "holds" if n.matches else "off in the source" if n.misprint else "**changed**"
        rows.append((_name(n, tokens), n.printed.replace("-", "−"), here, verdict))
    return markdown_table(("number", "published", "here", "verdict"), rows, left=3)


def _name(n: Published, tokens: tuple[str, ...]) -> str:
    def word(place: int) -> str:
        return f"“{labels.markdown(describe.word(tokens, place))}”"

    if n.step in _PAIRS:
        return f"{_STEPS[n.step]} from {word(n.row)} to {word(n.column)}"
    feature = "" if n.step == "exponentials_total" else f", feature {n.column + 1}"
    return f"{_STEPS[n.step]} of {word(n.row)}{feature}"
