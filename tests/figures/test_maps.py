"""All layers and heads in one picture, and numbers along the layers as lines."""

import numpy as np
import pytest
from figures.checked import checked

from explorer.figures.layer_lines import lines
from explorer.figures.maps import map_at, maps, outline, side_of

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("n_layers", "n_heads", "n_tokens"), [(6, 12, 9), (2, 3, 1), (12, 12, 200)]
)
def test_every_map_has_its_weights_at_its_place(n_layers, n_heads, n_tokens):
    weights = RNG.random((n_layers, n_heads, n_tokens, n_tokens)).astype(np.float32)
    drawn = np.array(checked(maps(weights)).data[0].z)
    side = side_of(n_layers, n_heads, n_tokens)
    for layer in range(n_layers):
        for head in range(n_heads):
            (top, bottom), (left, right) = outline(layer, head, side)
            here = drawn[top : bottom + 1, left : right + 1]
            assert here.shape == (side, side)
            assert here.max() == weights[layer, head].max()  # no spike is lost
            if side == n_tokens:
                np.testing.assert_array_equal(here, weights[layer, head])
            for row, column in ((top, left), (bottom, right)):
                assert map_at(row, column, n_layers, n_heads, side) == (layer, head)
    assert np.isnan(drawn[side, 0])  # between the maps there is nothing
    assert drawn.size < 100_000


def test_weights_start_at_zero_and_all_maps_share_a_scale():
    weights = np.full((1, 2, 3, 3), 1 / 3)
    weights[0, 1] = np.eye(3)
    drawn = checked(maps(weights)).data[0]
    assert (drawn.zmin, drawn.zmax) == (0, 1)


def test_beside_the_maps_there_is_no_head():
    assert map_at(500, 0, 2, 2, 5) is None
    assert map_at(0, 500, 2, 2, 5) is None


def test_lines_have_their_numbers_and_their_names_do_not_overlap():
    numbers = np.array([[1.0, 0.5], [1.0, 0.5], [0.9, 0.501], [0.2, 0.1]])
    names, titles = ("a", "b", "c", "<b>"), ("layer", "cosine")
    figure = checked(lines(numbers, names, ("input", "1"), titles))
    for line, row in zip(figure.data, numbers, strict=False):
        np.testing.assert_array_equal(line.y, row)
    ends = figure.data[-1]
    assert ends.text[-1].strip() == "&lt;b&gt;"
    low, high = figure.layout.yaxis.range
    apart = np.diff(np.sort(ends.y)) / (high - low) * 240
    assert apart.min() > 13
    assert ends.y[2] == max(ends.y)
