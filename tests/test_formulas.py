"""The panel's formulas are read back, line by line, and say the number that is open."""

import re
from collections import defaultdict

import numpy as np
from experiments import PAIRS, SMALL, TODAY
from latex_reader import Interval, Reader, has_symbols, lines, printed, slots
from reading import (
    DECIMALS,
    array,
    cells,
    drawn,
    has_keys,
    identity,
    on_paper,
    openable,
    panel,
    run,
)

from explorer.settings import Settings

SYMBOLS = {
    "x": "embeddings",
    "p": "positions",
    "x'": "inputs",
    "q": "queries",
    "k": "keys",
    "v": "values",
    "q^R": "turned_queries",
    "k^R": "turned_keys",
    "w^Q": "w_q",
    "w^K": "w_k",
    "w^V": "w_v",
    "w^O": "w_o",
    "s": "scores",
    "s'": "scaled",
    "b": "bias",
    "s^B": "biased",
    r"s^\tau": "cooled",
    "a": "weights",
    "y": "context",
    "o": "output",
}
"""What a small letter with two indices is a cell of."""


class Panel(Reader):
    """Knows what the symbols of one open cell stand for."""

    def __init__(self, run, view, number):
        super().__init__(self.look_up)
        self.run, self.view, self.number = run, view, number

    def look_up(self, name, indices):
        run, head = self.run, self.view.head
        if name == "d_k":
            return run.settings.d_query
        if name == "H":
            return run.settings.n_heads
        if name == r"\ldots":  # the scores of the query's row
            return run.trace.masked[head, self.view.query]
        if not indices and name == "p":
            return self.number
        if name == "a^(h)":
            return np.array([array(run, "weights", h)[_place(indices[:2])] for h in run.heads])
        if name == r"\bar a":
            return array(run, "weights", None)[_place(indices)]
        numbers = array(run, SYMBOLS[name], head)
        if name in ("x", "x'") and self.view.step == "scores":
            own = slice(head * run.settings.d_query, (head + 1) * run.settings.d_query)
            numbers = numbers[:, own]  # the part that belongs to the head
        if name == "y" and self.view.step == "output":
            numbers = np.concatenate([array(run, "context", h) for h in run.heads], axis=1)
        return numbers[_place(indices)]


def _place(indices):
    """n stands for all of them."""
    return tuple(slice(None) if index == "n" else index - 1 for index in indices)


class Said:
    """Collects what formulas say that is numbers only, and computes what is alike at once."""

    def __init__(self):
        self.said = defaultdict(list)
        self.seen = set()

    def is_new(self, *panel):
        """Whether the same numbers have not been read in the same formulas of the same cell.

        Many experiments differ in nothing that leads to a number; the arrays behind the symbols of
        equal formulas with equal numbers are equal too.
        """
        before = len(self.seen)
        self.seen.add(panel)
        return len(self.seen) > before

    def add(self, template, numbers, number, where):
        self.said[template].append((numbers, number, where))

    def check(self):
        for template, found in self.said.items():
            texts = np.array([numbers for numbers, _, _ in found])
            read = [[printed(text, DECIMALS) for text in column] for column in texts.T]
            ends = [Interval(v - e, v + e) for v, e in (np.array(column).T for column in read)]
            value = Reader(None).value(template, ends)
            holds = value.holds(np.array([number for _, number, _ in found]))
            for n in np.flatnonzero(~np.broadcast_to(holds, len(found)))[:1]:
                raise AssertionError(f"{found[n][2]}: {template} with {found[n][0]}")


def check_panel(run_, view, cell, said, **how):
    """Every side of every line says the open number."""
    number = array(run_, view.step, view.head)[cell]
    formulas, sentences = panel(run_, view, **how)
    where = (run_.name, str(view.step), view.head, cell)
    assert formulas or sentences, where
    if not formulas:
        check_sentence(run_, view, cell, sentences[0], where)
    if not said.is_new(view.step, cell, number, *formulas):
        return
    reader = Panel(run_, view, number)
    for formula in formulas:
        assert has_symbols(slots(lines(formula)[0][0])[0]), (*where, "a formula begins with a name")
        for sides in lines(formula):
            for side in sides:
                template, numbers = slots(side)
                if not has_symbols(template):
                    said.add(template, numbers, number, (*where, formula))
                    continue
                read = [Interval(v - e, v + e) for v, e in (printed(n, DECIMALS) for n in numbers)]
                rounded = any(n.low != n.high for n in read)
                value = reader.value(template, [n.low for n in read])
                near = 4e-6 if rounded else 1e-12
                assert abs(value - number) <= near * (1 + abs(number)), (*where, formula, side)
        assert re.search(r"\\mathbf\{[^{}]+(\{[^}]*\})?\}[^=]*$", formula), (*where, formula)


