"""What the page writes opens again, bit for bit."""

from dataclasses import replace

import numpy as np
import pytest
from experiments import PAIRS

from explorer.edits import Edits, written
from explorer.examples import OWN
from explorer.export import csv_text, npz, state, tables
from explorer.files.opening import opened
from explorer.link import codec
from explorer.link.experiment import experiment
from explorer.link.state import defaults
from explorer.trace import trace

_SCALARS = defaults(OWN).scalars()


def state_of(settings):
    """The state of the page that stands for an experiment."""
    tables_ = {
        name: written(rows)
        for name in ("x", "w_q", "w_k", "w_v", "w_o")
        if (rows := getattr(settings, name)) is not None
    }
    words = settings.tokens if "x" in tables_ else ()
    if settings.custom is not None:
        tables_["visible"] = tuple(tuple("01"[seen] for seen in row) for row in settings.custom)
    fields = {name: getattr(settings, name) for name in _SCALARS}
    return defaults(OWN).but(**fields, edits=Edits(**tables_, words=words))


@pytest.mark.parametrize("settings", PAIRS.values(), ids=PAIRS)
def test_every_file_of_the_page_opens_again_as_it_was(settings):
    if settings.d_joined != settings.d_model:
        settings = replace(settings, w_o=None)  # no control of the page holds a W_O like that
    page = state_of(settings)
    assert experiment(page) == settings
    t, link = trace(settings), codec.encode(page, limited=False)
    program = f"# {codec.address('https://example.org', link)}\nimport numpy\n"
    for name, data in (
        ("a.npz", npz(t, link)),
        ("a.json", state(link, settings, t).encode()),
        ("a.py", program.encode()),
    ):
        found = opened(name, data)
        assert (found.state, found.ignored) == (page, ()), name
    table = opened("a.csv", csv_text(tables(t)["embeddings"]).encode()).state
    assert table.tokens == t.tokens
    np.testing.assert_array_equal(experiment(table).x, t.x)
