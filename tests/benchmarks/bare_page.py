"""A bare Streamlit page with the heat maps of the explorer, for `redraw.py` to compare with.

The same cells, digits and ticks, and a choice of the query word by the same widget; no arrows, no
outlines, no text. Like any page that outlines the query's row in its figures, it changes every
figure with the query word; the change is one that cannot be seen. `?text=...&d_model=...` as there.
"""

import streamlit as st

from explorer.figures.matrix import Kind, layout, matrix
from explorer.link.codec import decode
from explorer.link.experiment import experiment
from explorer.trace import trace

st.set_page_config(layout="wide")
state, _ = decode(st.query_params.to_dict())
t = trace(experiment(state))
words = range(len(t.tokens))
if len(words) <= 16:
    query = st.segmented_control(
        "Query", words, default=state.view.query, key="query", required=True
    )
else:
    query = st.selectbox("Query", words, index=state.view.query, key="query")
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
        width = int(figure.layout.width)
        st.plotly_chart(figure, key=key, width=width, config={"displayModeBar": False})
