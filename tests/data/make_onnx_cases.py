"""Write what the reference of the onnx package says: Attention, RotaryEmbedding, LinearAttention.

    python -m venv /tmp/onnx && /tmp/onnx/bin/pip install onnx==1.23.2
    /tmp/onnx/bin/python tests/data/make_onnx_cases.py

Taken are all of the operator's own cases ("up/"), save those with a soft cap or in bfloat16. Those
in which the operator is spelt out as smaller ones ("_expanded") are the same inputs and answers
once more. The square cases ("dv/") are no cases of the package: their inputs stay as the file has
them, and their answers, which came from the package's reference, must come from it again.

A case's arrays are named Q, K, V, mask, past_key, past_value, nonpad (what goes in), Y, scores and
weights (what comes out), all in the types given; meta is a text in JSON. The present keys and
values that some cases give out are the past ones and the new ones in a row. That is checked here,
and they are not written.

Of RotaryEmbedding and LinearAttention all cases are taken, with the names that the operator has for
what goes in and what comes out, and with its attributes in `meta`.
"""

import json
import warnings
from pathlib import Path

import numpy as np
import onnx
from onnx import helper
from onnx.backend.test.case.node import collect_testcases
from onnx.reference import ReferenceEvaluator

VERSION = "1.23.2"
FILE = Path(__file__).with_name("onnx_attention_cases.npz")
OTHERS = {
    "RotaryEmbedding": Path(__file__).with_name("onnx_rotary_cases.npz"),
    "LinearAttention": Path(__file__).with_name("onnx_linear_cases.npz"),
}
INPUTS = {
    "Q": "Q",
    "K": "K",
    "V": "V",
    "attn_mask": "mask",
    "past_key": "past_key",
    "past_value": "past_value",
    "nonpad_kv_seqlen": "nonpad",
}
"""The operator's names for what goes in, and ours."""
FURTHER = {
    0: ("scores", "raw scores (scaled)"),
    2: ("scores", "scores + mask"),
    3: ("weights", "softmax weights"),
}
"""What the further output is, by the operator's `qk_matmul_output_mode`; 1 is the soft cap's."""


def main() -> None:
    """Write the file anew and say what is in it."""
    if onnx.__version__ != VERSION:
        raise SystemExit(f"The cases are those of onnx {VERSION}; this is {onnx.__version__}.")
    with np.load(FILE) as file:
        square = {name: file[name] for name in file.files if name.startswith("dv/")}
    check_square(square)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the other operators' cases are made as well
        found = collect_testcases(None)
    own = [case for case in found if is_of(case, "Attention")]
    taken = [case for case in own if left_out(case) is None]
    arrays = {name: array for case in taken for name, array in upstream(case).items()}
    np.savez_compressed(FILE, **arrays, **square)

    reasons = [reason for case in own if (reason := left_out(case))]
    print(f"{len(own)} cases of onnx {VERSION}, {len(taken)} of them taken.")
    for reason in sorted(set(reasons)):
        print(f"Left out, {reason}: {reasons.count(reason)}.")
    print(f"{sum(name.endswith('/meta') for name in square)} square cases.")
    print(f"{FILE.stat().st_size:,} bytes.")
    for operator, path in OTHERS.items():
        write_whole(operator, [case for case in found if is_of(case, operator)], path)


def is_of(case, operator: str) -> bool:
    """Whether a case is one of this operator, and not spelt out in others."""
    nodes = case.model.graph.node if case.model is not None else ()
    return [node.op_type for node in nodes] == [operator] and "_expanded" not in case.name


def write_whole(operator: str, own: list, path: Path) -> None:
    """Write all cases of an operator, under the names that it has for everything."""
    arrays: dict[str, np.ndarray] = {}
    for case in own:
        (node,), ((inputs, outputs),) = case.model.graph.node, case.data_sets
        name = case.name.removeprefix("test_")
        attrs = {
            key: value.decode() if isinstance(value, bytes) else value
            for key, value in attributes(case).items()
        }
        meta = {"attrs": attrs, "rtol": case.rtol, "atol": case.atol}
        given = dict(zip(filter(None, node.input), inputs, strict=True))
        made = dict(zip(filter(None, node.output), outputs, strict=True))
        whole = given | made | {"meta": np.array(json.dumps(meta))}
        arrays |= {f"{name}/{key}": array for key, array in whole.items()}
    np.savez_compressed(path, **arrays)
    print(f"{operator}: {len(own)} cases, {path.stat().st_size:,} bytes.")


