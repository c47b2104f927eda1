"""The three ways to write attention give what the trace gives."""

import numpy as np
import pytest
from hypothesis import given
from strategies import experiments

from explorer import three_ways
from explorer.settings import Settings
from explorer.trace import trace

WAYS = (three_ways.word_by_word, three_ways.step_by_step, three_ways.in_one_line)
every_way = pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)


@every_way
@given(settings=experiments())
def test_every_way_gives_the_context_of_every_head(way, settings):
    t = trace(settings)
    for head in range(t.n_heads):
        bias = 0 * t.scaled[head] if t.bias is None else t.bias[head] / t.temperature
        factor = t.factor / t.temperature
        q, k = t.q_turned[head], t.k_turned[head]
        context = way(q, k, t.v[head], factor, t.visible, bias)
        assert context.shape == t.context[head].shape
        np.testing.assert_allclose(context, t.context[head], rtol=1e-9, atol=1e-12)


@every_way
def test_every_way_gives_0_to_a_query_that_sees_nobody(way):
    t = trace(Settings(text="a b c", mask=("window", "padding"), radius=0))
    context = way(t.q[0], t.k[0], t.v[0], t.factor, t.visible, 0 * t.scaled[0])
    np.testing.assert_array_equal(context[2], np.zeros(4))


@every_way
def test_no_way_overflows(way):
    x = ((900.0, 1.0), (-900.0, 2.0))
    t = trace(Settings(text="a b", d_model=2, x=x))
    context = way(t.q[0], t.k[0], t.v[0], t.factor, t.visible, 0 * t.scaled[0])
    np.testing.assert_allclose(context, x, rtol=1e-15)


def test_the_ways_by_hand():
    """d_k = 4 and scores 2 ln 3 and 0, divided by 2: three quarters of 8 and one of 4."""
    q, k = np.array([[2 * np.log(3), 0, 0, 0]]), np.array([[1.0, 0, 0, 0], [0, 0, 0, 0]])
    v, visible = np.array([[8.0], [4.0]]), np.ones((1, 2), dtype=bool)
    for way in WAYS:
        np.testing.assert_allclose(way(q, k, v, 0.5, visible, np.zeros((1, 2))), [[7]], rtol=1e-14)
