"""Every number of the two articles behind the project, and the matrices they leave unprinted.

"Self-Attention from Scratch: The Heart of the Transformer" (warm mat) and "Self-Attention Explained
with Real Numbers" (bank of river). Printed numbers must be ours rounded to the decimals printed.
The full matrices are compared with ones worked out here without NumPy: dot products in fractions,
exponentials in decimals of 50 digits.
"""

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from explorer.attention import attend, softmax
from explorer.examples import EXAMPLES
from explorer.settings import Scale, Settings
from explorer.trace import trace

WARM_MAT = (
    ("0.41", "0.12", "0.73"),  # The
    ("0.58", "0.91", "0.44"),  # cat
    ("0.33", "0.76", "0.89"),  # sat
    ("0.15", "0.42", "0.67"),  # on
    ("0.39", "0.14", "0.71"),  # the
    ("0.82", "0.53", "0.29"),  # warm
    ("0.61", "0.85", "0.47"),  # mat
)
BANK_RIVER = (
    ("1", "0", "1", "0"),  # bank
    ("0", "1", "0", "1"),  # of
    ("1", "1", "0", "0"),  # river
)
ARTICLES = {"warm_mat": WARM_MAT, "bank_river": BANK_RIVER}
THE, CAT, SAT, ON, THE_AGAIN, WARM, MAT = range(7)
BANK, OF, RIVER = range(3)
FOUR_DECIMALS = {"rtol": 0, "atol": 5e-5}
THREE_DECIMALS = {"rtol": 0, "atol": 5e-4}


@pytest.fixture(scope="module")
def warm_mat():
    return trace(EXAMPLES["warm_mat"].settings)


@pytest.fixture(scope="module")
def bank_river():
    return trace(EXAMPLES["bank_river"].settings)


def exact(embeddings):
    """Scores, weights and contexts of Q = K = V without a scale, to some 50 digits."""
    x = [[Fraction(number) for number in row] for row in embeddings]
    scores = [[sum(a * b for a, b in zip(q, k, strict=True)) for k in x] for q in x]
    with localcontext(prec=50):
        rows = [[decimal(score).exp() for score in row] for row in scores]
        weights = [[e / sum(row) for e in row] for row in rows]
        columns = [[decimal(number) for number in column] for column in zip(*x, strict=True)]
        context = [
            [sum(w * c for w, c in zip(row, column, strict=True)) for column in columns]
            for row in weights
        ]
    return scores, weights, context


def decimal(number):
    return Decimal(number.numerator) / Decimal(number.denominator)


def floats(rows):
    return np.array([[float(number) for number in row] for row in rows])


# The full matrices


@pytest.mark.parametrize("name", ARTICLES)
def test_every_number_of_every_step_is_right_to_the_last_digits(name):
    """Numbers of up to 3, so 2e-15 leaves a few roundings of the last bit of a float64."""
    t = trace(EXAMPLES[name].settings)
    np.testing.assert_array_equal(t.x, floats(ARTICLES[name]))
    for step, numbers in zip(("scores", "weights", "context"), exact(ARTICLES[name]), strict=True):
        np.testing.assert_allclose(getattr(t, step)[0], floats(numbers), rtol=0, atol=2e-15)


@pytest.mark.parametrize("name", ARTICLES)
@pytest.mark.parametrize(("dtype", "atol"), [(np.float16, 5e-3), (np.float32, 1e-6)])
def test_shorter_floats_give_the_same_numbers_less_exactly(name, dtype, atol):
    x = floats(ARTICLES[name]).astype(dtype)
    steps = attend(x, x, x, scale=1)
    for step, numbers in zip(("scores", "weights", "context"), exact(ARTICLES[name]), strict=True):
        np.testing.assert_allclose(getattr(steps, step), floats(numbers), rtol=0, atol=atol)


def test_the_exact_way_knows_a_wrong_number():
    """So that the tests above can fail: one digit changed in one embedding."""
    changed = (("0.42", "0.12", "0.73"), *WARM_MAT[1:])
    for ours, theirs in zip(exact(WARM_MAT), exact(changed), strict=True):
        assert np.abs(floats(ours) - floats(theirs)).max() > 1e-4


# Warm mat


