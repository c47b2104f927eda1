"""What is done to Streamlit's insides, which may change with any version of it.

Each function says what it mends, and what happens on the page without it.
"""

from __future__ import annotations

import json
import threading

import streamlit as st
from streamlit.elements.lib.layout_utils import LayoutConfig
from streamlit.proto.PlotlyChart_pb2 import PlotlyChart
from streamlit.runtime import get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx

_NOW_AND_THEN = 0.002
"""Seconds from one look at what is unsent to the next."""
_PATIENCE = 10.0
"""Seconds after which a server is taken for one that is being stopped."""


def fetch_plotly() -> None:
    """Have the browser fetch Streamlit's copy of Plotly, with a chart that shows nothing.

    Mends: `st.plotly_chart` has Python's Plotly check and write the chart in every run. Without it:
    the same, a little later; and Plotly takes what it finds of pandas, even half loaded by another
    reader's page, so that pandas would have to be loaded before the first page.
    """
    nothing = PlotlyChart(id="plotly", spec=json.dumps({"data": [], "layout": {}}), config="{}")
    st._main._enqueue("plotly_chart", nothing, layout_config=LayoutConfig(width=1, height=1))


def is_sent() -> bool:
    """Wait until all that this run has drawn is on its way to the browser; whether it is.

    What a run draws is handed to the server's thread, which puts it into a queue and empties that
    every few milliseconds. Once out of the queue, it comes to the browser before all that is drawn
    later.

    Mends: when a run of fragments begins, Streamlit drops what is unsent of these fragments, but
    not what stands after them. Without it: where the page has just grown, the browser cannot place
    the rest ("Bad delta path index"), and shows an empty page.
    """
    run, sessions = get_script_run_ctx(), getattr(get_instance(), "_session_mgr", None)
    if run is None or sessions is None:
        return True  # a page without a server, as in tests
    info = sessions.get_active_session_info(run.session_id)
    if info is None:
        return False
    queue, loop, looked = info.session._browser_queue, info.session._event_loop, threading.Event()

    def look() -> None:
        # The server's thread comes here after all that this run has handed to it.
        if queue.is_empty() or not sessions.is_active_session(run.session_id):
            looked.set()
        else:
            loop.call_later(_NOW_AND_THEN, look)

    loop.call_soon_threadsafe(look)
    return looked.wait(_PATIENCE) and sessions.is_active_session(run.session_id)
