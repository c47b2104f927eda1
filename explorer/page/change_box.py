"""Change the numbers: the tables in which everything that is given can be typed over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from explorer import edits as by_hand
from explorer import embeddings, export, labels, tokens
from explorer.edits import NOTHING, Rows
from explorer.link import experiment
from explorer.link.run import Run
from explorer.page.choose import choose_here
from explorer.page.session import address, fragments, undo
from explorer.page.session.state import Table, said, say, session
from explorer.settings import D_MODEL, MAX_TOKENS, Mask, Settings
from explorer.tokens import Cut

_TITLES = {
    "x": "Embeddings X",
    "w_q": "Matrix W_Q",
    "w_k": "Matrix W_K",
    "w_v": "Matrix W_V",
    "w_o": "Output matrix W_O",
    "visible": "Custom mask",
}
_WORD = "word"


def change_box(run: Run) -> None:
    """Draw the table of one matrix, once the reader opens this, and what can be done to it."""
    _what_is_set_aside(run)
    _too_much_for_a_link(run)
    box = st.expander("Change the numbers", key="change", on_change="rerun")
    if not box.open:
        return
    with box:
        names = _names(run.settings)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            title = _TITLES.__getitem__
            name = choose_here(
                "changed", "What to change", names, "x", format_func=title, width=220
            )
            undo.buttons()
            edits = run.state.edits
            st.button(
                "Reset this",
                disabled=getattr(edits, name) is None,
                on_click=_reset,
                args=(name,),
            )
            st.button("Reset all", disabled=edits == NOTHING, on_click=_reset)
        _refused()
        _table(name, run)
        if name == "x":
            _rows_and_columns(run.settings)
        st.caption(_how(name))


def current(name: str, run: Run) -> Rows:
    """A matrix as it is on the page: as typed where it was changed, else as it is given."""
    rows = getattr(run.state.edits, name)
    if rows is not None and name not in run.set_aside:
        return rows
    if rows is not None and name == "visible" and len(rows) == len(run.settings.tokens):
        return rows  # ticked before, and not switched on now
    return experiment.base(run.state)[name]


def change_cell(name: str, row: int, column: int, typed: str) -> None:
    """Callback: put one number into a matrix."""
    try:
        text = by_hand.number(typed)
    except ValueError as problem:
        _refuse([f"“{labels.shown(typed, 30)}” {problem}."])
        return
    _put(name, row, column, text)


def tick(query: int, key: int) -> None:
    """Callback: hide a key from a query, or let it be seen again."""
    ticked = current("visible", address.now())[query][key] == "1"
    _put("visible", query, key, "0" if ticked else "1")


def _put(name: str, row: int, column: int, text: str) -> None:
    rows = [list(r) for r in current(name, address.now())]
    rows[row][column] = text
    _apply(name, tuple(map(tuple, rows)))


def refused() -> list[str]:
    """What was typed and could not be used, until the next change."""
    return session().refused


def _names(settings: Settings) -> list[str]:
    names = ["x"]
    if settings.qkv:
        names += ["w_q", "w_k", "w_v"]
    if settings.has_w_o:
        names.append("w_o")
    return [*names, "visible"]


def _table(name: str, run: Run) -> None:
    import pandas as pd  # here, because no page needs it until a table is opened

    settings, rows = run.settings, current(name, run)
    table = _kept(name, settings.tokens, rows)
    key = f"editor_{table.version}"
    if name == "visible":
        columns = [f"{n} {labels.shown(w, 40)}" for n, w in enumerate(settings.tokens, start=1)]
        ticks = [[cell == "1" for cell in row] for row in table.start]
        frame = pd.DataFrame(ticks, index=pd.Index(columns, name="query"), columns=columns)
        config = {column: st.column_config.CheckboxColumn(column) for column in columns}
    else:
        columns = [str(n) for n in range(1, by_hand.shape(table.start)[1] + 1)]
        numbered = pd.RangeIndex(1, len(table.start) + 1, name="row")
        frame = pd.DataFrame(table.start, index=numbered, columns=columns, dtype=object)
        # Cells are text: a column of numbers would read "0,5" as 5 before anybody can object.
        config = {column: st.column_config.TextColumn(column, width="small") for column in columns}
    if name == "x":
        frame.insert(0, _WORD, table.words)
        config[_WORD] = st.column_config.TextColumn(_WORD)
    st.data_editor(
        frame,
        key=key,
        num_rows="fixed",
        column_config=config,
        width="content",
        on_change=_typed,
        args=(key, tuple(columns)),
    )


def _kept(name: str, words: tuple[str, ...], rows: Rows) -> Table:
    """The table as it was given to the browser, for as long as only the browser has changed it.

    Given anew it would forget what is typed just now; it is only where the numbers have changed
    by another way.
    """
    table = session().table
    if table is None or (table.name, table.words, table.now) != (name, words, rows):
        version = 0 if table is None else table.version + 1
        table = session().table = Table(name, words, rows, rows, version)
    return table


def _typed(key: str, columns: tuple[str, ...]) -> None:
    """Callback: take over what was typed, cell by cell; what cannot be used is named."""
    settings, table = address.now().settings, session().table
    assert table is not None, "it was typed into"
    rows = [list(row) for row in table.start]
    names, problems = {}, []
    changes = said(key).get("edited_rows", {})
    for r, cells in sorted((int(r), cells) for r, cells in changes.items()):
        for column, typed in cells.items():
            if not 0 <= r < len(rows):
                continue  # the browser may say anything
            if column == _WORD and table.name == "x":
                names[r] = str(typed or "")
            elif column in columns and table.name == "visible":
                rows[r][columns.index(column)] = "1" if typed else "0"
            elif column in columns:
                try:
                    rows[r][columns.index(column)] = by_hand.number(typed)
                except ValueError as problem:
                    problems.append(
                        f"“{labels.shown(str(typed or ''), 30)}” in row {r + 1}, column {column}, "
                        f"{problem}."
                    )
    now = tuple(map(tuple, rows))
    text = settings.text
    for r, word in names.items():
        if word == settings.tokens[r]:
            continue
        try:
            if not word:
                raise ValueError("is empty; to take a word out there is a button below")
            text = tokens.replaced(text, r, word, settings.cut)
        except ValueError as problem:
            problems.append(f"“{labels.shown(word, 30)}” in row {r + 1} {problem}.")
    words = tokens.tokenize(text, settings.cut)
    if not problems:
        session().table = Table(table.name, words, table.start, now, table.version)
        if words != settings.tokens:
            session().table = None
    _apply(table.name, now, text)
    if problems:
        session().table = None
        _next_version(table.version)
        _refuse(problems)


def _next_version(version: int) -> None:
    """Have the table drawn anew: it must not go on showing what was refused."""
    session().table = Table("", (), (), (), version)


def _apply(name: str, rows: Rows, text: str | None = None) -> None:
    """Put a changed matrix, and a changed sentence with it, into the state of the page."""
    session().refused = []
    state, changes = address.now().state, dict[str, Any]()
    if text is not None and text != state.text:
        changes["text"] = text
    plain = rows == experiment.base(state.but(**changes)).get(name)
    if name == "x":
        plain = plain and not changes
        words = () if plain else state.but(**changes).tokens
        edits = by_hand.changed(state.edits, x=None if plain else rows, words=words)
    else:
        edits = by_hand.changed(state.edits, **{name: None if plain else rows})
    if name == "visible" and Mask.CUSTOM not in state.mask:
        changes["mask"] = tuple(mask for mask in Mask if mask in (*state.mask, Mask.CUSTOM))
    undo.act(**changes, edits=edits)


def _reset(name: str | None = None) -> None:
    session().refused = []
    edits = NOTHING
    if name is not None:
        words = {"words": ()} if name == "x" else {}
        edits = by_hand.changed(address.now().state.edits, **{name: None}, **words)
    undo.act(edits=edits)


@fragments.part(follows={"query"})
def _rows_and_columns(settings: Settings) -> None:
    """Add and remove words and dimensions, keeping all other numbers."""
    place = address.view().query
    asks = labels.markdown(settings.tokens[place], 24)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            "Add a word", key="new_word", width=160, placeholder="a word", on_change=_add_word
        )
        st.button(
            f"Remove {asks}",
            help="The query word, with its vector.",
            disabled=len(settings.tokens) < 2,
            on_click=_remove_word,
            args=(place,),
        )
        st.button(
            "Add a dimension",
            help="A column of zeros, which changes nothing until it is filled.",
            disabled=settings.d_model >= D_MODEL[-1],
            on_click=_resize,
            args=(1,),
        )
        st.button(
            "Remove the last dimension",
            disabled=settings.d_model <= D_MODEL[0],
            on_click=_resize,
            args=(-1,),
        )


def _add_word() -> None:
    word = said("new_word").strip()
    say("new_word", "")
    run = address.now()
    settings = run.settings
    more = tokens.given([word]) if settings.cut is Cut.SPACES else word
    text = f"{settings.text} {more}".strip()
    now = tokens.tokenize(text, settings.cut)
    added = now[len(settings.tokens) :]
    if not word or now[: len(settings.tokens)] != settings.tokens or len(now) > MAX_TOKENS:
        return
    vectors = embeddings.generated(added, settings.d_model, settings.seed)
    rows = current("x", run) + by_hand.written(vectors.tolist())
    _resized_words(text, rows, keep=range(len(settings.tokens)))


def _remove_word(n: int) -> None:
    run = address.now()
    settings = run.settings
    try:
        text = tokens.replaced(settings.text, n, "", settings.cut)
    except ValueError:
        _refuse(["Without this word its neighbours would run into one; change the sentence above."])
        return
    keep = [place for place in range(len(settings.tokens)) if place != n]
    rows = tuple(current("x", run)[place] for place in keep)
    _resized_words(text, rows, keep)


def _resized_words(text: str, rows: Rows, keep: Sequence[int]) -> None:
    """Put another sentence and its vectors; the custom mask keeps its ticks for the words kept."""
    session().refused = []
    run = address.now()
    words = tokens.tokenize(text, run.state.cut)
    edits = by_hand.changed(run.state.edits, x=rows, words=words)
    visible = edits.visible
    if visible is not None and len(visible) == len(run.settings.tokens):
        kept = [[visible[i][j] for j in keep] for i in keep]
        more = len(words) - len(kept)
        wider = [(*row, *("1",) * more) for row in kept] + [("1",) * len(words)] * more
        edits = by_hand.changed(edits, visible=tuple(map(tuple, wider)))
    undo.act(text=text, edits=edits)


def _resize(by: int) -> None:
    run = address.now()
    rows = tuple((*row, "0") if by > 0 else row[:-1] for row in current("x", run))
    edits = by_hand.changed(run.state.edits, x=rows, words=run.settings.tokens)
    session().refused = []
    undo.act(d_model=run.settings.d_model + by, edits=edits)


def _refuse(problems: list[str]) -> None:
    address.touch()
    session().refused = problems


def _refused() -> None:
    if refused():
        st.warning("\n".join(f"- {labels.markdown(problem)}" for problem in refused()))


def _what_is_set_aside(run: Run) -> None:
    """Say where changed numbers have no place now, and that they are kept."""
    masked = Mask.CUSTOM in run.state.mask
    waiting = [name for name in run.set_aside if name != "visible" or masked]
    if waiting:
        names = ", ".join(labels.markdown(_TITLES[name]) for name in waiting)
        st.caption(
            f"Changed by you, but the sentence or a size is another now: {names}. Your numbers are "
            f"kept and come back with them."
        )


def _too_much_for_a_link(run: Run) -> None:
    """Offer a file in the place of a link that would be too long."""
    if run.link == run.whole_link:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            "You have changed more numbers than a link has room for: it leaves them out. A file "
            "holds them all, and “Open a file” brings them back.",
            width="stretch",
        )
        st.download_button(
            "Save as a file",
            lambda: export.state(run.whole_link, run.settings, run.trace),
            "attention.json",
            "application/json",
            key="save",
            on_click="ignore",
        )


def _how(name: str) -> str:
    if name == "visible":
        return "A tick means: the word of this row may see the word of this column."
    return (
        "Type into a cell, or copy a block out of a spreadsheet, click its first cell here and "
        "paste. 0.5 and 0,5 are the same number."
    )
