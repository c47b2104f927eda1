"""The whole page, without a browser: what it draws, says and writes into its address."""

import base64
import html
import importlib.util
import inspect
import json
import re
import subprocess
import sys
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from streamlit.runtime.scriptrunner import RerunData
from streamlit.testing.v1 import AppTest

from explorer import attention, labels
from explorer import edits as by_hand
from explorer.examples import EXAMPLES, OWN
from explorer.link.codec import decode, encode
from explorer.link.experiment import experiment
from explorer.link.parameters import PARAMETERS
from explorer.link.state import defaults
from explorer.page import bridge, compare_view
from explorer.page.session import address
from explorer.settings import MAX_CHARACTERS, MAX_TOKENS, Settings
from explorer.tokens import given
from explorer.trace import trace
from explorer.view import Direction, Drawing, View
from explorer.walks import drawn, matrix_of

ROOT = Path(__file__).parent.parent
APP = ROOT / "streamlit_app.py"
WARM_MAT = EXAMPLES["warm_mat"].settings
FLOAT32 = {"rtol": 1e-6, "atol": 1e-7}


def open_page(**link):
    """Open a link, and see to it that the reader gets no traceback."""
    page = AppTest.from_file(str(APP), default_timeout=60)
    page.query_params.update(link)
    return run(page)


def run(page):
    page.session_state["more"] = True
    if "session" in page.session_state:
        page.session_state["session"].sent = {}  # there is no browser that would remember figures
    page.run()
    assert [error.value for error in page.exception] == []
    return page


def on_control(state, name):
    """What a control says in a state."""
    return PARAMETERS[name].to_control(state.value(name))


def go(page, **link):
    """Open a link in a page that is open already, as back and forward do."""
    page.query_params.clear()
    page.query_params.update(link)
    going = partial(RerunData, is_history_navigation=True)
    with patch("streamlit.testing.v1.local_script_runner.RerunData", going):
        return run(page)


def is_part(page):
    """Whether the last run drew only parts: here they stand alone, in a browser among the rest."""
    return not page.sidebar.children


def choose(page, **values):
    """Set controls one after the other, as a reader would."""
    for name, value in values.items():
        page.get_by_key(name).set_value(value)
        if is_part(run(page)):
            run(page)
    return page


def link(page):
    """What stands in the address, as text."""
    given = page.query_params.items()
    return {name: value if isinstance(value, str) else value[-1] for name, value in given}


def charts(page):
    """What is drawn, by the key of the chart."""
    return {name: json.loads(data["figure"]) for name, data in given_charts(page).items()}


def given_charts(page):
    """What each chart on the page is given, by its key."""
    components = [part.proto for part in page.get("bidi_component")]
    drawn = [part for part in components if part.component_name.endswith("chart")]
    given = [data for part in drawn for data in json.loads(part.json)]
    drawn = {data["name"]: data for data in given}
    assert len(drawn) == len(given)
    return drawn


def z(trace_):
    """The numbers of a heat map, as they travel to the browser."""
    packed = trace_["z"]
    numbers = np.frombuffer(base64.b64decode(packed["bdata"]), "<" + packed["dtype"])
    return numbers.reshape([int(size) for size in packed["shape"].split(",")])


def numbers(page, key):
    return z(charts(page)[key]["data"][0])


def assert_shows(page, settings, head=0):
    """The page draws every step of these settings, and no other."""
    t, found = trace(settings), charts(page)
    here = [step.name for step in drawn(t.steps, 0)]
    assert [key for key in found if key not in ("arrows", "heads")] == here
    for step in here:
        hidden = ~t.visible if step in ("masked", "weights") and settings.mask else False
        expected = np.where(hidden, np.nan, matrix_of(t, step, head))
        np.testing.assert_allclose(z(found[step]["data"][0]), expected, err_msg=step, **FLOAT32)


def bodies(page):
    """Every text on the page that is read as Markdown."""
    texts = chain(page.markdown, page.caption, page.warning, page.info)
    options = chain.from_iterable(
        element.proto.options for element in chain(page.main, page.sidebar) if is_buttons(element)
    )
    return [text.value for text in texts] + [option.content for option in options]


def is_buttons(element):
    return type(element).__name__ == "ButtonGroup"


@pytest.fixture(scope="module")
def default_page():
    return open_page()


@pytest.fixture(scope="module")
def session():
    """One reader's session, for tests that begin by opening a link."""
    return open_page()


@pytest.fixture
def paste(session):
    """Open a link in a page that is open already: much faster than a new page."""
    return partial(go, session)


@pytest.fixture
def unfold(session):
    """Open a box of that page, until the end of the test."""
    boxes = []

    def open_box(box):
        boxes.append(box)
        session.session_state[box] = True
        return run(session)

    yield open_box
    for box in boxes:
        session.session_state[box] = False


# What one sees first


def test_the_page_opens_on_a_whole_example(default_page):
    assert list(charts(default_page)) == ["arrows", "embeddings", "scores", "weights", "context"]
    assert_shows(default_page, WARM_MAT)
    assert link(default_page) == {}
    assert not default_page.warning


def test_the_row_sums_of_the_weights_stand_beside_them(default_page):
    beside = charts(default_page)["weights"]["data"][-1]
    assert beside["text"] == ["1.000"] * 7


def test_the_digits_are_those_of_the_numbers(default_page):
    t = trace(WARM_MAT)
    for key, ours in (
        ("scores", t.scores[0]),
        ("weights", t.weights[0]),
        ("context", t.context[0]),
    ):
        shown = charts(default_page)[key]["data"][0]["text"]
        assert shown == [[labels.number(n, 3) for n in row] for row in ours]


def test_the_arrow_graph_gives_the_querys_weights_in_percent(default_page):
    words, under, _ = charts(default_page)["arrows"]["data"]
    assert [re.sub("<.*?>", "", word) for word in words["text"]] == list(WARM_MAT.tokens)
    cat = trace(WARM_MAT).weights[0, 1]
    assert under["text"] == [labels.percent(weight) for weight in cat]
    assert words["customdata"][6] == "cat gives 18.7 % of its attention to mat"


