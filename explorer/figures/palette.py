"""The few colours of the page, the same everywhere and safe for colour-blind eyes.

Queries, keys and values: Okabe and Ito (2008), "Color Universal Design".
Scores and vectors: orange and purple after ColorBrewer's PuOr, white at 0. Weights: one blue, from
white at 0. No colour of a cell is so dark that black digits on it could not be read.
"""

QUERY = "#0072B2"
KEY = "#D55E00"
VALUE = "#009E73"

HIDDEN = "rgba(128, 128, 128, 0.38)"
"""Grey on a light page and on a dark one."""
UNDEFINED = "#f3c6de"
"""A number that is none: NaN."""

DIGITS = "#111111"
WEIGHTS = [
    [0.0, "#ffffff"],
    [0.25, "#d3e6f4"],
    [0.5, "#a0cae8"],
    [0.75, "#6aadda"],
    [1.0, "#3d92cd"],
]
SIGNED = [
    [0.0, "#d57b22"],
    [0.25, "#edbb7f"],
    [0.5, "#ffffff"],
    [0.75, "#c0b7de"],
    [1.0, "#8b7ac2"],
]
ARROWS = [
    f"rgba(0, 114, 178, {opacity})" for opacity in (0.45, 0.53, 0.61, 0.69, 0.77, 0.85, 0.93, 1)
]
"""The queries' blue, from the lightest arrow to the heaviest, a step for each band of weights.
Let through, not lightened: on a dark page, too, the heaviest stands out most."""

PICKED = "#e6007e"
OPERAND = "#e6007e"

LINES = ["#9467bd", "#c97b00", "#2f8f8f", "#808080"]
"""Curves that are neither queries nor keys nor values. Read on a light page and on a dark one."""
DASHES = ("solid", "dash", "dot", "dashdot")
"""One with each of these colours."""
GRID = "rgba(128, 128, 128, 0.25)"
