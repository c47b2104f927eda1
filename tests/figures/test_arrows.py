"""Arcs are the weights: one for each that is drawn, wider the larger, its tip at its end."""

import html
import re
from collections import Counter, namedtuple

import numpy as np
import pytest
from figures.checked import checked

from explorer import labels
from explorer.figures import palette
from explorer.figures.arrows import (
    HEIGHT,
    KEYS_AT,
    MOST_OF_ALL,
    MOST_OF_ONE,
    QUERIES_AT,
    arrows,
    columns,
    slot_width,
)

THE_CAT = ("the", "cat", "the", "mat")
FROM_CAT = np.array([[np.nan] * 4, [0.1, 0.6, 0.05, 0.25], [np.nan] * 4, [np.nan] * 4])
EVEN = np.full((4, 4), 0.25)
NUMBER = r"-?\d+(?:\.\d+)?"

Arc = namedtuple("Arc", "query key top end tip width")


def draw(weights, tokens=THE_CAT, **options):
    n = len(tokens)
    under = [f"{i} %" for i in range(n)]
    said = [f"said {i}" for i in range(n)]
    return checked(arrows(np.array(weights), tokens, under, said, **options))


def arcs(figure):
    """The arcs of a graph, from the strings that draw them."""
    found = []
    for shape in figure.layout.shapes:
        assert shape.type == "path"
        assert re.fullmatch(rf"(M{NUMBER},{NUMBER} C({NUMBER},{NUMBER} ?){{3}})+", shape.path)
        for path in shape.path.split("M")[1:]:
            x0, y0, _, handle, _, _, x1, y1 = map(float, re.findall(NUMBER, path))
            top = y0 + (handle - y0) * 3 / 4  # of a cubic curve with level handles, within its foot
            found.append(Arc(round(x0), round(x1), top, x1, y1, shape.line.width))
    return found


def drawn(figure):
    return Counter((arc.query, arc.key) for arc in arcs(figure))


# One arc a weight


def test_there_is_one_arc_for_each_weight_of_the_query():
    assert drawn(draw(FROM_CAT)) == {(1, 0): 1, (1, 1): 1, (1, 2): 1, (1, 3): 1}


def test_an_arc_goes_from_the_query_to_the_key():
    weights = np.full((4, 4), np.nan)
    weights[3, 0] = 1.0
    (arc,) = arcs(draw(weights))
    assert (arc.query, arc.key) == (3, 0)


@pytest.mark.parametrize("n_tokens", [1, 2, 5, 20])
def test_of_all_words_there_is_an_arc_for_each_pair(n_tokens):
    weights = np.full((n_tokens, n_tokens), 1 / n_tokens)
    figure = draw(weights, [f"w{i}" for i in range(n_tokens)])
    assert drawn(figure) == dict.fromkeys(np.ndindex(n_tokens, n_tokens), 1)


@pytest.mark.parametrize("nothing", [0.0, np.nan, 1e-9, 4.9e-4])
def test_what_is_hidden_or_rounds_to_nothing_has_no_arc(nothing):
    weights = np.array([[0.5, nothing], [nothing, 0.5]])
    assert drawn(draw(weights, ("a", "b"))) == {(0, 0): 1, (1, 1): 1}
    figure = draw(np.full((2, 2), nothing), ("a", "b"))
    assert arcs(figure) == []
    assert len(figure.data[2].x) == 0


def test_an_arc_is_drawn_as_soon_as_its_percentage_is_not_0():
    for weight in (4.9e-4, 5.1e-4):
        figure = draw([[1.0, weight], [0, 1]], ("a", "b"))
        assert ((0, 1) in drawn(figure)) == (labels.percent(weight) != "0.0 %")


def test_of_too_many_arcs_the_strongest_are_drawn():
    n = 30
    weights = np.random.default_rng(0).permutation(np.arange(1.0, n * n + 1)).reshape(n, n) / n**2
    kept = drawn(draw(weights, [f"w{i}" for i in range(n)]))
    assert kept.total() == MOST_OF_ALL == len(kept)
    weakest = min(weights[place] for place in kept)
    assert (weights > weakest).sum() == MOST_OF_ALL - 1


