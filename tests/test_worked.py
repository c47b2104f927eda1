"""The arithmetic behind a number: its terms give the number, for every cell of several traces."""

from dataclasses import replace
from itertools import product
from math import e, exp, log2

import numpy as np
import pytest
from experiments import PAIRS

from explorer import worked
from explorer.examples import EXAMPLES
from explorer.settings import Rule, Settings
from explorer.trace import trace
from explorer.worked import Softmax

CLOSE = {"rtol": 1e-12, "atol": 1e-13}
BANK_RIVER = EXAMPLES["bank_river"].settings
HEADS = Settings(d_model=6, n_heads=3, scale="sqrt_d_k", mask=("causal",))
BLIND = Settings(text="a b c d", mask=("window", "padding"), pad=2, n_heads=2)
LARGE = Settings(text="a b", d_model=2, x=((900.0, 1.0), (-900.0, 2.0)), mask=("causal",))


@pytest.fixture(scope="module")
def traces():
    """A trace of every experiment, by its name."""
    return {name: trace(settings) for name, settings in (PAIRS | {"large": LARGE}).items()}


def cells(array):
    return product(*map(range, array.shape))


def close(value, number, where):
    np.testing.assert_allclose(value, number, **CLOSE, err_msg=str(where))


def test_every_score_is_its_dot_product(traces):
    for name, t in traces.items():
        for h, i, j in cells(t.scores):
            terms = worked.score(t, h, i, j)
            assert terms.left == tuple(t.q_turned[h, i]), name
            assert terms.right == tuple(t.k_turned[h, j]), name
            close(terms.value, t.scores[h, i, j], (name, h, i, j))


def test_every_turned_feature_is_a_part_of_its_pair_turned(traces):
    for name, t in traces.items():
        for which, turned in (("q", t.q_turned), ("k", t.k_turned)):
            for h, i, c in cells(turned) if "rotary" in name else ():
                terms = worked.turn(t, which, h, i, c)
                assert set(terms.left) <= set(getattr(t, which)[h, i]), name
                close(terms.value, turned[h, i, c], (name, which, h, i, c))


def test_every_scaled_score_is_the_score_times_the_factor(traces):
    for name, t in traces.items():
        for h, i, j in cells(t.scaled):
            terms = worked.scaling(t, h, i, j)
            assert (terms.score, terms.factor) == (t.scores[h, i, j], t.factor), name
            assert terms.value == t.scaled[h, i, j], name


def test_every_weight_is_its_share(traces):
    for name, t in traces.items():
        for h, i, j in cells(t.weights):
            where = (name, h, i, j)
            if PAIRS.get(name, LARGE).rule is Rule.TOTAL:
                if t.visible[i, j]:
                    terms = worked.total(t, h, i, j)
                    assert terms.scores == tuple(t.masked[h, i, t.visible[i]]), where
                    close(terms.scores[terms.chosen] / terms.total, t.weights[h, i, j], where)
                continue
            terms = worked.softmax(t, h, i, j)
            assert terms.scores == tuple(t.masked[h, i]), where
            assert terms.chosen == j, where
            close(terms.value, t.weights[h, i, j], where)
            if terms.fits:
                close(terms.exponentials[j] / terms.total, t.weights[h, i, j], where)


def test_every_average_weight_is_that_of_its_terms(traces):
    for name, t in traces.items():
        for i, j in cells(t.scores[0]):
            terms = worked.average(t, i, j)
            assert terms == tuple(t.weights[:, i, j]), name
            close(sum(terms) / t.n_heads, t.weights_of(None)[i, j], (name, i, j))


def test_every_context_is_its_weighted_sum(traces):
    for name, t in traces.items():
        for h, i, c in cells(t.context):
            terms = worked.context(t, h, i, c)
            assert terms.left == tuple(t.weights[h, i]), name
            values = np.array(terms.right)[t.visible[i]]
            np.testing.assert_array_equal(values, t.v[h, t.visible[i], c], name)
            close(terms.value, t.context[h, i, c], (name, h, i, c))


def test_every_query_key_and_value_is_its_projection(traces):
    for name, t in traces.items():
        for which in ("q", "k", "v") if t.w_q is not None else ():
            made = getattr(t, which)
            for h, i, c in cells(made):
                terms = worked.projection(t, which, h, i, c)
                assert terms.left == tuple(t.inputs[i]), name
                close(terms.value, made[h, i, c], (name, which, h, i, c))


def test_every_output_is_its_row_times_a_column_of_w_o(traces):
    for name, t in traces.items():
        for i, c in cells(t.output) if t.w_o is not None else ():
            terms = worked.output(t, i, c)
            assert terms.left == tuple(t.joined[i]), name
            assert terms.right == tuple(t.w_o[:, c]), name
            close(terms.value, t.output[i, c], (name, i, c))


def test_a_score_on_paper():
    """bank and river share one feature."""
    terms = worked.score(trace(BANK_RIVER), 0, 0, 2)
    assert terms.left == (1, 0, 1, 0)
    assert terms.right == (1, 1, 0, 0)
    assert terms.products == (1, 0, 0, 0)
    assert terms.value == 1


