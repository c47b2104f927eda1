"""The steps of attention against numbers worked out by hand.

Values with four decimals come from public bug reports of other attention code, recomputed in
float64: half a unit in the last place is all we may differ by.
"""

import numpy as np
import pytest

from explorer.attention import (
    attend,
    hide,
    join_heads,
    mix,
    score,
    share_heads,
    softmax,
    split_heads,
)

X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
PRINTED = {"rtol": 0, "atol": 5e-5}
CAUSAL = np.tri(3, dtype=bool)
STEPS = ("scores", "scaled", "masked", "weights", "context")


def masked_softmax(scores, visible):
    return softmax(hide(np.array(scores, dtype=float), np.array(visible, dtype=bool)))


# Scores


def test_a_score_is_the_dot_product_of_a_query_and_a_key():
    q = np.array([[1.0, 2.0]])
    k = np.array([[3.0, 4.0], [5.0, 6.0], [-1.0, 0.5]])
    np.testing.assert_array_equal(score(q, k), [[11, 17, 0]])


def test_rows_are_queries_and_columns_are_keys():
    q, k = np.array([[1.0], [2.0]]), np.array([[10.0], [100.0], [1000.0]])
    np.testing.assert_array_equal(score(q, k), [[10, 100, 1000], [20, 200, 2000]])


@pytest.mark.parametrize(
    ("scale", "weights", "context"),
    [
        (
            1.0,
            [[0.4223, 0.1554, 0.4223], [0.1554, 0.4223, 0.4223], [0.2119, 0.2119, 0.5761]],
            [[0.8446, 0.5777], [0.5777, 0.8446], [0.7881, 0.7881]],
        ),
        (
            None,
            [[0.4011, 0.1978, 0.4011], [0.1978, 0.4011, 0.4011], [0.2483, 0.2483, 0.5035]],
            [[0.8022, 0.5989], [0.5989, 0.8022], [0.7517, 0.7517]],
        ),
    ],
)
def test_three_words_of_two_numbers(scale, weights, context):
    steps = attend(X, X, X, scale=scale)
    np.testing.assert_array_equal(steps.scores, [[1, 0, 1], [0, 1, 1], [1, 1, 2]])
    np.testing.assert_allclose(steps.weights, weights, **PRINTED)
    np.testing.assert_allclose(steps.context, context, **PRINTED)


# Scale


def test_scaling_by_hand():
    """d_k = 4; dot products 2 ln 3 and 0; scaled, ln 3 and 0; so the weights are 3 to 1."""
    q = [[2 * np.log(3), 0, 0, 0]]
    k = [[1, 0, 0, 0], [0, 0, 0, 0]]
    np.testing.assert_allclose(attend(q, k, k).weights, [[0.75, 0.25]], rtol=1e-15)


def test_the_scale_counts_the_features_of_one_head_not_of_all():
    """Two heads of 4 share 8 features. By sqrt(8) it would be .8044, by sqrt(2) .9442."""
    q = split_heads(np.array([[2.0, 0, 0, 0, 2, 0, 0, 0]]), 2)
    k = split_heads(np.array([[2.0, 0, 0, 0, 2, 0, 0, 0], [0] * 8]), 2)
    steps = attend(q, k, k)
    np.testing.assert_array_equal(steps.scores, [[[4, 0]], [[4, 0]]])
    np.testing.assert_array_equal(steps.scaled, [[[2, 0]], [[2, 0]]])
    np.testing.assert_allclose(steps.weights, [[[0.8808, 0.1192]]] * 2, **PRINTED)


def test_scores_are_divided_by_the_root_not_multiplied():
    """Multiplied by sqrt(4), the first weight would be .9997."""
    steps = attend([[4, 0, 0, 0]], [[1, 0, 0, 0], [0, 0, 0, 0]], [[0.0], [0.0]])
    np.testing.assert_allclose(steps.weights, [[0.8808, 0.1192]], **PRINTED)


