"""What the panel says about the picked number: its formula with the actual numbers, or a sentence.

Nothing here draws: `explorer.page.arithmetic` does. Formulas count words and features from 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from explorer import describe, labels, positions, worked
from explorer.page import latex
from explorer.settings import Position, Rule, Settings
from explorer.trace import AttentionTrace
from explorer.view import PAIRS, Step, View

NAMES = {
    Step.EMBEDDINGS: "embedding",
    Step.POSITIONS: "position",
    Step.INPUTS: "input",
    Step.QUERIES: "query",
    Step.KEYS: "key",
    Step.VALUES: "value",
    Step.TURNED_QUERIES: "turned query",
    Step.TURNED_KEYS: "turned key",
    Step.SCORES: "score",
    Step.SCALED: "scaled score",
    Step.BIAS: "bias",
    Step.BIASED: "score with bias",
    Step.COOLED: "score by temperature",
    Step.MASKED: "masked score",
    Step.WEIGHTS: "weight",
    Step.CONTEXT: "context",
    Step.OUTPUT: "output",
}


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula in LaTeX, without any word of the reader's."""

    latex: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence in Markdown, the reader's words escaped."""

    markdown: str


@dataclass(frozen=True, slots=True)
class Aside:
    """What is shown on request only, under a title of its own."""

    title: str
    parts: tuple[Formula | Sentence, ...]


Content = tuple[Formula | Sentence | Aside, ...]


def heading(t: AttentionTrace, view: View) -> str:
    """Name the picked cell in words, as Markdown."""
    asks, answers = (
        f"“{labels.markdown(describe.word(t.tokens, n))}”" for n in (view.query, view.key)
    )
    name = labels.markdown(NAMES[view.step])
    if view.step in PAIRS:
        return f"{name} from {asks} to {answers}"
    return f"{name} of {asks}, feature {view.feature + 1}"


def content(
    t: AttentionTrace,
    settings: Settings,
    view: View,
    *,
    largest_first: bool = False,
    typed: bool = False,
) -> Content:
    """Where the picked number comes from.

    largest_first: the terms of a sum by their size. typed: the reader typed this very number.
    """
    if view.step is Step.WEIGHTS:
        return _weight(t, settings, view, largest_first)
    if view.step is Step.MASKED:
        return (_masked(t, view),)
    if view.step is Step.EMBEDDINGS:
        return (_given(t, settings, view, typed),)
    if view.step is Step.OUTPUT and not settings.has_w_o:
        return (_joined(t, settings, view),)
    if view.step in _SUMS:
        return (Formula(_SUMS[view.step](t, settings, view, largest_first)),)
    return (Formula(_BETWEEN[view.step](t, settings, view)),)


def n_terms(t: AttentionTrace, settings: Settings, view: View) -> int:
    """How many terms the sum behind the picked number has; 0 where it is no sum."""
    if view.head is None:
        return 0
    if view.step is Step.SCORES:
        return settings.d_query
    if view.step is Step.OUTPUT:
        return settings.d_joined if settings.has_w_o else 0
    if view.step is Step.WEIGHTS:
        return int(t.visible[view.query].sum())
    return {
        Step.CONTEXT: len(t.tokens),
        Step.QUERIES: settings.d_model,
        Step.KEYS: settings.d_model,
        Step.VALUES: settings.d_model,
    }.get(view.step, 0)


# Sums of products


def _x(settings: Settings) -> str:
    """What goes into attention."""
    return "x'" if settings.position.is_added else "x"


def _score(t: AttentionTrace, settings: Settings, view: View, largest_first: bool) -> str:
    i, j = view.query, view.key
    q, k = ("q", "k") if settings.qkv else (_x(settings), _x(settings))
    if settings.position is Position.ROTARY:
        q, k = "q^R", "k^R"
    symbols = (f"{q}_{{{i + 1},n}}", f"{k}_{{{j + 1},n}}")
    sum_ = worked.score(t, view.head, i, j)
    name = f"s_{{{i + 1},{j + 1}}}"
    return latex.dot_product(name, sum_, symbols, view.decimals, largest_first)


