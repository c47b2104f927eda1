"""A reader's sentence as a trained model's pieces, and the words that the pieces belong to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from explorer.attention import Array
from explorer.pretrained.model import Model, check_length
from explorer.tokens import tokenize


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Pieces:
    """A sentence as the model reads it. T pieces, its own special ones among them."""

    text: str
    words: tuple[str, ...]  #       as this page cuts the sentence
    ids: NDArray[np.int64]  #  (T,) entries of the vocabulary
    names: tuple[str, ...]  #  T    as typed; "##" before one that goes on with a word
    word_of: tuple[int | None, ...]  # T  which of `words`; None for a special one
    unknown: tuple[int, ...]  #     words that the vocabulary lacks

    @property
    def special(self) -> NDArray[np.bool_]:
        """(T,) True for what the model adds itself, such as [CLS] and [SEP]."""
        return np.array([word is None for word in self.word_of], dtype=bool)

    def of_word(self, word: int) -> list[int]:
        """The places of a word's pieces; none for one that fell out."""
        return [n for n, here in enumerate(self.word_of) if here == word]


def read(model: Model, text: str) -> Pieces:
    """Cut a sentence with the model's own tokenizer.

    Raises ValueError, in a sentence, if it is empty or has more pieces than the model can read.
    """
    text = text.encode("utf-8", "replace").decode("utf-8")  # half a character becomes a "?"
    words = tokenize(text)
    encoding = model.tokenizer.encode(text)
    check_length(model, len(encoding.ids))
    spans = _spans(text, words)
    word_of, names, unknown = [], [], []
    for token, special, span in zip(
        encoding.tokens,
        encoding.special_tokens_mask,
        encoding.offsets,
        strict=True,
    ):
        word = None if special else _word_at(spans, span)
        word_of.append(word)
        typed = text[slice(*span)].strip()
        goes_on = word is not None and word in word_of[:-1]
        names.append(token if special or not typed else f"##{typed}" if goes_on else typed)
        if token == "[UNK]" and word is not None and word not in unknown:
            unknown.append(word)
    return Pieces(
        text=text,
        words=words,
        ids=np.array(encoding.ids, dtype=np.int64),
        names=tuple(names),
        word_of=tuple(word_of),
        unknown=tuple(unknown),
    )


def groups(pieces: Pieces, special: bool, joined: bool) -> list[list[int]]:
    """Which pieces stand together as one row: each alone, or with `joined` the pieces of a word.

    special: whether the model's own ones have rows too.
    """
    found: list[list[int]] = []
    for n, word in enumerate(pieces.word_of):
        if word is None and not special:
            continue
        if joined and word is not None and found and pieces.word_of[found[-1][-1]] == word:
            found[-1].append(n)
        else:
            found.append([n])
    return found


def name_of(pieces: Pieces, group: Sequence[int]) -> str:
    """What is written for a row: the piece as typed, or the word that several make up."""
    word = pieces.word_of[group[0]]
    return pieces.names[group[0]] if len(group) == 1 or word is None else pieces.words[word]


def join(weights: Array, rows: Sequence[Sequence[int]], renormalise: bool = False) -> Array:
    """Weights between rows of pieces: (..., T, T) -> (..., R, R).

    A word gets what its pieces get together, and gives what its pieces give on average.
    renormalise: divide each row by its sum, so that what was left out no longer counts.

    Source: Clark, Khandelwal, Levy, Manning (2019), "What Does BERT Look At?", section 4.1.
    """
    taken = np.zeros((len(rows), weights.shape[-1]), dtype=weights.dtype)
    for n, row in enumerate(rows):
        taken[n, list(row)] = 1
    given = taken / taken.sum(axis=-1, keepdims=True)
    joined = given @ weights @ taken.T
    if renormalise:
        total = joined.sum(axis=-1, keepdims=True)
        joined = np.divide(joined, total, out=np.zeros_like(joined), where=total > 0)
    return joined


def _spans(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    spans, start = [], 0
    for word in words:
        start = text.index(word, start)
        spans.append((start, start + len(word)))
        start += len(word)
    return spans


def _word_at(spans: Sequence[tuple[int, int]], piece: tuple[int, int]) -> int | None:
    """The first word that a piece lies in, or the last one before it."""
    start, stop = piece
    before = 0
    for n, (first, last) in enumerate(spans):
        if first < stop and start < last:
            return n
        if last <= start:
            before = n
    return before if spans else None