@pytest.mark.parametrize("scale", [0.25, 0, 1, np.float64(2)])
def test_any_other_scale_is_taken_as_it_is(scale):
    np.testing.assert_array_equal(attend(X, X, X, scale=scale).scaled, X @ X.T * scale)


# Softmax


@pytest.mark.parametrize(
    ("scores", "weights"),
    [
        ([1, 2], [0.2689, 0.7311]),
        ([1, 2, 3], [0.0900, 0.2447, 0.6652]),
        ([1000, 1001, 1002], [0.090031, 0.244728, 0.665241]),
        ([-1000, -1001, -1002], [0.665241, 0.244728, 0.090031]),
        ([7], [1]),
        ([5, 5, 5, 5], [0.25, 0.25, 0.25, 0.25]),
    ],
)
def test_softmax_by_hand(scores, weights):
    np.testing.assert_allclose(softmax(np.array([scores], dtype=float)), [weights], **PRINTED)


def test_softmax_of_logarithms_gives_back_the_shares():
    shares = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
    np.testing.assert_allclose(softmax(np.log(shares) + 7), shares, rtol=1e-14)


def test_softmax_in_float32_reaches_far_below_one():
    weights = softmax(np.array([[100, 50, 89]], dtype=np.float32))
    np.testing.assert_allclose(weights, [[0.999983, 1.93e-22, 1.67e-5]], rtol=2e-3)


def test_softmax_goes_along_the_keys():
    """Along the queries it would be .1192 and .8808."""
    weights = softmax(np.array([[1.0, 2.0], [3.0, 4.0]]))
    np.testing.assert_allclose(weights, [[0.2689, 0.7311]] * 2, **PRINTED)


def test_one_query_in_one_sentence_does_not_get_the_weight_1_everywhere():
    """A softmax along the axis of the sentences would."""
    steps = attend([[[1.0]]], [[[1.0], [2.0]]], [[[0.0], [1.0]]])
    np.testing.assert_allclose(steps.weights, [[[0.2689, 0.7311]]], **PRINTED)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_no_finite_scores_are_too_large(dtype):
    """Even where the gap between two scores does not fit into the float type."""
    top = np.finfo(dtype).max
    scores = np.array([[top, -top, 0], [-top, -top, -top], [top, top, -top]], dtype=dtype)
    np.testing.assert_array_equal(softmax(scores)[[0, 2]], [[1, 0, 0], [0.5, 0.5, 0]])
    np.testing.assert_allclose(softmax(scores)[1], [1 / 3] * 3, rtol=1e-3)


# Masks


def test_weights_are_spread_anew_over_the_keys_that_may_be_seen():
    """A mask laid over finished weights would leave the rows .0900, 0, 0 and .0900, .2447, 0."""
    weights = masked_softmax([[1, 2, 3]] * 3, CAUSAL)
    np.testing.assert_array_equal(weights[0], [1, 0, 0])
    np.testing.assert_allclose(
        weights[1:], [[0.2689, 0.7311, 0], [0.09, 0.2447, 0.6652]], **PRINTED
    )


@pytest.mark.parametrize(
    ("scores", "weights"),
    [([1, 2, 3], [0.2689, 0.7311, 0]), ([0, 0, 12], [0.5, 0.5, 0]), ([0, 0, 1e300], [0.5, 0.5, 0])],
)
def test_a_hidden_key_weighs_exactly_nothing_however_well_it_answers(scores, weights):
    found = masked_softmax([scores], [True, True, False])
    assert found[0, 2] == 0
    np.testing.assert_allclose(found, [weights], **PRINTED)


def test_causal_contexts_of_three_words():
    """With the mask read the other way round they would be [.6698, 1], [1, 1] and [0, 0]."""
    steps = attend(X, X, X, visible=CAUSAL)
    np.testing.assert_allclose(
        steps.context, [[1, 0], [0.3302, 0.6698], [0.7517, 0.7517]], **PRINTED
    )