def test_warm_mat_has_seven_tokens_with_three_numbers_each(warm_mat):
    assert warm_mat.tokens == ("The", "cat", "sat", "on", "the", "warm", "mat")
    assert warm_mat.x.shape == (7, 3)
    assert warm_mat.scores.shape == warm_mat.weights.shape == (1, 7, 7)
    assert warm_mat.output.shape == (7, 3)


def test_warm_mat_the_query_is_the_second_row(warm_mat):
    np.testing.assert_array_equal(warm_mat.q[0, CAT], [0.58, 0.91, 0.44])
    assert EXAMPLES["warm_mat"].query == CAT


def test_warm_mat_scores(warm_mat):
    printed = [
        [0.7154, 0.6682, 0.8762, 0.6010, 0.6950, 0.6115, 0.6952],
        [0.6682, 1.3581, 1.2746, 0.7640, 0.6660, 1.0855, 1.3341],
        [0.8762, 1.2746, 1.4786, 0.9650, 0.8670, 0.9315, 1.2656],
        [0.6010, 0.7640, 0.9650, 0.6478, 0.5930, 0.5399, 0.7634],
        [0.6950, 0.6660, 0.8670, 0.5930, 0.6758, 0.5999, 0.6906],
        [0.6115, 1.0855, 0.9315, 0.5399, 0.5999, 1.0374, 1.0870],
        [0.6952, 1.3341, 1.2656, 0.7634, 0.6906, 1.0870, 1.3155],
    ]
    np.testing.assert_allclose(warm_mat.scores[0], printed, **FOUR_DECIMALS)


def test_warm_mat_exponentials_of_cat_and_their_sum(warm_mat):
    exponentials = np.exp(warm_mat.scores[0, CAT])
    printed = [1.9507, 3.8888, 3.5773, 2.1468, 1.9464, 2.9609, 3.7966]
    np.testing.assert_allclose(exponentials, printed, **FOUR_DECIMALS)
    np.testing.assert_allclose(exponentials.sum(), 20.2676, **FOUR_DECIMALS)


def test_warm_mat_weights_of_cat(warm_mat):
    printed = [0.0962, 0.1919, 0.1765, 0.1059, 0.0960, 0.1461, 0.1873]
    np.testing.assert_allclose(warm_mat.weights[0, CAT], printed, **FOUR_DECIMALS)


def test_warm_mat_weights_as_percent(warm_mat):
    percent = 100 * warm_mat.weights[0, CAT]
    np.testing.assert_allclose(percent[[CAT, MAT, SAT]], [19.2, 18.7, 17.7], rtol=0, atol=0.05)
    assert (percent[[THE, THE_AGAIN]] < 10).all()
    assert (np.delete(percent, [THE, THE_AGAIN]) > 10).all()


def test_warm_mat_rows_sum_to_1(warm_mat):
    np.testing.assert_allclose(warm_mat.weights.sum(axis=-1), np.ones((1, 7)), rtol=1e-14)


def test_warm_mat_context_of_cat(warm_mat):
    np.testing.assert_allclose(warm_mat.context[0, CAT], [0.4964, 0.6149, 0.5813], **FOUR_DECIMALS)
    np.testing.assert_array_equal(warm_mat.output, warm_mat.context[0])


def test_warm_mat_cat_attends_to_itself_most_then_to_mat_and_sat(warm_mat):
    order = np.argsort(-warm_mat.weights[0, CAT])
    assert order.tolist() == [CAT, MAT, SAT, WARM, ON, THE, THE_AGAIN]


def test_another_sentence_gives_the_same_word_another_context():
    contexts = []
    for text in ("The cat chased the mouse", "The cat sat on the warm mat"):
        t = trace(Settings(text=text))
        contexts.append(t.output[CAT])
        np.testing.assert_array_equal(t.x[CAT], trace(Settings(text="cat")).x[0])
    assert np.abs(contexts[0] - contexts[1]).max() > 0.01


# Bank of river


def test_bank_river_goes_in_and_comes_out_as_three_words_with_four_numbers(bank_river):
    assert bank_river.tokens == ("bank", "of", "river")
    assert bank_river.x.shape == bank_river.output.shape == (3, 4)
    assert bank_river.weights.shape == (1, 3, 3)


