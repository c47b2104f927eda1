"""What the page showed on the day of the recording, and in which words a difference is told.

The product is spoken to in the first part alone, so that a rebuild has one place to adapt: a link
becomes an experiment and that becomes matrices by name and files; a link opened becomes texts and
figures.

Numbers are never compared by bits: other processors add in other orders. What is recorded of a
matrix is all of its digits where it is small; of a large one a sum for each row and each column,
each number times a weight of its place, so that a difference still has a row and a column.

Texts are compared word by word, but where a number with decimals may be rounded either way. Figures
and files are lines too: of each line, its words, and one weighted sum of all its numbers.
"""

from __future__ import annotations

import base64
import difflib
import io
import json
import lzma
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote_plus, urlencode

import numpy as np
from google.protobuf.json_format import MessageToDict
from numpy.typing import NDArray
from streamlit.testing.v1 import AppTest

from explorer import export
from explorer.examples import EXAMPLES
from explorer.page.handout import handout
from explorer.trace import trace

# The recording was made before the rebuild and is held against it: it speaks to both houses.
try:
    from explorer.link import codec
    from explorer.link.experiment import experiment
except ImportError:
    from explorer.share import experiment

    from explorer import share as codec
try:
    from explorer.rendering import programs
except ImportError:
    from explorer import scripts as programs

DATA = Path(__file__).parent / "data"
DIGITS = DATA / "digits_of_links.jsonl.xz"
PAGE = DATA / "page_recording.jsonl.xz"
APP = Path(__file__).parents[1] / "streamlit_app.py"

Difference = tuple[str, str]
"""A link, and in words what differs there."""

MATRICES = (
    "x",
    "positions",
    "inputs",
    "w_q",
    "w_k",
    "w_v",
    "q",
    "k",
    "v",
    "q_turned",
    "k_turned",
    "scores",
    "scaled",
    "bias",
    "biased",
    "cooled",
    "visible",
    "masked",
    "weights",
    "context",
    "joined",
    "w_o",
    "output",
)
"""The fields of a trace, in the order of computing."""


# The product.


@dataclass(frozen=True, eq=False)
class Decoded:
    """What a link says: an experiment and what is looked at of it, and the link as it is written.

    whole: with all numbers changed by hand, however many.
    """

    settings: Any
    view: Any
    canonical: Mapping[str, str]
    whole: Mapping[str, str]
    ignored: tuple[str, ...]


def decode(link: str) -> Decoded:
    """Read a link's query string."""
    state, ignored = codec.decode(dict(parse_qsl(link, keep_blank_values=True)))
    view = codec.view(state) if hasattr(codec, "view") else state.view
    canonical, whole = codec.encode(state), codec.encode(state, limited=False)
    names = tuple(part.name for part in ignored)
    return Decoded(experiment(state), view, canonical, whole, names)


@dataclass(frozen=True, eq=False)
class Opened:
    """What a link opens: the experiment's words and numbers, and the link as the page writes it."""

    canonical: str
    ignored: tuple[str, ...]
    tokens: tuple[str, ...]
    matrices: Mapping[str, NDArray[np.float64]]


def open_link(link: str) -> Opened:
    """From a link's query string to every number of its experiment, without the page."""
    said = decode(link)
    t = trace(said.settings)
    found = {name: getattr(t, name) for name in MATRICES}
    matrices = {name: np.asarray(m, np.float64) for name, m in found.items() if m is not None}
    return Opened(urlencode(said.canonical), said.ignored, t.tokens, matrices)


def example_links() -> list[str]:
    """The link to each example."""
    return [urlencode({"example": name}) for name in EXAMPLES]