def test_hidden_scores_are_minus_infinity_and_the_steps_before_are_untouched():
    steps = attend(X, X, X, scale=1, visible=CAUSAL)
    np.testing.assert_array_equal(steps.scaled, [[1, 0, 1], [0, 1, 1], [1, 1, 2]])
    np.testing.assert_array_equal(steps.masked, [[1, -np.inf, -np.inf], [0, 1, -np.inf], [1, 1, 2]])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_query_that_may_see_no_key_gets_weights_and_context_0(dtype):
    """Not NaN, and not the mean of all values, as a very negative number for a mask would say."""
    x = X.astype(dtype)
    visible = np.array([[1, 0, 0], [0, 0, 0], [1, 1, 1]], dtype=bool)
    for steps in (
        attend(x, x, x, visible=visible),
        attend(x, x, x, bias=np.where(visible, 0, -np.inf)),
    ):
        np.testing.assert_array_equal(steps.weights[:2], [[1, 0, 0], [0, 0, 0]])
        np.testing.assert_array_equal(steps.context[:2], [[1, 0], [0, 0]])
        np.testing.assert_allclose(steps.weights[2], [0.2483, 0.2483, 0.5035], rtol=0, atol=5e-4)
        np.testing.assert_allclose(steps.context[2], [0.7517, 0.7517], rtol=0, atol=5e-4)


def test_causal_and_padding_hold_at_once():
    """Four equal words, the last of them padding: one key row lies over the whole triangle."""
    visible = np.tri(4, dtype=bool) & np.array([[True, True, True, False]])
    weights = attend(*[np.ones((4, 2))] * 3, visible=visible).weights
    third = 1 / 3
    np.testing.assert_allclose(
        weights,
        [[1, 0, 0, 0], [0.5, 0.5, 0, 0], [third, third, third, 0], [third, third, third, 0]],
        rtol=1e-15,
    )


def test_two_reasons_to_hide_a_key_hide_it_no_differently_from_one():
    visible = CAUSAL & np.array([True, True, False])
    x = np.ones((3, 2))
    for steps in (
        attend(x, x, x, visible=visible),
        attend(x, x, x, visible=CAUSAL, bias=[0, 0, -np.inf]),
        attend(x, x, x, visible=visible, bias=np.where(visible, 0, -np.inf)),
    ):
        np.testing.assert_array_equal(steps.weights, [[1, 0, 0], [0.5, 0.5, 0], [0.5, 0.5, 0]])


@pytest.mark.parametrize(
    ("last_seen_by_row_0", "context"), [(0, [[0], [0.5]]), (3, [[1.5], [2.0]])]
)
def test_two_queries_over_five_keys_see_what_the_mask_says(last_seen_by_row_0, context):
    """Where the triangle starts is the mask's affair, at the top left or at the bottom right."""
    visible = np.tri(2, 5, last_seen_by_row_0, dtype=bool)
    steps = attend(np.zeros((2, 1)), np.zeros((5, 1)), np.arange(5.0)[:, None], visible=visible)
    np.testing.assert_allclose(steps.context, context, rtol=1e-15)


@pytest.mark.parametrize("shape", [(4,), (1, 4), (4, 4), (1, 4, 4), (2, 1, 4), (2, 4, 4)])
@pytest.mark.parametrize("name", ["visible", "bias"])
def test_a_mask_is_a_row_of_keys_or_a_row_for_each_query(name, shape):
    """Of three equal words seen out of four, each weighs a third, in every head."""
    real = np.array([True, True, True, False])
    whole = np.broadcast_to(real, shape)
    mask = whole if name == "visible" else np.where(whole, 0, -np.inf)
    weights = attend(*[np.ones((2, 4, 3))] * 3, **{name: mask}).weights
    np.testing.assert_allclose(weights, np.broadcast_to(real / 3, (2, 4, 4)), rtol=1e-15)


