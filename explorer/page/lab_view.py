"""The view Lab: small experiments, of which one is open."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from explorer.link.run import Run
from explorer.operations.schemes import SCHEMES
from explorer.page.choose import choose
from explorer.page.lab.distance_box import distance_box
from explorer.page.lab.layers_box import layers_box
from explorer.page.lab.learn_box import learn_box
from explorer.page.lab.mistakes_box import mistakes_box
from explorer.page.lab.nobody_box import nobody_box
from explorer.page.lab.order_box import order_box
from explorer.page.lab.own_word_box import own_word_box
from explorer.page.lab.plane_box import plane_box
from explorer.page.lab.precision_box import precision_box
from explorer.page.lab.predict_box import predict_box
from explorer.page.lab.root_box import root_box
from explorer.settings import Settings
from explorer.view import Lab

_EXPERIMENTS = {
    Lab.ROOT: ("Why the root of d", root_box),
    Lab.ORDER: ("Order of the words", order_box),
    Lab.MISTAKES: ("Usual mistakes", mistakes_box),
    Lab.NOBODY: ("Nobody to see", nobody_box),
    Lab.PRECISION: ("Precision", precision_box),
    Lab.OWN_WORD: ("My own word", own_word_box),
    Lab.PLANE: ("Where a word moves", plane_box),
    Lab.PREDICT: ("Predict first", predict_box),
    Lab.LEARN: ("What positions buy", learn_box),
    Lab.LAYERS: ("Again and again", layers_box),
    Lab.DISTANCE: ("Same distance, same score", distance_box),
}


def lab_view(run: Run) -> None:
    """Choose an experiment, and run it on the sentence and the numbers of this page."""
    settings, view = run.settings, run.view
    choose("lab", "Experiment", Lab, lambda code: _EXPERIMENTS[code][0], as_list=True, width=420)
    if view.head is None:
        st.caption("Of the average over heads there are weights only; the lab takes head 1.")
    plain = _plain(settings)
    if plain != settings:
        st.caption("The experiments leave out temperature, plain division and ALiBi.")
    _, box = _EXPERIMENTS[view.lab]
    box(plain, view)


def _plain(settings: Settings) -> Settings:
    """The experiment without what comes between the scaled scores and the softmax."""
    position = "none" if SCHEMES[settings.position].bias else settings.position
    return replace(settings, temperature=1.0, rule="softmax", position=position)