def files(link: str, with_handout: bool) -> dict[str, list[Line]]:
    """All that the view Take home offers behind a link, by what it is called."""
    said = decode(link)
    settings, view = said.settings, said.view
    t = trace(settings)
    found: dict[str, list[Line]] = {}
    for name, table in export.tables(t).items():
        found[f"{name}.csv"] = lines_of_text(export.csv_text(table), ALL_NUMBERS)
        found[f"{name}.md"] = lines_of_text(export.markdown(table, view.decimals))
        found[f"{name}.tex"] = lines_of_text(export.latex(table, view.decimals))
    written = export.state(said.whole, settings, t)
    found["attention.json"] = lines_of_json(json.loads(written))
    with np.load(io.BytesIO(export.npz(t))) as arrays:
        found["attention.npz"] = lines_of_json({name: arrays[name].tolist() for name in arrays})
    found["attention.py, NumPy"] = lines_of_text(programs.numpy_script(t, settings))
    found["attention.py, PyTorch"] = lines_of_text(programs.torch_script(t, settings))
    if not with_handout:  # it takes longer than all others
        return found
    page = handout(t, settings, view, f"https://example.org/?{urlencode(said.canonical)}")
    words = re.sub("<script.*?</script>", "", page, flags=re.DOTALL)
    words = re.sub('id="[0-9a-f-]{36}"', 'id="of a chart"', words)
    found["handout.html"] = lines_of_text(words.replace("><", ">\n<"))
    return found


@dataclass(frozen=True, eq=False)
class Shown:
    """What a reader gets: all that is written on the page, line by line, and all that is drawn."""

    texts: list[str]
    figures: dict[str, list[Line]]


class Reader:
    """Opens links, each in a session of its own: what was looked at before leaves no trace."""

    def __init__(self) -> None:
        self._components: Any = None

    def open(self, link: str) -> Shown:
        """Open a link. Raises RuntimeError where the page breaks off."""
        page = AppTest.from_file(str(APP), default_timeout=60)
        # Else every session searches all installed packages for components: half of its time.
        page._bidi_component_manager = self._components
        page.query_params.update(dict(parse_qsl(link, keep_blank_values=True)))
        page.session_state["more"] = True  # the folded controls
        page.run()
        self._components = page._bidi_component_manager
        if page.exception:
            raise RuntimeError("the page breaks off with an error, which is printed")
        drawn = {name: lines_of_json(_sorted(found)) for name, found in _figures(page).items()}
        for name in _ONLY_NOISE & drawn.keys():
            drawn[name] = [Line(line.words) for line in drawn[name]]
        return Shown([*_texts(page.main), *_texts(page.sidebar)], drawn)


_ONLY_NOISE = {"lab_distance"}
"""Figures whose numbers are distances that vanish, on a logarithmic axis."""
_SEEN = {
    *("label", "body", "help", "placeholder", "codeText", "options", "content", "popover"),
    *("value", "rawValue", "rawValues", "default", "min", "max", "step", "expandable", "disabled"),
}
"""The fields of an element that a reader sees something of."""
_OUT_OF_SIGHT = {"heard"}
"""Elements that only the page's own scripts look at."""


def _figures(page: AppTest) -> dict[str, Any]:
    """What each chart is given, by its key, and what is lit in them."""
    found: dict[str, Any] = {}
    for part in page.get("bidi_component"):
        name = part.proto.component_name
        given = json.loads(part.proto.json or "[]")
        for data in given if isinstance(given, list) else [given]:
            if name.endswith("chart"):
                figure = json.loads(data["figure"])
                found[data["name"]] = {"alt": data["alt"], "config": data["config"]} | figure
            elif name.endswith("chart_lights"):
                found["lights"] = data
    return found


def _sorted(found: Any) -> Any:
    """The same in one order and without empty lists, which say nothing to whoever draws."""
    if isinstance(found, dict):
        return {name: _sorted(found[name]) for name in sorted(found) if found[name] != []}
    return [_sorted(part) for part in found] if isinstance(found, list) else found


def _texts(block: Any) -> Iterator[str]:
    """Every text of a part of the page in the order in which it stands there."""
    for element in block.children.values():
        proto = getattr(element, "proto", None)
        kind = "" if proto is None else element.type
        hidden = kind in ("bidi_component", "plotly_chart") or element.key in _OUT_OF_SIGHT
        if proto is not None and not hidden:
            yield from (f"{kind}: {text}" for text in _seen(MessageToDict(proto)))
        if hasattr(element, "children"):
            yield from _texts(element)


