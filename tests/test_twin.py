"""PyTorch and our own steps agree, and the comparison would notice if they did not."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("torch")

import torch
from experiments import PAIRS
from strategies import experiments

from explorer import masks, positions, twin
from explorer.attention import attend
from explorer.operations.schemes import SCHEMES
from explorer.settings import Mask, Scale, Settings
from explorer.trace import trace

AGREE = 1e-9
BLIND = Settings(text="a b c d", n_heads=2, mask=("window", "padding"), pad=2)
FULL = Settings(
    d_model=6, qkv=True, n_heads=2, scale="sqrt_d_k", mask=("causal", "window"), radius=2
)


def differences(t, settings):
    found = twin.difference(t, twin.run(t, settings))
    return found.weights, found.context, found.fused_context


@given(experiments())
def test_both_routes_of_pytorch_agree_with_ours(settings):
    assert max(differences(trace(settings), settings)) <= AGREE


@pytest.mark.parametrize("settings", [FULL, BLIND, Settings(text=""), Settings(text="", qkv=True)])
def test_the_twin_has_the_shapes_of_the_trace(settings):
    t = trace(settings)
    theirs = twin.run(t, settings)
    assert theirs.weights.shape == t.weights.shape
    assert theirs.context.shape == theirs.fused_context.shape == t.context.shape
    assert theirs.weights.dtype == theirs.fused_context.dtype == np.float64


def test_the_full_experiment_agrees_before_anything_is_tampered_with():
    assert max(differences(trace(FULL), FULL)) <= AGREE


@pytest.mark.parametrize(
    "change",
    [
        {"scale": Scale.RAW},
        {"mask": (Mask.WINDOW,)},
        {"mask": (Mask.CAUSAL,)},
        {"mask": (Mask.CAUSAL, Mask.WINDOW, Mask.PADDING)},
        {"radius": 1},
        {"radius": 3},
    ],
    ids=str,
)
def test_the_twin_works_from_the_settings_and_not_from_our_steps(change):
    """So a trace made from other settings is found out, by both routes."""
    assert min(differences(trace(replace(FULL, **change)), FULL)) > 1e-3


@pytest.mark.parametrize("factor", [0.5, 6**-0.5, 1.0, 3**0.5])
def test_a_wrong_factor_is_found_out(factor):
    """The right one here is 3 ** -0.5, for d_k = 3; the twin does not read the trace's factor."""
    t = trace(FULL)
    scaled = t.scores * factor
    exponentials = np.exp(np.where(t.visible, scaled, -np.inf))
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    wrong = replace(t, factor=factor, scaled=scaled, weights=weights, context=weights @ t.v)
    assert min(differences(wrong, FULL)) > 1e-3
    np.testing.assert_array_equal(twin.run(wrong, FULL).weights, twin.run(t, FULL).weights)


@pytest.mark.parametrize(
    "change",
    [
        lambda t: {"weights": t.weights.swapaxes(-1, -2), "context": t.context[:, ::-1]},
        lambda t: {"weights": t.weights[::-1], "context": t.context[::-1]},
        lambda t: {"w_q": t.w_k, "w_k": t.w_q, "w_v": t.w_q},
    ],
    ids=["rows for columns", "heads swapped", "matrices swapped"],
)
def test_numbers_in_the_wrong_place_are_found_out(change):
    t = trace(FULL)
    assert min(differences(replace(t, **change(t)), FULL)) > 1e-3


def test_a_nan_of_ours_is_not_taken_for_agreement():
    t = trace(FULL)
    broken = replace(t, weights=t.weights * np.nan, context=t.context * np.nan)
    assert not any(difference <= AGREE for difference in differences(broken, FULL))


def test_where_a_query_sees_nobody_the_formula_says_nan_and_the_fused_function_0():
    """We say 0, as the fused function does; the difference leaves such rows out."""
    t = trace(BLIND)
    theirs = twin.run(t, BLIND)
    blind = t.sees_nobody
    assert blind.tolist() == [False, False, False, True]
    assert np.isnan(theirs.weights[:, blind]).all()
    assert np.isnan(theirs.context[:, blind]).all()
    assert (theirs.fused_context[:, blind] == 0).all()
    assert (t.weights[:, blind] == 0).all()
    assert (t.context[:, blind] == 0).all()
    assert max(differences(t, BLIND)) <= AGREE


@pytest.mark.parametrize("pad", [7, 8, 64])
def test_where_no_query_sees_anybody_there_is_nothing_to_compare(pad):
    settings = Settings(mask=("padding",), pad=pad)
    t = trace(settings)
    theirs = twin.run(t, settings)
    assert np.isnan(theirs.weights).all()
    assert (theirs.fused_context == 0).all()
    assert differences(t, settings) == (0, 0, 0)


def test_a_query_that_we_wrongly_take_to_see_nobody_is_found_out():
    blind = trace(replace(FULL, mask=("padding",), pad=64))
    assert not any(difference <= AGREE for difference in differences(blind, FULL))


def test_both_routes_agree_in_every_experiment_of_the_table():
    """A share by plain division is as far off as its row's total is near to 0."""
    for name, settings in PAIRS.items():
        found = twin.difference(t := trace(settings), twin.run(t, settings))
        by_softmax = settings.rule == "softmax"
        near = AGREE if by_softmax else AGREE * max(1, abs(t.weights).max())
        assert max(found.weights, found.context) <= near, name
        if by_softmax:
            assert found.fused_context <= near, name
        else:
            assert found.fused_context is None, name


@pytest.mark.parametrize("other", [p for p in SCHEMES if p != "rotary"])
def test_the_twin_makes_its_own_positions(other):
    wrong = trace(replace(FULL, position=other))
    assert min(differences(wrong, replace(FULL, position="rotary"))[:2]) > 1e-3


def test_the_slopes_are_ours_too():
    for n_heads in range(1, 65):
        np.testing.assert_allclose(twin.slopes(n_heads), positions.alibi_slopes(n_heads))


SIZE = st.integers(1, 6)


@given(SIZE, st.integers(1, 4), SIZE, SIZE, SIZE, st.booleans(), st.integers(0, 2**32 - 1))
def test_pytorch_shares_key_heads_as_we_do(n_each, n_shared, n, m, d_v, is_causal, seed):
    """And starts its causal triangle in the top left corner, whatever the two lengths are."""
    rng = np.random.default_rng(seed)
    q = rng.standard_normal((2, n_each * n_shared, n, 3))
    k, v = (rng.standard_normal((2, n_shared, m, width)) for width in (3, d_v))
    theirs = torch.nn.functional.scaled_dot_product_attention(
        *map(torch.tensor, (q, k, v)), is_causal=is_causal, enable_gqa=True
    ).numpy()
    ours = attend(q, k, v, visible=masks.causal(n, m) if is_causal else None).context
    np.testing.assert_allclose(ours, theirs, rtol=AGREE, atol=AGREE)
