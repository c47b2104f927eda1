"""The pipeline holds what attention.py says, forwards; and what PyTorch says, backwards."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import experiments

from explorer.attention import attend
from explorer.operations import matrices as m
from explorer.operations.basic import DivideByRoot, Given, Heads, Mix, Normalise, Score
from explorer.operations.normalisers import NORMALISERS
from explorer.operations.operation import cell_of
from explorer.operations.steps import Step
from explorer.pipeline.run import gradients, run
from explorer.trace import trace

SEED = st.integers(0, 2**32 - 1)


@given(experiments())
def test_the_pipeline_is_attend_to_the_last_bit(settings):
    t = trace(settings)
    expected = attend(
        t.q_turned,
        t.k_turned,
        t.v,
        scale=settings.factor,
        visible=settings.visible,
        bias=t.bias,
        temperature=settings.temperature,
        share_out=NORMALISERS[settings.rule].weights,
    )
    for step in ("scores", "scaled", "biased", "cooled", "masked", "weights", "context"):
        np.testing.assert_array_equal(getattr(t, step), getattr(expected, step), err_msg=step)


def meeting(n_heads, shared_by, d):
    """Queries that meet keys and values of fewer heads, and of another sentence."""
    return (
        Step(m.QUERIES, Given(), by_head=True),
        Step(replace(m.KEYS, name="memory"), Given()),
        Step(m.KEYS, Heads("memory", n_heads // shared_by, shared_by), by_head=True, shown=False),
        Step(m.SCORES, Score("queries", "keys"), by_head=True),
        Step(m.SCALED, DivideByRoot("scores", d), by_head=True),
        Step(m.WEIGHTS, Normalise("scaled", "softmax"), by_head=True),
        Step(m.CONTEXT, Mix("weights", "keys"), by_head=True),
    )


@pytest.mark.parametrize(("n_heads", "shared_by"), [(1, 1), (4, 1), (4, 2), (4, 4), (6, 3)])
@pytest.mark.parametrize(("n_queries", "n_keys"), [(3, 3), (2, 5), (5, 1)])
def test_queries_and_keys_may_be_of_unequal_number(n_heads, shared_by, n_queries, n_keys):
    rng, d = np.random.default_rng(n_keys), 2
    q = rng.normal(size=(n_heads, n_queries, d))
    memory = rng.normal(size=(n_keys, n_heads // shared_by * d))
    visible = rng.random((n_queries, n_keys)) < 0.7
    given_ = {"queries": q, "memory": memory, "visible": visible}
    steps = meeting(n_heads, shared_by, d)
    arrays = run(steps, given_)
    own = memory.reshape(n_keys, -1, d).swapaxes(0, 1)
    expected = attend(q, own, own)
    np.testing.assert_array_equal(arrays["weights"], expected.weights)
    np.testing.assert_array_equal(arrays["context"], expected.context)
    # The key of the last head, read by its whole group: its gradient is the sum of theirs.
    back = gradients(steps, arrays, {"context": np.ones_like(arrays["context"])})
    assert back["memory"].shape == memory.shape


@given(experiments(), SEED)
def test_what_reads_a_cell_is_the_inverse_of_what_a_cell_is_made_of(settings, seed):
    t, rng = trace(settings), np.random.default_rng(seed)
    for step in t.steps:
        out = t.arrays[step.name]
        names = step.operation.inputs
        inputs = [t.arrays[name] for name in names]
        if not out.size or not names:
            continue
        cells = [tuple(map(int, rng.integers(0, out.shape))) for _ in range(3)]
        for which, array in enumerate(inputs):
            mine = {cell: step.operation.operands(cell_of(cell), *inputs)[which] for cell in cells}
            for place in product(*map(range, array.shape)):
                readers = step.operation.readers(which, cell_of(place), out, *inputs)
                for cell, block in mine.items():
                    is_operand = all(n in part for n, part in zip(place, block, strict=True))
                    reads = all(n in part for n, part in zip(cell, readers, strict=True))
                    assert is_operand == reads, (step.name, names[which], cell, place)


@given(experiments(), SEED)
def test_the_way_back_is_that_of_pytorch(settings, seed):
    """Every gradient, of a random mixture of all numbers that come out."""
    torch = pytest.importorskip("torch")
    from explorer import twin

    t = trace(settings)
    if t.sees_nobody.any() or not t.output.size or not np.isfinite(t.weights).all():
        return  # PyTorch's softmax over nothing is NaN, and so is its gradient
    asked = np.random.default_rng(seed).normal(size=t.output.shape)
    found = gradients(t.steps, t.arrays, {"output": asked})

    leaves = {
        name: torch.tensor(t.arrays[name], requires_grad=True)
        for name in ("embeddings", "w_q", "w_k", "w_v", "w_o")
        if name in t.arrays
    }
    n_tokens = len(t.tokens)
    x = leaves["embeddings"] + twin.added_positions(settings, *t.x.shape)

    def split(rows):
        return rows.unflatten(-1, (settings.n_heads, -1)).transpose(0, 1)

    made = (x @ leaves[name] if settings.qkv else x for name in ("w_q", "w_k", "w_v"))
    q, k, v = map(split, made)
    if settings.position == "rotary":
        q, k = twin.turned(q, settings), twin.turned(k, settings)
    scale = twin.scale_of(settings, q.shape[-1]) / settings.temperature
    bias = twin.distance_bias(settings, n_tokens) / settings.temperature
    attend_ = twin.by_total if settings.rule == "total" else twin.three_lines
    _, context = attend_(q, k, v, scale, twin.may_see(settings, n_tokens), bias)
    joined = context.transpose(0, 1).flatten(-2)
    output = joined @ leaves["w_o"] if "w_o" in leaves else joined
    (output * torch.tensor(asked)).sum().backward()
    for name, leaf in leaves.items():
        np.testing.assert_allclose(
            found[name], leaf.grad.numpy(), rtol=1e-9, atol=1e-9, err_msg=name
        )