def _seen(fields: Mapping[str, Any], path: str = "") -> Iterator[str]:
    for name, value in fields.items():
        if name not in _SEEN:
            continue
        if isinstance(value, dict):
            yield from _seen(value, f"{path}{name}.")
            continue
        if isinstance(value, list):
            each = [part.get("content", "") if isinstance(part, dict) else part for part in value]
            value = " | ".join(map(str, each))
        for line in str(value).splitlines():
            yield f"{path}{name} {line}"


# Lines.


@dataclass(frozen=True, eq=False)
class Line:
    """A line of a figure or a file: its words with a # for each number, and the numbers.

    slack: what a number may be off by since it was rounded, where it was.
    """

    words: str
    numbers: NDArray[np.float64] | None = None
    slack: float = 0.0


DECIMALS = re.compile(r"(?<![\w.#])[-−]?\d+(?:\.\d+(?:[eE][-+]?\d+)?|e[-+]?\d+)(?![\w])")
"""Numbers that may be rounded either way: whole ones and colours are words."""
ALL_NUMBERS = re.compile(r"(?<![\w.#])-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w])")
"""Numbers with all their digits, of which 1 may be 0.9999999999999999 elsewhere."""
_MOST_DECIMALS = 6


def parsed(text: str, numbers: re.Pattern[str] = DECIMALS) -> Line:
    """A text's words and numbers. How many decimals there are is a word, unless it is all."""
    found: list[float] = []
    slack = [0.0]

    def keep(match: re.Match[str]) -> str:
        number = match[0].replace("−", "-")
        found.append(float(number))
        places = len(number.partition(".")[2])
        if numbers is ALL_NUMBERS or "e" in number or places > _MOST_DECIMALS:
            return "#"
        slack.append(10.0**-places)
        return f"#{places}"

    words = numbers.sub(keep, text)
    return Line(words, np.array(found), max(slack)) if found else Line(words)


def lines_of_text(text: str, numbers: re.Pattern[str] = DECIMALS) -> list[Line]:
    """A text file, line by line."""
    return [parsed(line, numbers) for line in text.splitlines()]


def lines_of_json(found: Any, path: str = "") -> list[Line]:
    """What JSON holds, a line for each value and for each list that holds no others.

    How numbers travel, packed or not, whole or not, makes no difference.
    """
    if isinstance(found, dict) and "bdata" in found:
        packed = np.frombuffer(base64.b64decode(found["bdata"]), "<" + found["dtype"])
        shape = found.get("shape", str(packed.size)).replace(", ", " x ")
        return [Line(f"{path} = # {shape}", packed.astype(np.float64))]
    if isinstance(found, dict):
        return [
            line for name, part in found.items() for line in lines_of_json(part, f"{path}.{name}")
        ]
    if isinstance(found, list):
        flat = list(_leaves(found))
        if flat and all(_is_number(leaf) for leaf in flat):
            numbers = [np.nan if leaf is None else float(leaf) for leaf in flat]
            return [Line(f"{path} = # {_shape(found)}", np.array(numbers))]
        if not any(isinstance(leaf, dict) for leaf in flat):
            return [parsed(f"{path} = {json.dumps(found, ensure_ascii=False)}")]
        return [
            line for n, part in enumerate(found) for line in lines_of_json(part, f"{path}[{n}]")
        ]
    if isinstance(found, int | float) and not isinstance(found, bool):
        return [Line(f"{path} = #", np.array([float(found)]))]
    return [parsed(f"{path} = {json.dumps(found, ensure_ascii=False)}")]


def _leaves(found: list[Any]) -> Iterator[Any]:
    for part in found:
        if isinstance(part, list):
            yield from _leaves(part)
        else:
            yield part


def _is_number(leaf: Any) -> bool:
    return leaf is None or isinstance(leaf, int | float) or leaf in ("-inf", "inf", "nan")


def _shape(found: list[Any]) -> str:
    inner = found[0] if found else None
    return f"{len(found)} x {_shape(inner)}" if isinstance(inner, list) else str(len(found))


