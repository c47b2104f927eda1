"""Imports go downwards only, and heavy libraries stay where they belong.

The rules are read from the source, so that an import inside a function counts as well.
"""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

ORDER = (
    "attention",
    "three_ways",
    "masks",
    "positions",
    "tokens",
    "labels",
    "embeddings",
    "measures",
    "operations",
    "settings",
    "edits",
    "pipeline",
    "trace",
    "export",
    "pretrained",
    "twin",
    "lab",
    "examples",
    "article",
    "describe",
    "view",
    "walks",
    "link",
    "files",
    "rendering",
    "figures",
    "page",
    "streamlit_app",
)
"""The parts of the house from the bottom up; each may import those before it. A package is one."""

HEAVY = {"streamlit", "plotly", "torch"}
MAY_IMPORT = {
    "twin": {"torch"},
    "lab": {"torch"},
    "page": HEAVY,
    "streamlit_app": HEAVY,
}
"""Heavy libraries by part of the house; the others import none."""
ARRAYS_IN = {
    "settings",
    "edits",
    "operations",
    "pipeline",
    "trace",
    "article",
    "walks",
    "rendering",
    "lab",
    "pretrained",
    "examples",
    "view",
    "link",
    "files",
}
"""What figures may not know, though it stands below them: they are given arrays and words."""
SLOW = ("torch", "explorer.twin", "explorer.lab.learn")
"""What nobody may import before it is shown, that is, on being loaded itself."""
NEED_TORCH = ("explorer.twin", "explorer.lab.learn")
"""But these may import torch."""
ON_REQUEST = {"pandas", "tokenizers", "safetensors", "huggingface_hub", "transformers"}
"""What nobody may import on being loaded: the page works without, or is there sooner."""


