"""The parameters of a link: a row for each, with how it is read and written.

Codes in links are never translated or reworded: a link must open for ever. Which codes there are
is asked when one is read, not when this loads, so that a set of them can grow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from explorer import settings as limits
from explorer.examples import EXAMPLES, OWN
from explorer.lab.layers import N_LAYERS
from explorer.lab.mistakes import Mistake
from explorer.lab.order import Order
from explorer.lab.own_word import LENGTHS
from explorer.lab.predict import N_QUESTIONS
from explorer.operations.normalisers import NORMALISERS
from explorer.operations.schemes import SCHEMES
from explorer.positions import Pairs, Stretched
from explorer.pretrained.measures import Behaviour
from explorer.settings import Mask, Scale
from explorer.tokens import Cut
from explorer.view import TIMES, Colour, Curve, Direction, Drawing, Lab, Open, Turned

DECIMALS = range(2, 7)
LEAST = range(0, 101)
REVEALED = range(1, 31)
AUTO = "auto"
"""In the place of a size that follows from others."""
EDITS = "edits"
"""The parameter for the numbers that were changed by hand; the last one of a link."""
PIN = "pin"
"""The parameter for the state that the present one is compared with."""
MEAN = "mean"
"""In the place of a head: the average over all."""


def _same(value: Any) -> Any:
    return value


@dataclass(frozen=True, slots=True)
class Parameter:
    """How one value stands in a link, and in its control on the page."""

    read: Callable[[str], Any]  # raises ValueError for what may not stand there
    rule: Callable[[], str]  #    what may
    write: Callable[[Any], str] = str
    to_control: Callable[[Any], Any] = _same
    from_control: Callable[[Any], Any] = _same


def _checked(
    allows: Callable[[str], object],
    rule: str,
    convert: Callable[[str], Any] = str,
    write: Callable[[Any], str] = str,
) -> Parameter:
    def read(given: str) -> Any:
        if not allows(given):
            raise ValueError
        return convert(given)

    return Parameter(read, lambda: rule, write)


def _whole(allowed: range) -> Parameter:
    # int() would also take "1_000" and digits of other scripts, which links never hold.
    return _checked(
        lambda given: re.fullmatch("[0-9]{1,9}", given) and int(given) in allowed,
        f"a whole number from {allowed[0]} to {allowed[-1]:,}",
        int,
    )


def _decimal(low: float, high: float) -> Parameter:
    number = re.compile(r"(?=\.?[0-9])[0-9]{0,3}(\.[0-9]{1,6})?")
    return _checked(
        lambda given: number.fullmatch(given) and low <= float(given) <= high,
        f"a number from {low:g} to {high:g}",
        float,
        lambda value: f"{value:.6f}".rstrip("0").rstrip("."),
    )


def _place() -> Parameter:
    """A position. Which ones there are hangs on the sentence: see `codec.settle`."""
    return _checked(re.compile("[0-9]+").fullmatch, "a whole number from 0", int)


def _name() -> Parameter:
    """The name of a step. Which ones there are hangs on the experiment: see `codec.settle`."""
    return _checked(re.compile("[a-z_]{1,40}").fullmatch, "the name of a step")


def _or(word: str, number: Parameter, on_control: str | None = None) -> Parameter:
    """A number, or a word for None. Its control is empty then, or has a word too."""
    return Parameter(
        lambda given: None if given == word else number.read(given),
        lambda: f"{word}, or {number.rule()}",
        lambda value: word if value is None else str(value),
        lambda value: on_control if value is None else value,
        lambda said: None if said == on_control else said,
    )


def _one_of(codes: Callable[[], Iterable[str]]) -> Parameter:
    def read(given: str) -> str:
        for code in codes():
            if code == given:
                return code
        raise ValueError

    # Controls hold plain text: Streamlit has ideas of its own about enumerations.
    return Parameter(read, lambda: f"one of {', '.join(codes())}", str, str, read)


def _number_of(allowed: tuple[int, ...]) -> Parameter:
    codes = [str(number) for number in allowed]
    return _checked(codes.__contains__, f"one of {', '.join(codes)}", int)


def _any_of(codes: type[StrEnum]) -> Parameter:
    def chosen(named: Iterable[str]) -> tuple[str, ...]:
        return tuple(code for code in codes if code in named)

    def read(given: str) -> tuple[str, ...]:
        named = [] if given == "none" else given.split(",")
        if not set(named) <= set(codes):
            raise ValueError
        return chosen(named)

    return Parameter(
        read,
        lambda: f"none, or any of {', '.join(codes)} with commas between",
        lambda value: ",".join(value) or "none",
        lambda value: list(map(str, value)),
        chosen,
    )


def _text(most: int = limits.MAX_CHARACTERS) -> Parameter:
    def allows(given: str) -> bool:
        try:
            given.encode()
        except UnicodeEncodeError:  # half a character: no browser and no URL can hold it
            return False
        return len(given) <= most

    return _checked(allows, f"up to {most:,} characters")


def _switch() -> Parameter:
    return _checked(
        ("0", "1").__contains__,
        "0 or 1",
        lambda given: given == "1",
        lambda value: "1" if value else "0",
    )


PARAMETERS: dict[str, Parameter] = {
    "example": _one_of(lambda: (*EXAMPLES, OWN)),
    "text": _text(),
    "cut": _one_of(lambda: Cut),
    "d_model": _whole(limits.D_MODEL),
    "position": _one_of(lambda: SCHEMES),
    "pairs": _one_of(lambda: Pairs),
    "base": _whole(limits.BASE),
    "stretch": _decimal(*limits.STRETCH),
    "stretched": _one_of(lambda: Stretched),
    "scale": _one_of(lambda: Scale),
    "temperature": _decimal(*limits.TEMPERATURE),
    "rule": _one_of(lambda: NORMALISERS),
    "mask": _any_of(Mask),
    "radius": _whole(limits.RADIUS),
    "pad": _whole(limits.PAD),
    "qkv": _switch(),
    "n_heads": _whole(limits.N_HEADS),
    "d_k": _or(AUTO, _whole(limits.D_HEAD)),
    "d_v": _or(AUTO, _whole(limits.D_HEAD)),
    "seed": _whole(limits.SEED),
    "view": _one_of(lambda: Open),
    "query": _place(),
    "key": _place(),
    "head": _or(MEAN, _place(), MEAN),
    "step": _name(),
    "feature": _place(),
    "direction": _one_of(lambda: Direction),
    "colour": _one_of(lambda: Colour),
    "decimals": _whole(DECIMALS),
    "drawing": _one_of(lambda: Drawing),
    "least": _whole(LEAST),
    "own": _switch(),
    "turned": _one_of(lambda: Turned),
    "revealed": _whole(REVEALED),
    "moved": _switch(),
    # The link to another experiment; `codec.decode` sees to it that it is one.
    PIN: _or("none", Parameter(str, lambda: "a state of this page, as it writes it")),
    "lab": _one_of(lambda: Lab),
    "lab_seed": _whole(limits.SEED),
    "lab_curve": _one_of(lambda: Curve),
    "lab_order": _one_of(lambda: Order),
    "lab_mistake": _one_of(lambda: Mistake),
    "lab_length": _whole(LENGTHS),
    "lab_layers": _whole(N_LAYERS),
    "lab_question": _whole(N_QUESTIONS),
    "lab_times": _number_of(TIMES),
    "layer": _place(),
    "layer_head": _place(),
    "piece": _or(AUTO, _place()),
    "to_piece": _or(AUTO, _place()),
    "special": _switch(),
    "renormalised": _switch(),
    "joined": _switch(),
    "behaviour": _one_of(lambda: Behaviour),
    "word": _text(100),
    "sentences": _text(2_000),
}
"""Every parameter of a link, in the order in which links name them."""
