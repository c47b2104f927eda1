"""The usual mistakes: what is wrong, and what is right, by numbers of known cases."""

import numpy as np
import pytest

from explorer import attention, masks
from explorer.attention import softmax, split_heads
from explorer.examples import EXAMPLES
from explorer.lab import mistakes
from explorer.lab.mistakes import Mistake, outcome
from explorer.settings import Mask, Scale, Settings
from explorer.trace import trace

X3 = np.array([[1.0, 0], [0, 1], [1, 1]])
SCALED = X3 @ X3.T / np.sqrt(2)
ONE_TO_THREE = np.array([[1.0, 2, 3]] * 3)
LAST_HIDDEN = np.array([True, True, False])
PRINTED = {"rtol": 0, "atol": 5e-5}
WARM_MAT = EXAMPLES["warm_mat"].settings


def near(found, expected):
    np.testing.assert_allclose(found, expected, **PRINTED)


def test_softmax_over_the_wrong_axis():
    scores = np.array([[1.0, 2], [3, 4]])
    near(softmax(scores), [[0.2689, 0.7311]] * 2)
    near(mistakes.softmax_over_queries(scores), [[0.1192, 0.1192], [0.8808, 0.8808]])


def test_mask_after_the_softmax():
    visible = masks.causal(3)
    near(mistakes.masked(ONE_TO_THREE, visible)[:2], [[1, 0, 0], [0.2689, 0.7311, 0]])
    wrong = mistakes.masked_after_softmax(ONE_TO_THREE, visible)
    near(wrong[:2], [[0.0900, 0, 0], [0.0900, 0.2447, 0]])


def test_masking_by_0():
    """Scores 1, 2 and 0 instead of 1, 2 and nothing."""
    wrong = mistakes.masked_with_zero(ONE_TO_THREE[:1], LAST_HIDDEN)
    e = np.e
    np.testing.assert_allclose(wrong[0], np.array([e, e * e, 1]) / (e + e * e + 1), rtol=1e-12)


def test_a_tiny_number_hides_nothing():
    near(mistakes.masked(ONE_TO_THREE[:1], LAST_HIDDEN), [[0.2689, 0.7311, 0]])
    near(mistakes.masked_with_tiny(ONE_TO_THREE[:1], LAST_HIDDEN), [[0.0900, 0.2447, 0.6652]])


def test_a_mask_upside_down():
    visible = masks.causal(3)
    right = mistakes.masked(SCALED, visible) @ X3
    near(right, [[1, 0], [0.3302, 0.6698], [0.7517, 0.7517]])
    near(mistakes.masked_upside_down(SCALED, visible) @ X3, [[0.6698, 1], [1, 1], [0, 0]])


def test_padding_on_queries():
    hidden = ~mistakes.padding_on_queries(3, 1)
    np.testing.assert_array_equal(hidden, [[False] * 3, [False] * 3, [True] * 3])


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        (masks.causal, [1, 2, 3, 4, 5]),
        (mistakes.causal_strict, [0, 1, 2, 3, 4]),
        (mistakes.causal_shifted, [2, 3, 4, 5, 5]),
    ],
)
def test_a_causal_mask_off_by_one(line, counts):
    assert line(5).sum(axis=-1).tolist() == counts
    assert np.tril(line(5)).sum() == line(5).sum() or line is mistakes.causal_shifted


@pytest.mark.parametrize(
    ("scale", "expected"),
    [
        (4**-0.5, [0.8808, 0.1192]),
        (8**-0.5, [0.8044, 0.1956]),
        (2**-0.5, [0.9442, 0.0558]),
        (1.0, [0.9820, 0.0180]),
        (4**0.5, [0.9997, 0.0003]),
    ],
)
def test_scaling_by_something_else(scale, expected):
    near(mistakes.scaled_softmax(np.array([[4.0, 0]]), scale), [expected])


def test_heads_split_without_the_transpose():
    x = np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(split_heads(x, 2)[0], [[0, 1], [4, 5], [8, 9]])
    np.testing.assert_array_equal(
        mistakes.split_without_transpose(x, 2)[0], [[0, 1], [2, 3], [4, 5]]
    )


def test_heads_merged_without_the_transpose():
    x = np.arange(12.0).reshape(3, 4)
    heads = split_heads(x, 2)
    np.testing.assert_array_equal(attention.join_heads(heads), x)
    np.testing.assert_array_equal(
        mistakes.merge_without_transpose(heads), [[0, 1, 4, 5], [8, 9, 2, 3], [6, 7, 10, 11]]
    )


