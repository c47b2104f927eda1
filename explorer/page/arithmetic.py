"""The arithmetic behind the picked cell, with the actual numbers."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from explorer import describe, labels, positions, trail, worked
from explorer.link.experiment import is_typed
from explorer.page import change_box, latex
from explorer.page.session import address, fragments
from explorer.page.session.state import said
from explorer.settings import Mask, Position, Rule, Settings
from explorer.trace import AttentionTrace
from explorer.view import PAIRS, Step, View, n_features, openable

_NAMES = {
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
_MOST_BUTTONS = 16


def word_choice(name: str, label: str, tokens: tuple[str, ...]) -> None:
    """Choose a word by mouse or keyboard: buttons, or a list to search when there are many.

    Words carry their position, counted from 1: it tells apart words that come twice.
    """
    address.renew(name, tokens)
    places = range(len(tokens))
    if len(tokens) <= _MOST_BUTTONS:
        st.segmented_control(
            label,
            places,
            wrap=True,
            format_func=lambda n: f"{labels.markdown(tokens[n], 16)} :small[{n + 1}]",
            required=True,
            **address.named(name),
        )
    else:
        st.selectbox(
            label,
            places,
            format_func=lambda n: f"{n + 1}  {labels.shown(tokens[n], 60)}",
            **address.named(name),
        )


def arithmetic(settings: Settings) -> None:
    """Show where the picked number comes from, and let the keyboard pick another."""
    with st.container(border=True, key="arithmetic"):
        st.markdown("**Where a number comes from**")
        _cell_choice(settings)
        _picked_number(settings)


@fragments.part(follows={"step"})
def _cell_choice(settings: Settings) -> None:
    view = address.view()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        here = openable(settings, view.head)
        address.renew("step", here)
        st.segmented_control(
            "Step",
            list(map(str, here)),
            wrap=True,
            format_func=_NAMES.get,
            required=True,
            **address.named("step"),
        )
        if view.step in PAIRS:
            word_choice("key", "Key word: who answers?", settings.tokens)
            address.gone("feature")
        else:
            _feature_choice(settings, view)
            address.gone("key")


@fragments.part
def _picked_number(settings: Settings) -> None:
    t, view = address.now().trace, address.view()
    heading = _heading(t, view)
    st.markdown(f"**{heading[0].upper()}{heading[1:]}**")
    _worked(t, settings, view)
    if _n_terms(t, settings, view) > latex.FOLD:
        st.toggle("Largest terms first", key="largest_first", on_change=address.touch)
    _walk(t, settings, view)


def _largest_first(t: AttentionTrace, settings: Settings, view: View) -> bool:
    """Whether a sum too long to write out begins with its largest terms."""
    return _n_terms(t, settings, view) > latex.FOLD and said("largest_first", False)


def _n_terms(t: AttentionTrace, settings: Settings, view: View) -> int:
    """How many terms the sum behind the open number has."""
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


def _walk(t: AttentionTrace, settings: Settings, view: View) -> None:
    """Go on to a number that this one is made of, or to one that it feeds."""
    ways = (("Made of", trail.made_of(settings, view)), ("Feeds", trail.feeds(settings, view)))
    with st.container(horizontal=True, vertical_alignment="center"):
        for name, places in ways:
            if places:
                st.markdown(f":small[{name}]", width="content")
            for n, place in enumerate(places):
                there = replace(view, **place)
                st.button(
                    _heading(t, there),
                    key=f"{name}_{n}",
                    type="tertiary",
                    on_click=address.put,
                    kwargs=place,
                )


def _feature_choice(settings: Settings, view: View) -> None:
    width = n_features(settings, view.step)
    address.renew("feature", width)
    st.selectbox(
        "Feature",
        range(width),
        format_func=lambda c: str(c + 1),
        width=120,
        **address.named("feature"),
    )


def _heading(t: AttentionTrace, view: View) -> str:
    """Name the picked cell in words."""
    asks, answers = (
        f"“{labels.markdown(describe.word(t.tokens, n))}”" for n in (view.query, view.key)
    )
    name = labels.markdown(_NAMES[view.step])
    if view.step in PAIRS:
        return f"{name} from {asks} to {answers}"
    return f"{name} of {asks}, feature {view.feature + 1}"


def _worked(t: AttentionTrace, settings: Settings, view: View) -> None:
    h, i, j, c, places = view.head, view.query, view.key, view.feature, view.decimals
    one, other, feature = i + 1, j + 1, c + 1  # formulas count from 1
    x = "x'" if settings.position.is_added else "x"
    q, k, v = ("q", "k", "v") if settings.qkv else (x, x, x)
    if settings.position is Position.ROTARY:
        q, k = "q^R", "k^R"
    row = f"{one},{other}"
    largest_first = _largest_first(t, settings, view)
    if view.step is Step.SCORES:
        sum_ = worked.score(t, h, i, j)
        symbols = (f"{q}_{{{one},n}}", f"{k}_{{{other},n}}")
        st.latex(latex.dot_product(f"s_{{{row}}}", sum_, symbols, places, largest_first))
    elif view.step is Step.SCALED:
        scaling = worked.scaling(t, h, i, j)
        st.latex(latex.scaling(f"s'_{{{row}}}", scaling, f"s_{{{row}}}", settings.d_query, places))
    elif view.step in _BETWEEN:
        st.latex(_BETWEEN[view.step](t, settings, view))
    elif view.step is Step.MASKED:
        _masked(t, settings, view)
    elif view.step is Step.WEIGHTS:
        _softmax(t, settings, view)
    elif view.step is Step.CONTEXT:
        sum_ = worked.context(t, h, i, c)
        symbols = (f"a_{{{one},n}}", f"{v}_{{n,{feature}}}")
        st.latex(latex.dot_product(f"y_{{{one},{feature}}}", sum_, symbols, places, largest_first))
    elif view.step in (Step.QUERIES, Step.KEYS, Step.VALUES):
        letter = {Step.QUERIES: "q", Step.KEYS: "k", Step.VALUES: "v"}[view.step]
        sum_ = worked.projection(t, letter, h, i, c)
        width = settings.d_value if letter == "v" else settings.d_query
        symbols = (f"{x}_{{{one},n}}", f"w^{{{letter.upper()}}}_{{n,{h * width + feature}}}")
        st.latex(
            latex.dot_product(f"{letter}_{{{one},{feature}}}", sum_, symbols, places, largest_first)
        )
    elif view.step is Step.OUTPUT:
        _output(t, settings, view)
    else:
        st.markdown(_given(t, settings, view))
        _change_here(t, view)


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
    Step.BIAS: _bias,
    Step.BIASED: _biased,
    Step.COOLED: _cooled,
}


def _masked(t: AttentionTrace, settings: Settings, view: View) -> None:
    i, j = view.query, view.key
    asks, answers = (f"“{labels.markdown(t.tokens[n])}”" for n in (i, j))
    if t.visible[i, j]:
        number = labels.number(t.masked[view.head, i, j], view.decimals)
        st.markdown(f"{asks} may see {answers}, so the score stays **{number}**.")
    else:
        st.markdown(
            f"{asks} may not see {answers}. The score becomes **−∞**, and e to the power of −∞ "
            f"is 0, so {answers} gets no weight."
        )
    if Mask.CUSTOM in settings.mask:
        st.button(
            f"Hide {answers} from {asks}" if t.visible[i, j] else f"Let {asks} see {answers}",
            help="In the custom mask; what the other masks hide stays hidden.",
            on_click=change_box.tick,
            args=(i, j),
        )


def _softmax(t: AttentionTrace, settings: Settings, view: View) -> None:
    h, i, j, places = view.head, view.query, view.key, view.decimals
    asks, answers = (f"“{labels.markdown(t.tokens[n])}”" for n in (i, j))
    if t.sees_nobody[i]:
        st.markdown(f"{asks} may see no word at all, so every weight in its row is **0**.")
        return
    if not t.visible[i, j]:
        st.markdown(f"{asks} may not see {answers}, so the weight is **0**.")
        return
    name = f"a_{{{i + 1},{j + 1}}}"
    if h is None:
        st.latex(latex.average(name, worked.average(t, i, j), places))
        return
    if settings.rule is Rule.TOTAL:
        st.latex(latex.total(name, worked.total(t, h, i, j), places))
        return
    softmax = worked.softmax(t, h, i, j)
    shifted = latex.shifted_softmax(name, softmax, places)
    if not softmax.fits:
        st.markdown(
            "The powers of e are too large or too small to write down, so the row’s largest "
            "score is subtracted first. That changes no weight."
        )
        st.latex(shifted)
        return
    st.latex(latex.softmax(name, softmax, places, _largest_first(t, settings, view)))
    with st.popover("As the computer does it", type="tertiary"):
        st.markdown(
            "The row’s largest score is subtracted first. That changes no weight and keeps "
            "the powers of e from becoming too large."
        )
        st.latex(shifted)


def _output(t: AttentionTrace, settings: Settings, view: View) -> None:
    i, c, places = view.query, view.feature, view.decimals
    one, feature = i + 1, c + 1
    if settings.has_w_o:
        symbols = (f"y_{{{one},n}}", f"w^O_{{n,{feature}}}")
        sum_ = worked.output(t, i, c)
        largest_first = _largest_first(t, settings, view)
        st.latex(latex.dot_product(f"o_{{{one},{feature}}}", sum_, symbols, places, largest_first))
        return
    head, within = divmod(c, settings.d_value)
    number = labels.number(t.output[i, c], places)
    st.markdown(
        f"The heads’ context vectors stand side by side; this is feature {within + 1} of head "
        f"{head + 1}: **{number}**."
    )


def _change_here(t: AttentionTrace, view: View) -> None:
    """Type another number into the very cell that is open."""
    i, c = view.query, view.feature
    key = f"cell_{i}_{c}_{labels.exact(t.x[i, c])}"
    st.text_input(
        "Change it to",
        key=key,
        width=160,
        placeholder=labels.exact(t.x[i, c]),
        on_change=lambda: change_box.change_cell("x", i, c, said(key)),
    )
    for problem in change_box.refused():
        st.warning(labels.markdown(problem))


def _given(t: AttentionTrace, settings: Settings, view: View) -> str:
    number = labels.exact(t.x[view.query, view.feature])
    if is_typed(address.now().state, "x", view.query, view.feature):
        return f"**{number}** is what you typed."
    if settings.x is not None:
        return f"**{number}** is given: the example’s author chose it."
    return (
        f"**{number}** is made up from the word itself and the seed, so the same word always has "
        f"the same vector. In a trained model it would be learned."
    )