@pytest.mark.parametrize("focus", [7, 90])
@pytest.mark.parametrize("to_key", [False, True])
def test_of_one_word_too_the_strongest_are_drawn_and_only_they_have_a_number(focus, to_key):
    n = 100
    weights = np.full((n, n), np.nan)
    line = np.random.default_rng(focus).permutation(np.arange(1.0, n + 1)) / n
    weights[(slice(None), focus) if to_key else focus] = line
    figure = draw(weights, [f"w{i}" for i in range(n)], focus=focus)
    kept = {query if to_key else key for query, key in drawn(figure)}
    assert kept == set(np.argsort(-line)[:MOST_OF_ONE].tolist())
    assert set(figure.data[1].x) == kept
    assert list(figure.data[1].text) == [f"{i} %" for i in figure.data[1].x]
    assert len(figure.data[0].x) == n


# Wider and darker the larger


def test_a_larger_weight_is_never_thinner():
    weights = np.random.default_rng(1).dirichlet(np.ones(6), 6)
    figure = draw(weights, list("abcdef"))
    width = {(arc.query, arc.key): arc.width for arc in arcs(figure)}
    in_order = [width[place] for place in sorted(width, key=lambda place: weights[place])]
    assert in_order == sorted(in_order)
    assert len(set(in_order)) > 3


def test_a_twice_as_large_weight_is_wider_and_darker():
    thin, thick = draw([[0.3, 0.6], [0, 0]], ("a", "b")).layout.shapes
    assert thin.line.width < thick.line.width
    assert opacity(thin.line.color) < opacity(thick.line.color) == 1


def test_equal_weights_are_drawn_alike():
    assert len({arc.width for arc in arcs(draw(EVEN))}) == 1


def opacity(colour):
    return float(colour.rstrip(")").split(",")[-1])


def test_a_graph_has_at_most_a_few_shapes():
    weights = np.random.default_rng(2).dirichlet(np.ones(20), 20)
    assert len(draw(weights, [f"w{i}" for i in range(20)]).layout.shapes) <= len(palette.ARROWS)


# Where arcs and tips are


@pytest.mark.parametrize("weights", [FROM_CAT, EVEN, np.eye(4)])
def test_a_tip_stands_at_the_end_of_every_arc(weights):
    figure = draw(weights)
    tips = figure.data[2]
    ends = [arc.end for arc in arcs(figure)]
    assert sorted(tips.x) == pytest.approx(sorted(ends), abs=1e-3)
    # Beneath the end, and by less than the tip is high.
    for arc in arcs(figure):
        assert all(0 < arc.tip - y < 8 for y in tips.y)
    assert len(tips.marker.size) == len(tips.marker.color) == len(tips.x)
    assert tips.marker.symbol == "triangle-down"


def test_a_tip_has_the_colour_of_its_arc():
    figure = draw(FROM_CAT)
    colour_of = {shape.line.width: shape.line.color for shape in figure.layout.shapes}
    by_end = {round(arc.end, 3): colour_of[arc.width] for arc in arcs(figure)}
    tips = figure.data[2]
    assert {round(x, 3): c for x, c in zip(tips.x, tips.marker.color, strict=True)} == by_end


def test_no_two_arcs_lie_on_each_other():
    """The way there and the way back, and the loop between them, are three arcs."""
    figure = draw(EVEN)
    paths = [path for shape in figure.layout.shapes for path in shape.path.split("M")[1:]]
    assert len({path.strip() for path in paths}) == 16
    assert len({round(arc.end, 3) for arc in arcs(figure) if arc.key == 1}) == 3


@pytest.mark.parametrize("n_tokens", [1, 2, 3, 12, 60])
def test_every_arc_stays_inside_the_chart(n_tokens):
    figure = draw(np.full((n_tokens, n_tokens), 1 / n_tokens), [f"w{i}" for i in range(n_tokens)])
    low, high = figure.layout.yaxis.range
    left, right = figure.layout.xaxis.range
    for arc in arcs(figure):
        assert low < arc.top < high
        assert left < arc.end < right
    assert figure.layout.height == HEIGHT == high - low


