"""The state of the page as one frozen value: all that a link holds."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from explorer.edits import NOTHING, Edits
from explorer.examples import EXAMPLES
from explorer.operations.schemes import SCHEMES
from explorer.positions import Pairs, Stretched
from explorer.settings import Mask, Scale, Settings
from explorer.tokens import Cut, tokenize
from explorer.view import Open, View

LOOKED_AT = frozenset(field.name for field in fields(View))
"""The names of what changes no number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What the controls say, each in the field of its name, or in the view's.

    It may stand for no experiment: its sentence may be too long to compute.
    """

    example: str
    text: str
    cut: Cut
    d_model: int
    position: str
    pairs: Pairs
    base: int
    stretch: float
    stretched: Stretched
    scale: Scale
    temperature: float
    rule: str
    mask: tuple[Mask, ...]
    radius: int
    pad: int
    qkv: bool
    n_heads: int
    d_k: int | None
    d_v: int | None
    seed: int
    view: View
    pin: str | None = None  #  the link to another state, which this one is compared with
    edits: Edits = NOTHING

    def value(self, name: str) -> Any:
        """The value of one parameter."""
        return getattr(self.view if name in LOOKED_AT else self, name)

    def values(self) -> dict[str, Any]:
        """Every value by the name of its parameter."""
        return {name: self.value(name) for name in (*(f.name for f in fields(self)), *LOOKED_AT)}

    def but(self, **values: Any) -> State:
        """The same but for these values, named as parameters are."""
        seen = {name: values.pop(name) for name in LOOKED_AT & values.keys()}
        return replace(self, view=replace(self.view, **seen), **values)

    @property
    def tokens(self) -> tuple[str, ...]:
        """The words and punctuation marks of the sentence, however many."""
        return tokenize(self.text, self.cut)

    @property
    def knobs(self) -> tuple[str, ...]:
        """The settings that belong to the chosen positions alone: they have controls now."""
        return SCHEMES[self.position].knobs

    def scalars(self) -> dict[str, Any]:
        """The fields of Settings that controls stand for: all but the tables of numbers."""
        return {name: getattr(self, name) for name in _SCALARS}


_SCALARS = tuple(f.name for f in fields(State) if f.name in {g.name for g in fields(Settings)})
_BLANK = Settings()


def defaults(example: str) -> State:
    """The state of an example as it opens, or of a sentence of one's own."""
    named = EXAMPLES.get(example)
    settings = _BLANK if named is None else named.settings
    view, pin = View(), None
    if named is not None:
        view = View(query=named.query, key=named.key)
        if named.beside:
            view, pin = replace(view, view=Open.COMPARE), f"example={named.beside}"
    given = {name: getattr(settings, name) for name in _SCALARS}
    return State(example=example, view=view, pin=pin, **given)


def experiment_of(state: State) -> dict[str, Any]:
    """Those of the values that say what is computed, and not what of it is shown."""
    return {n: v for n, v in state.values().items() if n not in LOOKED_AT and n != "pin"}
