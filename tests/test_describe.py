"""The sentences that stand for a chart say what its numbers say."""

import numpy as np
import pytest

from explorer import describe
from explorer.settings import Settings
from explorer.trace import trace

TOKENS = ("the", "cat", "the")
WEIGHTS = np.array([[0.2, 0.5, 0.3], [0.1, 0.7, 0.2], [0.25, 0.25, 0.5]])
CAUSAL = np.tri(3, dtype=bool)


def test_a_word_that_comes_once_is_named_alone():
    assert describe.word(TOKENS, 1) == "cat"


def test_a_word_that_comes_twice_is_named_with_its_position():
    assert [describe.word(TOKENS, n) for n in (0, 2)] == ["the (word 1)", "the (word 3)"]


def test_a_word_is_named_as_typed_and_cut_when_long():
    assert describe.word(("<b>*hi*</b>", "x" * 50), 0) == "<b>*hi*</b>"
    assert describe.word(("<b>*hi*</b>", "x" * 50), 1) == "x" * 39 + "…"


def test_pairs_name_the_size_and_the_largest_cell():
    assert describe.pairs("Weights A", WEIGHTS, TOKENS, None, 3) == (
        "Weights A: 3 by 3, a row for each query, a column for each key. "
        "The largest, 0.700, is from cat to cat."
    )


def test_pairs_name_row_and_column_in_this_order():
    scores = np.array([[0, 5.25, 0], [1, 0, 0], [0, 0, 0]])
    assert "The largest, 5.25, is from the (word 1) to cat." in describe.pairs(
        "Scores S", scores, TOKENS, None, 2
    )


def test_hidden_cells_are_counted_and_never_the_largest():
    scores = np.array([[1.0, 9.0, 9.0], [2.0, 1.0, 9.0], [0.0, 3.0, 1.0]])
    expected = (
        "Masked scores: 3 by 3, a row for each query, a column for each key. "
        "3 cells are hidden by the mask. The largest, 3.00, is from the (word 3) to cat."
    )
    masked = np.where(CAUSAL, scores, -np.inf)
    assert describe.pairs("Masked scores", scores, TOKENS, CAUSAL, 2) == expected
    assert describe.pairs("Masked scores", masked, TOKENS, CAUSAL, 2) == expected
    assert describe.pairs("Masked scores", masked, TOKENS, None, 2) == expected


@pytest.mark.parametrize(("n_tokens", "hidden"), [(3, 9), (1, 1)])
def test_where_all_is_hidden_nothing_is_the_largest(n_tokens, hidden):
    blind = np.zeros((n_tokens, n_tokens), dtype=bool)
    said = describe.pairs("Weights A", blind * 1.0, TOKENS[:n_tokens], blind, 3)
    assert str(hidden) in said
    assert "largest" not in said
    assert "NaN" not in said


def test_one_hidden_cell_is_one_cell():
    visible = np.array([[True, False], [True, True]])
    said = describe.pairs("Weights A", np.eye(2), ("a", "b"), visible, 3)
    assert "1 cell is hidden by the mask." in said


def test_vectors_name_size_range_and_every_number_while_there_are_few():
    numbers = np.array([[0.5, -1.25], [-0.0001, 2.0]])
    assert describe.vectors("Embeddings X", numbers, ("a", "<b>"), 2) == (
        "Embeddings X: 2 rows of 2 numbers. They lie between −1.25 and 2.00. "
        "a: 0.50, −1.25. <b>: 0.00, 2.00."
    )


@pytest.mark.parametrize("shape", [(13, 2), (2, 13)])
def test_of_many_vectors_only_size_and_range_are_said(shape):
    numbers = np.arange(26.0).reshape(shape)
    said = describe.vectors("Values V", numbers, ["w"] * shape[0], 2)
    assert said == (
        f"Values V: {shape[0]} rows of {shape[1]} numbers. They lie between 0.00 and 25.00."
    )


def test_no_vectors_have_no_range():
    assert describe.vectors("Embeddings X", np.zeros((0, 4)), (), 2) == (
        "Embeddings X: 0 rows of 4 numbers."
    )


def test_shares_are_named_the_largest_first_and_at_most_eight():
    assert (
        describe.shares(WEIGHTS[0], TOKENS)
        == "cat 50.0 %, the (word 3) 30.0 %, the (word 1) 20.0 %"
    )
    many = np.arange(20.0) / 190
    said = describe.shares(many, [f"w{n}" for n in range(20)]).split(", ")
    assert said[0] == "w19 10.0 %"
    assert len(said) == 8


@pytest.mark.parametrize(
    ("focus", "to_key", "weights", "first", "whole"),
    [
        (
            *(1, False, WEIGHTS[1]),
            "cat gives 10.0 % of its attention to the (word 1)",
            "Arrows from cat to each word it attends to: cat 70.0 %,",
        ),
        (
            *(1, True, WEIGHTS[:, 1]),
            "the (word 1) gives 50.0 % of its attention to cat",
            "Arrows from each word to cat: cat 70.0 %, the (word 1) 50.0 %,",
        ),
        (
            *(None, False, WEIGHTS.mean(axis=0)),
            "the (word 1) gets 18.3 % of a word’s attention on average",
            "Arrows between all words. On average each gets: cat 48.3 %, the (word 3) 33.3 %,",
        ),
    ],
)
def test_arrows_are_told_for_each_word_and_as_a_whole(focus, to_key, weights, first, whole):
    each, alt = describe.arrows(weights, TOKENS, focus, to_key)
    assert len(each) == 3
    assert each[0] == first
    assert alt.startswith(whole)


def test_scaling_by_hand():
    """Scores 4 and 0 raw, 2 and 0 scaled (d = 4): 98.2 % and 88.1 % for the word itself."""
    x = ((2.0, 0.0, 0.0, 0.0), (0.0, 2.0, 0.0, 0.0))
    raw = trace(Settings(text="a b", x=x))
    scaled = trace(Settings(text="a b", x=x, scale="sqrt_d_k"))
    said = describe.scaling(raw, scaled, 0, qkv=False)
    assert "became more even" in said
    assert "88.1 % instead of 98.2 %" in said
    assert "0.53 bits instead of 0.13" in said
    assert "a word is compared with itself" in said
    assert "compared with itself" not in describe.scaling(raw, scaled, 0, qkv=True)


def test_scaling_is_told_over_the_words_that_may_see_somebody():
    """The last two of three words are padding and see only themselves: nobody."""
    masks = {"mask": ("window", "padding"), "radius": 0, "pad": 2}
    sides = [trace(Settings(text="a b c", scale=scale, **masks)) for scale in ("raw", "sqrt_d_k")]
    said = describe.scaling(*sides, 0, qkv=True)
    assert "100.0 % instead of 100.0 %" in said
    assert "more" not in said
    blind = [
        trace(Settings(text="a b c", scale=scale, mask=("padding",), pad=3))
        for scale in ("raw", "sqrt_d_k")
    ]
    assert "changes nothing" in describe.scaling(*blind, 0, qkv=False)
