"""What positions buy: two small models are trained while one watches."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import streamlit as st

from explorer import describe, labels
from explorer.attention import Array
from explorer.figures.arrows import arrows, slot_width
from explorer.figures.lines import lines
from explorer.figures.matrix import largest
from explorer.labels import percent
from explorer.page import style
from explorer.page.chart import chart
from explorer.page.choose import whole_number
from explorer.page.lab import parts
from explorer.page.lab.parts import Map
from explorer.page.session import address
from explorer.page.session.state import session
from explorer.page.torch_check import has_pytorch
from explorer.settings import SEED, Settings
from explorer.view import View

_CHUNK = 0.3  # seconds of training between two looks
_WAYS = {False: "without positions", True: "with positions"}


@dataclass(eq=False)
class Run:
    """Two trainings of this session. A run that is broken off goes on with the next."""

    key: tuple
    trainings: dict[bool, Any]
    steps: dict[bool, Any]
    found: dict[bool, list] = field(default_factory=lambda: {False: [], True: []})
    stopped: bool = False
    done: bool = False


def learn_box(settings: Settings, view: View) -> None:
    """Train both models bit by bit, draw their accuracies, then look at what was learned."""
    parts.question("What do positions buy?")
    if not has_pytorch("and nothing can be trained without it"):
        parts.do_it_yourself("Install PyTorch, and open this page again.")
        return
    with st.spinner("Starting PyTorch"):
        from explorer.lab import learn  # over a second and 200 MB: only for those who ask
    words, first, second = _two_words(settings.tokens, view, learn.N_WORDS[-1])
    length = max(len(words), learn.N_WORDS[0])
    run = _run(learn, view.lab_seed, length)
    st.markdown(
        f"A model with one layer of attention has to say which of two words comes first in made-up "
        f"sentences of {length} words. It learns on {len(run.trainings[True].train.words):,} and "
        f"is asked about {len(run.trainings[True].test.words):,} others."
    )
    whole_number("lab_seed", "Seed", SEED, width=130)
    waiting = not (run.done or run.stopped)
    # While it trains, only this part of the page runs again and again.
    st.fragment(_watch, run_every=_CHUNK if waiting else None)(run, learn.STEPS)
    if first is not None and second is not None:
        _look(run, learn, words, first, second)
    parts.do_it_yourself(
        "Change the seed: other sentences, other first weights; is the result another?",
        "Choose other query and key words: the model is asked about those two.",
        "Look at the experiment “Order of the words”: there is the reason, an exact 0.",
    )
    parts.code(learn.Classifier, learn.Training, learn.sentences)


def _run(learn: Any, seed: int, length: int) -> Run:
    """This session's run for a seed and a length; a new one, where there is none yet."""
    run = session().learning
    if run is None or run.key != (seed, length):
        trainings = {way: learn.Training(way, seed, length) for way in _WAYS}
        steps = {way: training.run() for way, training in trainings.items()}
        run = session().learning = Run((seed, length), trainings, steps)
    return run


def _watch(run: Run, n_steps: int) -> None:
    """Train a little, and draw how it stands."""
    was_done = run.done
    if not (run.done or run.stopped):
        _train(run)
    figure = lines(
        [0, *(progress.step for progress in _longest(run))],
        {name: _curve(run, way) for way, name in _WAYS.items()},
        x_title="steps of training",
        y_title="right answers",
        x_range=(0, n_steps),
        y_range=(0.4, 1.02),
    )
    said = _said(run)
    with st.container(horizontal=True, vertical_alignment="center"):
        if run.done:
            st.button("Train again", key="learn_again", on_click=_forget)
        else:
            part = sum(found[-1].step for found in run.found.values() if found) / (2 * n_steps)
            st.progress(part, f"{100 * part:.0f} % trained", width=320)
            if run.stopped:
                st.button("Go on", key="learn_on", on_click=_stop, args=(run, False))
            else:
                st.button("Stop", key="learn_stop", on_click=_stop, args=(run, True))
    parts.picture(figure, "learn", said)
    parts.answer(said)
    if run.done and not was_done:
        st.rerun()  # all of the page: now there is something to look at below


def _train(run: Run) -> None:
    until = time.monotonic() + _CHUNK
    while time.monotonic() < until and not run.done:
        came = False
        for way, steps in run.steps.items():
            progress = next(steps, None)
            if progress is not None:
                run.found[way].append(progress)
                came = True
        run.done = not came


