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

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[2]
PRESSES = 15

# The time from the key press to the moment after which no chart changes any more. A chart has
# changed when its SVG has; the watch ends when nothing has changed for half a second.
WATCH = """() => {
  window.__last = 0;
  window.__watch?.disconnect();
  window.__watch = new MutationObserver((records) => {
    const drawn = records.some((r) => {
      const e = r.target.nodeType === 1 ? r.target : r.target.parentElement;
      return e && (e.closest('.js-plotly-plot') || e.querySelector?.('.js-plotly-plot'));
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
    """Measure and print."""
    with (
        server(ROOT / "streamlit_app.py") as explorer,
        server(Path(__file__).with_name("bare_page.py")) as bare,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        pages = [open_page(browser, explorer), open_page(browser, bare)]
        times: list[list[float]] = [[], []]
        for press in range(PRESSES + 2):
            for page, taken in zip(pages, times, strict=True):
                milliseconds = press_key(page, press)
                if press >= 2:  # the first ones warm up
                    taken.append(milliseconds)
        browser.close()
    explorer_ms, bare_ms = (statistics.median(taken) for taken in times)
    print(f"explorer {explorer_ms:.0f} ms, bare page {bare_ms:.0f} ms, {PRESSES} presses each")
    print(f"ratio {explorer_ms / bare_ms:.2f}")


def press_key(page: Page, press: int) -> float:
    """Choose the next query word by keyboard, and the first after the last."""
    words = page.locator(".st-key-query").get_by_role("radio")
    words.nth(press % words.count()).focus()
    page.keyboard.press("Space")
    page.wait_for_function(SETTLED, timeout=20_000, polling=50)
    return page.evaluate("window.__last - window.__pressed")


def open_page(browser, address: str) -> Page:
    """Open a page, wait for its charts, and put the focus on the query word."""
    page = browser.new_page(viewport={"width": 1440, "height": 1000})
    page.goto(address)
    page.wait_for_function("document.querySelectorAll('.js-plotly-plot .main-svg').length >= 4")
    time.sleep(2)
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
