"""What lights up in the charts, whose kin is shown with a cell, and what a click on it opens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum

from explorer import labels
from explorer.figures import heads, palette
from explorer.figures.arrows import KEYS_AT, QUERIES_AT
from explorer.lights import Lights, Role
from explorer.page import given_cell
from explorer.page.chart import send_lights
from explorer.page.session import address
from explorer.page.session.state import said
from explorer.settings import Settings
from explorer.view import (
    GIVEN,
    PAIRS,
    Direction,
    Drawing,
    Step,
    Turned,
    View,
    n_features,
    openable,
    steps,
)

_COLOURS = {
    Role.QUERY: palette.QUERY,
    Role.KEY: palette.KEY,
    Role.VALUE: palette.VALUE,
    Role.OPERAND: palette.OPERAND,
    Role.PICKED: palette.PICKED,
}


class Kin(StrEnum):
    """Whose numbers the rows and columns of a matrix are; decides what is shown with a cell."""

    PAIRS = "pairs"  #            a row for each query, a column for each key
    QUERY_ROWS = "query_rows"  #  a row for each word as it asks
    KEY_ROWS = "key_rows"  #      a row for each word as it answers
    BOTH = "both"  #              a row for each word, as it asks and answers
    NONE = "none"  #              rows and columns are features


def bridge(
    settings: Settings,
    view: View,
    tokens: Sequence[str],
    lights: Lights,
    kin: dict[str, Kin],
) -> None:
    """Light cells, show a pointed-at cell's kin, and let a click pick what it points at."""

    def picked() -> None:
        pick(said("bridge").get("picked"), settings, view)

    turned = view.turned is Turned.COLUMNS
    light(tokens, lights, kin, view.decimals, picked, turned)


def light(
    tokens: Sequence[str],
    lights: Lights,
    kin: dict[str, Kin],
    decimals: int,
    on_picked: Callable[[], None],
    turned: bool = False,
) -> None:
    """Send what is lit, and whose numbers the charts hold; `on_picked` hears of a click.

    turned: the matrices are drawn transposed; rows are a word's here all the same.
    """
    send_lights(
        {
            "lights": {
                key: [(light.role, *light.rows, *light.columns) for light in lit]
                for key, lit in lights.items()
            },
            "colours": _COLOURS,
            "kin": kin,
            "words": [labels.shown(token, 40) for token in tokens],
            "decimals": decimals,
            "turned": turned,
        },
        on_picked,
    )


def pick(cell: object, settings: Settings, view: View) -> None:
    """Open what was clicked. What the browser says is checked: it may say anything."""
    if not isinstance(cell, dict):
        return
    chart, row, column = cell.get("chart"), cell.get("row"), cell.get("column")
    n_tokens = len(settings.tokens)
    given_cell.close()
    if chart in GIVEN and chart in steps(settings, view.head):
        sizes = given_cell.size(settings, Step(chart))
        if is_place(row, sizes[0]) and is_place(column, sizes[1]):
            given_cell.show(Step(chart), int(row), int(column))
        return
    if chart == "arrows" and view.drawing is Drawing.COLUMNS:
        if is_place(row, n_tokens) and column in (QUERIES_AT, KEYS_AT):
            address.put(**{"query" if column == QUERIES_AT else "key": int(row)})
        return
    if chart == "arrows":
        if is_place(column, n_tokens):
            address.put(**{"key" if view.direction is Direction.TO_KEY else "query": int(column)})
        return
    if chart == "heads":
        _pick_head(row, column, settings, n_tokens)
        return
    name = str(chart).removeprefix("a_").removeprefix("b_")
    step = {"difference": Step.WEIGHTS}.get(name, name)
    if step not in openable(settings, view.head):
        return
    step = Step(step)
    if step in PAIRS and is_place(row, n_tokens) and is_place(column, n_tokens):
        address.put(step=step, query=int(row), key=int(column))
    elif is_place(row, n_tokens) and is_place(column, n_features(settings, step)):
        address.put(step=step, query=int(row), feature=int(column))


def _pick_head(row: object, column: object, settings: Settings, n_tokens: int) -> None:
    if is_place(row, 10**6) and is_place(column, 10**6):
        head = heads.head_at(int(row), int(column), settings.n_heads, n_tokens)
        if head is not None:
            address.put(head=head)


def is_place(value: object, count: int) -> bool:
    """Whether what the browser said is a whole number from 0, below count."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and 0 <= value < count and value == int(value)
