"""One run makes settings, trace and texts once, and hands them down."""

import sys

import pytest
from test_page import go, link, open_page, run

from explorer import edits, trace
from explorer.link import codec, experiment
from explorer.link.parameters import PARAMETERS
from explorer.link.run import run as run_of
from explorer.link.state import defaults
from explorer.operations.normalisers import NORMALISERS
from explorer.operations.schemes import SCHEMES
from explorer.page import attention_view  # noqa: F401  (what the page loads has to be counted)
from explorer.settings import Mask, Settings
from explorer.view import Open


@pytest.fixture
def made(monkeypatch):
    """How often settings, traces and matrices as text are made from here on."""
    counts = dict.fromkeys(("settings", "trace", "written"), 0)

    def counted(name, function):
        def call(*args):
            counts[name] += 1
            return function(*args)

        return call

    check = counted("settings", Settings.__post_init__)
    monkeypatch.setattr(Settings, "__post_init__", lambda self: check(self))
    real = trace.trace
    for name, module in [*sys.modules.items()]:
        if name.startswith("explorer") and getattr(module, "trace", None) is real:
            monkeypatch.setattr(module, "trace", counted("trace", real))
    monkeypatch.setattr(edits, "written", counted("written", edits.written))
    return counts


def forget(counts):
    counts.update(dict.fromkeys(counts, 0))
    for function in (experiment._shape, experiment._base, codec.pinned):
        function.cache_clear()


def type_number(page, text):
    """Type another number into the embedding that is open."""
    cell = next(box for box in page.text_input if str(box.key).startswith("cell_"))
    cell.set_value(text)
    return run(page)


OPEN = {"step": "embeddings", "feature": "0"}


def test_one_number_edited_makes_everything_once_though_nothing_is_remembered(made):
    page = open_page(**OPEN)
    forget(made)
    type_number(page, "0.125")
    assert "edits" in link(page)
    assert made["trace"] == 1
    assert made["written"] == 1  # there is one matrix, the embeddings
    assert made["settings"] <= 3  # with the edits, without them, and their sizes alone


def test_one_number_edited_against_a_pinned_state_makes_both_once(made):
    pin = codec.pin_of(defaults("warm_mat").but(d_model=4))
    page = type_number(open_page(pin=pin, moved="1", **OPEN), "0.5")
    made.update(dict.fromkeys(made, 0))
    type_number(page, "0.25")
    assert made == {"settings": 2, "trace": 2, "written": 0}


@pytest.mark.parametrize("view", [view for view in Open if view is not Open.MODEL])
def test_no_view_computes_the_experiment_of_the_page_twice(made, view):
    page = open_page()
    forget(made)
    go(page, view=view.value)
    # Compare has a side of its own, the lab asks other questions than the page.
    assert made["trace"] <= (2 if view in (Open.COMPARE, Open.LAB) else 1)
    assert made["written"] == 0


def test_another_word_computes_the_numbers_once_and_makes_no_settings(made):
    page = open_page()
    made.update(dict.fromkeys(made, 0))
    page.get_by_key("query").set_value(2)
    run(page)
    assert made == {"settings": 0, "trace": 1, "written": 0}


def test_between_two_runs_a_session_keeps_no_trace():
    page = open_page()
    assert "trace" not in vars(page.session_state["session"].run)


# A run


def test_a_run_takes_over_what_is_computed_already_of_the_same_experiment():
    before = run_of(defaults("bank_river"))
    after = run_of(before.state.but(query=2, pin="d_model=4"), before)
    assert after.settings is before.settings
    assert after.view.query == 2
    other = run_of(before.state.but(d_model=6), before)
    assert other.settings.d_model == 6


def test_a_run_without_an_experiment_says_why_and_still_has_a_link():
    refused = run_of(defaults("own").but(text="a " * 600))
    assert "up to 512 tokens" in str(refused.refusal)
    assert refused.link == {"text": "a " * 600}
    assert refused.experiment is None
    shorter = run_of(refused.state.but(text="a"), refused)
    assert (shorter.refusal, shorter.settings.text) == (None, "a")


def test_a_run_names_what_another_state_changes():
    here = run_of(defaults("warm_mat"))
    assert here.changed(here.state) == set()
    assert here.changed(here.state.but(query=0, mask=(Mask.CAUSAL,))) == {"query", "mask"}
    assert here.changed(here.state.but(edits=edits.Edits(w_q=(("1",),)))) == {"edits"}


# The state


def test_a_state_is_changed_by_the_names_of_parameters():
    state = defaults("warm_mat")
    other = state.but(view=Open.LAB, d_model=5, step="scores")
    assert (other.view.view, other.d_model, other.view.step) == (Open.LAB, 5, "scores")
    assert (state.view.view, state.d_model) == (Open.ATTENTION, 3)
    assert other.value("view") is Open.LAB
    assert state.but(**other.values()) == other
    with pytest.raises(TypeError):
        state.but(nonsense=1)


# Open sets


@pytest.mark.parametrize(("name", "table"), [("position", SCHEMES), ("rule", NORMALISERS)])
def test_which_codes_there_are_is_asked_when_a_link_is_read(monkeypatch, name, table):
    assert "newcomer" not in PARAMETERS[name].rule()
    monkeypatch.setitem(table, "newcomer", None)
    assert PARAMETERS[name].read("newcomer") == "newcomer"
    assert PARAMETERS[name].from_control("newcomer") == "newcomer"
    assert "newcomer" in PARAMETERS[name].rule()
