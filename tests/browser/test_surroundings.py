"""What stands around the numbers: the link to copy, PyTorch, keys, light and dark, an article."""

import re
from importlib.util import find_spec

import pytest
from browser.helpers import (
    arithmetic,
    choose,
    draws_its_link,
    eventually,
    link,
    link_becomes,
    lit,
    visit,
)

REFUSE = "() => { navigator.clipboard.writeText = () => Promise.reject(new Error('refused')); }"
LINK = {"text": "R&D — “это” 100 %", "d_model": "6", "query": "2"}


def test_copy_link_copies_the_link(page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    visit(page, **LINK)
    choose(page, "query", 1)
    link_becomes(page, **LINK | {"query": "1"})
    page.get_by_role("button", name="Copy link").click()
    page.get_by_text("Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.url


def test_where_copying_is_refused_the_link_is_shown_and_selected(page):
    visit(page, query=3)
    page.evaluate(REFUSE)
    page.get_by_role("button", name="Copy link").click()
    field = page.get_by_label("Link to this page")
    field.wait_for()
    selected = "field => field.value.slice(field.selectionStart, field.selectionEnd)"
    assert field.evaluate(selected) == field.input_value()
    assert field.evaluate("field => new URL(field.value).href") == page.url


@pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed.")
def test_pytorch_is_asked_on_request_and_agrees(page):
    visit(page, example="journey_causal")
    page.get_by_text("Check against PyTorch").click()
    verdict = page.get_by_text("Largest difference")
    verdict.wait_for()
    differences = [float(number) for number in re.findall(r"\d\.\de[+-]\d+", verdict.inner_text())]
    assert len(differences) == 3
    assert max(differences) < 1e-12


def tab_into(page, key):
    """Press Tab until the focus is in a control."""
    inside = f"() => !!document.activeElement.closest('.st-key-{key}')"
    for _ in range(60):
        if page.evaluate(inside):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{key} cannot be reached by keyboard")


def test_query_step_and_key_are_chosen_by_keyboard_alone(page):
    visit(page)
    wanted = {}
    for key, moves, value in (("query", 3, "3"), ("step", 1, "scores"), ("key", 4, "4")):
        tab_into(page, key)  # the focus comes to the first option
        for _ in range(moves):
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Space")
        wanted[key] = value
        link_becomes(page, **wanted)
    eventually(page, lambda: arithmetic(page), "score from “on” to “the”")


def luminance(colour):
    """How light a colour is (WCAG 2.2, relative luminance)."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * p for weight, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(page):
    """Between the outline of the query's row and the page behind it (WCAG 2.2)."""
    ((_, outline), *_), *_ = lit(page, "context") or [(("", "rgb(128, 128, 128)"),)]
    behind = page.evaluate(
        "getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
    )
    lights = sorted((luminance(outline), luminance(behind)))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def test_the_row_is_outlined_visibly_in_light_and_dark(page):
    visit(page)
    eventually(page, lambda: contrast(page) > 7, True)
    light = lit(page, "context")
    page.emulate_media(color_scheme="dark")
    eventually(page, lambda: lit(page, "context") != light and contrast(page) > 7, True)
    draws_its_link(page)


def test_an_article_can_embed_the_page(page):
    visit(page, embed="true", example="bank_river")
    assert page.locator("[data-testid=stSidebar]").count() == 0
    choose(page, "query", 2)
    eventually(page, lambda: link(page), {"embed": "true", "example": "bank_river", "query": "2"})
    eventually(page, lambda: arithmetic(page), "weight from “river” to “river”")
