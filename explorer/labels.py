"""Words and numbers as they are shown.

Every word that a reader typed goes through here before it meets Markdown, HTML or a chart, so that
it appears exactly as typed and nothing in it is ever read as markup.
"""

from __future__ import annotations

import html
import math
import re
import unicodedata
from collections.abc import Sequence

import regex

ASCII_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
# Addresses become links and arrows become other signs even where every sign is escaped. An
# invisible joiner in their midst stops that.
_REPLACED = re.compile(
    r"(?<=h)(?=ttps?:)|(?<=w)(?=ww\.)|(?<=@)|(?<=[-<>=~])(?=[-<>=~])", flags=re.IGNORECASE
)
_LATEX = {character: f"\\{character}" for character in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}
_RUN = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # the wide ones in East Asia
_WIDE = ("W", "F")
_RIGHT_TO_LEFT = ("R", "AL", "AN")
# They would make two words look alike. Joiners belong into emoji and into many scripts, but not
# behind a Latin letter.
_UNSEEN = re.compile(
    r"[\u00ad\u061c\u180e\u200b\u200e\u200f\u2060-\u2064\ufeff]|(?<=[ -~])[\u200c\u200d]"
)
_TURNS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def shown(word: str, longest: int | None = None) -> str:
    """A word as plain text: on one line, never empty, cut with "…" beyond `longest` characters."""
    if not word.isprintable():
        word = "".join(_visible(character) for character in word)
    if all(unicodedata.category(character) in ("Zs", "Cf") for character in word):
        # Nothing would be seen: a space is shown by its sign, nothing at all by another.
        word = "␠" if " " in word else "∅"
    elif not word.isascii():
        word = _UNSEEN.sub("\ufffd", word)
    if longest is not None and len(word) > longest:
        return _cut(word, longest - 1) + "…"
    return word


def told_apart(words: Sequence[str], longest: int) -> list[str]:
    """Words cut to this length; those that would look alike are cut in their midst, or numbered."""
    cut = [shown(word, longest) for word in words]
    if len(set(cut)) == len(set(words)):
        return cut
    ends = [_ends(shown(word), longest) for word in words]

    def name(n: int) -> str:
        for names in (cut, ends):
            if len({word for word, one in zip(words, names, strict=True) if one == names[n]}) == 1:
                return names[n]
        return f"{_cut(cut[n], longest - 5)}… {words.index(words[n]) + 1}"

    return [name(n) for n in range(len(words))]


def _ends(word: str, longest: int) -> str:
    """The first and the last characters of a long word."""
    if len(word) <= longest:
        return word
    head, tail = _cut(word, longest // 2), ""
    for character in reversed(regex.findall(r"\X", word[len(head) :])):
        if len(head) + 1 + len(character) + len(tail) > longest:
            break
        tail = character + tail
    return f"{head}…{tail}"


def markdown(word: str, longest: int | None = None) -> str:
    """A word for `st.markdown` and for widget labels, where all punctuation is escaped."""
    whole = _REPLACED.sub("\u2060", shown(word, longest))
    return isolated(ASCII_PUNCTUATION.sub(r"\\\1", whole))


def plotly(word: str, longest: int | None = None) -> str:
    """A word for ticks, text and hover labels of a chart, which know a little HTML."""
    escaped = html.escape(shown(word, longest), quote=False)
    # With MathJax on the page, a chart would typeset what stands between two dollar signs.
    return isolated(escaped.replace("$", "&#36;"))


def latex(word: str, longest: int | None = None) -> str:
    """A word for a LaTeX document."""
    return "".join(_LATEX.get(character, character) for character in shown(word, longest))


def cell(word: str) -> str:
    """A word for a table file. Spreadsheets run what begins like a formula, so that is quoted."""
    plain = shown(word)
    return f"'{plain}" if plain.lstrip("'").startswith(_RUN) else plain


def uncelled(cell: str) -> str:
    """The word that `cell` wrote."""
    return cell[1:] if cell[:1] == "'" and cell.lstrip("'").startswith(_RUN) else cell


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
    text = repr(float(value) + 0.0)  # adding 0 turns -0 into 0
    return text.removesuffix(".0").replace("-", "−")


def percent(share: float) -> str:
    """A share as a percentage with one decimal: "19.2 %"."""
    return f"{number(100 * share, 1)} %"


def _visible(character: str) -> str:
    category = unicodedata.category(character)
    if character in "\r\n\t" or category in ("Zs", "Zl", "Zp"):
        return " "
    # Control characters would vanish, be refused by the browser, or turn the text behind the word.
    return "\ufffd" if category in ("Cc", "Cs") or character in _TURNS else character


def _cut(word: str, length: int) -> str:
    """The first characters of a word, at most `length`, never ending inside an accent or an emoji.

    The first one is kept however long it is.
    """
    kept = ""
    for character in regex.findall(r"\X", word):  # as a reader counts them
        if kept and len(kept) + len(character) > length:
            break
        kept += character
    return kept


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