def test_opening_the_page_does_not_import_torch():
    """Over a second and 200 MB, for something that most readers never open."""
    code = (
        "import sys; from streamlit.testing.v1 import AppTest;"
        "page = AppTest.from_file(sys.argv[1], default_timeout=60).run();"
        "assert not page.exception; assert page.get('bidi_component');"
        "page.get_by_key('view').set_value('compare').run(); assert not page.exception;"
        "sys.exit('torch' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code, str(APP)], cwd=ROOT, capture_output=True)
    assert run.returncode == 0, run.stderr.decode()


@pytest.mark.parametrize("name", ["bank_river", "journey_qkv"])
def test_the_link_to_an_example_opens_it(name):
    page = open_page(example=name)
    assert_shows(page, EXAMPLES[name].settings)
    assert page.get_by_key("query").value == EXAMPLES[name].query
    assert link(page) == {"example": name}


# Controls


@pytest.mark.parametrize(
    ("values", "written", "changed"),
    [
        ({"text": "The cat sat on the warm sofa"}, None, {"x": None}),
        ({"d_model": 5}, {"d_model": "5"}, {"x": None}),
        ({"scale": "sqrt_d_k"}, {"scale": "sqrt_d_k"}, {}),
        ({"mask": ["causal"]}, {"mask": "causal"}, {}),
        ({"mask": ["padding", "window"]}, {"mask": "window,padding"}, {}),
        ({"mask": ["window"], "radius": 2}, {"mask": "window", "radius": "2"}, {}),
        ({"mask": ["padding"], "pad": 3}, {"mask": "padding", "pad": "3"}, {}),
        ({"qkv": True}, {"qkv": "1"}, {}),
        ({"qkv": True, "d_k": 2}, {"qkv": "1", "d_k": "2"}, {}),
        ({"qkv": True, "d_v": 2}, {"qkv": "1", "d_v": "2"}, {}),
        ({"qkv": True, "seed": 7}, {"qkv": "1", "seed": "7"}, {}),
        ({"n_heads": 3}, {"n_heads": "3"}, {}),
        ({"qkv": True, "d_k": 2, "n_heads": 4}, {"qkv": "1", "d_k": "2", "n_heads": "4"}, {}),
    ],
)
def test_a_control_changes_the_experiment_and_the_link(paste, values, written, changed):
    page = choose(paste(), **values)
    fields = {name: tuple(v) if name == "mask" else v for name, v in values.items()}
    assert_shows(page, replace(WARM_MAT, **fields | changed))
    if written is None:
        written = {"example": "warm_mat", "text": values["text"]}
    assert link(page) == written
    assert not page.warning


@pytest.mark.parametrize(
    ("values", "written"),
    [
        ({"query": 3}, {"query": "3"}),
        ({"key": 0}, {"key": "0"}),
        ({"step": "scores"}, {"step": "scores"}),
        ({"step": "context", "feature": 2}, {"step": "context", "feature": "2"}),
        ({"direction": "to"}, {"direction": "to"}),
        ({"direction": "all"}, {"direction": "all"}),
        ({"colour": "unit"}, {"colour": "unit"}),
        ({"decimals": 5}, {"decimals": "5"}),
    ],
)
def test_a_control_of_the_view_changes_the_link_and_no_number(paste, values, written):
    page = choose(paste(), **values)
    assert_shows(page, WARM_MAT)
    assert link(page) == written


def test_a_second_click_on_a_button_changes_nothing(paste):
    """It deselects, and the page goes on with what was chosen."""
    page = choose(paste(scale="sqrt_d_k", step="scaled"), step=None)
    assert_shows(page, replace(WARM_MAT, scale="sqrt_d_k"))
    assert link(page) == {"scale": "sqrt_d_k", "step": "scaled"}
    assert "\\sqrt{3}" in page.latex[0].value


@pytest.mark.parametrize("direction", Direction)
def test_arrows_go_from_the_query_or_to_the_key_or_everywhere(paste, direction):
    page = paste(direction=direction, mask="causal", query="3", key="1")
    graph = charts(page)["arrows"]
    weights = trace(replace(WARM_MAT, mask=("causal",))).weights[0]
    paths = "".join(shape["path"] for shape in graph["layout"]["shapes"])
    drawn, under = {
        "from": (4, [*map(labels.percent, weights[3, :4]), "hidden", "hidden", "hidden"]),
        "to": (6, ["hidden", *map(labels.percent, weights[1:, 1])]),
        "all": (28, [*map(labels.percent, weights.mean(axis=0))]),
    }[direction]
    assert paths.count("M") == drawn
    assert graph["data"][1]["text"] == under


def test_colours_by_row_keep_the_numbers(paste):
    weights = charts(paste(colour="row"))["weights"]["data"][0]
    np.testing.assert_allclose(z(weights).max(axis=1), 1)
    np.testing.assert_allclose(
        z({"z": weights["customdata"]}), trace(WARM_MAT).weights[0], **FLOAT32
    )


@pytest.mark.parametrize(("colour", "end"), [("unit", 1.0), ("matrix", None), ("row", 1.0)])
def test_the_weights_scale_ends_where_the_control_says(paste, colour, end):
    weights = charts(paste(colour=colour))["weights"]["data"][0]
    assert weights["zmin"] == 0
    assert weights["zmax"] == pytest.approx(end or trace(WARM_MAT).weights.max())


def test_hidden_cells_are_shaded_and_their_word_says_hidden(paste):
    page = paste(mask="causal")
    for key in ("masked", "weights"):
        numbers, grey = charts(page)[key]["data"][:2]
        future = np.triu(np.ones((7, 7), dtype=bool), k=1)
        np.testing.assert_array_equal(np.isnan(z(numbers)), future)
        np.testing.assert_array_equal(z(grey) == 1, future)
    assert charts(page)["arrows"]["data"][1]["text"][2:] == ["hidden"] * 5


def test_a_word_that_may_see_nobody_is_flagged(paste):
    """Of four words the last two are padding, and the window ends at the neighbour."""
    page = paste(text="a b c d", mask="window,padding", pad="2", query="3", key="3")
    assert_shows(page, Settings(text="a b c d", mask=("window", "padding"), pad=2))
    assert charts(page)["weights"]["data"][-1]["text"] == ["1.000", "1.000", "1.000", "0.000"]
    assert any("may see no word at all" in body for body in bodies(page))


# Heads


@pytest.mark.parametrize("head", [0, 2])
def test_each_head_shows_its_own_numbers(paste, head):
    page = paste(n_heads="3", head=str(head))
    assert_shows(page, replace(WARM_MAT, n_heads=3), head)
    assert "heads" in charts(page)


def test_the_average_over_heads_has_weights_only(paste):
    page = choose(paste(n_heads="3", step="scores"), head="mean")
    assert [key for key in charts(page) if key not in ("arrows", "heads")] == [
        "embeddings",
        "weights",
        "output",
    ]
    weights = trace(replace(WARM_MAT, n_heads=3)).weights.mean(axis=0)
    np.testing.assert_allclose(numbers(page, "weights"), weights, **FLOAT32)
    assert link(page) == {"n_heads": "3", "head": "mean"}


def test_heads_that_no_longer_divide_fall_back_to_1_and_the_page_says_so(paste):
    page = choose(paste(d_model="6", n_heads="3", head="2"), d_model=8)
    assert link(page) == {"d_model": "8"}
    assert page.get_by_key("n_heads").value == 1
    assert "n\\_heads" in page.warning[0].value
    assert not choose(page, query=0).warning


# Examples


@pytest.mark.parametrize("name", EXAMPLES)
def test_choosing_an_example_sets_every_control(paste, name):
    """Whatever was there before; here, another example that was changed."""
    other = "journey_qkv" if name == "bank_river" else "bank_river"
    changed = {"decimals": "4", "qkv": "1", "mask": "causal,padding", "direction": "to"}
    page = choose(paste(example=other, **changed), example=name)
    usual = defaults(name)
    assert link(page) == encode(usual)
    for parameter in PARAMETERS:
        if parameter in page.session_state:
            assert page.session_state[parameter] == on_control(usual, parameter), parameter
    for parameter in ("example", "text", "d_model", "scale", "mask", "qkv", "n_heads", "query"):
        assert page.get_by_key(parameter).value == on_control(usual, parameter), parameter
    if EXAMPLES[name].beside:
        page = choose(page, view="attention")
    assert_shows(page, EXAMPLES[name].settings)


def test_choosing_a_sentence_of_ones_own_keeps_what_is_there(paste):
    page = choose(paste(scale="sqrt_d_k"), example=OWN)
    assert_shows(page, replace(WARM_MAT, x=None, scale="sqrt_d_k"))
    assert link(page)["text"] == WARM_MAT.text


@pytest.mark.parametrize("left", [{"text": "The cat sat"}, {"d_model": 4}])
def test_vectors_leave_with_sentence_and_dimension_and_the_page_says_so_until_they_are_back(
    paste, left
):
    page = choose(paste(), **left)
    assert_shows(page, replace(WARM_MAT, **left, x=None))
    assert any("made-up vector" in body for body in bodies(page))
    (back,) = [button for button in page.button if button.label == "Back to the example"]
    back.click()
    run(page)
    assert_shows(page, WARM_MAT)
    assert not any("made-up vector" in body for body in bodies(page))
    assert not [button for button in page.button if button.label == "Back to the example"]


def test_typing_the_examples_sentence_again_brings_its_vectors_back(paste):
    page = choose(paste(), text="The dog", d_model=6)
    assert_shows(choose(page, text=WARM_MAT.text, d_model=3), WARM_MAT)


# Compare

COMPARED = {
    f"{side}_{what}" for side in "ab" for what in ("arrows", "weights", "context", "scores")
}
COMPARED |= {"c_weights", "c_context", "largest"}


@pytest.mark.parametrize(
    "options", [{}, {"mask": "causal,padding"}, {"d_model": "6", "n_heads": "3", "head": "1"}]
)
def test_compare_shows_both_on_one_scale_and_their_difference(paste, options):
    page = paste(view="compare", **options)
    drawn = {key: spec["data"] for key, spec in charts(page).items()}
    assert set(drawn) == COMPARED
    settings = experiment(decode(options)[0])
    head = int(options.get("head", 0))
    raw, scaled = (trace(replace(settings, scale=scale)) for scale in ("raw", "sqrt_d_k"))

    def shown(t, step):
        return np.where(t.visible, getattr(t, step)[head], np.nan)

    for side, t in (("a", raw), ("b", scaled)):
        for step in ("scores", "weights"):
            ours = shown(t, "masked" if step == "scores" else step)
            np.testing.assert_allclose(z(drawn[f"{side}_{step}"][0]), ours, **FLOAT32)
    change = z(drawn["c_weights"][0])
    np.testing.assert_allclose(change, shown(scaled, "weights") - shown(raw, "weights"), **FLOAT32)
    a, b = z(drawn["a_weights"][0]), z(drawn["b_weights"][0])
    np.testing.assert_allclose(change, b - a, rtol=1e-5, atol=1e-7)

    for step, low in (("scores", -1), ("weights", 0)):
        ends = [(drawn[f"{side}_{step}"][0][k]) for side in "ab" for k in ("zmin", "zmax")]
        top = np.nanmax([np.abs(z(drawn[f"{side}_{step}"][0])) for side in "ab"])
        assert ends == pytest.approx([low * top, top] * 2)
    most = np.nanmax(np.abs(change))
    assert drawn["c_weights"][0]["zmin"] == pytest.approx(-most)
    assert drawn["c_weights"][0]["zmax"] == pytest.approx(most)


def test_compare_by_row_has_one_scale_for_both_of_a_row(paste):
    page = paste(view="compare", colour="row", d_model="16", mask="causal")
    for step in ("scores", "weights"):
        shades, held = ([], [])
        for side in ("a", "b"):
            drawn = charts(page)[f"{side}_{step}"]["data"][0]
            shades.append(z(drawn))
            held.append(z({"z": drawn["customdata"]}))
        ends = np.nanmax(np.abs(np.hstack(held)), axis=1, keepdims=True)
        for shade, number in zip(shades, held, strict=True):
            np.testing.assert_allclose(shade, number / ends, rtol=1e-5, atol=1e-6)


def test_compare_has_nothing_to_scale_and_says_why(paste):
    page = paste(view="compare", scale="sqrt_d_k")
    assert page.get_by_key("scale").disabled
    assert any("shows both" in caption.value for caption in page.sidebar.caption)
    assert not choose(page, view="attention").get_by_key("scale").disabled
    assert page.get_by_key("scale").value == "sqrt_d_k"


def in_numbers(page):
    """Compare, with its table opened."""
    page.session_state["in_numbers"] = True
    return run(page)


def table(page):
    """The rows of the Markdown table under Compare, cell by cell."""
    (text,) = [m.value for m in in_numbers(page).markdown if m.value.startswith("| query")]
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in text.splitlines()]
    assert {len(row) for row in rows} == {10}
    return [[cell.strip() for cell in row] for row in rows[2:]]


