"""The Self-Attention Explorer: a sentence goes in, every number to its context vectors comes out.

Run it with `streamlit run streamlit_app.py`.
"""

import streamlit as st

from explorer.page import chart, frame, style
from explorer.page.article_box import article_box
from explorer.page.attention_view import attention_view
from explorer.page.change_box import change_box
from explorer.page.compare_view import compare_view
from explorer.page.home_view import home_view
from explorer.page.lab_view import lab_view
from explorer.page.model_view import model_view
from explorer.page.open_box import open_box
from explorer.page.present_view import present_view
from explorer.page.session import address
from explorer.page.sidebar import sidebar
from explorer.page.three_ways_box import three_ways_box
from explorer.page.torch_check import torch_check
from explorer.view import Open

st.set_page_config("Self-Attention Explorer", layout="wide", initial_sidebar_state=290)
style.page()
chart.engine()
run = address.read()
address.write()

# The charts are what a reader waits for, so they are sent first and the controls around them last.
head, body = st.container(), st.container()
presents = run.view.view is Open.PRESENT
if run.refusal:
    frame.refusal(run.refusal)
else:
    with body:
        if not run.settings.tokens:
            frame.nothing_yet()
        elif run.view.view is Open.COMPARE:
            compare_view(run)
        elif run.view.view is Open.LAB:
            lab_view(run)
        elif run.view.view is Open.MODEL:
            model_view(run)
        elif run.view.view is Open.HOME:
            home_view(run)
        elif presents:
            present_view(run)
        else:
            attention_view(run)
            change_box(run)
            open_box()
            article_box()
            three_ways_box()
            torch_check()
    with head:
        frame.notices(run.view)
        if not presents:
            frame.choices(run)
if not st.context.is_embedded and not presents:
    sidebar(run)

address.done()
