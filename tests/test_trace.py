"""The trace: every step follows from the one before, and equal settings give equal bits."""

import hashlib
import os
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from explorer import embeddings, masks, positions
from explorer.operations.schemes import SCHEMES
from explorer.settings import Mask, Scale, Settings, table
from explorer.trace import AttentionTrace, trace

ROOT = Path(__file__).parent.parent
PRINTED = {"rtol": 0, "atol": 5e-5}
CLOSE = {"rtol": 1e-12, "atol": 1e-14}
EXPERIMENTS = {
    "plain": Settings(),
    "scaled heads": Settings(d_model=6, n_heads=3, scale="sqrt_d_k"),
    "qkv": Settings(qkv=True, n_heads=2, scale="sqrt_d_k"),
    "qkv, all sizes different": Settings(
        d_model=5, qkv=True, n_heads=2, d_k=3, d_v=4, scale="sqrt_d_k", mask=("causal",), seed=7
    ),
    "masks": Settings(n_heads=2, mask=("window", "padding"), radius=1, pad=3),
    "one word": Settings(text="Hello", scale="sqrt_d_k"),
    "no word": Settings(text="", qkv=True, n_heads=2, mask=tuple(Mask)),
    "no word, by hand": Settings(text=" ", x=()),
}
STEPS = ("scores", "scaled", "masked", "weights", "context", "joined", "output")
every_experiment = pytest.mark.parametrize("settings", EXPERIMENTS.values(), ids=EXPERIMENTS)


@every_experiment
def test_every_step_has_the_shape_it_says(settings):
    t = trace(settings)
    T, C, H = len(settings.tokens), settings.d_model, settings.n_heads
    D, Dv = settings.d_query, settings.d_value
    assert t.x.shape == (T, C)
    assert t.q.shape == t.k.shape == (H, T, D)
    assert t.v.shape == t.context.shape == (H, T, Dv)
    assert t.scores.shape == t.scaled.shape == t.masked.shape == t.weights.shape == (H, T, T)
    assert t.visible.shape == (T, T)
    assert t.joined.shape == (T, H * Dv)
    assert t.output.shape == (T, C if t.w_o is not None else H * Dv)
    if settings.qkv:
        assert t.w_q.shape == t.w_k.shape == (C, H * D)
        assert t.w_v.shape == (C, H * Dv)
    assert t.n_heads == H
    assert t.sees_nobody.shape == (T,)


@every_experiment
def test_every_step_follows_from_the_one_before(settings):
    t = trace(settings)
    assert t.tokens == settings.tokens
    for name, w in (("q", t.w_q), ("k", t.w_k), ("v", t.w_v)):
        made = t.x if w is None else t.x @ w
        for h, head in enumerate(getattr(t, name)):
            width = head.shape[-1]
            np.testing.assert_allclose(head, made[:, h * width : (h + 1) * width], **CLOSE)
    np.testing.assert_allclose(t.scores, np.einsum("hid,hjd->hij", t.q, t.k), **CLOSE)
    np.testing.assert_array_equal(t.scaled, t.scores * t.factor)
    np.testing.assert_array_equal(t.visible, settings.visible)
    seen = np.broadcast_to(t.visible, t.scaled.shape)
    np.testing.assert_array_equal(t.masked[seen], t.scaled[seen])
    assert (t.masked[~seen] == -np.inf).all()
    exponentials = np.exp(t.masked)
    total = exponentials.sum(axis=-1, keepdims=True)
    expected = exponentials / np.where(total == 0, 1, total)
    np.testing.assert_allclose(t.weights, expected, **CLOSE)
    np.testing.assert_allclose(t.context, np.einsum("hij,hjd->hid", t.weights, t.v), **CLOSE)
    np.testing.assert_array_equal(t.joined, np.concatenate(t.context, axis=-1))
    np.testing.assert_array_equal(t.output, t.joined)  # W_O is the identity, where there is one


@every_experiment
def test_everything_is_float64(settings):
    t = trace(settings)
    arrays = {field.name: getattr(t, field.name) for field in fields(AttentionTrace)}
    dtypes = {name: array.dtype for name, array in arrays.items() if isinstance(array, np.ndarray)}
    assert dtypes.pop("visible") == np.bool_
    assert set(dtypes.values()) == {np.dtype(np.float64)}


# Embeddings and projections