@pytest.mark.parametrize("shape", [(4, 1), (3, 4), (4, 3), (3,), (5,), (1, 1), (2, 3, 4)])
@pytest.mark.parametrize("name", ["visible", "bias"])
def test_a_mask_that_does_not_lie_over_the_scores_is_refused_with_both_shapes(name, shape):
    with pytest.raises(ValueError, match=f"{name} must have a column for each key") as error:
        attend(*[np.ones((2, 4, 3))] * 3, **{name: np.ones(shape, dtype=bool)})
    assert f"got shape {shape} for 4 queries and 4 keys" in str(error.value)


@pytest.mark.parametrize("mask", [[1, 1, 0], [1.0, 1.0, 0.0], [[0, 0, 0]] * 3])
def test_a_mask_of_numbers_is_refused(mask):
    with pytest.raises(
        ValueError, match=r"visible must be boolean.*True means.*may be seen"
    ) as error:
        attend(X, X, X, visible=mask)
    assert str(np.asarray(mask).dtype) in str(error.value)


def test_no_mask_and_a_mask_that_shows_everything_are_the_same():
    open_mask = attend(X, X, X, visible=np.ones((3, 3), dtype=bool))
    for step in STEPS:
        np.testing.assert_array_equal(getattr(open_mask, step), getattr(attend(X, X, X), step))


# Bias


def test_a_bias_is_added_to_the_scaled_scores():
    bias = np.array([[0.0, 1.0, -1.0], [0.5, 0.0, 0.0], [0.0, 0.0, 2.0]])
    steps = attend(X, X, X, bias=bias)
    np.testing.assert_array_equal(steps.scaled, attend(X, X, X).scaled)
    np.testing.assert_array_equal(steps.masked, steps.scaled + bias)
    np.testing.assert_allclose(steps.weights, softmax(steps.scaled + bias), rtol=1e-15)


def test_a_bias_by_hand():
    """No score, and a bias of ln 2 on the second key: it gets twice the first one's weight."""
    steps = attend([[0.0]], [[0.0], [0.0]], [[0.0], [3.0]], bias=[0, np.log(2)])
    np.testing.assert_allclose(steps.weights, [[1 / 3, 2 / 3]], rtol=1e-15)
    np.testing.assert_allclose(steps.context, [[2.0]], rtol=1e-15)


def test_a_bias_of_minus_infinity_hides_like_the_mask():
    hidden = attend(X, X, X, visible=CAUSAL)
    biased = attend(X, X, X, bias=np.where(CAUSAL, 0, -np.inf))
    for step in STEPS:
        np.testing.assert_array_equal(getattr(biased, step), getattr(hidden, step))


def test_a_bias_does_not_bring_a_hidden_key_back():
    steps = attend(X, X, X, visible=CAUSAL, bias=np.full((3, 3), 1e6))
    assert (steps.masked[~CAUSAL] == -np.inf).all()
    assert (steps.weights[~CAUSAL] == 0).all()


@pytest.mark.parametrize("behind", [np.nan, np.inf])
def test_what_stands_in_the_bias_behind_the_mask_reaches_nothing(behind):
    bias = np.where(CAUSAL, 0, behind)
    np.testing.assert_array_equal(
        attend(X, X, X, visible=CAUSAL, bias=bias).weights, attend(X, X, X, visible=CAUSAL).weights
    )


# NaN and infinity


