"""What books, courses and posts print about attention, to the precision printed.

data/published_cases.json holds eleven cases with the answer in float64, worked out apart from this
project, and what the source prints. In it, null stands for the score of a hidden key.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from explorer import masks
from explorer.attention import attend, join_heads, split_heads

CASES = {
    case["id"]: case
    for case in json.loads((Path(__file__).parent / "data" / "published_cases.json").read_text())
}
PRINTED = {"rtol": 0, "atol": 5.1e-5}


def run(case):
    """Our steps for a case: projections where there are some, causal where it says so."""
    x = np.array(case["X"], dtype=float)
    q, k, v = (x if case[w] is None else x @ np.array(case[w]) for w in ("Wq", "Wk", "Wv"))
    visible = masks.causal(len(x)) if case["causal"] else None
    return attend(q, k, v, scale=case["scale"], visible=visible)


def numbers(rows):
    return np.array([[-np.inf if number is None else number for number in row] for row in rows])


def test_there_are_eleven_cases():
    assert len(CASES) == 11


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_step_is_the_exact_one(case):
    """Scores go up to 16 and values to 8, so 1e-12 leaves only the rounding of the last bits."""
    steps, close = run(case), {"rtol": 1e-12, "atol": 1e-12}
    np.testing.assert_allclose(steps.scores, case["raw_scores"], **close)
    np.testing.assert_allclose(steps.masked, numbers(case["scores"]), **close)
    np.testing.assert_allclose(steps.weights, case["weights"], **close)
    np.testing.assert_allclose(steps.context, case["context"], **close)


STEP_OF = {"raw_scores": "scores", "weights": "weights", "context": "context"}
PRINTS = [
    (name, step)
    for name, case in CASES.items()
    for step in case["published"]
    if (name, step) != ("karim_raw", "context")  # by rounded weights, see below
]


def test_nine_cases_print_something_and_nothing_of_it_is_left_out():
    assert sum(bool(case["published"]) for case in CASES.values()) == 9
    assert len(PRINTS) == 12
    assert {step for _, step in PRINTS} <= set(STEP_OF)


@pytest.mark.parametrize(("name", "step"), PRINTS)
def test_what_the_source_prints_is_ours_rounded(name, step):
    case = CASES[name]
    ours = getattr(run(case), STEP_OF[step])
    np.testing.assert_allclose(ours, case["published"][step], rtol=0, atol=case["published_tol"])


def test_karim_prints_the_contexts_of_rounded_weights():
    """The post goes on with 0, .5 and .5 where softmax says .0634, .4683 and .4683.

    Its contexts are exactly those of its rounded weights, and up to .32 away from the exact ones.
    """
    case = CASES["karim_raw"]
    steps = run(case)
    rounded = np.array([[0, 0.5, 0.5], [0, 1, 0], [0, 0.9, 0.1]])
    values = np.array(case["X"], dtype=float) @ np.array(case["Wv"])
    np.testing.assert_array_equal(values, [[1, 2, 3], [2, 8, 0], [2, 6, 3]])
    np.testing.assert_allclose(rounded @ values, case["published"]["context"], rtol=1e-15)
    exact = [[1.9366, 6.6831, 1.5951], [2.0, 7.9640, 0.0540], [1.9997, 7.7599, 0.3584]]
    np.testing.assert_allclose(steps.context, exact, **PRINTED)
    assert 0.31 < np.abs(steps.context - case["published"]["context"]).max() < 0.32


def test_raschka_two_heads_with_an_output_projection():
    """Raschka, "Build a Large Language Model (From Scratch)", section 3.6.2: causal, 2 heads of 1.

    The matrices are what torch draws after manual_seed(123), as nn.Linear holds them (turned).
    """
    x = np.array(CASES["raschka_simple_raw"]["X"])
    w_q = [[-0.23542964, 0.01912448, -0.28674594], [0.21772662, -0.49193421, 0.42322308]]
    w_k = [[-0.41964134, -0.45901766, -0.36482018], [0.26147819, -0.21332639, 0.21605217]]
    w_v = [[-0.49001414, -0.35029206, -0.21198919], [-0.11346072, -0.44043937, 0.37804362]]
    w_o = [[-0.16675779, 0.22697258], [0.50002599, 0.13173823]]
    b_o = [0.19335887, 0.68254095]
    q, k, v = (split_heads(x @ np.transpose(w), 2) for w in (w_q, w_k, w_v))
    joined = join_heads(attend(q, k, v, visible=masks.causal(6)).context)
    np.testing.assert_allclose(
        joined @ np.transpose(w_o) + b_o,
        [
            [0.3190, 0.4858],
            [0.2943, 0.3897],
            [0.2856, 0.3593],
            [0.2693, 0.3873],
            [0.2639, 0.3928],
            [0.2575, 0.4028],
        ],
        **PRINTED,
    )


@pytest.mark.parametrize(
    ("query", "weights", "context", "least"),
    [
        ([0, 10, 0], [0, 1, 0, 0], [10, 0], 8.4e-26),
        ([0, 0, 10], [0, 0, 0.5, 0.5], [550, 5.5], 4.2e-26),
        ([10, 10, 0], [0.5, 0.5, 0, 0], [5.5, 0], 4.2e-26),
    ],
)
def test_tensorflow_transformer_tutorial(query, weights, context, least):
    """The tutorial prints two decimals; what it shows as 0 is a very small weight, not none."""
    k = [[10, 0, 0], [0, 10, 0], [0, 0, 10], [0, 0, 10]]
    v = [[1, 0], [10, 0], [100, 5], [1000, 6]]
    steps = attend([query], k, v)
    np.testing.assert_allclose(steps.weights, [weights], rtol=0, atol=1e-6)
    np.testing.assert_allclose(steps.context, [context], rtol=0, atol=1e-6)
    np.testing.assert_allclose(steps.weights.min(), least, rtol=0.01)


def test_alammar_illustrated_transformer():
    """Scores 112 and 96 of vectors with 64 features; divided by 8, they are 14 and 12."""
    q, k = np.zeros((1, 64)), np.zeros((2, 64))
    q[0, 0], k[:, 0] = 8, (14, 12)
    steps = attend(q, k, k)
    np.testing.assert_array_equal(steps.scores, [[112, 96]])
    np.testing.assert_array_equal(steps.scaled, [[14, 12]])
    np.testing.assert_allclose(steps.weights, [[0.88, 0.12]], rtol=0, atol=5e-3)


def test_keras_dot_product_attention():
    """keras-team/keras, attention_test.py: unscaled."""
    q, k, v = [[1, 0], [0, 1]], [[0, 1], [1, 0]], [[1, 2], [3, 4]]
    steps = attend(q, k, v, scale=1)
    np.testing.assert_allclose(steps.weights, [[0.2689, 0.7311], [0.7311, 0.2689]], **PRINTED)
    np.testing.assert_allclose(steps.context, [[2.462, 3.462], [1.538, 2.538]], rtol=0, atol=5e-4)


def test_keras_value_mask():
    """keras-team/keras, attention_test.py. Keras also masks the second query; we mask keys only."""
    steps = attend(np.eye(2), np.eye(2), np.ones((2, 2)), visible=[True, False])
    np.testing.assert_array_equal(steps.weights, [[1, 0], [1, 0]])
    np.testing.assert_array_equal(steps.context, [[1, 1], [1, 1]])


def test_keras_eight_words_that_have_nothing_in_common():
    """keras-team/keras, multi_head_attention_test.py: identity vectors, scaled by sqrt(8)."""
    weights = attend(*[np.eye(8)] * 3).weights
    np.testing.assert_allclose(np.diag(weights), 0.169053, rtol=0, atol=5e-7)
    np.testing.assert_allclose(weights[~np.eye(8, dtype=bool)], 0.118707, rtol=0, atol=5e-7)


@pytest.mark.parametrize(("n_real", "context"), [(2, [2, 3, 4, 5]), (6, [10, 11, 12, 13])])
def test_d2l_equal_keys_average_the_real_values(n_real, context):
    """Dive into Deep Learning, section 11.3: the values 0 to 39 in ten rows, the first few real."""
    values = np.arange(40).reshape(10, 4)
    steps = attend(np.ones((1, 2)), np.ones((10, 2)), values, visible=np.arange(10) < n_real)
    np.testing.assert_allclose(steps.context, [context], rtol=1e-15)


@pytest.mark.parametrize(
    ("values", "means"),
    [
        ([[2, 7], [6, 4], [6, 5]], [[2, 7], [4, 5.5], [4.6667, 5.3333]]),
        ([[1, 2], [3, 4], [6, 7]], [[1, 2], [2, 3], [3.3333, 4.3333]]),
    ],
)
def test_karpathy_a_causal_mask_alone_takes_running_means(values, means):
    """Karpathy, "Let's build GPT": without scores, each word takes the mean of those up to it."""
    nothing = np.zeros((3, 1))
    steps = attend(nothing, nothing, values, visible=masks.causal(3))
    np.testing.assert_allclose(steps.context, means, **PRINTED)


def test_please_study_man():
    """A walkthrough by omkarchebale, of which only the keys are known to us.

    The rest, worked out apart from this project, takes X for queries and values, and is scaled.
    """
    x = np.array([[1.0, 0], [0, 2], [1, 1]])
    keys = x @ np.array([[1, 1], [0, 1]])
    np.testing.assert_array_equal(keys, [[1, 1], [0, 2], [1, 2]])
    steps = attend(x, keys, x)
    np.testing.assert_allclose(
        steps.weights,
        [[0.4011, 0.1978, 0.4011], [0.1084, 0.4458, 0.4458], [0.2483, 0.2483, 0.5035]],
        **PRINTED,
    )
    np.testing.assert_allclose(
        steps.context, [[0.8022, 0.7967], [0.5542, 1.3374], [0.7517, 1.0]], **PRINTED
    )
