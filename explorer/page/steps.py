"""What is said beside each step: its question, its formula, its shapes, the function that ran."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from explorer import attention, embeddings, positions
from explorer.settings import Position, Rule, Settings
from explorer.trace import AttentionTrace
from explorer.view import GIVEN, PAIRS, Step, chain, n_features


@dataclass(frozen=True, slots=True)
class Telling:
    """The words of one step. `formula` is LaTeX without any word of the reader's."""

    title: str
    question: str
    formula: str
    shapes: str
    function: Callable | None


def telling(
    step: Step,
    settings: Settings,
    t: AttentionTrace,
    head: int | None,
    turned: bool = False,
) -> Telling:
    """Put one step into words, with the sizes of this experiment.

    turned: words are columns, so every matrix and its formula are transposed.
    """
    told = _telling(step, settings, t, head)
    return _transposed(told, step, settings, t, head) if turned else told


def _transposed(
    told: Telling, step: Step, settings: Settings, t: AttentionTrace, head: int | None
) -> Telling:
    """The same step where words are columns: the factors of a product change places."""
    many = settings.n_heads > 1
    sub = "_h" if many else ""
    x = "X'" if settings.position.is_added else "X"
    q, k, v = ("Q", "K", "V") if settings.qkv else (x, x, x)
    q_met, k_met = ("Q^R", "K^R") if settings.position is Position.ROTARY else (q, k)
    before_, last = _symbols(settings, sub)
    inputs, scaled, cooled, masked = "X'", f"S'{sub}", rf"S^\tau{sub}", rf"\tilde S{sub}"

    def t_(name: str) -> str:
        return rf"{{{name}}}^\top"

    def w_(letter: str) -> str:
        return t_(f"W_{{{letter}{',h' if many else ''}}}")

    formula = {
        Step.EMBEDDINGS: t_("X"),
        Step.POSITIONS: t_("P"),
        Step.INPUTS: rf"{t_(inputs)} = {t_('X')} + {t_('P')}",
        Step.W_Q: t_("W_Q"),
        Step.W_K: t_("W_K"),
        Step.W_V: t_("W_V"),
        Step.QUERIES: rf"{t_(f'Q{sub}')} = {w_('Q')} {t_(x)}",
        Step.KEYS: rf"{t_(f'K{sub}')} = {w_('K')} {t_(x)}",
        Step.VALUES: rf"{t_(f'V{sub}')} = {w_('V')} {t_(x)}",
        Step.TURNED_QUERIES: rf"{t_(f'Q^R{sub}')} = R({t_(f'{q}{sub}')})",
        Step.TURNED_KEYS: rf"{t_(f'K^R{sub}')} = R({t_(f'{k}{sub}')})",
        Step.SCORES: rf"{t_(f'S{sub}')} = {k_met}{sub}\, {t_(f'{q_met}{sub}')}",
        Step.SCALED: rf"{t_(scaled)} = {t_(f'S{sub}')} / \sqrt{{{settings.d_query}}}",
        Step.CONTEXT: rf"{t_(f'Y{sub}')} = {t_(f'{v}{sub}')} {t_(f'A{sub}')}",
        Step.W_O: t_("W_O"),
        Step.OUTPUT: rf"{t_('W_O')} {t_('Y')}" if settings.has_w_o else t_("Y"),
    }.get(step)
    if step is Step.BIASED:
        formula = rf"{t_(f'S^B{sub}')} = {t_(before_(step))} + {t_(f'B{sub}')}"
    elif step is Step.COOLED:
        formula = rf"{t_(cooled)} = {t_(before_(step))} / {t.temperature:g}"
    elif step is Step.MASKED:
        seen = r"\text{ where seen, else } -\infty"
        formula = rf"{t_(masked)} = {t_(before_(step))} {seen}"
    elif step is Step.WEIGHTS and head is not None and settings.rule is Rule.SOFTMAX:
        softmax = r"\mathrm{softmax}_{\text{of each column}}"
        formula = rf"{t_(f'A{sub}')} = {softmax}({t_(last)})"
    elif step is Step.WEIGHTS and head is None:
        formula = _average_of(settings.n_heads, t_("A_h"))
    question = told.question.replace("(row)", "(_)").replace("(column)", "(row)")
    of_head = step not in GIVEN and step not in _OF_ALL_HEADS
    here = f"head {head + 1}: " if many and of_head and head is not None else ""
    sums = f", each column {_that_sees(t)}sums to 1" if step is Step.WEIGHTS else ""
    rows, columns = _size(step, settings, len(t.tokens))
    return replace(
        told,
        question=question.replace("(_)", "(column)"),
        formula=formula or told.formula,
        shapes=f"{here}{columns} × {rows}{sums}",
    )


