"""Formulas with the actual numbers: every number is there, and LaTeX reads it as one number."""

import math
import re

import numpy as np
import pytest

from explorer.operations.basic import Average, DivideByRoot
from explorer.operations.normalisers import NORMALISERS
from explorer.operations.operation import Seen
from explorer.operations.terms import Number, dot_product
from explorer.rendering import latex


def dot(name, left, right, decimals):
    signs = r"\sum_n q_{1,n}\,k_{2,n}"
    found = dot_product(signs, tuple(map(Number, left)), tuple(map(Number, right)))
    return lines(latex.worked(name, found, decimals))


def softmax(name, scores, chosen, decimals):
    found = NORMALISERS["softmax"].work(tuple(map(Number, scores)), chosen)
    return lines(latex.worked(name, found if found.fits else found.instead, decimals))


def alone(operation, sign, array, cell, decimals, name):
    """The arithmetic of an operation on one array, of which it reads this block."""
    block = tuple(range(size) for size in array.shape)
    seen = Seen(cell, (block,), (sign,), (("given", block),))
    return latex.worked(name, operation.work(seen, array, array), decimals)


def lines(formula):
    """The lines of an aligned formula."""
    assert formula.startswith(r"\begin{aligned}")
    assert formula.endswith(r"\end{aligned}")
    assert formula.count("{") == formula.count("}")
    inner = formula.removeprefix(r"\begin{aligned}").removesuffix(r"\end{aligned}")
    return inner.split(r" \\[8pt] ")


# Numbers


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5, "0.500"),
        (-0.5, "-0.500"),
        (-1e-9, "0.000"),
        (1e6, r"1.0 \cdot 10^{6}"),
        (-1e6, r"-1.0 \cdot 10^{6}"),
        (math.inf, r"\infty"),
        (-math.inf, r"-\infty"),
        (math.nan, r"\text{NaN}"),
    ],
)
def test_a_number_in_the_signs_of_latex(value, text):
    assert latex.number(value, 3) == text


# Sums of products


def test_a_dot_product_shows_factors_products_and_sum():
    pair = (1.0, 0.5), (2.0, 0.24)
    assert dot("s_{1,2}", *pair, 2) == [
        r"s_{1,2} &= \sum_n q_{1,n}\,k_{2,n}",
        r"&= 1.00 \cdot 2.00 + 0.50 \cdot 0.24",
        r"&= 2.000 + 0.120",
        r"&= \mathbf{2.12}",
    ]


def test_negative_numbers_stand_in_brackets_within_a_sum_but_not_as_its_result():
    pair = (-1.0, 2.0), (3.0, -0.5)
    _, factors, products, result = dot("s", *pair, 2)
    assert factors == r"&= (-1.00) \cdot 3.00 + 2.00 \cdot (-0.50)"
    assert products == "&= (-3.000) + (-1.000)"
    assert result == r"&= \mathbf{-4.00}"


def test_a_large_number_is_one_factor():
    pair = (1e6, -1e6), (2.0, 3.0)
    factors = dot("s", *pair, 3)[1]
    assert factors == r"&= 1.0 \cdot 10^{6} \cdot 2.000 + (-1.0 \cdot 10^{6}) \cdot 3.000"


@pytest.mark.parametrize("n", [1, 2, 8])
def test_a_short_sum_is_written_out(n):
    pair = tuple(map(float, range(n))), (1.0,) * n
    _, factors, products, _ = dot("s", *pair, 1)
    assert factors == "&= " + " + ".join(rf"{i}.0 \cdot 1.0" for i in range(n))
    assert products == "&= " + " + ".join(f"{i}.00" for i in range(n))


@pytest.mark.parametrize("n", [9, 10, 64])
def test_a_long_sum_is_folded_and_says_how_many_terms_it_leaves_out(n):
    pair = tuple(map(float, range(n))), (1.0,) * n
    _, factors, products, result = dot("s", *pair, 1)
    for line, term in ((factors, r"{}.0 \cdot 1.0"), (products, "{}.00")):
        *first, fold, last = line.removeprefix("&= ").split(" + ")
        assert first == [term.format(i) for i in range(len(first))]
        assert last == term.format(n - 1)
        left_out = n - len(first) - 1
        assert fold == rf"\underbrace{{\cdots}}_{{{left_out}\text{{ more}}}}"
    assert result == rf"&= \mathbf{{{n * (n - 1) / 2:.1f}}}"


# The other steps


def test_scaling_shows_the_score_the_root_and_the_factor():
    scores = np.array([[-3.0]])
    formula = alone(DivideByRoot("scores", 4), "s_{1,2}", scores, (0, 0), 2, "s'_{1,2}")
    assert lines(formula) == [
        r"s'_{1,2} &= \frac{s_{1,2}}{\sqrt{d_k}} = \frac{-3.000}{\sqrt{4}}",
        r"&= (-3.000) \cdot 0.500",
        r"&= \mathbf{-1.50}",
    ]


def test_softmax_shows_exponents_powers_total_and_share():
    assert softmax("a_{1,1}", (math.log(2), -math.log(2), 0.0), 0, 3) == [
        r"a_{1,1} &= \frac{e^{0.693}}{e^{0.693} + e^{-0.693} + e^{0.000}}",
        r"&= \frac{2.0000}{2.0000 + 0.5000 + 1.0000}",
        r"&= \frac{2.0000}{3.5000} = \mathbf{0.571}",
    ]


def test_a_long_softmax_is_folded_in_its_denominators_only():
    exponents, powers, share = softmax("a", tuple(map(float, range(12))), 11, 2)
    assert r"\underbrace{\cdots}_{4\text{ more}} + e^{11.00}" in exponents
    assert powers.count("more") == 1
    assert "more" not in share
    assert f"{sum(map(math.exp, range(12))):.3f}" in share


def test_the_shifted_softmax_subtracts_the_largest_score():
    assert softmax("a_{1,2}", (-900.0, -901.0), 1, 3) == [
        r"a_{1,2} &= \frac{e^{-901.000 - (-900.000)}}{\sum_n e^{\ldots - (-900.000)}}",
        r"&= \frac{0.3679}{1.3679} = \mathbf{0.269}",
    ]


def test_an_average_shows_the_weight_of_every_head():
    def average(weights):
        array = np.array(weights).reshape(-1, 1, 1)
        return lines(alone(Average("weights"), "a_{1,2}", array, (0, 0), 2, "a_{1,2}"))

    assert average((0.25, 0.5, 0.75)) == [
        r"\bar a_{1,2} &= \frac{1}{H} \sum_h a_{1,2}^{(h)} = \frac{0.250 + 0.500 + 0.750}{3}",
        r"&= \mathbf{0.50}",
    ]
    assert r"{56\text{ more}}" in average((1 / 64,) * 64)[0]


@pytest.mark.parametrize("decimals", [2, 3, 6])
def test_the_result_is_the_number_of_the_matrix_at_its_decimals(decimals):
    pair = (1 / 3, -2 / 7), (1.0, 1.0)
    result = dot("s", *pair, decimals)[-1]
    assert re.fullmatch(rf"&= \\mathbf{{0\.\d{{{decimals}}}}}", result)
    assert f"{1 / 3 - 2 / 7:.{decimals}f}" in result
