"""From any number one can walk down to the embeddings and up to the end, step by step."""

from dataclasses import replace

import pytest
from explorer.lights import Role, lights
from explorer.trail import feeds, made_of

from explorer.settings import Settings
from explorer.view import PAIRS, Step, View, n_features, openable, steps

EXPERIMENTS = [
    Settings(text="a b c"),
    Settings(text="a b c", scale="sqrt_d_k", mask=("causal",)),
    Settings(text="a b c", qkv=True, d_k=3, d_v=2, d_model=4),
    Settings(text="a b c", qkv=True, scale="sqrt_d_k", n_heads=2),
    Settings(text="a b c", n_heads=2, mask=("window",)),
]


def places(settings):
    """Every number that can be opened."""
    for head in range(settings.n_heads):
        for step in openable(settings, head):
            for feature in range(n_features(settings, step)):
                yield View(step=step, query=1, key=2, head=head, feature=feature)


@pytest.mark.parametrize("settings", EXPERIMENTS)
def test_every_step_of_the_walk_is_a_number_that_is_there(settings):
    for view in places(settings):
        for place in (*made_of(settings, view), *feeds(settings, view)):
            there = replace(view, **place)
            assert there != view
            assert there.step in openable(settings, there.head)
            assert there.step in PAIRS or there.feature < n_features(settings, there.step)


@pytest.mark.parametrize("settings", EXPERIMENTS)
def test_the_walk_leads_down_to_the_embeddings_and_up_to_the_last_step(settings):
    order = list(steps(settings))
    for view in places(settings):
        for walk, end in ((made_of, Step.EMBEDDINGS), (feeds, order[-1])):
            here, count = view, 0
            while found := walk(settings, here):
                before = order.index(here.step)
                here = replace(here, **found[0])
                moved = order.index(here.step) - before
                assert moved < 0 if walk is made_of else moved > 0
                count += 1
            assert here.step is end
            assert count < 12


@pytest.mark.parametrize("settings", EXPERIMENTS)
def test_what_a_number_is_made_of_is_what_is_lit(settings):
    for view in places(settings):
        lit = lights(settings, view)
        for place in made_of(settings, view):
            there = replace(view, **place)
            column = there.key if there.step in PAIRS else there.feature
            if there.head != view.head:
                continue
            operands = [light for light in lit[there.step] if light.role is not Role.ROW]
            assert any(
                light.rows[0] <= there.query <= light.rows[1]
                and light.columns[0] <= column <= light.columns[1]
                for light in operands
            ), (view, place)


def test_an_average_is_made_of_no_one_number():
    view = View(head=None)
    assert made_of(EXPERIMENTS[4], view) == feeds(EXPERIMENTS[4], view) == []
