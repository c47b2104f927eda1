"""Files on which the page once went wrong, each in its smallest form."""

import io
import json
import zipfile

import numpy as np
import pytest
from making_files import npy_of, npz_of

from explorer.export import csv_text, tables
from explorer.files.opening import Reading, opened
from explorer.link import codec, experiment
from explorer.link.state import defaults
from explorer.settings import Settings
from explorer.trace import trace


def read(text, name="a.csv"):
    """The words and numbers of a table, after a link has carried them."""
    found = opened(name, text.encode()).state
    assert codec.decode(codec.encode(found, limited=False)) == (found, [])
    settings = experiment.experiment(found)
    return settings.tokens, settings.x


CAT = (("the", "cat"), ((0.1, 0.2), (1, 2)))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "word,0,1\nthe,.1,.2\ncat,1,2\n"),
        ("a.csv", ",0,1\nthe,.1,.2\ncat,1,2\n"),
        ("a.csv", "word,1,2\nthe,.1,.2\ncat,1,2\n"),
        ("a.csv", ",word,a,b\n0,the,.1,.2\n1,cat,1,2\n"),
        ("a.csv", "the,.1,.2,\ncat,1,2,\n"),
        ("glove.txt", "the .1 .2\ncat 1 2\n"),
        ("a.vec", "2 2\nthe .1 .2 \ncat 1 2 \n"),
        ("a.tsv", "2\t2\nthe\t.1\t.2\ncat\t1\t2\n"),
    ],
)
def test_tables_as_people_have_them(name, text):
    assert read(text, name) == CAT


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("the,nan,nan", "“nan”, number 1 of “the”"),
        ("the,10%,20%", "“10%”, number 1"),
        ("the,O.1,O.2", "“O.1”, number 1"),
        ('the,"1,000","2,500"', "may be a thousand or one"),
        ('the,"1.000,5",2', "“1.000,5”, number 1"),
    ],
)
@pytest.mark.parametrize("lines", ["{}\ncat,1,2\n", "cat,1,2\n{}\n"])
def test_an_odd_number_is_refused_with_its_cell_in_any_line(line, said, lines):
    with pytest.raises(ValueError, match=r"[.]$") as refused:
        read(lines.format(line))
    assert said in str(refused.value)


TOKENS = ["[CLS]", "##ing", "▁The", "'s", "U.S.", "e-mail", "New York", "北京", "C++", "-", "="]


def test_tokens_are_kept_as_given():
    lines = "".join(f"{token},{n},1\n" for n, token in enumerate(TOKENS))
    assert read(lines)[0] == tuple(TOKENS)
    for given in (np.array(TOKENS), np.char.encode(TOKENS, "utf-8")):
        found = opened("a.npz", npz_of(x=np.ones((11, 2)), tokens=given)).state
        assert experiment.experiment(found).tokens == tuple(TOKENS)
    for mark in ",;":
        first = f"{mark} .1 .2\ncat 1 2\n"
        assert read(first, "glove.txt")[0] == (mark, "cat")
    assert read(";,.1,.2\ncat,1,2\n")[0] == (";", "cat")


def test_what_was_not_used_is_named():
    arrays = {name: np.ones((2, 2)) for name in "xqkv"}
    assert "Not used: q, k, v." in opened("a.npz", npz_of(**arrays)).notes
    both = npz_of(x=np.ones((2, 2)), attention=np.full((2, 2), 0.5))
    assert opened("a.npz", both).others == (Reading.ATTENTION,)
    assert opened("a.npz", both, Reading.ATTENTION).ready.tokens == ("word1", "word2")


@pytest.mark.parametrize("shape", [(12, 1, 2, 5, 5), (12, 2, 5, 5)])
def test_attention_of_all_layers_is_looked_at(shape):
    assert opened("a.npy", npy_of(np.full(shape, 0.2))).ready.layers.shape == (12, 2, 5, 5)


def test_the_other_reading_of_a_shape_is_offered():
    square = npy_of(np.full((5, 5), 0.2))
    assert opened("a.npy", square).ready.layers.shape == (1, 1, 5, 5)
    assert opened("a.npy", square, Reading.EMBEDDINGS).state.d_model == 5
    hidden = opened("a.npy", npy_of(np.arange(6.0).reshape(1, 3, 2)))
    assert (len(hidden.state.tokens), hidden.state.d_model) == (3, 2)
    q = np.ones((5, 2, 3))
    tokens_first = opened("a.npz", npz_of(q=q, k=q, v=q), Reading.TOKENS_FIRST).state
    assert (len(tokens_first.tokens), tokens_first.n_heads) == (5, 2)


