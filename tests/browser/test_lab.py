"""The lab in a browser: one experiment after the other, and a training to its end."""

import importlib.util

import numpy as np
import pytest
from browser.helpers import (
    charts,
    choose,
    eventually,
    link_becomes,
    numbers,
    pick,
    settle,
    visit,
)
from browser.test_phone import PHONE, TOO_WIDE

from explorer.examples import EXAMPLES
from explorer.trace import trace
from explorer.view import Lab

WARM_MAT = trace(EXAMPLES["warm_mat"].settings)
LAB = 2


def curve(page, key, n):
    """The numbers of a curve, as its chart has drawn them."""
    return page.evaluate(
        """([key, n]) => {
          const chart = document.querySelector(`.st-key-${key} .js-plotly-plot`);
          return [...chart._fullData[n].y]; }""",
        [key, n],
    )


def test_a_reader_walks_through_the_lab(page):
    visit(page)
    choose(page, "view", LAB)
    link_becomes(page, view="lab")
    eventually(page, lambda: charts(page), ["lab_root"])
    settle(page, charts=1)
    raw, scaled = (curve(page, "lab_root", n) for n in (0, 1))
    assert raw[-1] > 0.9 > 0.5 > scaled[-1]

    pick(page, "lab", "Order of the words")
    link_becomes(page, view="lab", lab="order")
    eventually(page, lambda: len(charts(page)), 6)
    settle(page, charts=6)
    np.testing.assert_allclose(
        numbers(page, "lab_order_without_before"), WARM_MAT.weights[0], rtol=1e-6
    )
    assert not numbers(page, "lab_order_without_change").any()
    assert numbers(page, "lab_order_with_change").any()

    pick(page, "lab", "Usual mistakes")
    link_becomes(page, view="lab", lab="mistakes")
    eventually(page, lambda: charts(page), ["lab_mistake_right", "lab_mistake_wrong"])
    settle(page, charts=2)
    wrong = numbers(page, "lab_mistake_wrong")
    np.testing.assert_allclose(wrong.sum(axis=0), 1, rtol=1e-5)


def test_a_wrong_answer_names_the_slip_and_a_right_one_opens_the_picture(page):
    visit(page, charts=0, view="lab", lab="predict", lab_question=3)
    text = page.get_by_text("What is the scaled score?").inner_text()
    score = float(text.split(" is ")[1].split(",")[0])
    field = page.get_by_label("Your answer, to two decimals")
    field.fill(f"{score}")
    field.press("Enter")
    page.get_by_text("Not quite. The root").wait_for()
    field.fill(f"{score / 3**0.5:.2f}")
    field.press("Enter")
    page.get_by_text("Right.").wait_for()
    eventually(page, lambda: charts(page), ["lab_predict"])


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs torch")
def test_a_training_runs_to_its_end_by_itself(page):
    visit(page, charts=1, view="lab", lab="learn")
    page.get_by_role("button", name="Train again").wait_for()
    settle(page, charts=5)
    without, with_ = (curve(page, "lab_learn", n) for n in (0, 1))
    assert len(with_) == 41
    assert with_[-1] > 0.95 > 0.6 > without[-1]


def test_every_experiment_fits_a_phone(new_page):
    page = new_page(**PHONE)
    for code in Lab:
        visit(page, charts=0, view="lab", lab=code.value)
        page.locator("h2").first.wait_for()
        assert page.evaluate(TOO_WIDE) == [], code
