"""What is taken home arrives, is whole, and needs nothing of the page any more."""

import json
import subprocess
import sys
from urllib.parse import parse_qs, urlsplit

import numpy as np
from browser.helpers import choose, eventually, settle, visit

from explorer.examples import EXAMPLES
from explorer.page.handout import handout
from explorer.settings import Settings
from explorer.trace import trace
from explorer.view import View

WORDS = "bank & <b>river</b>"


def saved(page, press):
    """The text of the file that a press saves, and its name."""
    with page.expect_download() as download:
        press()
    return download.value.path().read_bytes(), download.value.suggested_filename


def button(page, key):
    return page.locator(f".st-key-{key} button").click


def test_every_file_is_saved_and_the_program_runs(page, tmp_path):
    visit(page, charts=1, view="home", example="journey_causal")
    t = trace(EXAMPLES["journey_causal"].settings)
    program, name = saved(page, page.get_by_role("button", name="Download attention.py").click)
    assert name == "attention.py"
    (tmp_path / name).write_bytes(program)
    done = subprocess.run([sys.executable, tmp_path / name], capture_output=True, text=True)
    assert "The same weights" in done.stdout, done.stderr
    table, name = saved(page, button(page, "csv"))
    assert name == "weights.csv"
    numbers = [line.split(",")[1:] for line in table.decode().splitlines()[1:]]
    np.testing.assert_array_equal(np.array(numbers, dtype=float), t.weights[0])
    for key, beginning in (("md", b"| | Your"), ("tex", b"\\begin{tabular}"), ("npz", b"PK")):
        assert saved(page, button(page, key))[0].startswith(beginning)
    state = json.loads(saved(page, button(page, "json"))[0])
    np.testing.assert_array_equal(np.array(state["steps"]["weights"]), t.weights[0])


def test_a_picture_is_saved_with_its_words_as_text(page):
    visit(page, charts=1, view="home", text=WORDS)
    picture, name = saved(page, page.locator(".st-key-picture_chart .modebar-btn").click)
    assert name == "Arrow_graph.svg"
    assert ">river</text>" in picture.decode()
    choose(page, "picture_format", 1)
    settle(page, charts=1)
    page.wait_for_timeout(300)
    picture, name = saved(page, page.locator(".st-key-picture_chart .modebar-btn").click)
    assert name == "Arrow_graph.png"
    assert picture.startswith(b"\x89PNG")


def test_the_handout_opens_without_a_network_and_shows_every_step(page, tmp_path):
    visit(page, charts=1, view="home", text=WORDS, scale="sqrt_d_k")
    file, name = saved(page, button(page, "handout"))
    assert name == "handout.html"
    assert len(file) < 7_000_000
    (tmp_path / name).write_bytes(file)
    sheet = page.context.new_page()
    asked = []
    sheet.on("request", lambda request: asked.append(request.url))
    sheet.goto(f"file://{tmp_path / name}")
    eventually(sheet, sheet.locator(".js-plotly-plot .main-svg").first.is_visible, True)
    assert sheet.locator(".js-plotly-plot").count() == 6
    assert sheet.locator("h1").inner_text() == WORDS
    assert sheet.locator("h1 b").count() == 0
    back = sheet.get_by_role("link").get_attribute("href")
    assert not [url for url in asked if not url.startswith(("file:", "data:", "blob:"))]
    sheet.close()
    opens = parse_qs(urlsplit(page.url).query)
    assert opens.pop("view") == ["home"]  # the way back is to the numbers
    assert parse_qs(urlsplit(back).query) == opens


def test_the_handout_divides_where_the_page_divides():
    settings = Settings(text="a b", d_model=2, x=((1.0, 0.0), (3.0, 0.0)), rule="total")
    sheet = handout(trace(settings), settings, View(query=0, key=1), "link")
    assert "3.000 / (1.000 + 3.000)\n3.000 / 4.000 = 0.750" in sheet
    assert "weights by plain division" in sheet
    assert "e^" not in sheet.split("Where a number comes from")[1]