@pytest.mark.parametrize("how", [{"visible": [True, False, True]}, {"bias": [0, -np.inf, 0]}])
@pytest.mark.parametrize("poisoned", ["k", "v", "kv"])
def test_a_nan_behind_the_mask_reaches_nothing(poisoned, how):
    bad = X.copy()
    bad[1] = np.nan
    k, v = (bad if name in poisoned else X for name in "kv")
    for x, keys, values in ((X, k, v), (X[None, None], k[None, None], v[None, None])):
        steps = attend(x, keys, values, **how)
        weights, context = (a.reshape(3, -1) for a in (steps.weights, steps.context))
        np.testing.assert_allclose(
            weights, [[0.5, 0, 0.5], [0.3302, 0, 0.6698], [0.3302, 0, 0.6698]], **PRINTED
        )
        np.testing.assert_allclose(context, [[1, 0.5], [1, 0.6698], [1, 0.6698]], **PRINTED)


@pytest.mark.parametrize("poisoned", ["k", "v"])
def test_an_infinity_behind_the_mask_reaches_nothing(poisoned):
    bad = X.copy()
    bad[1] = np.inf
    k, v = (bad if name == poisoned else X for name in "kv")
    with np.errstate(invalid="ignore"):
        steps = attend(X, k, v, visible=[True, False, True])
    np.testing.assert_allclose(steps.context, [[1, 0.5], [1, 0.6698], [1, 0.6698]], **PRINTED)


@pytest.mark.parametrize("poisoned", ["k", "v"])
def test_a_nan_that_is_seen_stays_nan_for_whoever_sees_it(poisoned):
    bad = X.copy()
    bad[2, 0] = np.nan
    k, v = (bad if name == poisoned else X for name in "kv")
    context = attend(X, k, v, visible=CAUSAL).context
    np.testing.assert_array_equal(context[:2], attend(X, X, X, visible=CAUSAL).context[:2])
    assert np.isnan(context[2, 0])


def test_softmax_does_not_turn_a_nan_into_0():
    weights = softmax(np.array([[np.nan, 1.0], [1.0, 1.0]]))
    np.testing.assert_array_equal(weights, [[np.nan, np.nan], [0.5, 0.5]])


def test_mixing_by_hand():
    weights, values = np.array([[0.25, 0.75], [1, 0]]), np.array([[4.0, 0.0], [8.0, 1.0]])
    np.testing.assert_array_equal(mix(weights, values), [[7, 0.75], [4, 0]])


# Types and shapes


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (np.float16, np.float16),
        (np.float32, np.float32),
        (np.float64, np.float64),
        (np.int64, np.float64),
        (np.int8, np.float64),
        (bool, np.float64),
    ],
)
@pytest.mark.parametrize(
    "options", [{}, {"scale": 0.5, "visible": CAUSAL, "bias": np.zeros((3, 3))}]
)
def test_the_float_type_is_kept_in_every_step(given, kept, options):
    x = X.astype(given)
    steps = attend(x, x, x, **options)
    assert {getattr(steps, step).dtype for step in STEPS} == {np.dtype(kept)}


def test_of_two_float_types_the_wider_one_is_taken():
    steps = attend(X.astype(np.float32), X.astype(np.float32), X)
    assert {getattr(steps, step).dtype for step in STEPS} == {np.dtype(np.float64)}


def test_attend_changes_nothing_it_is_given():
    q, k, v = X.copy(), X.copy(), X.copy()
    visible, bias = CAUSAL.copy(), np.ones((3, 3))
    attend(q, k, v, visible=visible, bias=bias)
    for array in (q, k, v):
        np.testing.assert_array_equal(array, X)
    np.testing.assert_array_equal(visible, CAUSAL)
    np.testing.assert_array_equal(bias, np.ones((3, 3)))


def test_many_sentences_and_heads_are_the_same_as_one_after_the_other():
    q, k, v = np.random.default_rng(0).standard_normal((3, 2, 3, 4, 5))
    visible = np.tri(4, dtype=bool)
    steps = attend(q, k, v, visible=visible)
    for sentence, head in np.ndindex(2, 3):
        alone = attend(q[sentence, head], k[sentence, head], v[sentence, head], visible=visible)
        for step in STEPS:
            np.testing.assert_allclose(
                getattr(steps, step)[sentence, head], getattr(alone, step), rtol=1e-12, atol=1e-14
            )