def check_sentence(run_, view, cell, sentence, where):
    number = array(run_, view.step, view.head)[cell]
    (bold,) = re.findall(r"\*\*(.+?)\*\*", sentence)
    said = float(bold.replace("−", "-").replace("∞", "inf"))
    near = 0 if view.step == "embeddings" else 0.5 * 10**-DECIMALS + 1e-12
    assert said == number or abs(said - number) <= near, (*where, sentence)
    if view.step == "output":
        feature, head = map(int, re.search(r"feature (\d+) of head (\d+)", sentence).groups())
        assert array(run_, "context", head - 1)[cell[0], feature - 1] == number, (*where, sentence)
    blind = has_keys(view.step) and not run_.visible[cell[0]].any()
    assert ("see no word" in sentence) == (blind and view.step == "weights"), (*where, sentence)
    if has_keys(view.step) and "see no word" not in sentence:
        asks, answers = (run_.settings.tokens[n] for n in cell)
        sees = run_.visible[cell]
        assert f"“{asks}” may {'see' if sees else 'not see'} “{answers}”" in sentence, where


def test_every_line_of_every_panel_says_the_open_number():
    said, read = Said(), set()
    for name, settings in (SMALL | TODAY).items():
        run_ = run(name, settings)
        for head in (*run_.heads, *[None] * (len(run_.heads) > 1)):
            here = {step: identity(run_, step, head) for step in openable(run_, head)}
            for view, cell in cells(run_, head):
                if head is None and view.step != "weights":  # the others are those of a head
                    continue
                if here[view.step] not in read:
                    check_panel(run_, view, cell, said)
            read |= set(here.values())
    said.check()


def test_a_query_s_row_of_larger_experiments_says_its_numbers_too():
    """Folded sums leave out terms; what is left is held, and so is the result."""
    said = Said()
    for name, settings in PAIRS.items():
        run_ = run(name, settings)
        for head in {0, run_.heads[-1], None if len(run_.heads) > 1 else 0}:
            for view, cell in cells(run_, head):
                if cell[0] == len(settings.tokens) // 2 and settings.text.isascii():
                    check_panel(run_, view, cell, said, largest_first=True)
    said.check()


def test_where_the_total_is_0_the_panel_says_that_there_is_no_number():
    settings = Settings(text="a b", d_model=2, x=((1.0, 0.0), (-1.0, 0.0)), rule="total")
    run_ = run("a total of 0", settings)
    for view, cell in cells(run_, 0):
        if view.step == "weights":
            (formula,), _ = panel(run_, view)
            assert np.isnan(array(run_, "weights", 0)[cell])
            assert formula.count("0.000000") == 1
            assert r"= \text{no number: the total is } 0" in formula
            assert r"\mathbf" not in formula


def test_the_printed_file_says_the_same_numbers():
    """It opens scores, weights and contexts, and has e to a power in plain signs."""
    said = Said()
    for name, settings in PAIRS.items():
        run_ = run(name, settings)
        for head in (*run_.heads, *[None] * (len(run_.heads) > 1)):
            for view, cell in cells(run_, head):
                steps = ("weights",) if head is None else ("scores", "weights", "context")
                if view.step not in steps or cell[0] != len(settings.tokens) // 2:
                    continue
                number = array(run_, view.step, head)[cell]
                for line in on_paper(run_, view):
                    if "may not see" in line or "may see no word" in line:
                        assert number == 0, (name, line)
                        continue
                    plain = line.replace("·", r"\cdot").replace("−", "-")
                    plain = re.sub(r"(?<=\d)e(\d+)", r" \\cdot 10^{\1}", plain)
                    plain = re.sub(r"e\^(-?[\d.]+)", r"e^{\1}", plain)
                    for side in filter(None, map(str.strip, plain.split("="))):
                        said.add(*slots(side), number, (name, view.step, head, cell, line))
    said.check()


def test_the_page_draws_the_numbers_of_the_trace():
    for name, settings in PAIRS.items():
        run_ = run(name, settings)
        for head in (*run_.heads, None):
            for step, numbers in drawn(run_, head).items():
                where = f"{name}: {step} of {head}"
                np.testing.assert_array_equal(numbers, array(run_, step, head), where)
