"""The trained model's own word vectors, small enough for the other views to compute with."""

from __future__ import annotations

import streamlit as st

from explorer import edits as by_hand
from explorer.page.session import address, undo
from explorer.pretrained import measures
from explorer.pretrained.model import Model
from explorer.settings import Settings
from explorer.view import Open


def learned_box(model: Model, settings: Settings) -> None:
    """Offer the words' learned vectors as the embeddings of the other views."""
    st.markdown("**Real vectors for the other views**")
    st.caption(
        f"What the model has learned for each word before any context, brought from "
        f"{model.d_model} to {settings.d_model} numbers by their principal components, with two "
        f"decimals. They become the embeddings X, and travel in the link as numbers changed by "
        f"hand do; undo brings the others back."
    )
    st.button("Use them as embeddings X", key="learned", on_click=_use, args=(model, settings))


def _use(model: Model, settings: Settings) -> None:
    vectors = measures.word_vectors(model, settings.tokens)
    rows = by_hand.written(measures.reduced(vectors, settings.d_model).tolist())
    edits = by_hand.changed(address.now().state.edits, x=rows, words=settings.tokens)
    undo.act(view=Open.ATTENTION, edits=edits)
