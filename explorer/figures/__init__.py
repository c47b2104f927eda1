"""Arrays in, figures out, as plain data for Plotly. All colours and sizes of charts are made here.

Nothing in this package knows Streamlit, the settings or the trace; nothing here computes a number
that is shown, only where and in which colour it is drawn.
"""
