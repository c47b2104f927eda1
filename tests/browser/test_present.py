"""In front of a class: steps and words by the arrow keys, nothing else on the screen."""

from browser.helpers import charts, eventually, link, link_becomes, visit

HERE = {"example": "bank_river", "view": "present"}


def test_the_arrow_keys_reveal_steps_and_move_on_to_the_next_word(page):
    visit(page, charts=1, **HERE)
    assert page.locator("[data-testid=stSidebar]").count() == 0
    assert charts(page) == ["embeddings"]
    for revealed, key in ((2, "scores"), (3, "weights")):
        page.keyboard.press("ArrowRight")
        link_becomes(page, **HERE, revealed=str(revealed))
        eventually(page, lambda: charts(page)[-1], key)
    for _ in range(2):  # the second comes before the first is drawn
        page.keyboard.press("ArrowDown")
        page.wait_for_timeout(60)
    link_becomes(page, **HERE, revealed="3", query="2")
    page.keyboard.press("ArrowUp")
    link_becomes(page, **HERE, revealed="3", query="1")
    page.keyboard.press("ArrowLeft")
    link_becomes(page, **HERE, revealed="2", query="1")
    eventually(page, lambda: charts(page), ["embeddings", "scores"])
    page.keyboard.press("Escape")
    eventually(page, lambda: "view" in link(page), False)
    eventually(page, page.locator("[data-testid=stSidebar]").count, 1)