# Numbers.

RELATIVE, ABSOLUTE = 1e-9, 1e-12
"""How far a number may be off: of itself, and of the largest in its matrix."""
OF_A_SUM = 1e-11
"""How far a sum may be off: of the sum of all its terms' sizes."""
WHOLE = 200
"""Matrices with up to so many numbers are recorded digit by digit."""
_STAND_INS = {"nan": 5.19, "inf": 7.17, "-inf": -7.13}
"""What is added up in the place of what is no number."""


def fingerprint(matrix: NDArray[np.float64]) -> dict[str, Any]:
    """What is recorded of a matrix of any shape: its digits, or sums over its rows and columns.

    The rows of all heads count as one list, so a column's sum goes through all heads.
    """
    kept: dict[str, Any] = {"shape": list(matrix.shape)}
    if matrix.size <= WHOLE:
        return kept | {"digits": matrix.ravel().tolist()}
    rows, columns = _sums(_flat(matrix))
    return kept | {"rows": rows.tolist(), "columns": columns.tolist()}


def difference(recorded: Mapping[str, Any], matrix: NDArray[np.float64]) -> str:
    """In words how a matrix differs from what was recorded of it; empty where it does not."""
    shape = tuple(recorded["shape"])
    if matrix.shape != shape:
        return f"its shape was {shape} and is {matrix.shape}"
    if "digits" in recorded:
        return _difference_of_digits(np.array(recorded["digits"]).reshape(shape), matrix)
    flat = _flat(matrix)
    sizes = _sums(np.abs(np.where(np.isfinite(flat), flat, 0)) + np.spacing(1.0))
    found = []
    for what, now, size in zip(("rows", "columns"), _sums(flat), sizes, strict=True):
        then = np.array(recorded[what])
        (off,) = np.nonzero(np.abs(now - then) > OF_A_SUM * size)
        if off.size:
            worst = off[np.argmax(np.abs(now - then)[off])]
            where = _row_in_words(int(worst), shape) if what == "rows" else f"column {worst + 1}"
            found.append(
                f"{off.size} of {then.size} {what} differ, most {where}, "
                f"whose weighted sum was {float(then[worst])!r} "
                f"and is {float(now[worst])!r}"
            )
    return "; ".join(found)


def _difference_of_digits(then: NDArray[np.float64], now: NDArray[np.float64]) -> str:
    largest = np.abs(then[np.isfinite(then)]).max(initial=0.0)
    near = np.isclose(now, then, rtol=RELATIVE, atol=ABSOLUTE * max(largest, 1), equal_nan=True)
    if near.all():
        return ""
    with np.errstate(invalid="ignore"):
        gaps = np.where(near, 0, np.nan_to_num(np.abs(now - then), nan=np.inf))
    worst = np.unravel_index(int(gaps.argmax()), gaps.shape)
    *head, row, column = (int(place) + 1 for place in worst)
    where = f"head {head[0]}, " if head else ""
    return (
        f"{(~near).sum()} of {near.size} numbers differ, most {where}row {row}, column {column}: "
        f"it was {float(then[worst])!r} and is {float(now[worst])!r}, off by {gaps[worst]:.2g}"
    )


def _row_in_words(row: int, shape: tuple[int, ...]) -> str:
    n_rows = shape[-2]
    head = f"head {row // n_rows + 1}, " if len(shape) == 3 else ""
    return f"{head}row {row % n_rows + 1}"


