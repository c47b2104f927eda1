"""The programs taken home run anywhere, and compute what the page computes."""

import json
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest
from experiments import PAIRS
from hypothesis import HealthCheck, given
from hypothesis import settings as how
from strategies import experiments

from explorer.examples import EXAMPLES
from explorer.rendering.programs import numpy_script, torch_script
from explorer.settings import Mask, Scale, Settings
from explorer.trace import trace

NEEDS_TORCH = pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed.")


def run(script):
    """What a program has computed when it is done; its asserts have held."""
    names = {}
    exec(compile(script, "taken home", "exec"), names)
    return names


def agrees(names, t):
    weights, context = np.asarray(names["A"]), np.asarray(names["Y"])
    np.testing.assert_allclose(weights.reshape(t.weights.shape), t.weights, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(context, t.joined, rtol=1e-9, atol=1e-12)
    if t.w_o is not None:
        np.testing.assert_allclose(np.asarray(names["output"]), t.output, rtol=1e-9, atol=1e-12)
    assert names["tokens"] == list(t.tokens)


_RUNNER = """
import json, sys
for program in json.load(sys.stdin):
    exec(compile(program, "taken home", "exec"), {})
"""


@pytest.mark.parametrize("make", [numpy_script, pytest.param(torch_script, marks=NEEDS_TORCH)])
def test_many_programs_run_in_a_process_that_knows_nothing_of_us(make, tmp_path):
    """Their own asserts hold them to the weights and context vectors of our trace."""
    programs = []

    @given(experiments().filter(lambda settings: settings.tokens))
    @how(max_examples=60, database=None)
    def collect(settings):
        programs.append(make(trace(settings), settings))

    collect()
    done = subprocess.run(
        [sys.executable, "-c", _RUNNER],
        cwd=tmp_path,
        input=json.dumps(programs),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("The same weights") == len(programs) >= 60


@given(experiments().filter(lambda settings: settings.tokens))
def test_the_numpy_program_computes_every_experiment(settings):
    t = trace(settings)
    agrees(run(numpy_script(t, settings)), t)


@NEEDS_TORCH
@given(experiments().filter(lambda settings: settings.tokens))
@how(suppress_health_check=[HealthCheck.too_slow])
def test_the_pytorch_program_computes_every_experiment(settings):
    t = trace(settings)
    agrees(run(torch_script(t, settings)), t)


@pytest.mark.parametrize("make", [numpy_script, pytest.param(torch_script, marks=NEEDS_TORCH)])
def test_the_programs_compute_every_experiment_of_the_table(make):
    for name, settings in PAIRS.items():
        t = trace(settings)
        try:
            agrees(run(make(t, settings)), t)
        except Exception as problem:
            raise AssertionError(name) from problem


@pytest.mark.parametrize("make", [numpy_script, pytest.param(torch_script, marks=NEEDS_TORCH)])
def test_a_total_of_0_is_no_number_in_the_program_either(make):
    settings = Settings(text="a b", d_model=2, x=((1.0, 0.0), (-1.0, 0.0)), rule="total")
    t = trace(settings)
    assert np.isnan(t.weights).all()
    assert np.isnan(np.asarray(run(make(t, settings))["A"])).all()


@pytest.mark.parametrize("make", [numpy_script, pytest.param(torch_script, marks=NEEDS_TORCH)])
def test_a_program_runs_in_a_process_of_its_own(make, tmp_path):
    settings = Settings(
        text="a “b” 'c' \\ <d>", d_model=6, n_heads=2, qkv=True, scale=Scale.SQRT_D_K,
        mask=(Mask.CAUSAL, Mask.WINDOW, Mask.PADDING), pad=2,
    )  # fmt: skip
    program = tmp_path / "attention.py"
    program.write_text(make(trace(settings), settings), encoding="utf-8")
    done = subprocess.run([sys.executable, program], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "The same weights" in done.stdout


@pytest.mark.parametrize("make", [numpy_script, pytest.param(torch_script, marks=NEEDS_TORCH)])
def test_a_program_notices_another_number(make):
    settings = EXAMPLES["bank_river"].settings
    script = make(trace(settings), settings)
    changed = script.replace("    [1, 0, 1, 0],", "    [1, 0, 1, 0.5],", 1)
    assert changed != script
    with pytest.raises(AssertionError):
        run(changed)


def test_a_program_needs_nothing_of_this_project():
    settings = EXAMPLES["journey_qkv"].settings
    script = numpy_script(trace(settings), settings)
    assert "explorer" not in script
    assert script.count("import ") == 1
