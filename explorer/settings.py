"""What is computed: one experiment as one frozen value.

A field's name is also the name of its control on the page, of its parameter in a link and of its
entry in an example.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from explorer import masks
from explorer.attention import BoolArray
from explorer.operations.normalisers import NORMALISERS
from explorer.operations.schemes import SCHEMES
from explorer.positions import Pairs, Stretched, Turning
from explorer.tokens import Cut, tokenize

Table = tuple[tuple[float, ...], ...]
"""A matrix that can be compared and hashed, row by row."""
Ticks = tuple[tuple[bool, ...], ...]
"""Likewise, of yes and no."""

MAX_TOKENS = 512
MAX_CHARACTERS = 8_000
MAX_CELLS = 8 * MAX_TOKENS**2
"""Of the scores of all heads: every step keeps that many numbers."""
MAX_NUMBER = 1e6
D_MODEL = range(2, 65)
N_HEADS = range(1, 65)
D_HEAD = range(1, 65)
SEED = range(0, 1_000_000)
TEMPERATURE = (0.1, 10.0)
BASE = range(2, 100_000_001)
STRETCH = (1.0, 64.0)
RADIUS = range(0, MAX_TOKENS + 1)
PAD = range(0, MAX_TOKENS + 1)


class Scale(StrEnum):
    """What the scores are multiplied by before the softmax."""

    RAW = "raw"
    SQRT_D_K = "sqrt_d_k"

    def factor(self, d_k: int) -> float:
        """The number itself, for heads of d_k features."""
        return d_k**-0.5 if self is Scale.SQRT_D_K else 1.0


class Mask(StrEnum):
    """A reason why a query may not see a key. Several may hold at once."""

    CAUSAL = "causal"
    WINDOW = "window"
    PADDING = "padding"
    CUSTOM = "custom"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One experiment. Equal settings give equal traces.

    Raises ValueError, in a sentence a reader understands, for an experiment that cannot be run.
    """

    text: str = "The cat sat on the warm mat"
    cut: Cut = Cut.WORDS  #       where a token of the sentence ends
    d_model: int = 4
    x: Table | None = None  #     (T, C) embeddings by hand; None: made from the words
    qkv: bool = False  #          False: queries, keys and values are the embeddings themselves
    n_heads: int = 1
    d_k: int | None = None  #     features of a query in one head; None: d_model / n_heads
    d_v: int | None = None  #     features of a value in one head; None: d_k
    w_q: Table | None = None  #   (C, H * d_k) by hand; None: drawn from the seed
    w_k: Table | None = None  #   (C, H * d_k)
    w_v: Table | None = None  #   (C, H * d_v)
    w_o: Table | None = None  #   (H * d_v, C); None: the identity, where that is square
    position: str = "none"  #     how a word's place comes in: a row of SCHEMES
    pairs: Pairs = Pairs.NEIGHBOURS  # of rotary positions: which features turn together,
    base: int = 10_000  #         what the angles shrink by from pair to pair,
    stretch: float = 1.0  #       for how many times as long a sentence,
    stretched: Stretched = Stretched.PLACES  # and what is stretched for that
    scale: Scale = Scale.RAW
    temperature: float = 1.0  #   what the scores are divided by, last before the softmax
    rule: str = "softmax"  #      how scores become weights: a row of NORMALISERS
    mask: tuple[Mask, ...] = ()
    radius: int = 1  #            of the window: words on each side
    pad: int = 1  #               how many tokens at the end are padding
    custom: Ticks | None = None  # (T, T) of the custom mask; None: everything may be seen
    seed: int = 0

    def __post_init__(self) -> None:
        # One order for the same masks, so that equal experiments are equal settings.
        for mask in self.mask:
            _check_code("mask", mask, Mask)
        chosen = set(map(Mask, self.mask))
        object.__setattr__(self, "mask", tuple(mask for mask in Mask if mask in chosen))
        _check_code("scale", self.scale, Scale)
        object.__setattr__(self, "scale", Scale(self.scale))
        _check_code("cut", self.cut, Cut)
        object.__setattr__(self, "cut", Cut(self.cut))
        _check_code("pairs", self.pairs, Pairs)
        object.__setattr__(self, "pairs", Pairs(self.pairs))
        _check_code("stretched", self.stretched, Stretched)
        object.__setattr__(self, "stretched", Stretched(self.stretched))
        _check_code("position", self.position, SCHEMES)
        _check_code("rule", self.rule, NORMALISERS)
        self._check_numbers()
        self._check_text()
        self._check_heads()
        self._check_tables()

    @property
    def tokens(self) -> tuple[str, ...]:
        """The words and punctuation marks of the sentence."""
        return tokenize(self.text, self.cut)

    @property
    def sentence(self) -> str:
        """The sentence as somebody would write it."""
        return self.text if self.cut is Cut.WORDS else " ".join(self.tokens)

    @property
    def d_query(self) -> int:
        """Features of a query or key in one head: d_k, said or worked out."""
        return self.d_k if self.qkv and self.d_k else self.d_model // self.n_heads

    @property
    def d_value(self) -> int:
        """Features of a value in one head: d_v, said or worked out."""
        return self.d_v if self.qkv and self.d_v else self.d_query

    @property
    def d_joined(self) -> int:
        """Features of all heads' contexts side by side."""
        return self.n_heads * self.d_value

    @property
    def has_w_o(self) -> bool:
        """Whether the joined heads are multiplied by an output matrix.

        With projections they are, where the matrix is given or square; it is the identity then.
        """
        return self.qkv and (self.w_o is not None or self.d_joined == self.d_model)

    @property
    def factor(self) -> float:
        """What the scores are multiplied by before the softmax."""
        return self.scale.factor(self.d_query)

    @property
    def turning(self) -> Turning:
        """How rotary positions turn queries and keys."""
        return Turning(self.pairs, float(self.base), self.stretch, self.stretched)

    @property
    def visible(self) -> BoolArray:
        """All chosen masks at once: (T, T), True where the query may see the key."""
        n_tokens = len(self.tokens)
        visible = masks.everything(n_tokens)
        if Mask.CAUSAL in self.mask:
            visible &= masks.causal(n_tokens)
        if Mask.WINDOW in self.mask:
            visible &= masks.window(n_tokens, self.radius)
        if Mask.PADDING in self.mask:
            visible &= masks.padding(n_tokens, self.pad)
        if Mask.CUSTOM in self.mask and self.custom is not None:
            visible &= np.array(self.custom, dtype=bool).reshape(n_tokens, n_tokens)
        return visible

    def _check_numbers(self) -> None:
        _check_whole("The dimension d_model", self.d_model, D_MODEL)
        _check_whole("The number of heads", self.n_heads, N_HEADS)
        _check_whole("The seed", self.seed, SEED)
        _check_whole("The window's radius", self.radius, RADIUS)
        _check_whole("The number of padding tokens", self.pad, PAD)
        _check_whole("The base of rotary positions", self.base, BASE)
        _check_between("The temperature", self.temperature, TEMPERATURE)
        _check_between("The stretch of rotary positions", self.stretch, STRETCH)
        for name, given in (("d_k", self.d_k), ("d_v", self.d_v)):
            if given is not None:
                _check_whole(name, given, D_HEAD)

    def _check_text(self) -> None:
        if len(self.text) > MAX_CHARACTERS:
            raise ValueError(
                f"A sentence may have up to {MAX_CHARACTERS:,} characters, so that it fits into a "
                f"link; this one has {len(self.text):,}."
            )
        n_tokens = len(self.tokens)
        cells = self.n_heads * n_tokens**2
        if n_tokens <= MAX_TOKENS and cells > MAX_CELLS:
            raise ValueError(
                f"Heads times words times words may be up to {MAX_CELLS:,}, because every step "
                f"keeps that many numbers; {self.n_heads} heads and {n_tokens} words make "
                f"{cells:,}. Use fewer heads or a shorter sentence."
            )
        if n_tokens > MAX_TOKENS:
            raise ValueError(
                f"A sentence may have up to {MAX_TOKENS} tokens here, because every token is drawn "
                f"against every other; this one has {n_tokens:,}. Your text is kept: shorten it "
                f"to go on."
            )

    def _check_heads(self) -> None:
        if self.d_model % self.n_heads and not (self.qkv and self.d_k):
            raise ValueError(
                f"The heads must divide d_model, so that each gets d_k = d_model / n_heads "
                f"features; got d_model = {self.d_model} and n_heads = {self.n_heads}. "
                f"Possible here: {', '.join(map(str, divisors(self.d_model)))}."
            )

    def _check_tables(self) -> None:
        features = self.n_heads * self.d_query
        _check_table("The embeddings", self.x, len(self.tokens), self.d_model)
        _check_table("W_Q", self.w_q, self.d_model, features)
        _check_table("W_K", self.w_k, self.d_model, features)
        _check_table("W_V", self.w_v, self.d_model, self.n_heads * self.d_value)
        _check_table("W_O", self.w_o, self.d_joined, self.d_model)
        n_tokens = len(self.tokens)
        if self.custom is not None and [len(row) for row in self.custom] != [n_tokens] * n_tokens:
            raise ValueError(
                f"The custom mask must have a row and a column for each of the {n_tokens} tokens, "
                f"because it says which query may see which key."
            )


