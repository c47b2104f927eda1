"""The steps of a trained layer: gradients, cells, arithmetic and programs, against other means."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from explorer.masks import causal
from explorer.operations.operation import NUMPY, TORCH, Sheet, cell_of
from explorer.operations.terms import value
from explorer.pipeline.run import Again, gradients, run
from explorer.pretrained.layer import KEPT, LayerWeights, layer_steps
from explorer.pretrained.operations import Activate, Linear, Normal
from explorer.pretrained.parts import ACTIVATIONS, Norm
from explorer.pretrained.parts import Linear as Projection
from explorer.rendering.panel import worked

N_TOKENS, N_HEADS, C, N_NEURONS = 4, 2, 6, 5
LAYERS = [
    pytest.param(name, norm_first, id=f"{name}-{'gpt2' if norm_first else 'bert'}")
    for name, norm_first in (("gelu", False), ("gelu_new", True), ("relu", False), ("relu", True))
]
EPSILON = 1e-3
OURS = (Linear, Normal, Activate)


def weights():
    rng = np.random.default_rng(8)

    def linear(n_in, n_out):
        return Projection(rng.standard_normal((n_in, n_out)), rng.standard_normal(n_out))

    def norm():
        return Norm(rng.standard_normal(C), rng.standard_normal(C), EPSILON)

    return LayerWeights(
        qkv=linear(C, 3 * C),
        out=linear(C, C),
        norm_1=norm(),
        widen=linear(C, N_NEURONS),
        narrow=linear(N_NEURONS, C),
        norm_2=norm(),
    )


class Passed:
    """A layer in float64 with all its numbers."""

    def __init__(self, activation="gelu", norm_first=False):
        self.learned = weights()
        self.steps = layer_steps(self.learned, N_HEADS, ACTIVATIONS[activation], norm_first)
        x = np.random.default_rng(9).standard_normal((N_TOKENS, C))
        self.given = {"entering": x, "visible": causal(N_TOKENS)}
        self.arrays = run(self.steps, self.given)


@pytest.fixture(params=[False, True], ids=["bert", "gpt2"])
def passed(request):
    return Passed(norm_first=request.param)


def of_torch(w, x, activation, norm_first):
    """The layer as PyTorch computes it."""

    def linear(part, x):
        return F.linear(x, torch.tensor(part.w.T), torch.tensor(part.b))

    def norm(part, x):
        return F.layer_norm(x, (C,), torch.tensor(part.gain), torch.tensor(part.shift), EPSILON)

    def heads(y):
        return y.view(N_TOKENS, N_HEADS, -1).transpose(0, 1)

    activate = {
        "gelu": F.gelu,
        "gelu_new": lambda u: F.gelu(u, approximate="tanh"),
        "relu": F.relu,
    }[activation]
    q, k, v = map(heads, linear(w.qkv, norm(w.norm_1, x) if norm_first else x).split(C, dim=-1))
    context = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    z = x + linear(w.out, context.transpose(0, 1).reshape(N_TOKENS, C))
    z = z if norm_first else norm(w.norm_1, z)
    fed = linear(w.narrow, activate(linear(w.widen, norm(w.norm_2, z) if norm_first else z)))
    return z + fed if norm_first else norm(w.norm_2, z + fed)


@pytest.mark.parametrize(("activation", "norm_first"), LAYERS)
def test_a_layer_and_its_way_back_are_those_of_pytorch(activation, norm_first):
    t = Passed(activation, norm_first)
    x = torch.tensor(t.arrays["entering"], requires_grad=True)
    theirs = of_torch(t.learned, x, activation, norm_first)
    # PyTorch has the exact GELU in float64, we the share of a normal distribution for float32.
    np.testing.assert_allclose(t.arrays["hidden"], theirs.detach(), rtol=0, atol=3e-6)
    asked = np.random.default_rng(2).standard_normal((N_TOKENS, C))
    theirs.backward(torch.tensor(asked))
    found = gradients(t.steps, t.arrays, {"hidden": asked})["entering"]
    np.testing.assert_allclose(found, x.grad, rtol=0, atol=1e-5 * np.abs(found).max())


def ours(t):
    return [step for step in t.steps if isinstance(step.operation, OURS)]


def test_a_cell_is_made_of_what_moves_it(passed):
    """Each number that comes in is moved, and who moves with it is noted."""
    for step in ours(passed):
        (name,) = step.operation.inputs
        given, out = passed.arrays[name], passed.arrays[step.name]
        for cell in np.ndindex(given.shape):
            other = given.copy()
            other[cell] += 0.5
            moved = set(map(tuple, np.argwhere(step.operation.run(other) != out).tolist()))
            read = set(itertools.product(*step.operation.readers(0, cell_of(cell), out, given)))
            made_of = {
                there
                for there in np.ndindex(out.shape)
                if all(
                    n in part
                    for n, part in zip(
                        cell, step.operation.operands(cell_of(there), given)[0], strict=True
                    )
                )
            }
            assert moved == read == made_of, (step.name, cell)


def test_the_arithmetic_of_every_cell_comes_to_its_number(passed):
    for step in ours(passed):
        out = passed.arrays[step.name]
        for cell in np.ndindex(out.shape):
            work = worked(passed, step, cell)
            for term in itertools.chain(*work.lines):
                assert value(term) == pytest.approx(out[cell], rel=1e-9, abs=1e-12), step.name


def test_the_signs_of_a_projection_name_the_learned_numbers(passed):
    """Feature 1 of head 2 is column 4 of W_Q."""
    step = next(step for step in passed.steps if step.name == "queries")
    signs = worked(passed, step, (1, 2, 0)).lines[0][0].latex
    letter = "x" if step.operation.x == "entering" else "n^{1}"
    assert signs == rf"\sum_n {letter}_{{3,n}}\,w^{{Q}}_{{n,4}} + b^{{Q}}_{{4}}"


def learned_by_name(w, array):
    """What a program calls the learned numbers."""
    named = {"Q": w.third(0), "K": w.third(1), "V": w.third(2), "O": w.out}
    named |= {"1": w.widen, "2": w.narrow}
    found = {f"W_{letter}": array(part.w.copy()) for letter, part in named.items()}
    found |= {f"b_{letter}": array(part.b.copy()) for letter, part in named.items()}
    for letter, norm in (("1", w.norm_1), ("2", w.norm_2)):
        found |= {f"gain_{letter}": array(norm.gain), f"shift_{letter}": array(norm.shift)}
    return found


@pytest.mark.parametrize("library", [NUMPY, TORCH], ids=lambda library: library.name)
@pytest.mark.parametrize(("activation", "norm_first"), LAYERS)
def test_the_lines_of_a_program_compute_the_step(activation, norm_first, library):
    t = Passed(activation, norm_first)
    array = torch.tensor if library is TORCH else np.array
    for step in ours(t):
        operation, out = step.operation, t.arrays[step.name]
        given = t.arrays[operation.inputs[0]]
        names = {"np": np, "torch": torch, "x": array(given)} | learned_by_name(t.learned, array)
        lines = operation.helper(library, (out, given))
        lines += operation.program("y", "x", library=library, arrays=(out, given))
        exec("\n".join(lines), names)
        # A program deals features out to heads as it takes each head.
        whole = np.hstack([*out]) if getattr(operation, "n_heads", None) else out
        np.testing.assert_allclose(np.asarray(names["y"]), whole, rtol=0, atol=1e-6)


def test_formulas_in_both_orientations():
    t = Passed()
    steps = {step.name: step.operation for step in t.steps}

    def written(name, *symbols):
        sheets = (Sheet(turned, (2, 2), 0, N_HEADS) for turned in (False, True))
        return [steps[name].formula(*symbols, sheet=sheet) for sheet in sheets]

    assert written("queries", "Q", "X") == [
        "Q = X W_{Q,h} + b_{Q,h}",
        r"{Q}^\top = {W_{Q,h}}^\top {X}^\top + {b_{Q,h}}^\top",
    ]
    assert written("attended", "O", "Y")[0] == "O = Y W_{O} + b_{O}"
    assert written("middle", "Z", "S_1") == [
        r"Z = \mathrm{norm}(S_1)",
        r"{Z}^\top = \mathrm{norm}_{\text{of each column}}({S_1}^\top)",
    ]
    assert written("activated", "G", "U") == [
        r"G = \mathrm{GELU}(U)",
        r"{G}^\top = \mathrm{GELU}({U}^\top)",
    ]


# What is kept


def test_what_is_not_kept_goes_and_comes_again_to_the_last_bit(passed):
    kept = run(passed.steps, passed.given, keep=KEPT)
    assert set(kept) == set(KEPT)
    again = Again(passed.steps, kept)
    assert set(again) == set(passed.arrays)
    assert len(again) == len(passed.arrays)
    for name, array in passed.arrays.items():
        np.testing.assert_array_equal(again[name], array)
    with pytest.raises(KeyError, match="nobody"):
        again["nobody"]
