"""The view Real model: a sentence through a trained transformer, and the ways to look at it."""

from __future__ import annotations

import numpy as np
import pytest
from browser.helpers import (
    choose,
    click_cell,
    eventually,
    link,
    link_becomes,
    lit,
    numbers,
    settle,
    visit,
)
from browser.test_accessible import violations

from explorer.figures import maps
from explorer.pretrained import measures, text
from explorer.pretrained.model import forward

SENTENCE = "The unbelievably old bank stood by the river."
HERE = {"text": SENTENCE, "view": "model"}
CHARTS = 7
DRAWN = {"rtol": 1e-5, "atol": 1e-6}


@pytest.fixture(scope="module")
def run(model):
    pieces = text.read(model, SENTENCE)
    return pieces, forward(model, pieces.ids)


def opened(page, **more):
    visit(page, CHARTS, **HERE, **more)


def toggle(page, key):
    page.locator(f".st-key-{key}").get_by_role("switch").press("Space")


def test_the_chosen_head_is_drawn_and_a_small_map_opens_another(page, run):
    _, passed = run
    opened(page, query="3")
    np.testing.assert_allclose(numbers(page, "model_weights"), passed.weights[0, 0], **DRAWN)
    scaled = passed.layers[0].arrays["scaled"][0]
    np.testing.assert_allclose(numbers(page, "model_scores"), scaled, **DRAWN)
    side = maps.side_of(6, 12, len(passed.embedded))
    (top, _), (left, _) = maps.outline(2, 11, side)
    click_cell(page, "maps", top + 1, left + 2)
    link_becomes(page, **HERE, query="3", layer="2", layer_head="11")
    settle(page, CHARTS)
    np.testing.assert_allclose(numbers(page, "model_weights"), passed.weights[2, 11], **DRAWN)
    place = ((top, top + side - 1), (left, left + side - 1))
    eventually(page, lambda: [box[1:] for box in lit(page, "maps")], [place])


def test_a_click_on_a_weight_opens_its_arithmetic(page, run):
    pieces, passed = run
    opened(page)
    click_cell(page, "model_weights", 8, 12)
    river, bank = pieces.names[12], pieces.names[8]
    heading = page.locator(".st-key-arithmetic p").first
    eventually(
        page,
        lambda: heading.inner_text().split(" · ")[-1],
        f"weight from “{bank}” to “{river}”",
    )
    eventually(page, lambda: (link(page).get("query"), link(page).get("key")), ("3", "7"))
    formula = page.locator(".st-key-arithmetic annotation").last
    weight = f"{passed.weights[0, 0, 8, 12]:.3f}"
    eventually(page, lambda: weight in formula.text_content(), True)


def test_special_tokens_are_left_out_and_pieces_joined_on_request(page, run):
    pieces, passed = run
    opened(page)
    toggle(page, "special")
    link_becomes(page, **HERE, special="0")
    settle(page, CHARTS)
    kept = slice(1, -1)
    np.testing.assert_allclose(
        numbers(page, "model_weights"), passed.weights[0, 0, kept, kept], **DRAWN
    )
    toggle(page, "joined")
    link_becomes(page, **HERE, special="0", joined="1")
    toggle(page, "renormalised")
    link_becomes(page, **HERE, special="0", joined="1", renormalised="1")
    settle(page, CHARTS - 1)
    rows = text.groups(pieces, special=False, joined=True)
    assert len(rows) == len(pieces.words)
    joined = text.join(passed.weights[0, 0], rows, renormalise=True)
    np.testing.assert_allclose(numbers(page, "model_weights"), joined, **DRAWN)
    np.testing.assert_allclose(joined.sum(axis=-1), 1, rtol=1e-5)


def test_heads_are_sorted_and_the_first_one_opens(page, run):
    pieces, passed = run
    opened(page)
    found = measures.behaviours(
        passed.weights, passed.layers[0].visible, pieces.ids, pieces.special
    )
    np.testing.assert_allclose(numbers(page, "head_scores"), found["previous"], **DRAWN)
    choose(page, "behaviour", 1)
    link_becomes(page, **HERE, behaviour="next")
    settle(page, CHARTS)
    np.testing.assert_allclose(numbers(page, "head_scores"), found["next"], **DRAWN)
    layer, head = measures.ranked(found["next"], 1)[0]
    page.get_by_role("button", name=f"layer {layer + 1} · head {head + 1}:").click()
    link_becomes(page, **HERE, behaviour="next", layer=str(layer), layer_head=str(head))


def test_a_word_is_followed_through_the_readers_sentences(page):
    opened(page)
    table = page.locator("table", has_text="1 and 2").first
    cells = table.locator("tr", has_text="1 and 2").locator("td").all_text_contents()
    assert cells[1:] == ["1.000", "0.860", "0.790", "0.757", "0.769", "0.806", "0.690"]
    box = page.locator(".st-key-sentences textarea")
    written = "A bat flew out of the cave.\nHe swung the bat.\nNo such word here."
    box.fill(written)
    page.locator(".st-key-word input").fill("bat")
    page.locator(".st-key-word input").press("Enter")
    link_becomes(page, **HERE, word="bat", sentences=written)
    settle(page, CHARTS)
    assert page.get_by_text("Sentence 3 is left out").is_visible()


def test_a_layer_that_is_not_there_is_the_first_and_the_page_says_so(page):
    opened(page, layer="77")
    assert page.get_by_text("layer = 77").is_visible()
    assert link(page) == HERE


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_view_is_accessible(page, scheme):
    page.emulate_media(color_scheme=scheme)
    opened(page)
    page.wait_for_timeout(400)  # what scrolls is made reachable once all is quiet
    assert violations(page) == []


def test_the_words_learned_vectors_become_the_embeddings_of_the_other_views(page, model):
    words = ("The", "unbelievably", "old", "bank", "stood", "by", "the", "river", ".")
    wanted = measures.reduced(measures.word_vectors(model, words), 4)
    opened(page)
    page.locator(".st-key-learned button").click()
    eventually(page, lambda: "view" in link(page), False)
    settle(page)
    assert "edits" in link(page)
    eventually(page, lambda: np.allclose(numbers(page, "embeddings"), wanted, **DRAWN), True)
    assert wanted[words.index("bank")].any()
