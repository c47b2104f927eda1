"""Every experiment opens by link, says what was computed, and draws it."""

import re
import subprocess
import sys
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from test_page import APP, bodies, charts, choose, go, link, numbers, open_page, run

from explorer import labels
from explorer.examples import EXAMPLES
from explorer.lab import mistakes, predict, root
from explorer.lab.mistakes import Mistake
from explorer.link.codec import decode
from explorer.link.experiment import experiment
from explorer.page.lab import predict_box
from explorer.settings import MAX_TOKENS, Settings
from explorer.trace import trace
from explorer.view import Lab

WARM_MAT = EXAMPLES["warm_mat"].settings
FLOAT32 = {"rtol": 1e-6, "atol": 1e-7}


@pytest.fixture(scope="module")
def session():
    return open_page(view="lab")


@pytest.fixture
def lab(session):
    """Open an experiment of the lab by its link."""
    return partial(go, session, view="lab")


@pytest.fixture
def paste_new():
    """Open an experiment in a session of its own, where nothing was answered yet."""
    return lambda **link: open_page(view="lab", **link)


def said(page):
    """All that the page says, without its escapes and its bold."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", " ".join(bodies(page))).replace("**", "")


def curves(page, key):
    return {curve["name"]: curve["y"] for curve in charts(page)[key]["data"]}


@pytest.mark.parametrize("code", Lab)
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"text": "a b a", "d_model": "8", "n_heads": "4", "head": "mean", "mask": "causal"},
        {"text": "Hello", "qkv": "1", "d_k": "2", "d_v": "3"},
        {"text": " ".join(f"w{n}" for n in range(30)), "mask": "padding", "pad": "30"},
        {"text": "dog bites man", "position": "rotary", "temperature": "2", "rule": "total"},
    ],
)
def test_every_experiment_opens_by_its_link_on_any_sentence(lab, code, more):
    page = lab(lab=code.value, **more)
    assert len(page.header) == 1
    assert page.header[0].value.endswith("?")
    assert not page.warning
    assert "Do it yourself" in said(page)
    wanted = {"view": "lab", **more} | ({} if code is Lab.ROOT else {"lab": code.value})
    assert link(page) == wanted


def test_the_lab_says_which_settings_it_leaves_out(lab):
    left_out = "The experiments leave out temperature, plain division and ALiBi."
    assert left_out in said(lab(lab="own_word", temperature="2"))
    assert left_out in said(lab(lab="own_word", position="alibi"))
    assert left_out not in said(lab(lab="own_word", position="rotary"))


@pytest.mark.parametrize("code", ["mistakes", "nobody", "predict"])
def test_the_longest_sentence_is_drawn_too(lab, code):
    page = lab(lab=code, text=" ".join(f"w{n}" for n in range(MAX_TOKENS)))
    assert page.header


def test_the_sweep_marks_the_present_dimension_and_says_its_numbers(lab):
    page = lab(lab="root", d_model="5", lab_seed="3")
    found = {spread.d: spread for spread in root.sweep(5, seed=3)}
    drawn = curves(page, "lab_root")
    np.testing.assert_allclose(drawn["raw"], [s.largest_raw for s in found.values()])
    np.testing.assert_allclose(drawn["scaled"], [s.largest_scaled for s in found.values()])
    here = found[5]
    assert f"d = 5: {here.largest_raw:.2f} raw, {here.largest_scaled:.2f} scaled" in said(page)
    assert charts(page)["lab_root"]["layout"]["shapes"][0]["x0"] == 5
    page = choose(page, lab_curve="own")
    drawn = curves(page, "lab_root")
    np.testing.assert_allclose(drawn["scaled"], [s.own_scaled for s in found.values()])
    assert link(page)["lab_curve"] == "own"


def test_order_shows_an_exact_0_and_then_a_change(lab):
    page = lab(lab="order", text="dog bites man")
    assert not numbers(page, "lab_order_without_change").any()
    change = np.abs(numbers(page, "lab_order_with_change")).max()
    assert change > 0.01
    assert "largest change is exactly 0" in said(page)
    assert f"up to {change:.3f}" in said(page)
    t = trace(Settings(text="dog bites man"))
    for key, ours in (("before", t.weights[0]), ("after", t.weights[0][::-1, ::-1])):
        np.testing.assert_allclose(numbers(page, f"lab_order_without_{key}"), ours, **FLOAT32)
    assert "man bites dog" in said(page)


def test_a_button_brings_the_dog(lab):
    page = lab(lab="order")
    (button,) = [button for button in page.button if "dog bites man" in button.label]
    button.click()
    wanted = {"text": "dog bites man", "view": "lab", "lab": "order"}
    assert wanted.items() <= link(run(page)).items()
    assert page.get_by_key("text").value == "dog bites man"


@pytest.mark.parametrize("mistake", Mistake)
def test_each_mistake_is_drawn_next_to_what_is_right(lab, mistake):
    page = lab(lab="mistakes", lab_mistake=mistake.value)
    found = mistakes.outcome(mistake, trace(WARM_MAT))
    right = found.right if found.visible is None else np.where(found.visible, found.right, np.nan)
    np.testing.assert_allclose(numbers(page, "lab_mistake_right"), right, **FLOAT32)
    np.testing.assert_allclose(numbers(page, "lab_mistake_wrong"), found.wrong, **FLOAT32)
    assert found.breaks in said(page)
    assert any(found.lines[1].__name__ in code.value for code in page.code)


def test_nobody_gives_0_nan_0(lab):
    pytest.importorskip("torch")
    page = lab(lab="nobody", query="3")
    rows = numbers(page, "lab_nobody_context")
    assert np.isnan(rows).all(axis=1).tolist() == [False, False, True, False, True]
    assert (rows[[0, 1, 3]] == 0).all()
    weights = numbers(page, "lab_nobody_weights")
    assert np.isnan(weights[3]).all()
    np.testing.assert_allclose(np.delete(weights, 3, axis=0).sum(axis=1), 1, rtol=1e-6)
    assert "is NaN by: module, by hand" in said(page)
    assert "is 0 by: this page, fused, module, fast" in said(page)


def test_without_pytorch_our_own_way_is_shown(lab, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    page = lab(lab="nobody")
    assert "PyTorch is not installed" in page.info[0].value
    np.testing.assert_array_equal(numbers(page, "lab_nobody_context"), [[0, 0, 0]])


def test_a_stretched_word_draws_everybody(lab):
    page = lab(lab="own_word", query="0", lab_length="300")
    x = np.array(WARM_MAT.x)
    times = np.ones((7, 1))
    times[0] = 3
    exp = np.exp((x * times) @ (x * times).T)
    own = (exp / exp.sum(axis=1, keepdims=True))[0, 0]
    usual = trace(WARM_MAT).weights[0]
    now = f"“The” gives itself {labels.percent(own)} instead of {labels.percent(usual[0, 0])}"
    assert now in said(page)
    wins = (np.diagonal(usual) >= usual.max(axis=1)).sum()
    assert f"{wins} of 7 win here" in said(page)
    assert charts(page)["lab_own_word"]["layout"]["shapes"][0]["x0"] == 300


def test_a_word_moves_in_the_plane(lab):
    page = lab(lab="plane", text="a b c", d_model="2", query="1")
    t = trace(Settings(text="a b c", d_model=2))
    drawn = {curve["name"]: curve for curve in charts(page)["lab_plane"]["data"]}
    for axis, name in enumerate("xy"):
        assert drawn["move"][name][:2] == pytest.approx([t.x[1, axis], t.output[1, axis]])
    assert "exact" in said(page)
    assert f"moves by {np.linalg.norm(t.output[1] - t.x[1]):.2f}" in said(page)
    assert "principal components" in said(lab(lab="plane"))


def test_words_grow_alike_layer_by_layer(lab):
    page = lab(lab="layers", lab_layers="1", mask="causal")
    t = trace(replace(WARM_MAT, mask=("causal",)))
    spread = t.output - t.output.mean(axis=0)
    apart = np.sqrt((spread**2).sum(axis=1).mean())
    assert curves(page, "lab_distance")["as set"][1] == pytest.approx(apart)
    assert f"they lie {apart:.2f} apart" in said(page)
    assert set(curves(page, "lab_distance")) == {"as set", "÷ √d_k", "no mask", "3 heads"}
    lengths = np.linalg.norm(t.output, axis=1)
    cosine = t.output @ t.output.T / np.outer(lengths, lengths)
    np.testing.assert_allclose(numbers(page, "lab_layers_cosine"), cosine, **FLOAT32)


def answer(page, given):
    fields = [*page.number_input, *page.get("button_group")]
    (field,) = [field for field in fields if str(field.key).startswith("answer_")]
    field.set_value(given)
    return run(page)


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_a_right_answer_is_praised_and_a_slip_is_named(paste_new, number):
    page = paste_new(lab="predict", lab_question=str(number), lab_seed="1")
    assert not page.success
    assert not page.error
    question = predict.questions(trace(WARM_MAT), 0, 1)[number - 1]
    wrong, slip = next(s for s in question.slips if not predict.check(question, s[0])[0])
    if question.options:
        wrong, right = (question.options.index(one) for one in (wrong, question.answer))
    else:
        right = round(question.answer, 2)
    page = answer(page, wrong)
    assert "Not quite" in page.error[0].value
    assert predict_box._SLIPS[slip] in page.error[0].value
    assert "lab_predict" not in charts(page)
    page = answer(page, right)
    assert "Right" in page.success[0].value
    assert "lab_predict" in charts(page)


def test_precision_shows_what_each_float_makes_of_it(lab):
    pytest.importorskip("torch")
    page = lab(lab="precision")
    np.testing.assert_allclose(
        numbers(page, "lab_precision_float64"), trace(WARM_MAT).weights[0], **FLOAT32
    )
    assert 0 < np.abs(numbers(page, "lab_precision_float16")).max() < 1e-3
    page = choose(page, lab_times=1000)
    assert "float16 has NaN in 7 of 7 rows" in said(page)
    assert np.isnan(numbers(page, "lab_precision_float16")).all()
    assert link(page)["lab_times"] == "1000"


def test_training_goes_on_from_run_to_run_can_be_stopped_and_ends(paste_new):
    pytest.importorskip("torch")
    page = paste_new(lab="learn", lab_seed="2", query="5", key="1")
    page.get_by_key("learn_stop").click()
    page = run(page)
    stopped = len(curves(page, "lab_learn")["with positions"])
    assert stopped > 1
    assert len(curves(run(page), "lab_learn")["with positions"]) == stopped
    page.get_by_key("learn_on").click()
    for _ in range(100):
        page = run(page)
        if any(button.label == "Train again" for button in page.button):
            break
    page = run(page)
    drawn = curves(page, "lab_learn")
    assert len(drawn["with positions"]) == 41
    assert drawn["with positions"][-1] > 0.95
    assert abs(drawn["without positions"][-1] - 0.5) < 0.05
    assert f"right in {labels.percent(drawn['with positions'][-1])}" in said(page)
    assert "“warm” comes before “cat”" in said(page)
    weights = numbers(page, "lab_learned_with")
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-5)
    assert numbers(page, "lab_learned_w_q").shape == (16, 16)
    assert link(page) == {"view": "lab", "lab": "learn", "lab_seed": "2", "query": "5", "key": "1"}


def test_the_same_word_twice_alone_cannot_be_put_in_order(paste_new):
    pytest.importorskip("torch")
    assert "On your own sentence" not in said(paste_new(lab="learn", text="a a"))


@pytest.mark.parametrize("code", ["root", "predict"])
def test_an_experiment_without_pytorch_does_not_load_it(code):
    program = (
        "import sys; from streamlit.testing.v1 import AppTest;"
        "page = AppTest.from_file(sys.argv[1], default_timeout=60);"
        "page.query_params.update(view='lab', lab=sys.argv[2]); page.run();"
        "assert not page.exception; assert page.header;"
        "sys.exit('torch' in sys.modules)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, str(APP), code], cwd=APP.parent, capture_output=True
    )
    assert ran.returncode == 0, ran.stderr.decode()


def test_words_in_the_lab_are_shown_as_typed(lab):
    page = lab(lab="order", text="*a* _b_ <b>")
    assert labels.markdown("*") in " ".join(bodies(page))
    assert "&lt;" in charts(page)["lab_order_with_before"]["layout"]["yaxis"]["ticktext"]


@pytest.mark.parametrize(
    "bad", [{"lab": "nowhere"}, {"lab_seed": "-1"}, {"lab_mistake": "<b>"}, {"lab_order": ""}]
)
def test_nonsense_in_the_link_opens_the_default_and_is_named(lab, bad):
    page = lab(**bad)
    assert len(page.warning) == 1
    assert link(page) == {"view": "lab"}


def test_reordered_columns_make_halves_of_neighbours(lab):
    """And back again: the weights stay, the numbers of W_Q and W_K change places."""
    given = {"text": "dog bites man", "qkv": "1", "n_heads": "2", "d_model": "8"}
    page = lab(lab="distance", position="rotary", **given)
    neighbours = settings_of(page)
    (button,) = [button for button in page.button if "Reorder" in button.label]
    button.click()
    halves = settings_of(run(page))
    assert (neighbours.pairs, halves.pairs) == ("neighbours", "halves")
    assert halves.w_q != neighbours.w_q
    np.testing.assert_allclose(trace(halves).weights, trace(neighbours).weights, rtol=1e-12)
    (button,) = [button for button in page.button if "Reorder" in button.label]
    button.click()
    again = settings_of(run(page))
    np.testing.assert_array_equal(trace(again).weights, trace(neighbours).weights)


def settings_of(page):
    return experiment(decode(link(page))[0])


def test_the_same_distance_is_told_in_numbers(lab):
    page = lab(lab="distance", text="dog bites man", d_model="4", query="2", key="0")
    drawn = curves(page, "lab_distance")
    for name in ("neighbours", "halves"):
        np.testing.assert_allclose(drawn[name], drawn[name][0])
        assert labels.number(drawn[name][0], 3) in said(page)
    assert np.ptp(drawn["mixed"]) > 0.1
    assert "Turn on “Separate Q, K, V”" in said(page)