def test_without_a_table_the_embeddings_are_made_from_words_dimension_and_seed():
    t = trace(Settings(text="the cat", d_model=5, seed=3))
    np.testing.assert_array_equal(t.x, embeddings.generated(["the", "cat"], 5, 3))


def test_a_table_of_embeddings_belongs_to_positions():
    x = ((1.0, 2.0), (3.0, 4.0), (5.0, 6.0))
    np.testing.assert_array_equal(trace(Settings(text="a b a", d_model=2, x=x)).x, x)


@pytest.mark.parametrize("n_heads", [1, 2, 4])
def test_without_projections_queries_keys_and_values_are_the_embeddings(n_heads):
    t = trace(Settings(n_heads=n_heads))
    assert t.w_q is t.w_k is t.w_v is t.w_o is None
    for made in (t.q, t.k, t.v):
        np.testing.assert_array_equal(np.concatenate(made, axis=-1), t.x)


def test_projections_are_drawn_for_all_heads_together():
    settings = Settings(d_model=5, qkv=True, n_heads=2, d_k=3, d_v=4, seed=9)
    t = trace(settings)
    for ours, drawn in zip((t.w_q, t.w_k, t.w_v), embeddings.projections(5, 6, 8, 9), strict=True):
        np.testing.assert_array_equal(ours, drawn)


@pytest.mark.parametrize("by_hand", ["w_q", "w_k", "w_v"])
def test_a_projection_by_hand_leaves_the_other_two_as_drawn(by_hand):
    drawn = trace(Settings(d_model=2, qkv=True))
    t = trace(Settings(d_model=2, qkv=True, **{by_hand: ((9.0, 8.0), (7.0, 6.0))}))
    for name in ("w_q", "w_k", "w_v"):
        expected = ((9, 8), (7, 6)) if name == by_hand else getattr(drawn, name)
        np.testing.assert_array_equal(getattr(t, name), expected)


def test_a_row_of_numbers_is_multiplied_from_the_left():
    """[1, 2] times [[0, 1], [2, 3]] is [4, 7]; the other way round it would be [2, 8]."""
    w = ((0.0, 1.0), (2.0, 3.0))
    t = trace(Settings(text="a", d_model=2, x=((1.0, 2.0),), qkv=True, w_q=w, w_k=w, w_v=w))
    for made in (t.q, t.k, t.v):
        np.testing.assert_array_equal(made, [[[4, 7]]])


@pytest.mark.parametrize("name", ["warm", "bank"])
@pytest.mark.parametrize("scale", Scale)
@pytest.mark.parametrize("mask", [(), ("causal",)])
def test_identity_projections_are_the_same_as_none(name, scale, mask):
    """Queries, keys and values exactly; the sums after them may be taken in another order."""
    x = {
        "warm": ((0.41, 0.12, 0.73, 0.5), (0.58, 0.91, 0.44, 0.5), (0.33, 0.76, 0.89, 0.5)),
        "bank": ((1.0, 0.0, 1.0, 0.0), (0.0, 1.0, 0.0, 1.0), (1.0, 1.0, 0.0, 0.0)),
    }[name]
    one = table(np.eye(4))
    for n_heads in (1, 2, 4):
        off = Settings(text="a b c", x=x, n_heads=n_heads, scale=scale, mask=mask)
        on = replace(off, qkv=True, w_q=one, w_k=one, w_v=one)
        ours, theirs = trace(off), trace(on)
        for step in ("q", "k", "v"):
            np.testing.assert_array_equal(getattr(ours, step), getattr(theirs, step))
        for step in STEPS:
            np.testing.assert_allclose(
                getattr(ours, step), getattr(theirs, step), rtol=1e-14, atol=1e-14
            )


@pytest.mark.parametrize(
    ("given", "square"),
    [
        ({"qkv": True}, True),
        ({"qkv": True, "n_heads": 2}, True),
        ({"qkv": True, "n_heads": 2, "d_k": 3, "d_v": 2}, True),
        ({"qkv": True, "d_v": 3}, False),
        ({"n_heads": 2}, False),
    ],
)
def test_w_o_is_the_identity_where_it_is_square_and_left_out_elsewhere(given, square):
    t = trace(Settings(**given))
    if square:
        np.testing.assert_array_equal(t.w_o, np.eye(4))
    else:
        assert t.w_o is None


# Scale, heads and masks


def test_the_scale_is_that_of_one_head():
    """d_model 16 in 4 heads: 1/sqrt(4), not 1/sqrt(16)."""
    t = trace(Settings(d_model=16, n_heads=4, scale=Scale.SQRT_D_K))
    assert t.factor == 0.5
    np.testing.assert_array_equal(t.scaled, t.scores / 2)