def imports(source):
    """The dotted names that a module imports, each with whether that happens on loading it."""

    def walk(node, on_loading):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                yield from ((alias.name, on_loading) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                base = "." * child.level + (child.module or "")
                yield from ((f"{base}.{alias.name}", on_loading) for alias in child.names)
            inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from walk(child, on_loading and not inside)

    return list(walk(ast.parse(source), True))


def part_of(name):
    """explorer.page.chart belongs to page; streamlit_app is a part of its own."""
    return name.removeprefix("explorer.").split(".")[0]


def faults(name, source):
    """What a module imports against the rules, one sentence each."""
    here = part_of(name)
    if here not in (*ORDER, "explorer"):
        return [f"{name} has no place in the order; give it one"]
    found = []
    for imported, on_loading in imports(source):
        top, there = imported.split(".")[0], part_of(imported)
        if not top:
            found.append(f"{name} imports {imported}; write the whole name")
        if top in HEAVY - MAY_IMPORT.get(here, set()):
            found.append(f"{name} imports {top}")
        slow = any(f"{imported}.".startswith(f"{module}.") for module in SLOW)
        if slow and on_loading and not (top == "torch" and name in NEED_TORCH):
            found.append(f"{name} imports {imported} on being loaded")
        if top in ON_REQUEST and on_loading:
            found.append(f"{name} imports {top} on being loaded")
        if top not in ("explorer", "streamlit_app") or here == there:
            continue
        if here == "explorer":
            found.append(f"{name} imports {there}, and with it so does whoever imports any part")
        elif there not in ORDER:
            found.append(f"{name} imports {imported}, which has no place in the order")
        elif ORDER.index(there) > ORDER.index(here):
            found.append(f"{name} imports {there}, which stands above it")
        elif here == "figures" and there in ARRAYS_IN:
            found.append(f"{name} imports {there}; figures take arrays")
    return found


def module_name(path):
    pieces = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(pieces[:-1] if pieces[-1] == "__init__" else pieces)


MODULES = {
    module_name(path): path.read_text(encoding="utf-8")
    for path in (*sorted((ROOT / "explorer").rglob("*.py")), ROOT / "streamlit_app.py")
    if path.exists()
}


@pytest.mark.parametrize("name", MODULES)
def test_a_module_imports_only_what_stands_below_it(name):
    assert faults(name, MODULES[name]) == []


def own_state(name, source):
    """Where a module touches Streamlit's session state though it is no part of page/session."""
    if name.startswith("explorer.page.session"):
        return []
    return [
        f"{name}, line {node.lineno}"
        for node in ast.walk(ast.parse(source))
        if (isinstance(node, ast.Attribute) and node.attr == "session_state")
        or (isinstance(node, ast.alias) and node.name == "session_state")
    ]


@pytest.mark.parametrize("name", MODULES)
def test_only_the_session_touches_the_session_state(name):
    assert own_state(name, MODULES[name]) == []


@pytest.mark.parametrize(
    "source",
    [
        'st.session_state["_values"]',
        "state = st.session_state",
        "from streamlit import session_state",
    ],
)
def test_a_touch_is_found(source):
    assert len(own_state("explorer.page.tables", source)) == 1


def test_every_module_of_the_core_is_read():
    core = ("attention", "masks", "tokens", "embeddings", "settings", "trace", "walks", "twin")
    assert {f"explorer.{part}" for part in core} <= set(MODULES)
    assert ("explorer.settings.Settings", True) in imports(MODULES["explorer.trace"])


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("explorer.attention", "import torch"),
        ("explorer.attention", "from explorer.masks import causal"),
        ("explorer.trace", "import streamlit as st"),
        ("explorer.trace", "def f():\n    from plotly import graph_objects"),
        ("explorer.settings", "from explorer import trace"),
        ("explorer.settings", "import explorer.trace"),
        ("explorer.settings", "from . import trace"),
        ("explorer.settings", "if True:\n    from explorer.trace import trace"),
        ("explorer.link.codec", "import streamlit"),
        ("explorer.link.codec", "from explorer.page import address"),
        ("explorer.walks", "from explorer import twin"),
        ("explorer.figures.matrix", "from explorer.trace import AttentionTrace"),
        ("explorer.figures.matrix", "from explorer.settings import Settings"),
        ("explorer.figures", "from explorer.link import codec"),
        ("explorer.figures.matrix", "import streamlit"),
        ("explorer.figures.matrix", "import torch"),
        ("explorer.figures.matrix", "def f():\n    import plotly"),
        ("explorer.page.tables", "import pandas"),
        ("explorer.figures.matrix", "from ..page import chart"),
        ("explorer.twin", "import streamlit"),
        ("explorer.twin", "from explorer import figures"),
        ("explorer.page.chart", "from explorer.twin import run"),
        ("explorer.page.chart", "from explorer import twin"),
        ("explorer.page.chart", "class A:\n    from explorer import twin"),
        ("explorer.page.chart", "import torch"),
        ("explorer.page.lab.learn_box", "from explorer.lab import learn"),
        ("explorer.page.lab.learn_box", "from explorer.lab.learn import train"),
        ("explorer.view", "import explorer.lab.learn"),
        ("explorer.lab.precision", "import torch"),
        ("explorer.lab.precision", "from torch import Tensor"),
        ("explorer.lab.precision", "from explorer.lab.learn import train"),
        ("explorer.lab.learn", "from explorer import twin"),
        ("explorer.lab.root", "import streamlit"),
        ("explorer.lab.root", "from explorer import describe"),
        ("explorer.twin", "from explorer import lab"),
        ("explorer.figures.lines", "from explorer.lab import root"),
        ("explorer.page.chart", "import streamlit_app"),
        ("explorer.page.chart", "import explorer.nowhere"),
        ("streamlit_app", "from explorer import twin"),
        ("explorer", "from explorer import attention"),
        ("explorer.newcomer", ""),
        ("explorer.pretrained.text", "from tokenizers import Tokenizer"),
        ("explorer.pretrained.model", "import torch"),
        ("explorer.pretrained.model", "from explorer.view import View"),
        ("explorer.figures.matrix", "from explorer.pretrained import measures"),
    ],
)
def test_a_forbidden_import_is_found(name, source):
    assert len(faults(name, source)) >= 1


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("explorer.trace", "import numpy as np\nfrom explorer import embeddings, settings"),
        ("explorer.figures.matrix", "import numpy as np\nfrom explorer.figures import palette"),
        ("explorer.figures.matrix", "from explorer.attention import Array"),
        ("explorer.twin", "import torch\nfrom torch import Tensor"),
        ("explorer.page.chart", "import streamlit\nimport plotly\nfrom explorer import trace"),
        ("explorer.page.chart", "def f():\n    from explorer import twin\n    import torch"),
        ("explorer.lab.learn", "import torch\nfrom torch import nn"),
        ("explorer.lab.precision", "def f():\n    import torch"),
        ("explorer.page.lab.learn_box", "def f():\n    from explorer.lab import learn"),
        ("explorer.view", "from explorer.lab.mistakes import Mistake"),
        ("explorer.page.chart", "from explorer.page import address"),
        ("explorer.pretrained.text", "def f():\n    from tokenizers import Tokenizer"),
        ("streamlit_app", "import streamlit\nfrom explorer.page.sidebar import sidebar"),
    ],
)
def test_an_allowed_import_is_not_found(name, source):
    assert faults(name, source) == []


@pytest.mark.parametrize(
    "module",
    ["trace", "walks", "examples", "link.run", "pretrained.checkpoint", "pretrained.measures"],
)
def test_the_core_loads_no_heavy_library(module):
    program = f"import sys, explorer.{module}\nprint(*sorted({HEAVY!r} & set(sys.modules)))"
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, encoding="utf-8", check=True
    )
    assert run.stdout.split() == []


def test_the_page_is_drawn_without_pandas():
    """It takes a server 0.3 s and 68 MB; Streamlit loads it to look at what is in a dictionary."""
    program = (
        "import sys; from streamlit.testing.v1 import AppTest;"
        "page = AppTest.from_file('streamlit_app.py', default_timeout=60).run();"
        "assert page.get('bidi_component'); assert not page.exception;"
        "print('pandas' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, encoding="utf-8", check=True
    )
    assert run.stdout.split() == ["False"]