def _flat(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    return matrix.reshape(-1, matrix.shape[-1]) if matrix.size else np.zeros((0, 1))


def _sums(flat: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of every row and of every column, the sum of its numbers times a weight of their place."""
    numbers = np.nan_to_num(
        flat, nan=_STAND_INS["nan"], posinf=_STAND_INS["inf"], neginf=_STAND_INS["-inf"]
    )
    down, along = (_weights(size) for size in numbers.shape)
    return (numbers * along).sum(axis=1), (numbers * down[:, None]).sum(axis=0)


def _weights(count: int) -> NDArray[np.float64]:
    """From 1 to 2 and no two alike: rows of weights, which sum to 1, would all look the same."""
    return 1 + np.arange(count) * 0.6180339887498949 % 1


# The digits of links.


def record_link(link: str) -> dict[str, Any]:
    """What is recorded of a link, ready for JSON. A matrix that equals another names it."""
    opened = open_link(link)
    kept: dict[str, Any] = {}
    for name, matrix in opened.matrices.items():
        same = next(
            (n for n in kept if np.array_equal(opened.matrices[n], matrix, equal_nan=True)), None
        )
        kept[name] = same or fingerprint(matrix)
    return {
        "link": link,
        "canonical": opened.canonical,
        "tokens": list(opened.tokens),
        "matrices": kept,
    }


def differences_of_link(recorded: Mapping[str, Any]) -> list[Difference]:
    """In words all that a link opens to and did not open to when it was recorded."""
    opened = open_link(recorded["link"])
    found = []
    if opened.ignored:
        found.append(f"the page ignores {', '.join(opened.ignored)}")
    if opened.canonical != recorded["canonical"]:
        found.append(f"it was written as {recorded['canonical']} and is as {opened.canonical}")
    if list(opened.tokens) != recorded["tokens"]:
        found.append(f"its words were {recorded['tokens']} and are {list(opened.tokens)}")
    then = recorded["matrices"]
    for name in dict.fromkeys([*then, *opened.matrices]):
        if name not in then or name not in opened.matrices:
            found.append(f"matrix {name} is {'gone' if name in then else 'new'}")
            continue
        kept = then[then[name]] if isinstance(then[name], str) else then[name]
        if words := difference(kept, opened.matrices[name]):
            found.append(f"matrix {name}: {words}")
    return [(recorded["link"], part) for part in found]


def _short(text: str, most: int = 200) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


# The page.

Kept = str | list[Any]
"""What is recorded of a line: its words, and with numbers in it their weighted sum."""
OF_A_PICTURE = 3e-7
"""How far a number of a figure may be off, of itself: they travel as float32."""


def record_page(reader: Reader, link: str, with_files: bool) -> dict[str, Any]:
    """What is recorded of an opened link, ready for JSON. A handout is made of examples alone."""
    shown = reader.open(link)
    made = files(link, _is_example(link)) if with_files else {}
    return {
        "link": link,
        "texts": shown.texts,
        "figures": {name: [kept(line) for line in lines] for name, lines in shown.figures.items()},
        "files": {name: [kept(line) for line in lines] for name, lines in made.items()},
    }


def _is_example(link: str) -> bool:
    return {name for name, _ in parse_qsl(link)} == {"example", "view"}


def differences_of_page(reader: Reader, recorded: Mapping[str, Any]) -> list[Difference]:
    """In words all that an opened link shows and did not show when it was recorded."""
    link = recorded["link"]
    try:
        shown = reader.open(link)
    except RuntimeError as problem:
        return [(link, str(problem))]
    found = [f"text {part}" for part in difference_of_texts(recorded["texts"], shown.texts)]
    made = files(link, _is_example(link)) if recorded["files"] else {}
    for what, then, now in (
        ("figure", recorded["figures"], shown.figures),
        ("file", recorded["files"], made),
    ):
        if list(then) != list(now) and then.keys() == now.keys():
            found.append(f"{what}s stand in the order {', '.join(now)}, not {', '.join(then)}")
        for name in dict.fromkeys([*then, *now]):
            if name not in then or name not in now:
                found.append(f"{what} {name} is {'gone' if name in then else 'new'}")
                continue
            found += [
                f"{what} {name}: {part}" for part in difference_of_lines(then[name], now[name])
            ]
    return [(link, part) for part in found]


def difference_of_texts(then: Sequence[str], now: Sequence[str]) -> list[str]:
    """A line for each that is gone and for each that is new.

    Forgiven are a few numbers that were rounded the other way.
    """
    before, after = [parsed(line) for line in then], [parsed(line) for line in now]
    changes, pairs = _aligned([line.words for line in before], [line.words for line in after])
    changed = [(i, j) for i, j in pairs if then[i] != now[j]]
    # A rounding turns at a tie only, so few of them do.
    if len(changed) <= 1 + len(now) // 20:
        changed = [(i, j) for i, j in changed if not _is_rounding(before[i], after[j])]
    changes += [place for i, j in changed for place in (("-", i), ("+", j))]
    return [f"{sign} {(then if sign == '-' else now)[place]}" for sign, place in changes]


def _is_rounding(one: Line, other: Line) -> bool:
    """Whether numbers are off by one in their last decimal, at most."""
    if one.numbers is None or other.numbers is None:
        return False
    off = np.abs(one.numbers - other.numbers)
    return bool((off <= 1.01 * one.slack + RELATIVE * np.abs(one.numbers)).all())


def difference_of_lines(then: Sequence[Kept], now: Sequence[Line]) -> list[str]:
    """A line for each whose words or whose numbers are others."""
    before, after = [_words(line) for line in then], [line.words for line in now]
    changes, pairs = _aligned(before, after)
    words = [f"{sign} {(before if sign == '-' else after)[place]}" for sign, place in changes]
    for i, j in pairs:
        line = now[j]
        if line.numbers is None:
            continue
        was, total = then[i][1], _total(line)
        sizes = np.abs(np.nan_to_num(line.numbers, nan=0, posinf=0, neginf=0))
        allowed = 2 * (OF_A_PICTURE * sizes + 1e-9 * max(sizes.max(initial=0), 1)).sum()
        allowed += 2.02 * line.slack * (1 + sizes.size // 20)
        if not abs(was - total) <= allowed:
            words.append(f"the numbers in “{line.words}” summed up to {was} and do to {total}")
    return words


def _aligned(
    then: Sequence[str], now: Sequence[str]
) -> tuple[list[tuple[str, int]], list[tuple[int, int]]]:
    """The places of lines gone (-) and new (+), and for the same ones their places then and now."""
    if then == now:
        return [], [(n, n) for n in range(len(now))]
    changes: list[tuple[str, int]] = []
    same: list[tuple[int, int]] = []
    matcher = difflib.SequenceMatcher(None, then, now, autojunk=False)
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind == "equal":
            same += zip(range(i1, i2), range(j1, j2), strict=True)
        else:
            changes += [("-", i) for i in range(i1, i2)] + [("+", j) for j in range(j1, j2)]
    return changes, same


def kept(line: Line) -> Kept:
    """What is recorded of a line."""
    return line.words if line.numbers is None else [line.words, _total(line)]


def _words(recorded: Kept) -> str:
    return recorded if isinstance(recorded, str) else recorded[0]


def _total(line: Line) -> float:
    """The numbers' weighted sum, with as many digits as a figure's numbers are held to."""
    assert line.numbers is not None
    (total,), _ = _sums(line.numbers.reshape(1, -1))
    return float(f"{total:.9g}")


def told(found: Iterable[Difference], most: int = 40) -> str:
    """Differences under each other: the same ones once, with the first link and their number."""
    links: dict[str, list[str]] = {}
    for link, what in found:
        links.setdefault(what, []).append(link)
    lines = [
        f"{_short(what, 400)}\n    at ?{_short(unquote_plus(at[0]))}"
        + (f" and {len(at) - 1:,} others" if len(at) > 1 else "")
        for what, at in links.items()
    ]
    more = [f"... and {len(lines) - most:,} other kinds"] if len(lines) > most else []
    return "\n".join([f"{len(lines):,} kinds of differences:", *lines[:most], *more])


# The recordings.


def read(path: Path) -> list[dict[str, Any]]:
    """What was recorded, a line each."""
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def write(path: Path, recorded: Sequence[Mapping[str, Any]]) -> None:
    """Write a recording. The same one gives the same bytes."""
    lines = "".join(_lines(recorded))
    path.write_bytes(lzma.compress(lines.encode(), preset=9 | lzma.PRESET_EXTREME))


def _lines(recorded: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for part in recorded:
        yield json.dumps(part, ensure_ascii=False, separators=(",", ":")) + "\n"