def test_the_table_under_compare_has_the_numbers(paste):
    raw, scaled = (
        trace(replace(WARM_MAT, scale=scale)).weights[0] for scale in ("raw", "sqrt_d_k")
    )
    rows = table(paste(view="compare", decimals="4"))
    assert [row[0].strip("*") for row in rows] == list(WARM_MAT.tokens)
    assert rows[1][0] == "**cat**"
    for row, a, b in zip(rows, raw, scaled, strict=True):
        i = rows.index(row)
        largest, entropy = (a.max(), b.max()), tuple(-(p * np.log2(p)).sum() for p in (a, b))
        pairs = (largest, entropy, (a[i], b[i]))
        numbers = [n for before, after in pairs for n in (before, after, after - before)]
        assert row[1:] == [labels.number(n, 4) for n in numbers]


def test_a_word_that_may_see_nobody_has_dashes_in_the_table(paste):
    page = paste(view="compare", text="a b", mask="causal,padding", pad="2")
    assert table(page) == [["**a**", *"–––––––––"], ["b", *"–––––––––"]]


def test_any_state_can_be_pinned_and_compared_with_what_comes_next(paste):
    page = paste(view="compare", example="bank_river")
    next(b for b in page.button if b.label == "Keep this as A, then change something").click()
    run(page)
    assert link(page)["pin"] == "example=bank_river"
    page = choose(page, mask=["causal"], scale="sqrt_d_k", temperature=2.0)
    a = trace(EXAMPLES["bank_river"].settings)
    b = trace(replace(EXAMPLES["bank_river"].settings, mask=("causal",), scale="sqrt_d_k",
                      temperature=2.0))  # fmt: skip
    np.testing.assert_allclose(numbers(page, "a_weights"), a.weights[0], **FLOAT32)
    seen = np.where(b.visible, b.weights[0], np.nan)
    np.testing.assert_allclose(numbers(page, "b_weights"), seen, **FLOAT32)
    change = b.weights[0] - a.weights[0]
    np.testing.assert_allclose(numbers(page, "c_weights"), change, **FLOAT32)
    said = " ".join(bodies(page))
    assert "scaling raw → ÷ √d\\_k" in said
    assert "temperature 1 → 2" in said
    assert "mask none → causal" in said