_OF_ALL_HEADS = (Step.EMBEDDINGS, Step.POSITIONS, Step.INPUTS, Step.OUTPUT)


def _size(step: Step, settings: Settings, n_tokens: int) -> tuple[int, int]:
    if step in PAIRS:
        return n_tokens, n_tokens
    rows = {
        Step.W_Q: settings.d_model,
        Step.W_K: settings.d_model,
        Step.W_V: settings.d_model,
        Step.W_O: settings.d_joined,
    }.get(step, n_tokens)
    return rows, n_features(settings, step)


def _telling(step: Step, settings: Settings, t: AttentionTrace, head: int | None) -> Telling:
    n, c = t.x.shape
    d, dv, h = settings.d_query, settings.d_value, settings.n_heads
    many = h > 1
    sub = "_h" if many else ""
    x = "X'" if settings.position.is_added else "X"
    q, k, v = ("Q", "K", "V") if settings.qkv else (x, x, x)
    q_met, k_met = q, k
    if settings.position is Position.ROTARY:
        q_met, k_met = ("Q^R", "K^R")
    mean = head is None
    here = f"head {head + 1}: " if many and head is not None else ""
    before_, last = _symbols(settings, sub)
    slices = (
        "" if settings.qkv or not many else f" {x}_h is the part of {x} that belongs to the head."
    )
    product = f"{here}{n} × {c} · {c} × {{}} = {n} × {{}}"
    return {
        Step.EMBEDDINGS: lambda: Telling(
            "Embeddings X",
            "Which numbers stand for each word?",
            rf"X \in \mathbb{{R}}^{{{n} \times {c}}}",
            f"{n} tokens × {c} features",
            embeddings.generated if settings.x is None else None,
        ),
        Step.POSITIONS: lambda: Telling(
            "Positions P",
            "Which numbers stand for each place? Sines and cosines of waves, the first place 0.",
            rf"P \in \mathbb{{R}}^{{{n} \times {c}}}",
            f"{n} places × {c} features",
            positions.sinusoidal
            if settings.position is Position.SINUSOIDAL
            else positions.sinusoidal_halves,
        ),
        Step.INPUTS: lambda: Telling(
            "Inputs X′",
            "What goes into attention: each word, marked by its place.",
            "X' = X + P",
            f"{n} tokens × {c} features",
            None,
        ),
        Step.W_Q: lambda: _projection("W_Q", "asks for", c, h * d, settings.w_q is None),
        Step.W_K: lambda: _projection(
            "W_K", "offers to be found by", c, h * d, settings.w_k is None
        ),
        Step.W_V: lambda: _projection("W_V", "hands over", c, h * dv, settings.w_v is None),
        Step.QUERIES: lambda: Telling(
            "Queries Q",
            "What does each word look for?",
            rf"Q{sub} = {x} W_{{Q{',h' if many else ''}}}",
            product.format(d, d),
            attention.split_heads if many else None,
        ),
        Step.KEYS: lambda: Telling(
            "Keys K",
            "By what is each word found?",
            rf"K{sub} = {x} W_{{K{',h' if many else ''}}}",
            product.format(d, d),
            attention.split_heads if many else None,
        ),
        Step.VALUES: lambda: Telling(
            "Values V",
            "What does each word hand over?",
            rf"V{sub} = {x} W_{{V{',h' if many else ''}}}",
            product.format(dv, dv),
            attention.split_heads if many else None,
        ),
        Step.TURNED_QUERIES: lambda: _turned("queries", "Q", q, sub, here, n, d),
        Step.TURNED_KEYS: lambda: _turned("keys", "K", k, sub, here, n, d),
        Step.SCORES: lambda: Telling(
            "Scores S",
            f"How well does each key (column) answer each query (row)?{slices}",
            rf"S{sub} = {q_met}{sub} {{{k_met}{sub}}}^\top",
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
        Step.BIAS: lambda: Telling(
            "Bias B (ALiBi)",
            "How much does distance count against a key?",
            rf"b_{{i,j}} = -{_slope(t, head):.4g}\,|i - j|",
            f"{here}{n} × {n}, the head’s slope is {_slope(t, head):.4g}",
            positions.alibi,
        ),
        Step.BIASED: lambda: Telling(
            "Scores with bias",
            "How well does each key answer, once its distance is counted?",
            rf"S^B{sub} = {before_(Step.BIASED)} + B{sub}",
            f"{here}{n} × {n}",
            attention.attend,
        ),
        Step.COOLED: lambda: Telling(
            "Scores by temperature",
            "How sharp shall the choice be? Above 1 it becomes more even, below 1 sharper.",
            rf"S^\tau{sub} = {before_(Step.COOLED)} / {t.temperature:g}",
            f"{here}{n} × {n}, each divided by {t.temperature:g}",
            attention.attend,
        ),
        Step.MASKED: lambda: Telling(
            "Masked scores",
            "Which keys may each query see? Grey ones are hidden: their score is −∞.",
            rf"\tilde S{sub} = {before_(Step.MASKED)} \text{{ where seen, else }} -\infty",
            f"{here}{n} × {n}, {int((~t.visible).sum())} of {n * n} cells hidden",
            attention.hide,
        ),
        Step.WEIGHTS: lambda: (
            _average(n, h)
            if mean
            else _by_total(sub, last, here, n)
            if settings.rule is Rule.TOTAL
            else Telling(
                "Weights A",
                "Which share of its attention does each query (row) give to each key (column)?",
                rf"A{sub} = \mathrm{{softmax}}({last})",
                f"{here}{n} × {n}, each row {_that_sees(t)}sums to 1",
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


def _symbols(settings: Settings, sub: str) -> tuple[Callable[[Step], str], str]:
    """What the step before one is called in formulas, and the last one before the weights."""
    names = {
        Step.SCORES: f"S{sub}",
        Step.SCALED: f"S'{sub}",
        Step.BIASED: f"S^B{sub}",
        Step.COOLED: rf"S^\tau{sub}",
        Step.MASKED: rf"\tilde S{sub}",
    }
    here = chain(settings)
    return lambda step: names[here[here.index(step) - 1]], names[here[-2]]


def _that_sees(t: AttentionTrace) -> str:
    """The rows of queries that may see no key hold zeros and sum to 0."""
    return "of a word that sees any " if t.sees_nobody.any() else ""


def _slope(t: AttentionTrace, head: int | None) -> float:
    return float(positions.alibi_slopes(t.n_heads)[head or 0])


def _turned(
    what: str, letter: str, from_: str, sub: str, here: str, n_tokens: int, d_k: int
) -> Telling:
    return Telling(
        f"Turned {what} {letter}ᴿ",
        f"Which way do the {what} point, once each pair of features is turned by its place?",
        rf"{letter}^R{sub} = R({from_}{sub})",
        f"{here}{n_tokens} × {d_k}",
        positions.rotary,
    )


def _by_total(sub: str, last: str, here: str, n_tokens: int) -> Telling:
    return Telling(
        "Weights A by plain division",
        "Which share does each key get if a score is simply divided by its row’s total? It may be "
        "negative or more than 1, and at a total of 0 there is none: that is what the softmax is "
        "for.",
        rf"a_{{i,j}} = s_{{i,j}} / \textstyle\sum_n s_{{i,n}}\;\; (S = {last})",
        f"{here}{n_tokens} × {n_tokens}",
        attention.share_by_total,
    )


def _average(n_tokens: int, n_heads: int) -> Telling:
    return Telling(
        "Average of the weights",
        "How much do the heads attend on average? An average of weights only: no head attends "
        "like this, and it is no softmax of anything.",
        _average_of(n_heads, "A_h"),
        f"{n_tokens} × {n_tokens}, over {n_heads} heads",
        AttentionTrace.weights_of,
    )


def _average_of(n_heads: int, weights: str) -> str:
    return rf"\frac{{1}}{{{n_heads}}} \sum_h {weights}"


def _projection(name: str, verb: str, n_rows: int, n_columns: int, drawn: bool) -> Telling:
    letter = name[-1]
    return Telling(
        f"Matrix W_{letter}",
        f"Turns a word’s vector into what it {verb}.",
        rf"W_{letter} \in \mathbb{{R}}^{{{n_rows} \times {n_columns}}}",
        f"{n_rows} × {n_columns}",
        embeddings.projections if drawn else None,
    )