def test_repeated_words_get_equal_rows_and_a_column_each():
    """the = [1, 0], cat = [0, 1]: two equal keys share what one would get."""
    x = ((1.0, 0.0), (0.0, 1.0), (1.0, 0.0))
    raw = trace(Settings(text="the cat the", d_model=2, x=x)).weights[0]
    scaled = trace(Settings(text="the cat the", d_model=2, x=x, scale="sqrt_d_k")).weights[0]
    the, cat = [0.4223, 0.1554, 0.4223], [0.2119, 0.5761, 0.2119]
    np.testing.assert_allclose(raw, [the, cat, the], **PRINTED)
    the, cat = [0.4011, 0.1978, 0.4011], [0.2483, 0.5035, 0.2483]
    np.testing.assert_allclose(scaled, [the, cat, the], **PRINTED)


def test_generated_repeated_words_get_equal_rows():
    t = trace(Settings(text="the cat saw The dog"))
    np.testing.assert_array_equal(t.x[0], t.x[3])
    np.testing.assert_allclose(t.weights[0, 0], t.weights[0, 3], **CLOSE)
    np.testing.assert_allclose(t.weights[0, :, 0], t.weights[0, :, 3], **CLOSE)


@pytest.mark.parametrize("scale", Scale)
@pytest.mark.parametrize("mask", [(), ("causal",), ("window",), ("causal", "window")])
def test_a_single_word_keeps_its_value(scale, mask):
    t = trace(Settings(text="Hello", scale=scale, mask=mask))
    np.testing.assert_array_equal(t.weights, [[[1]]])
    np.testing.assert_array_equal(t.output, t.x)


def test_weights_are_of_one_head_or_the_average_of_all():
    """The average of [.9, .1] and [.1, .9] is even, though neither head attends evenly."""
    t = trace(Settings(text="a b", n_heads=2))
    t = replace(t, weights=np.array([[[0.9, 0.1], [0.2, 0.8]], [[0.1, 0.9], [0.6, 0.4]]]))
    np.testing.assert_array_equal(t.weights_of(0), [[0.9, 0.1], [0.2, 0.8]])
    np.testing.assert_array_equal(t.weights_of(1), [[0.1, 0.9], [0.6, 0.4]])
    np.testing.assert_allclose(t.weights_of(None), [[0.5, 0.5], [0.4, 0.6]], rtol=1e-15)


def test_a_word_that_may_see_nobody_is_flagged_and_gets_0():
    """Each word sees only itself, and the last one is padding."""
    x = ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0))
    t = trace(Settings(text="a b c", d_model=2, x=x, mask=("window", "padding"), radius=0))
    assert t.sees_nobody.tolist() == [False, False, True]
    np.testing.assert_array_equal(t.weights[0], [[1, 0, 0], [0, 1, 0], [0, 0, 0]])
    np.testing.assert_array_equal(t.output, [[1, 0], [0, 1], [0, 0]])


def test_padding_still_asks():
    t = trace(Settings(mask=("padding",), pad=3))
    assert not t.sees_nobody.any()
    assert (t.weights[..., -3:] == 0).all()
    np.testing.assert_allclose(t.weights[:, -3:].sum(axis=-1), np.ones((1, 3)), rtol=1e-15)


@pytest.mark.parametrize("scale", Scale)
@pytest.mark.parametrize("more", [(), ("padding",), ("window",)])
@pytest.mark.parametrize("qkv", [False, True])
def test_no_weight_falls_on_the_future_and_the_past_does_not_feel_it(scale, more, qkv):
    """Another last word leaves every earlier word's numbers as they are, bit for bit."""
    options = {"n_heads": 2, "scale": scale, "mask": ("causal", *more), "qkv": qkv, "radius": 2}
    t = trace(Settings(text="The cat sat on the warm mat", **options))
    other = trace(Settings(text="The cat sat on the warm zebra", **options))
    assert (t.weights[:, ~masks.causal(7)] == 0).all()
    assert (t.x[-1] != other.x[-1]).any()
    for step in ("scaled", "masked", "weights", "context"):
        ours, theirs = getattr(t, step)[:, :-1], getattr(other, step)[:, :-1]
        if step == "scaled":
            ours, theirs = ours[..., :-1], theirs[..., :-1]
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(t.output[:-1], other.output[:-1])