@pytest.mark.parametrize(
    "mask",
    [np.array([True, False]), np.array([[1, 0]]), np.array([[[[0.0, -np.inf]]]]),
     np.array([[1.0, 0.0], [1.0, 0.0]])],
)  # fmt: skip
def test_a_mask_of_any_kind_is_read(mask):
    found = opened("a.npz", npz_of(x=np.ones((2, 2)), attention_mask=mask))
    visible = experiment.experiment(found.state).visible
    np.testing.assert_array_equal(visible, [[True, False], [True, False]])


def test_half_and_bfloat16_are_read():
    half, brain = np.array([[0.5, 2]], "<f2"), np.array([[0x3F00, 0x4000]], "<u2")
    for kind, data in (("F16", half), ("BF16", brain)):
        told = {"x": {"dtype": kind, "shape": [1, 2], "data_offsets": [0, 4]}}
        head = json.dumps(told).encode()
        file = len(head).to_bytes(8, "little") + head + data.tobytes()
        found = opened("a.safetensors", file).state
        assert experiment.experiment(found).x == ((0.5, 2.0),)


def test_more_numbers_than_the_page_shows_become_principal_components():
    x = np.random.default_rng(0).normal(size=(5, 100))
    found = opened("a.npy", npy_of(x))
    few = np.array(experiment.experiment(found.state).x)
    np.testing.assert_allclose(few @ few.T, x @ x.T, atol=1e-4)
    assert "principal" in " ".join(found.notes)
    first = experiment.experiment(opened("a.npy", npy_of(x), Reading.FIRST).state).x
    np.testing.assert_array_equal(first, x[:, :64])


def test_a_sentence_lists_no_more_than_ten_things():
    many = npz_of(**{f"a{n}": np.ones(1) for n in range(64)})
    with pytest.raises(ValueError, match="and 54 more"):
        opened("a.npz", many)
    with pytest.raises(ValueError, match="up to 64 arrays; this one holds 65"):
        opened("a.npz", npz_of(**{f"a{n}": np.ones(1) for n in range(65)}))


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.npy", npy_of(np.zeros((1_000_000, 7), np.int8)), "1,000,000 rows"),
        ("a.npz", npz_of(x=np.zeros((12_000_000, 2), np.int8)), "24,000,128"),
        ("a.npy", npy_of(np.zeros((190, 100, 100), np.int8)), "up to 64 heads"),
        ("a.csv", b"a,1\n" * 100_000, "100,000 lines"),
        ("a.csv", b"a" + b",1" * 100_000, "up to 1,024 numbers"),
    ],
)
def test_sizes_are_looked_at_before_the_work(name, data, said):
    with pytest.raises(ValueError, match=r"[.]$") as refused:
        opened(name, data)
    assert said in str(refused.value)


def test_an_npz_by_another_name_opens_and_one_within_another_does_not():
    inner = npz_of(x=np.eye(2))
    assert opened("a.npy", inner).state.d_model == 2
    outer = io.BytesIO()
    with zipfile.ZipFile(outer, "w") as archive:
        archive.writestr("x.npy", inner)
    with pytest.raises(ValueError, match="no NumPy file"):
        opened("a.npz", outer.getvalue())


def test_half_a_character_is_refused():
    with pytest.raises(ValueError, match="cannot be read as text"):
        opened("a.npz", npz_of(x=np.ones((2, 2)), tokens=np.array(["\ud800", "b"])))
    found = opened(
        "a.json", b'{"format": "self-attention-explorer 1", "state": {"text": "a \\ud800"}}'
    )
    assert [part.name for part in found.ignored] == ["text"]


def test_words_that_a_spreadsheet_may_run_come_back():
    t = trace(Settings(text="- = ＝ a", d_model=2))
    assert read(csv_text(tables(t)["embeddings"]))[0] == t.tokens


def test_our_own_weights_open_as_weights():
    t = trace(Settings(text="the cat sat", d_model=2))
    found = opened("a.csv", csv_text(tables(t)["weights"]).encode())
    np.testing.assert_array_equal(found.ready.weights, t.weights)


def test_a_saved_state_of_tokens_and_numbers_opens():
    data = json.dumps({"tokens": ["a", "b"], "attention": [[1, 0], [0.5, 0.5]]}).encode()
    assert opened("a.json", data).ready.tokens == ("a", "b")


def test_the_pages_own_program_opens_by_its_link():
    link = codec.encode(defaults("bank_river").but(temperature=2.0))
    program = f"# {codec.address('https://example.org/', link)}\nraise SystemExit\n"
    assert codec.encode(opened("attention.py", program.encode()).state) == link
    with pytest.raises(ValueError, match="not run"):
        opened("a.py", b"raise SystemExit\n")
