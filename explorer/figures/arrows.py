"""Who attends to whom, as arcs between the words of the sentence.

The horizontal unit is a word and stretches with the page; the vertical unit is a pixel.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from explorer import labels
from explorer.attention import Array
from explorer.figures import palette
from explorer.figures.figure import Figure

HEIGHT = 250
_TOP = 188  #    the highest arc
_LOW = 62  #     the arc to a neighbour
_SELF = 40  #    the loop from a word to itself
_FOOT = 3  #     where an arc leaves its word
_TIP = 10  #     where the line of an arc ends and its tip begins
_BELOW = 50  #   room for the words and the percentages
_BANDS = len(palette.ARROWS)
_LONGEST_WORD = 14
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
    places = strongest(weights, focus)
    if focus is not None and n_tokens > MOST_OF_ONE:
        ends = set(places.ravel().tolist()) - {focus} | set(places[places[:, 0] == places[:, 1], 0])
        under = [text if n in ends else "" for n, text in enumerate(under)]
    bands: list[list[str]] = [[] for _ in range(_BANDS)]
    tips: list[tuple[float, int]] = []
    top = np.nanmax(weights, initial=LEAST, where=~np.isnan(weights))
    for i, j in places:
        band = min(int(_BANDS * weights[i, j] / top), _BANDS - 1)
        path, end = _arc(int(i), int(j), n_tokens)
        bands[band].append(path)
        tips.append((end, band))

    size = _font(n_tokens)
    words = [labels.plotly(token, _LONGEST_WORD) for token in tokens]
    if focus is not None:
        words[focus] = f'<b><span style="color:{focus_colour}">{words[focus]}</span></b>'
    return Figure(
        data=[
            _text(words, -14, size) | _named(hover),
            _text(under, -36, min(size, 13)) | {"hoverinfo": "skip"},
            {
                "type": "scatter",
                "mode": "markers",
                "x": [x for x, _ in tips],
                "y": [_FOOT + 3] * len(tips),
                "hoverinfo": "skip",
                "marker": {
                    "symbol": "triangle-down",
                    "size": [8 + 1.6 * _line_width(band) for _, band in tips],
                    "color": [palette.ARROWS[band] for _, band in tips],
                    "opacity": 1,
                    "line": {"width": 0},
                },
            },
        ],
        layout={
            "height": HEIGHT,
            "margin": {"l": 0, "r": 0, "t": 0, "b": 0, "pad": 0},
            "showlegend": False,
            "dragmode": False,
            "hovermode": "closest",
            # So near a word, in pixels, the pointer or a finger means it.
            "hoverdistance": 40,
            "shapes": _lines(bands),
            "xaxis": {
                "range": [-0.5, max(n_tokens, 1) - 0.5],
                "visible": False,
                "fixedrange": True,
            },
            "yaxis": {
                "range": [-_BELOW, HEIGHT - _BELOW],
                "visible": False,
                "fixedrange": True,
            },
        },
    )


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
    n_tokens = len(tokens)
    bands: list[list[str]] = [[] for _ in range(_BANDS)]
    top = np.nanmax(weights, initial=LEAST, where=~np.isnan(weights))
    # Side by side, thinner lines than arcs: they all meet in the same two places.
    middle = (QUERIES_AT + KEYS_AT) / 2
    for i, j in strongest(weights, focus):
        band = min(int(_BANDS * weights[i, j] / top), _BANDS - 1)
        start, end = QUERIES_AT + 0.04, KEYS_AT - 0.04
        bands[band].append(f"M{start},{i} C{middle},{i} {middle},{j} {end},{j}")
    size = _font(n_tokens)
    words = [labels.plotly(token, _LONGEST_WORD) for token in tokens]
    places = list(range(n_tokens))

    def column(x: float, text: Sequence[str], position: str) -> dict:
        return {
            "type": "scatter",
            "mode": "text",
            "x": [x] * n_tokens,
            "y": places,
            "text": list(text),
            "textposition": position,
            "textfont": {"size": size},
            "cliponaxis": False,
        }

    queries, keys = list(words), list(words)
    if focus is not None:
        marked = f'<b><span style="color:{focus_colour}">{words[focus]}</span></b>'
        (queries if focus_colour == palette.QUERY else keys)[focus] = marked
    shares = [f"{word}  {share}" for word, share in zip(keys, beside, strict=True)]
    return Figure(
        data=[
            column(QUERIES_AT, queries, "middle left") | {"hoverinfo": "skip"},
            column(KEYS_AT, shares, "middle right") | _named(hover),
        ],
        layout={
            "width": 640,
            "height": n_tokens * (size + 10) + 40,
            "margin": {"l": 0, "r": 0, "t": 8, "b": 8, "pad": 0},
            "showlegend": False,
            "dragmode": False,
            "hovermode": "closest",
            "hoverdistance": 40,
            "shapes": _lines(bands, 0.5),
            "xaxis": {"range": [-0.35, 1.55], "visible": False, "fixedrange": True},
            "yaxis": {"range": [n_tokens - 0.5, -0.5], "visible": False, "fixedrange": True},
        },
    )


def _lines(bands: list[list[str]], thickness: float = 1.0) -> list[dict]:
    """A shape for each band of weights: a few long paths are drawn faster than many short ones."""
    return [
        {
            "type": "path",
            "path": " ".join(paths),
            "layer": "below",
            "line": {"width": thickness * _line_width(band), "color": palette.ARROWS[band]},
        }
        for band, paths in enumerate(bands)
        if paths
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
    widest = max((labels.width(labels.shown(t, _LONGEST_WORD)) for t in tokens), default=0)
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


def _text(text: Sequence[str], y: int, size: int) -> dict:
    # Without markers: even those that cannot be seen take as long to draw as the words.
    places = [n for n, written in enumerate(text) if written]
    return {
        "type": "scatter",
        "mode": "text",
        "x": places,
        "y": [y] * len(places),
        "text": [text[n] for n in places],
        "textposition": "middle center",
        "textfont": {"size": size},
        "cliponaxis": False,
    }


def _named(hover: Sequence[str]) -> dict:
    return {"customdata": list(hover), "hovertemplate": "%{customdata}<extra></extra>"}
