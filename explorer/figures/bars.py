"""Two or more shares of each word side by side, as bars with their percentages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from explorer import labels
from explorer.attention import Array
from explorer.figures import palette
from explorer.figures.figure import STILL, Figure, ticks

HEIGHT = 190
_COLOURS = (palette.LINES[3], palette.QUERY, palette.LINES[0])
_MOST_WITH_SHARES = 40  # bars
_LONGEST_WORD = 12


def bars(
    shares: Mapping[str, Array], names: Sequence[str], even: float | None = None, title: str = ""
) -> Figure:
    """Draw a group of bars for each name, one of each kind: shares, (names,), by kind.

    even: the share that each would have if all had the same; it gets a line. title: of the shares.
    """
    written = len(names) * len(shares) <= _MOST_WITH_SHARES
    drawn = [
        {
            "type": "bar",
            "name": labels.plotly(kind),
            "x": list(range(len(names))),
            "y": numbers.tolist(),
            "marker": {"color": colour},
            "hovertemplate": "%{y:.1%}<extra>" + labels.plotly(kind) + "</extra>",
        }
        | (
            {"text": [labels.number(100 * n, 1) for n in numbers], "textposition": "outside"}
            if written
            else {}
        )
        for (kind, numbers), colour in zip(shares.items(), _COLOURS, strict=False)
    ]
    seen = np.concatenate([np.zeros(1), *(np.nan_to_num(numbers) for numbers in shares.values())])
    low, top = 1.18 * float(seen.min()), 1.18 * float(seen.max()) or 1.0
    layout = {
        "height": HEIGHT,
        "margin": {"l": 46, "r": 8, "t": 30, "b": 28, "pad": 0},
        "font": {"size": 12},
        "barmode": "group",
        "bargap": 0.35,
        "showlegend": len(drawn) > 1,
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"}
        | {"itemclick": False, "itemdoubleclick": False},
        "xaxis": {"fixedrange": True, "showgrid": False, "range": [-0.6, len(names) - 0.4]}
        | ticks(range(len(names)), (labels.plotly(name, _LONGEST_WORD) for name in names)),
        "yaxis": {"fixedrange": True, "gridcolor": palette.GRID, "tickformat": ".0%"}
        | {"range": [low, top], "nticks": 4, "title": {"text": labels.plotly(title)}},
    }
    if even is not None:
        line = {"color": palette.PICKED, "width": 1.5, "dash": "dot"}
        ends = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": even, "y1": even}
        layout["shapes"] = [ends | {"line": line}]
    return Figure(drawn, STILL | layout)
