"""Points and arrows in the plane: the numbers are read back from the figure."""

import numpy as np
from figures.checked import checked

from explorer.figures import palette
from explorer.figures.plane import HEIGHT, plane

BEFORE = np.array([[0.0, 0], [1, 0], [0, 2]])
AFTER = np.array([[0.5, 0.5], [0.6, 0.4], [0.4, 1]])
PULLS = np.array([[0.1, 0.2], [0, 0], [-0.5, 0.2]])


def draw(names=("a", "<b>", "c")):
    return checked(plane(BEFORE, AFTER, names, focus=1, pulls=PULLS, axes=("one", "two")))


def traces(figure):
    return {trace.name: trace for trace in figure.data}


def test_every_word_stands_where_it_was():
    words = traces(draw())["words"]
    np.testing.assert_array_equal(np.column_stack([words.x, words.y]), BEFORE)
    assert list(words.text) == ["a", "<b>&lt;b&gt;</b>", "c"]
    assert words.marker.color[1] == palette.QUERY


def test_arrows_lead_from_before_to_after():
    drawn = traces(draw())
    assert list(drawn["move"].x) == [1, 0.6, None]
    assert list(drawn["move"].y) == [0, 0.4, None]
    assert list(drawn["moves"].x) == [0, 0.5, None, 0, 0.4, None]
    assert list(drawn["moves"].y) == [0, 0.5, None, 2, 1, None]
    assert drawn["move"].line.color == palette.QUERY


def test_pulls_start_at_the_word_that_is_pulled():
    pulls = traces(draw())["pulls"]
    assert list(pulls.x) == [1, 1.1, None, 1, 0.5, None]
    assert list(pulls.y) == [0, 0.2, None, 0, 0.2, None]
    assert pulls.line.color == palette.KEY


def test_both_axes_have_one_scale_and_a_finger_scrolls_the_page():
    layout = draw().layout
    assert layout.yaxis.scaleanchor == "x"
    assert layout.dragmode is False
    assert layout.xaxis.fixedrange
    assert layout.yaxis.fixedrange
    assert layout.height == HEIGHT
    for axis, numbers in ((layout.xaxis, BEFORE[:, 0]), (layout.yaxis, BEFORE[:, 1])):
        assert axis.range[0] < numbers.min() < numbers.max() < axis.range[1]


def test_names_of_words_at_one_place_stand_on_different_sides():
    same = np.zeros((3, 2))
    figure = checked(plane(same, same, ("a", "b", "c"), focus=2, pulls=same, axes=("", "")))
    sides = traces(figure)["words"].textposition
    assert len(set(sides)) == 3
    assert sides[2] == "top center"


def test_many_words_have_their_names_under_the_pointer_only():
    many = np.random.default_rng(0).standard_normal((30, 2))
    names = [f"w{n}" for n in range(30)]
    figure = checked(plane(many, many, names, focus=0, pulls=many, axes=("", "")))
    words = traces(figure)["words"]
    assert words.mode == "markers"
    assert list(words.customdata) == names
