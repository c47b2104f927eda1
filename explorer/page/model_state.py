"""The trained model and what it made of a sentence: one for all readers of this server."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import streamlit as st

from explorer import labels
from explorer.pretrained import checkpoint
from explorer.pretrained.model import Model, Run, forward
from explorer.pretrained.text import Pieces, read

_SHORT = 128
"""Tokens up to which several runs are kept. One of 512 takes some 200 MB: of those only one."""


def model() -> Model | None:
    """The model, loaded at the first call; without one, says how to get it and returns None."""
    try:
        place = checkpoint.locate()
        if place is None:
            _how_to_get_one()
            return None
        return _loaded(place.folder, place.name, place.sha256)
    except ValueError as problem:
        st.warning(labels.markdown(str(problem)))
        return None


def run(model: Model, text: str) -> tuple[Pieces, Run]:
    """Send a sentence through the model, or remember what came of it. Nothing can be written to.

    Raises ValueError, in a sentence, if the model cannot read it.
    """
    pieces = read(model, text)
    keep = _short_run if len(pieces.ids) <= _SHORT else _long_run
    return pieces, keep(model, model.name, tuple(pieces.ids.tolist()))


@st.cache_resource(show_spinner="Loading the trained model", max_entries=1)
def _loaded(folder: Path, name: str, sha256: str | None) -> Model:
    return checkpoint.load(checkpoint.Place(folder, name, sha256))


@st.cache_resource(show_spinner=False, max_entries=16)
def _short_run(_model: Model, name: str, ids: tuple[int, ...]) -> Run:
    return _frozen(forward(_model, np.array(ids)))


@st.cache_resource(show_spinner="The sentence goes through the model", max_entries=1)
def _long_run(_model: Model, name: str, ids: tuple[int, ...]) -> Run:
    return _frozen(forward(_model, np.array(ids)))


def _frozen(run: Run) -> Run:
    for array in (run.embedded, run.final, *(a for n in run.layers for a in n.kept.values())):
        array.flags.writeable = False
    return run


def _how_to_get_one() -> None:
    name = labels.markdown(checkpoint.wanted(), 60)
    if os.environ.get(checkpoint.VARIABLE, "").strip():
        st.info(f"{labels.markdown(checkpoint.VARIABLE)} names {name}, which is not at hand.")
    st.info(
        f"There is no trained model here. The command below brings a small one (90 MB); or let the "
        f"environment variable {labels.markdown(checkpoint.VARIABLE)} name a folder with its files."
    )
    st.code(checkpoint.COMMAND, language="sh")
    if checkpoint.can_download() and st.button(f"Fetch {name} from the Hugging Face hub"):
        with st.spinner("Fetching the model"):
            try:
                checkpoint.download()
            except ValueError as problem:
                st.warning(labels.markdown(str(problem)))
                return
        st.rerun()