def _context(t: AttentionTrace, settings: Settings, view: View, largest_first: bool) -> str:
    i, c = view.query, view.feature
    v = "v" if settings.qkv else _x(settings)
    symbols = (f"a_{{{i + 1},n}}", f"{v}_{{n,{c + 1}}}")
    sum_ = worked.context(t, view.head, i, c)
    name = f"y_{{{i + 1},{c + 1}}}"
    return latex.dot_product(name, sum_, symbols, view.decimals, largest_first)


def _projected(letter: str) -> Callable[[AttentionTrace, Settings, View, bool], str]:
    def projected(t: AttentionTrace, settings: Settings, view: View, largest_first: bool) -> str:
        i, c = view.query, view.feature
        width = settings.d_value if letter == "v" else settings.d_query
        column = view.head * width + c
        symbols = (
            f"{_x(settings)}_{{{i + 1},n}}",
            f"w^{{{letter.upper()}}}_{{n,{column + 1}}}",
        )
        sum_ = worked.projection(t, letter, view.head, i, c)
        name = f"{letter}_{{{i + 1},{c + 1}}}"
        return latex.dot_product(name, sum_, symbols, view.decimals, largest_first)

    return projected


def _output(t: AttentionTrace, settings: Settings, view: View, largest_first: bool) -> str:
    i, c = view.query, view.feature
    symbols = (f"y_{{{i + 1},n}}", f"w^O_{{n,{c + 1}}}")
    sum_ = worked.output(t, i, c)
    name = f"o_{{{i + 1},{c + 1}}}"
    return latex.dot_product(name, sum_, symbols, view.decimals, largest_first)


_SUMS = {
    Step.QUERIES: _projected("q"),
    Step.KEYS: _projected("k"),
    Step.VALUES: _projected("v"),
    Step.SCORES: _score,
    Step.CONTEXT: _context,
    Step.OUTPUT: _output,
}


# Formulas of one or two numbers


def _position(t: AttentionTrace, settings: Settings, view: View) -> str:
    i, c, n_features = view.query, view.feature, settings.d_model
    if settings.position is Position.SINUSOIDAL:
        sine, exponent = c % 2 == 0, f"{c - c % 2}/{n_features}"
    else:
        waves = n_features // 2
        sine, exponent = c < waves, f"{c % waves}/{waves - 1}"
        if c >= 2 * waves:
            return r"p = \mathbf{0} \quad \text{(the last of an odd number of features)}"
        exponent = exponent if waves > 1 else "0"
    value = latex.number(t.positions[i, c], view.decimals)
    function = "sin" if sine else "cos"
    angle = rf"\left({i} / 10000^{{{exponent}}}\right)"
    return rf"p_{{{i + 1},{c + 1}}} = \{function}\!{angle} = \mathbf{{{value}}}"


def _input(t: AttentionTrace, settings: Settings, view: View) -> str:
    i, c = view.query, view.feature
    name = f"x'_{{{i + 1},{c + 1}}} = x_{{{i + 1},{c + 1}}} + p_{{{i + 1},{c + 1}}}"
    return latex.plus(name, t.x[i, c], t.positions[i, c], view.decimals)


def _scaled(t: AttentionTrace, settings: Settings, view: View) -> str:
    row = f"{view.query + 1},{view.key + 1}"
    scaling = worked.scaling(t, view.head, view.query, view.key)
    return latex.scaling(f"s'_{{{row}}}", scaling, f"s_{{{row}}}", settings.d_query, view.decimals)


def _turned(t: AttentionTrace, settings: Settings, view: View) -> str:
    letter = "q" if view.step is Step.TURNED_QUERIES else "k"
    sum_ = worked.turn(t, letter, view.head, view.query, view.feature)
    one, feature = view.query + 1, view.feature + 1
    return latex.turn(
        f"{letter}^R_{{{one},{feature}}}",
        sum_,
        view.query,
        view.feature,
        settings.d_query,
        view.decimals,
    )


def _bias(t: AttentionTrace, settings: Settings, view: View) -> str:
    i, j = view.query, view.key
    slope = positions.alibi_slopes(t.n_heads)[view.head]
    value = latex.number(t.bias[view.head, i, j], view.decimals)
    return rf"b_{{{i + 1},{j + 1}}} = -{slope:.4g} \cdot |{i + 1} - {j + 1}| = \mathbf{{{value}}}"


