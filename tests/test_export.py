"""Files hold what was computed, to the last digit, and words do no harm in them."""

import csv
import io
import json
from itertools import product

import numpy as np
import pytest
from experiments import PAIRS
from reading import array, run, steps

from explorer.examples import EXAMPLES
from explorer.export import csv_text, latex, markdown, npz, read_state, state, tables
from explorer.link import codec
from explorer.link.experiment import experiment
from explorer.settings import Settings
from explorer.trace import trace

NOT_IN_FILES = {"biased"}
"""Without a temperature it goes by the name of `cooled`."""
QKV = EXAMPLES["journey_qkv"].settings


def rows_of(text):
    header, *rows = csv.reader(io.StringIO(text))
    return header[1:], [row[0] for row in rows], np.array([row[1:] for row in rows], dtype=float)


def test_every_matrix_of_every_head_goes_to_a_csv_and_back_bit_for_bit():
    """Under the name of its step; the masks and all that no step shows are in the files too."""
    for name, settings in PAIRS.items():
        run_ = run(name, settings)
        found = {key: rows_of(csv_text(table))[2] for key, table in tables(run_.trace).items()}
        np.testing.assert_array_equal(found["visible"], run_.visible, name)
        for head, step in product(run_.heads, set(steps(run_)) - NOT_IN_FILES):
            key = str(step) if step in found else f"{step}_head_{head + 1}"
            numbers = array(run_, step, head)
            np.testing.assert_array_equal(found[key], numbers + 0.0, f"{name}: {key}")


def test_a_csv_names_its_rows_and_columns_by_words():
    columns, rows, _ = rows_of(csv_text(tables(trace(QKV))["weights"]))
    assert columns == rows == list(QKV.tokens)


@pytest.mark.parametrize("word", ['a"b', "a,b", "ä\tb", "漢"])
def test_any_word_comes_back_from_a_csv(word):
    settings = Settings(text="a b", d_model=2)
    table = tables(trace(settings))["embeddings"]
    object.__setattr__(table, "rows", (word, "b"))
    _, rows, _ = rows_of(csv_text(table))
    assert rows == [word.replace("\t", " "), "b"]


@pytest.mark.parametrize("word", ["=1+1", "+cmd", "-2", "@sum"])
def test_a_word_like_a_formula_is_quoted_for_spreadsheets(word):
    table = tables(trace(Settings(text="a b", d_model=2)))["embeddings"]
    object.__setattr__(table, "rows", (word, "b"))
    assert rows_of(csv_text(table))[1][0] == f"'{word}"


def test_markdown_and_latex_show_the_decimals_of_the_page():
    table = tables(trace(EXAMPLES["bank_river"].settings))["weights"]
    assert "| bank | 0.665 | 0.090 | 0.245 |" in markdown(table, 3)
    assert r"bank & 0.665 & 0.090 & 0.245 \\" in latex(table, 3)
    masked = tables(trace(Settings(text="a b", d_model=2, mask=("causal",))))["masked"]
    assert r"$-\infty$" in latex(masked, 2)


@pytest.mark.parametrize("word", list("\\{}$&#^_~%<>"))
def test_latex_never_meets_a_bare_sign(word):
    table = tables(trace(Settings(text="a b", d_model=2)))["embeddings"]
    object.__setattr__(table, "rows", (word, "b"))
    (line,) = [line for line in latex(table, 2).splitlines() if line.endswith(r"\\")][:1]
    name = line.split(" & ")[0]
    assert name.startswith("\\")
    assert len(name) > 1


def test_the_arrays_load_without_pickles_under_the_names_of_the_trace():
    t = trace(QKV)
    loaded = np.load(io.BytesIO(npz(t)), allow_pickle=False)
    assert tuple(loaded["tokens"]) == t.tokens
    for name in ("x", "w_q", "q", "k", "v", "scores", "weights", "context", "visible", "output"):
        np.testing.assert_array_equal(loaded[name], getattr(t, name))


def test_the_state_opens_again_and_holds_every_step():
    link = {"example": "poem_causal", "mask": "causal,padding", "query": "1"}
    values, _ = codec.decode(link)
    settings = experiment(values)
    t = trace(settings)
    text = state(codec.encode(values, limited=False), settings, t)
    assert codec.decode(read_state(text)) == (values, [])
    steps = json.loads(text)["steps"]
    np.testing.assert_array_equal(np.array(steps["weights"]), t.weights[0])
    assert steps["masked"][0][2] == "-inf"


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"format": "other"}', b"\xff\xfe", "[" * 100_000,
             '{"format": "self-attention-explorer 1"}',
             '{"format": "self-attention-explorer 1", "state": {"d_model": 3}}'],
)  # fmt: skip
def test_another_file_is_refused_in_a_sentence(text):
    with pytest.raises(ValueError, match=r"^(This|The state).*\.$"):
        read_state(text)
