"""Words are shown exactly as typed, and numbers as a reader would write them."""

import html
import math
import re

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from explorer import labels

PLAIN = (
    *("[SEP]", "[MASK]", "<b>hi</b>", "a<br>b", "&lt;b&gt;", "<script>alert(1)</script>", "R&D"),
    *("2020-01-01", "1990", "1e5", "10%", "null", "NaN", "None", "%{z}", "%{customdata[0]}"),
    *("$x^2$", "$x$ costs $5", ":red[boo]", ":smile:", ":material/home:", ":small[a]"),
    *("1. choice", "1) choice", "# head", "###", "- item", "+ item", "> quote", "***", "```"),
    *("*star*", "__init__", "~~gone~~", "`code`", "a\\*b", "\\", "|", "a|b", "^[note]", "[^1]"),
    *("[link](https://example.com)", "![i](https://example.com/i.png)", "<https://example.com>"),
    *('<a href="https://example.com">ok</a>', '<a href="javascript:alert(1)">x</a>'),
    *("https://example.com", "HTTPS://EXAMPLE.COM", "(http://a.org)", "www.example.com"),
    *("_www.example.com", "_http://example.com", "someone@example.com", "mailto:a@b.org"),
    *("->", "<-", "<->", "--", ">=", "<=", "~=", "a -> b", "a -- b"),
    *("don't", "don’t", "OʼHara", "Poincare\u0301", "नमस्ते", "สวัสดีครับ", "東京", "が"),
    *("👩‍👩‍👧", "🏳️‍🌈", "🕵🏿", "🇯🇵", "שָׁלוֹם", "السَّلامُ", "שלום (עולם)", "x" * 200),
)
"""Labels that some sink would read as markup, as a number, a date or a link."""

PUNCTUATION = r"[!-/:-@\[-`{-~]"
INVISIBLE = "\u2060\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""The word joiner and the marks of direction, with which a word may be kept to itself."""

REWRITTEN = re.compile(
    r"(?:^|[\W_])(?:https?://|www\.)\w"  # a link
    r"|[-.\w+]@[-\w]+\.\w"  # a link to write to
    r"|(?:^|\s)(?:<->|->|<-|--|>=|<=|~=)(?:\s|$)",  # an arrow, a dash, a sign
    re.IGNORECASE,
)
"""What Streamlit's front end (1.67) turns into something else even in text without markup."""


def unescaped(markdown):
    """What a reader of the Markdown sees, if nothing in it is markup."""
    return re.sub(rf"\\({PUNCTUATION})", r"\1", markdown)


def visible(text):
    return text.translate(dict.fromkeys(map(ord, INVISIBLE)))


# As plain text


@pytest.mark.parametrize("word", PLAIN)
def test_a_word_is_shown_as_typed(word):
    assert labels.shown(word) == word


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("a\nb", "a b"),
        ("a\r\tb", "a  b"),
        ("a\u00a0b\u3000c", "a b c"),
        ("a\u2028b\u2029c", "a b c"),
        ("a\x00b", "a\ufffdb"),
        ("\x1b[31m", "\ufffd[31m"),
        ("\x85", "\ufffd"),
        ("\ud800", "\ufffd"),
        ("", "∅"),
    ],
)
def test_what_no_browser_can_show_gets_a_stand_in(word, shown):
    assert labels.shown(word) == shown


@pytest.mark.parametrize(
    "word", ["ca\u00adt", "cat\u200b", "\ufeffcat", "c\u2060at", "ca\u200dt", "cat\u200f"]
)
def test_a_character_that_would_not_be_seen_is(word):
    assert labels.shown(word) == re.sub("[^cat]", "\ufffd", word)


@pytest.mark.parametrize("word", ["", " ", "\t", "\u00a0", "\u200b", "\ufeff"])
def test_no_word_looks_empty(word):
    assert regex.search(r"[^\s\p{Cf}]", labels.shown(word))


@given(st.text())
def test_a_word_is_one_line_without_control_characters(word):
    shown = labels.shown(word)
    assert len(shown.splitlines()) == 1
    assert not regex.search(r"[\p{Cc}\p{Cs}]", shown)


# In Markdown


