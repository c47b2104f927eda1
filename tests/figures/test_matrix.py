"""Matrices are drawn as they are: every number, every word, hidden cells said to be hidden."""

import html
import re

import numpy as np
import pytest
from figures.checked import checked

from explorer import labels
from explorer.figures import palette
from explorer.figures.matrix import Kind, largest, layout, matrix, row_bounds, size

THE_CAT = ("the", "cat", "the")
WEIGHTS = np.array([[0.2, 0.5, 0.3], [0.1, 0.7, 0.2], [0.25, 0.25, 0.5]])
SCORES = np.array([[1.5, -2.0, 0.5], [0.0, 1.0, 9.0], [-0.25, 3.0, 1.0]])
CAUSAL = ~np.tri(3, dtype=bool)
HOSTILE = ("<b>hi</b>", "a<br>b", "&lt;b&gt;", "$x^2$", "%{z}", '<a href="x">y</a>', "R&D", "")


def draw(numbers, tokens=THE_CAT, kind=Kind.WEIGHTS, by_row=False, **options):
    """A matrix with a row and a column for each word."""
    numbers = np.asarray(numbers, dtype=float)
    if by_row:
        hidden = options.get("hidden", np.zeros(numbers.shape, bool))
        options["row_bounds"] = row_bounds(np.where(hidden, np.nan, numbers))
    frame = layout(tokens)
    return checked(matrix(numbers, rows=tokens, columns=tokens, kind=kind, frame=frame, **options))


def draw_vectors(numbers, tokens, frame):
    columns = [str(n + 1) for n in range(np.shape(numbers)[1])]
    options = {"rows": tokens, "columns": columns, "kind": Kind.SIGNED, "frame": frame}
    return checked(matrix(np.array(numbers), **options))


def words(n):
    return tuple(f"word{i}" for i in range(n))


def literal(label):
    """What a reader sees of a label, if nothing in it is read as HTML."""
    assert not re.search("[<>$]", label)
    return html.unescape(label).strip("\u2068\u2069")


def said(figure, row, column):
    """What is said when a cell is pointed at."""
    for trace in reversed(figure.data):
        if trace.type == "heatmap" and np.isfinite(trace.z[row, column]):
            break
    if trace.hoverinfo == "none":
        return None

    def fill(match):
        name, form = match["name"], match["form"] or ""
        if name == "hovertext":
            return literal(trace.hovertext[row][column])
        if name in "xy":
            axis, place = (
                (figure.layout.xaxis, column) if name == "x" else (figure.layout.yaxis, row)
            )
            ticks = dict(zip(axis.tickvals, axis.ticktext, strict=True))
            return literal(ticks.get(place, str(place)))
        return format(float(getattr(trace, name)[row, column]), form)

    template = trace.hovertemplate.removesuffix("<extra></extra>")
    return re.sub(r"%\{(?P<name>\w+)(:(?P<form>[^}]*))?\}", fill, template)


# Where the words are


@pytest.mark.parametrize(
    "tokens",
    [
        ("the", "cat", "the"),
        ("1990", "2", "10"),
        ("2020-01-01", "2021-05-01", "2021-05-02"),
        ("1e5", "NaN", "True"),
        ("שלום", "عالم", "!"),
    ],
)
def test_words_are_labels_at_their_positions_whatever_they_look_like(tokens):
    figure = draw(WEIGHTS, tokens)
    assert figure.data[0].z.shape == (3, 3)
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        assert axis.type == "linear"
        assert axis.tickmode == "array"
        assert axis.tickvals == (0, 1, 2)
        assert tuple(map(literal, axis.ticktext)) == tokens


def test_row_0_is_on_top_and_column_0_on_the_left():
    figure = draw(WEIGHTS)
    assert figure.layout.yaxis.range == (2.5, -0.5)
    assert figure.layout.xaxis.range == (-0.5, 2.5)
    assert figure.layout.xaxis.side == "top"
    np.testing.assert_allclose(figure.data[0].z, WEIGHTS, rtol=1e-6)


def test_rows_and_columns_have_their_own_names():
    rows, columns = ("cat", "mat"), ("1", "2", "3")
    numbers, frame = np.ones((2, 3)), layout(rows)
    figure = checked(matrix(numbers, rows=rows, columns=columns, kind=Kind.SIGNED, frame=frame))
    assert figure.layout.yaxis.ticktext == rows
    assert figure.layout.xaxis.ticktext == columns


def test_words_are_literal():
    n = len(HOSTILE)
    figure = draw(np.eye(n), HOSTILE)
    shown = [labels.shown(word, 12) for word in HOSTILE]
    assert [literal(tick) for tick in figure.layout.yaxis.ticktext] == shown
    assert [literal(tick)[:9] for tick in figure.layout.xaxis.ticktext] == [w[:9] for w in shown]
    assert not any("<b>" in str(trace.hovertemplate) for trace in figure.data)


