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
ARROWS = [f"rgba(0, 114, 178, {opacity})" for opacity in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)]
"""The queries' blue, from the lightest arrow to the heaviest, a step for each band of weights.
Let through, not lightened: on a dark page, too, the heaviest stands out most."""

PICKED = "#e6007e"
OPERAND = "#e6007e"
LINE = "#7a8796"
"""A line that is neither query nor key nor value. Seen on a light page and on a dark one."""
