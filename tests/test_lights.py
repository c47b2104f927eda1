"""The cells that are lit beside a picked number are those it is computed from, and no others."""

from functools import cache
from itertools import product

import numpy as np
from caption_reader import CaptionReader
from experiments import PAIRS, SMALL, TODAY
from reading import array, caption, is_given, lit, openable, run, some_cells, steps, structure

from explorer.operations.matrices import Role
from explorer.settings import Settings
from explorer.trace import trace
from explorer.view import View
from explorer.walks import Light, lights

HEADS = Settings(text="a b a", d_model=6, n_heads=3, scale="sqrt_d_k")
SIZES = Settings(text="a b", d_model=3, n_heads=2, qkv=True, d_k=4, d_v=5, scale="sqrt_d_k")
NUDGE = 1e-3


def depends(run_, step, head):
    """By earlier step: which of its cells change which cell of a step, by the step's formula.

    The cells that change come first, (rows, columns), then those that are changed.
    """
    formula = caption(run_, step, head, turned=False).formula
    if is_given(step) or r"\in \mathbb" in formula:
        return {}
    right = formula.split(" = ", 1)[-1]
    shapes = tuple((s, array(run_, s, head).shape) for s in steps(run_, head))
    return _depends(right, shapes, len(run_.heads), head)


@cache
def _depends(formula, shapes, n_heads, head):
    """Found by nudging one cell after the other, where nothing is 0 or hidden by chance."""
    draw = np.random.default_rng(0)
    drawn = {step: draw.uniform(0.5, 2, shape) for step, shape in shapes}
    n_words = len(drawn["embeddings"])

    def read(numbers):
        other = drawn["context"] * 0.5  # of a head that is not on show
        reader = CaptionReader(
            lambda step, h: other if step == "context" and h != head else numbers[step],
            np.ones((n_words, n_words), dtype=bool),
            n_heads,
            head,
            first_place=1,
        )
        return reader.read(formula), reader.asked

    before, asked = read(drawn)
    found = {}
    for step in asked:
        shape = drawn[step].shape
        nudged = drawn[step] + NUDGE * np.eye(drawn[step].size).reshape(-1, *shape)
        after, _ = read(drawn | {step: nudged})
        found[step] = (abs(after - before) > 1e-9).reshape(*shape, *before.shape)
    return found


def cells_lit(run_, view):
    """Which cells are lit as operands, by step."""
    shapes = {step: array(run_, step, view.head).shape for step in steps(run_, view.head)}
    found = {}
    for step, blocks in lit(run_, view).items():
        cells_ = np.zeros(shapes[step], dtype=bool)
        for rows, columns in blocks:
            assert cells_[rows, columns].size, "inside its matrix"
            cells_[rows, columns] = True
        found[str(step)] = cells_.tobytes()
    return found


def test_exactly_what_a_number_is_made_of_is_lit():
    seen, walked = set(), set()
    for count, (name, settings) in enumerate((SMALL | TODAY).items()):
        run_ = run(name, settings)
        if structure(run_) in walked:
            continue
        walked.add(structure(run_))
        for head in run_.heads:
            made_of = {step: depends(run_, step, head) for step in steps(run_, head)}
            for view, (i, c) in some_cells(run_, head, count):
                operands = {str(s): cells_[:, :, i, c] for s, cells_ in made_of[view.step].items()}
                want = {s: cells_.tobytes() for s, cells_ in operands.items() if cells_.any()}
                assert cells_lit(run_, view) == want, (name, str(view.step), head, (i, c))
                seen.add(view.step)
    every = (SMALL | TODAY).items()
    assert seen == {s for name, settings in every for s in openable(run(name, settings), 0)}


def test_the_query_s_row_and_the_picked_cell_are_lit_in_every_matrix_of_words():
    for name, settings in PAIRS.items():
        run_ = run(name, settings)
        query, head = len(settings.tokens) - 1, run_.heads[-1]
        for step, column in product(steps(run_, head), (0, -1)):
            if is_given(step):
                continue
            column %= array(run_, step, head).shape[1]
            view = View(step=step, query=query, head=head, key=column, feature=column)
            found = lights(trace(settings), view)
            assert tuple(found) == steps(run_, head), name
            for other, lights_ in found.items():
                own = [x for x in lights_ if x.role in (Role.ROW, Role.PICKED)]
                width = array(run_, other, head).shape[1]
                row = Light(Role.ROW, (query, query), (0, width - 1))
                picked = Light(Role.PICKED, (query, query), (column, column))
                want = [] if is_given(other) else [row, picked] if other == step else [row]
                assert own == want, (name, step, other)


def test_what_belongs_to_queries_keys_and_values_is_lit_as_theirs():
    settings = Settings(text="a b", qkv=True, position="rotary")
    roles = {
        "queries": ("w_q", Role.QUERY),
        "keys": ("w_k", Role.KEY),
        "values": ("w_v", Role.VALUE),
        "turned_queries": ("queries", Role.QUERY),
        "turned_keys": ("keys", Role.KEY),
        "context": ("values", Role.VALUE),
    }
    for step, (operand, role) in roles.items():
        found = lights(trace(settings), View(step=step, query=1))[operand]
        assert [x.role for x in found if x.role is not Role.ROW] == [role]


def test_an_output_without_a_matrix_comes_from_one_cell_of_one_head():
    settings = SIZES
    for feature in range(settings.d_joined):
        views = (View(head=h, step="output", feature=feature) for h in range(settings.n_heads))
        found = [light for view in views for light in lights(trace(settings), view)["context"]]
        operands = [light.columns for light in found if light.role is Role.OPERAND]
        assert operands == [(feature % 5, feature % 5)]


def test_scores_by_hand():
    """Head 1 of two takes features 2 and 3 of the embeddings as its queries and keys."""
    settings = Settings(text="a b c", d_model=4, n_heads=2)
    found = lights(trace(settings), View(query=0, key=2, head=1, step="scores"))
    assert found["embeddings"] == [
        Light(Role.ROW, (0, 0), (0, 3)),
        Light(Role.QUERY, (0, 0), (2, 3)),
        Light(Role.KEY, (2, 2), (2, 3)),
    ]
    assert found["scores"] == [
        Light(Role.ROW, (0, 0), (0, 2)),
        Light(Role.PICKED, (0, 0), (2, 2)),
    ]
    assert found["weights"] == [Light(Role.ROW, (0, 0), (0, 2))]


def test_of_the_average_over_heads_only_the_picked_weight_is_lit():
    """It is made of cells of other heads, which are not on show."""
    settings = HEADS
    found = lights(trace(settings), View(head=None, query=1, key=2))
    assert tuple(found) == steps(run("", settings), None)
    roles = {light.role for lights_ in found.values() for light in lights_}
    assert roles == {Role.ROW, Role.PICKED}
    assert Light(Role.PICKED, (1, 1), (2, 2)) in found["weights"]
