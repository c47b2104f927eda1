"""From the controls to a link and back.

The state of the page is one flat dictionary of plain values, a value a control. A link holds those
that differ from its example. Codes in links are never translated or reworded: a link must open
for ever.

Nothing here raises on what a link says: what cannot be used is replaced by the default and named.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Any
from urllib.parse import parse_qsl, urlencode

from explorer import edits as by_hand
from explorer import settings as limits
from explorer.edits import NOTHING, Edits, Rows
from explorer.examples import DEFAULT, EXAMPLES, OWN
from explorer.lab.layers import N_LAYERS
from explorer.lab.mistakes import Mistake
from explorer.lab.order import Order
from explorer.lab.own_word import LENGTHS
from explorer.lab.predict import N_QUESTIONS
from explorer.operations.normalisers import NORMALISERS
from explorer.operations.schemes import SCHEMES
from explorer.pretrained.measures import Behaviour
from explorer.settings import Mask, Scale, Settings, divisors
from explorer.tokens import tokenize
from explorer.trace import given as given_matrices
from explorer.trace import trace
from explorer.view import (
    TIMES,
    Colour,
    Curve,
    Direction,
    Drawing,
    Lab,
    Open,
    Turned,
    View,
)
from explorer.walks import n_features, openable

Values = dict[str, Any]

DECIMALS = range(2, 7)
LEAST = range(0, 101)
REVEALED = range(1, 31)
AUTO = "auto"
"""In the place of a size that follows from others."""
EDITS = "edits"
"""The parameter for the numbers that were changed by hand; the last one of a link."""
_MOST_OF_EDITS = 6_000
"""More characters do not fit into every mail and every proxy; they travel in a file."""
PIN = "pin"
"""The parameter for the state that the present one is compared with."""
MEAN = "mean"
"""In the place of a head: the average over all."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """How one value is read from a link, and what may stand there."""

    read: Callable[[str], Any]  # raises ValueError for what may not stand there
    rule: str
    write: Callable[[Any], str] = str


def _whole(allowed: range) -> Parameter:
    def read(given: str) -> int:
        # int() would also take "1_000" and digits of other scripts, which links never hold.
        if not re.fullmatch("[0-9]{1,9}", given) or int(given) not in allowed:
            raise ValueError
        return int(given)

    return Parameter(read, f"a whole number from {allowed[0]} to {allowed[-1]:,}")


def _decimal(low: float, high: float) -> Parameter:
    def read(given: str) -> float:
        number = r"[0-9]{1,3}(\.[0-9]{1,6})?"
        if not re.fullmatch(number, given) or not low <= float(given) <= high:
            raise ValueError
        return float(given)

    def write(value: float) -> str:
        return f"{value:.6f}".rstrip("0").rstrip(".")

    return Parameter(read, f"a number from {low:g} to {high:g}", write)


def _number_of(allowed: tuple[int, ...]) -> Parameter:
    codes = _one_of(tuple(map(str, allowed)))
    return Parameter(lambda given: int(codes.read(given)), codes.rule)


def _place() -> Parameter:
    """A position. Which ones there are hangs on the sentence: see `settle`."""

    def read(given: str) -> int:
        if not re.fullmatch("[0-9]+", given):
            raise ValueError
        return int(given)

    return Parameter(read, "a whole number from 0")


def _or(word: str, number: Parameter, stands_for: str | None) -> Parameter:
    """A number, or one word and what it stands for."""

    def read(given: str) -> int | str | None:
        return stands_for if given == word else number.read(given)

    def write(value: int | str | None) -> str:
        return word if value == stands_for else str(value)

    return Parameter(read, f"{word}, or {number.rule}", write)


def _one_of(codes: Iterable[str]) -> Parameter:
    """One of these codes. Which there are is asked when a link is read: tables of rows may grow."""

    def read(given: str) -> str:
        if given not in [str(code) for code in codes]:
            raise ValueError
        return given

    return Parameter(read, f"one of {', '.join(str(code) for code in codes)}")


def _name() -> Parameter:
    """The name of a step. Which there are hangs on the experiment: see `settle`."""

    def read(given: str) -> str:
        if not re.fullmatch("[a-z_]{1,40}", given):
            raise ValueError
        return given

    return Parameter(read, "the name of a step")


def _any_of(codes: type[StrEnum]) -> Parameter:
    allowed = [str(code) for code in codes]

    def read(given: str) -> list[str]:
        named = [] if given == "none" else given.split(",")
        if not set(named) <= set(allowed):
            raise ValueError
        return [code for code in allowed if code in named]

    def write(value: list[str]) -> str:
        return ",".join(code for code in allowed if code in value) or "none"

    return Parameter(read, f"none, or any of {', '.join(allowed)} with commas between", write)


def _text(most: int = limits.MAX_CHARACTERS) -> Parameter:
    def read(given: str) -> str:
        if len(given) > most:
            raise ValueError
        return given

    return Parameter(read, f"up to {most:,} characters")


def _switch() -> Parameter:
    return Parameter(
        lambda given: _one_of(("0", "1")).read(given) == "1",
        "0 or 1",
        lambda value: "1" if value else "0",
    )


def _state() -> Parameter:
    """A whole other experiment, as the link to it."""

    def read(given: str) -> str:
        values, ignored = decode(dict(parse_qsl(given, keep_blank_values=True)))
        if ignored or values[PIN] is not None:
            raise ValueError
        return pin_of(values)

    return Parameter(read, "a state of this page, as it writes it")


PARAMETERS: dict[str, Parameter] = {
    "example": _one_of((*EXAMPLES, OWN)),
    "text": _text(),
    "d_model": _whole(limits.D_MODEL),
    "position": _one_of(SCHEMES),
    "scale": _one_of(Scale),
    "temperature": _decimal(*limits.TEMPERATURE),
    "rule": _one_of(NORMALISERS),
    "mask": _any_of(Mask),
    "radius": _whole(limits.RADIUS),
    "pad": _whole(limits.PAD),
    "qkv": _switch(),
    "n_heads": _whole(limits.N_HEADS),
    "d_k": _or(AUTO, _whole(limits.D_HEAD), None),
    "d_v": _or(AUTO, _whole(limits.D_HEAD), None),
    "seed": _whole(limits.SEED),
    "view": _one_of(Open),
    "query": _place(),
    "key": _place(),
    "head": _or(MEAN, _place(), MEAN),
    "step": _name(),
    "feature": _place(),
    "direction": _one_of(Direction),
    "colour": _one_of(Colour),
    "decimals": _whole(DECIMALS),
    "drawing": _one_of(Drawing),
    "least": _whole(LEAST),
    "own": _switch(),
    "turned": _one_of(Turned),
    "revealed": _whole(REVEALED),
    "moved": _switch(),
    PIN: _state(),
    "lab": _one_of(Lab),
    "lab_seed": _whole(limits.SEED),
    "lab_curve": _one_of(Curve),
    "lab_order": _one_of(Order),
    "lab_mistake": _one_of(Mistake),
    "lab_length": _whole(LENGTHS),
    "lab_layers": _whole(N_LAYERS),
    "lab_question": _whole(N_QUESTIONS),
    "lab_times": _number_of(TIMES),
    "layer": _place(),
    "layer_head": _place(),
    "piece": _or(AUTO, _place(), None),
    "to_piece": _or(AUTO, _place(), None),
    "special": _switch(),
    "renormalised": _switch(),
    "joined": _switch(),
    "behaviour": _one_of(Behaviour),
    "word": _text(100),
    "sentences": _text(2_000),
}
"""Every parameter of a link, in the order in which links name them."""


@dataclass(frozen=True, slots=True)
class Ignored:
    """A part of a link that was not used, and why."""

    name: str
    given: str
    rule: str


def defaults(example: str) -> Values:
    """The value of every control in an example's own state, or for a sentence of one's own."""
    if example in EXAMPLES:
        named = EXAMPLES[example]
        settings, view = named.settings, View(query=named.query, key=named.key)
    else:
        settings, view = Settings(), View()
    values: Values = {"example": example, EDITS: NOTHING, PIN: None}
    for source in (settings, view):
        for field in fields(source):
            if field.name in PARAMETERS:
                values[field.name] = _plain(getattr(source, field.name))
    return values


def decode(link: Mapping[str, str]) -> tuple[Values, list[Ignored]]:
    """Read a link: the value of every control, and what had to be ignored."""
    ignored = [
        Ignored(name, given, "no such parameter")
        for name, given in link.items()
        if name not in PARAMETERS and name != EDITS
    ]
    read: Values = {}
    for name, parameter in PARAMETERS.items():
        if name in link:
            try:
                read[name] = parameter.read(link[name])
            except ValueError:
                ignored.append(Ignored(name, link[name], f"expected {parameter.rule}"))
    example = read.get("example", OWN if "text" in read else DEFAULT)
    values, mended = settle(defaults(example) | read)
    if EDITS in link:
        try:
            values[EDITS] = by_hand.unpack(link[EDITS], base(values))
        except ValueError:
            ignored.append(Ignored(EDITS, link[EDITS], "changed numbers, as this page writes them"))
    named = {part.name for part in ignored}
    ignored += [
        Ignored(name, link[name], f"expected {rule}")
        for name, rule in mended.items()
        if name in link and name not in named
    ]
    return values, ignored


def encode(values: Values, limited: bool = True) -> dict[str, str]:
    """Write a link: the example where it has to be named, and what differs from it.

    limited: leave changed numbers out where they are too many for a link; a file has room for all.
    """
    example = values["example"]
    usual = defaults(example)
    link = {
        name: parameter.write(values[name])
        for name, parameter in PARAMETERS.items()
        if name != "example" and values[name] != usual[name]
    }
    if limited and len(link.get(PIN, "")) > _MOST_OF_EDITS:
        del link[PIN]
    if values[EDITS] != NOTHING:
        packed = by_hand.pack(values[EDITS], base(values))
        if len(packed) <= _MOST_OF_EDITS or not limited:
            link[EDITS] = packed
    # Without a name, a link with a text is the reader's own sentence, and one without is the
    # default example.
    if example == OWN:
        link = {"text": values["text"]} | link
    elif example != DEFAULT or "text" in link:
        link = {"example": example} | link
    return link


def fits_link(values: Values) -> bool:
    """Whether the link holds everything; what was changed by hand may be too much for it."""
    return encode(values) == encode(values, limited=False)


def pin_of(values: Values) -> str:
    """The experiment alone, without what is looked at: as it is kept to be compared with."""
    usual = defaults(values["example"])
    seen = {field.name: usual[field.name] for field in fields(View)}
    return urlencode(encode(values | seen | {PIN: None}, limited=False))


def pinned(values: Values) -> Values | None:
    """The state that the present one is compared with; None where there is none."""
    if values[PIN] is None:
        return None
    return decode(dict(parse_qsl(values[PIN], keep_blank_values=True)))[0]


def experiment_of(values: Values) -> Values:
    """Those of the values that say what is computed, and not what of it is shown."""
    seen = {field.name for field in fields(View)} | {PIN}
    return {name: value for name, value in values.items() if name not in seen}


def address(page: str, values: Values) -> str:
    """The whole link. `page` is the address of the page without its parameters."""
    link = encode(values)
    return f"{page}?{urlencode(link)}" if link else page


def settle(values: Values) -> tuple[Values, dict[str, str]]:
    """Mend values that are allowed alone but not together.

    Returns the values and, for each that was changed, the rule it broke.
    """
    values, mended = dict(values), {}

    def fall_back(name: str, to: Any, rule: str) -> None:
        values[name] = to
        mended[name] = rule

    if values["d_model"] % values["n_heads"] and not (values["qkv"] and values["d_k"]):
        possible = ", ".join(map(str, divisors(values["d_model"])))
        fall_back("n_heads", 1, f"a number that divides d_model = {values['d_model']}: {possible}")

    n_tokens = len(tokenize(values["text"]))
    for name in ("query", "key"):
        if values[name] >= max(n_tokens, 1):
            last = max(n_tokens - 1, 0)
            fall_back(name, 0, f"a position from 0, the first word, to {last}; 0 is used")
    n_heads = values["n_heads"]
    if values["head"] not in ([*range(n_heads), MEAN] if n_heads > 1 else [0]):
        fall_back("head", 0, f"a head from 0 to {n_heads - 1}, or of several heads {MEAN}")
    # The steps and their widths do not hang on the sentence, which may still be too long.
    shape = trace(Settings(**_scalars(values) | {"text": ""}))
    here = openable(shape, _head(values))
    if values["step"] not in here:
        fall_back("step", "weights", f"one of {', '.join(here)} here")
    width = n_features(shape, values["step"])
    if values["feature"] >= width:
        fall_back("feature", 0, f"a feature from 0 to {width - 1} in this step")
    return values, mended


def experiment(values: Values) -> Settings:
    """The settings that the controls stand for, with the numbers changed by hand where they fit.

    Raises ValueError, in a sentence, if there is no such experiment.
    """
    plain = unedited(values)
    edits = values[EDITS]
    return plain if edits == NOTHING else replace(plain, **_fitting(edits, plain))


def set_aside(values: Values) -> list[str]:
    """The matrices changed by hand that fit neither the sentence nor the sizes as they are now."""
    edits, plain = values[EDITS], unedited(values)
    fitting = {"visible" if name == "custom" else name for name in _fitting(edits, plain)}
    return [
        name
        for name in by_hand.MATRICES
        if getattr(edits, name) is not None and name not in fitting
    ]


def base(values: Values) -> dict[str, Rows]:
    """The matrices that stand where nothing is changed by hand; none without an experiment."""
    try:
        plain = unedited(values)
    except ValueError:
        return {}
    found = {
        "x" if name == "embeddings" else name: by_hand.written(matrix.tolist())
        for name, matrix in given_matrices(plain).items()
    }
    n_tokens = len(plain.tokens)
    return found | {"visible": (("1",) * n_tokens,) * n_tokens}


def is_typed(values: Values, name: str, row: int, column: int) -> bool:
    """Whether a number on the page was changed by hand."""
    rows = getattr(values[EDITS], name)
    if rows is None or name in set_aside(values):
        return False
    usual = base(values).get(name)
    if usual is None or by_hand.shape(usual) != by_hand.shape(rows):
        return True
    return float(rows[row][column]) != float(usual[row][column])


def _fitting(edits: Edits, plain: Settings) -> dict[str, Any]:
    """Those of the edits that belong to this sentence and these sizes, as fields of Settings."""
    c, heads, n_tokens = plain.d_model, plain.n_heads, len(plain.tokens)
    sizes = {"x": (n_tokens, c)}
    if plain.qkv:
        queries = (c, heads * plain.d_query)
        sizes |= {"w_q": queries, "w_k": queries, "w_v": (c, plain.d_joined)}
    if plain.has_w_o:
        sizes["w_o"] = (c, c)
    found: dict[str, Any] = {
        name: by_hand.floats(rows)
        for name, size in sizes.items()
        if (rows := getattr(edits, name)) is not None and by_hand.shape(rows) == size
    }
    if edits.words != plain.tokens:
        found.pop("x", None)
    if Mask.CUSTOM in plain.mask and edits.visible is not None:
        ticks = tuple(tuple(text == "1" for text in row) for row in edits.visible)
        if by_hand.shape(ticks) == (n_tokens, n_tokens):
            found["custom"] = ticks
    return found


def unedited(values: Values) -> Settings:
    """The settings that the controls alone stand for.

    An example's vectors belong to its own words and dimension; with any other, those of all words
    are made, so that the two are never mixed. Its matrices stay as long as they fit.

    Raises ValueError, in a sentence, if there is no such experiment.
    """
    given = _scalars(values)
    named = EXAMPLES.get(values["example"])
    if named is not None:
        here, theirs = Settings(**given), named.settings
        if here.d_model == theirs.d_model:
            if here.tokens == theirs.tokens:
                given["x"] = theirs.x
            if here.qkv:
                if here.n_heads * here.d_query == theirs.n_heads * theirs.d_query:
                    given |= {"w_q": theirs.w_q, "w_k": theirs.w_k}
                if here.n_heads * here.d_value == theirs.n_heads * theirs.d_value:
                    given["w_v"] = theirs.w_v
    return Settings(**given)


def view(values: Values) -> View:
    """The view that the controls stand for."""
    given = {field.name: values[field.name] for field in fields(View)}
    return View(
        **given
        | {
            "view": Open(given["view"]),
            "head": _head(values),
            "direction": Direction(given["direction"]),
            "colour": Colour(given["colour"]),
            "drawing": Drawing(given["drawing"]),
            "turned": Turned(given["turned"]),
            "lab": Lab(given["lab"]),
            "lab_curve": Curve(given["lab_curve"]),
            "lab_order": Order(given["lab_order"]),
            "lab_mistake": Mistake(given["lab_mistake"]),
            "behaviour": Behaviour(given["behaviour"]),
        }
    )


def _head(values: Values) -> int | None:
    return None if values["head"] == MEAN else values["head"]


def _scalars(values: Values) -> dict[str, Any]:
    """The fields of Settings that controls stand for: all but the tables of numbers."""
    given = {
        field.name: values[field.name] for field in fields(Settings) if field.name in PARAMETERS
    }
    given["mask"] = tuple(given["mask"])
    return given


def _plain(value: Any) -> Any:
    """A value as a control holds it: codes are text, several of them a list."""
    if isinstance(value, tuple):
        return [str(code) for code in value]
    return str(value) if isinstance(value, StrEnum) else value
