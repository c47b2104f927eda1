"""The arithmetic behind a number: every line of it comes to the number, for every cell."""

from itertools import product
from math import e, exp

import numpy as np
import pytest
from experiments import PAIRS, SMALL, TODAY
from reading import run, structure

from explorer.examples import EXAMPLES
from explorer.operations.operation import cell_of
from explorer.operations.terms import Number, Product, Sum, Why, Worked, Written, value
from explorer.rendering.panel import worked
from explorer.settings import Settings
from explorer.trace import trace
from explorer.walks import matrix_of

CLOSE = {"rtol": 1e-12, "atol": 1e-13}
BANK_RIVER = EXAMPLES["bank_river"].settings
BLIND = Settings(text="a b c d", mask=("window", "padding"), pad=2, n_heads=2)
LARGE = Settings(text="a b", d_model=2, x=((900.0, 1.0), (-900.0, 2.0)), mask=("causal",))


def step(t, name):
    return next(step for step in t.steps if step.name == name)


def work(t, name, *cell):
    return worked(t, step(t, name), cell)


def test_every_term_of_every_line_comes_to_the_number():
    for name, settings in (PAIRS | {"large": LARGE}).items():
        t = trace(settings)
        for here in t.steps:
            array = t.arrays[here.name]
            for cell in product(*map(range, array.shape)) if here.shown else ():
                found = worked(t, here, cell)
                for lines in (found.lines if found.fits else (), (found.instead or found).lines):
                    for term in (term for line in lines for term in line):
                        np.testing.assert_allclose(
                            value(term), array[cell], **CLOSE, err_msg=f"{name} {here.name} {cell}"
                        )


def operands(term):
    """The numbers of a term that are read from a matrix."""
    match term:
        case Number(_, _, of):
            return [(of, term.number)] if of else []
        case Sum(parts) | Product(parts):
            return [found for part in parts for found in operands(part)]
    parts = [getattr(term, name) for name in getattr(term, "__slots__", ())]
    terms = [part for part in parts if hasattr(part, "__slots__") and not isinstance(part, str)]
    return [found for part in terms for found in operands(part)]


def test_every_operand_says_the_matrix_and_the_cell_that_it_is_read_from():
    for name, settings in PAIRS.items():
        t = trace(settings)
        for here in t.steps:
            array = t.arrays[here.name]
            for cell in product(*map(range, array.shape)) if here.shown else ():
                for line in worked(t, here, cell).lines:
                    for (matrix, place), number in (o for term in line for o in operands(term)):
                        ours = t.arrays[matrix][place]
                        hidden = here.name == "context" and number == 0
                        assert number == ours or hidden, (name, here.name, cell, matrix, place)


def test_a_score_on_paper():
    """bank and river share one feature."""
    found = work(trace(BANK_RIVER), "scores", 0, 0, 2)
    pairs = [[factor.number for factor in pair.factors] for pair in found.lines[1][0].terms]
    assert pairs == [[1, 1], [0, 1], [1, 0], [0, 0]]
    assert [term.number for term in found.lines[2][0].terms] == [1, 0, 0, 0]
    assert found.lines[-1][-1].number == 1


def test_a_weight_on_paper():
    found = work(trace(BANK_RIVER), "weights", 0, 0, 2)
    assert found.fits
    ((first,), (second,), (third, result)) = found.lines
    assert [power.exponent.number for power in first.below.terms] == [2, 0, 1]
    np.testing.assert_allclose([p.number for p in second.below.terms], [e**2, 1, e], rtol=1e-15)
    np.testing.assert_allclose(third.below.number, e**2 + 1 + e, rtol=1e-15)
    np.testing.assert_allclose(result.number, e / (e**2 + 1 + e), rtol=1e-15)
    (_, (lowered, again)) = found.instead.lines
    np.testing.assert_allclose(lowered.below.number, 1 + e**-2 + e**-1, rtol=1e-15)
    assert again == result


def test_a_context_on_paper():
    found = work(trace(BANK_RIVER), "context", 0, 0, 1)
    pairs = [[factor.number for factor in pair.factors] for pair in found.lines[1][0].terms]
    weights, values = zip(*pairs, strict=True)
    np.testing.assert_allclose(weights, [0.665, 0.090, 0.245], rtol=0, atol=5e-4)
    assert values == (0, 1, 1)


