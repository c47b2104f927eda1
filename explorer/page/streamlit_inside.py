"""What is done to Streamlit's insides, which may change with any version of it.

Each function says what it mends, and what happens on the page without it.
"""

from __future__ import annotations

import json

import streamlit as st
from streamlit.elements.lib.layout_utils import LayoutConfig
from streamlit.proto.PlotlyChart_pb2 import PlotlyChart


def fetch_plotly() -> None:
    """Have the browser fetch Streamlit's copy of Plotly, with a chart that shows nothing.

    Mends: `st.plotly_chart` has Python's Plotly check and write the chart in every run. Without it:
    the same, a little later; and Plotly takes what it finds of pandas, even half loaded by another
    reader's page, so that pandas would have to be loaded before the first page.
    """
    nothing = PlotlyChart(id="plotly", spec=json.dumps({"data": [], "layout": {}}), config="{}")
    st._main._enqueue("plotly_chart", nothing, layout_config=LayoutConfig(width=1, height=1))