def left_out(case) -> str | None:
    """Why a case is not taken; None means that it is."""
    inputs, _ = case.data_sets[0]
    if attributes(case).get("softcap"):
        return "soft cap"
    if any(array.dtype.name == "bfloat16" for array in inputs):
        return "bfloat16"
    return None


def attributes(case) -> dict:
    """The operator's attributes, those that the case sets."""
    (node,) = case.model.graph.node
    return {a.name: helper.get_attribute_value(a) for a in node.attribute}


def upstream(case) -> dict[str, np.ndarray]:
    """The arrays of one of the package's cases, by the names in the file."""
    (node,), ((inputs, outputs),) = case.model.graph.node, case.data_sets
    given = dict(zip(filter(None, node.input), inputs, strict=True))
    made = dict(zip(filter(None, node.output), outputs, strict=True))
    attrs = attributes(case)
    packed = given["Q"].ndim == 3
    heads = attrs["q_num_heads"] if packed else given["Q"].shape[1]

    arrays = {INPUTS[name]: array for name, array in given.items()} | {"Y": made.pop("Y")}
    meaning = None
    if "qk_matmul_output" in made:
        name, meaning = FURTHER[attrs.get("qk_matmul_output_mode", 0)]
        arrays[name] = made.pop("qk_matmul_output")
    for name in ("key", "value"):
        if f"present_{name}" in made:
            new = given[name[0].upper()]
            if packed:
                new = new.reshape(*new.shape[:2], attrs["kv_num_heads"], -1).swapaxes(1, 2)
            present = np.concatenate([given[f"past_{name}"], new], axis=2)
            np.testing.assert_array_equal(made.pop(f"present_{name}"), present)
    assert not made, f"{case.name} gives out {list(made)}, which nobody reads."

    meta = {
        "source": f"onnx {VERSION} {case.name}",
        "attrs": attrs,
        "layout": "3d_packed" if packed else "4d",
        "heads": heads,
        "rtol": case.rtol,
        "atol": case.atol,
        "qk_output": meaning,
    }
    arrays["meta"] = np.array(json.dumps(meta))
    name = "up/" + case.name.removeprefix("test_")
    return {f"{name}/{key}": array for key, array in arrays.items()}


def check_square(square: dict[str, np.ndarray]) -> None:
    """Run the square cases through the reference again; it must say what the file says."""
    for name in sorted({key.rsplit("/", 1)[0] for key in square}):
        meta = json.loads(str(square[f"{name}/meta"]))
        inputs = {
            theirs: square[f"{name}/{ours}"]
            for theirs, ours in INPUTS.items()
            if f"{name}/{ours}" in square
        }
        for mode in (2, 3):
            further, _ = FURTHER[mode]
            answers = reference(inputs, meta["attrs"] | {"qk_matmul_output_mode": mode})
            for key, answer in zip(("Y", further), answers, strict=True):
                np.testing.assert_allclose(
                    answer,
                    square[f"{name}/{key}"],
                    rtol=meta["rtol"],
                    atol=meta["atol"],
                    err_msg=f"{name}/{key}",
                )


def reference(inputs: dict[str, np.ndarray], attrs: dict) -> list[np.ndarray]:
    """What the package's own evaluator answers: Y and the further output."""
    names = [name if name in inputs else "" for name in INPUTS]
    node = helper.make_node("Attention", names, ["Y", "", "", "further"], **attrs)
    given = [
        helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
        )
        for name, array in inputs.items()
    ]
    made = [
        helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None)
        for name in ("Y", "further")
    ]
    graph = helper.make_graph([node], "attention", given, made)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)])
    return ReferenceEvaluator(model).run(None, inputs)


if __name__ == "__main__":
    main()