def test_a_longer_way_is_a_higher_arc():
    tops = {abs(arc.query - arc.key): arc.top for arc in arcs(draw(EVEN))}
    assert [tops[n] for n in range(4)] == sorted(tops.values())


# The words


def test_words_that_come_twice_keep_their_places():
    words, under, _ = draw(FROM_CAT).data
    assert list(words.x) == list(under.x) == [0, 1, 2, 3]
    assert list(words.text) == ["the", "cat", "the", "mat"]
    assert list(under.text) == ["0 %", "1 %", "2 %", "3 %"]
    assert list(words.customdata) == ["said 0", "said 1", "said 2", "said 3"]
    assert words.hovertemplate == "%{customdata}<extra></extra>"


def test_the_number_under_a_word_belongs_to_its_word_for_the_pointer():
    words, under, _ = (figure := draw(FROM_CAT)).data
    assert under.hoverinfo == "skip"
    assert figure.layout.hoverdistance > words.y[0] - under.y[0]


@pytest.mark.parametrize("colour", [palette.QUERY, palette.KEY])
def test_the_word_in_focus_is_set_off(colour):
    words = draw(FROM_CAT, focus=1, focus_colour=colour).data[0]
    assert list(words.text) == [
        "the",
        f'<b><span style="color:{colour}">cat</span></b>',
        "the",
        "mat",
    ]


@pytest.mark.parametrize(
    "word", ["<b>hi</b>", "a<br>b", "&lt;b&gt;", "$x^2$", "%{x}", "R&D", "2020-01-01", "", "שלום"]
)
@pytest.mark.parametrize("focus", [None, 0])
def test_words_are_literal(word, focus):
    text = draw(EVEN, (word, "a", "b", "c"), focus=focus).data[0].text[0]
    inner = re.sub(r"^<b><span style=\"color:#\w+\">(.*)</span></b>$", r"\1", text)
    assert not re.search("[<>$]", inner)
    assert html.unescape(inner).strip("\u2068\u2069") == labels.shown(word)


def test_a_long_word_is_cut_and_all_words_have_room():
    long = ("x" * 200, "a")
    assert re.fullmatch("x+…", draw(np.eye(2), long).data[0].text[0])
    assert 50 <= slot_width(("a", "b")) < slot_width(long) < 200
    assert slot_width(()) > 0


def test_a_finger_on_the_chart_scrolls_the_page():
    figure = draw(EVEN)
    assert figure.layout.dragmode is False
    assert figure.layout.xaxis.fixedrange
    assert figure.layout.yaxis.fixedrange


# Between columns


def lines(figure):
    """The (query, key) of every line between the columns, with its width."""
    found = {}
    for shape in figure.layout.shapes:
        for path in shape.path.split("M")[1:]:
            numbers = list(map(float, re.findall(NUMBER, path)))
            assert numbers[0] < 0.1
            assert numbers[6] > 0.9
            found[int(numbers[1]), int(numbers[7])] = shape.line.width
    return found


def test_between_columns_there_is_a_line_for_each_weight_the_wider_the_larger():
    figure = checked(columns(FROM_CAT, THE_CAT, list("abcd"), list("abcd"), focus=1))
    found = lines(figure)
    assert set(found) == {(1, 0), (1, 1), (1, 2), (1, 3)}
    assert found[1, 1] > found[1, 3] > found[1, 2]
    queries, keys = figure.data
    assert [re.sub("<.*?>", "", word) for word in queries.text] == list(THE_CAT)
    assert keys.text[3] == "mat  d"
    assert list(queries.y) == list(keys.y) == [0, 1, 2, 3]
    assert set(queries.x) == {QUERIES_AT}
    assert set(keys.x) == {KEYS_AT}


def test_words_between_columns_are_shown_as_typed():
    figure = checked(columns(EVEN, ("<b>", "a&b", "$x$", "c"), [""] * 4, [""] * 4))
    assert figure.data[0].text[:3] == ("&lt;b&gt;", "a&amp;b", "&#36;x&#36;")
