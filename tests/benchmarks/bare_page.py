"""A bare Streamlit page with the heat maps of the explorer, for `redraw.py` to compare with.

Frozen: all that it computes and draws is written here and nothing comes from the explorer, so that
a change of the explorer never moves what it is measured against. It has the cells, digits and
ticks of the explorer's embeddings, scores, weights and context vectors, a choice of the query word
and one of the scaling by the same widgets; no arrows, no outlines, no text. Like any page that
outlines the query's row in its figures, it changes every figure with the query word; the change is
one that cannot be seen. `?text=...&d_model=...` as there, with words between spaces.

Shapes: T words, C features.
"""

from __future__ import annotations

import hashlib

import numpy as np
import plotly.graph_objects as go
import streamlit as st

TEXT = "The cat sat on the warm mat"
VECTORS = [
    [0.41, 0.12, 0.73],
    [0.58, 0.91, 0.44],
    [0.33, 0.76, 0.89],
    [0.15, 0.42, 0.67],
    [0.39, 0.14, 0.71],
    [0.82, 0.53, 0.29],
    [0.61, 0.85, 0.47],
]
SCALES = {"raw": "Raw", "sqrt_d_k": "Divided by √d_k"}

WEIGHTS = [[0, "#ffffff"], [0.25, "#d3e6f4"], [0.5, "#a0cae8"], [0.75, "#6aadda"], [1, "#3d92cd"]]
SIGNED = [[0, "#d57b22"], [0.25, "#edbb7f"], [0.5, "#ffffff"], [0.75, "#c0b7de"], [1, "#8b7ac2"]]
FONT = 12
MOST_WITH_DIGITS = 12
MOST_TICKS = 16
MARGIN = 6
NARROWEST = 160


def main() -> None:
    """Draw the page."""
    st.set_page_config(layout="wide")
    words = st.query_params.get("text", TEXT).split()
    positions = range(len(words))
    first = min(1, len(words) - 1)
    if len(words) <= MOST_TICKS:
        query = st.segmented_control("Query", positions, default=first, key="query", required=True)
    else:
        query = st.selectbox("Query", positions, index=first, key="query")
    scale = st.segmented_control(
        "Scaling", SCALES, default="raw", format_func=SCALES.get, key="scale", required=True
    )
    x = vectors(words, int(st.query_params.get("d_model", 4)))
    scores, weights, context = attend(x, scale)
    features = [str(n + 1) for n in range(x.shape[1])]
    charts = {
        "embeddings": heat_map(x, words, features, SIGNED),
        "scores": heat_map(scores, words, words, SIGNED),
        "weights": heat_map(weights, words, words, WEIGHTS),
        "context": heat_map(context, words, features, SIGNED),
    }
    with st.container(horizontal=True):
        for key, figure in charts.items():
            figure.layout.meta = query
            width = int(figure.layout.width)
            st.plotly_chart(figure, key=key, width=width, config={"displayModeBar": False})


def vectors(words: list[str], d_model: int) -> np.ndarray:
    """Give each word a vector, (T, C): from -1.00 to 1.00, out of a hash of the word."""
    if words == TEXT.split():
        return np.array(VECTORS)
    name = "word\x1f{}\x1f{}\x1f0"
    hashes = [hashlib.shake_256(name.format(word.lower(), d_model).encode()) for word in words]
    digits = [np.frombuffer(h.digest(8 * d_model), dtype="<u8") % 201 for h in hashes]
    return (np.array(digits).astype(float) - 100) / 100


def attend(x: np.ndarray, scale: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The scores, (T, T), scaled or raw, their softmax, (T, T), and the contexts, (T, C)."""
    scores = x @ x.T
    if scale == "sqrt_d_k":
        scores = scores / np.sqrt(x.shape[1])
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=1, keepdims=True)
    return scores, weights, weights @ x


def heat_map(numbers: np.ndarray, rows: list[str], columns: list[str], colours: list) -> go.Figure:
    """Draw numbers, (rows, columns), with digits and all ticks where they fit."""
    n_rows, n_columns = numbers.shape
    has_digits = max(numbers.shape) <= MOST_WITH_DIGITS
    digits = [[f"{n:.3f}".replace("-", "−") for n in row] for row in numbers] if has_digits else []
    end = float(np.abs(numbers).max())
    gap = 1 if max(numbers.shape) <= 64 else 0
    cells = {
        "z": numbers.astype(np.float32),
        "zmin": 0 if colours is WEIGHTS else -end,
        "zmax": end,
        "colorscale": colours,
        "showscale": False,
        "xgap": gap,
        "ygap": gap,
    }
    if has_digits:
        cells |= {"text": digits, "texttemplate": "%{text}"}
        cells["textfont"] = {"size": FONT, "color": "#111111"}
    if max(numbers.shape) <= MOST_TICKS:
        cells["hovertemplate"] = "%{y}, %{x}: %{z:.4f}<extra></extra>"
    else:
        cells["hoverinfo"] = "none"

    height, width = cell_height(n_rows), cell_width(columns, digits)
    widest_word = max(map(pixels, rows))
    left = int(widest_word) + 14
    # All words as columns lie level above their cells, or all stand upright: there and here.
    top = 20 if len(rows) <= MOST_WITH_DIGITS and widest_word <= 52 else int(widest_word) + 14
    spare = max(NARROWEST - round(left + n_columns * width + MARGIN), 0)
    axis = {"showgrid": False, "zeroline": False, "fixedrange": True, "type": "linear"}
    axis |= {"ticks": "outside", "ticklen": 3, "tickcolor": "rgba(0,0,0,0)"}
    across = {"side": "top", "range": [-0.5, n_columns - 0.5], **ticks(columns)}
    across["tickangle"] = 0 if max(map(pixels, columns)) <= width else -90
    down = {"range": [n_rows - 0.5, -0.5], **ticks(rows)}
    layout = {
        "width": round(left + n_columns * width + MARGIN) + spare,
        "height": top + n_rows * height + MARGIN,
        "margin": {"l": left, "t": top, "r": MARGIN + spare, "b": MARGIN, "pad": 0},
        "dragmode": False,
        "font": {"size": FONT},
        "xaxis": axis | across,
        "yaxis": axis | down,
    }
    return go.Figure({"data": [{"type": "heatmap", **cells}], "layout": layout})


def ticks(names: list[str]) -> dict:
    """All names as ticks, or every few of them."""
    every = -(-len(names) // MOST_TICKS)
    return {"tickmode": "array", "tickvals": [*range(0, len(names), every)]} | {
        "ticktext": names[::every]
    }


def cell_height(n_rows: int) -> int:
    """In pixels."""
    sizes = {MOST_WITH_DIGITS: 32, MOST_TICKS: 24, 32: 18, 64: 12}
    return next((size for most, size in sizes.items() if n_rows <= most), max(768 // n_rows, 1))


def cell_width(columns: list[str], digits: list[list[str]]) -> float:
    """In pixels: wide enough for the digits, and for the words up to a limit."""
    if not digits:
        return cell_height(max(len(columns), MOST_WITH_DIGITS + 1))
    widest = max(pixels(number) for row in digits for number in row)
    return round(max(widest + 8, min(max(map(pixels, columns)) + 6, 58), 32))


def pixels(text: str) -> float:
    """About how wide a text is drawn."""
    narrow, wide = "iljtfrI.,:;'!|()[] ", "mMW@%"
    return FONT * sum(
        0.3 if c in narrow else 0.78 if c in wide else 0.64 if c.isupper() or c == "w" else 0.52
        for c in text
    )


if __name__ == "__main__":
    main()
