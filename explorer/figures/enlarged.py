"""A figure for the front of a class: everything larger by the same factor."""

from __future__ import annotations

import plotly.graph_objects as go

_FONT = 12
"""What Plotly writes in where nothing else is said."""


def enlarged(figure: go.Figure, factor: float) -> go.Figure:
    """A copy of a figure, its sizes in pixels and its letters `factor` times as large."""
    larger = go.Figure(figure)
    layout = larger.layout
    for name in ("width", "height"):
        if layout[name]:
            layout[name] = round(layout[name] * factor)
    for side in ("l", "r", "t", "b"):
        layout.margin[side] = round((layout.margin[side] or 0) * factor)
    layout.font.size = round((layout.font.size or _FONT) * factor)
    for trace in larger.data:
        if "textfont" in trace and trace.textfont.size:
            trace.textfont.size = round(trace.textfont.size * factor)
    return larger
