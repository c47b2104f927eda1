"""The same distance, the same score: neighbours, halves, and their mix."""

from __future__ import annotations

import numpy as np
import streamlit as st

from explorer import edits as by_hand
from explorer import labels
from explorer.export import markdown_table
from explorer.figures.lines import lines
from explorer.lab import distance
from explorer.page.lab import parts
from explorer.page.session import address, undo
from explorer.positions import Pairs, Turning, turn
from explorer.settings import Settings
from explorer.trace import trace
from explorer.view import View

_PLACES = range(12)
_NEAR = 1e-9


def distance_box(settings: Settings, view: View) -> None:
    """Move one query and one key along the sentence, and draw their score in each layout."""
    parts.question("Neighbours or halves: which features turn together?")
    t, turning = trace(settings), settings.turning
    head = view.head or 0
    even = t.q.shape[-1] // 2 * 2
    if even < 2:
        st.info("A head has one feature here, so nothing can turn. Choose fewer heads.")
        return
    q, k = t.q[head, view.query, :even], t.k[head, view.key, :even]
    away = view.query - view.key
    found = {
        name: distance.scores(q, k, away, _PLACES, way, turning)
        for name, way in distance.WAYS.items()
    }
    parts.answer(_said(found, settings, view))
    figure = lines(_PLACES, found, x_title="place of the key word", y_title="score")
    alt = "The score at twelve places: level by neighbours and by halves, up and down when mixed."
    parts.picture(figure, "distance", alt)
    st.markdown(_table(found, k, turning, view.decimals))
    if even == 2:
        st.caption("With two features there is one pair, so all three layouts are the same.")
    _permute(settings)
    parts.do_it_yourself(
        "Choose a query word and a key word further apart: other scores, and still level lines.",
        "In the view Attention choose rotary positions and switch between neighbours and halves: "
        "the weights differ. Press the button here, and they are those of neighbours again.",
    )
    parts.code(*distance.WAYS.values(), turn, distance.columns_for_halves)


def _said(found: dict[str, np.ndarray], settings: Settings, view: View) -> str:
    asks, answers = (labels.markdown(settings.tokens[n], 24) for n in (view.query, view.key))
    one = {name: labels.number(float(row[0]), view.decimals) for name, row in found.items()}
    low, high = (labels.number(float(end), view.decimals) for end in _ends(found["mixed"]))
    level = all(np.ptp(found[name]) < _NEAR for name in ("neighbours", "halves"))
    return (
        f"Both are right, as long as the matrices W_Q and W_K were trained with the same. “{asks}” "
        f"asks and “{answers}” answers, {abs(view.query - view.key)} words apart. By neighbours "
        f"their score is **{one['neighbours']}**, by halves **{one['halves']}**, "
        f"{'wherever' if level else 'nearly wherever'} the two stand. With the angles of the one "
        f"and the partners of the other it goes from **{low}** to **{high}**: the score then hangs "
        f"on the place, and no longer on the distance."
    )


def _ends(row: np.ndarray) -> tuple[float, float]:
    return row.min(), row.max()


def _table(found: dict[str, np.ndarray], k: np.ndarray, turning: Turning, decimals: int) -> str:
    places = (0, 1, 2, 11)
    head = ["layout", *(f"score, key at {place}" for place in places), "length of the key at 11"]
    rows = []
    for name, row in found.items():
        length = float(np.linalg.norm(distance.WAYS[name](k, 11, turning)))
        numbers = (*(float(row[place]) for place in places), length)
        rows.append([name, *(labels.number(number, decimals) for number in numbers)])
    own = labels.number(float(np.linalg.norm(k)), decimals)
    return f"{markdown_table(head, rows)}\n\nBefore it is turned, the key has the length {own}."


def _permute(settings: Settings) -> None:
    """Offer what makes the two layouts the same: another order of columns."""
    to_halves = settings.pairs is Pairs.NEIGHBOURS
    there = "halves" if to_halves else "neighbours"
    st.button(
        f"Reorder the columns of W_Q and W_K, and turn {there}",
        disabled=not settings.qkv,
        on_click=_reorder,
        args=(settings,),
        help="Every head’s odd columns first, then its even ones. That is what a program does that "
        "converts weights from the one layout to the other: every score stays what it was.",
    )
    if not settings.qkv:
        st.caption("Turn on “Separate Q, K, V” for this button: it changes W_Q and W_K.")


def _reorder(settings: Settings) -> None:
    state, t = address.now().state, trace(settings)
    assert t.w_q is not None
    assert t.w_k is not None
    order = distance.columns_for_halves(t.w_q.shape[1], settings.n_heads)
    to_halves = settings.pairs is Pairs.NEIGHBOURS
    if not to_halves:
        order = list(np.argsort(order))
    edits = by_hand.changed(
        state.edits,
        w_q=by_hand.written(t.w_q[:, order].tolist()),
        w_k=by_hand.written(t.w_k[:, order].tolist()),
    )
    pairs = Pairs.HALVES if to_halves else Pairs.NEIGHBOURS
    undo.act(position="rotary", pairs=pairs, edits=edits)
