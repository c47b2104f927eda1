"""Line charts: the numbers are read back from the figure."""

import numpy as np
import pytest
from figures.checked import checked

from explorer.figures import palette
from explorer.figures.lines import HEIGHT, lines

X = [2, 4, 8]
CURVES = {"raw": np.array([0.1, 0.2, 0.4]), "<b>scaled</b>": [0.1, 0.1, 0.1]}


def draw(**options):
    return checked(lines(X, CURVES, x_title="d", y_title="weight", **options))


def test_the_curves_have_their_numbers_names_and_colours():
    figure = draw()
    assert [list(curve.x) for curve in figure.data] == [[2, 4, 8]] * 2
    assert [list(curve.y) for curve in figure.data] == [[0.1, 0.2, 0.4], [0.1, 0.1, 0.1]]
    assert [curve.name for curve in figure.data] == ["raw", "&lt;b&gt;scaled&lt;/b&gt;"]
    assert [curve.line.color for curve in figure.data] == palette.LINES[:2]
    assert len({curve.line.dash for curve in figure.data}) == 2
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text) == ("d", "weight")
    assert figure.layout.showlegend


@pytest.mark.parametrize(("doubling", "at"), [(False, 4), (True, np.log10(4))])
def test_the_present_place_is_marked(doubling, at):
    figure = draw(marked=4, marked_name="here", doubling=doubling)
    (line,) = figure.layout.shapes
    (name,) = figure.layout.annotations
    assert (line.x0, line.x1) == (4, 4)
    assert name.text == "here"
    assert name.x == pytest.approx(at)
    assert figure.layout.xaxis.type == ("log" if doubling else "linear")


@pytest.mark.parametrize(("place", "side"), [(2, "left"), (4, "left"), (8, "right")])
def test_the_name_of_the_place_stays_inside(place, side):
    (name,) = draw(marked=place, marked_name="here").layout.annotations
    assert name.xanchor == side


def test_without_a_place_nothing_is_marked():
    assert not draw().layout.shapes
    assert not draw().layout.annotations


def test_a_finger_scrolls_the_page_and_the_size_is_fixed():
    figure = draw(y_range=(0, 1), ticks=X)
    assert figure.layout.dragmode is False
    assert figure.layout.xaxis.fixedrange
    assert figure.layout.yaxis.fixedrange
    assert figure.layout.height == HEIGHT
    assert figure.layout.yaxis.range == (0, 1)
    assert figure.layout.xaxis.tickvals == (2, 4, 8)


def test_one_curve_needs_no_legend():
    assert not checked(lines(X, {"one": X}, x_title="", y_title="")).layout.showlegend


def test_powers_of_ten_have_few_ticks():
    curve = {"one": [1, 1e-7, 1e-14]}
    figure = checked(lines(X, curve, x_title="", y_title="", y_powers=True))
    assert figure.layout.yaxis.type == "log"
    assert figure.layout.yaxis.dtick == 3
