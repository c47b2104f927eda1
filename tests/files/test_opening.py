"""What a reader brings is computed with, or refused in a sentence that says why."""

import pickle

import numpy as np
import pytest
from making_files import npy_of, npz_of

from explorer.export import csv_text, npz, state, tables
from explorer.files.opening import opened
from explorer.link import codec
from explorer.link import experiment as of_state
from explorer.settings import Settings
from explorer.trace import trace


def experiment(name, data):
    found = opened(name, data if isinstance(data, bytes) else data.encode())
    values = found.state
    assert found.ignored == ()
    # It has to survive the page's own rules, and the link.
    assert codec.settle(values) == (values, {})
    assert codec.decode(codec.encode(values, limited=False)) == (values, [])
    return of_state.experiment(values)


def weights_in(name, data):
    return opened(name, data).ready


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "bank,1,0.5\nriver,-2,3e-1\n"),
        ("a.csv", "word,one,two\nbank,1,0.5\nriver,-2,3e-1\n"),
        ("a.csv", "\ufeffbank;1;0,5\r\nriver;-2;0,3\r\n"),
        ("a.tsv", "bank\t1\t0,5\n\nriver\t-2\t0.30"),
        ("a.txt", "bank,1,.5\nriver,-2,.3\n"),
    ],
)
def test_a_table_of_word_vectors_is_read(name, text):
    settings = experiment(name, text)
    assert settings.tokens == ("bank", "river")
    assert settings.x == ((1, 0.5), (-2, 0.3))


def test_our_own_table_opens_again():
    t = trace(Settings(text="the cat the mat", d_model=5))
    settings = experiment("x.csv", csv_text(tables(t)["embeddings"]))
    np.testing.assert_array_equal(trace(settings).x, t.x)
    assert settings.tokens == t.tokens


@pytest.mark.parametrize("heads", [None, 2])
def test_queries_keys_and_values_are_computed_with_as_they_are(heads):
    rng = np.random.default_rng(0)
    lead = () if heads is None else (heads,)
    q, k, v = (rng.normal(size=(*lead, 3, d)) for d in (2, 2, 4))
    visible = np.tri(3, dtype=bool)
    settings = experiment("a.npz", npz_of(q=q, k=k, v=v, visible=visible, tokens=["a", "b", "c"]))
    t = trace(settings)
    for ours, theirs in ((t.q, q), (t.k, k), (t.v, v)):
        np.testing.assert_array_equal(ours, theirs if heads else theirs[None])
    np.testing.assert_array_equal(t.visible, visible)
    assert t.tokens == ("a", "b", "c")


def test_embeddings_alone_are_enough():
    x = np.arange(6, dtype=np.float32).reshape(3, 2)
    for file in (("a.npy", npy_of(x)), ("a.npz", npz_of(X=x))):
        settings = experiment(*file)
        np.testing.assert_array_equal(settings.x, x)
        assert settings.tokens == ("word1", "word2", "word3")


def test_a_saved_state_opens_again():
    values, _ = codec.decode({"example": "poem_causal", "mask": "causal", "query": "1"})
    settings = of_state.experiment(values)
    text = state(codec.encode(values), settings, trace(settings))
    assert opened("a.json", text.encode()).state == values


