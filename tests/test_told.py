"""Controls and page agree, however late the browser hears what a control is to say."""

import pytest
from test_page import choose, go, is_part, link, open_page, run

from explorer.page.session import fragments


@pytest.fixture
def page():
    """A page whose reader has clicked on to the scores, of which the weights are made."""
    page = open_page()
    made_of = next(button for button in page.button if str(button.key).startswith("Made of"))
    made_of.click()
    assert says(run(page), "step") == "scores"
    return page


def says(page, key):
    return page.get_by_key(key).value


def is_told(page, key):
    """Whether the run told the control what to say; else it says what it said."""
    return page.get_by_key(key).proto.set_value


def late(page, **said):
    """The next request, from before the browser heard the last telling: it has what was said."""
    page.get_by_key("heard").set_value("")
    for key, value in said.items():
        page.get_by_key(key).set_value(value)
    return run(page)


def test_what_a_control_said_before_it_heard_is_nobody_s_choice(page):
    page = late(late(page, step="weights"))  # the second draws the whole page
    assert says(page, "step") == "scores"
    assert is_told(page, "step")
    page = late(page, step="weights", d_model=4)
    assert (says(page, "step"), says(page, "d_model")) == ("scores", 4)
    assert link(page) == {"step": "scores", "d_model": "4"}


def test_a_choice_from_before_the_control_heard_counts_and_is_told_again(page):
    """What it was told before comes to the browser after the choice, and would cover it."""
    heard = says(page, "heard")  # in a moment
    page = late(page, step="context")
    assert says(page, "step") == "context"
    assert is_told(page, "step")
    page.get_by_key("heard").set_value(heard)
    page.get_by_key("step").set_value("scores")  # covered
    page = run(page)
    assert says(page, "step") == "context"
    assert is_told(page, "step")
    assert link(page)["step"] == "context"


def test_a_choice_between_two_tellings_is_told_again_too(page):
    """The control heard the first; the second is still to come, and would cover the choice."""
    heard = says(page, "heard")
    page = late(page)
    page.get_by_key("heard").set_value(heard)
    page.get_by_key("step").set_value("context")
    page = run(page)
    assert says(page, "step") == "context"
    assert is_told(page, "step")


def test_parts_too_tell_a_control_again_that_has_not_heard():
    page = late(go(open_page(), query="3"), query=5)
    assert is_part(page)
    assert says(page, "query") == 5
    assert is_told(page, "query")


def test_what_a_run_may_drop_on_its_way_is_to_be_heard_anew(page, monkeypatch):
    """It drops what told the controls, and not what asks whether they heard."""
    mine, heard, follow = page.session_state["session"], says(page, "heard"), fragments.follow

    def looked_at(*args, **kwargs):
        assert mine.tellings["step"].number > int(heard)
        follow(*args, **kwargs)

    monkeypatch.setattr(fragments, "follow", looked_at)
    page = late(page, step="weights", query=3)
    assert is_part(page)
    assert (says(page, "step"), says(page, "query")) == ("scores", 3)
    assert int(says(page, "heard")) > int(heard)


def test_a_control_that_gave_way_to_another_is_off_the_page(page):
    """It forgets what it said, though a late request may still bring it."""
    for step, here in (("context", "feature"), ("weights", "key")):
        page.get_by_key("step").set_value(step)
        assert is_part(run(page))
        assert {"key", "feature"} & page.session_state["session"].on_page == {here}


def test_once_it_has_heard_a_control_is_told_no_more_and_every_choice_counts(page):
    page = choose(page, step="weights")
    assert says(page, "step") == "weights"
    assert not is_told(page, "step")


def test_the_first_page_is_told_until_it_is_heard():
    """A run that starts before the first one is drawn would have every control say its default."""
    page = open_page(d_model="5", scale="sqrt_d_k")
    controls = ("d_model", "scale", "text", "query", "view")
    assert all(is_told(page, key) for key in controls)
    page = late(page)
    assert all(is_told(page, key) for key in controls)
    page = run(page)
    assert not any(is_told(page, key) for key in controls)
    assert (says(page, "d_model"), says(page, "scale")) == (5, "sqrt_d_k")


def test_an_example_is_not_mixed_with_the_one_before_it():
    page = choose(open_page(), example="bank_river")
    page = late(page, text="The cat sat on the warm mat", d_model=3, scale="sqrt_d_k")
    assert link(page) == {"example": "bank_river", "scale": "sqrt_d_k"}
    assert (says(page, "text"), says(page, "d_model")) == ("bank of river", 4)
    page.session_state["change"] = True
    run(page).get_by_key("undo").click()
    page = late(late(run(page), d_model=5), example="bank_river", scale="raw")
    assert link(page) == {"d_model": "5"}
    assert says(page, "example") == "warm_mat"


def test_going_back_tells_what_differs_and_leaves_the_rest_to_the_reader():
    page = choose(open_page(), scale="sqrt_d_k")
    page = go(page)
    assert is_told(page, "scale")
    assert not is_told(page, "d_model")
    page = late(page, scale="sqrt_d_k", d_model=4)
    assert link(page) == {"d_model": "4"}
    assert says(page, "scale") == "raw"


def test_a_control_is_not_told_what_it_says_already(page):
    """On its way that would cover what the reader chooses meanwhile."""
    page = choose(page, step="weights")
    assert "step" not in page.session_state["session"].tellings
    made_of = next(button for button in page.button if str(button.key).startswith("Made of"))
    step = says(page, "step")
    made_of.click()
    page = run(page)
    told = set(page.session_state["session"].tellings)
    assert "step" in told
    assert says(page, "step") != step
    assert "query" not in told