@pytest.mark.parametrize("word", PLAIN)
def test_markdown_shows_the_word_and_reads_nothing_in_it(word):
    markdown = labels.markdown(word)
    assert not re.search(PUNCTUATION, re.sub(rf"\\{PUNCTUATION}", "", markdown))
    assert not REWRITTEN.search(unescaped(markdown))
    assert visible(unescaped(markdown)) == word


@given(st.text())
def test_markdown_escapes_all_punctuation_of_any_text(word):
    markdown = labels.markdown(word)
    assert not re.search(PUNCTUATION, re.sub(rf"\\{PUNCTUATION}", "", markdown))
    assert visible(unescaped(markdown)) == visible(labels.shown(word))


# In a chart


@pytest.mark.parametrize("word", PLAIN)
def test_a_chart_shows_the_word_and_reads_nothing_in_it(word):
    assert_inert_in_a_chart(word)


@given(st.text())
def test_a_chart_reads_nothing_in_any_text(word):
    assert_inert_in_a_chart(word)


def assert_inert_in_a_chart(word):
    drawn = labels.plotly(word)
    assert not re.search(r"[<>$]|&(?!(amp|lt|gt|#36);)", drawn)
    assert visible(html.unescape(drawn)) == visible(labels.shown(word))


# Right to left


@pytest.mark.parametrize("word", ["שלום", "مرحبا", "a שלום", "٣"])
def test_a_right_to_left_word_is_set_apart(word):
    assert labels.isolated(word) == f"\u2068{word}\u2069"
    assert labels.markdown(word) == labels.plotly(word) == f"\u2068{word}\u2069"


@pytest.mark.parametrize("word", ["cat", "東京", "12", "नमस्ते", "👩‍👩‍👧", ""])
def test_other_words_are_left_alone(word):
    assert labels.isolated(word) == word


@pytest.mark.parametrize(
    "word",
    [
        *("\u202eabc", "\u202babc", "\u202dabc", "\u202aabc"),  # RLO, RLE, LRO, LRE left open
        *("\u2067abc", "\u2066abc", "\u2068abc"),  # RLI, LRI, FSI left open
        *("abc\u2069\u202e", "\u202cabc\u202e", "\u2069\u2069שלום\u2067"),  # out of its isolate
    ],
)
@pytest.mark.parametrize("show", [labels.markdown, labels.plotly])
def test_no_word_turns_the_text_behind_it(show, word):
    assert not left_open(show(word))


def left_open(text):
    """The embeddings (E) and isolates (I) that reach beyond the text. Source: UAX #9, 3.3.2."""
    opened = []
    for character in text:
        if character in "\u202a\u202b\u202d\u202e":
            opened.append("E")
        elif character in "\u2066\u2067\u2068":
            opened.append("I")
        elif character == "\u202c" and opened and opened[-1] == "E":
            opened.pop()
        elif character == "\u2069" and "I" in opened:
            while opened.pop() != "I":
                pass
    return opened


# Cut


def test_a_long_word_is_cut_with_an_ellipsis():
    assert labels.shown("x" * 200, 10) == "x" * 9 + "…"
    assert labels.markdown("*" * 200, 3) == r"\*\*…"
    assert labels.plotly("<" * 200, 3) == "&lt;&lt;…"
    assert labels.plotly("ש" * 200, 3) == "\u2068שש…\u2069"


@pytest.mark.parametrize(
    ("words", "cut"),
    [
        (("internationalisation", "cat"), ["internati…", "cat"]),
        (("counterattack", "counterattention"), ["count…tack", "count…tion"]),
        (
            ("internationalisation", "internationalization", "internationalisation"),
            ["inter… 1", "inter… 2", "inter… 1"],
        ),
        (("👩‍👩‍👧" * 4, "👩‍👩‍👧" * 3 + "🎉"), ["👩‍👩‍👧…", "👩‍👩‍👧…🎉"]),
    ],
)
def test_words_that_would_be_cut_alike_are_told_apart(words, cut):
    assert labels.told_apart(words, 10) == cut


@given(st.lists(st.text("ab\u00ad", max_size=30), max_size=6), st.integers(10, 14))
def test_different_words_have_different_names(words, longest):
    names = labels.told_apart(words, longest)
    assert len(set(names)) == len(set(words))


