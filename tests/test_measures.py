"""What is said of weights in one number."""

from math import log2

import numpy as np
import pytest
from experiments import PAIRS

from explorer.measures import entropy_bits
from explorer.settings import Settings
from explorer.trace import trace

BLIND = Settings(text="a b c d", mask=("window", "padding"), pad=2, n_heads=2)


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
    entropy = entropy_bits(np.array([weights]))
    np.testing.assert_allclose(entropy, [bits], rtol=1e-14, atol=1e-300)
    assert not np.signbit(entropy).any()


def test_a_row_that_sees_nobody_has_no_entropy():
    entropy = entropy_bits(trace(BLIND).weights)
    assert entropy.shape == (2, 4)
    np.testing.assert_array_equal(np.isnan(entropy), [[False, False, False, True]] * 2)


def test_entropy_lies_between_one_key_and_all_that_are_seen_alike():
    for name, settings in PAIRS.items():
        t = trace(settings)
        if settings.rule == "softmax":
            entropy = entropy_bits(t.weights)[:, ~t.sees_nobody]
            most = np.log2(t.visible.sum(axis=-1)[~t.sees_nobody])
            assert (entropy >= 0).all(), name
            assert (entropy <= most + 1e-12).all(), name
