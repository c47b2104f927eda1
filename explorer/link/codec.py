"""From the state of the page to a link and back.

A link holds what differs from its example. Nothing here raises on what a link says: what cannot be
used is replaced by the default and named.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl, urlencode

from explorer import edits as by_hand
from explorer.edits import NOTHING
from explorer.examples import DEFAULT, OWN
from explorer.link.experiment import base, experiment, outline
from explorer.link.parameters import EDITS, MEAN, PARAMETERS, PIN
from explorer.link.state import LOOKED_AT, State, defaults
from explorer.settings import divisors
from explorer.view import View
from explorer.walks import n_features, openable

_MOST_OF_A_LINK = 6_000
"""More characters do not fit into every mail and every proxy; they travel in a file."""


@dataclass(frozen=True, slots=True)
class Ignored:
    """A part of a link that was not used, and why."""

    name: str
    given: str
    rule: str


def decode(link: Mapping[str, str]) -> tuple[State, list[Ignored]]:
    """Read a link: the state, and what had to be ignored."""
    ignored = [
        Ignored(name, given, "no such parameter")
        for name, given in link.items()
        if name not in PARAMETERS and name != EDITS
    ]
    read: dict[str, Any] = {}
    for name, parameter in PARAMETERS.items():
        if name in link:
            try:
                value = parameter.read(link[name])
                read[name] = _checked_pin(value) if name == PIN and value else value
            except ValueError:
                ignored.append(Ignored(name, link[name], f"expected {parameter.rule()}"))
    example = read.get("example", OWN if "text" in read else DEFAULT)
    state, mended = settle(defaults(example).but(**read))
    if EDITS in link:
        try:
            state = state.but(edits=by_hand.unpack(link[EDITS], base(state)))
        except ValueError:
            ignored.append(Ignored(EDITS, link[EDITS], "changed numbers, as this page writes them"))
    named = {part.name for part in ignored}
    ignored += [
        Ignored(name, link[name], f"expected {rule}")
        for name, rule in mended.items()
        if name in link and name not in named
    ]
    return state, ignored


def encode(state: State, limited: bool = True) -> dict[str, str]:
    """Write a link: the example where it has to be named, and what differs from it.

    limited: leave changed numbers out where they are too many for a link; a file has room for all.
    """
    usual = defaults(state.example)
    link = {
        name: parameter.write(state.value(name))
        for name, parameter in PARAMETERS.items()
        if name != "example" and state.value(name) != usual.value(name)
    }
    if state.edits != NOTHING:
        link[EDITS] = by_hand.pack(state.edits, base(state))
    # Without a name, a link with a text is the reader's own sentence, and one without is the
    # default example.
    if state.example == OWN:
        link = {"text": state.text} | link
    elif state.example != DEFAULT or "text" in link:
        link = {"example": state.example} | link
    return within_limits(link) if limited else link


def within_limits(link: dict[str, str]) -> dict[str, str]:
    """What of a whole link there is room for."""
    return {
        name: text
        for name, text in link.items()
        if name not in (PIN, EDITS) or len(text) <= _MOST_OF_A_LINK
    }


def address(page: str, link: Mapping[str, str]) -> str:
    """The whole address. `page` is that of the page without its parameters."""
    return f"{page}?{urlencode(link)}" if link else page


def pin_of(state: State) -> str:
    """The experiment and its query, without what else is looked at: as it is compared with."""
    usual = defaults(state.example)
    seen = {name: usual.value(name) for name in LOOKED_AT - {"query"}}
    return urlencode(encode(state.but(**seen, pin=usual.pin), limited=False))


@lru_cache(
    maxsize=16
)  # a third of a millisecond, or with many changed numbers 0.1 s; every run asks
def pinned(pin: str | None) -> State | None:
    """The state that the present one is compared with; None where there is none."""
    return None if pin is None else _opened(pin)[0]


def _opened(pin: str) -> tuple[State, list[Ignored]]:
    state, ignored = decode(dict(parse_qsl(pin, keep_blank_values=True)))
    return state.but(pin=None), ignored


def _checked_pin(pin: str) -> str:
    """A pin as this page writes it. Raises ValueError for what no experiment can be made of."""
    state, ignored = _opened(pin)
    if ignored or PIN in dict(parse_qsl(pin, keep_blank_values=True)):
        raise ValueError
    experiment(state)
    return pin_of(state)


def settle(state: State) -> tuple[State, dict[str, str]]:
    """Mend values that are allowed alone but not together.

    Returns the state and, for each value that was changed, the rule it broke.
    """
    mended: dict[str, str] = {}

    def fall_back(name: str, to: Any, rule: str) -> None:
        nonlocal state
        state = state.but(**{name: to})
        mended[name] = rule

    if state.d_model % state.n_heads and not (state.qkv and state.d_k):
        possible = ", ".join(map(str, divisors(state.d_model)))
        fall_back("n_heads", 1, f"a number that divides d_model = {state.d_model}: {possible}")

    n_tokens = len(state.tokens)
    for name in ("query", "key"):
        if state.value(name) >= max(n_tokens, 1):
            last = max(n_tokens - 1, 0)
            fall_back(name, 0, f"a position from 0, the first word, to {last}; 0 is used")
    n_heads = state.n_heads
    if state.view.head not in ([*range(n_heads), None] if n_heads > 1 else [0]):
        fall_back("head", 0, f"a head from 0 to {n_heads - 1}, or of several heads {MEAN}")
    # The steps and their widths do not hang on the sentence, which may still be too long.
    here = openable(outline(state), state.view.head)
    if state.view.step not in here:
        fall_back("step", View().step, f"one of {', '.join(here)} here")
    width = n_features(outline(state), state.view.step)
    if state.view.feature >= width:
        fall_back("feature", 0, f"a feature from 0 to {width - 1} in this step")
    return state, mended
