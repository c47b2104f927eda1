"""Words and numbers as they are shown.

Every word that a reader typed goes through here before it meets Markdown, HTML or a chart, so that
it appears exactly as typed and nothing in it is ever read as markup.
"""

from __future__ import annotations

import html
import math
import re
import unicodedata

ASCII_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
_WIDE = ("W", "F")
_RIGHT_TO_LEFT = ("R", "AL", "AN", "RLE", "RLO", "RLI")


def shown(word: str, longest: int | None = None) -> str:
    """A word as plain text: on one line, never empty, cut with "…" beyond `longest` characters."""
    if not word.isprintable():
        word = "".join(_visible(character) for character in word)
    word = word or "∅"
    if longest is not None and len(word) > longest:
        return _cut(word, longest - 1) + "…"
    return word


def markdown(word: str, longest: int | None = None) -> str:
    """A word for `st.markdown` and for widget labels, where all punctuation is escaped."""
    escaped = ASCII_PUNCTUATION.sub(r"\\\1", shown(word, longest))
    # A bare address becomes a link even so; an invisible joiner between its letters stops that.
    escaped = re.sub(r"(?i)\b(h)(ttps?|ww)", "\\1\u2060\\2", escaped)
    escaped = re.sub(r"(?i)\b(w)(ww)", "\\1\u2060\\2", escaped)
    return isolated(escaped)


def plotly(word: str, longest: int | None = None) -> str:
    """A word for ticks, text and hover labels of a chart, which know a little HTML."""
    escaped = html.escape(shown(word, longest), quote=False)
    # With MathJax on the page, a chart would typeset what stands between two dollar signs.
    return isolated(escaped.replace("$", "&#36;"))


def isolated(text: str) -> str:
    """Keep a right-to-left word from turning the sentence around it."""
    if any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in text):
        return f"\u2068{text}\u2069"
    return text


def width(text: str) -> float:
    """About how wide a text is drawn, in units of the font size. Used to leave room for it."""
    return sum(_advance(character) for character in text)


def number(value: float, decimals: int) -> str:
    """A number with a fixed count of decimals, or in powers of ten where that would be too long."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if abs(value) >= 1e5:
        mantissa, power = f"{value:.{max(decimals - 2, 1)}e}".split("e")
        return f"{mantissa}e{int(power)}".replace("-", "−")
    text = f"{value:.{decimals}f}"
    # A small negative number rounds to 0, not to -0.
    return f"{0:.{decimals}f}" if float(text) == 0 else text.replace("-", "−")


def exact(value: float) -> str:
    """A number with the fewest digits that name it and no other."""
    text = repr(float(value))
    return text.removesuffix(".0").replace("-", "−")


def percent(share: float) -> str:
    """A share as a percentage with one decimal: "19.2 %"."""
    return f"{number(100 * share, 1)} %"


def _visible(character: str) -> str:
    if character in "\r\n\t":
        return " "
    category = unicodedata.category(character)
    if category == "Zs" and character != " ":
        return " "
    # Control characters would vanish, or be refused by the browser.
    return "\ufffd" if category in ("Cc", "Cs") else character


def _cut(word: str, length: int) -> str:
    """The first characters of a word, never ending inside an accent or an emoji."""
    end = length
    while end > 1 and (
        unicodedata.combining(word[end])
        or unicodedata.category(word[end]) in ("Mn", "Me", "Mc", "Cf", "Sk")
        or word[end - 1] == "\u200d"
    ):
        end -= 1
    return word[:end]


def _advance(character: str) -> float:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(character) in _WIDE:
        return 1.1
    # Advances of Source Sans, the font of the page.
    if character in "iljtfrI.,:;'!|()[] ":
        return 0.3
    if character in "mwMW@%" or character.isupper():
        return 0.78 if character in "mMW@%" else 0.64
    return 0.52