def test_both_states_travel_in_the_link_and_swap(paste):
    page = paste(view="compare", text="dog bites man", d_model="6", position="alibi",
                 pin="text=man+bites+dog&d_model=6")  # fmt: skip
    assert link(page)["pin"] == "text=man+bites+dog&d_model=6"
    assert "c_weights" not in charts(page)
    assert any("cells cannot be subtracted" in text for text in bodies(page))
    tables = next(
        m.value for m in in_numbers(page).markdown if m.value.startswith("| A, pinned: query")
    )
    assert [text.count("\n") for text in tables.split("\n\n")] == [4, 4]
    next(b for b in page.button if b.label == "Swap A and B").click()
    run(page)
    assert link(page) == {
        "text": "man bites dog", "d_model": "6", "view": "compare",
        "pin": "text=dog+bites+man&d_model=6&position=alibi",
    }  # fmt: skip
    next(b for b in page.button if b.label == "Unpin").click()
    run(page)
    assert "pin" not in link(page)
    assert set(charts(page)) == COMPARED


def test_two_sentences_meet_in_the_word_that_both_have(paste):
    """Its vector goes in alike and comes out otherwise; the cosine of both is said."""
    page = paste(example="two_banks")
    a, b = (trace(EXAMPLES[name].settings) for name in ("river_bank", "two_banks"))
    (said,) = [text for text in bodies(page) if "cosine" in text]
    (at_a, at_b), (out_a, out_b) = ((5, 5), (a.context[0, 5], b.context[0, 5]))
    np.testing.assert_array_equal(a.x[at_a], b.x[at_b])
    cosine = out_a @ out_b / np.linalg.norm(out_a) / np.linalg.norm(out_b)
    assert cosine < 0.5
    assert "“bank” in both: the same vector in, another vector out" in said
    assert f"**{cosine:.2f}**" in said
    shared = [0, 3, 5], [0, 4, 5]  # They, the, bank
    for side, t, places in (("a", a, shared[0]), ("b", b, shared[1])):
        np.testing.assert_allclose(
            numbers(page, f"{side}_context"), t.context[0][places], **FLOAT32
        )
        np.testing.assert_array_equal(numbers(page, f"{side}_embeddings"), t.x[places])
    change = b.context[0][shared[1]] - a.context[0][shared[0]]
    np.testing.assert_allclose(numbers(page, "c_context"), change, **FLOAT32)

    page = choose(page, query=4)  # the: word 4 in A
    assert any("A, pinned: “the” asks" in text for text in bodies(page))
    page = choose(page, query=2)  # money is in B alone, so A goes on with its own query
    assert any("stands in B alone" in text for text in bodies(page))
    assert any("A, pinned: “bank” asks" in text for text in bodies(page))
    next(b for b in page.button if b.label == "Unpin").click()
    run(page)
    assert link(page) == {"example": "two_banks", "query": "2", "pin": "none"}