@pytest.mark.parametrize(("n_tokens", "every"), [(16, 1), (17, 2), (32, 2), (33, 3), (64, 4)])
def test_ticks_are_thinned_above_16(n_tokens, every):
    figure = draw(np.eye(n_tokens), words(n_tokens))
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        assert axis.tickvals == tuple(range(0, n_tokens, every))
        assert axis.ticktext == tuple(f"word{i}" for i in range(0, n_tokens, every))


def test_a_long_word_is_cut_and_does_not_squeeze_the_cells():
    figure = draw(WEIGHTS, ("x" * 200, "cat", "the"))
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        assert re.fullmatch("x{8,11}…", axis.ticktext[0])
    assert figure.layout.margin.l < 120
    assert figure.layout.margin.t < 120
    assert cell_width(figure, 3) >= 32


@pytest.mark.parametrize("token", ["incomprehensibilities", "<i>" * 9, "東" * 30])
def test_pointing_at_a_cell_names_the_whole_word(token):
    figure = draw(WEIGHTS, (token, "cat", "the"), hover="%{y} → %{x}")
    assert said(figure, 0, 1) == f"{token} → cat: 0.5000"
    assert said(figure, 1, 0) == f"cat → {token}: 0.1000"


@pytest.mark.parametrize("n_tokens", [3, 16, 17, 40])
def test_pointing_at_a_cell_names_its_words_or_nothing(n_tokens):
    """A chart could only give the position of a word without a tick."""
    figure = draw(np.eye(n_tokens), words(n_tokens), hover="%{y} → %{x}")
    names = {said(figure, 1, 2), said(figure, 0, 0)}
    assert names == (
        {"word1 → word2: 0.0000", "word0 → word0: 1.0000"} if n_tokens < 17 else {None}
    )


# Colours


@pytest.mark.parametrize(
    ("kind", "numbers", "low", "high"),
    [
        (Kind.WEIGHTS, WEIGHTS, 0, 0.7),
        (Kind.WEIGHTS, np.full((3, 3), 1 / 3), 0, 1 / 3),
        (Kind.WEIGHTS, np.eye(3), 0, 1),
        (Kind.WEIGHTS, np.zeros((3, 3)), 0, 1),
        (Kind.SIGNED, SCORES, -9, 9),
        (Kind.SIGNED, -SCORES, -9, 9),
        (Kind.SIGNED, SCORES / 1e9, -9e-9, 9e-9),
        (Kind.SIGNED, np.full((3, 3), 2.0), -2, 2),
        (Kind.SIGNED, np.zeros((3, 3)), -1, 1),
        (Kind.SIGNED, np.full((3, 3), 1e6), -1e6, 1e6),
    ],
)
def test_the_scale_of_weights_begins_at_0_and_that_of_others_has_0_in_its_middle(
    kind, numbers, low, high
):
    heatmap = draw(numbers, kind=kind).data[0]
    assert (heatmap.zmin, heatmap.zmax) == pytest.approx((low, high))
    assert heatmap.colorscale[0 if kind is Kind.WEIGHTS else 2] == (0.5 * (low < 0), "#ffffff")


def test_a_bound_is_the_end_of_the_scale_of_every_matrix_it_is_given_to():
    weights = draw(WEIGHTS, bound=1.0).data[0]
    assert (weights.zmin, weights.zmax) == (0, 1)
    scores = draw(SCORES, kind=Kind.SIGNED, bound=20.0).data[0]
    assert (scores.zmin, scores.zmax) == (-20, 20)


@pytest.mark.parametrize(
    ("numbers", "size"),
    [([1, -3], 3), ([0, 0], 1), ([], 1), ([-np.inf, 2, np.nan], 2), ([-np.inf, np.nan], 1)],
)
def test_the_largest_is_among_what_can_be_drawn(numbers, size):
    assert largest(np.array(numbers, dtype=float)) == size


def test_by_row_every_row_goes_up_to_its_own_largest_number():
    scores = np.array([[1.0, -2.0, 0.5], [0.0, 0.0, 0.0], [10.0, 5.0, -1.0]])
    heatmap = draw(scores, kind=Kind.SIGNED, by_row=True).data[0]
    assert (heatmap.zmin, heatmap.zmax) == (-1, 1)
    np.testing.assert_allclose(heatmap.z, [[0.5, -1, 0.25], [0, 0, 0], [1, 0.5, -0.1]], rtol=1e-6)
    np.testing.assert_allclose(heatmap.customdata, scores, rtol=1e-6)
    weights = draw(WEIGHTS, by_row=True).data[0]
    assert (weights.zmin, weights.zmax) == (0, 1)
    np.testing.assert_allclose(weights.z.max(axis=1), 1)


