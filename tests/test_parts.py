"""Where only parts of the page are drawn again, it is the page that a whole run would draw."""

import json
from itertools import chain
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

APP = Path(__file__).parent.parent / "streamlit_app.py"
BOXES = ("more", "change", "embed_box", "tables", "article", "three_ways")
LONG = " ".join(f"word{n}" for n in range(40))
LINKS = [
    {},
    {"example": "bank_river", "d_model": "6", "n_heads": "3", "mask": "causal"},
    {"example": "bank_river", "d_model": "6", "n_heads": "3", "head": "mean", "direction": "all"},
    {"direction": "to", "step": "context"},
    {"drawing": "columns", "turned": "columns", "qkv": "1", "position": "rotary"},
    {"mask": "custom,padding", "pad": "3", "step": "weights"},
    {"moved": "1", "n_heads": "3"},
    {"text": LONG, "step": "scores", "d_model": "24"},
]

# Where a control's value comes from is said when it is first drawn, and not again.
SENT_ONCE = ("set_value", "value", "default", "raw_value", "raw_values")


def open_page(boxes=(), **link):
    page = AppTest.from_file(str(APP), default_timeout=60)
    page.query_params.update(link)
    for box in BOXES:
        page.session_state[box] = box in boxes
    return run(page)


def run(page):
    page.run()
    assert [error.value for error in page.exception] == []
    return page


def is_part(page):
    return not page.sidebar.children


def seen(page, used):
    """All that a reader finds on the page but the control that was used, which knows its value.

    Of charts it is what they show, and not when they were sent.
    """
    found = []
    for element in chain(page.main, page.sidebar):
        proto = element.proto
        if proto is None or element.key == used:  # None is a container's
            continue
        if getattr(proto, "component_name", "").endswith(("chart", "chart_lights")):
            (given,) = json.loads(proto.json)
            kept = {name: given[name] for name in given if name not in ("figure", "since")}
            found.append((proto.component_name, json.dumps(kept)))
        elif element.type != "bidi_component":
            plain = type(proto)()
            plain.CopyFrom(proto)
            for field in plain.DESCRIPTOR.fields:
                if field.name in SENT_ONCE:
                    plain.ClearField(field.name)
            value = repr(getattr(element, "value", None))
            found.append((element.type, plain.SerializeToString(deterministic=True), value))
    return found


def choose(page, key, value):
    page.get_by_key(key).set_value(value)
    return run(page)


def query(page):
    return choose(page, "query", 2), "query"


def step(page):
    """The embeddings can be opened with one head and with the average of many."""
    return choose(page, "step", "embeddings"), "step"


def key_or_feature(page):
    key = "key" if any(element.key == "key" for element in page.main) else "feature"
    return choose(page, key, 1), key


def scale(page):
    raw = page.get_by_key("scale").value == "raw"
    return choose(page, "scale", "sqrt_d_k" if raw else "raw"), "scale"


def click(page):
    """Go on to what the open number is made of, or to what it feeds."""
    walk = [button for button in page.button if str(button.key).startswith(("Made of", "Feeds"))]
    walk[0].click()
    return run(page), walk[0].key


@pytest.mark.parametrize("link", LINKS, ids=lambda link: " ".join(link.values())[:30])
def test_all_that_a_choice_changes_is_among_the_parts(link):
    page = open_page(BOXES, **link)
    # An average of heads is made of nothing that could be opened.
    for change in (query, key_or_feature, scale, step, *[click] * (link.get("head") != "mean")):
        before = seen(page, ())
        page, used = change(page)
        assert is_part(page), change
        in_parts, address = seen(page, used), dict(page.query_params)
        after = seen(run(page), used)
        assert not is_part(page)
        changed = [element for element in after if element not in before]
        assert changed
        assert [element for element in changed if element not in in_parts] == []
        assert [element for element in in_parts if element not in after] == []
        assert dict(page.query_params) == address


def test_after_a_click_the_controls_are_told_what_to_say():
    page, _ = click(open_page(step="weights"))
    assert is_part(page)
    step = page.get_by_key("step")
    assert step.value == "scores"
    assert step.proto.set_value


@pytest.mark.parametrize(
    ("link", "key", "value"),
    [
        ({"view": "compare"}, "query", 2),  #           a view that is not made of parts
        ({"query": "99"}, "query", 2),  #               what could not be used is said no more
        ({"n_heads": "3"}, "head", 1),  #               other numbers
        ({}, "direction", "to"),  #                     other controls
        ({}, "position", "rotary"),  #                  it has controls of its own
        ({"example": "bank_river"}, "moved", True),  #  other charts
    ],
)
def test_what_parts_cannot_follow_is_drawn_whole(link, key, value):
    assert not is_part(choose(open_page(("more",), **link), key, value))


def test_a_run_that_was_broken_off_is_made_up_for():
    page = open_page()
    page.session_state["session"].parts_of_whole = None
    assert not is_part(choose(page, "query", 2))
    assert is_part(choose(page, "query", 3))


def test_parts_that_were_broken_off_are_drawn_with_those_of_the_next_choice():
    page = open_page(BOXES)
    page.session_state["session"].parts_waiting = {"three_ways_box"}
    page = choose(page, "step", "scores")
    assert is_part(page)
    assert page.get_by_key("three_ways")
    assert not page.session_state["session"].parts_waiting


def test_what_is_not_on_its_way_to_the_browser_is_drawn_again(monkeypatch):
    monkeypatch.setattr("explorer.page.streamlit_inside.is_sent", lambda: False)
    page = open_page()
    assert not is_part(choose(page, "query", 2))


@pytest.mark.parametrize(
    ("name", "value", "position"),
    [
        ("temperature", 0.5, "alibi"),
        ("rule", "total", "alibi"),
        ("position", "sinusoidal", "alibi"),
        ("pairs", "halves", "rotary"),
        ("base", 500, "rotary"),
    ],
)
def test_other_numbers_of_the_same_words_are_followed_by_parts(name, value, position):
    """Steps come and go, and what counts on their numbers follows."""
    page = open_page(BOXES, position=position, example="bank_river")
    before = seen(page, name)
    page = choose(page, name, value)
    assert is_part(page)
    in_parts = seen(page, name)
    after = seen(run(page), name)
    changed = [element for element in after if element not in before]
    assert changed
    assert [element for element in changed if element not in in_parts] == []
    assert [element for element in in_parts if element not in after] == []
