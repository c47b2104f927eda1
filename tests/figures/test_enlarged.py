"""A figure for the front of a class is the same figure, larger."""

import numpy as np
from figures.checked import checked

from explorer.figures.enlarged import enlarged
from explorer.figures.matrix import Kind, layout, matrix


def test_sizes_and_letters_grow_and_numbers_stay():
    words = ("a", "b")
    frame = layout(words)
    numbers = np.array([[1.0, 2.0], [3.0, 4.0]])
    figure = matrix(numbers, rows=words, columns=words, kind=Kind.SIGNED, frame=frame)
    larger, figure = checked(enlarged(figure, 2)), checked(figure)
    assert larger.layout.width == 2 * figure.layout.width
    assert larger.layout.height == 2 * figure.layout.height
    assert larger.layout.margin.l == 2 * figure.layout.margin.l
    assert larger.layout.font.size == 2 * figure.layout.font.size
    assert larger.data[0].textfont.size == 2 * figure.data[0].textfont.size
    np.testing.assert_array_equal(larger.data[0].z, figure.data[0].z)
    assert larger.data[0].text == figure.data[0].text
