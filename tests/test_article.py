"""Published numbers are counted, never claimed: each against the page as it is."""

from dataclasses import replace

import pytest

from explorer.article import Published, published
from explorer.examples import EXAMPLES
from explorer.settings import Scale
from explorer.trace import trace

PUBLISHED = [name for name, example in EXAMPLES.items() if example.printed]


def numbers(name, **changes):
    example = EXAMPLES[name]
    return published(example, trace(replace(example.settings, **changes)))


def count(name):
    """How many numbers a source prints, counted from what the example says."""
    example = EXAMPLES[name]
    chosen = sum(map(len, example.settings.x or ()))
    return chosen + sum(len(row) for printed in example.printed for row in printed.numbers)


@pytest.mark.parametrize("name", PUBLISHED)
def test_in_its_own_state_every_published_number_holds_or_is_a_known_misprint(name):
    found = numbers(name)
    assert len(found) == count(name)
    assert all(n.matches for n in found if not n.misprint)


def test_the_article_s_numbers_are_counted():
    assert len(numbers("warm_mat")) == 7 * 3 + 7 * 7 + 7 + 1 + 7 + 3


def test_a_misprint_is_known_and_the_right_value_stands_beside_it():
    wrong = [n for n in numbers("karim") if not n.matches]
    assert wrong
    assert all(n.misprint and n.step == "context" for n in wrong)
    assert len(wrong) < 9


def test_after_a_change_those_that_no_longer_hold_are_found():
    x = [list(row) for row in EXAMPLES["warm_mat"].settings.x]
    x[1][0] = 0.99
    off = [n for n in numbers("warm_mat", x=tuple(map(tuple, x))) if not n.matches]
    assert ("embeddings", 1, 0) in {(n.step, n.row, n.column) for n in off}
    assert {("scores", 1, j) for j in range(7)} <= {(n.step, n.row, n.column) for n in off}
    assert ("scores", 0, 0) not in {(n.step, n.row, n.column) for n in off}


def test_scaling_leaves_the_scores_and_moves_the_weights():
    steps = {n.step for n in numbers("warm_mat", scale=Scale.SQRT_D_K) if not n.matches}
    assert "weights" in steps
    assert "scores" not in steps


@pytest.mark.parametrize(
    "changes", [{"text": "dog bites man", "x": None}, {"d_model": 5, "x": None}]
)
def test_another_sentence_or_size_has_no_published_numbers(changes):
    assert numbers("warm_mat", **changes) == []


def test_generated_examples_have_none():
    for name in EXAMPLES:
        if name not in PUBLISHED:
            assert numbers(name) == []


@pytest.mark.parametrize(
    ("printed", "value", "matches"),
    [
        ("0.19", 0.1949, True),
        ("0.19", 0.195, True),
        ("0.20", 0.195, True),
        ("0.19", 0.1951, False),
        ("2", 2.4, True),
        ("2", 2.6, False),
        ("-0.5", -0.54, True),
    ],
)
def test_a_number_matches_if_it_rounds_to_what_is_printed(printed, value, matches):
    assert Published("scores", 0, 0, printed, value, False).matches is matches
