"""An empty Streamlit page with the heat maps of the default page, for `redraw.py` to compare with.

Like any page that outlines the query's row, it changes every figure with the query word; the
change is one that cannot be seen.
"""

import streamlit as st

from explorer.examples import EXAMPLES
from explorer.figures.matrix import Kind, layout, matrix
from explorer.trace import trace

st.set_page_config(layout="wide")
t = trace(EXAMPLES["warm_mat"].settings)
query = st.segmented_control("Query", range(len(t.tokens)), default=1, key="query", required=True)
frame = layout(t.tokens)
features = [str(n + 1) for n in range(t.x.shape[1])]
charts = {
    "embeddings": (t.x, features, Kind.SIGNED),
    "scores": (t.scores[0], t.tokens, Kind.SIGNED),
    "weights": (t.weights[0], t.tokens, Kind.WEIGHTS),
    "context": (t.context[0], features, Kind.SIGNED),
}
with st.container(horizontal=True):
    for key, (numbers, columns, kind) in charts.items():
        figure = matrix(numbers, rows=t.tokens, columns=columns, kind=kind, frame=frame)
        figure.layout.meta = query
        st.plotly_chart(
            figure, key=key, width=figure.layout.width, config={"displayModeBar": False}
        )
