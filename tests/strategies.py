"""What the property tests draw: sentences, numbers and whole experiments."""

from __future__ import annotations

from itertools import combinations

from hypothesis import strategies as st

from explorer.operations.schemes import SCHEMES
from explorer.positions import Pairs, Stretched
from explorer.settings import Mask, Scale, Settings, Table
from explorer.tokens import tokenize

WORDS = (
    "the",
    "The",
    "cat",
    "don’t",
    "Poincare\u0301",
    "नमस्ते",
    "สวัสดีครับ",
    "東京",
    "שָׁלוֹם",
    "👩‍👩‍👧",
    "<b>",
    "1e5",
)
"""Few, so that words repeat; some are several tokens, some several code points."""
MASKS = [masks for n in range(len(Mask) + 1) for masks in combinations(Mask, n)]
"""Every choice of masks: none, one, two, all."""


def sentences(max_words: int = 6) -> st.SearchStrategy[str]:
    """Up to `max_words` words with spaces between them; now and then one word or none."""
    word = st.sampled_from(WORDS)
    several = st.lists(word, min_size=2, max_size=max_words)
    return st.one_of(several, several, several, st.lists(word, max_size=1)).map(" ".join)


def tables(n_rows: int, n_columns: int, bound: float) -> st.SearchStrategy[Table]:
    """A matrix by hand, with numbers from -bound to bound."""
    row = st.tuples(*[st.floats(-bound, bound)] * n_columns)
    return st.tuples(*[row] * n_rows)


@st.composite
def experiments(draw: st.DrawFn, bound: float = 2.0, **fixed) -> Settings:
    """Any small experiment. Numbers by hand lie between -bound and bound; `fixed` are fields."""
    chosen = {
        "text": draw(sentences()),
        "qkv": draw(st.booleans()),
        "n_heads": draw(st.integers(1, 3)),
        "d_k": draw(st.sampled_from([None, 1, 2, 3, 4])),
        "d_v": draw(st.sampled_from([None, 1, 2, 3, 4])),
        "position": draw(st.sampled_from(list(SCHEMES))),
        "pairs": draw(st.sampled_from(Pairs)),
        "base": draw(st.sampled_from([10_000, 500_000, 7])),
        "stretch": draw(st.sampled_from([1.0, 1.0, 2.5])),
        "stretched": draw(st.sampled_from(Stretched)),
        "scale": draw(st.sampled_from(Scale)),
        "temperature": draw(st.sampled_from([1.0, 1.0, 0.5, 2.5])),
        "mask": draw(st.sampled_from(MASKS)),
        "radius": draw(st.integers(0, 3)),
        "pad": draw(st.integers(0, 4)),
        "seed": draw(st.integers(0, 999_999)),
    } | fixed
    if chosen["qkv"] and chosen["d_k"]:
        chosen.setdefault("d_model", draw(st.integers(2, 6)))
    else:
        chosen.setdefault("d_model", max(2, chosen["n_heads"] * draw(st.integers(1, 3))))

    shape = Settings(**chosen)
    d_model, n_heads = shape.d_model, shape.n_heads
    by_hand = {
        "x": (len(tokenize(shape.text)), d_model),
        "w_q": (d_model, n_heads * shape.d_query),
        "w_k": (d_model, n_heads * shape.d_query),
        "w_v": (d_model, n_heads * shape.d_value),
    }
    if shape.qkv:
        by_hand["w_o"] = (shape.d_joined, d_model)
    if draw(st.booleans()):
        n_tokens = len(tokenize(shape.text))
        row = st.tuples(*[st.booleans()] * n_tokens)
        chosen.setdefault("custom", draw(st.tuples(*[row] * n_tokens)))
    for name, (n_rows, n_columns) in by_hand.items():
        if draw(st.booleans()):
            chosen.setdefault(name, draw(tables(n_rows, n_columns, bound)))
    return Settings(**chosen)