@pytest.mark.parametrize(
    ("cell", "set_"),
    [
        ({"chart": "a_weights", "row": 5, "column": 3},
         [{"step": "weights", "query": 5, "key": 4}]),
        ({"chart": "b_scores", "row": 5, "column": 3}, [{"step": "scores", "query": 5, "key": 3}]),
        ({"chart": "a_context", "row": 1, "column": 2},
         [{"step": "context", "query": 4, "feature": 2}]),
        ({"chart": "a_arrows", "row": -14, "column": 3}, [{"query": 4}]),
        ({"chart": "a_arrows", "row": -14, "column": 4}, []),  # river is in A alone
        ({"chart": "a_weights", "row": 4, "column": 5}, []),
        ({"chart": "a_context", "row": 9, "column": 0}, []),
        ({"chart": "a_weights", "row": "5", "column": None}, []),
    ],
)  # fmt: skip
def test_a_click_on_either_side_opens_the_word_that_both_have(monkeypatch, put, cell, set_):
    a, b = (trace(EXAMPLES[name].settings) for name in ("river_bank", "two_banks"))
    pair = compare_view._paired("", a, View(query=5), "", b, View(query=5))
    monkeypatch.setattr(compare_view, "said", lambda _: {"picked": cell})
    compare_view._picked(pair)
    assert put == set_


def test_other_vectors_behind_the_same_words_are_named_as_a_difference(paste):
    page = paste(view="compare", text="bank of river", d_model="4", pin="example=bank_river")
    assert any("They differ in: embeddings" in text for text in bodies(page))


def test_weights_that_are_no_numbers_are_said_to_be_none(paste):
    packed = {"text": "a b", "d_model": "2", "rule": "total", "seed": "0"}
    page = paste(**packed)
    rows = by_hand.Edits(x=(("1", "0"), ("-1", "0")), words=("a", "b"))
    state = decode(packed)[0].but(edits=rows)
    page = paste(**encode(state) | {"view": "compare"})
    assert np.isnan(numbers(page, "a_weights")).all()
    assert any("no numbers here" in text for text in bodies(page))
    assert not any("nan" in text for text in bodies(page))  # as Python writes it


def test_a_pin_that_is_damaged_is_ignored_and_named(paste):
    for pin in ("nonsense=1", "d_model=99", "pin=text%3Da"):
        page = paste(view="compare", pin=pin)
        assert "pin" not in link(page)
        assert any("pin" in text for text in bodies(page))


def test_what_moved_compares_with_the_pin_of_the_link(paste):
    page = paste(example="bank_river", scale="sqrt_d_k", moved="1", pin="example=bank_river")
    settings = EXAMPLES["bank_river"].settings
    before, now = (trace(replace(settings, scale=scale)) for scale in ("raw", "sqrt_d_k"))
    drawn = numbers(page, "moved_weights")
    np.testing.assert_allclose(drawn, now.weights[0] - before.weights[0], **FLOAT32)
    assert any("against the pinned state" in text for text in bodies(page))


# Views and history


def test_the_way_through_compare_and_back_loses_nothing(paste):
    chosen = {"step": "context", "feature": 2, "direction": "all", "query": 4}
    written = {name: str(value) for name, value in chosen.items()}
    page = choose(paste(), **chosen, view="compare")
    assert link(page) == written | {"view": "compare"}
    page = choose(page, query=5, view="attention")
    assert link(page) == written | {"query": "5"}
    assert {name: page.get_by_key(name).value for name in chosen} == chosen | {"query": 5}


def test_a_control_that_was_away_comes_back_as_it_was(paste):
    """Also when something else was changed in between."""
    page = choose(paste(), mask=["window"], radius=3)
    page = choose(choose(page, mask=[], query=2), mask=["window"])
    assert page.get_by_key("radius").value == 3
    assert_shows(page, replace(WARM_MAT, mask=("window",), radius=3))


def test_back_and_forward_in_the_browser_open_what_was_there(paste):
    page = choose(paste(), scale="sqrt_d_k", d_model=5)
    go(page, scale="sqrt_d_k")
    assert_shows(page, replace(WARM_MAT, scale="sqrt_d_k"))
    assert page.get_by_key("d_model").value == 3


def test_a_change_on_the_page_wins_over_an_address_that_is_behind(paste):
    """What a fast reader does next arrives before the browser knows the newest address."""
    page = choose(paste(), d_model=5)
    page.query_params.clear()
    page = choose(page, d_model=6)
    assert link(page) == {"d_model": "6"}
    assert page.get_by_key("d_model").value == 6
    page.query_params.clear()
    run(page)  # as after a control that is in no link
    assert page.get_by_key("d_model").value == 6
    assert_shows(page, replace(WARM_MAT, d_model=6, x=None))


@pytest.mark.parametrize("first", [{}, {"view": "compare"}])
def test_a_word_chosen_by_number_stays_in_the_sentence(paste, first):
    """The query was the last word; now there is no such word."""
    page = choose(paste(query="6", **first), text="The cat")
    assert page.get_by_key("query").value == 0
    assert link(page)["query"] == "0"


# Links that are broken


@pytest.mark.parametrize(
    "bad",
    [
        {"d_model": "abc"},
        {"d_model": "999"},
        {"d_model": ""},
        {"d_model": "１２"},
        {"seed": "-1"},
        {"n_heads": "2"},
        {"d_k": "0"},
        {"scale": "maybe"},
        {"mask": "<script>alert(1)</script>"},
        {"qkv": "yes"},
        {"example": "../../etc/passwd"},
        {"text": "x" * (MAX_CHARACTERS + 1)},
        {"view": "\ufffd%A"},
        {"head": "1"},
        {"step": "queries"},
        {"feature": "99"},
        {"colour": ":red[boo]"},
        {"decimals": "7"},
        {"utm_source": "![i](https://example.com/i.png)"},
        {"*name*": "1"},
    ],
)
def test_a_link_with_nonsense_opens_the_default_and_says_what_it_ignored(paste, bad):
    page = paste(**bad)
    assert_shows(page, WARM_MAT)
    (notice,) = page.warning
    ((name, given),) = bad.items()
    assert labels.markdown(name, 30) in notice.value
    assert labels.markdown(given, 60) in notice.value
    assert link(page) == {}


@pytest.mark.parametrize("name", ["query", "key"])
@pytest.mark.parametrize("view", ["attention", "compare"])
def test_a_word_out_of_range_is_the_first_and_the_page_says_so(paste, name, view):
    page = paste(**{name: "7"}, view=view)
    assert link(page)[name] == "0"
    assert f"{name} = 7" in unescaped(page.warning[0].value)