@pytest.mark.parametrize("top", [1000.0, 710.0])
def test_exp_overflows_where_no_maximum_is_subtracted(top):
    scores = np.array([[top, top + 1, top + 2]])
    near(softmax(scores), [[0.090031, 0.244728, 0.665241]])
    assert np.isnan(mistakes.softmax_without_maximum(scores)).any()


def test_exp_overflows_in_float32_much_sooner():
    scores = np.array([[100, 50, 89]])
    np.testing.assert_allclose(
        softmax(scores.astype(np.float32))[0], [0.999983, 1.93e-22, 1.67e-5], rtol=2e-3
    )
    assert np.isnan(mistakes.softmax_without_maximum(scores.astype(np.float32))[0, 0])
    assert not np.isnan(mistakes.softmax_without_maximum(scores.astype(np.float64))).any()
    assert not np.isnan(mistakes.softmax_without_maximum(np.float32([[88, 50, 0]]))).any()


def test_softmax_twice():
    average = np.array([[0.5, 0.5], [0.4, 0.6]])
    near(softmax(average), [[0.5, 0.5], [0.4502, 0.5498]])
    once = np.log(average)
    near(mistakes.softmax_twice(once), softmax(average))


def test_the_average_of_heads_is_no_attention():
    weights = np.array([[[0.9, 0.1], [0.2, 0.8]], [[0.1, 0.9], [0.6, 0.4]]])
    near(weights.mean(axis=0), [[0.5, 0.5], [0.4, 0.6]])
    v = np.array([[[1.0], [0]], [[0], [1.0]]])
    near(mistakes.each_head(weights, v), [[0.9, 0.9], [0.2, 0.4]])
    near(mistakes.averaged_heads(weights, v), [[0.5, 0.5], [0.4, 0.6]])


# On a whole experiment


@pytest.mark.parametrize("mistake", Mistake)
@pytest.mark.parametrize(
    "settings",
    [
        WARM_MAT,
        Settings(text="Hello"),
        Settings(text="a b a", d_model=8, n_heads=4, scale=Scale.SQRT_D_K),
        Settings(text="a b c", qkv=True, d_k=1, d_v=3, mask=(Mask.PADDING, Mask.WINDOW)),
        Settings(text="a b c", x=((0.0,) * 4,) * 3),
    ],
)
def test_every_mistake_can_be_made_on_any_experiment(mistake, settings):
    found = outcome(mistake, trace(settings))
    n_words = len(settings.tokens)
    assert len(found.right) == len(found.wrong) == n_words
    assert found.right.shape == found.wrong.shape
    assert not np.isnan(found.right).any()
    assert found.breaks.endswith(".")
    assert "nan" not in f"{found.breaks} {found.note}".lower().replace("is nan:", "")
    if found.pairs:
        rows = found.right.sum(axis=-1)
        sees = np.ones(n_words, bool) if found.visible is None else found.visible.any(axis=-1)
        np.testing.assert_allclose(rows, sees.astype(float), rtol=1e-6)


@pytest.mark.parametrize("mistake", sorted(set(Mistake) - {Mistake.ROOT_HEADS}))
def test_every_mistake_shows_on_the_first_page(mistake):
    found = outcome(mistake, trace(WARM_MAT))
    assert not np.allclose(found.right, found.wrong, atol=1e-3)


def test_the_sentences_hold_the_numbers():
    t = trace(WARM_MAT)
    columns = softmax(t.scores[0].T).T.sum(axis=-1)
    said = outcome(Mistake.AXIS, t).breaks
    assert f"from {columns.min():.3f} to {columns.max():.3f}" in said
    first = softmax(t.scores[0])[0, 0]
    assert f"as little as {first:.3f}" in outcome(Mistake.MASK_AFTER, t).breaks
    leak = 1 - softmax(t.scores[0])[0, 0]
    assert f"up to {100 * leak:.1f} %" in outcome(Mistake.MASK_TINY, t).breaks
    assert "can pass 31.2 %" in outcome(Mistake.TWICE, t).breaks  # e / (e + 6)


def test_the_experiments_own_mask_is_used_where_it_hides_something():
    t = trace(Settings(text="a b c", mask=(Mask.PADDING,)))
    found = outcome(Mistake.MASK_AFTER, t)
    np.testing.assert_array_equal(found.visible, t.visible)
    np.testing.assert_array_equal(found.right, t.weights[0])


def test_equal_factors_are_said_to_be_equal():
    """Two heads of two features: the root of the heads is the root of d_k."""
    found = outcome(Mistake.ROOT_HEADS, trace(Settings(text="a b", n_heads=2)))
    assert "nothing breaks" in found.breaks
    np.testing.assert_allclose(found.right, found.wrong)