def _biased(t: AttentionTrace, settings: Settings, view: View) -> str:
    h, i, j = view.head, view.query, view.key
    name = f"s^B_{{{i + 1},{j + 1}}}"
    return latex.plus(name, t.scaled[h, i, j], t.bias[h, i, j], view.decimals)


def _cooled(t: AttentionTrace, settings: Settings, view: View) -> str:
    h, i, j = view.head, view.query, view.key
    value = latex.number(t.cooled[h, i, j], view.decimals)
    before = latex.number(t.biased[h, i, j], view.decimals + 1)
    return (
        rf"s^\tau_{{{i + 1},{j + 1}}} = \frac{{{before}}}{{{t.temperature:g}}} = \mathbf{{{value}}}"
    )


_BETWEEN = {
    Step.POSITIONS: _position,
    Step.INPUTS: _input,
    Step.TURNED_QUERIES: _turned,
    Step.TURNED_KEYS: _turned,
    Step.SCALED: _scaled,
    Step.BIAS: _bias,
    Step.BIASED: _biased,
    Step.COOLED: _cooled,
}


# Weights


def _weight(t: AttentionTrace, settings: Settings, view: View, largest_first: bool) -> Content:
    h, i, j, places = view.head, view.query, view.key, view.decimals
    asks, answers = _words(t, view)
    if t.sees_nobody[i]:
        return (Sentence(f"{asks} may see no word at all, so every weight in its row is **0**."),)
    if not t.visible[i, j]:
        return (Sentence(f"{asks} may not see {answers}, so the weight is **0**."),)
    name = f"a_{{{i + 1},{j + 1}}}"
    if h is None:
        return (Formula(latex.average(name, worked.average(t, i, j), places)),)
    if settings.rule is Rule.TOTAL:
        return (Formula(latex.total(name, worked.total(t, h, i, j), places)),)
    softmax = worked.softmax(t, h, i, j)
    shifted = Formula(latex.shifted_softmax(name, softmax, places))
    if not softmax.fits:
        too_large = Sentence(
            "The powers of e are too large or too small to write down, so the row’s largest "
            "score is subtracted first. That changes no weight."
        )
        return too_large, shifted
    why = Sentence(
        "The row’s largest score is subtracted first. That changes no weight and keeps "
        "the powers of e from becoming too large."
    )
    plain = Formula(latex.softmax(name, softmax, places, largest_first))
    return plain, Aside("As the computer does it", (why, shifted))


# Sentences


def _words(t: AttentionTrace, view: View) -> tuple[str, str]:
    """The word that asks and the one that answers, in quotes, as Markdown."""
    asks, answers = (f"“{labels.markdown(t.tokens[n])}”" for n in (view.query, view.key))
    return asks, answers


def _masked(t: AttentionTrace, view: View) -> Sentence:
    asks, answers = _words(t, view)
    i, j = view.query, view.key
    if t.visible[i, j]:
        number = labels.number(t.masked[view.head, i, j], view.decimals)
        return Sentence(f"{asks} may see {answers}, so the score stays **{number}**.")
    return Sentence(
        f"{asks} may not see {answers}. The score becomes **−∞**, and e to the power of −∞ "
        f"is 0, so {answers} gets no weight."
    )


def _joined(t: AttentionTrace, settings: Settings, view: View) -> Sentence:
    head, within = divmod(view.feature, settings.d_value)
    number = labels.number(t.output[view.query, view.feature], view.decimals)
    return Sentence(
        f"The heads’ context vectors stand side by side; this is feature {within + 1} of head "
        f"{head + 1}: **{number}**."
    )


def _given(t: AttentionTrace, settings: Settings, view: View, typed: bool) -> Sentence:
    number = labels.exact(t.x[view.query, view.feature])
    if typed:
        return Sentence(f"**{number}** is what you typed.")
    if settings.x is not None:
        return Sentence(f"**{number}** is given: the example’s author chose it.")
    return Sentence(
        f"**{number}** is made up from the word itself and the seed, so the same word always has "
        f"the same vector. In a trained model it would be learned."
    )
