"""The plane: exact in two dimensions, else principal components; pulls add up to the move."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import experiments

from explorer.lab.plane import moves, plane
from explorer.settings import Settings
from explorer.trace import trace

X3 = ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0))


def test_two_features_are_shown_as_they_are():
    found = moves(trace(Settings(text="a b c", d_model=2, x=X3)), query=0)
    np.testing.assert_array_equal(found.before, X3)
    np.testing.assert_allclose(
        found.after, [[0.8446, 0.5777], [0.5777, 0.8446], [0.7881, 0.7881]], atol=5e-5
    )
    assert found.exact
    # Weights .4223, .1554, .4223 times the ways (0, 0), (-1, 1), (0, 1).
    np.testing.assert_allclose(found.pulls, [[0, 0], [-0.1554, 0.1554], [0, 0.4223]], atol=5e-5)


@given(experiments(), st.integers(0, 5))
def test_the_pulls_add_up_to_the_move(settings, query):
    t = trace(settings)
    if query >= len(t.tokens) or t.sees_nobody[query]:
        return
    found = moves(t, query)
    move = found.after[query] - found.before[query]
    np.testing.assert_allclose(found.pulls.sum(axis=0), move, atol=1e-9)


def test_principal_components_of_a_flat_cloud_show_all_of_it():
    """Points in a plane of four dimensions: every distance is kept."""
    flat = np.random.default_rng(0).standard_normal((6, 2))
    points = flat @ np.linalg.qr(np.random.default_rng(1).standard_normal((4, 2)))[0].T + 5
    centre, axes, kept = plane(points)
    shown = (points - centre) @ axes
    distance = np.linalg.norm(shown[:, None] - shown, axis=-1)
    np.testing.assert_allclose(distance, np.linalg.norm(flat[:, None] - flat, axis=-1))
    assert kept == pytest.approx(1)
    assert shown[:, 0].var() >= shown[:, 1].var()


def test_the_first_component_is_the_longest_way():
    points = np.array([[0.0, 0, -3], [0, 0, 3], [0, 1, 0], [0, -1, 0], [0.1, 0, 0], [-0.1, 0, 0]])
    _, axes, kept = plane(points)
    np.testing.assert_allclose(axes, [[0, 0], [0, 1], [1, 0]], atol=1e-12)
    assert kept == pytest.approx((18 + 2) / (18 + 2 + 0.02))


def test_the_signs_do_not_hang_on_luck():
    points = np.random.default_rng(2).standard_normal((7, 5))
    _, axes, _ = plane(points)
    for axis in (*axes.T, *plane(points[::-1])[1].T):
        assert axis[np.abs(axis).argmax()] > 0
    np.testing.assert_allclose(axes, plane(points[::-1])[1], atol=1e-9)


@pytest.mark.parametrize("points", [np.zeros((4, 3)), np.zeros((0, 3)), np.zeros((2, 1))])
def test_no_spread_at_all(points):
    if len(points):
        centre, axes, kept = plane(points)
        assert ((points - centre) @ axes).shape == (len(points), 2)
        assert kept == 1
