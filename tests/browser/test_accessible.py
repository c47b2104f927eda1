"""Every view and every opened box, by the rules of axe-core, in light and in dark."""

from __future__ import annotations

from importlib.resources import files

import pytest
from browser.helpers import settle, visit

RULES = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]
# What is looked at, and the boxes that are opened there.
LINKS = {
    "steps": (
        {"example": "journey_qkv", "mask": "causal,padding"},
        ("tables", "change", "three_ways", "open", "article"),
    ),
    "long": ({"example": "long_sentence", "n_heads": "2", "head": "mean"}, ("tables",)),
    "compare": ({"view": "compare"}, ()),
    "home": ({"view": "home"}, ()),
    "lab": ({"view": "lab", "lab": "own_word"}, ()),
    "present": ({"view": "present", "revealed": 9}, ()),
    "refused": ({"text": "", "nonsense": "1"}, ()),
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(page, scheme):
    page.emulate_media(color_scheme=scheme)
    # Only colours change with the theme: the dark one is looked at on one page of each view.
    links = LINKS if scheme == "light" else {name: LINKS[name] for name in ("steps", "home")}
    for name, (link, boxes) in links.items():
        visit(page, charts=0, **link)
        for box in boxes if scheme == "light" else boxes[:2]:
            page.locator(f".st-key-{box} summary").click()
            page.locator(f".st-key-{box}").locator("table, canvas, pre, section").first.wait_for()
        settle(page)
        page.wait_for_timeout(400)  # what scrolls is made reachable once all is quiet
        assert violations(page) == [], name


def test_axe_would_find_a_violation(page):
    visit(page, charts=0, text="")
    page.evaluate("document.body.appendChild(document.createElement('button'))")
    assert any(found.startswith("button-name") for found in violations(page))


def violations(page) -> list[str]:
    """The rules that are broken, each with the first element that breaks it."""
    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text())
    found = page.evaluate(
        # What is inside a chart is a picture with a text in its place; looking there is slow.
        """rules => axe.run({ exclude: ['.js-plotly-plot'] }, { runOnly: rules })
          .then((result) => result.violations)""",
        RULES,
    )
    return [f"{rule['id']}: {rule['nodes'][0]['html'][:200]}" for rule in found]
