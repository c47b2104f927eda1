"""Positions against their formulas, word by word, and against published values."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer import positions
from explorer.attention import join_heads, score, split_heads
from explorer.lab import distance
from explorer.positions import Pairs, Stretched, Turning

SIZES = {"n_tokens": st.integers(0, 9), "n_features": st.integers(1, 9)}


def test_sinusoidal_is_the_papers_interleaved_formula():
    """The values of the paper's formula, as printed in public notes (d = 4, 6 and 20)."""
    np.testing.assert_allclose(
        positions.sinusoidal(3, 4),
        [[0, 1, 0, 1], [0.8415, 0.5403, 0.0100, 0.99995], [0.9093, -0.4161, 0.0200, 0.9998]],
        atol=5e-5,
    )
    d6 = [0.8415, 0.5403, 0.0464, 0.9989, 0.0022, 1.0000]
    np.testing.assert_allclose(positions.sinusoidal(2, 6)[1], d6, atol=5e-5)
    d20 = [0.1578, 0.9875, 0.0631, 0.9980]
    np.testing.assert_allclose(positions.sinusoidal(2, 20)[1, 4:8], d20, atol=5e-5)


def test_the_other_layout_is_the_famous_figures():
    """Alammar, "The Illustrated Transformer": four features of the first three positions."""
    figure = [[0, 0, 1, 1], [0.84, 0.0001, 0.54, 1], [0.91, 0.0002, -0.42, 1]]
    np.testing.assert_allclose(positions.sinusoidal_halves(3, 4), figure, atol=5e-3)
    assert positions.sinusoidal_halves(2, 4)[1, 1] == pytest.approx(0.0001, abs=1e-9)