def test_a_notice_names_the_first_ten_things_and_how_many_more(paste):
    (notice,) = paste(**{f"p{n}": "1" for n in range(990)}).warning
    assert notice.value.count("\n- ") == 11
    assert notice.value.endswith("- and 980 more")


def test_the_notice_goes_when_the_reader_moves_on(paste):
    page = paste(scale="maybe", query="99")
    assert len(page.warning) == 1
    assert not choose(page, query=2).warning


def test_of_a_repeated_parameter_the_last_counts(paste):
    page = paste(d_model=["2", "7"])
    assert page.get_by_key("d_model").value == 7


def test_a_sentence_in_a_link_opens_with_made_up_vectors(paste):
    page = paste(text="the cat the", d_model="4")
    assert_shows(page, Settings(text="the cat the", d_model=4))
    assert page.get_by_key("example").value == OWN
    weights = numbers(page, "weights")
    np.testing.assert_array_equal(weights[0], weights[2])


# Sentences of every length


@pytest.mark.parametrize("text", ["", "   ", "\u200b", "\t\n"])
@pytest.mark.parametrize("view", ["attention", "compare"])
def test_without_a_word_there_is_an_invitation_and_no_chart(paste, text, view):
    page = paste(text=text, view=view)
    assert charts(page) == {}
    assert "Type a sentence" in page.info[0].value
    assert_shows(choose(page, view="attention", text="hi"), Settings(text="hi"))


def test_a_single_word_attends_to_itself(paste):
    page = paste(text="Hello")
    assert_shows(page, Settings(text="Hello"))
    assert numbers(page, "weights") == [[1]]


@pytest.mark.parametrize("n_tokens", [13, 17, 65])
def test_many_words_are_drawn_and_what_is_left_out_is_said(paste, n_tokens):
    text = " ".join(f"w{n}" for n in range(n_tokens))
    page = paste(text=text, query=str(n_tokens - 1))
    assert_shows(page, Settings(text=text))
    assert any("digits" in caption.value for caption in page.caption)


def test_too_many_words_are_refused_in_a_sentence_and_kept(paste):
    text = "a " * (MAX_TOKENS + 1)
    page = paste(text=text)
    assert charts(page) == {}
    assert f"up to {MAX_TOKENS} tokens" in unescaped(page.warning[0].value)
    assert page.get_by_key("text").value == text
    assert link(page)["text"] == text
    assert_shows(choose(page, text="a b"), Settings(text="a b"))


def test_a_text_that_fits_no_link_is_refused_in_a_sentence(paste):
    page = choose(paste(), text="x" * (MAX_CHARACTERS + 1))
    assert charts(page) == {}
    assert f"up to {MAX_CHARACTERS:,} characters" in unescaped(page.warning[0].value)


def unescaped(markdown):
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown)


# Words with something in them that Markdown, HTML or a chart would read

HOSTILE = (
    *("*star*", ":red[boo]", ":smile:", ":material/home:", "__init__", "`code`", "$x^2$", "###"),
    *("<b>hi</b>", "&lt;b&gt;", "[l](//a.org)", "![i](//a.org)", "|cell|", "[SEP]", "\\frac{1}"),
    *("<script>alert(1)</script>", "![i](https://example.com/i.png)", "https://example.com"),
    *("www.example.com", "2020-01-01", "%{z}", "a_b", "שלום"),
)


@pytest.mark.parametrize("words", [HOSTILE[:8], HOSTILE[8:15], HOSTILE[15:]])
@pytest.mark.parametrize("view", ["attention", "compare"])
def test_words_are_shown_as_typed_everywhere(paste, unfold, words, view):
    text = given(words * 2)  # one token each, as of a file
    page = paste(text=text, cut="spaces", view=view, mask="causal", qkv="1", step="masked")
    assert_literal(page, words)
    if view == "attention":
        assert_literal(unfold("tables"), words)
        assert_literal(choose(page, query=len(words) + 1, key=2, step="scores"), words)


def assert_literal(page, words):
    written = bodies(page)
    for word in words:
        shown = {labels.markdown(word, longest) for longest in (None, 24, 16)}
        assert any(form in body for form in shown for body in written), word
        # Escaped, no word with punctuation in it is in the Markdown as it was typed.
        if re.search("[!-/:-@\\[-`{-~]", word):
            assert not any(word in body for body in written), word
        assert not any(word in formula.value for formula in page.latex)
        assert not any(word in element.proto.body for element in page.get("html"))
    for key, spec in charts(page).items():
        assert not any(
            w in trace_.get("hovertemplate", "") for trace_ in spec["data"] for w in words
        )
        if key.endswith("arrows"):
            drawn = [re.sub("^<b><span[^>]*>|</span></b>$", "", w) for w in spec["data"][0]["text"]]
            shown = [labels.shown(word, 14) for word in words]
        elif key not in ("w_q", "w_k", "w_v", "w_o"):
            drawn = spec["layout"]["xaxis" if key == "largest" else "yaxis"]["ticktext"]
            shown = [labels.shown(word, 12) for word in words]
        else:
            continue
        drawn = [html.unescape(label).strip("\u2068\u2069") for label in drawn]
        assert drawn[: len(words)] == shown


def test_words_that_are_cut_to_pieces_are_literal_too(paste):
    page = paste(text="* _a_ < ` [ $ | # w", query="0", key="4")
    assert r"**Weight from “\*” to “\[”**" in [written.value for written in page.markdown]
    page = choose(page, query=7, key=6)
    assert r"**Weight from “\#” to “\|”**" in [written.value for written in page.markdown]


@pytest.mark.parametrize("step", ["scores", "scaled", "weights", "context", "queries", "output"])
def test_no_formula_holds_a_word(paste, step):
    page = paste(text="zebra yak", qkv="1", scale="sqrt_d_k", step=step)
    assert page.latex
    assert not any(w in formula.value for w in ("zebra", "yak") for formula in page.latex)


# For those who cannot see it


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"view": "compare", "mask": "causal"},
        {"qkv": "1", "scale": "sqrt_d_k", "mask": "causal,window", "n_heads": "3"},
        {"text": "a"},
    ],
)
def test_every_chart_has_a_text_that_says_what_it_shows(paste, options):
    texts = [chart["alt"] for chart in given_charts(paste(**options)).values()]
    assert all(re.fullmatch(r"[A-Z].{20,}\.", text) for text in texts)
    assert len(set(texts)) == len(texts) >= 5


