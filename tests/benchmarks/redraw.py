"""From a key press to the finished redraw, against a bare Streamlit page with the same heat maps.

    python tests/benchmarks/redraw.py

Both pages run on the same server settings, in one browser, in turns. The bare page draws the same
cells, digits and ticks, and nothing else: no arrows, no outlines, no text. Prints the medians and
their ratio. Needs playwright and Debian's chromium.
"""

from __future__ import annotations

import os
import shutil
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[2]
PRESSES = 15
WARM_UP = 2
LINKS = {"default page": ""} | {
    f"{n} tokens": "?" + urlencode({"text": " ".join(f"word{i}" for i in range(n)), "d_model": 8})
    for n in (8, 32, 128)
}
LIMITS = {"8 tokens": 0.8, "32 tokens": 0.75, "128 tokens": 0.6}

# The time from the key press to the moment after which no chart changes any more. A chart has
# changed when its SVG has, or what lies on it, or when it was mounted anew. What only marks the
# page around it, as Streamlit marks the state of its script, is no change of a chart. The watch
# ends when nothing has changed for half a second.
WATCH = """() => {
  window.__last = 0;
  window.__watch?.disconnect();
  window.__watch = new MutationObserver((records) => {
    const drawn = records.some((r) => {
      const e = r.target.nodeType === 1 ? r.target : r.target.parentElement;
      return e?.closest('.js-plotly-plot, .chart .sheet')
        || [...r.addedNodes].some((n) => n.querySelector?.('.js-plotly-plot'));
    });
    if (drawn) window.__last = performance.now();
  });
  window.__watch.observe(document.body, { childList: true, subtree: true, attributes: true });
  addEventListener('keydown', () => {
    window.__pressed = performance.now();
    window.__last = 0;
  }, true);
}"""
SETTLED = "() => window.__last && performance.now() - window.__last > 500"


def main() -> None:
    """Measure and print, for the default page and for longer sentences."""
    with (
        server(ROOT / "streamlit_app.py") as explorer,
        server(Path(__file__).with_name("bare_page.py")) as bare,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for name, link in LINKS.items():
            medians = [
                statistics.median(times)
                for times in measure([open_page(browser, page + link) for page in (explorer, bare)])
            ]
            report(name, medians)
        # The table in which numbers are changed is on the page of the explorer alone.
        pages = [open_page(browser, page) for page in (explorer, bare)]
        pages[0].locator(".st-key-change summary").click()
        pages[0].locator(".st-key-change canvas").first.wait_for()
        time.sleep(2)
        report("default page, table open", [statistics.median(times) for times in measure(pages)])
        browser.close()


def report(name: str, medians: list[float]) -> None:
    """Print both medians and their ratio."""
    print(
        f"{name}: explorer {medians[0]:.0f} ms, bare page {medians[1]:.0f} ms, "
        f"ratio {medians[0] / medians[1]:.2f}"
        + (f" (at most {LIMITS[name]})" if name in LIMITS else ""),
        flush=True,
    )


def measure(pages: list[Page]) -> list[list[float]]:
    """Press the key on each page in turn."""
    times: list[list[float]] = [[] for _ in pages]
    for press in range(WARM_UP + PRESSES):
        for page, taken in zip(pages, times, strict=True):
            milliseconds = press_key(page, press)
            if press >= WARM_UP:
                taken.append(milliseconds)
    for page in pages:
        page.close()
    return times


def press_key(page: Page, press: int) -> float:
    """Choose another query word by keyboard; the clock starts at the key that chooses it."""
    words = page.locator(".st-key-query").get_by_role("radio")
    if words.count():
        # Two on from the word that is chosen at first, so that every press changes something.
        words.nth((press + 2) % words.count()).focus()
        page.keyboard.press("Space")
    else:
        way = "ArrowUp" if press % 2 else "ArrowDown"  # to and fro: no list comes to its end
        page.locator(".st-key-query input").focus()
        page.keyboard.press(way)
        page.get_by_role("option").first.wait_for()
        page.keyboard.press(way)
        page.keyboard.press("Enter")
    page.wait_for_function(SETTLED, timeout=60_000, polling=50)
    return page.evaluate("window.__last - window.__pressed")


def open_page(browser: Browser, address: str) -> Page:
    """Open a page and wait until its charts are drawn."""
    page = browser.new_page(viewport={"width": 1440, "height": 1000})
    page.goto(address)
    page.wait_for_function(
        "[...document.querySelectorAll('.js-plotly-plot')]"
        ".filter((chart) => chart.querySelector('.main-svg')).length >= 4",
        timeout=60_000,
    )
    time.sleep(3)
    page.evaluate(WATCH)
    return page


@contextmanager
def server(script: Path):
    """Run a page with the project's own server settings."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "streamlit",
            "run",
            script,
            "--server.headless=true",
            f"--server.port={port}",
            "--server.address=127.0.0.1",
        ],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(100):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=1)
                break
            except OSError:
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    main()
