"""The cells that are lit beside a picked number are those it is computed from, and no others."""

from itertools import product

import numpy as np
import pytest
from explorer.lights import Light, Role, lights

from explorer.attention import softmax
from explorer.examples import EXAMPLES
from explorer.settings import Settings
from explorer.trace import trace
from explorer.view import PAIRS, Step, View, steps

CLOSE = {"rtol": 1e-12, "atol": 1e-13}
MASKS = ("causal", "padding")
SETTINGS = {
    "warm_mat": EXAMPLES["warm_mat"].settings,
    "journey_qkv": EXAMPLES["journey_qkv"].settings,
    "masked": Settings(text="a b c d", mask=MASKS, scale="sqrt_d_k"),
    "masked raw": Settings(text="a b c d", mask=("window", "padding"), pad=2),
    "heads": Settings(text="a b a", d_model=6, n_heads=3, scale="sqrt_d_k"),
    "heads qkv": Settings(text="a b a", d_model=4, n_heads=2, qkv=True, mask=MASKS),
    "sizes": Settings(text="a b", d_model=3, n_heads=2, qkv=True, d_k=4, d_v=5, scale="sqrt_d_k"),
}
GIVEN = (Step.W_Q, Step.W_K, Step.W_V, Step.W_O)


@pytest.fixture(params=SETTINGS)
def settings(request):
    return SETTINGS[request.param]


def matrices(t, head):
    """The numbers of every chart, by its key."""
    of_all = {"embeddings": t.x, "w_q": t.w_q, "w_k": t.w_k, "w_v": t.w_v, "w_o": t.w_o}
    of_head = {"queries": t.q, "keys": t.k, "values": t.v, "scores": t.scores, "scaled": t.scaled}
    of_head |= {"masked": t.masked, "weights": t.weights, "context": t.context}
    return of_all | {"output": t.output} | {name: of_head[name][head] for name in of_head}


def picks(settings):
    """A view with every cell of every computed matrix picked in turn."""
    t = trace(settings)
    for head, step in product(range(t.n_heads), steps(settings)):
        if step not in GIVEN:
            for row, column in product(*map(range, matrices(t, head)[step].shape)):
                at = {"key": column} if step in PAIRS else {"feature": column}
                yield View(head=head, step=step, query=row, **at), row, column


def blocks(lit, numbers):
    """The numbers under the lights of each role but the query's row, in reading order."""
    found = {}
    for chart, lights_ in lit.items():
        for light in lights_:
            if light.role is not Role.ROW:
                (top, bottom), (left, right) = light.rows, light.columns
                block = numbers[chart][top : bottom + 1, left : right + 1]
                assert block.shape == (bottom - top + 1, right - left + 1), "inside its matrix"
                found.setdefault(light.role, []).append(block)
    return found


def test_the_lit_cells_give_the_picked_number(settings):
    t = trace(settings)
    for view, row, column in picks(settings):
        numbers = matrices(t, view.head)
        found = blocks(lights(settings, view), numbers)
        (picked,) = found.pop(Role.PICKED)
        assert picked == numbers[view.step][row, column]
        computed = combine(t, settings, view, found)
        if computed is not None:
            np.testing.assert_allclose(computed, picked, **CLOSE)


def combine(t, settings, view, found):
    """What the lit numbers make together; None where nothing on show makes the picked one."""
    operands = found.get(Role.OPERAND, [])
    if view.step is Step.EMBEDDINGS:
        assert found == {}
        return None
    if view.step is Step.SCORES:
        assert found.keys() == {Role.QUERY, Role.KEY}
        return found[Role.QUERY][0] @ found[Role.KEY][0].T
    if view.step is Step.SCALED:
        return operands[0] * t.factor
    if view.step is Step.MASKED:
        return operands[0] if t.visible[view.query, view.key] else -np.inf
    if view.step is Step.WEIGHTS:
        return softmax(operands[0])[:, [view.key]]
    if view.step is Step.CONTEXT:
        return operands[0] @ found[Role.VALUE][0]
    if view.step in (Step.QUERIES, Step.KEYS, Step.VALUES):
        role = {"queries": Role.QUERY, "keys": Role.KEY, "values": Role.VALUE}[view.step]
        assert found.keys() == {Role.OPERAND, role}
        return operands[0] @ found[role][0]
    assert view.step is Step.OUTPUT
    if settings.has_w_o:
        context, w_o = operands
        np.testing.assert_array_equal(context, t.context[view.head, [view.query]])
        # Of the joined heads only one is on show, so its part of the sum is all there is to see.
        if t.n_heads == 1:
            return context @ w_o
        np.testing.assert_array_equal(w_o, t.w_o[:, [view.feature]])
        return None
    return operands[0] if view.feature // settings.d_value == view.head else None


def test_an_output_without_a_matrix_comes_from_one_cell_of_one_head():
    settings = SETTINGS["sizes"]
    for feature in range(settings.d_joined):
        views = (View(head=h, step=Step.OUTPUT, feature=feature) for h in range(settings.n_heads))
        lit = [light for view in views for light in lights(settings, view)["context"]]
        operands = [light.columns for light in lit if light.role is Role.OPERAND]
        assert operands == [(feature % 5, feature % 5)]


def test_scores_by_hand():
    """Head 1 of two takes features 2 and 3 of the embeddings as its queries and keys."""
    settings = Settings(text="a b c", d_model=4, n_heads=2)
    lit = lights(settings, View(query=0, key=2, head=1, step=Step.SCORES))
    assert lit["embeddings"] == [
        Light(Role.ROW, (0, 0), (0, 3)),
        Light(Role.QUERY, (0, 0), (2, 3)),
        Light(Role.KEY, (2, 2), (2, 3)),
    ]
    assert lit["scores"] == [
        Light(Role.ROW, (0, 0), (0, 2)),
        Light(Role.PICKED, (0, 0), (2, 2)),
    ]
    assert lit["weights"] == [Light(Role.ROW, (0, 0), (0, 2))]


def test_the_querys_row_is_lit_in_every_matrix_of_words(settings):
    numbers = matrices(trace(settings), 0)
    lit = lights(settings, View(query=1))
    assert tuple(lit) == steps(settings)
    for step, lights_ in lit.items():
        rows = [light for light in lights_ if light.role is Role.ROW]
        whole = Light(Role.ROW, (1, 1), (0, numbers[step].shape[1] - 1))
        assert rows == ([] if step in GIVEN else [whole])


def test_no_light_lies_outside_its_matrix(settings):
    numbers = matrices(trace(settings), 0)
    for step, query in product(steps(settings), range(len(settings.tokens))):
        for chart, lights_ in lights(settings, View(step=step, query=query)).items():
            n_rows, n_columns = numbers[chart].shape
            for light in lights_:
                assert 0 <= light.rows[0] <= light.rows[1] < n_rows
                assert 0 <= light.columns[0] <= light.columns[1] < n_columns


def test_of_the_average_over_heads_only_the_picked_weight_is_lit():
    """It is made of cells of other heads, which are not on show."""
    settings = SETTINGS["heads"]
    lit = lights(settings, View(head=None, query=1, key=2))
    assert tuple(lit) == steps(settings, None)
    roles = {light.role for lights_ in lit.values() for light in lights_}
    assert roles == {Role.ROW, Role.PICKED}
    assert Light(Role.PICKED, (1, 1), (2, 2)) in lit["weights"]
