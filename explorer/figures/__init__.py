"""Arrays in, Plotly figures out. All colours and sizes of charts are decided here.

Nothing in this package knows Streamlit, the settings or the trace; nothing here computes a number
that is shown, only where and in which colour it is drawn.
"""
