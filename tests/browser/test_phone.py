"""On a phone: the page is as wide as the screen, and a finger scrolls it wherever it lands."""

from browser.helpers import eventually, visit

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
SENTENCES = {
    "the first page": {},
    "many steps": {"example": "journey_qkv"},
    "compare": {"view": "compare"},
    "64 words": {"text": " ".join(f"word{n}" for n in range(64))},
    "heads": {"d_model": 16, "n_heads": 8},
}

# How much wider than the screen the page and what scrolls in it are.
TOO_WIDE = """() => ['html', 'body', '[data-testid=stApp]', '[data-testid=stMain]']
  .map((name) => document.querySelector(name))
  .map((box) => box.scrollWidth - innerWidth)"""


def swipe(page, key, distance):
    """Drag a finger up over a chart."""
    page.locator(f".st-key-{key}").scroll_into_view_if_needed()
    box = page.locator(f".st-key-{key} .js-plotly-plot").bounding_box()
    x, y = box["x"] + 120, box["y"] + box["height"] - 20
    touch = page.context.new_cdp_session(page)
    at = lambda moved: [{"x": x, "y": y - moved}]  # noqa: E731
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": at(0)})
    for moved in range(10, distance, 10):
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": at(moved)})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def scrolled(page):
    return page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop")


def test_nothing_is_wider_than_a_phone(new_page):
    page = new_page(**PHONE)
    for name, link in SENTENCES.items():
        visit(page, **link)
        assert page.evaluate("innerWidth") == 390
        assert page.evaluate(TOO_WIDE) == [0, 0, 0, 0], name
        sidebar = page.locator("[data-testid=stSidebar]").bounding_box()
        assert sidebar["x"] + sidebar["width"] <= 0, name
    visit(page)
    for key in ("arrows", "weights"):
        before = scrolled(page)
        swipe(page, key, 200)
        eventually(page, lambda: scrolled(page) > before + 100, True)  # noqa: B023