def _stop(run: Run, stopped: bool) -> None:
    address.touch()
    run.stopped = stopped


def _forget() -> None:
    address.touch()
    session().learning = None


def _longest(run: Run) -> list:
    return max(run.found.values(), key=len)


def _curve(run: Run, way: bool) -> list[float]:
    """Accuracies, a coin's at the beginning."""
    found = [progress.test for progress in run.found[way]]
    return [0.5, *found] + [np.nan] * (len(_longest(run)) - len(found))


def _said(run: Run) -> str:
    without, with_ = (run.found[way] for way in (False, True))
    if not (without and with_):
        return "It has only just begun."
    when = "In the end" if run.done else f"After {with_[-1].step} steps"
    return (
        f"{when} the model **without positions** is right in {percent(without[-1].test)} of the "
        f"{len(run.trainings[True].test.words):,} sentences it never saw, like a coin: for it a "
        f"sentence is a bag of words. **With positions** it is right in {percent(with_[-1].test)}."
    )


def _two_words(
    tokens: tuple[str, ...], view: View, most: int
) -> tuple[tuple[str, ...], int | None, int | None]:
    """A piece of the reader's sentence, and the places of the query word and the key word in it.

    Where these are the same word, the nearest other one; None where there is no other.
    """
    query, key = view.query, view.key
    others = [n for n in range(len(tokens)) if tokens[n] != tokens[query]]
    if not others:
        return tokens[:most], None, None
    if tokens[key] == tokens[query] or abs(query - key) >= most:
        key = min(others, key=lambda n: abs(n - query))
    if abs(query - key) >= most:
        return tokens[:most], None, None
    begin = max(0, min(min(query, key), len(tokens) - most))
    return tokens[begin : begin + most], query - begin, key - begin


def _look(run: Run, learn: Any, words: tuple[str, ...], first: int, second: int) -> None:
    """The learned weights on the reader's own sentence, and the learned matrices."""
    a, b = (labels.markdown(words[n], 24) for n in (first, second))
    length = run.key[1]
    padded = learn.numbered((*words, *[""] * (length - len(words))), first, second)
    n_words = len(words)
    st.markdown("**On your own sentence**")
    seen: dict[bool, Array] = {}
    said = []
    for way, name in _WAYS.items():
        weights, sure = run.trainings[way].look(padded)
        seen[way] = weights[:n_words, :n_words]
        swapped = list(padded)
        swapped[first], swapped[second] = padded[second], padded[first]
        _, other = run.trainings[way].look(swapped)
        said.append(
            f"{name[0].upper()}{name[1:]} the model is {percent(sure)} sure that “{a}” comes "
            f"before “{b}”, and {percent(other)} when the two change places."
        )
    parts.answer(" ".join(said))
    learned = [
        Map(f"learned_{name.split()[0]}", f"Learned weights, {name}", seen[way], words)
        for way, name in _WAYS.items()
    ]
    parts.maps("learned", learned, bound=1.0)
    _arrows(seen[True], words, first)
    matrices = run.trainings[True].matrices()
    end = max(largest(matrix) for matrix in matrices.values())
    drawn = []
    for name, matrix in matrices.items():
        title = f"{labels.markdown(name)}, with positions"
        rows, columns = map(parts.features, matrix.shape)
        drawn.append(Map(f"learned_{name.lower()}", title, matrix, rows, columns))
    parts.maps("matrices", drawn, weights=False, bound=end)


def _arrows(weights: Array, words: tuple[str, ...], first: int) -> None:
    """Who the first word attends to, with positions."""
    drawn = np.full_like(weights, np.nan)
    drawn[first] = weights[first]
    said, alt = describe.arrows(weights[first], words, first, False)
    under = [percent(weight) for weight in weights[first]]
    figure = arrows(drawn, words, under, [labels.plotly(text) for text in said], first)
    word = labels.markdown(words[first], 24)
    st.markdown(f"**Learned attention of “{word}”, with positions**")
    wide = len(words) * slot_width(words)
    style.least_width("lab_learned_arrows", wide, most=max(wide, 720))
    with st.container(key="arrows_scroll"):
        chart(figure, "lab_learned_arrows", alt)
