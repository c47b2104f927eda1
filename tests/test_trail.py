"""From any number one can walk down to what is given and up to the end, step by step."""

from functools import cache

from experiments import OTHER, PAIRS, SMALL, TODAY
from reading import (
    array,
    cell,
    cells,
    feeds,
    lit,
    made_of,
    openable,
    run,
    some_cells,
    steps,
    structure,
)

GIVEN = ("embeddings", "positions", "bias")
"""Where a walk down ends: numbers that are made of no other number on the page."""


@cache
def walks():
    """Numbers that can be opened, each with its experiment, those below it and those above."""
    found, walked = [], set()
    for count, (name, settings) in enumerate((SMALL | TODAY | PAIRS).items()):
        run_ = run(name, settings)
        if structure(run_) in walked:
            continue
        walked.add(structure(run_))
        for head in run_.heads:
            for here, _ in some_cells(run_, head, count):
                found.append((run_, here, made_of(run_, here), feeds(run_, here)))
    return found


def where(run_, view_):
    return run_.name, str(view_.step), view_.head, cell(view_)


def test_every_step_of_the_walk_is_a_number_that_is_there():
    for run_, here, below, above in walks():
        order = steps(run_, here.head)
        for places, later in ((below, False), (above, True)):
            for there in places:
                assert there.step in openable(run_, there.head), where(run_, here)
                n_rows, n_columns = array(run_, there.step, there.head).shape
                row, column = cell(there)
                assert 0 <= row < n_rows, where(run_, here)
                assert 0 <= column < n_columns, where(run_, here)
                moved = order.index(there.step) - order.index(here.step)
                assert moved > 0 if later else moved < 0, where(run_, here)


def test_the_walk_ends_at_given_numbers_and_at_the_last_step():
    """Each step of it goes on in the order of computing, so it does end."""
    for run_, here, below, above in walks():
        assert bool(below) == (here.step not in GIVEN), where(run_, here)
        last = steps(run_, here.head)[-1]
        assert bool(above) == (here.step != last), where(run_, here)


def test_up_is_the_inverse_of_down():
    """A walk names one number of each kind, so it is held by kind."""
    for run_, here, below, above in walks():
        for places, back in ((below, feeds), (above, made_of)):
            for there in places:
                kinds = {again.step for again in back(run_, there)}
                assert here.step in kinds, (where(run_, here), where(run_, there))


def test_the_walk_goes_along_the_lights():
    """Down to a number of every kind that is lit; up to numbers for which this one is lit.

    Where there is something of everything: all masks and a temperature.
    """
    rich = [
        walk
        for walk in walks()
        if "all masks" in walk[0].name and walk[0].settings.temperature == OTHER
    ]
    assert rich
    for run_, here, below, above in rich:
        lit_ = lit(run_, here)
        kinds = {step for step in lit_ if step in openable(run_, here.head)}
        assert {there.step for there in below} >= kinds, where(run_, here)
        for there in below:
            if there.head == here.head:  # of another head nothing is on show
                assert is_lit(lit_, there), (where(run_, here), where(run_, there))
        for there in above:
            assert is_lit(lit(run_, there), here), (where(run_, here), where(run_, there))


def is_lit(lit_, view_):
    row, column = cell(view_)
    return any(
        rows.start <= row < rows.stop and columns.start <= column < columns.stop
        for rows, columns in lit_.get(view_.step, [])
    )


def test_an_average_is_made_of_no_one_number():
    for name, settings in PAIRS.items():
        run_ = run(name, settings)
        for view_, _ in cells(run_, None) if settings.n_heads > 1 else ():
            if view_.step == "weights":
                assert made_of(run_, view_) == feeds(run_, view_) == []
