"""On a phone: nothing makes the page wider than the screen, and a finger scrolls it anywhere."""

from browser.helpers import eventually, settle, visit

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
LINKS = {
    "compare": {"view": "compare"},
    "many steps and heads": {"d_model": 16, "n_heads": 8, "qkv": 1, "scale": "sqrt_d_k"},
    "the first page": {},
}

# What is wider than the screen, and by how many pixels. The page scrolls within stMain.
TOO_WIDE = """() => ['html', 'body', '[data-testid=stApp]', '[data-testid=stMain]']
  .map((name) => [name, document.querySelector(name).scrollWidth - innerWidth])
  .filter(([, excess]) => excess > 0)"""
SCROLLED = "document.querySelector('[data-testid=stMain]').scrollTop"


def swipe_up(page, key, distance):
    """Drag a finger up over a chart."""
    page.locator(f".st-key-{key}").scroll_into_view_if_needed()
    box = page.locator(f".st-key-{key} .js-plotly-plot").bounding_box()
    x, y = box["x"] + 120, box["y"] + box["height"] - 20
    finger = page.context.new_cdp_session(page)
    for moved in range(0, distance, 10):
        kind = "touchMove" if moved else "touchStart"
        point = {"x": x, "y": y - moved}
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_the_page_fits_a_phone_and_a_finger_scrolls_it_on_every_chart(new_page):
    page = new_page(**PHONE)
    for name, link in LINKS.items():
        visit(page, **link)
        assert page.evaluate("innerWidth") == 390, name
        assert page.evaluate(TOO_WIDE) == [], name
        sidebar = page.locator("[data-testid=stSidebar]").bounding_box()
        assert sidebar["x"] + sidebar["width"] <= 0, name
    for key in ("arrows", "weights"):
        before = page.evaluate(SCROLLED)
        swipe_up(page, key, 200)
        eventually(page, lambda: page.evaluate(SCROLLED) > before + 100, True)  # noqa: B023
    page.locator(".st-key-tables summary").click()
    page.locator(".st-key-tables table").wait_for()
    settle(page)
    assert page.evaluate(TOO_WIDE) == [], "tables"
