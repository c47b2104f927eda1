"""The page shows what it showed when it was recorded: `python tests/record.py` records it anew."""

import numpy as np
import pytest
import recording
from recording import ALL_NUMBERS, Line, difference_of_lines, difference_of_texts, lines_of_json

PAGES = recording.read(recording.PAGE)


def differences(*views):
    """All that the recorded links to these views show now and did not then."""
    reader = recording.Reader()
    pages = [page for page in PAGES if any(f"view={view}" in page["link"] for view in views)]
    assert len(pages) > 40
    return [part for page in pages for part in recording.differences_of_page(reader, page)]


def test_links_to_take_home_to_compare_and_to_the_lab_show_what_was_recorded():
    found = differences("home", "compare", "lab")
    assert not found, recording.told(found)


def test_a_changed_word_is_told_with_its_line():
    assert difference_of_texts(["one", "two words"], ["one", "two words"]) == []
    assert difference_of_texts(["one", "two words"], ["one", "two verbs"]) == [
        "- two words",
        "+ two verbs",
    ]
    assert difference_of_texts(["one"], ["one", "more"]) == ["+ more"]


@pytest.mark.parametrize(
    ("then", "now", "same"),
    [
        ("a 0.125 and 0.5", "a 0.126 and 0.5", True),
        ("a 0.125", "a 0.127", False),
        ("−0.000", "0.000", True),
        ("0.12", "0.120", False),
        ("3 heads", "4 heads", False),
        ("#0072b2", "#0072b3", False),
        ("1.25e-05", "1.25e-04", False),
    ],
)
def test_only_a_rounding_is_forgiven(then, now, same):
    assert (difference_of_texts([then], [now]) == []) is same


def test_many_roundings_at_once_are_none():
    then, now = ["0.125"] * 30, ["0.126"] * 30
    assert len(difference_of_texts(then, now)) == 60


def told(then, now):
    """The difference between two things as they are recorded."""
    return difference_of_lines([recording.kept(line) for line in then], now)


NUMBERS = [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, None]]
FIGURE = {
    "data": [{"z": NUMBERS, "line": {"color": "#0af"}}],
    "layout": {"width": 320.5, "title": "Weights"},
}


def test_a_figure_is_held_in_its_words_its_numbers_and_its_colours():
    then = lines_of_json(FIGURE)
    assert told(then, lines_of_json(FIGURE)) == []
    for changes in (
        {"layout": {"width": 320.5, "title": "Scores"}},
        {"layout": {"width": 320.4, "title": "Weights"}},
        {"data": [FIGURE["data"][0] | {"line": {"color": "#0ae"}}]},
        {"data": [FIGURE["data"][0] | {"z": [*NUMBERS[:2], [0.7, 0.8001, None]]}]},
    ):
        assert told(then, lines_of_json(FIGURE | changes)), changes


def test_exchanged_numbers_are_no_longer_the_same():
    then = [Line("#", np.array([0.1, 0.2, 0.3]))]
    assert told(then, [Line("#", np.array([0.1, 0.3, 0.2]))])


def test_a_table_is_held_in_its_header_and_all_digits():
    text = ",the,cat\nthe,0.5,1\ncat,0.25,0.75\n"
    then = recording.lines_of_text(text, ALL_NUMBERS)
    noise = text.replace("0.5", "0.49999999999999994").replace(",1", ",0.9999999999999999")
    assert told(then, recording.lines_of_text(noise, ALL_NUMBERS)) == []
    for was, now in (("cat\n", "dog\n"), ("0.25", "0.25001"), (",1", ",-1")):
        assert told(then, recording.lines_of_text(text.replace(was, now), ALL_NUMBERS)), now
