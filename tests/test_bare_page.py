"""The page that the explorer is timed against stands by itself, and its numbers are right."""

import re
from pathlib import Path

import numpy as np
import pytest
from benchmarks import bare_page

TWO_WORDS = np.array([[1.0, 0.0, 0.0, 0.0], [2 * np.log(3), 0.0, 0.0, 0.0]])


def test_it_imports_nothing_of_the_explorer():
    source = Path(bare_page.__file__).read_text()
    imported = set(re.findall(r"^\s*(?:from|import) (\w+)", source, flags=re.MULTILINE))
    assert imported == {"__future__", "hashlib", "numpy", "plotly", "streamlit"}


@pytest.mark.parametrize(("scale", "divisor"), [("raw", 1), ("sqrt_d_k", 2)])
def test_attention_by_hand(scale, divisor):
    """Four features: the scores 1, a, a and a^2 with a = 2 ln 3, or half of them."""
    a = 2 * np.log(3)
    scores, weights, context = bare_page.attend(TWO_WORDS, scale)
    np.testing.assert_allclose(scores, np.array([[1, a], [a, a * a]]) / divisor, rtol=1e-15)
    first = 1 / (1 + np.exp((a - 1) / divisor))
    np.testing.assert_allclose(weights[0], [first, 1 - first], rtol=1e-14)
    np.testing.assert_allclose(context[0], [first + (1 - first) * a, 0, 0, 0], rtol=1e-14)


def test_the_default_sentence_has_its_published_weights():
    """The row of "cat", as its article prints it with raw scores."""
    _, weights, _ = bare_page.attend(np.array(bare_page.VECTORS), "raw")
    printed = [0.0962, 0.1919, 0.1765, 0.1059, 0.0960, 0.1461, 0.1873]
    np.testing.assert_allclose(weights[1], printed, rtol=0, atol=5e-5)


def test_a_word_has_one_vector_and_every_length_its_own():
    x = bare_page.vectors(["word0", "Word0", "word1"], 8)
    assert x.shape == (3, 8)
    np.testing.assert_array_equal(x[0], x[1])
    assert (x[0] != x[2]).any()
    assert np.abs(x).max() <= 1


def test_a_heat_map_holds_the_numbers_and_their_digits():
    numbers = np.array([[0.25, -1.5], [1.0, 0.0]])
    figure = bare_page.heat_map(numbers, ["the", "cat"], ["1", "2"], bare_page.SIGNED)
    np.testing.assert_array_equal(figure.data[0].z, numbers)
    assert [*figure.data[0].text[0]] == ["0.250", "−1.500"]
    assert (figure.data[0].zmin, figure.data[0].zmax) == (-1.5, 1.5)
    assert figure.layout.yaxis.ticktext == ("the", "cat")
