"""Bars show the shares that they are given, each kind in its own colour."""

import numpy as np
import pytest
from figures.checked import checked

from explorer.figures.bars import bars


def test_each_kind_has_a_bar_for_each_word_with_its_share():
    shares = {"A": np.array([0.5, 0.25]), "B": np.array([0.1, np.nan])}
    figure = checked(bars(shares, ("<b>", "$x$"), even=0.2))
    for bar, (kind, numbers) in zip(figure.data, shares.items(), strict=True):
        assert bar.name == kind
        np.testing.assert_array_equal(np.array(bar.y, float), numbers)
    assert [*figure.data[0].text] == ["50.0", "25.0"]
    assert figure.data[1].text[1] == "NaN"
    assert figure.data[0].marker.color != figure.data[1].marker.color
    assert figure.layout.xaxis.ticktext == ("&lt;b&gt;", "&#36;x&#36;")
    assert [shape.y0 for shape in figure.layout.shapes] == [0.2]


@pytest.mark.parametrize("numbers", [[], [-0.5, 2.0]])
def test_no_bar_leaves_the_picture(numbers):
    figure = checked(bars({"A": np.array(numbers)}, ["w"] * len(numbers)))
    low, high = figure.layout.yaxis.range
    assert all(low <= n <= high for n in [0, *numbers])