# The same everywhere


def bits(settings):
    """One fingerprint of every bit of a trace."""
    t, digest = trace(settings), hashlib.sha256()
    for name, value in [*t.arrays.items(), *((f.name, getattr(t, f.name)) for f in fields(t))]:
        if name in ("steps", "arrays"):
            continue
        digest.update(value.tobytes() if isinstance(value, np.ndarray) else repr(value).encode())
    return digest.hexdigest()


@every_experiment
def test_equal_settings_give_equal_bits(settings):
    assert bits(settings) == bits(replace(settings))


def test_equal_settings_give_equal_bits_in_another_process():
    program = (
        "from test_trace import EXPERIMENTS, bits\n"
        "print(*[bits(settings) for settings in EXPERIMENTS.values()])\n"
    )
    for salt in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ
            | {
                "PYTHONHASHSEED": salt,
                "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")]),
            },
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
        assert run.stdout.split() == [bits(settings) for settings in EXPERIMENTS.values()]


# Positions, temperature and plain division


def test_sinusoidal_positions_are_added_to_the_embeddings_and_to_nothing_else():
    plain, marked = (trace(Settings(qkv=True, position=p)) for p in ("none", "sinusoidal"))
    np.testing.assert_array_equal(marked.x, plain.x)
    assert plain.positions is None
    np.testing.assert_array_equal(marked.inputs, marked.x + positions.sinusoidal(7, 4))
    np.testing.assert_allclose(marked.v[0], marked.inputs @ marked.w_v)


def test_rotary_turns_queries_and_keys_of_each_head_and_no_values():
    settings = Settings(d_model=6, n_heads=2, qkv=True, position="rotary")
    t = trace(settings)
    np.testing.assert_array_equal(t.q_turned, positions.rotary(t.q))
    np.testing.assert_allclose(t.scores, t.q_turned @ t.k_turned.swapaxes(1, 2))
    np.testing.assert_array_equal(t.v, trace(replace(settings, position="none")).v)


def test_alibi_comes_after_the_scale_and_before_the_temperature():
    settings = Settings(
        d_model=8, n_heads=4, scale="sqrt_d_k", position="alibi", temperature=2.0, mask=("causal",)
    )
    t = trace(settings)
    np.testing.assert_allclose(t.scaled, t.scores / 2**0.5)
    np.testing.assert_array_equal(t.biased, t.scaled + positions.alibi(7, 4))
    np.testing.assert_array_equal(t.cooled, t.biased / 2)
    np.testing.assert_array_equal(t.masked[:, t.visible], t.cooled[:, t.visible])


def test_a_temperature_sharpens_and_evens_out_by_hand():
    """Scores ln 9 and 0: 9 to 1; divided by 2, 3 to 1; divided by one half, 81 to 1."""
    x = ((np.log(9) ** 0.5, 0.0), (0.0, 0.0))
    for temperature, first in ((1.0, 9 / 10), (2.0, 3 / 4), (0.5, 81 / 82)):
        t = trace(Settings(text="a b", d_model=2, x=x, temperature=temperature))
        assert t.weights[0, 0, 0] == pytest.approx(first)


def test_plain_division_by_hand_and_its_failures():
    def weights(*rows, **options):
        return trace(Settings(text="a b", d_model=2, x=rows, rule="total", **options)).weights[0]

    np.testing.assert_allclose(weights((1.0, 0.0), (3.0, 0.0)), [[0.25, 0.75], [0.25, 0.75]])
    np.testing.assert_allclose(weights((1.0, 0.0), (-3.0, 0.0)), [[-0.5, 1.5], [-0.5, 1.5]])
    assert np.isnan(weights((1.0, 0.0), (-1.0, 0.0))).all()
    np.testing.assert_array_equal(weights((2.0, 0.0), (3.0, 0.0), mask=("causal",))[0], [1, 0])


def test_without_positions_order_moves_weights_only_with_their_words_and_with_them_it_does():
    for position in SCHEMES:
        t = trace(Settings(text="dog bites man", d_model=4, position=position))
        back = trace(Settings(text="man bites dog", d_model=4, position=position))
        close = np.allclose(back.weights[:, ::-1, ::-1], t.weights, rtol=1e-14, atol=0)
        # Rotary and ALiBi count distances, which turning a sentence round does not change; rotary
        # turns the other way then, which shows.
        assert close == (position in ("none", "alibi")), position
