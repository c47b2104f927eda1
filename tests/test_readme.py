"""The README's commands are the ones that are run, and its list of modules is complete."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def test_ci_runs_the_test_command_of_the_readme():
    (command,) = (line for line in README.splitlines() if line.endswith("python -m pytest"))
    assert command in (ROOT / ".ci" / "run").read_text().splitlines()


def test_ci_runs_the_checks_of_the_readme():
    (line,) = (line for line in README.splitlines() if line.endswith("the type checker."))
    tests, *checks = re.findall(r"`([^`]+)`", line)
    run = (ROOT / ".ci" / "run").read_text().splitlines()
    assert checks == run[-len(checks) :]
    assert any(command.endswith(f"&& {tests}") for command in run)


def test_every_module_has_its_line():
    named = set(re.findall(r"^\| `explorer/([a-z_]+)(?:\.py|/)`", README, flags=re.MULTILINE))
    there = {
        path.stem
        for path in (ROOT / "explorer").iterdir()
        if path.name != "__init__.py" and (path.suffix == ".py" or (path / "__init__.py").exists())
    }
    assert named == there


def test_the_picture_is_there():
    (picture,) = re.findall(r"!\[[^]]+\]\(([^)]+)\)", README)
    assert (ROOT / picture).read_bytes().startswith(b"\x89PNG")


def test_every_requirement_is_pinned_exactly():
    for name in ("requirements.txt", "tests/requirements.txt"):
        for line in (ROOT / name).read_text().splitlines():
            assert line.startswith(("#", "-r ")) or re.fullmatch(r"[\w.-]+==[\w.]+", line), line
