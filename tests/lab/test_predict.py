"""Questions have one right answer, computed here in another way, and slips that are wrong."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import experiments

from explorer.examples import EXAMPLES
from explorer.lab import predict
from explorer.lab.predict import Kind, Question, Slip, Sum, Way, check, questions
from explorer.settings import Mask, Settings
from explorer.trace import trace

WARM_MAT = trace(EXAMPLES["warm_mat"].settings)


def asked(t=WARM_MAT, seed=0):
    return {question.kind: question for question in questions(t, 0, seed)}


def of_kind(kind, t=WARM_MAT, seeds=range(12)):
    return [asked(t, seed)[kind] for seed in seeds]


def test_there_is_one_question_of_each_kind_and_the_seed_chooses():
    assert list(asked()) == list(Kind)
    assert questions(WARM_MAT, 0, 5) == questions(WARM_MAT, 0, 5)
    assert len({questions(WARM_MAT, 0, seed) for seed in range(8)}) == 8


@given(experiments(), st.integers(0, 999))
def test_any_experiment_can_be_asked_about_and_no_slip_is_right(settings, seed):
    for question in questions(trace(settings), 0, seed):
        assert check(question, question.answer) == (True, None)
        assert not question.options or set(question.answers) <= set(question.options)
        for wrong, slip in question.slips:
            right, named = check(question, wrong)
            if question.options:
                assert not right
                assert named in {s for w, s in question.slips if w == wrong}
            else:
                assert right or named is not None
            assert isinstance(slip, Slip)


def test_the_most_read_word_is_the_largest_of_the_row():
    for question in of_kind(Kind.READS):
        row = WARM_MAT.weights[0, question.i].tolist()
        assert question.answer == row.index(max(row))
        column = WARM_MAT.weights[0, :, question.i].argmax()
        assert column not in (question.answer, question.i)
        assert check(question, int(column)) == (False, Slip.COLUMN)
        assert check(question, question.i) == (False, Slip.OWN_WORD)


def test_words_that_share_the_largest_weight_are_both_right():
    t = trace(Settings(text="a b b", d_model=2, x=((1.0, 0.0), (2.0, 1.0), (2.0, 1.0))))
    (question,) = {q for q in of_kind(Kind.READS, t) if q.i == 0}
    assert question.answers == (1, 2)
    assert check(question, 1) == check(question, 2) == (True, None)
    assert check(question, 0) == (False, Slip.OWN_WORD)


def test_the_dot_product_and_its_slips_by_hand():
    question = Question(
        kind=Kind.DOT,
        i=0,
        answers=(-5.0,),
        slips=((1.0, Slip.FIRST_TERM), (7.0, Slip.SIGN)),
    )
    assert check(question, -5.01) == (True, None)
    assert check(question, -5.05) == (False, None)
    assert check(question, 1.0) == (False, Slip.FIRST_TERM)
    assert check(question, 7.0) == (False, Slip.SIGN)


def test_the_dot_product_is_that_of_the_numbers_shown():
    for question in of_kind(Kind.DOT):
        products = [a * b for a, b in zip(question.left, question.right, strict=True)]
        assert question.answer == pytest.approx(sum(products))
        assert question.answer == pytest.approx(
            WARM_MAT.scores[0, question.i, question.j], abs=0.02
        )
        assert check(question, products[0])[1] is Slip.FIRST_TERM


def test_a_score_is_scaled_by_the_root_of_d_k():
    """d_model = 8 in two heads of four: the root is 2."""
    t = trace(Settings(text="a b c", d_model=8, n_heads=2))
    for question in of_kind(Kind.SCALED, t):
        score = question.score
        assert score == round(t.scores[0, question.i, question.j], 2)
        assert check(question, score / 2) == (True, None)
        assert check(question, score) == (False, Slip.ROOT_FORGOTTEN)
        assert check(question, score / 4) == (False, Slip.BY_D)
        assert check(question, score * 2) == (False, Slip.MULTIPLIED)
        assert check(question, score / 8**0.5) == (False, Slip.D_MODEL)


@pytest.mark.parametrize("mask", [(), (Mask.PADDING,), (Mask.WINDOW,), (Mask.CAUSAL,)])
def test_one_of_the_cells_is_hidden(mask):
    t = trace(Settings(text="a b c d", mask=mask))
    visible = t.visible if mask else np.tri(4, dtype=bool)
    for question in of_kind(Kind.HIDDEN, t):
        assert [not visible[cell] for cell in question.options].count(True) == 1
        assert not visible[question.answer]
        turned = question.answer[::-1]
        if turned in question.options:
            assert check(question, turned) == (False, Slip.TURNED)


def test_the_sum_of_a_row_is_what_its_way_makes_it():
    causal = np.tri(7, dtype=bool)
    exp = np.exp(WARM_MAT.scaled[0])
    full = exp / exp.sum(axis=1, keepdims=True)
    found = of_kind(Kind.SUM, seeds=range(30))
    assert {question.way for question in found} == set(Way)
    for question in found:
        total = {
            Way.RIGHT: 1,
            Way.MASK_AFTER: (full * causal)[question.i].sum(),
            Way.AXIS: (exp / exp.sum(axis=0))[question.i].sum(),
        }[question.way]
        assert question.score == pytest.approx(total)
        right = {-1: Sum.LESS, 0: Sum.ONE, 1: Sum.MORE}[round(np.sign(round(total - 1, 9)))]
        assert question.answer is right
    assert {question.answer for question in found} == set(Sum)


def test_a_single_word_leaves_few_questions():
    assert set(asked(trace(Settings(text="Hello")))) == {Kind.DOT, Kind.SCALED, Kind.SUM}


def test_the_matrix_to_look_it_up_in_holds_the_answer():
    for question in of_kind(Kind.SUM):
        rows = predict.row(question, WARM_MAT, 0)
        assert rows[question.i].sum() == pytest.approx(question.score)
    for question in of_kind(Kind.READS):
        assert predict.row(question, WARM_MAT, 0)[question.i].argmax() == question.answer