def divisors(number: int) -> tuple[int, ...]:
    """Every whole number that divides `number`: the heads that share its features evenly."""
    return tuple(n for n in range(1, number + 1) if number % n == 0)


def table(rows: Iterable[Iterable[float]]) -> Table:
    """Make a matrix comparable and hashable."""
    return tuple(tuple(float(number) for number in row) for row in rows)


def _check_code(what: str, given: str, codes: Iterable[str]) -> None:
    if given not in list(codes):
        raise ValueError(f"{what} must be one of {', '.join(codes)}; got {given!r}.")


def _check_whole(what: str, given: int, allowed: range) -> None:
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or given not in allowed:
        raise ValueError(
            f"{what} must be a whole number from {allowed[0]} to {allowed[-1]:,}; got {given!r}."
        )


def _check_between(what: str, given: float, ends: tuple[float, float]) -> None:
    low, high = ends
    if not low <= given <= high:
        raise ValueError(f"{what} must be a number from {low:g} to {high:g}; got {given}.")


def _check_table(what: str, given: Table | None, n_rows: int, n_columns: int) -> None:
    if given is None:
        return
    shape = (len(given), *sorted({len(row) for row in given}))
    if shape not in ((n_rows, n_columns), (0,)) or (shape == (0,) and n_rows):
        raise ValueError(
            f"{what} must have {n_rows} rows and {n_columns} columns to fit the sentence and the "
            f"dimension; got {shape[0]} by {' or '.join(map(str, shape[1:])) or 0}."
        )
    for i, row in enumerate(given, start=1):
        for j, number in enumerate(row, start=1):
            if not math.isfinite(number) or abs(number) > MAX_NUMBER:
                raise ValueError(
                    f"{what} may hold numbers from -1,000,000 to 1,000,000, so that no step "
                    f"overflows; got {number} in row {i}, column {j}."
                )
