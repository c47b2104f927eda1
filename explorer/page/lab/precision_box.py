"""Precision: the same attention in four types of float."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import streamlit as st

from explorer.attention import Array
from explorer.export import markdown_table
from explorer.lab import precision
from explorer.lab.precision import Float, Precise
from explorer.labels import number
from explorer.page.choose import choose
from explorer.page.lab import parts
from explorer.page.lab.parts import Map
from explorer.page.torch_check import has_pytorch
from explorer.settings import Settings
from explorer.trace import trace
from explorer.view import TIMES, View

_DECIMALS = 4


def precision_box(settings: Settings, view: View) -> None:
    """Multiply queries and keys, attend in every type, and show where they part."""
    parts.question("How many digits does attention need?")
    if not has_pytorch("and NumPy has no bfloat16"):
        parts.do_it_yourself("Install PyTorch, and open this page again.")
        return
    choose("lab_times", "Multiply queries and keys by", TIMES, str)
    t = trace(settings)
    head = view.head or 0
    q, k = (met[head] * view.lab_times for met in (t.q_turned, t.k_turned))
    with st.spinner("Starting PyTorch"):
        found = precision.compare(q, k, t.factor, t.visible, view.decimals)
    parts.answer(_said(found, view))
    exact, words = found[Float.FLOAT64].weights, t.tokens
    maps = [Map("precision_float64", "Weights in float64", exact, words, decimals=view.decimals)]
    short = {name: found[name].difference for name in (Float.BFLOAT16, Float.FLOAT16)}
    end = max(map(_largest, short.values())) or None
    for name, apart in short.items():
        one = Map(f"precision_{name}", f"{name} − float64", apart, words, weights=False, bound=end)
        maps.append(replace(one, decimals=_DECIMALS))
    parts.maps("precision", maps, hidden=~t.visible if settings.mask else None)
    st.markdown(_table(found))
    parts.do_it_yourself(
        "Multiply by 10, by 100, by 1000: scores grow a hundred times with each step, and their "
        "rounding errors with them.",
        "Divide by √d_k in the sidebar: scores stay smaller, and all types last longer.",
        "Where float16 gives NaN, a score was beyond 65504: that is ∞ for it, and ∞ − ∞ is NaN.",
    )
    parts.code(precision.weights, precision.compare)


def _said(found: dict[Float, Precise], view: View) -> str:
    cells = found[Float.FLOAT64].weights.size
    said = []
    for name, one in found.items():
        if name is Float.FLOAT64:
            continue
        if one.no_numbers:
            said.append(f"**{name}** has NaN in {one.no_numbers} of {len(one.weights)} rows")
            continue
        winners = (
            f", and in {one.other_winners} of {len(one.weights)} rows another winner or a tie"
            if one.other_winners
            else ""
        )
        said.append(
            f"**{name}** shows another number in {one.other_digits} of {cells} cells{winners}"
        )
    return f"At {view.decimals} decimals, {'; '.join(said)}."


def _table(found: dict[Float, Precise]) -> str:
    columns: dict[str, Callable[[Precise], str]] = {
        "next to 1 comes 1 +": lambda one: _power(one.eps),
        "largest number": lambda one: _power(one.most),
        "largest difference": lambda one: (
            "none" if one.no_numbers == len(one.weights) else _power(_largest(one.difference))
        ),
        "row sums off by up to": lambda one: "–" if np.isnan(one.off) else _power(one.off),
        "rows with another winner": lambda one: str(one.other_winners),
        "rows with NaN": lambda one: str(one.no_numbers),
    }
    rows = ([name, *(cell(one) for cell in columns.values())] for name, one in found.items())
    return markdown_table(["type", *columns], rows)


def _largest(difference: Array) -> float:
    """The largest size among the numbers that are some; 0 where there is no difference."""
    return float(np.abs(difference[~np.isnan(difference)]).max(initial=0.0))


def _power(size: float) -> str:
    """One digit and its power of ten: 1e−7."""
    if size == 0:
        return "0"
    if 0.01 <= size < 1e5:
        return number(size, 3 if size < 10 else 0)
    digit, power = f"{size:.0e}".split("e")
    return f"{digit}e{int(power)}".replace("-", "−")
