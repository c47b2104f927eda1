"""Who attends to whom, as arcs between the words of the sentence.

The horizontal unit is a word and stretches with the page; the vertical unit is a pixel.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from explorer import labels
from explorer.attention import Array
from explorer.figures import palette
from explorer.figures.figure import STILL, Figure, text

HEIGHT = 250
_TOP = 188  #    the highest arc
_LOW = 62  #     the arc to a neighbour
_SELF = 40  #    the loop from a word to itself
_FOOT = 3  #     where an arc leaves its word
_TIP = 10  #     where the line of an arc ends and its tip begins
_BELOW = 50  #   room for the words and the percentages
_BANDS = len(palette.ARROWS)
_LONGEST_WORD = 14
_UNSEEN = {"visible": False, "fixedrange": True}
_NO_MARGIN = {"l": 0, "r": 0, "t": 0, "b": 0, "pad": 0}
# So near a word, in pixels, the pointer or a finger means it.
_STILL = STILL | {"hoverdistance": 40}
QUERIES_AT, KEYS_AT = 0.0, 1.0
"""Where the two columns stand, on the horizontal axis of `columns`."""
MOST_OF_ALL = 512
MOST_OF_ONE = 48
LEAST = 5e-4
"""A smaller weight is not drawn: it is written as 0.0 %."""


def arrows(
    weights: Array,
    tokens: Sequence[str],
    under: Sequence[str],
    hover: Sequence[str],
    focus: int | None = None,
    focus_colour: str = palette.QUERY,
) -> Figure:
    """Draw an arc from each query to each key, the wider and darker the larger its weight.

    weights: (T, T); an arc whose weight is NaN or rounds to 0 % is left out.
    under: what is written under each word; where not all its arcs are drawn, under those that have
    one. hover: what is said when a word is pointed at.
    focus: the word that is set off from the others.
    """
    n_tokens = len(tokens)
    drawn = _banded(weights, focus)
    if focus is not None and n_tokens > MOST_OF_ONE:
        ends = {n for i, j, _ in drawn for n in (i, j) if n != focus or i == j}
        under = [share if n in ends else "" for n, share in enumerate(under)]
    arcs = [(*_arc(i, j, n_tokens), band) for i, j, band in drawn]
    tips = {
        "type": "scatter",
        "mode": "markers",
        "x": [end for _, end, _ in arcs],
        "y": [_FOOT + 3] * len(arcs),
        "hoverinfo": "skip",
        "marker": {
            "symbol": "triangle-down",
            "size": [8 + 1.6 * _line_width(band) for *_, band in arcs],
            "color": [palette.ARROWS[band] for *_, band in arcs],
            "opacity": 1,
            "line": {"width": 0},
        },
    }
    size = _font(n_tokens)
    words = _row(_words(tokens, focus, focus_colour), -14, size)
    layout = {
        "height": HEIGHT,
        "margin": _NO_MARGIN,
        "shapes": _lines((path, band) for path, _, band in arcs),
        "xaxis": _UNSEEN | {"range": [-0.5, max(n_tokens, 1) - 0.5]},
        "yaxis": _UNSEEN | {"range": [-_BELOW, HEIGHT - _BELOW]},
    }
    return Figure([_named(words, hover), _row(under, -36, min(size, 13)), tips], _STILL | layout)


def columns(
    weights: Array,
    tokens: Sequence[str],
    beside: Sequence[str],
    hover: Sequence[str],
    focus: int | None = None,
    focus_colour: str = palette.QUERY,
) -> Figure:
    """The same arrows as lines from a column of queries to a column of keys.

    Parameters as in `arrows`; `beside` is written to the right of each key.
    """
    n_tokens, size = len(tokens), _font(len(tokens))
    start, middle, end = QUERIES_AT + 0.04, (QUERIES_AT + KEYS_AT) / 2, KEYS_AT - 0.04
    paths = (
        (f"M{start},{i} C{middle},{i} {middle},{j} {end},{j}", band)
        for i, j, band in _banded(weights, focus)
    )
    of_queries = focus_colour == palette.QUERY
    queries = _words(tokens, focus if of_queries else None, focus_colour)
    keys = _words(tokens, None if of_queries else focus, focus_colour)
    shares = [f"{word}  {share}" for word, share in zip(keys, beside, strict=True)]
    places = range(n_tokens)
    left = text([QUERIES_AT] * n_tokens, places, queries, size)
    right = _named(text([KEYS_AT] * n_tokens, places, shares, size), hover)
    for column, side in ((left, "left"), (right, "right")):
        column |= {"textposition": f"middle {side}", "cliponaxis": False}
    layout = {
        "width": 640,
        "height": n_tokens * (size + 10) + 40,
        "margin": _NO_MARGIN | {"t": 8, "b": 8},
        # Thinner lines than arcs: they all meet in the same two places.
        "shapes": _lines(paths, 0.5),
        "xaxis": _UNSEEN | {"range": [-0.35, 1.55]},
        "yaxis": _UNSEEN | {"range": [n_tokens - 0.5, -0.5]},
    }
    return Figure([left, right], _STILL | layout)


def _banded(weights: Array, focus: int | None) -> list[tuple[int, int, int]]:
    """Query, key and band of weights of every arrow to draw."""
    top = np.nanmax(weights, initial=LEAST, where=~np.isnan(weights))
    return [
        (i, j, min(int(_BANDS * weights[i, j] / top), _BANDS - 1))
        for i, j in strongest(weights, focus).tolist()
    ]


def _lines(paths: Iterable[tuple[str, int]], thickness: float = 1.0) -> list[dict]:
    """A shape for each band of weights: a few long paths are drawn faster than many short ones."""
    bands: list[list[str]] = [[] for _ in range(_BANDS)]
    for path, band in paths:
        bands[band].append(path)
    return [
        {
            "type": "path",
            "path": " ".join(together),
            "layer": "below",
            "line": {"width": thickness * _line_width(band), "color": palette.ARROWS[band]},
        }
        for band, together in enumerate(bands)
        if together
    ]


def strongest(weights: Array, focus: int | None) -> NDArray[np.intp]:
    """The (query, key) of every arrow to draw: more would be a blot, and slow."""
    places = np.argwhere(weights >= LEAST)
    most = MOST_OF_ALL if focus is None else MOST_OF_ONE
    if len(places) > most:
        order = np.argsort(-weights[tuple(places.T)], kind="stable")
        places = places[order[:most]]
    return places


def slot_width(tokens: Sequence[str]) -> int:
    """How many pixels each word needs, so that no two run into each other."""
    widest = max(map(labels.width, labels.told_apart(tokens, _LONGEST_WORD)), default=0)
    return int(max(_font(len(tokens)) * widest + 12, 50))


def _arc(i: int, j: int, n_tokens: int) -> tuple[str, float]:
    """The line of one arrow, and where its tip stands."""
    if i == j:
        start, end, height = i - 0.11, i + 0.11, float(_SELF)
    else:
        side = 0.2 if j > i else -0.2
        start, end = i + side, j - side / 4
        height = _LOW + (_TOP - _LOW) * (abs(i - j) - 1) / max(n_tokens - 2, 1)
    # Both handles stand right above the ends, so the arc leaves and arrives upright and its tip
    # can simply point down. A cubic curve reaches three quarters of its handles' height.
    handle = _FOOT + (height - _FOOT) * 4 / 3
    return (
        f"M{start:.3f},{_FOOT} C{start:.3f},{handle:.1f} {end:.3f},{handle:.1f} {end:.3f},{_TIP}",
        end,
    )


def _font(n_tokens: int) -> int:
    return 16 if n_tokens <= 16 else 12


def _line_width(band: int) -> float:
    return 1.0 + 0.95 * band


def _words(tokens: Sequence[str], focus: int | None, colour: str) -> list[str]:
    words = [labels.plotly(word) for word in labels.told_apart(tokens, _LONGEST_WORD)]
    if focus is not None:
        words[focus] = f'<b><span style="color:{colour}">{words[focus]}</span></b>'
    return words


def _row(words: Sequence[str], y: int, size: int) -> dict:
    places = [n for n, word in enumerate(words) if word]
    row = text(places, [y] * len(places), [words[n] for n in places], size)
    return row | {"textposition": "middle center", "cliponaxis": False}


def _named(words: dict, hover: Sequence[str]) -> dict:
    """The same words, which say something when they are pointed at."""
    del words["hoverinfo"]
    return words | {"customdata": list(hover), "hovertemplate": "%{customdata}<extra></extra>"}
