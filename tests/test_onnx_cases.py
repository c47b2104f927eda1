"""The ONNX Attention operator's cases: 38 of its own and 17 run through its reference evaluator.

Made from the onnx package 1.23.2 (Apache-2.0). The operator's rules, as far as the cases need them:
a key is seen if it is real, in the window, not in the future (counted from the top left corner) and
not hidden by the mask; a mask of numbers is added; a short mask hides the keys it does not reach.

Tolerances: the peer computed in the float type of each case. Its answers are up to 2.6e-7 (float32)
and 4.9e-4 (float16) from ours in float64, and up to 3.6e-7 and 4.9e-4 from ours in the same type.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from explorer.attention import attend, join_heads, split_heads

with np.load(Path(__file__).parent / "data" / "onnx_attention_cases.npz") as _file:
    ARRAYS = dict(_file)
NAMES = sorted({key.rsplit("/", 1)[0] for key in ARRAYS})
CLOSE = {"float32": {"rtol": 1e-6, "atol": 1e-6}, "float16": {"rtol": 1e-3, "atol": 5e-4}}


def load(name):
    """The arrays of one case by their short names, and what its description says."""
    arrays = {
        key.removeprefix(f"{name}/"): array
        for key, array in ARRAYS.items()
        if key.rsplit("/", 1)[0] == name
    }
    return arrays, json.loads(str(arrays.pop("meta")))


def run(name, dtype=None):
    """Our steps for one case, in the case's own float type or another one, and its context."""
    case, meta = load(name)
    attrs = meta["attrs"]
    q, k, v = (case[letter].astype(dtype or case[letter].dtype) for letter in "QKV")
    packed = meta["layout"] == "3d_packed"
    if packed:
        q, k, v = (split_heads(x, meta["heads"]) for x in (q, k, v))
    visible, bias = mask_of(case, attrs, q.shape[-2], k.shape[-2])
    steps = attend(q, k, v, scale=attrs.get("scale"), visible=visible, bias=bias)
    return steps, join_heads(steps.context) if packed else steps.context


def mask_of(case, attrs, n_queries, n_keys):
    query, key = np.arange(n_queries)[:, None], np.arange(n_keys)
    visible = np.ones((n_queries, n_keys), dtype=bool)
    if attrs.get("is_causal"):
        visible &= key <= query
    left, right = attrs.get("left_window_size", -1), attrs.get("right_window_size", -1)
    if left >= 0:
        visible &= key >= query - left
    if right >= 0:
        visible &= key <= query + right
    if "nonpad" in case:
        visible = visible & (key < case["nonpad"][:, None, None, None])
    mask, bias = case.get("mask"), None
    if mask is not None:
        is_bool = mask.dtype == bool
        beyond = [(0, 0)] * (mask.ndim - 1) + [(0, n_keys - mask.shape[-1])]
        mask = np.pad(mask, beyond, constant_values=False if is_bool else -np.inf)
        visible, bias = (visible & mask, None) if is_bool else (visible, mask)
    return visible, bias


def test_there_are_55_cases_of_which_17_are_square_self_attention():
    assert len(NAMES) == 55
    assert sum(name.startswith("dv/") for name in NAMES) == 17


@pytest.mark.parametrize("name", NAMES)
def test_our_answer_in_float64_is_that_of_onnx(name):
    case, _ = load(name)
    _, context = run(name, np.float64)
    np.testing.assert_allclose(context, case["Y"], **CLOSE[str(case["Y"].dtype)])


@pytest.mark.parametrize("name", NAMES)
def test_our_answer_in_the_float_type_given_is_that_of_onnx(name):
    case, _ = load(name)
    _, context = run(name)
    assert context.dtype == case["Y"].dtype
    np.testing.assert_allclose(context, case["Y"], **CLOSE[str(context.dtype)])


STEP_OF = {
    "raw scores (scaled)": {"scores": "scaled"},
    "scores + mask": {"scores": "masked"},
    "softmax weights": {"weights": "weights"},
    "scores = scaled+masked, weights = softmax": {"scores": "masked", "weights": "weights"},
    None: {},
}
"""Which of our steps a case's further output is."""
STEPS_GIVEN = [
    (name, theirs, ours)
    for name in NAMES
    for theirs, ours in STEP_OF[load(name)[1]["qk_output"]].items()
]


def test_no_further_output_of_any_case_is_left_out():
    given = {
        (name, step) for name in NAMES for step in ("scores", "weights") if step in load(name)[0]
    }
    assert given == {(name, theirs) for name, theirs, _ in STEPS_GIVEN}
    assert len(given) == 40


@pytest.mark.parametrize(("name", "theirs", "ours"), STEPS_GIVEN)
def test_our_steps_on_the_way_are_those_of_onnx(name, theirs, ours):
    case, _ = load(name)
    steps, _ = run(name, np.float64)
    np.testing.assert_allclose(getattr(steps, ours), case[theirs], **CLOSE[str(case[theirs].dtype)])


@pytest.mark.parametrize("name", ["bool_tril_equals_causal", "additive_neginf_equals_causal"])
def test_three_ways_to_say_causal_are_the_same(name):
    steps, _ = run("dv/causal", np.float64)
    others, _ = run(f"dv/{name}", np.float64)
    for step in ("scores", "scaled", "masked", "weights", "context"):
        np.testing.assert_array_equal(getattr(others, step), getattr(steps, step))


@pytest.mark.parametrize("name", ["window_left0_right0", "single_token"])
def test_whoever_sees_only_itself_keeps_its_value(name):
    case, _ = load(f"dv/{name}")
    _, context = run(f"dv/{name}")
    np.testing.assert_array_equal(context, case["V"])


def test_the_query_that_sees_nobody_is_exactly_0():
    steps, _ = run("dv/fully_masked_row2")
    assert (steps.weights[:, :, 2] == 0).all()
    assert (steps.context[:, :, 2] == 0).all()
