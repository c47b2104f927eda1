"""The Self-Attention Explorer: a sentence goes in, every number to its context vectors comes out.

Run it with `streamlit run streamlit_app.py`.
"""

import streamlit as st

from explorer import share
from explorer.page import address, chart, frame, moved, style
from explorer.page.article_box import article_box
from explorer.page.attention_view import attention_view
from explorer.page.change_box import change_box
from explorer.page.compare_view import compare_view
from explorer.page.home_view import home_view
from explorer.page.lab_view import lab_view
from explorer.page.model_view import model_view
from explorer.page.open_box import open_box
from explorer.page.present_view import present_view
from explorer.page.sidebar import sidebar
from explorer.page.three_ways_box import three_ways_box
from explorer.page.torch_check import torch_check
from explorer.trace import trace
from explorer.view import Open

st.set_page_config("Self-Attention Explorer", layout="wide", initial_sidebar_state=290)
style.page()
chart.engine()
values = address.read()
address.write()

# The charts are what a reader waits for, so they are sent first and the controls around them last.
head, body = st.container(), st.container()
try:
    settings = share.experiment(values)
except ValueError as problem:
    frame.refusal(problem)
else:
    view = share.view(values)
    with body:
        if not settings.tokens:
            frame.nothing_yet()
        elif view.view is Open.COMPARE:
            compare_view(settings, view, values)
        elif view.view is Open.LAB:
            lab_view(settings, view)
        elif view.view is Open.MODEL:
            model_view(settings, view)
        elif view.view is Open.HOME:
            home_view(trace(settings), settings, view, values)
        elif view.view is Open.PRESENT:
            present_view(trace(settings), settings, view)
        else:
            numbers = trace(settings)
            attention_view(numbers, settings, view, moved.baseline(values, numbers))
            change_box(settings, values)
            open_box()
            article_box(numbers, values)
            three_ways_box(numbers, settings, view)
            torch_check(numbers, settings)
    with head:
        frame.notices(view)
        if view.view is not Open.PRESENT:
            frame.choices(settings, view, values)
if not st.context.is_embedded and values["view"] != Open.PRESENT:
    sidebar(values)

address.done()