def by_scores(*scores):
    """The arithmetic of the first weight, from these scores."""
    t = trace(Settings(text=" ".join("abc"[: len(scores)]), d_model=2))
    arrays = dict(t.arrays) | {"scores": np.array([[scores] * len(scores)], dtype=float)}

    class Of:
        steps = t.steps

    Of.arrays = arrays
    return worked(Of, step(t, "weights"), (0, 0, 0))


@pytest.mark.parametrize(
    ("scores", "fits"),
    [
        ((709.0, 0.0), True),
        ((710.0, 0.0), False),
        ((709.5, 709.5), False),
        ((-700.0, -701.0), True),
        ((-800.0, -801.0), False),
        ((-800.0, 0.0), True),
    ],
)
def test_powers_of_e_fit_on_paper_unless_they_are_infinite_or_all_0(scores, fits):
    assert by_scores(*scores).fits is fits


@pytest.mark.parametrize("top", [1000.0, -1000.0, 1e13])
def test_scores_beyond_the_exponential_still_have_their_weights(top):
    found = by_scores(top, top - 2.0)
    assert not found.fits
    assert found.instead.fits
    np.testing.assert_allclose(found.instead.lines[-1][-1].number, 1 / (1 + exp(-2)), rtol=1e-15)


def test_hidden_keys_are_no_terms_and_a_query_that_sees_nobody_has_none():
    t = trace(BLIND)
    assert t.sees_nobody.tolist() == [False, False, False, True]
    for j in range(4):
        assert work(t, "weights", 1, 3, j).why is Why.BLIND
    assert work(t, "weights", 0, 0, 3).why is Why.UNSEEN
    assert len(work(t, "weights", 0, 0, 1).lines[0][0].below.terms) == 2
    assert work(t, "masked", 0, 0, 3).why is Why.HIDDEN
    assert work(t, "masked", 0, 0, 1).why is Why.KEPT
    assert work(t, "context", 1, 3, 0).lines[-1][-1].number == 0


def test_a_hidden_value_has_no_part_in_a_context_whatever_it_is():
    t = trace(Settings(d_model=6, n_heads=3, scale="sqrt_d_k", mask=("causal",)))
    values = t.v.copy()
    values[:, -1] = np.nan

    class Of:
        steps = t.steps
        arrays = dict(t.arrays) | {"values": values}

    found = worked(Of, step(t, "context"), (0, 0, 1))
    assert found.lines[1][0].terms[-1].factors[1].number == 0
    np.testing.assert_allclose(found.lines[-1][-1].number, t.context[0, 0, 1], **CLOSE)


def test_the_average_is_that_of_its_terms():
    t = trace(Settings(text="a b c", n_heads=2, qkv=True))
    assert matrix_of(t, "weights", None)[1, 2] == pytest.approx(t.weights[:, 1, 2].mean())


def test_a_sum_is_taken_from_left_to_right():
    """As it stands on paper, and as every Python adds: not corrected for its rounding."""
    terms = Sum((Number(1e16), Number(1.0), Number(-1e16)))
    assert value(terms) == 0
    assert value(Written("x", 3.0)) == 3
    assert Worked(((Number(1.0),),)).fits


def test_what_a_cell_feeds_is_exactly_what_is_made_of_it():
    """Each operation's way up is the inverse of its way down, cell by cell."""
    met = set()
    for name, settings in (SMALL | TODAY).items():
        run_ = run(name, settings)
        if structure(run_) in met:
            continue
        met.add(structure(run_))
        t, names = run_.trace, {step.name for step in run_.trace.steps}
        for step in t.steps:
            out, inputs = t.arrays[step.name], step.operation.inputs
            given = [t.arrays[input_] for input_ in inputs]
            down = {
                cell: step.operation.operands(cell_of(cell), *given)
                for cell in np.ndindex(out.shape)
            }
            for which in (n for n, input_ in enumerate(inputs) if input_ in names):
                for here in np.ndindex(given[which].shape):
                    up = product(*step.operation.readers(which, cell_of(here), out, *given))
                    below = {
                        cell
                        for cell, parts in down.items()
                        if all(n in part for n, part in zip(here, parts[which], strict=True))
                    }
                    assert set(up) == below, (name, step.name, inputs[which], here)
