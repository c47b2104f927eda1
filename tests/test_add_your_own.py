"""A normaliser, a position scheme and an operation from outside: all else follows."""

import io
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explorer import export
from explorer.link.codec import decode, encode
from explorer.link.experiment import experiment
from explorer.operations.matrices import BIAS, WEIGHTS
from explorer.operations.normalisers import NORMALISERS, Normaliser
from explorer.operations.operation import Operation
from explorer.operations.schemes import SCHEMES, Scheme
from explorer.operations.terms import Less, Number, Worked, Written, value
from explorer.rendering.captions import caption
from explorer.rendering.panel import panel
from explorer.rendering.programs import numpy_script, torch_script
from explorer.trace import trace
from explorer.view import View
from explorer.walks import drawn, feeds, lights, made_of

APP = Path(__file__).parents[1] / "streamlit_app.py"
LINK = {"text": "the cat sat", "qkv": "1", "rule": "sparse", "position": "log", "step": "weights"}


# Sparsemax: scores less a threshold, negative ones 0. Martins and Astudillo (2016).


def threshold(scores):
    """What is taken from each score of a row: (..., 1)."""
    ordered = -np.sort(-scores, axis=-1)
    finite = np.where(np.isneginf(ordered), 0, ordered)
    counts = np.arange(1, scores.shape[-1] + 1)
    over = (1 + counts * finite > finite.cumsum(axis=-1)) & ~np.isneginf(ordered)
    n = over.sum(axis=-1, keepdims=True)
    total = np.where(counts <= n, finite, 0).sum(axis=-1, keepdims=True)
    return (total - 1) / np.maximum(n, 1)


def sparsemax(scores):
    return np.where(np.isneginf(scores), 0, np.maximum(scores - threshold(scores), 0))


def work(scores, chosen):
    tau = float(threshold(np.array([score.number for score in scores]))[0])
    difference = Less(scores[chosen], Number(tau))
    result = max(value(difference), 0.0)
    signs = Written(r"\max(s - \tau, 0)", result)
    return Worked(((signs, Number(result)),), remark=rf"\quad \tau = {tau:.3f}")


def program(weights, scores, library, numbers):
    rows = "\n".join(
        f"    [{', '.join(map(repr, row))}]," for row in threshold(numbers)[0].tolist()
    )
    if library.name == "torch":
        tau = f"torch.tensor([\n{rows}\n], dtype=torch.float64)"
        return [f"{weights} = torch.clamp({scores} - {tau}, min=0)"]
    return [f"{weights} = np.maximum({scores} - np.array([\n{rows}\n]), 0)"]


SPARSE = Normaliser(
    title="sparsemax",
    matrix=replace(WEIGHTS, title="Sparse weights"),
    weights=sparsemax,
    work=work,
    formula=lambda weights, scores, turned: rf"{weights} = \mathrm{{sparsemax}}({scores})",
    program=program,
    back=lambda gradient, weights, scores: np.where(
        weights > 0,
        gradient
        - np.where(weights > 0, gradient, 0).sum(-1, keepdims=True)
        / (weights > 0).sum(-1, keepdims=True),
        0,
    ),
)


# A bias that grows with the logarithm of the distance, as an operation of its own


@dataclass(frozen=True, slots=True)
class LogDistance(Operation):
    line: ClassVar[str] = (
        "-np.log(1 + abs(np.arange({self.n_words})[:, None] - np.arange({self.n_words})))"
    )

    n_words: int
    n_heads: int

    def run(self, *given):
        place = np.arange(self.n_words)
        one = -np.log(1.0 + abs(place[:, None] - place))
        return np.broadcast_to(one, (self.n_heads, *one.shape))

    def work(self, seen, out, *given):
        _, i, j = seen.cell
        result = Number(float(out[seen.cell]))
        return Worked(((Written(rf"-\ln(1 + |{i + 1} - {j + 1}|)", result.number), result),))

    def formula(self, out, *symbols, sheet):
        return r"b_{i,j} = -\ln(1 + |i - j|)"

    def program(self, out, *names, library, arrays):
        lines = Operation.program(self, out, *names, library=library, arrays=arrays)
        return [line.replace("np.", f"{library.module}.") for line in lines]


