"""Numbers changed by hand: read right or refused, and back from a link digit for digit."""

import base64
import json
import zlib

import pytest
from hypothesis import given
from hypothesis import settings as how
from hypothesis import strategies as st

from explorer import edits as by_hand
from explorer.edits import MATRICES, NOTHING, Edits, changed, number, pack, unpack, written
from explorer.settings import MAX_NUMBER

DIGITS = st.from_regex(r"[+-]?[0-9]{1,5}(\.[0-9]{0,12})?(e-?[0-9])?", fullmatch=True).filter(
    lambda text: abs(float(text)) <= MAX_NUMBER
)


@st.composite
def matrices(draw, cells=DIGITS):
    n_rows, n_columns = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    row = st.tuples(*[cells] * n_columns)
    return draw(st.tuples(*[row] * n_rows))


@st.composite
def any_edits(draw):
    found = {name: draw(st.none() | matrices()) for name in MATRICES if name != "visible"}
    found["visible"] = draw(st.none() | matrices(st.sampled_from("01")))
    words = st.text(st.characters(exclude_categories=()), min_size=1, max_size=6)
    n_words = len(found["x"] or ())
    found["words"] = tuple(draw(st.lists(words, min_size=n_words, max_size=n_words)))
    return Edits(**found)


# What is typed


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("0.5", 0.5),
        (" 0,5 ", 0.5),
        ("1,25", 1.25),
        (".07", 0.07),
        (",07", 0.07),
        ("-2", -2),
        ("−2", -2),
        ("+3", 3),
        ("4.", 4),
        ("1e-3", 0.001),
        ("1E2", 100),
        ("１２", 12),
        ("٣", 3),
        ("٣٫٥".replace("٫", ","), 3.5),
        (7, 7),
        (0.1, 0.1),
    ],
)
def test_a_number_is_read_as_it_is_meant(typed, read):
    assert float(number(typed)) == read


@pytest.mark.parametrize(
    "typed",
    ["", "  ", None, "x", "1_000", "inf", "-inf", "nan", "1e400", "1000001", "1,2,3", "1,234.5",
     "0x10", "1 2", "1/2", "--1", "1e", "e5", ".", ",", "∞", "²", "½", True],
)  # fmt: skip
def test_what_is_no_number_is_refused_in_words(typed):
    with pytest.raises(ValueError, match=r"^is "):
        number(typed)


@given(DIGITS)
def test_the_digits_that_were_typed_are_kept(text):
    assert number(text) == text
    assert number(number(text)) == number(text)


@given(st.floats(-MAX_NUMBER, MAX_NUMBER))
def test_a_written_number_is_that_number(value):
    ((text,),) = written([[value]])
    assert float(text) == value
    assert number(text) == text


# There and back


@given(any_edits(), any_edits())
@how(max_examples=50)
def test_edits_travel_bit_for_bit(edits, other):
    base = {name: rows for name in MATRICES if (rows := getattr(other, name)) is not None}
    assert unpack(pack(edits, base), base) == edits
    assert unpack(pack(edits, {}), {}) == edits


@given(matrices(), st.data())
def test_only_what_differs_is_written(rows, data):
    base = {"w_q": rows}
    nothing = len(pack(Edits(w_q=rows), base))
    i, j = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.integers(0, len(rows[0]) - 1))
    one = [list(row) for row in rows]
    one[i][j] = "123.456"
    edits = Edits(w_q=tuple(map(tuple, one)))
    packed = pack(edits, base)
    assert nothing <= len(packed) < nothing + 40
    assert unpack(packed, base) == edits


def packed(parts):
    squeezed = zlib.compress(json.dumps(parts).encode())
    return "1" + base64.urlsafe_b64encode(squeezed).decode().rstrip("=")


BASE = {"w_q": (("1", "2"), ("3", "4"))}


@pytest.mark.parametrize(
    "damaged",
    [
        "",
        "1",
        "1!!!",
        "1" + "A" * 40,
        "2" + packed({})[1:],
        packed({"w_q": [2, 2, {"0": "5"}]})[:-4],
        packed([]),
        packed({"other": [1, 1, "0"]}),
        packed({"w_q": "1"}),
        packed({"w_q": [2]}),
        packed({"w_q": [2, 2, "1", "2", "3"]}),
        packed({"w_q": [2, 2, "1", "2", "3", "nan"]}),
        packed({"w_q": [2, 2, "1", "2", "3", "1e400"]}),
        packed({"w_q": [2, 2, "1", "2", "3", "0,5"]}),
        packed({"w_q": [2, 2, "1", "2", "3", 4]}),
        packed({"w_q": [2, 2, {"4": "1"}]}),
        packed({"w_q": [2, 2, {"-1": "1"}]}),
        packed({"w_q": [2, 2, {"0": 1}]}),
        packed({"w_k": [2, 2, {"0": "1"}]}),
        packed({"w_q": [True, 2, "1", "2"]}),
        packed({"w_q": [-2, -2, "1", "2", "3", "4"]}),
        packed({"w_q": [99_999, 1]}),
        packed({"visible": [1, 1, "2"]}),
        packed({"x": [1, 1, "2"]}),
        packed({"x": [1, 1, "2"], "words": [1]}),
        packed({"x": [1, 1, "2"], "words": ["a", "b"]}),
        packed({"words": ["a"]}),
    ],
)
def test_what_is_damaged_is_refused(damaged):
    with pytest.raises(ValueError, match=r"."):
        unpack(damaged, BASE)


@given(st.text() | st.binary().map(lambda b: "1" + base64.urlsafe_b64encode(b).decode()))
def test_whatever_a_link_says_it_is_edits_or_refused(text):
    try:
        found = unpack(text, BASE)
    except ValueError:
        return
    assert isinstance(found, Edits)


def test_a_few_characters_cannot_ask_for_much():
    bomb = "1" + base64.urlsafe_b64encode(zlib.compress(b"0" * 40_000_000, 9)).decode()
    with pytest.raises(ValueError, match="cut off"):
        unpack(bomb, {})


def test_changed_leaves_the_rest():
    edits = Edits(w_q=(("1",),))
    assert changed(edits, w_k=(("2",),)) == Edits(w_q=(("1",),), w_k=(("2",),))
    assert changed(edits, w_q=None) == NOTHING
    assert by_hand.shape(()) == (0, 0)
