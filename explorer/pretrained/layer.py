"""One layer of a trained transformer, step by step: attention, and a feed-forward part.

Shapes as in `explorer.attention`, and besides:
    F  features inside the feed-forward part

Read `layer_steps` from top to bottom. It is `explorer.pipeline.layer` once more, with what a layer
needs to stand on others: a bias, the sum with what came in, normalisation, a feed-forward part.

Sources: Vaswani et al. (2017), section 3.1 and 3.3; for the norm ahead of each part Radford et al.
(2019), "Language Models are Unsupervised Multitask Learners", section 2.3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from explorer.attention import Array, BoolArray
from explorer.operations import matrices as m
from explorer.operations.basic import (
    Add,
    DivideByRoot,
    Given,
    Hide,
    Join,
    Mix,
    Normalise,
    Score,
)
from explorer.operations.matrices import Matrix
from explorer.operations.operation import AnyArray
from explorer.operations.steps import Step
from explorer.pipeline.run import Again, run
from explorer.pretrained import parts
from explorer.pretrained.operations import Activate, Linear, Normal


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class LayerWeights:
    """What one layer has learned."""

    qkv: parts.Linear  #     (C, 3C)  queries, keys and values side by side
    out: parts.Linear  #     (C, C)   W_O: brings the joined heads back
    norm_1: parts.Norm  #             beside attention
    widen: parts.Linear  #   (C, F)   first half of the feed-forward part
    narrow: parts.Linear  #  (F, C)   second half
    norm_2: parts.Norm  #             beside the feed-forward part

    def third(self, n: int) -> parts.Linear:
        """(C, C) what makes the queries, the keys or the values, for 0, 1 and 2."""
        third = slice(n * len(self.out.w), (n + 1) * len(self.out.w))
        return parts.Linear(self.qkv.w[:, third], self.qkv.b[third])


def layer_steps(
    w: LayerWeights, n_heads: int, activation: parts.Activation, norm_first: bool
) -> tuple[Step, ...]:
    """Every step of one layer, in the order in which they are computed.

    norm_first: whether the norms stand ahead of both parts, as in GPT-2, and not behind each sum.
    """
    return (*_attention(w, n_heads, norm_first), *_feed_forward(w, activation, norm_first))


def _attention(w: LayerWeights, n_heads: int, norm_first: bool) -> Iterator[Step]:
    """Section 3.2: each token gathers from those that it may see, and adds that to itself."""
    yield Step(ENTERING, Given())
    x = "entering"
    if norm_first:
        yield Step(NORMED_1, Normal(x, w.norm_1, "1"))
        x = "normed_1"
    yield Step(m.QUERIES, Linear(x, w.third(0), "Q", n_heads), by_head=True)
    yield Step(m.KEYS, Linear(x, w.third(1), "K", n_heads), by_head=True)
    yield Step(m.VALUES, Linear(x, w.third(2), "V", n_heads), by_head=True)
    yield Step(m.SCORES, Score("queries", "keys", product=np.matmul), by_head=True)
    yield Step(m.SCALED, DivideByRoot("scores", len(w.out.w) // n_heads), by_head=True)
    yield Step(m.MASKED, Hide("scaled"), by_head=True, shown=False)
    yield Step(m.WEIGHTS, Normalise("masked", "softmax"), by_head=True)
    yield Step(m.CONTEXT, Mix("weights", "values", product=np.matmul), by_head=True)
    yield Step(m.SIDE_BY_SIDE, Join("context"), shown=False)
    yield Step(ATTENDED, Linear("joined", w.out, "O"))
    yield from _sum(MIDDLE, SUM_1, "entering", "attended", None if norm_first else w.norm_1)


def _feed_forward(
    w: LayerWeights, activation: parts.Activation, norm_first: bool
) -> Iterator[Step]:
    """Section 3.3: each token by itself, through more features and back, added again."""
    x = "middle"
    if norm_first:
        yield Step(NORMED_2, Normal(x, w.norm_2, "2"))
        x = "normed_2"
    yield Step(WIDENED, Linear(x, w.widen, "1"))
    yield Step(ACTIVATED, Activate("widened", activation))
    yield Step(FED, Linear("activated", w.narrow, "2"))
    yield from _sum(HIDDEN, SUM_2, "middle", "fed", None if norm_first else w.norm_2)


def _sum(
    result: Matrix, before: Matrix, left: str, right: str, norm: parts.Norm | None
) -> Iterator[Step]:
    """A part's answer added to what went into it; in BERT the sum is normalised."""
    yield Step(result if norm is None else before, Add(left, right))
    if norm is not None:
        yield Step(result, Normal(before.name, norm, before.name[-1]))