@pytest.mark.parametrize("by_row", [False, True])
def test_pointing_at_a_cell_says_its_number_however_it_is_coloured(by_row):
    figure = draw(SCORES, kind=Kind.SIGNED, by_row=by_row, hover="%{y} → %{x}")
    assert said(figure, 1, 2) == "cat → the: 9.0000"
    assert said(figure, 0, 1) == "the → cat: -2.0000"
    large = draw(SCORES * 1e5, kind=Kind.SIGNED, by_row=by_row)
    assert said(large, 1, 2) == "cat, the: 9e+05"


@pytest.mark.parametrize("colour", [*palette.WEIGHTS, *palette.SIGNED])
def test_grey_means_hidden_and_nothing_else(colour):
    red, green, blue = (int(colour[1][n : n + 2], 16) for n in (1, 3, 5))
    assert (red, green, blue) == (255, 255, 255) or max(red, green, blue) - min(
        red, green, blue
    ) > 20
    assert palette.HIDDEN.startswith("rgba(128, 128, 128")


# Hidden cells


@pytest.mark.parametrize("behind", [99.0, -99.0, np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("by_row", [False, True])
def test_hidden_cells_are_grey_whatever_they_hold_and_do_not_stretch_the_colours(behind, by_row):
    scores = np.where(CAUSAL, behind, SCORES)
    figure = draw(scores, kind=Kind.SIGNED, hidden=CAUSAL, by_row=by_row)
    numbers, grey = figure.data
    np.testing.assert_array_equal(np.isnan(numbers.z), CAUSAL)
    np.testing.assert_array_equal(np.isfinite(grey.z), CAUSAL)
    assert {colour for _, colour in grey.colorscale} == {palette.HIDDEN}
    assert numbers.zmax == (1 if by_row else 3)
    if by_row:
        np.testing.assert_array_equal(np.isnan(numbers.customdata), CAUSAL)


def test_hidden_cells_have_no_digits_and_say_that_they_are_hidden():
    figure = draw(WEIGHTS, hidden=CAUSAL, hover="%{y} → %{x}")
    assert [[bool(text) for text in row] for row in figure.data[0].text] == (~CAUSAL).tolist()
    assert said(figure, 0, 1) == "the → cat: hidden"
    assert said(figure, 1, 0) == "cat → the: 0.1000"


def test_no_cell_says_hidden_where_none_is():
    for hidden in (None, np.zeros((3, 3), dtype=bool)):
        assert len(draw(WEIGHTS, hidden=hidden).data) == 1


def test_a_matrix_may_be_hidden_altogether():
    figure = draw(WEIGHTS, hidden=np.ones((3, 3), dtype=bool))
    assert np.isnan(figure.data[0].z).all()
    assert figure.data[0].zmax == 1
    assert said(figure, 1, 1) == "cat, cat: hidden"


# Digits


@pytest.mark.parametrize("decimals", [2, 3, 6])
def test_the_digits_are_the_numbers(decimals):
    numbers = np.array([[0.123456789, -0.0001, 1e6], [-2.5, 0, 1], [1 / 3, 2 / 3, 12.0]])
    heatmap = draw(numbers, kind=Kind.SIGNED, decimals=decimals).data[0]
    assert heatmap.texttemplate == "%{text}"
    expected = [[labels.number(number, decimals) for number in row] for row in numbers]
    assert [list(row) for row in heatmap.text] == expected


@pytest.mark.parametrize(
    ("shape", "digits"), [((12, 12), True), ((13, 3), False), ((3, 13), False), ((1, 1), True)]
)
def test_up_to_12_rows_and_columns_there_are_digits(shape, digits):
    figure = draw_vectors(np.ones(shape), words(shape[0]), layout(words(shape[0])))
    assert (figure.data[0].text is not None) == digits


@pytest.mark.parametrize("by_row", [False, True])
def test_numbers_travel_as_float32(by_row):
    figure = draw(WEIGHTS, by_row=by_row, hidden=CAUSAL)
    sent = [a for trace in figure.data for a in (trace.z, trace.customdata) if a is not None]
    assert {array.dtype for array in sent} == {np.dtype(np.float32)}
    assert len(sent) == 2 + by_row


# Sizes


def cell_width(figure, n_columns):
    """Pixels of a cell, from the axis and the room that the margins leave."""
    low, high = figure.layout.xaxis.range
    margin = figure.layout.margin
    return (figure.layout.width - margin.l - margin.r) / (high - low)


@pytest.mark.parametrize("tokens", [words(1), THE_CAT, words(12), words(13), words(40), words(512)])
def test_rows_of_all_matrices_of_one_layout_are_level(tokens):
    frame, n = layout(tokens), len(tokens)
    beside = ["1.000"] * n if n <= 64 else None
    figures = [
        draw_vectors(np.ones((n, 1)), tokens, frame),
        draw_vectors(np.ones((n, 7)) * 1e6, tokens, frame),
        draw(np.eye(n), tokens),
        draw(np.eye(n), tokens, beside=beside, hidden=np.eye(n, dtype=bool), by_row=True),
    ]
    heights = {(f.layout.height, f.layout.margin.t, f.layout.margin.b) for f in figures}
    assert heights == {(size(n, frame), frame.top, 6)}
    assert {f.layout.margin.l for f in figures} == {frame.left}
    assert {f.layout.yaxis.range for f in figures} == {(n - 0.5, -0.5)}
    assert (size(n, frame) - frame.top - 6) == n * frame.cell_height


@pytest.mark.parametrize("tokens", [("a",), ("a", "b"), THE_CAT])
def test_a_narrow_chart_is_widened_beside_its_cells_not_within_them(tokens):
    """Streamlit draws no chart narrower than 160 pixels, and cuts off what stands beyond."""
    frame = layout(tokens)
    one, seven = (draw_vectors(np.ones((len(tokens), n)), tokens, frame) for n in (1, 7))
    assert one.layout.width == 160
    assert seven.layout.width > 160
    assert cell_width(one, 1) == pytest.approx(cell_width(seven, 7))


@pytest.mark.parametrize("largest_number", [0.5, -12.5, -9999.0, 1e6])
@pytest.mark.parametrize("decimals", [2, 6])
def test_digits_fit_into_their_cells(largest_number, decimals):
    figure = draw(np.full((3, 3), largest_number), kind=Kind.SIGNED, decimals=decimals)
    longest = max(len(text) for row in figure.data[0].text for text in row)
    # A digit of the page's font is about half as wide as it is high.
    assert cell_width(figure, 3) >= 0.5 * 12 * longest


@pytest.mark.parametrize("n_tokens", [64, 65, 512])
def test_many_words_do_not_make_an_endless_chart(n_tokens):
    figure = draw(np.eye(n_tokens), words(n_tokens))
    assert figure.layout.height <= 900
    assert figure.layout.width <= 900


def test_a_finger_on_the_chart_scrolls_the_page():
    figure = draw(WEIGHTS)
    assert figure.layout.dragmode is False
    assert figure.layout.xaxis.fixedrange
    assert figure.layout.yaxis.fixedrange


# Beside the rows


@pytest.mark.parametrize("tokens", [("a",), THE_CAT, words(20)])
def test_what_is_written_beside_the_rows_moves_no_cell(tokens):
    n = len(tokens)
    sums = [f"{i / 3:.3f}" for i in range(n)]
    plain, summed = draw(np.eye(n), tokens), draw(np.eye(n), tokens, beside=sums)
    text = summed.data[-1]
    assert list(text.text) == sums
    assert list(text.y) == list(range(n))
    low, high = summed.layout.xaxis.range
    assert all(n - 0.5 < x < high for x in text.x)
    assert (summed.layout.xaxis.tickvals[-1], summed.layout.xaxis.ticktext[-1]) == (
        text.x[0],
        "<i>sum</i>",
    )
    assert summed.layout.xaxis.tickvals[:-1] == plain.layout.xaxis.tickvals
    assert cell_width(summed, n) == pytest.approx(cell_width(plain, n), abs=0.5)
    assert low == -0.5
    np.testing.assert_array_equal(summed.data[0].z, plain.data[0].z)


def test_a_number_that_is_none_has_a_colour_of_its_own_and_is_called_nan():
    numbers = np.array([[np.nan, 0.5], [np.nan, 0.2]])
    hidden = np.array([[False, False], [True, False]])
    frame = layout(("a", "b"))
    options = {"rows": ("a", "b"), "columns": ("a", "b"), "kind": Kind.WEIGHTS, "frame": frame}
    *_, undefined = checked(matrix(numbers, hidden=hidden, **options)).data
    np.testing.assert_array_equal(undefined.z == 1, [[True, False], [False, False]])
    assert undefined.colorscale[0][1] == palette.UNDEFINED
    assert [list(row) for row in undefined.text] == [["NaN", ""], ["", ""]]
    assert "NaN" in undefined.hovertemplate
    assert len(matrix(np.eye(2), **options).data) == 1