def test_queries_keys_and_values_may_have_different_sizes():
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal(shape) for shape in ((2, 4), (5, 4), (5, 3)))
    steps = attend(q, k, v)
    assert [getattr(steps, step).shape for step in STEPS] == [(2, 5)] * 4 + [(2, 3)]


@pytest.mark.parametrize(
    ("shapes", "rule"),
    [
        (((3,), (3,), (3,)), "two axes"),
        (((3, 2), (3, 4), (3, 2)), "same number of features"),
        (((3, 2), (3, 2), (4, 2)), "one value for each key"),
    ],
)
def test_shapes_that_do_not_belong_together_are_refused_with_the_shapes(shapes, rule):
    with pytest.raises(ValueError, match=rule) as error:
        attend(*map(np.ones, shapes))
    assert all(str(shape) in str(error.value) for shape in shapes)


@pytest.mark.parametrize("scale", [None, 1.0])
@pytest.mark.parametrize("visible", [None, [[True]]])
def test_a_single_word_attends_to_itself(scale, visible):
    steps = attend([[2, 5]], [[2, 5]], [[3, 7]], scale=scale, visible=visible)
    np.testing.assert_array_equal(steps.weights, [[1]])
    np.testing.assert_array_equal(steps.context, [[3, 7]])


@pytest.mark.parametrize("visible", [None, np.ones((0, 0), dtype=bool)])
def test_an_empty_sentence_has_empty_steps(visible):
    empty = np.ones((0, 2))
    steps = attend(empty, empty, empty, visible=visible)
    assert [getattr(steps, step).shape for step in STEPS] == [(0, 0)] * 4 + [(0, 2)]


def test_without_any_key_the_context_is_0():
    steps = attend(X, X[:0], X[:0])
    assert steps.weights.shape == (3, 0)
    np.testing.assert_array_equal(steps.context, np.zeros((3, 2)))


# Heads


def test_each_head_gets_its_own_columns():
    """Without the transpose the first head would be [[0, 1], [2, 3], [4, 5]]."""
    heads = split_heads(np.arange(12).reshape(3, 4), 2)
    np.testing.assert_array_equal(heads[0], [[0, 1], [4, 5], [8, 9]])
    np.testing.assert_array_equal(heads[1], [[2, 3], [6, 7], [10, 11]])