def test_the_text_of_a_chart_has_its_numbers(default_page):
    alt = {name: chart["alt"] for name, chart in given_charts(default_page).items()}
    assert alt["arrows"].startswith(
        "Arrows from cat to each word it attends to: cat 19.2 %, mat 18.7 %, sat 17.7 %"
    )
    assert "The largest, 1.479, is from sat to sat." in alt["scores"]
    assert "cat: 0.496, 0.615, 0.581." in alt["context"]


# Arithmetic


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ({"step": "scores", "query": "1", "key": "2"}, ["0.580 \\cdot 0.330", "1.275"]),
        ({"step": "weights"}, ["e^{1.358}", "20.2676", "0.187"]),
        ({"step": "context"}, ["0.192 \\cdot 0.580", "0.496"]),
        ({"step": "scaled", "scale": "sqrt_d_k"}, ["\\sqrt{3}", "0.5774", "0.770"]),
        ({"step": "queries", "example": "journey_qkv"}, ["0.296", "0.431"]),
    ],
)
def test_a_picked_number_opens_with_the_numbers_it_is_made_of(paste, options, shown):
    formula = paste(**options).latex[0].value
    assert all(part in formula for part in shown)


def test_a_hidden_cell_is_told_in_words(paste):
    page = paste(mask="causal", step="masked", query="0", key="3")
    assert any("“The” may not see “on”. The score becomes **−∞**" in body for body in bodies(page))
    page = choose(page, step="weights")
    assert any("so the weight is **0**" in body for body in bodies(page))


@pytest.mark.parametrize("step", ["w_q", "w_k", "w_v", "w_o"])
def test_no_cell_of_a_matrix_of_features_is_said_to_belong_to_a_word(paste, step):
    page = paste(qkv="1", step=step, query="5")
    heading = next(m.value for m in page.markdown if m.value.startswith("**Where"))
    assert not ("W\\_" in heading and "warm" in heading)


# PyTorch


def test_the_check_against_pytorch_is_closed_until_it_is_asked_for(default_page):
    (box,) = [box for box in default_page.expander if box.label == "Check against PyTorch"]
    assert not box.proto.expanded
    assert not any("Largest difference" in body for body in bodies(default_page))


def test_the_check_against_pytorch_finds_the_same_numbers(paste, unfold):
    pytest.importorskip("torch")
    paste(example="journey_qkv", mask="causal")
    (text,) = [body for body in bodies(unfold("torch_check")) if "Largest difference" in body]
    found = [float(number) for number in re.findall(r"\*\*(\S+?)\*\*", text)]
    assert len(found) == 3
    assert max(found) < 1e-12


def test_without_torch_the_check_says_so_in_a_sentence(paste, unfold, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name, *a: None if name == "torch" else find(name, *a)
    )
    paste()
    page = unfold("torch_check")
    assert [info.value for info in page.info] == [
        "PyTorch is not installed here, so there is nothing to check against."
    ]
    assert_shows(page, WARM_MAT)


# What else is folded


@pytest.mark.parametrize("exact", [False, True])
def test_the_tables_hold_the_numbers(paste, unfold, exact):
    paste(example="bank_river")
    page = choose(unfold("tables"), full_precision=exact, table="Weights A")
    (text,) = [body for body in bodies(page) if body.startswith("| word")]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines()[2:]]
    show = labels.exact if exact else (lambda n: labels.number(n, 3))
    weights = trace(EXAMPLES["bank_river"].settings).weights[0]
    assert rows == [
        [f"**{word}**", *map(show, row)]
        for word, row in zip(("bank", "of", "river"), weights, strict=True)
    ]


def test_three_ways_agree(paste, unfold):
    paste(scale="sqrt_d_k", mask="causal,padding", qkv="1")
    verdicts = [body for body in bodies(unfold("three_ways")) if "the same context vectors" in body]
    assert len(verdicts) == 3
    apart = re.findall(r"difference is ([^,]+),", " ".join(verdicts))
    assert all(float(number) < 1e-12 for number in apart)


@pytest.mark.parametrize("box", ["tables", "three_ways", "torch_check"])
@pytest.mark.parametrize("options", [{"n_heads": "3", "head": "mean"}, {"text": "a", "qkv": "1"}])
def test_what_is_folded_opens_in_every_experiment(paste, unfold, box, options):
    paste(**options)
    assert len(bodies(unfold(box))) > 20


# In somebody else's page


def test_embedded_there_is_the_open_view_and_no_sidebar(monkeypatch):
    monkeypatch.setattr(
        "streamlit.runtime.context.ContextProxy.is_embedded", property(lambda self: True)
    )
    page = open_page(example="bank_river", query="1")
    assert_shows(page, EXAMPLES["bank_river"].settings)
    assert list(page.sidebar) == [page.sidebar]
    assert "view" not in [element.key for element in page.main if hasattr(element, "key")]
    assert not [code for code in page.code if code.language == "html"]
    assert link(choose(page, query=2)) == {"example": "bank_river", "query": "2"}


def test_the_line_to_embed_holds_the_link_and_no_markup_of_the_readers(paste, unfold):
    paste(text='"><script>alert(1)</script>', d_model="6")
    page = unfold("embed_box")
    line = next(code.value for code in page.code if code.language == "html")
    (source,) = re.findall('<iframe src="([^"<>]*)"', line)
    assert source.endswith("d_model=6&amp;embed=true")
    assert line.count("<") == 2


# What the browser may say of a click


@pytest.fixture
def put(monkeypatch):
    """What a click sets."""
    found = []
    monkeypatch.setattr(address, "put", lambda **values: found.append(values))
    monkeypatch.setattr(address, "touch", lambda: None)
    return found


CELL = {"chart": "scores", "row": 1, "column": 2}
BAD_PLACES = (-1, 7, 1e300, 10**400, 0.5, float("nan"), float("inf"), True, "1", None, [1], {})


