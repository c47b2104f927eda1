"""What lights up in the charts, whose kin is shown with a cell, and what a click on it opens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import TypeGuard

from explorer import labels
from explorer.figures import heads, palette
from explorer.figures.arrows import KEYS_AT, QUERIES_AT
from explorer.operations.matrices import Role
from explorer.page import given_cell
from explorer.page.chart import send_lights
from explorer.page.session import address
from explorer.page.session.state import said
from explorer.trace import AttentionTrace
from explorer.view import Direction, Drawing, Turned, View
from explorer.walks import Lights, step_of

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
    t: AttentionTrace,
    view: View,
    lights: Lights,
    kin: dict[str, Kin],
) -> None:
    """Light cells, show a pointed-at cell's kin, and let a click pick what it points at."""

    def picked() -> None:
        pick(said("bridge").get("picked"), t, view)

    turned = view.turned is Turned.COLUMNS
    light(t.tokens, lights, kin, view.decimals, picked, turned)


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
            "words": labels.told_apart(tokens, 40),
            "decimals": decimals,
            "turned": turned,
        },
        on_picked,
    )


def pick(cell: object, t: AttentionTrace, view: View) -> None:
    """Open what was clicked. What the browser says is checked: it may say anything."""
    if not isinstance(cell, dict):
        return
    chart, row, column = cell.get("chart"), cell.get("row"), cell.get("column")
    n_tokens = len(t.tokens)
    given_cell.close()
    if chart == "arrows" and view.drawing is Drawing.COLUMNS:
        if is_place(row, n_tokens) and column in (QUERIES_AT, KEYS_AT):
            address.put(**{"query" if column == QUERIES_AT else "key": int(row)})
        return
    if chart == "arrows":
        if is_place(column, n_tokens):
            address.put(**{"key" if view.direction is Direction.TO_KEY else "query": int(column)})
        return
    if chart == "heads":
        _pick_head(row, column, t.n_heads, n_tokens)
        return
    step = step_of(t, str(chart), view.head)
    if step is None:
        return
    n_rows, n_columns = t.arrays[step.name].shape[-2:]
    if not (is_place(row, n_rows) and is_place(column, n_columns)):
        return
    if step.matrix.is_learned:
        given_cell.show(step.name, int(row), int(column))
    else:
        which = "key" if step.matrix.is_pairs else "feature"
        address.put(step=step.name, query=int(row), **{which: int(column)})


def _pick_head(row: object, column: object, n_heads: int, n_tokens: int) -> None:
    if is_place(row, 10**6) and is_place(column, 10**6):
        head = heads.head_at(int(row), int(column), n_heads, n_tokens)
        if head is not None:
            address.put(head=head)


def is_place(value: object, count: int) -> TypeGuard[int | float]:
    """Whether what the browser said is a whole number from 0, below count."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return 0 <= value < count and value == int(value)
