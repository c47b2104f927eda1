"""Formulas with the actual numbers: every number is there, and LaTeX reads it as one number."""

import math
import re

import pytest

from explorer import worked
from explorer.page import latex

QK = ("q_{1,n}", "k_{2,n}")


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
    sum_ = worked.DotProduct((1.0, 0.5), (2.0, 0.24))
    assert lines(latex.dot_product("s_{1,2}", sum_, QK, 2)) == [
        r"s_{1,2} &= \sum_n q_{1,n}\,k_{2,n}",
        r"&= 1.00 \cdot 2.00 + 0.50 \cdot 0.24",
        r"&= 2.000 + 0.120",
        r"&= \mathbf{2.12}",
    ]


def test_negative_numbers_stand_in_brackets_within_a_sum_but_not_as_its_result():
    sum_ = worked.DotProduct((-1.0, 2.0), (3.0, -0.5))
    _, factors, products, result = lines(latex.dot_product("s", sum_, QK, 2))
    assert factors == r"&= (-1.00) \cdot 3.00 + 2.00 \cdot (-0.50)"
    assert products == "&= (-3.000) + (-1.000)"
    assert result == r"&= \mathbf{-4.00}"


def test_a_large_number_is_one_factor():
    sum_ = worked.DotProduct((1e6, -1e6), (2.0, 3.0))
    factors = lines(latex.dot_product("s", sum_, QK, 3))[1]
    assert factors == r"&= 1.0 \cdot 10^{6} \cdot 2.000 + (-1.0 \cdot 10^{6}) \cdot 3.000"


@pytest.mark.parametrize("n", [1, 2, 8])
def test_a_short_sum_is_written_out(n):
    sum_ = worked.DotProduct(tuple(map(float, range(n))), (1.0,) * n)
    _, factors, products, _ = lines(latex.dot_product("s", sum_, QK, 1))
    assert factors == "&= " + " + ".join(rf"{i}.0 \cdot 1.0" for i in range(n))
    assert products == "&= " + " + ".join(f"{i}.00" for i in range(n))


@pytest.mark.parametrize("n", [9, 10, 64])
def test_a_long_sum_is_folded_and_says_how_many_terms_it_leaves_out(n):
    sum_ = worked.DotProduct(tuple(map(float, range(n))), (1.0,) * n)
    _, factors, products, result = lines(latex.dot_product("s", sum_, QK, 1))
    for line, term in ((factors, r"{}.0 \cdot 1.0"), (products, "{}.00")):
        *first, fold, last = line.removeprefix("&= ").split(" + ")
        assert first == [term.format(i) for i in range(len(first))]
        assert last == term.format(n - 1)
        left_out = n - len(first) - 1
        assert fold == rf"\underbrace{{\cdots}}_{{{left_out}\text{{ more}}}}"
    assert result == rf"&= \mathbf{{{n * (n - 1) / 2:.1f}}}"


# The other steps


def test_scaling_shows_the_score_the_root_and_the_factor():
    formula = latex.scaling("s'_{1,2}", worked.Scaling(-3.0, 0.5), "s_{1,2}", 4, 2)
    assert lines(formula) == [
        r"s'_{1,2} &= \frac{s_{1,2}}{\sqrt{d_k}} = \frac{-3.000}{\sqrt{4}}",
        r"&= -3.000 \cdot 0.500",
        r"&= \mathbf{-1.50}",
    ]


def test_softmax_shows_exponents_powers_total_and_share():
    softmax = worked.Softmax((math.log(2), -math.log(2), 0.0), 0)
    assert lines(latex.softmax("a_{1,1}", softmax, 3)) == [
        r"a_{1,1} &= \frac{e^{0.693}}{e^{0.693} + e^{-0.693} + e^{0.000}}",
        r"&= \frac{2.0000}{2.0000 + 0.5000 + 1.0000}",
        r"&= \frac{2.0000}{3.5000} = \mathbf{0.571}",
    ]


def test_a_hidden_key_has_no_part_in_the_softmax():
    seen = worked.Softmax((1.0, 2.0), 1)
    hidden = worked.Softmax((-math.inf, 1.0, -math.inf, 2.0), 3)
    assert latex.softmax("a", hidden, 3) == latex.softmax("a", seen, 3)
    assert "infty" not in latex.softmax("a", hidden, 3)


def test_a_long_softmax_is_folded_in_its_denominators_only():
    softmax = worked.Softmax(tuple(map(float, range(12))), 11)
    exponents, powers, share = lines(latex.softmax("a", softmax, 2))
    assert r"\underbrace{\cdots}_{4\text{ more}} + e^{11.00}" in exponents
    assert powers.count("more") == 1
    assert "more" not in share
    assert f"{sum(map(math.exp, range(12))):.3f}" in share


def test_the_shifted_softmax_subtracts_the_largest_score():
    formula = latex.shifted_softmax("a_{1,2}", worked.Softmax((-900.0, -901.0), 1), 3)
    assert lines(formula) == [
        r"a_{1,2} &= \frac{e^{-901.000 - (-900.000)}}{\sum_n e^{\ldots - (-900.000)}}",
        r"&= \frac{0.3679}{1.3679} = \mathbf{0.269}",
    ]


def test_an_average_shows_the_weight_of_every_head():
    assert lines(latex.average("a_{1,2}", (0.25, 0.5, 0.75), 2)) == [
        r"\bar a_{1,2} &= \frac{1}{H} \sum_h a_{1,2}^{(h)} = \frac{0.250 + 0.500 + 0.750}{3}",
        r"&= \mathbf{0.50}",
    ]
    assert r"{56\text{ more}}" in latex.average("a", (1 / 64,) * 64, 2)


@pytest.mark.parametrize("decimals", [2, 3, 6])
def test_the_result_is_the_number_of_the_matrix_at_its_decimals(decimals):
    sum_ = worked.DotProduct((1 / 3, -2 / 7), (1.0, 1.0))
    result = lines(latex.dot_product("s", sum_, QK, decimals))[-1]
    assert re.fullmatch(rf"&= \\mathbf{{0\.\d{{{decimals}}}}}", result)
    assert f"{1 / 3 - 2 / 7:.{decimals}f}" in result
