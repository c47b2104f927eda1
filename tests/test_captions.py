"""The formula beside each matrix, computed from the other matrices, gives that matrix."""

import re

import numpy as np
from caption_reader import CaptionReader
from experiments import PAIRS, SMALL, TODAY
from latex_reader import lines
from reading import array, caption, is_given, run, steps

CLOSE = {"rtol": 1e-9, "atol": 1e-11}
FOUR_DIGITS = {"rtol": 5e-4, "atol": 0}
"""To which the slope of ALiBi is printed."""
GIVEN = re.compile(r"(.+) \\in \\mathbb\{R\}\^\{(\d+) \\times (\d+)\}")
SIZE = re.compile(r"(\d+)(?: tokens| places)? × (\d+)(?: features)?")


def close(value, numbers, rtol, atol):
    """As `np.allclose`, in a tenth of the time."""
    same = value == numbers  # infinities too
    with np.errstate(invalid="ignore"):
        return (same | (np.abs(value - numbers) <= atol + rtol * np.abs(numbers))).all()


def is_computed(step):
    return not is_given(step) and step not in ("embeddings", "positions")


def readers(name, settings):
    """Every head, of the full product the last one, and their average, in both conventions."""
    run_ = run(name, settings)
    heads = run_.heads if name in PAIRS else run_.heads[-1:]
    for head in (*heads, *[None] * (len(run_.heads) > 1)):
        for turned in (False, True):
            reader = CaptionReader(
                lambda step, h: array(run_, step, h),
                run_.visible,
                settings.n_heads,
                head,
                turned,
                settings=settings,
            )
            yield run_, head, turned, reader


def equal_sides(formula):
    """What a formula says is equal; what "(S = ...)" says is no side of its own."""
    if "(S =" in formula:
        return formula.split(" = ", 1)
    (sides,) = lines(formula)
    return sides


def check_formula(said, run_, step, head, turned, reader):
    numbers = array(run_, step, head)
    drawn = numbers.T if turned else numbers
    if found := GIVEN.fullmatch(said.formula):
        assert (reader.read(found[1]) == drawn).all()
        assert tuple(map(int, found.groups()[1:])) == drawn.shape
        return
    *name, formula = equal_sides(said.formula)
    visible = run_.visible
    if name and "i,j" in name[0]:  # query i and key j, whichever way the matrix is drawn
        drawn = numbers
    elif turned:
        visible = visible.T
    for side in (*name, formula):
        reader.asked.clear()
        value = reader.read(side)
        if step == "weights" and head is not None:
            value = np.where(visible, value, 0)  # what is hidden weighs nothing
        assert value.shape == drawn.shape
        assert close(value, drawn, **(FOUR_DIGITS if step == "bias" else CLOSE))
    assert not (is_computed(step) and step in reader.asked), "made of itself"


def check_shapes(said, run_, step, head, turned, reader):
    numbers = array(run_, step, head)
    shape = numbers.shape[::-1] if turned else numbers.shape
    many = len(run_.heads) > 1
    of_head = step not in ("embeddings", "positions", "inputs", "output") and not is_given(step)
    shapes = said.shapes.removeprefix(f"head {head + 1}: ") if head is not None else said.shapes
    assert (shapes != said.shapes) == (many and head is not None and of_head)
    sizes = [tuple(map(int, size)) for size in SIZE.findall(shapes)]
    assert sizes[-1] == shape
    if "·" in shapes:
        factors = reader.factors(said.formula.split(" = ")[1])
        assert sizes[:-1] == [factor.shape for factor in factors]
    else:
        assert len(sizes) == 1
    rest = re.sub(r"^[^,]*", "", shapes)
    facts = {
        f", each times {run_.trace.factor:.4f}": step == "scaled",
        f", each divided by {run_.settings.temperature:g}": step == "cooled",
        f", {(~run_.visible).sum()} of {run_.visible.size} cells hidden": step == "masked",
        f", over {len(run_.heads)} heads": step == "weights" and head is None,
    }
    if found := re.fullmatch(r", the head’s slope is ([\d.]+)", rest):
        away = np.abs(np.subtract.outer(*[np.arange(len(numbers))] * 2))
        assert close(-float(found[1]) * away, numbers, **FOUR_DIGITS)
        assert step == "bias"
    elif "sums to 1" in rest:
        one = "column" if turned else "row"
        sees = run_.visible.any(axis=1)
        which = "" if sees.all() else "of a word that sees any "
        assert rest == f", each {one} {which}sums to 1"
        assert close(numbers[sees].sum(axis=1), 1, **CLOSE)
        assert step == "weights"
    elif rest:
        assert facts[rest]
    else:
        assert turned or not any(facts.values())


def check_question(said, turned):
    """Queries are rows, or where words are columns, columns."""
    for who, place in re.findall(r"(query|key) \((\w+)\)", said.question):
        assert place == ("row" if (who == "query") != turned else "column")


def test_every_caption_of_every_experiment_says_its_matrix():
    """What is said of the same numbers in the same words was read before."""
    seen = set()
    for name, settings in (SMALL | TODAY | PAIRS).items():
        for run_, head, turned, reader in readers(name, settings):
            for step in steps(run_, head):
                said = caption(run_, step, head, turned)
                numbers = array(run_, step, head)
                key = (said, step, head, turned, numbers.tobytes(), run_.visible.tobytes())
                if key in seen:
                    continue
                seen.add(key)
                try:
                    check_formula(said, run_, step, head, turned, reader)
                    check_shapes(said, run_, step, head, turned, reader)
                    check_question(said, turned)
                except Exception as problem:
                    where = (name, str(step), head, "columns" if turned else "rows")
                    raise AssertionError(f"{where}: {said.formula}; {said.shapes}") from problem
