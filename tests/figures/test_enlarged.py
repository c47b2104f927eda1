"""A figure in another size is the same figure."""

import numpy as np
from figures.checked import checked

from explorer.figures.enlarged import enlarged, narrowed
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


def test_a_narrower_matrix_keeps_its_digits_apart_and_turns_long_words():
    words = ("unbelievable", "sentences", "of", "many", "long", "words")
    numbers = np.full((6, 6), 0.123)
    figure = matrix(numbers, rows=words, columns=words, kind=Kind.WEIGHTS, frame=layout(words))
    narrow = checked(narrowed(figure, 100))
    margin = narrow.layout.margin
    cell = (narrow.layout.width - margin.l - margin.r) / 6
    assert 34 < cell < 36  # five signs in 12 pixels' height, and 6 pixels of room
    assert narrow.layout.xaxis.tickangle == -90
    rows = [
        f.layout.height - f.layout.margin.t - f.layout.margin.b for f in (narrow, checked(figure))
    ]
    assert rows[0] == rows[1]
    assert narrowed(figure, 2000) is figure