@pytest.fixture
def grown(monkeypatch):
    """The tables of the page with the new rows in them."""
    monkeypatch.setitem(NORMALISERS, "sparse", SPARSE)
    matrix = replace(BIAS, name="log_bias", title="Log bias")
    monkeypatch.setitem(SCHEMES, "log", Scheme(title="by log", bias=(matrix, LogDistance)))


@pytest.fixture
def settings(grown):
    state, ignored = decode(LINK)
    assert ignored == []
    return experiment(state)


def test_published_numbers():
    """The README of the package entmax."""
    np.testing.assert_allclose(sparsemax(np.array([[-2, 0, 0.5]])), [[0, 0.25, 0.75]])


def test_the_link_holds_them(grown):
    state, _ = decode(LINK)
    link = encode(state)
    assert (link["rule"], link["position"]) == ("sparse", "log")
    assert decode(link)[0] == state
    assert decode(LINK | {"rule": "nonsense"})[1][0].name == "rule"


def test_the_numbers_are_theirs(settings):
    t = trace(settings)
    place = np.arange(3)
    bias = -np.log(1.0 + abs(place[:, None] - place))
    np.testing.assert_array_equal(t.arrays["log_bias"][0], bias)
    np.testing.assert_array_equal(t.weights, sparsemax(t.scores + bias))
    assert (t.weights == 0).any()


def test_the_captions_say_so_in_both_conventions(settings):
    t = trace(settings)
    said = {step.name: caption(t, step, 0) for step in drawn(t.steps, 0)}
    assert said["weights"].title == "Sparse weights"
    assert said["weights"].formula == r"A = \mathrm{sparsemax}(S^B)"
    assert said["weights"].function is sparsemax
    assert said["log_bias"].formula == r"b_{i,j} = -\ln(1 + |i - j|)"
    assert said["biased"].formula == "S^B = S + B"
    turned = {step.name: caption(t, step, 0, turned=True) for step in drawn(t.steps, 0)}
    assert turned["biased"].formula == r"{S^B}^\top = {S}^\top + {B}^\top"


def test_the_panel_works_every_number_out(settings):
    t = trace(settings)
    for i in range(3):
        for j in range(3):
            weight = panel(t, View(step="weights", query=i, key=j)).formula
            assert weight.endswith(rf"\tau = {threshold(t.masked)[0, i, 0]:.3f}")
            assert rf"\mathbf{{{t.weights[0, i, j]:.3f}}}" in weight
            assert (
                rf"\ln(1 + |{i + 1} - {j + 1}|)"
                in panel(t, View(step="log_bias", query=i, key=j)).formula
            )


def test_the_walk_and_the_lights_go_through_them(settings):
    t = trace(settings)
    view = View(step="weights", query=1, key=2)
    assert made_of(t, view) == [{"step": "biased"}]
    assert [light.columns for light in lights(t, view)["biased"]] == [(0, 2), (0, 2)]
    at_sum = View(step="biased", query=1, key=2)
    assert made_of(t, at_sum) == [{"step": "scores"}, {"step": "log_bias"}]
    assert feeds(t, View(step="log_bias", query=1, key=2)) == [{"step": "biased"}]
    assert feeds(t, at_sum) == [{"step": "weights"}]


def test_the_files_hold_them(settings):
    t = trace(settings)
    assert "log_bias" in export.tables(t)
    loaded = np.load(io.BytesIO(export.npz(t)))
    np.testing.assert_array_equal(loaded["bias"], t.bias)


@pytest.mark.parametrize("write", [numpy_script, torch_script])
def test_the_program_to_take_home_runs_and_its_asserts_hold(settings, write, tmp_path):
    script = tmp_path / "attention.py"
    script.write_text(write(trace(settings), settings), encoding="utf-8")
    run = subprocess.run([sys.executable, script], capture_output=True, encoding="utf-8")
    assert run.returncode == 0, run.stderr
    assert "The same weights" in run.stdout


def test_the_page_shows_and_offers_them(grown):
    page = AppTest.from_file(str(APP), default_timeout=60)
    page.query_params.update(LINK)
    page.run()
    assert not page.exception
    said = [markdown.value for markdown in page.markdown]
    assert any("Sparse weights" in text for text in said)
    assert any("Log bias" in text for text in said)
    assert page.latex[0].value.strip("$\n").startswith(r"a_{1,1} = \max(s - \tau, 0)")