@pytest.mark.parametrize("word", ["x" * 10, "", "東京"])
def test_a_word_that_fits_is_not_cut(word):
    assert labels.shown(word, 10) == labels.shown(word)


@pytest.mark.parametrize(
    "word",
    [
        "Poincare\u0301 Poincare\u0301",
        "e\u0323\u0302" * 8,
        "👩‍👩‍👧" * 4,
        "👨🏿‍👩🏿‍👧🏿‍👦🏿!",
        "🕵🏿🕵🏿🕵🏿🕵🏿🕵🏿🕵🏿",
        "🏳️‍🌈🏳️‍🌈🏳️‍🌈🏳️‍🌈",
        "🇯🇵🇫🇷🇩🇪🇮🇹🇪🇸🇵🇱",
        "🏴󠁧󠁢󠁥󠁮󠁧󠁿🏴󠁧󠁢󠁥󠁮󠁧󠁿",
        "नमस्ते नमस्ते",
    ],
)
@pytest.mark.parametrize("longest", [6, 7, 10, 11, 12])
def test_no_cut_goes_through_an_accent_or_an_emoji(word, longest):
    whole = regex.findall(r"\X", word)
    kept = labels.shown(word, longest).removesuffix("…")
    assert kept in {"".join(whole[:n]) for n in range(1, len(whole) + 1)}


# How wide it is drawn


def test_wide_characters_count_more_and_marks_count_nothing():
    assert labels.width("") == 0
    assert labels.width("iii") < labels.width("aaa") < labels.width("MMM") < labels.width("東東東")
    assert labels.width("Poincare\u0301") == labels.width("Poincare")


# Numbers


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (0.19187, 3, "0.192"),
        (-0.5, 2, "−0.50"),
        (1, 6, "1.000000"),
        (-0.0, 2, "0.00"),
        (-0.0004, 3, "0.000"),
        (-0.0006, 3, "−0.001"),
        (1e-300, 6, "0.000000"),
        (99_999.0, 2, "99999.00"),
        (1e6, 3, "1.0e6"),
        (-1e6, 3, "−1.0e6"),
        (123_456.7, 4, "1.23e5"),
        (3e12, 6, "3.0000e12"),
        (math.inf, 3, "∞"),
        (-math.inf, 3, "−∞"),
        (math.nan, 3, "NaN"),
    ],
)
def test_a_number_by_hand(value, decimals, text):
    assert labels.number(value, decimals) == text


@given(st.floats(-99_999, 99_999), st.integers(2, 6))
def test_a_number_says_what_it_is_to_its_last_digit(value, decimals):
    text = labels.number(value, decimals)
    assert re.fullmatch(rf"−?\d+\.\d{{{decimals}}}", text)
    assert abs(float(text.replace("−", "-")) - value) <= 0.5001 * 10**-decimals
    assert not re.fullmatch(r"−0\.0+", text)


@given(st.floats(1e5, 1e12) | st.floats(-1e12, -1e5), st.integers(2, 6))
def test_a_large_number_keeps_its_size_in_few_characters(value, decimals):
    text = labels.number(value, decimals)
    assert len(text) <= decimals + 7
    assert float(text.replace("−", "-")) == pytest.approx(value, rel=0.05)


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.19187, "19.2 %"),
        (0, "0.0 %"),
        (-0.0, "0.0 %"),
        (1, "100.0 %"),
        (4e-4, "0.0 %"),
        (6e-4, "0.1 %"),
        (math.nan, "NaN %"),
    ],
)
def test_a_share_by_hand(share, text):
    assert labels.percent(share) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.41, "0.41"),
        (-0.07, "−0.07"),
        (1.0, "1"),
        (-1.0, "−1"),
        (0.1 + 0.2, "0.30000000000000004"),
        (0.0, "0"),
        (-0.0, "0"),
    ],
)
def test_an_exact_number_by_hand(value, text):
    assert labels.exact(value) == text


@given(st.floats(-1e6, 1e6))
def test_an_exact_number_names_no_other(value):
    assert float(labels.exact(value).replace("−", "-")) == value
