"""Precision: the same attention in four types of float."""

from __future__ import annotations

import importlib.util

import numpy as np
import streamlit as st

from explorer.attention import Array
from explorer.lab import precision
from explorer.lab.precision import Float, Precise
from explorer.labels import number
from explorer.page.choose import choose
from explorer.page.lab import parts
from explorer.page.lab.parts import Map
from explorer.settings import Settings
from explorer.trace import trace
from explorer.view import TIMES, View

_DECIMALS = 4


def precision_box(settings: Settings, view: View) -> None:
    """Multiply queries and keys, attend in every type, and show where they part."""
    parts.question("How many digits does attention need?")
    if importlib.util.find_spec("torch") is None:
        st.info("PyTorch is not installed here, and NumPy has no bfloat16.")
        parts.do_it_yourself("Install PyTorch, and open this page again.")
        return
    choose("lab_times", "Multiply queries and keys by", TIMES, str)
    t = trace(settings)
    head = parts.head_of(t, view.head)
    q, k = (met[head] * view.lab_times for met in (t.q_turned, t.k_turned))
    with st.spinner("Starting PyTorch"):
        found = precision.compare(q, k, t.factor, t.visible, view.decimals)
    parts.answer(_said(found, view))
    short = {name: found[name] for name in (Float.BFLOAT16, Float.FLOAT16)}
    end = max((_largest(one.difference) for one in short.values()), default=0.0) or None
    hidden = ~t.visible if settings.mask else None
    parts.maps(
        "precision",
        [
            Map(
                key="precision_float64",
                title="Weights in float64",
                numbers=found[Float.FLOAT64].weights,
                rows=t.tokens,
                hidden=hidden,
                decimals=view.decimals,
            ),
            *(
                Map(
                    key=f"precision_{name}",
                    title=f"{name} − float64",
                    numbers=one.difference,
                    rows=t.tokens,
                    weights=False,
                    hidden=hidden,
                    bound=end,
                    decimals=_DECIMALS,
                )
                for name, one in short.items()
            ),
        ],
    )
    st.markdown(_table(found, view.decimals))
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


def _table(found: dict[Float, Precise], decimals: int) -> str:
    lines = [
        "| type | next to 1 comes 1 + | largest number | largest difference "
        "| row sums off by up to | rows with another winner | rows with NaN |",
        "|:--|--:|--:|--:|--:|--:|--:|",
    ]
    for name, one in found.items():
        most = _largest(one.difference)
        cells = [
            name.value,
            _power(one.eps),
            _power(one.most),
            "none" if one.no_numbers == len(one.weights) else _power(most),
            "–" if np.isnan(one.off) else _power(one.off),
            str(one.other_winners),
            str(one.no_numbers),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


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
