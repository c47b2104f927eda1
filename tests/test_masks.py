"""The masks, cell by cell: True where the query (row) may see the key (column)."""

import numpy as np
import pytest

from explorer import masks

MASKS = {
    "everything": masks.everything,
    "causal": masks.causal,
    "window": lambda n_tokens: masks.window(n_tokens, 2),
    "padding": lambda n_tokens: masks.padding(n_tokens, 2),
}


def drawn(mask):
    """A mask as one line for each query, # where it may see the key."""
    return ["".join("#" if seen else "." for seen in row) for row in mask]


def test_everything():
    assert drawn(masks.everything(3)) == ["###", "###", "###"]


def test_causal_shows_the_word_itself_and_those_before_it():
    assert drawn(masks.causal(5)) == ["#....", "##...", "###..", "####.", "#####"]


@pytest.mark.parametrize(
    ("n_past", "expected"),
    [
        (0, ["#....", "##..."]),
        (1, ["##...", "###.."]),
        (3, ["####.", "#####"]),
        (9, ["#####", "#####"]),
        (-1, [".....", "#...."]),
        (-9, [".....", "....."]),
    ],
)
def test_two_queries_over_five_keys_see_the_past_keys_and_their_own(n_past, expected):
    """Query i is key n_past + i: 0 is the top left corner, 5 - 2 the bottom right one."""
    assert drawn(masks.causal(2, 5, n_past)) == expected


def test_causal_over_fewer_keys_than_queries_starts_in_the_top_left_corner():
    assert drawn(masks.causal(4, 2)) == ["#.", "##", "##", "##"]


@pytest.mark.parametrize(
    ("radius", "expected"),
    [
        (0, ["#....", ".#...", "..#..", "...#.", "....#"]),
        (1, ["##...", "###..", ".###.", "..###", "...##"]),
        (2, ["###..", "####.", "#####", ".####", "..###"]),
        (4, ["#####"] * 5),
        (64, ["#####"] * 5),
    ],
)
def test_a_window_shows_the_word_itself_and_radius_words_on_each_side(radius, expected):
    assert drawn(masks.window(5, radius)) == expected


@pytest.mark.parametrize(
    ("pad", "row"), [(0, "####"), (1, "###."), (3, "#..."), (4, "...."), (64, "....")]
)
def test_padding_hides_the_last_columns_and_no_rows(pad, row):
    assert drawn(masks.padding(4, pad)) == [row] * 4


def test_a_causal_window_of_one_word_before():
    assert drawn(masks.causal(5) & masks.window(5, 1)) == [
        "#....",
        "##...",
        ".##..",
        "..##.",
        "...##",
    ]


@pytest.mark.parametrize("n_tokens", [0, 1, 2, 64])
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_every_mask_is_boolean_and_square(mask, n_tokens):
    made = mask(n_tokens)
    assert made.dtype == np.bool_
    assert made.shape == (n_tokens, n_tokens)


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_every_mask_is_made_anew_and_may_be_changed(mask):
    first = mask(3)
    first[:] = False
    assert mask(3)[0, 0]