def test_a_weight_on_paper():
    terms = worked.softmax(trace(BANK_RIVER), 0, 0, 2)
    assert terms.scores == (2, 0, 1)
    np.testing.assert_allclose(terms.exponentials, [e**2, 1, e], rtol=1e-15)
    np.testing.assert_allclose(terms.total, e**2 + 1 + e, rtol=1e-15)
    np.testing.assert_allclose(terms.shifted, [1, e**-2, e**-1], rtol=1e-15)
    np.testing.assert_allclose(terms.shifted_total, 1 + e**-2 + e**-1, rtol=1e-15)
    assert terms.top == 2
    assert terms.fits


def test_a_context_on_paper():
    terms = worked.context(trace(BANK_RIVER), 0, 0, 1)
    np.testing.assert_allclose(terms.left, [0.665, 0.090, 0.245], rtol=0, atol=5e-4)
    assert terms.right == (0, 1, 1)
    np.testing.assert_allclose(terms.value, 0.335, rtol=0, atol=5e-4)


@pytest.mark.parametrize(
    ("scores", "fits"),
    [
        ((709.0, 0.0), True),
        ((710.0, 0.0), False),
        ((709.5, 709.5), False),
        ((-700.0, -701.0), True),
        ((-800.0, -801.0), False),
        ((-800.0, 0.0), True),
        ((-np.inf, -np.inf), False),
        ((), False),
    ],
)
def test_exponentials_fit_on_paper_unless_they_are_infinite_or_all_0(scores, fits):
    assert Softmax(scores, 0).fits is fits


@pytest.mark.parametrize("top", [1000.0, -1000.0, 1e13])
def test_scores_beyond_the_exponential_still_have_their_weights(top):
    """By way of the shifted exponentials: ln 3 apart, so three to one."""
    terms = Softmax((top, top - 2.0), 0)
    assert not terms.fits
    np.testing.assert_allclose(terms.shifted, [1, exp(-2)], rtol=1e-15)
    np.testing.assert_allclose(terms.value, 1 / (1 + exp(-2)), rtol=1e-15)


def test_hidden_keys_have_no_exponential_and_no_weight():
    terms = Softmax((0.0, -np.inf, 1.0), 1)
    assert terms.exponentials[1] == terms.shifted[1] == terms.value == 0
    np.testing.assert_allclose(terms.total, 1 + e, rtol=1e-15)


def test_a_query_that_sees_nobody_has_nothing_to_share_out():
    t = trace(BLIND)
    assert t.sees_nobody.tolist() == [False, False, False, True]
    for j in range(4):
        terms = worked.softmax(t, 1, 3, j)
        assert terms.scores == (-np.inf,) * 4
        assert terms.shifted == terms.exponentials == (0,) * 4
        assert terms.total == terms.shifted_total == terms.value == 0
        assert terms.top == -np.inf
    assert worked.context(t, 1, 3, 0).value == 0


def test_a_hidden_value_has_no_part_in_a_context_whatever_it_is():
    t = trace(HEADS)
    v = t.v.copy()
    v[:, -1] = np.nan
    terms = worked.context(replace(t, v=v), 0, 0, 1)
    assert terms.right[-1] == 0
    np.testing.assert_allclose(terms.value, t.context[0, 0, 1], **CLOSE)


@pytest.mark.parametrize("which", ["q", "k", "v"])
def test_without_projections_there_is_no_arithmetic_behind_a_query(which):
    with pytest.raises(ValueError, match=f"{which} is a part of the embeddings"):
        worked.projection(trace(BANK_RIVER), which, 0, 0, 0)


def test_without_an_output_matrix_there_is_no_arithmetic_behind_the_output(traces):
    without = [t for t in traces.values() if t.w_o is None]
    assert any(t.w_q is not None for t in without)
    for t in without:
        with pytest.raises(ValueError, match="no output matrix"):
            worked.output(t, 0, 0)


# Entropy


@pytest.mark.parametrize(
    ("weights", "bits"),
    [
        ([1.0, 0.0, 0.0], 0),
        ([0.5, 0.5, 0.0], 1),
        ([0.25, 0.25, 0.25, 0.25], 2),
        ([0.5, 0.25, 0.25], 1.5),
        ([1 / 3, 1 / 3, 1 / 3], log2(3)),
        ([0.75, 0.25], 2 - 0.75 * log2(3)),
        ([1.0], 0),
        ([1.0, 5e-324], 0),
    ],
)
def test_entropy_by_hand(weights, bits):
    entropy = worked.entropy_bits(np.array([weights]))
    np.testing.assert_allclose(entropy, [bits], rtol=1e-14, atol=1e-300)
    assert not np.signbit(entropy).any()


def test_a_row_that_sees_nobody_has_no_entropy():
    entropy = worked.entropy_bits(trace(BLIND).weights)
    assert entropy.shape == (2, 4)
    np.testing.assert_array_equal(np.isnan(entropy), [[False, False, False, True]] * 2)


def test_entropy_lies_between_one_key_and_all_that_are_seen_alike(traces):
    for name, t in traces.items():
        if PAIRS.get(name, LARGE).rule is Rule.SOFTMAX:
            entropy = worked.entropy_bits(t.weights)[:, ~t.sees_nobody]
            most = np.log2(t.visible.sum(axis=-1)[~t.sees_nobody])
            assert (entropy >= 0).all(), name
            assert (entropy <= most + 1e-12).all(), name