@pytest.mark.parametrize(
    "cell",
    [
        *(None, 5, "scores", [], {}, [1, 2], float("nan"), True),
        *[CELL | {"row": place} for place in BAD_PLACES],
        *[CELL | {"column": place} for place in BAD_PLACES],
        *[{"chart": "arrows", "row": 0, "column": place} for place in BAD_PLACES],
        *[CELL | {"chart": "context", "column": place} for place in (3, *BAD_PLACES)],
        *[CELL | {"chart": chart} for chart in ("", "nope", "__class__", "scaled", "w_q", None, 3)],
        *[CELL | {"chart": chart} for chart in (["scores"], {"a": 1}, "a_a_scores", "text")],
        {"chart": "scores"},
        {"row": 1, "column": 1},
    ],
)
def test_a_forged_click_does_nothing(put, cell):
    bridge.pick(cell, trace(WARM_MAT), View())
    assert put == []


@pytest.mark.parametrize(
    ("cell", "set_"),
    [
        (CELL, {"step": "scores", "query": 1, "key": 2}),
        (CELL | {"row": 6.0, "column": 0}, {"step": "scores", "query": 6, "key": 0}),
        (CELL | {"chart": "context"}, {"step": "context", "query": 1, "feature": 2}),
        ({"chart": "arrows", "row": -14, "column": 4}, {"query": 4}),
    ],
)
def test_a_click_picks_the_cell(put, cell, set_):
    bridge.pick(cell, trace(WARM_MAT), View())
    assert put == [set_]
    assert all(type(value) in (int, str) for value in set_.values())


def test_of_the_average_over_heads_only_weights_can_be_clicked(put):
    for chart in ("scores", "context", "weights"):
        bridge.pick(CELL | {"chart": chart}, trace(replace(WARM_MAT, n_heads=3)), View(head=None))
    assert put == [{"step": "weights", "query": 1, "key": 2}]


def test_a_click_on_a_word_picks_who_answers_where_arrows_go_to_the_key(put):
    bridge.pick({"chart": "arrows", "column": 3}, trace(WARM_MAT), View(direction=Direction.TO_KEY))
    assert put == [{"key": 3}]


def test_a_click_on_a_matrix_of_features_picks_no_word(put):
    settings = replace(WARM_MAT, qkv=True)
    for chart in ("w_q", "w_k", "w_v", "w_o"):
        bridge.pick({"chart": chart, "row": 1, "column": 1}, trace(settings), View())
    assert put == []


@pytest.mark.parametrize(("row", "column", "expected"), [(1, 1, [{"head": 0}]), (1e9, 1, [])])
def test_a_click_on_a_small_map_opens_its_head(put, row, column, expected):
    top = {"chart": "heads", "row": row + 2, "column": column}
    bridge.pick(top, replace(WARM_MAT, n_heads=3), View())
    assert put == expected


@pytest.mark.parametrize(("drawing", "where"), [("arcs", "Under"), ("columns", "Beside")])
def test_what_the_percentages_stand_at_is_said(paste, drawing, where):
    said = [caption.value for caption in paste(drawing=drawing).caption]
    assert f"{where} each word: its share of the attention of “cat”." in said


def test_the_formula_of_the_weights_names_the_step_that_is_drawn(paste):
    # With d_k = 1 the scaled scores equal the scores, and are drawn all the same.
    page = paste(scale="sqrt_d_k", d_model="4", n_heads="4")
    assert "scaled" in charts(page)
    assert any(r"\mathrm{softmax}(S'_h)" in written.value for written in page.markdown)


def test_a_step_shows_the_function_that_ran_once_it_is_asked_for(paste, unfold):
    assert not [code for code in paste().code if code.language == "python"]
    (shown,) = [code.value for code in unfold("code_weights").code if code.language == "python"]
    assert shown.strip() == inspect.getsource(attention.softmax).strip()


# Another drawing of the same numbers


def test_words_as_columns_transpose_every_matrix_and_change_no_number(paste):
    link_ = {"example": "journey_qkv", "mask": "causal"}
    upright = charts(paste(**link_))
    across = charts(paste(**link_, turned="columns"))
    assert upright.keys() == across.keys()
    for key in upright.keys() - {"arrows"}:
        np.testing.assert_array_equal(z(across[key]["data"][0]), z(upright[key]["data"][0]).T)


def test_the_formulas_follow_the_words_into_columns(paste):
    said = bodies(paste(example="journey_qkv", turned="columns"))
    assert any(r"{Q}^\top = {W_{Q}}^\top {X}^\top" in text for text in said)
    assert any(r"{Y}^\top = {V}^\top {A}^\top" in text for text in said)
    assert any("each column sums to 1" in text for text in said)


@pytest.mark.parametrize(
    ("turned", "said"),
    [("rows", "Row “bank”, column “river”"), ("columns", "Column “bank”, row “river”")],
)
def test_a_cell_of_the_weights_is_read_aloud(paste, turned, said):
    page = paste(example="bank_river", query="0", key="2", turned=turned)
    wanted = f"{said}: “bank” gives 24.5 % of its attention to “river”."
    assert wanted in [caption.value for caption in page.caption]


def test_arrows_below_a_share_and_to_the_word_itself_are_left_out(paste):
    page = paste(example="bank_river", query="0", least="20", own="0")
    _, _, tips = charts(page)["arrows"]["data"]
    assert len(tips["x"]) == 1  # 66.5 % to itself, 9.0 % to of, 24.5 % to river


def test_arrows_between_columns_are_picked_by_column(put):
    view = View(drawing=Drawing.COLUMNS)
    bridge.pick({"chart": "arrows", "row": 3, "column": 0}, trace(WARM_MAT), view)
    bridge.pick({"chart": "arrows", "row": 4, "column": 1}, trace(WARM_MAT), view)
    bridge.pick({"chart": "arrows", "row": 4, "column": 0.5}, trace(WARM_MAT), view)
    assert put == [{"query": 3}, {"key": 4}]


def test_in_front_of_a_class_there_are_the_steps_revealed_and_at_last_the_arrows(paste):
    shown = [list(charts(paste(view="present", revealed=str(n)))) for n in range(1, 7)]
    steps_ = [step.name for step in drawn(trace(WARM_MAT).steps, 0)]
    assert shown == [*(steps_[:n] for n in range(1, 5)), *[[*steps_, "arrows"]] * 2]
    page = paste(view="present")
    assert not page.sidebar.children
    assert not page.get("button_group")