KEPT = (
    "entering",
    "visible",
    "queries",
    "keys",
    "values",
    "weights",
    "context",
    "attended",
    "middle",
    "fed",
    "hidden",
)
"""The numbers of a layer that are kept. The others are as many again, and quickly had once more."""


@dataclass(frozen=True, eq=False, slots=True)
class Layer:
    """Every number of one layer. A batch stands in front of each shape."""

    steps: tuple[Step, ...]
    kept: Mapping[str, AnyArray]

    @property
    def arrays(self) -> Mapping[str, AnyArray]:
        """The numbers of all steps by their names; those not kept are computed when asked for."""
        return Again(self.steps, self.kept)

    @property
    def v(self) -> Array:
        """(H, T, D) values."""
        return self.kept["values"]

    @property
    def visible(self) -> BoolArray:
        """(T, T) True where the query may see the key."""
        return self.kept["visible"]

    @property
    def weights(self) -> Array:
        """(H, T, T) softmax of the masked scores."""
        return self.kept["weights"]

    @property
    def attended(self) -> Array:
        """(T, C) the joined heads through W_O: what attention adds."""
        return self.kept["attended"]

    @property
    def middle(self) -> Array:
        """(T, C) the vectors after attention, its sum and, in BERT, the norm."""
        return self.kept["middle"]

    @property
    def fed(self) -> Array:
        """(T, C) what the feed-forward part adds."""
        return self.kept["fed"]

    @property
    def hidden(self) -> Array:
        """(T, C) the vectors as they leave the layer."""
        return self.kept["hidden"]


def computed(steps: tuple[Step, ...], x: Array, visible: BoolArray) -> Layer:
    """Send vectors, (..., T, C), through a layer."""
    return Layer(steps, run(steps, {"entering": x, "visible": visible}, keep=KEPT))


def _vectors(name: str, symbol: str, title: str, cell: str, question: str) -> Matrix:
    return Matrix(name, symbol, m.WORDS, f"{title} {symbol.replace('_', '')}", cell, question)


ENTERING = _vectors(
    "entering", "X", "Vectors", "number", "Which vectors come in from the layer before?"
)
NORMED_1 = _vectors(
    "normed_1", "N_1", "Normalised vectors", "normalised number",
    "The same, each vector with the mean 0 and the variance 1 before gain and shift.",
)  # fmt: skip
ATTENDED = _vectors(
    "attended", "O", "Answer of attention", "answer of attention",
    "What does attention add to each vector?",
)  # fmt: skip
SUM_1 = _vectors(
    "sum_1", "S_1", "Sum after attention", "sum", "What came in, and what attention adds to it."
)
MIDDLE = _vectors(
    "middle", "Z", "Vectors between the parts", "number",
    "Which vectors go from attention to the feed-forward part?",
)  # fmt: skip
NORMED_2 = replace(NORMED_1, name="normed_2", symbol="N_2", title="Normalised vectors N2")
WIDENED = _vectors(
    "widened", "U", "Neurons", "neuron",
    "How strongly does each neuron of the feed-forward part answer?",
)  # fmt: skip
ACTIVATED = _vectors(
    "activated", "G", "Activated neurons", "activated neuron", "What does each neuron let through?"
)
FED = _vectors(
    "fed", "F", "Answer of the feed-forward part", "answer of the feed-forward part",
    "What does the feed-forward part add to each vector?",
)  # fmt: skip
SUM_2 = _vectors(
    "sum_2", "S_2", "Sum after the feed-forward part", "sum",
    "What attention left, and what the feed-forward part adds to it.",
)  # fmt: skip
HIDDEN = _vectors(
    "hidden", "H", "Vectors that leave the layer", "number", "Which vectors go to the next layer?"
)
