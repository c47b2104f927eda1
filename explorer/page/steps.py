"""What is said beside each step: its question, its formula, its shapes, the function that ran."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from explorer import attention, embeddings
from explorer.settings import Scale, Settings
from explorer.trace import AttentionTrace
from explorer.view import Step


@dataclass(frozen=True, slots=True)
class Telling:
    """The words of one step. `formula` is LaTeX without any word of the reader's."""

    title: str
    question: str
    formula: str
    shapes: str
    function: Callable | None


def telling(step: Step, settings: Settings, t: AttentionTrace, head: int | None) -> Telling:
    """Put one step into words, with the sizes of this experiment."""
    n, c = t.x.shape
    d, dv, h = settings.d_query, settings.d_value, settings.n_heads
    many = h > 1
    sub = "_h" if many else ""
    q, k, v = ("Q", "K", "V") if settings.qkv else ("X", "X", "X")
    mean = head is None
    here = f"head {head + 1}: " if many and not mean else ""
    before_mask = f"S{sub}" if settings.scale is Scale.RAW else f"S'{sub}"
    last = rf"\tilde S{sub}" if settings.mask else before_mask
    slices = "" if settings.qkv or not many else " X_h is the part of X that belongs to the head."
    product = f"{here}{n} × {c} · {c} × {{}} = {n} × {{}}"
    return {
        Step.EMBEDDINGS: lambda: Telling(
            "Embeddings X",
            "Which numbers stand for each word?",
            rf"X \in \mathbb{{R}}^{{{n} \times {c}}}",
            f"{n} tokens × {c} features",
            embeddings.generated if settings.x is None else None,
        ),
        Step.W_Q: lambda: _projection("W_Q", "asks for", c, h * d, settings.w_q is None),
        Step.W_K: lambda: _projection(
            "W_K", "offers to be found by", c, h * d, settings.w_k is None
        ),
        Step.W_V: lambda: _projection("W_V", "hands over", c, h * dv, settings.w_v is None),
        Step.QUERIES: lambda: Telling(
            "Queries Q",
            "What does each word look for?",
            rf"Q{sub} = X W_{{Q{',h' if many else ''}}}",
            product.format(d, d),
            attention.split_heads if many else None,
        ),
        Step.KEYS: lambda: Telling(
            "Keys K",
            "By what is each word found?",
            rf"K{sub} = X W_{{K{',h' if many else ''}}}",
            product.format(d, d),
            attention.split_heads if many else None,
        ),
        Step.VALUES: lambda: Telling(
            "Values V",
            "What does each word hand over?",
            rf"V{sub} = X W_{{V{',h' if many else ''}}}",
            product.format(dv, dv),
            attention.split_heads if many else None,
        ),
        Step.SCORES: lambda: Telling(
            "Scores S",
            f"How well does each key (column) answer each query (row)?{slices}",
            rf"S{sub} = {q}{sub} {k}{sub}^\top",
            f"{here}{n} × {d} · {d} × {n} = {n} × {n}",
            attention.score,
        ),
        Step.SCALED: lambda: Telling(
            "Scaled scores S′",
            "How large are the scores once longer vectors have no advantage?",
            rf"S'{sub} = S{sub} / \sqrt{{{d}}}",
            f"{here}{n} × {n}, each times {t.factor:.4f}",
            attention.attend,
        ),
        Step.MASKED: lambda: Telling(
            "Masked scores",
            "Which keys may each query see? Grey ones are hidden: their score is −∞.",
            rf"\tilde S{sub} = {before_mask} \text{{ where seen, else }} -\infty",
            f"{here}{n} × {n}, {int((~t.visible).sum())} of {n * n} cells hidden",
            attention.hide,
        ),
        Step.WEIGHTS: lambda: (
            _average(n, h)
            if mean
            else Telling(
                "Weights A",
                "Which share of its attention does each query (row) give to each key (column)?",
                rf"A{sub} = \mathrm{{softmax}}({last})",
                f"{here}{n} × {n}, each row sums to 1",
                attention.softmax,
            )
        ),
        Step.CONTEXT: lambda: Telling(
            "Context vectors Y",
            "What does each word become, blended from what it attends to?",
            rf"Y{sub} = A{sub} {v}{sub}",
            f"{here}{n} × {n} · {n} × {dv} = {n} × {dv}",
            attention.mix,
        ),
        Step.W_O: lambda: Telling(
            "Output matrix W_O",
            "How are the heads’ answers brought together?"
            + (" Here: as they are (identity)." if settings.w_o is None else ""),
            "W_O = I" if settings.w_o is None else rf"W_O \in \mathbb{{R}}^{{{h * dv} \times {c}}}",
            f"{h * dv} × {c}",
            None,
        ),
        Step.OUTPUT: lambda: Telling(
            "Output",
            "What leaves the layer: the heads side by side"
            + (", times W_O." if settings.has_w_o else "."),
            r"[Y_1 \ldots Y_H]" * many + "Y" * (not many) + " W_O" * settings.has_w_o,
            f"{n} × {t.output.shape[1]}",
            attention.join_heads,
        ),
    }[step]()


def _average(n_tokens: int, n_heads: int) -> Telling:
    return Telling(
        "Average of the weights",
        "How much do the heads attend on average? An average of weights only: no head attends "
        "like this, and it is no softmax of anything.",
        rf"\frac{{1}}{{{n_heads}}} \sum_h A_h",
        f"{n_tokens} × {n_tokens}, over {n_heads} heads",
        AttentionTrace.weights_of,
    )


def _projection(name: str, verb: str, n_rows: int, n_columns: int, drawn: bool) -> Telling:
    letter = name[-1]
    return Telling(
        f"Matrix W_{letter}",
        f"Turns a word’s vector into what it {verb}.",
        rf"W_{letter} \in \mathbb{{R}}^{{{n_rows} \times {n_columns}}}",
        f"{n_rows} × {n_columns}",
        embeddings.projections if drawn else None,
    )