@given(**SIZES)
def test_each_number_of_sinusoidal_is_its_formula(n_tokens, n_features):
    found = positions.sinusoidal(n_tokens, n_features)
    assert found.shape == (n_tokens, n_features)
    for p in range(n_tokens):
        for c in range(n_features):
            angle = p / 10_000 ** (2 * (c // 2) / n_features)
            wanted = math.sin(angle) if c % 2 == 0 else math.cos(angle)
            assert found[p, c] == pytest.approx(wanted, abs=1e-12)


@given(**SIZES)
def test_the_other_layout_has_its_shape_and_no_missing_number(n_tokens, n_features):
    found = positions.sinusoidal_halves(n_tokens, n_features)
    assert found.shape == (n_tokens, n_features)
    assert np.isfinite(found).all()


@given(st.integers(1, 6), st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_rotary_turns_pairs_and_keeps_lengths(n_tokens, n_features, seed):
    x = np.random.default_rng(seed).normal(size=(2, n_tokens, n_features))
    turned = positions.rotary(x)
    assert turned.shape == x.shape
    np.testing.assert_allclose(turned[:, 0], x[:, 0])
    np.testing.assert_allclose((turned**2).sum(-1), (x**2).sum(-1))
    for p in range(n_tokens):
        for pair in range(n_features // 2):
            c = 2 * pair
            turn = np.exp(1j * p / 10_000 ** (2 * pair / n_features))
            wanted = (x[:, p, c] + 1j * x[:, p, c + 1]) * turn
            np.testing.assert_allclose(turned[:, p, c] + 1j * turned[:, p, c + 1], wanted)
    if n_features % 2:
        np.testing.assert_array_equal(turned[..., -1], x[..., -1])


def test_after_rotary_a_score_depends_on_the_distance_alone():
    rng = np.random.default_rng(1)
    q, k = (np.repeat(rng.normal(size=(1, 4)), 6, axis=0) for _ in range(2))
    scores = score(positions.rotary(q), positions.rotary(k))
    for away in range(-5, 6):
        along = np.diagonal(scores, away)
        np.testing.assert_allclose(along, along[0])
    assert np.ptp(scores) > 0.1


def test_alibi_slopes_are_the_papers():
    """Press et al. (2022), section 3: 1/2 to 1/256 for 8 heads; 16 begin with 1/2^0.5."""
    np.testing.assert_array_equal(positions.alibi_slopes(8), 1 / 2 ** np.arange(1.0, 9))
    np.testing.assert_allclose(positions.alibi_slopes(16), 1 / 2 ** np.arange(0.5, 8.5, 0.5))
    np.testing.assert_allclose(positions.alibi_slopes(3), [1 / 16, 1 / 256, 1 / 4])


@given(st.integers(0, 6), st.integers(1, 9))
def test_alibi_takes_the_slope_off_for_each_word_between(n_tokens, n_heads):
    bias, slopes = positions.alibi(n_tokens, n_heads), positions.alibi_slopes(n_heads)
    assert bias.shape == (n_heads, n_tokens, n_tokens)
    assert not np.signbit(np.diagonal(bias, axis1=1, axis2=2)).any()
    for i in range(n_tokens):
        for j in range(n_tokens):
            np.testing.assert_allclose(bias[:, i, j], -slopes * abs(i - j))


# Rotary positions as they are laid out, stretched and broken elsewhere

ONE_TO_FOUR, FOUR_TO_ONE = np.array([1.0, 2, 3, 4]), np.array([4.0, 3, 2, 1])
PAPER = Turning()
BY_PAIRS = {
    "neighbours": [-1.142640, 1.922076, 2.959851, 4.029800],
    "halves": [-1.984111, 1.959901, 2.462378, 4.019800],
    "mixed": [-1.984111, -2.285279, 3.009850, 4.019800],
}
"""1, 2, 3, 4 at place 1."""


def at(place, turning=PAPER):
    return positions.rotary(ONE_TO_FOUR[None], turning, place)[0]


@pytest.mark.parametrize("name", BY_PAIRS)
def test_the_layouts_turn_1_2_3_4_to_these_numbers(name):
    found = distance.WAYS[name](ONE_TO_FOUR, 1, PAPER)
    np.testing.assert_allclose(found, BY_PAIRS[name], atol=5e-7)
    length = 5.863206 if name == "mixed" else 5.477226
    assert np.linalg.norm(found) == pytest.approx(length, abs=5e-7)


def test_the_mix_changes_lengths_more_the_further_it_turns():
    further = distance.mixed(ONE_TO_FOUR, 2, PAPER)
    assert np.linalg.norm(further) == pytest.approx(7.435936, abs=5e-7)


@pytest.mark.parametrize(
    ("name", "at_distance_1", "at_distance_2"),
    [
        ("neighbours", [11.145169] * 3, [1.190051] * 2),
        ("halves", [6.887815] * 3, [-3.456429] * 2),
        ("mixed", [-4.752781, 21.012463, 7.433558], [-15.906612, 5.731563]),
    ],
)
def test_the_same_distance_gives_the_same_score_but_not_in_the_mix(
    name, at_distance_1, at_distance_2
):
    for away, places, wanted in ((1, (0, 2, 9), at_distance_1), (2, (0, 5), at_distance_2)):
        way = distance.WAYS[name]
        found = distance.scores(ONE_TO_FOUR, FOUR_TO_ONE, away, places, way, PAPER)
        np.testing.assert_allclose(found, wanted, atol=5e-7)


def test_halves_of_reordered_features_are_neighbours_to_the_bit():
    order = distance.columns_for_halves(4)
    assert order == [0, 2, 1, 3]
    by_halves = distance.by_halves(ONE_TO_FOUR[order], 1, PAPER)
    np.testing.assert_array_equal(by_halves, at(1)[order])


@given(st.integers(1, 3), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_reordered_matrices_give_halves_the_scores_of_neighbours(n_heads, width, seed):
    rng = np.random.default_rng(seed)
    x, w_q, w_k = rng.normal(size=(4, 3)), *rng.normal(size=(2, 3, n_heads * width))
    order = distance.columns_for_halves(n_heads * width, n_heads)
    assert sorted(order) == list(range(n_heads * width))

    def scores(pairs, columns):
        q, k = (split_heads(x @ w[:, columns], n_heads) for w in (w_q, w_k))
        return score(*(positions.rotary(one, Turning(pairs=pairs)) for one in (q, k)))

    there = scores(Pairs.HALVES, order)
    np.testing.assert_allclose(there, scores(Pairs.NEIGHBOURS, slice(None)), atol=1e-12)


def test_a_stretch_of_places_is_a_slower_walk_and_a_larger_base_turns_the_last_pairs_less():
    np.testing.assert_array_equal(at(2, Turning(stretch=2.0)), at(1))
    larger = at(1, Turning(base=500_000.0))
    np.testing.assert_allclose(larger, [-1.142640, 1.922076, 2.994340, 4.004239], atol=5e-7)


@pytest.mark.parametrize(("d", "base"), [(4, 160_000), (64, 41_829.3659)])
def test_ntk_slows_the_slowest_pair_by_the_stretch_and_leaves_the_first(d, base):
    """The base grows to base * 4^(D/(D-2))."""
    stretched = Turning(stretch=4.0, stretched=Stretched.BASE)
    plain, slow = (turning.angles(2, d)[1] for turning in (PAPER, stretched))
    assert slow[0] == plain[0] == 1
    assert slow[-1] == pytest.approx(plain[-1] / 4)
    wanted = base ** (-2 * np.arange(d // 2) / d)
    np.testing.assert_allclose(slow, wanted, rtol=1e-8)
    assert (Turning(stretch=4.0, stretched=Stretched.BASE).angles(3, 2)[:, 0] == [0, 1, 2]).all()


def test_with_two_features_both_layouts_are_the_same_and_an_odd_last_one_stays():
    rng = np.random.default_rng(0)
    for d in (1, 2):
        x = rng.normal(size=(3, d))
        np.testing.assert_array_equal(
            positions.rotary(x), positions.rotary(x, Turning(pairs=Pairs.HALVES))
        )
    x = rng.normal(size=(3, 5))
    turned = positions.rotary(x, Turning(pairs=Pairs.HALVES))
    np.testing.assert_array_equal(turned[:, 4], x[:, 4])
    assert [Turning(pairs=Pairs.HALVES).together(f, 5) for f in range(5)] == [
        range(0, 3, 2), range(1, 4, 2), range(0, 3, 2), range(1, 4, 2), range(4, 5),
    ]  # fmt: skip


with np.load(Path(__file__).parent / "data" / "onnx_rotary_cases.npz") as _file:
    ONNX = {key: _file[key] for key in _file.files}
ONNX_NAMES = sorted({key.split("/")[0] for key in ONNX})


def test_all_cases_of_onnx_are_here():
    assert len(ONNX_NAMES) == 8


@pytest.mark.parametrize("name", ONNX_NAMES)
def test_we_turn_as_onnx_does(name):
    """Its operator RotaryEmbedding, which is handed the cosines and sines of every place."""
    case = {key.split("/")[1]: value for key, value in ONNX.items() if key.startswith(f"{name}/")}
    meta = json.loads(str(case["meta"]))
    attrs, x = meta["attrs"], case["input"].astype(np.float64)
    packed = x.ndim == 3
    if packed:
        x = split_heads(x, attrs["num_heads"])
    cos, sin = (case[f"{name}_cache"].astype(np.float64) for name in ("cos", "sin"))
    if "position_ids" in case:
        cos, sin = cos[case["position_ids"]], sin[case["position_ids"]]
    part = attrs.get("rotary_embedding_dim") or x.shape[-1]
    pairs = Pairs.NEIGHBOURS if attrs.get("interleaved") else Pairs.HALVES
    turned = positions.turn(x[..., :part], cos[:, None], sin[:, None], pairs)
    turned = np.concatenate([turned, x[..., part:]], axis=-1)
    found = join_heads(turned) if packed else turned
    np.testing.assert_allclose(found, case["output"], rtol=1e-6, atol=1e-6)