@pytest.mark.parametrize("shape", [(3, 4), (1, 4), (0, 4), (2, 3, 4)])
@pytest.mark.parametrize("n_heads", [1, 2, 4])
def test_joining_undoes_splitting(shape, n_heads):
    x = np.arange(np.prod(shape)).reshape(shape)
    heads = split_heads(x, n_heads)
    assert heads.shape == (*shape[:-2], n_heads, shape[-2], 4 // n_heads)
    np.testing.assert_array_equal(join_heads(heads), x)


def test_joining_puts_the_heads_side_by_side():
    heads = np.array([[[1, 2], [3, 4]], [[5, 6], [7, 8]]])
    np.testing.assert_array_equal(join_heads(heads), [[1, 2, 5, 6], [3, 4, 7, 8]])


@pytest.mark.parametrize("n_heads", [3, 0, -1, 11])
def test_heads_that_do_not_divide_the_features_are_refused_with_both_numbers(n_heads):
    with pytest.raises(ValueError, match=f"n_heads must divide.*10 features and n_heads={n_heads}"):
        split_heads(np.ones((2, 10)), n_heads)


# Key heads that several query heads share


def test_neighbouring_query_heads_read_the_same_key_head():
    """Not 0 1 0 1, as all the heads over again would be."""
    heads = np.array([[[10.0, 11]], [[20, 21]]])
    np.testing.assert_array_equal(
        share_heads(heads, 4), [[[10, 11]], [[10, 11]], [[20, 21]], [[20, 21]]]
    )
    np.testing.assert_array_equal(share_heads(heads, 6)[:, 0, 0], [10, 10, 10, 20, 20, 20])


def test_heads_are_shared_in_every_sentence():
    x = np.arange(2 * 2 * 3 * 1).reshape(2, 2, 3, 1)
    shared = share_heads(x, 4)
    assert shared.shape == (2, 4, 3, 1)
    for sentence in range(2):
        np.testing.assert_array_equal(shared[sentence], share_heads(x[sentence], 4))


def test_four_query_heads_over_two_key_heads_by_hand():
    """Nothing is asked, so that each query takes the mean of its key head's values, 1 or 6."""
    q, k = np.zeros((4, 1, 2)), np.zeros((2, 3, 2))
    v = np.array([[[0.0], [1], [2]], [[5], [6], [7]]])
    steps = attend(q, k, v)
    assert steps.weights.shape == (4, 1, 3)
    np.testing.assert_allclose(steps.context[:, 0, 0], [1, 1, 6, 6], rtol=1e-15)


def test_shared_keys_are_the_ones_that_are_asked():
    """Four queries of 1 over the keys 1 and 2, one in each key head."""
    q, k, v = np.ones((4, 1, 1)), np.array([[[1.0]], [[2]]]), np.zeros((2, 1, 1))
    np.testing.assert_array_equal(attend(q, k, v).scores[:, 0, 0], [1, 1, 2, 2])


def test_each_query_head_may_have_its_own_mask_though_the_keys_are_shared():
    q, k = np.zeros((4, 1, 1)), np.zeros((2, 2, 1))
    v = np.array([[[1.0], [2]], [[3], [4]]])
    visible = np.array([[[True, False]], [[False, True]], [[True, False]], [[False, True]]])
    np.testing.assert_array_equal(attend(q, k, v, visible=visible).context[:, 0, 0], [1, 2, 3, 4])
    bias = np.where(visible, 0, -np.inf)
    np.testing.assert_array_equal(attend(q, k, v, bias=bias).context[:, 0, 0], [1, 2, 3, 4])


def test_a_nan_in_a_shared_head_stays_behind_the_mask():
    q, k = np.zeros((2, 4, 1, 1)), np.zeros((2, 2, 2, 1))
    v = np.ones((2, 2, 2, 1))
    k[:, :, 1], v[:, :, 1] = np.nan, np.nan
    context = attend(q, k, v, visible=[True, False]).context
    np.testing.assert_array_equal(context, np.ones((2, 4, 1, 1)))


@pytest.mark.parametrize(("n_key_heads", "n_heads"), [(2, 3), (3, 2), (3, 1), (4, 6), (0, 2)])
def test_key_heads_that_do_not_divide_the_query_heads_are_refused(n_key_heads, n_heads):
    rule = f"key heads must divide.*got {n_heads} query heads and {n_key_heads} key heads"
    q, k = np.ones((n_heads, 3, 2)), np.ones((n_key_heads, 3, 2))
    with pytest.raises(ValueError, match=rule):
        attend(q, k, k)
    with pytest.raises(ValueError, match=rule):
        share_heads(k, n_heads)


def test_keys_and_values_must_come_in_the_same_heads():
    """Though both 2 and 3 would divide 6."""
    q, k, v = (np.ones((n_heads, 3, 2)) for n_heads in (6, 2, 3))
    with pytest.raises(ValueError, match="one value for each key, in every head") as error:
        attend(q, k, v)
    assert all(str(shape) in str(error.value) for shape in (k.shape, v.shape))


@pytest.mark.parametrize("n_heads", [0, -2])
def test_heads_are_not_shared_by_nobody(n_heads):
    with pytest.raises(ValueError, match=f"got {n_heads} query heads and 2 key heads"):
        share_heads(np.ones((2, 3, 2)), n_heads)
