"""Where a sentence is cut, and which tokens are the same word."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.tokens import Cut, replaced, same_word, tokenize
from explorer.tokens import given as as_text

ACUTE, CIRCUMFLEX, DOT_BELOW = "\u0301", "\u0302", "\u0323"
NBSP, ZERO_WIDTH_SPACE, BOM, JOINER = "\u00a0", "\u200b", "\ufeff", "\u200d"


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The cat sat on the warm mat", ["The", "cat", "sat", "on", "the", "warm", "mat"]),
        ("Stop, cat!", ["Stop", ",", "cat", "!"]),
        ("don't don’t OʼHara", ["don't", "don’t", "OʼHara"]),
        ("e-mail 3.14 1,000 a_b", ["e", "-", "mail", "3.14", "1,000", "a_b"]),
        ("null NA nan None True 1e5", ["null", "NA", "nan", "None", "True", "1e5"]),
        ("a [SEP] b <b>", ["a", "[", "SEP", "]", "b", "<", "b", ">"]),
        ("2020-01-01", ["2020", "-", "01", "-", "01"]),
        ("Poincare" + ACUTE, ["Poincare" + ACUTE]),
        ("Ünïcode naïve", ["Ünïcode", "naïve"]),
        ("か が", ["か", "が"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("السَّلامُ عليكم", ["السَّلامُ", "عليكم"]),
        ("שָׁלוֹם עולם", ["שָׁלוֹם", "עולם"]),
        ("한국어 단어", ["한국어", "단어"]),
        ("コンピューター", ["コンピューター"]),
        ("你好", ["你", "好"]),
        ("東京でPythonを書く。", ["東", "京", "で", "Python", "を", "書", "く", "。"]),
    ],
)
def test_words_and_punctuation_are_tokens(text, tokens):
    assert tokenize(text) == tuple(tokens)


@pytest.mark.parametrize(
    "word", ["สวัสดีครับ", "ສະບາຍດີ", "សួស្តី", "မင်္ဂလာပါ"], ids=["th", "lo", "km", "my"]
)
def test_a_script_without_spaces_between_words_is_one_token_up_to_the_next_space(word):
    assert tokenize(word) == (word,)
    assert tokenize(f"{word} {word}") == (word, word)
    assert tokenize(f"{word}Python{word}!") == (word, "Python", word, "!")


@pytest.mark.parametrize("word", ["ก" + ACUTE, "ក\u200cខ", "ក" + JOINER + "ខ"])
def test_a_script_without_spaces_keeps_its_marks_and_joiners(word):
    assert tokenize(word) == (word,)


@pytest.mark.parametrize(
    ("emoji", "n_code_points"),
    [("👩‍👩‍👧", 5), ("🏳️‍🌈", 4), ("🕵🏿", 2), ("🇯🇵", 2), ("👨🏽‍💻", 4), ("❤️‍🔥", 4)],
)
def test_no_emoji_is_cut(emoji, n_code_points):
    assert len(emoji) == n_code_points
    assert tokenize(f"hi {emoji}") == ("hi", emoji)
    assert tokenize(f"hi{emoji}!") == ("hi", emoji, "!")


def test_a_row_of_emoji_is_cut_between_them():
    assert tokenize("hi 👩‍👩‍👧🏳️‍🌈🕵🏿") == ("hi", "👩‍👩‍👧", "🏳️‍🌈", "🕵🏿")
    assert tokenize("🇯🇵🇺🇸") == ("🇯🇵", "🇺🇸")
    assert tokenize("1️⃣ #️⃣") == ("1️⃣", "#️⃣")


@pytest.mark.parametrize(
    "separator",
    [" ", "\t", "\n", "\r\n", "\u3000", "\u2028", "\u202f", NBSP, ZERO_WIDTH_SPACE, BOM],
    ids=ascii,
)
def test_white_space_seen_or_not_separates_and_is_no_token(separator):
    assert tokenize(f"a{separator}b") == ("a", "b")
    assert tokenize(f"{separator}a{separator}{separator}b{separator}") == ("a", "b")


@pytest.mark.parametrize(
    "text", ["", " ", "\n\t ", BOM, ZERO_WIDTH_SPACE, JOINER, "\x00", f" {JOINER} \x01"], ids=ascii
)
def test_where_there_is_nothing_to_see_there_is_no_token(text):
    assert tokenize(text) == ()


def test_tokens_are_exactly_as_typed():
    """Neither composed nor decomposed, neither folded nor trimmed."""
    typed = ("Poincare" + ACUTE, "Poincaré", "THE", "ﬁn", "Å", "ｆｕｌｌ")
    assert tokenize(" ".join(typed)) == typed


MARKS = (ACUTE, CIRCUMFLEX, DOT_BELOW, JOINER, "\u200c", "\ufe0f", "\u0903", "\u064f")
UNSEEN = (" ", "\n", NBSP, ZERO_WIDTH_SPACE, BOM, "\x00", "\u00ad")
PIECES = st.sampled_from([*"aéßИαб東かกຂខကั'’-.,_1٣🙂👩", "🏿", "🇯", *MARKS, *UNSEEN])


@given(st.lists(PIECES, max_size=12).map("".join))
def test_nothing_that_can_be_seen_is_lost_doubled_or_moved(text):
    def seen(characters):
        return [c for c in characters if unicodedata.category(c)[0] not in "CZ"]

    tokens = tokenize(text)
    assert seen("".join(tokens)) == seen(text)
    assert all(seen(token) for token in tokens)
    rest = text
    for token in tokens:
        assert token in rest
        rest = rest[rest.index(token) + len(token) :]


# The same word


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The", "the"),
        ("THE", "the"),
        ("Poincaré", "Poincare" + ACUTE),
        ("POINCARÉ", "Poincare" + ACUTE),
        ("\u1ec7", "e" + DOT_BELOW + CIRCUMFLEX),
        ("\u1ec7", "e" + CIRCUMFLEX + DOT_BELOW),
        ("Straße", "STRASSE"),
        ("Σίσυφος", "ΣΊΣΥΦΟΣ"),
        ("Å", "\u212b"),
    ],
)
def test_capitals_and_the_encoding_of_accents_make_no_other_word(one, other):
    assert same_word(one) == same_word(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("か", "が"), ("e", "é"), ("resume", "résumé"), ("x²", "x2"), ("ｆ", "f")],
)
def test_words_with_other_letters_or_accents_are_other_words(one, other):
    assert same_word(one) != same_word(other)


@pytest.mark.parametrize(
    ("text", "n", "by", "new"),
    [
        ("bank of river", 2, "stream", "bank of stream"),
        ("the cat, the  mat", 3, "a", "the cat, a  mat"),
        ("the the the", 1, "a", "the a the"),
        ("the cat sat", 1, "", "the sat"),
        ("the cat", 0, "", "cat"),
        ("猫は", 0, "犬", "犬は"),
    ],
)
def test_a_token_is_replaced_in_its_sentence(text, n, by, new):
    assert replaced(text, n, by) == new
    expected = [*tokenize(text)]
    expected[n : n + 1] = [by] if by else []
    assert tokenize(new) == tuple(expected)


@pytest.mark.parametrize("by", ["ice cream", "a,b", " ", "x y"])
def test_what_is_not_one_word_replaces_none(by):
    with pytest.raises(ValueError, match="one word"):
        replaced("the cat sat", 1, by)


def test_a_word_that_would_run_into_its_neighbour_is_refused():
    with pytest.raises(ValueError, match="one word"):
        replaced("a,b", 1, "x")


@pytest.mark.parametrize(
    "tokens",
    [
        ("[CLS]", "##ing", "▁The", "New York", "北京", ",", "'s", "C++", "U.S.", "e-mail"),
        (" ", "\\", "\\ ", "a\\n", "a\nb", " a", "a\u00a0b", "\u200b"),
    ],
)
def test_tokens_that_somebody_gave_are_kept_whatever_signs_they_hold(tokens):
    text = as_text(tokens)
    assert "\n" not in text
    assert tokenize(text, Cut.SPACES) == tokens
    assert replaced(text, 1, "", Cut.SPACES) == as_text((tokens[0], *tokens[2:]))


@given(st.lists(st.text(min_size=1)))
def test_any_tokens_come_back_from_their_text(tokens):
    assert tokenize(as_text(tokens), Cut.SPACES) == tuple(tokens)
