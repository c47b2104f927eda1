"""What holds for attention whatever the numbers are."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import settings as how
from hypothesis import strategies as st
from strategies import experiments

from explorer import masks
from explorer.attention import attend, join_heads, share_heads, softmax, split_heads
from explorer.settings import MAX_NUMBER, Mask, Settings
from explorer.trace import trace

CLOSE = {"rtol": 1e-9, "atol": 1e-12}
SEED = st.integers(0, 2**32 - 1)
SIZE = st.integers(1, 7)
SCORES = st.lists(st.floats(-1e6, 1e6) | st.floats(-5, 5), min_size=1, max_size=8).map(np.array)
STEPS = ("x", "q", "k", "v", "scores", "scaled", "weights", "context", "joined", "output")


def normal(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


# Softmax


@given(SCORES)
def test_weights_are_shares_of_1(scores):
    weights = softmax(scores)
    assert ((weights >= 0) & (weights <= 1)).all()
    np.testing.assert_allclose(weights.sum(), 1, rtol=1e-14)


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=8).map(np.array), st.floats(-1e3, 1e3))
def test_softmax_ignores_what_all_keys_share(scores, shift):
    np.testing.assert_allclose(softmax(scores + shift), softmax(scores), rtol=1e-9, atol=1e-12)


@given(SCORES)
def test_a_higher_score_never_weighs_less(scores):
    order = np.argsort(scores)
    assert (np.diff(softmax(scores)[order]) >= 0).all()


@given(SCORES, st.integers(0, 7))
def test_a_hidden_key_is_as_good_as_no_key(scores, where):
    where = min(where, len(scores))
    weights = softmax(np.insert(scores, where, -np.inf))
    assert weights[where] == 0
    np.testing.assert_allclose(np.delete(weights, where), softmax(scores), rtol=1e-14)


# Equal words


@pytest.mark.parametrize("n_features", [*range(2, 17), 31, 33, 64])
def test_equal_words_meet_with_equal_numbers_at_every_size(n_features):
    """To the last bit: libraries for matrices sum the edges of their blocks in another order."""
    for n_tokens in range(2, 40):
        x = normal(n_tokens, 1, n_tokens, n_features)
        x[:, -1] = x[:, 0]
        steps = attend(x, x, x)
        for rows in (steps.scores, steps.weights, steps.context):
            np.testing.assert_array_equal(rows[0, -1], rows[0, 0], err_msg=f"{n_tokens} words")
        for columns in (steps.scores, steps.weights):
            np.testing.assert_array_equal(columns[0, :, -1], columns[0, :, 0])


@how(max_examples=80)
@given(experiments(position="none"), st.integers(2, 39), st.integers(1, 32), SEED)
def test_equal_words_have_equal_rows_and_columns_whatever_the_settings(plain, n, half, seed):
    """Where the same keys may be seen, everything that belongs to equal words is equal."""
    rng = np.random.default_rng(seed)
    words = [f"w{number}" for number in rng.integers(0, max(2, n // 3), n)]
    chosen = {"n_heads": rng.choice([1, 2]), "d_model": 2 * half, "text": " ".join(words)}
    numbers = dict.fromkeys(("x", "w_q", "w_k", "w_v", "w_o", "custom"))
    t = trace(replace(plain, **chosen | numbers))
    for i, j in combinations(range(n), 2):
        if words[i] != words[j]:
            continue
        for step in ("q", "k", "v", "scores", "scaled", "cooled"):
            rows = getattr(t, step)
            np.testing.assert_array_equal(rows[:, i], rows[:, j], err_msg=step)
        np.testing.assert_array_equal(t.scores[..., i], t.scores[..., j])
        if (t.visible[i] == t.visible[j]).all():
            for rows in (t.weights, t.context):
                np.testing.assert_array_equal(rows[:, i], rows[:, j])
            np.testing.assert_array_equal(t.output[i], t.output[j])
        both = t.visible[:, i] == t.visible[:, j]
        np.testing.assert_array_equal(t.weights[:, both, i], t.weights[:, both, j])


# Attention


@given(SEED, SIZE, SIZE)
def test_the_order_of_the_words_changes_nothing_but_the_order(seed, n_tokens, d):
    q, k, v = normal(seed, 3, n_tokens, d)
    visible = normal(seed + 1, n_tokens, n_tokens) > -0.5
    order = np.random.default_rng(seed).permutation(n_tokens)
    ours = attend(q, k, v, visible=visible)
    moved = attend(q[order], k[order], v[order], visible=visible[np.ix_(order, order)])
    np.testing.assert_allclose(moved.weights, ours.weights[np.ix_(order, order)], **CLOSE)
    np.testing.assert_allclose(moved.context, ours.context[order], **CLOSE)


@given(SEED, SIZE, SIZE, st.sampled_from([np.nan, 1e300, -1e300]))
def test_what_comes_later_does_not_reach_the_past(seed, n_tokens, d, later):
    """The same bits, whatever the last key and value hold."""
    q, k, v = normal(seed, 3, n_tokens, d)
    before = attend(q, k, v, visible=masks.causal(n_tokens))
    with np.errstate(over="ignore", invalid="ignore"):
        k[-1], v[-1] = later, later
        after = attend(q, k, v, visible=masks.causal(n_tokens))
    np.testing.assert_array_equal(after.weights[:-1], before.weights[:-1])
    if np.isfinite(later):
        np.testing.assert_array_equal(after.context[:-1], before.context[:-1])
    else:
        # With a NaN about, the sums are taken term by term, which rounds in another order.
        np.testing.assert_allclose(after.context[:-1], before.context[:-1], **CLOSE)


@given(SEED, SIZE, SIZE)
def test_a_context_lies_between_the_values_that_are_seen(seed, n_tokens, d):
    q, k, v = normal(seed, 3, n_tokens, d)
    visible = normal(seed + 1, n_tokens, n_tokens) > 0
    for context, seen in zip(attend(q, k, v, visible=visible).context, visible, strict=True):
        if seen.any():
            assert (context >= v[seen].min(axis=0) - 1e-12).all()
            assert (context <= v[seen].max(axis=0) + 1e-12).all()
        else:
            assert (context == 0).all()


@given(SEED, SIZE, SIZE)
def test_a_key_that_comes_twice_counts_twice(seed, n_tokens, d):
    """As much as once with ln 2 more score."""
    q, k, v = normal(seed, 3, n_tokens, d)
    twice = attend(q, np.vstack([k, k[-1:]]), np.vstack([v, v[-1:]]))
    bias = np.zeros(n_tokens)
    bias[-1] = np.log(2)
    np.testing.assert_allclose(twice.context, attend(q, k, v, bias=bias).context, **CLOSE)


@given(SEED, SIZE, st.integers(1, 3), st.integers(1, 3))
def test_every_head_is_an_attention_of_its_own(seed, n_tokens, n_heads, d):
    q, k, v = normal(seed, 3, n_tokens, n_heads * d)
    joined = join_heads(attend(*(split_heads(x, n_heads) for x in (q, k, v))).context)
    for head in range(n_heads):
        own = slice(head * d, (head + 1) * d)
        alone = attend(q[:, own], k[:, own], v[:, own]).context
        np.testing.assert_allclose(joined[:, own], alone, **CLOSE)


@given(SEED, SIZE, SIZE, st.sampled_from([np.float16, np.float32]))
def test_shorter_floats_give_the_same_weights_less_exactly(seed, n_tokens, d, dtype):
    q, k, v = normal(seed, 3, n_tokens, d).astype(dtype)
    short = attend(q, k, v)
    long = attend(*(x.astype(np.float64) for x in (q, k, v)))
    np.testing.assert_allclose(short.weights, long.weights, rtol=0, atol=60 * np.finfo(dtype).eps)


@given(SIZE, st.integers(1, 3), st.integers(1, 3), SIZE, SIZE, SEED)
def test_a_shared_head_is_the_same_head_for_each_that_reads_it(n_each, n_shared, b, n, m, seed):
    """To the last bit, and whatever the lengths: as if each had a copy of its own."""
    n_heads = n_each * n_shared
    q, k, v = normal(seed, b, n_heads, n, 4), *normal(seed + 1, 2, b, n_shared, m, 4)
    visible = np.random.default_rng(seed).random((n, m)) < 0.7
    by_hand = (np.stack([x[:, h // n_each] for h in range(n_heads)], axis=1) for x in (k, v))
    shared, own = (
        attend(q, keys, values, visible=visible) for keys, values in ((k, v), tuple(by_hand))
    )
    for step in ("scores", "scaled", "masked", "weights", "context"):
        np.testing.assert_array_equal(getattr(shared, step), getattr(own, step))


@given(SIZE, SIZE, SIZE, SEED)
def test_as_many_key_heads_as_query_heads_share_nothing(n_heads, n, m, seed):
    q, k, v = normal(seed, n_heads, n, 3), *normal(seed + 1, 2, n_heads, m, 3)
    shared = attend(q, share_heads(k, n_heads), share_heads(v, n_heads))
    own = attend(q, k, v)
    np.testing.assert_array_equal(share_heads(k, n_heads), k)
    for step in ("scores", "scaled", "masked", "weights", "context"):
        np.testing.assert_array_equal(getattr(shared, step), getattr(own, step))


# Whole experiments


@given(experiments(bound=MAX_NUMBER))
def test_no_number_overflows_within_the_bounds(settings):
    t = trace(settings)
    assert all(np.isfinite(getattr(t, step)).all() for step in STEPS)
    seen = np.broadcast_to(t.visible, t.masked.shape)
    assert np.isfinite(t.masked[seen]).all()
    assert (t.masked[~seen] == -np.inf).all()


def test_the_largest_numbers_in_the_largest_matrices_do_not_overflow():
    plus, minus = (MAX_NUMBER,) * 64, (-MAX_NUMBER,) * 64
    w = (plus,) * 64
    settings = Settings(
        text="a b c", d_model=64, x=(plus, minus, plus), qkv=True, w_q=w, w_k=w, w_v=w
    )
    t = trace(settings)
    assert all(np.isfinite(getattr(t, step)).all() for step in STEPS)
    np.testing.assert_array_equal(t.weights[0], [[0.5, 0, 0.5], [0, 1, 0], [0.5, 0, 0.5]])


@given(experiments(bound=MAX_NUMBER))
def test_every_row_of_weights_sums_to_1_or_sees_nobody_and_is_0(settings):
    t = trace(settings)
    hidden = np.broadcast_to(~t.visible, t.weights.shape)
    assert (t.weights >= 0).all()
    assert (t.weights[hidden] == 0).all()
    expected = np.broadcast_to(~t.sees_nobody, t.weights.shape[:-1]).astype(float)
    np.testing.assert_allclose(t.weights.sum(axis=-1), expected, rtol=1e-14)
    assert (t.context[:, t.sees_nobody] == 0).all()


@given(experiments())
def test_a_query_is_flagged_exactly_if_no_key_may_be_seen(settings):
    t = trace(settings)
    np.testing.assert_array_equal(t.sees_nobody, t.visible.sum(axis=-1) == 0)
    np.testing.assert_array_equal(t.sees_nobody, (t.masked == -np.inf).all(axis=(0, 2)))


@given(experiments())
def test_equal_settings_give_equal_numbers(settings):
    ours, again = trace(settings), trace(replace(settings))
    for step in (*STEPS, "masked"):
        np.testing.assert_array_equal(getattr(ours, step), getattr(again, step))


@given(experiments(mask=("padding",), x=None, custom=None), st.integers(1, 4))
def test_padding_is_as_good_as_a_shorter_sentence(settings, pad):
    """For the words that are no padding, and with vectors that belong to words."""
    n_real = len(settings.tokens) - pad
    assume(n_real > 0)
    padded = trace(replace(settings, pad=pad))
    short = trace(replace(settings, mask=(), text=" ".join(settings.tokens[:n_real])))
    assume(short.tokens == padded.tokens[:n_real])
    np.testing.assert_allclose(padded.weights[:, :n_real, :n_real], short.weights, **CLOSE)
    np.testing.assert_allclose(padded.output[:n_real], short.output, **CLOSE)


@given(experiments(mask=("causal",), x=None, custom=None))
def test_causal_attention_of_a_beginning_is_the_beginning_of_causal_attention(settings):
    assume(len(settings.tokens) > 1)
    beginning = " ".join(settings.tokens[:-1])
    whole, part = trace(settings), trace(replace(settings, text=beginning))
    assume(part.tokens == whole.tokens[:-1])
    np.testing.assert_allclose(whole.weights[:, :-1, :-1], part.weights, **CLOSE)
    np.testing.assert_allclose(whole.output[:-1], part.output, **CLOSE)


@given(experiments(mask=(), radius=64, pad=0), st.sampled_from([Mask.WINDOW, Mask.PADDING]))
def test_a_mask_that_hides_nothing_changes_nothing(settings, mask):
    masked, plain = trace(replace(settings, mask=(mask,))), trace(settings)
    for step in (*STEPS, "masked"):
        np.testing.assert_array_equal(getattr(masked, step), getattr(plain, step))


@given(experiments(mask=("window",), radius=0))
def test_a_window_of_no_neighbours_gives_every_word_its_own_value(settings):
    t = trace(settings)
    np.testing.assert_array_equal(t.context, t.v)