def test_bank_river_scores(bank_river):
    np.testing.assert_array_equal(bank_river.scores[0], [[2, 0, 1], [0, 2, 1], [1, 1, 2]])


def test_bank_river_weights_of_bank(bank_river):
    np.testing.assert_allclose(bank_river.weights[0, BANK], [0.665, 0.090, 0.245], **THREE_DECIMALS)
    percent = 100 * bank_river.weights[0, BANK]
    np.testing.assert_allclose(percent[[BANK, RIVER]], [66.5, 24.5], rtol=0, atol=0.05)
    np.testing.assert_allclose(percent[OF], 9, rtol=0, atol=0.5)


def test_bank_river_new_vector_of_bank(bank_river):
    printed = [0.910, 0.335, 0.665, 0.090]
    np.testing.assert_allclose(bank_river.output[BANK], printed, **THREE_DECIMALS)


def test_bank_river_rounded_weights_give_the_printed_vector_exactly():
    recipe = [Decimal("0.665"), Decimal("0.090"), Decimal("0.245")]
    mixed = [
        sum(w * int(row[feature]) for w, row in zip(recipe, BANK_RIVER, strict=True))
        for feature in range(4)
    ]
    assert [str(number) for number in mixed] == ["0.910", "0.335", "0.665", "0.090"]


def test_bank_river_the_other_rows_by_hand(bank_river):
    """Scores 0, 2, 1 and 1, 1, 2: the exponentials are 1, e and e squared."""
    e = np.e
    of, river = np.array([1, e**2, e]), np.array([e, e, e**2])
    np.testing.assert_allclose(bank_river.weights[0, OF], of / of.sum(), rtol=1e-14)
    np.testing.assert_allclose(bank_river.weights[0, RIVER], river / river.sum(), rtol=1e-14)
    np.testing.assert_allclose(
        bank_river.output.round(3),
        [[0.910, 0.335, 0.665, 0.090], [0.335, 0.910, 0.090, 0.665], [0.788, 0.788, 0.212, 0.212]],
        rtol=1e-14,
    )


def test_bank_river_every_row_sums_to_1_and_every_word_focuses_most_on_itself(bank_river):
    weights = bank_river.weights[0]
    np.testing.assert_allclose(weights.sum(axis=-1), [1, 1, 1], rtol=1e-14)
    assert weights.argmax(axis=-1).tolist() == [BANK, OF, RIVER]
    assert (weights > 0).all()


def test_bank_river_tied_scores_get_equal_weights(bank_river):
    weights = bank_river.weights[0]
    assert weights[RIVER, BANK] == weights[RIVER, OF]
    assert weights[BANK, RIVER] > weights[BANK, OF]


def test_dividing_scores_by_their_sum_would_cut_a_word_off(bank_river):
    scores = bank_river.scores[0, BANK]
    np.testing.assert_allclose(scores / scores.sum(), [0.67, 0, 0.33], rtol=0, atol=5e-3)
    assert bank_river.weights[0, BANK, OF] > 0.09 - 5e-4


# What both say about self-attention


@pytest.mark.parametrize("name", ARTICLES)
def test_three_lines_are_the_whole_of_it(name):
    t = trace(EXAMPLES[name].settings)
    scores = t.x @ t.x.T
    np.testing.assert_allclose(t.output, softmax(scores) @ t.x, rtol=1e-14)


def test_word_order_changes_no_score():
    """Generated vectors belong to words, so the same words in another order have them too."""
    ours, other = (trace(Settings(text=text)) for text in ("dog bites man", "man bites dog"))
    np.testing.assert_allclose(ours.scores[0, ::-1, ::-1], other.scores[0], rtol=1e-14)
    np.testing.assert_allclose(ours.output[::-1], other.output, rtol=1e-14)


def test_scaling_shrinks_the_scores_and_evens_the_weights(bank_river):
    scaled = trace(
        Settings(text="bank of river", x=EXAMPLES["bank_river"].settings.x, scale=Scale.SQRT_D_K)
    )
    np.testing.assert_array_equal(scaled.scaled, bank_river.scores / 2)
    assert (scaled.weights.max(axis=-1) < bank_river.weights.max(axis=-1)).all()