class Trap:
    def __reduce__(self):
        return exec, ("raise SystemExit('ran')",)


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.csv", b"", "no line"),
        ("a.csv", b"word,one,two\n", "no line"),
        ("a.csv", b"bank,1,2\nriver,1\n", "has 1"),
        ("a.csv", b"bank,1,x\n", "“x”, number 2 of “bank”, is not a number"),
        ("a.csv", b"bank,1,,2\n", "is empty"),
        ("a.csv", b"bank,1,inf\n", "is not a number"),
        ("a.csv", b"bank,1,1e400\n", "too large"),
        ("a.csv", b"bank,1\n", "2 to 64 numbers; here it has 1"),
        ("a.csv", ("bank" + ",1" * 1025).encode(), "here it has 1,025"),
        ("a.csv", b"\xff\xfe\x00", "UTF-8"),
        ("a.csv", "\n".join(f"w{n},1,2" for n in range(513)).encode(), "up to 512"),
        ("a.exe", b"", "end in csv"),
        ("a.pt", b"", "np.savez('attention.npz'"),
        ("a.xlsx", b"", "as CSV"),
        ("a.npy", b"junk", "no NumPy file"),
        ("a.npz", b"junk", "no NPZ file"),
        ("a.npy", npy_of(np.array([Trap()], dtype=object)), "objects"),
        ("a.npy", pickle.dumps(Trap()), "objects"),
        ("a.npy", npy_of(np.ones(3)), "got float64, 3"),
        ("a.npy", npy_of(np.array([["a", "b"]])), "must be numbers"),
        ("a.npy", npy_of(np.array([[1.0, np.nan]])), "got nan in row 1, column 2"),
        ("a.npz", npz_of(y=np.ones((2, 2)), z=np.ones(2)), "this file has y, z"),
        ("a.npz", npz_of(x=np.ones((2, 2)), mask=np.ones((3, 2), bool)), "this one is 3 by 2"),
        ("a.npz", npz_of(x=np.ones((2, 2)), mask=np.full((2, 2), 3)), "True and False"),
        ("a.npz", npz_of(x=np.ones((2, 2)), tokens=["a"]), "the 2 rows; got 1"),
        (
            "a.npz",
            npz_of(q=np.ones((2, 3)), k=np.ones((2, 4)), v=np.ones((2, 3))),
            "1 by 2 by 3, 1 by 2 by 4",
        ),
        ("a.npz", npz_of(q=np.ones((2, 30)), k=np.ones((2, 30)), v=np.ones((2, 30))), "have 90"),
        ("a.json", b"{}", "not written by this page"),
    ],
)
def test_what_cannot_be_used_is_refused_in_a_sentence(name, data, said):
    with pytest.raises(ValueError, match=r"[.]$") as refused:
        opened(name, data)
    assert said in str(refused.value)


WEIGHTS = np.full((2, 3, 3), 1 / 3)


def test_ready_attention_is_looked_at_with_its_rows_checked():
    whole = weights_in("a.npz", npz_of(attention=WEIGHTS, tokens=["a", "b", "c"]))
    assert whole.tokens == ("a", "b", "c")
    assert whole.said() == "2 heads of 3 by 3. Every row sums to 1."
    off = WEIGHTS.copy()
    off[1, 2, 0] -= 0.3
    off[1, 2, 1] -= 0.5
    assert weights_in("a.npy", npy_of(off[None])).said() == (
        "2 heads of 3 by 3. 1 of 6 rows do not sum to 1; the first is row 3 of head 2, with 0.200. "
        "1 of the numbers are negative, which no share can be."
    )


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.npy", npy_of(np.ones((2, 2, 2, 3, 3))), "got 2 by 2 by 2 by 3 by 3"),
        ("a.npy", npy_of(np.ones((2, 3, 4))), "got 2 by 3 by 4"),
        ("a.npz", npz_of(weights=WEIGHTS, tokens=["a"]), "the 3 rows; got 1"),
        ("a.npz", npz_of(weights=WEIGHTS * np.nan), "got nan"),
        ("a.npy", npy_of(np.ones((1, 513, 513))), "are 513"),
    ],
)
def test_attention_of_a_wrong_shape_is_refused_with_the_shapes(name, data, said):
    with pytest.raises(ValueError, match=r"[.]$") as refused:
        weights_in(name, data)
    assert said in str(refused.value)


def test_our_own_arrays_open_again():
    t = trace(Settings(text="a b c", d_model=4))
    np.testing.assert_array_equal(trace(experiment("a.npz", npz(t))).x, t.x)
