"""The table of experiments is complete, and what reads formulas back can tell right from wrong."""

from itertools import combinations, product

import numpy as np
import pytest
from caption_reader import CaptionReader
from experiments import PAIRS, SMALL, pairwise
from latex_reader import Interval, Reader, lines, parse, printed, slots

from explorer.operations.normalisers import NORMALISERS
from explorer.operations.schemes import SCHEMES
from explorer.settings import Mask, Scale


@pytest.mark.parametrize("experiments", [SMALL, PAIRS], ids=["small", "pairs"])
def test_every_member_of_every_enum_has_its_experiment(experiments):
    found = experiments.values()
    assert {settings.position for settings in found} == set(SCHEMES)
    assert {settings.rule for settings in found} == set(NORMALISERS)
    assert {settings.scale for settings in found} == set(Scale)
    assert {mask for settings in found for mask in settings.mask} == set(Mask)
    assert {settings.temperature != 1 for settings in found} == {True, False}
    assert {settings.qkv for settings in found} == {True, False}
    assert {settings.n_heads > 1 for settings in found} == {True, False}
    assert any(settings.position == "rotary" and settings.d_query % 2 for settings in found)
    assert any(not settings.visible.any(axis=1).all() for settings in found)


def test_the_small_table_is_the_full_product():
    assert len(set(SMALL.values())) == len(SMALL)
    kinds = {(s.position, s.rule, s.scale, s.mask, s.temperature) for s in SMALL.values()}
    masks = {s.mask for s in SMALL.values()}
    assert len(kinds) == len(SCHEMES) * len(NORMALISERS) * len(Scale) * len(masks) * 2
    assert len(SMALL) % len(kinds) == 0


def test_there_are_sentences_of_several_lengths_and_one_repeats_a_word():
    tokens = [settings.tokens for settings in PAIRS.values()]
    assert {len(words) for words in tokens} == {1, 2, 5, 9}
    assert any(len(set(words)) < len(words) for words in tokens)


def test_any_two_answers_meet_in_few_rows():
    questions = {"a": "12345", "b": "xy", "c": "+-*", "d": "pq"}
    rows = pairwise(questions)
    for (a, ones), (b, others) in combinations(enumerate(questions.values()), 2):
        assert {(row[a], row[b]) for row in rows} == set(product(ones, others))
    assert rows == pairwise(questions)
    assert 15 <= len(rows) <= 18  # 5 times 3 is the least


# The reader


def value(text, symbol=None):
    template, numbers = slots(text)
    return Reader(symbol).value(template, [float(number.split(" ")[0]) for number in numbers])


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (r"(-1.00) \cdot 3.00 + 2.00 \cdot (-0.50)", -4),
        (r"\frac{1.5 + 2.5}{\sqrt{4}}", 2),
        (r"\frac{e^{1.0}}{e^{1.0} + e^{-1.0}}", 1 / (1 + np.exp(-2))),
        (r"-0.25 \cdot |1 - 3|", -0.5),
        (r"\sin\!\left(2 / 10000^{1/2}\right)", np.sin(0.02)),
        (r"2.0 \cdot (-\sin\theta) \qquad \theta = 1 / 10000^{0/3}", -2 * np.sin(1)),
        (r"\mathbf{-0.5} \quad \text{(no partner)}", -0.5),
        (r"e^{1.0 - (-1.0)} / 2.0 - 1.0", np.exp(2) / 2 - 1),
    ],
)
def test_a_formula_is_read_as_it_is_written(text, number):
    assert value(text) == pytest.approx(number, rel=1e-15)


def test_symbols_are_cells_and_n_runs_over_all_of_them():
    q, k = np.arange(6.0).reshape(2, 3), np.ones((2, 3))

    def symbol(name, indices):
        row, column = indices
        assert column == "n"
        return {"q": q, "k^R": k}[name][row - 1]

    assert value(r"\sum_n q_{2,n}\,k^R_{1,n}", symbol) == 12
    with pytest.raises(AssertionError, match="as many"):
        value(r"\sum_n q_{2,n}\,k^R_{1,n}", lambda name, _: np.ones(2 if name == "q" else 3))


def test_a_printed_number_is_known_as_well_as_its_digits():
    assert printed("0.123456", 6) == (0.123456, 0.5e-6)
    assert printed("2.5", 6) == (2.5, 0)
    assert printed(r"1.5000 \cdot 10^{6}", 6) == (1.5e6, 50)
    tenth = Interval(0.05, 0.15)
    assert (tenth * tenth).holds(np.array([0.002, 0.01, 0.0224])).tolist() == [False, True, True]
    assert (tenth / Interval(-1.0, 1.0)).holds(1e9)  # it says nothing


def test_lines_and_their_sides():
    formula = r"\begin{aligned}a &= 1.0 + 2.0 = 3.0 \\[8pt] &= \mathbf{3}\end{aligned}"
    assert lines(formula) == [["a", "1.0 + 2.0", "3.0"], [r"\mathbf{3}"]]


@pytest.mark.parametrize("text", [r"\foo{#}", "# +", "# )", r"\mathrm{sigmoid}(S)", "# < #"])
def test_what_the_reader_does_not_know_it_does_not_guess(text):
    with pytest.raises(ValueError, match=" in "):
        parse(text)


def test_captions_are_products_of_matrices_by_hand():
    arrays = {"queries": np.array([[1.0, 2.0]]), "keys": np.array([[3.0, 4.0]])}
    reader = CaptionReader(lambda step, _: arrays[step], np.ones((1, 1), dtype=bool), 1, 0)
    np.testing.assert_array_equal(reader.read(r"Q {K}^\top / \sqrt{4}"), [[5.5]])
    with pytest.raises(ValueError, match="matmul"):
        reader.read("Q K")
