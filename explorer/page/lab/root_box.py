"""Why the root of d: a sweep over the dimensions."""

from __future__ import annotations

import time

import streamlit as st

from explorer.attention import attend
from explorer.figures.lines import lines
from explorer.lab import root
from explorer.lab.root import DIMENSIONS, Spread
from explorer.labels import number, percent
from explorer.page.choose import choose, whole_number
from explorer.page.lab import parts
from explorer.settings import SEED, Settings
from explorer.view import Curve, View

_CURVES: dict[Curve, tuple[str, str, str, dict[str, str], tuple[float, float] | None]] = {
    Curve.LARGEST: (
        "largest weight", "Largest weight of a row", "largest weight",
        {"raw": "largest_raw", "scaled": "largest_scaled"}, (0, 1.03),
    ),
    Curve.ENTROPY: (
        "entropy", "Entropy of a row of weights, in bits", "entropy in bits",
        {"raw": "entropy_raw", "scaled": "entropy_scaled"}, (0, 2.6),
    ),
    Curve.SPREAD: (
        "spread of scores", "Spread of the raw scores", "standard deviation",
        {"raw scores": "scores", "√d": "root"}, None,
    ),
    Curve.OWN: (
        "own word, Q = K = X", "Own word’s weight with Q = K = X", "own word’s weight",
        {"raw": "own_raw", "scaled": "own_scaled"}, (0, 1.03),
    ),
}  # fmt: skip
"""In its control, of the picture, of the y axis; what of `Spread` each curve draws; its range."""
_PATIENCE = 0.5  # seconds before a progress bar is worth looking at


def root_box(settings: Settings, view: View) -> None:
    """Draw what the dimension does to raw and to scaled scores, and mark the present one."""
    parts.question("Why divide the scores by the square root of d?")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choose("lab_curve", "Watch", Curve, lambda curve: _CURVES[curve][0], wrap=True)
        whole_number("lab_seed", "Seed", SEED, width=130)
    found = _sweep(settings.d_query, view.lab_seed)
    here = next(spread for spread in found if spread.d == settings.d_query)
    _, title, y_title, drawn, y_range = _CURVES[view.lab_curve]
    figure = lines(
        [spread.d for spread in found],
        {name: [getattr(one, field) for one in found] for name, field in drawn.items()},
        x_title="d, features of a query and a key",
        y_title=y_title,
        marked=here.d,
        marked_name=f"d = {here.d}, this page",
        doubling=True,
        y_range=y_range,
        ticks=(2, 4, 8, 16, 32, 64, 128, 256, 512),
    )
    said = _said(view.lab_curve, found, here)
    parts.picture(figure, "root", f"{title} from d = 2 to 512. {said}")
    parts.answer(said)
    st.caption(
        f"{root.TRIALS} times {root.N_WORDS} words, whose queries and keys are normal random "
        f"numbers with variance 1 (Vaswani et al. 2017, footnote 4). They are not this page’s "
        f"numbers; only the marked d is."
    )
    parts.do_it_yourself(
        "Move “Dimension d_model” in the sidebar: the mark moves along the curves.",
        "Watch “own word”: with Q = K = X the root is not enough. A word’s score with itself is "
        "its squared length, which grows with d itself.",
        "Change the seed: the wiggles change, the curves do not.",
    )
    parts.code(root.measure, attend)


def _sweep(present: int, seed: int) -> list[Spread]:
    found, bar, begun = [], None, time.monotonic()
    total = len({*DIMENSIONS, present})
    for spread in root.sweep(present, seed):
        found.append(spread)
        if time.monotonic() - begun > _PATIENCE:
            bar = bar or st.empty()
            # To show it is also where a run that is no longer wanted ends.
            bar.progress(len(found) / total, f"d = {spread.d}")
    if bar:
        bar.empty()
    return found


def _said(curve: Curve, found: list[Spread], here: Spread) -> str:
    first, last = found[0], found[-1]
    if curve is Curve.ENTROPY:
        return (
            f"Raw, a row’s entropy falls from {number(first.entropy_raw, 2)} bits at "
            f"d = {first.d} to {number(last.entropy_raw, 2)} at {last.d}: nearly all attention on "
            f"one word. Scaled, it goes from {number(first.entropy_scaled, 2)} to "
            f"{number(last.entropy_scaled, 2)}. At this page’s d = {here.d}: "
            f"{number(here.entropy_raw, 2)} raw, {number(here.entropy_scaled, 2)} scaled."
        )
    if curve is Curve.SPREAD:
        return (
            f"A score is a sum of d products, and its spread grows like √d: at d = {last.d} it is "
            f"{number(last.scores, 2)}, and √{last.d} = {number(last.root, 2)}; at this page’s "
            f"d = {here.d} it is {number(here.scores, 2)}, and √{here.d} = "
            f"{number(here.root, 2)}. Divided by √d the spread stays near 1."
        )
    if curve is Curve.OWN:
        return (
            f"Where queries and keys are the same vectors, a word’s raw score with itself is "
            f"{number(here.own_score_raw, 2)} at d = {here.d} and {number(last.own_score_raw, 1)} "
            f"at d = {last.d}. Divided by √d it still grows, to "
            f"{number(last.own_score_scaled, 1)}, so its own weight goes to "
            f"{percent(last.own_scaled)} scaled, too ({percent(here.own_scaled)} at d = {here.d})."
        )
    return (
        f"Raw, a row’s largest weight grows from {number(first.largest_raw, 2)} at d = {first.d} "
        f"to {number(last.largest_raw, 2)} at {last.d}: the softmax picks one word and ignores "
        f"the rest. Divided by √d it stays between "
        f"{number(min(s.largest_scaled for s in found), 2)} and "
        f"{number(max(s.largest_scaled for s in found), 2)}. At this page’s d = {here.d}: "
        f"{number(here.largest_raw, 2)} raw, {number(here.largest_scaled, 2)} scaled."
    )
