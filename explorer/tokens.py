"""From a sentence to its tokens.

Words and punctuation marks are cut where the Unicode text segmentation (UAX #29) sees a word
boundary, with three rules on top:

* White space, the zero-width space and the byte-order mark separate tokens and are none themselves.
* An unbroken run of Thai, Lao, Khmer or Burmese stays one token: these scripts put no mark between
  words, and UAX #29 leaves them to a dictionary.
* A piece with nothing to see in it (a lone joiner, a control character) is no token.

So a Chinese character is a token, a contraction stays whole, and no emoji, flag or accent is cut.

Source: Unicode Standard Annex #29, "Unicode Text Segmentation", section 4.1.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache

import regex

_SEPARATORS = regex.compile(r"[\s\u200b\ufeff]+")
_UNSPACED = r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
# Inside one stretch without white space: a run of those scripts, or whatever lies between two
# word boundaries. (?w) makes \b the boundary of UAX #29.
# Marks and joiners that many scripts share do not end a run.
_PIECE = regex.compile(
    rf"(?V1w)[{_UNSPACED}][{_UNSPACED}\p{{M}}\u200c\u200d]*|.+?(?:\b|(?=[{_UNSPACED}]))",
    regex.DOTALL,
)


_GIVEN = {" ": "\\ ", "\\": "\\\\", "\n": "\\n", "\r": "\\r"}
_TAKEN = {sign: plain for plain, sign in _GIVEN.items()}


class Cut(StrEnum):
    """Where one token ends and the next begins."""

    WORDS = "words"
    """At the boundaries of words, as above."""
    SPACES = "spaces"
    """At spaces and nowhere else: tokens that somebody gave. Inside one, a space is "\\ "."""


def given(tokens: Iterable[str]) -> str:
    """The text that is cut into these tokens at its spaces, whatever signs they hold.

    A text field holds one line, and a link any text, so both carry it.
    """
    return " ".join(re.sub(r"[ \\\n\r]", lambda m: _GIVEN[m[0]], token) for token in tokens)


@lru_cache(maxsize=16)  # one run of the page asks some twenty times for the same sentence
def tokenize(text: str, cut: Cut = Cut.WORDS) -> tuple[str, ...]:
    """Cut a sentence into its tokens, each exactly as it was typed."""
    if cut is Cut.SPACES:
        pieces = re.findall(r"(?:\\.|[^ ])+", text, flags=re.DOTALL)
        back = re.compile(r"\\[ \\nr]")
        return tuple(back.sub(lambda m: _TAKEN[m[0]], piece) for piece in pieces)
    return tuple(
        piece
        for stretch in _SEPARATORS.split(text)
        for piece in _PIECE.findall(stretch)
        if any(_can_be_seen(character) for character in piece)
    )


def same_word(token: str) -> str:
    """The form under which tokens count as the same word: composed (NFC) and case-folded."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", token).casefold())


def _can_be_seen(character: str) -> bool:
    return unicodedata.category(character) not in ("Cc", "Cf", "Zs", "Zl", "Zp")


def replaced(text: str, n: int, by: str, cut: Cut = Cut.WORDS) -> str:
    """The sentence with its token n (from 0) replaced; all else stays as it was typed.

    Raises ValueError if the tokens would not be the same ones with `by` in the place of token n,
    because `by` is not one token or runs into its neighbours. An empty `by` takes the token out.
    """
    tokens = tokenize(text, cut)
    if cut is Cut.SPACES:
        return given((*tokens[:n], *((by,) if by else ()), *tokens[n + 1 :]))
    start = 0
    for token in tokens[:n]:
        start = text.index(token, start) + len(token)
    start = text.index(tokens[n], start)
    new = text[:start] + by + text[start + len(tokens[n]) :]
    if not by:
        new = " ".join(part for part in (text[:start].rstrip(), new[start:].lstrip()) if part)
    if tokenize(new) != (*tokens[:n], *((by,) if by else ()), *tokens[n + 1 :]):
        raise ValueError("has to be one word, without spaces or signs inside")
    return new
