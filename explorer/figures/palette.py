"""The few colours of the page, the same everywhere and safe for colour-blind eyes.

Queries, keys and values: Okabe and Ito (2008), "Color Universal Design".
Scores and vectors: ColorBrewer's PuOr, white at 0. Weights: one blue, from white at 0.
"""

QUERY = "#0072B2"
KEY = "#D55E00"
VALUE = "#009E73"

HIDDEN = "rgba(128, 128, 128, 0.38)"
"""Grey on a light page and on a dark one."""

WEIGHTS = [
    [0.0, "#ffffff"],
    [0.25, "#cfe3f1"],
    [0.5, "#86bbdd"],
    [0.75, "#2f86bf"],
    [1.0, "#00507f"],
]
SIGNED = [
    [0.0, "#8a4404"],
    [0.25, "#d98a2b"],
    [0.5, "#ffffff"],
    [0.75, "#9389bd"],
    [1.0, "#4a2380"],
]
ARROWS = [f"rgba(0, 114, 178, {opacity})" for opacity in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)]
"""The queries' blue, from the lightest arrow to the heaviest, a step for each band of weights.
Let through, not lightened: on a dark page, too, the heaviest stands out most."""

PICKED = "#e6007e"
OPERAND = "#e6007e"
