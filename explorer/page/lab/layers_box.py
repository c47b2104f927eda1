"""Again and again: what comes out goes in once more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import streamlit as st

from explorer.figures.lines import lines
from explorer.lab import layers
from explorer.lab.layers import N_LAYERS, Layer
from explorer.lab.own_word import cosines
from explorer.labels import number
from explorer.page.choose import slide
from explorer.page.lab import parts
from explorer.page.lab.parts import Map
from explorer.settings import Mask, Scale, Settings, divisors
from explorer.trace import trace
from explorer.view import View

_MANY_WORDS = 128
"""With more of them it takes longer than half a second."""
_NEARLY_NOTHING = 1e-15
"""Distances below are rounding errors."""


def layers_box(settings: Settings, view: View) -> None:
    """Repeat attention as it is set and with one thing changed; draw how far words lie apart."""
    parts.question("What if attention is applied again and again?")
    slide("lab_layers", "Layers", N_LAYERS, width=420)
    most = N_LAYERS[-1]
    as_set = layers.repeat(settings, most)
    if len(as_set) == 1 and settings.tokens:
        st.info(
            f"The output cannot go in again: it has {trace(settings).output.shape[1]} features, "
            f"and the embeddings have {settings.d_model}."
        )
        parts.do_it_yourself("Empty “d_k” and “d_v” in the sidebar under “More”: they fit then.")
        return
    runs = {"as set": as_set} | _repeated(settings, most)
    curves = {name: _apart(run, most) for name, run in runs.items()}
    here = as_set[min(view.lab_layers, len(as_set) - 1)]
    figure = lines(
        range(most + 1),
        curves,
        x_title="layers of attention",
        y_title="distance of the words",
        marked=view.lab_layers,
        marked_name=f"{view.lab_layers} layers" if view.lab_layers > 1 else "1 layer",
        y_powers=True,
        ticks=range(0, most + 1, 2),
    )
    said = _said(runs, view.lab_layers)
    parts.picture(figure, "distance", said)
    parts.answer(said)
    title, cosine = f"Cosine between words after {view.lab_layers}", cosines(here.x, here.x)
    alike = Map("layers_cosine", title, cosine, settings.tokens, weights=False, bound=1.0)
    parts.maps("layers", [alike], decimals=view.decimals)
    st.caption(
        "Distance: root mean square distance of the words from their mean, on a scale of powers of "
        "ten. Nothing else stands between the layers here. In a transformer every layer adds its "
        "input back (the residual), which keeps words apart."
    )
    parts.do_it_yourself(
        "Move “Layers”: when do all cosines round to 1?",
        "Choose the mask “causal”: the first word never changes, and the others drift to it.",
        "Move the dimension: in many dimensions words attend to themselves and mix more slowly.",
    )
    parts.code(layers.repeat, layers.measure, trace)


def _repeated(settings: Settings, most: int) -> dict[str, list[Layer]]:
    """Each variant's layers; with many words the page says how far it is."""
    long, runs = len(settings.tokens) > _MANY_WORDS, {}
    progress = st.progress(0.0, "Applying attention again and again") if long else None
    variants = list(_variants(settings))
    for n, (name, other) in enumerate(variants, start=1):
        runs[name] = layers.repeat(other, most)
        if progress is not None:
            progress.progress(n / len(variants))
    if progress is not None:
        progress.empty()
    return runs


def _variants(settings: Settings) -> Iterator[tuple[str, Settings]]:
    """The same with one thing changed: the scaling, the mask, the heads."""
    raw = settings.scale is Scale.RAW
    yield (
        ("÷\u00a0√d_k" if raw else "raw"),
        replace(settings, scale=Scale.SQRT_D_K if raw else Scale.RAW),
    )
    if settings.mask:
        yield "no mask", replace(settings, mask=())
    else:
        yield "causal mask", replace(settings, mask=(Mask.CAUSAL,))
    heads = divisors(settings.d_model)[1] if settings.n_heads == 1 else 1
    try:
        yield f"{heads} head{'s' * (heads > 1)}", replace(settings, n_heads=heads)
    except ValueError:
        return  # matrices given by hand fit the heads as they are


def _apart(run: list[Layer], most: int) -> list[float]:
    """Distances by layer; NaN where there is nothing to draw on a scale of powers."""
    found = [layer.apart if layer.apart > _NEARLY_NOTHING else np.nan for layer in run]
    return found + [np.nan] * (most + 1 - len(found))


def _said(runs: dict[str, list[Layer]], n_layers: int) -> str:
    as_set = runs["as set"]
    n = min(n_layers, len(as_set) - 1)
    first, here = as_set[0], as_set[n]
    others = "; ".join(
        f"{name} {_short(run[n].apart)}"
        for name, run in runs.items()
        if name != "as set" and len(run) > n
    )
    cut = (
        f" After {len(as_set) - 1} layers the numbers outgrow what this page computes with."
        if len(as_set) <= n_layers
        else ""
    )
    alike = "Words grow alike" if here.apart < first.apart else "Words do not grow alike here"
    return (
        f"{alike}: after {n} {'layer' if n == 1 else 'layers'} they lie {_short(here.apart)} apart "
        f"instead of {_short(first.apart)}, and the mean cosine between two is "
        f"{number(here.cosine, 3)} instead of {number(first.cosine, 3)}. With one thing changed: "
        f"{others}.{cut}"
    )


def _short(distance: float) -> str:
    if distance <= _NEARLY_NOTHING:
        return "0"
    if distance >= 5e-3:
        return number(distance, 2 if distance < 1e4 else 3)
    return f"{distance:.0e}".replace("-0", "-").replace("-", "−")
