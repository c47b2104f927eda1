"""How fast the page is, against a bare Streamlit page with the same heat maps (`bare_page.py`).

    python tests/benchmarks/redraw.py [word] [scale] [cpu] [cold] [--times N]

word    from the key press that chooses another query word to the last change of a chart
scale   the same for the scaling of the scores, which changes the numbers
cpu     what such a change costs the server, in time of its processor
cold    from the call of the address, in a browser that has nothing yet, to the last chart

Without a choice, all. Both pages run on the same server settings, in one browser, in turns. Prints
the medians, their ratios and the highest ratio aimed at. Needs playwright and Debian's chromium.
"""

from __future__ import annotations

import argparse
import shutil
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[2]
WHAT = ("word", "scale", "cpu", "cold")
TIMES = 15
WARM_UP = 2
LINKS = {"default page": ""} | {
    f"{n} tokens": "?" + urlencode({"text": " ".join(f"word{i}" for i in range(n)), "d_model": 8})
    for n in (8, 32, 128)
}
WORD_LIMITS = {"8 tokens": 0.8, "32 tokens": 0.75, "128 tokens": 0.6}
SCALE_LIMIT = 0.85
CPU_LIMITS = {"word": 0.75, "scale": 1.4}
COLD_LIMIT = 1.15
VIEWPORT = {"width": 1440, "height": 1000}

# The time of the last change of a chart, and of the last key press; where no key was pressed, of
# the call of the address. A chart has changed when its SVG has, or what lies on it, or when it was
# mounted anew. What only marks the page around it, as Streamlit marks the state of its script, is
# no change of a chart, and neither is the fading of the light that a chart, when it is drawn,
# throws on its changed numbers. The watch ends when nothing has changed for half a second.
WATCH = """() => {
  window.__last = 0;
  window.__pressed = 0;
  new MutationObserver((records) => {
    const drawn = records.some((r) => {
      const e = r.target.nodeType === 1 ? r.target : r.target.parentElement;
      return e?.closest('.js-plotly-plot, .chart .sheet') && !e.closest('.flash')
        || [...r.addedNodes].some((n) => n.querySelector?.('.js-plotly-plot'));
    });
    if (drawn) window.__last = performance.now();
  }).observe(document, { childList: true, subtree: true, attributes: true });
  addEventListener('keydown', () => {
    window.__pressed = performance.now();
    window.__last = 0;
  }, true);
}"""
SETTLED = "() => window.__last && performance.now() - window.__last > 500"
DRAWN = """() => [...document.querySelectorAll('.js-plotly-plot')]
  .filter((chart) => chart.querySelector('.main-svg')).length >= 4"""


@dataclass(frozen=True)
class Server:
    """A running page."""

    address: str
    pid: int

    def cpu_ms(self) -> float:
        """The processor time that it has taken so far, over all its threads."""
        clock = (~self.pid << 3) | 2  # what clock_getcpuclockid(3) gives; Python does not offer it
        return 1000 * time.clock_gettime(clock)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="*", choices=(*WHAT, "all"), default="all")
    parser.add_argument("--times", type=int, default=TIMES, help=f"each change; {TIMES} if not set")
    asked = parser.parse_args()
    what = set(WHAT if "all" in asked.what else asked.what)
    with (
        server(ROOT / "streamlit_app.py") as explorer,
        server(Path(__file__).with_name("bare_page.py")) as bare,
        sync_playwright() as playwright,
    ):
        servers = [explorer, bare]
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        print(f"{'':42}explorer  bare page  ratio  at most")
        for change in ("word", "scale"):
            if not what & {change, "cpu"}:
                continue
            for name, link in LINKS.items():
                pages = [open_page(browser, server.address + link) for server in servers]
                times, cpu = measure(change, pages, servers, asked.times)
                if change in what:
                    limit = WORD_LIMITS.get(name) if change == "word" else SCALE_LIMIT
                    report(f"{change}, {name}", times, limit)
                if "cpu" in what:
                    report(f"server's CPU for a {change}, {name}", cpu, CPU_LIMITS[change])
        if "word" in what:
            # The table in which numbers are changed is on the page of the explorer alone.
            pages = [open_page(browser, server.address) for server in servers]
            pages[0].locator(".st-key-change summary").click()
            pages[0].locator(".st-key-change canvas").first.wait_for()
            time.sleep(2)
            times, _ = measure("word", pages, servers, asked.times)
            report("word, default page, table open", times)
        if "cold" in what:
            report("cold open, default page", cold(browser, servers, asked.times), COLD_LIMIT)
        browser.close()


def report(name: str, medians: list[float], limit: float | None = None) -> None:
    """Print both medians in milliseconds, and their ratio."""
    explorer, bare = medians
    print(
        f"{name:42}{explorer:5.0f} ms  {bare:6.0f} ms  {explorer / bare:5.2f}"
        + (f"  {limit:7.2f}" if limit else ""),
        flush=True,
    )


def measure(
    change: str, pages: list[Page], servers: list[Server], n_times: int
) -> tuple[list[float], list[float]]:
    """Make a change on each page in turn, and close them. The median of each page: milliseconds
    to the last change of a chart, and of the server's processor."""
    press = {"word": press_word, "scale": press_scale}[change]
    times: list[list[float]] = [[] for _ in pages]
    cpu: list[list[float]] = [[] for _ in pages]
    for n in range(WARM_UP + n_times):
        for i, (page, server) in enumerate(zip(pages, servers, strict=True)):
            before = server.cpu_ms()
            press(page, n)
            page.wait_for_function(SETTLED, timeout=60_000, polling=50)
            times[i].append(page.evaluate("window.__last - window.__pressed"))
            cpu[i].append(server.cpu_ms() - before)
    for page in pages:
        page.close()
    return medians(times), medians(cpu)


def medians(taken: list[list[float]]) -> list[float]:
    """The median of each page, without the changes that only warmed it up."""
    return [statistics.median(times[WARM_UP:]) for times in taken]


def press_word(page: Page, n: int) -> None:
    """Choose another query word by keyboard; the clock starts at the key that chooses it."""
    words = page.locator(".st-key-query").get_by_role("radio")
    if words.count():
        # Two on from the word that is chosen at first, so that every press changes something.
        words.nth((n + 2) % words.count()).focus()
        page.keyboard.press("Space")
    else:
        way = "ArrowUp" if n % 2 else "ArrowDown"  # to and fro: no list comes to its end
        page.locator(".st-key-query input").focus()
        page.keyboard.press(way)
        page.get_by_role("option").first.wait_for()
        page.keyboard.press(way)
        page.keyboard.press("Enter")


def press_scale(page: Page, n: int) -> None:
    """Choose the other scaling by keyboard. Both pages open with raw scores, the first choice."""
    page.locator(".st-key-scale").get_by_role("radio").nth((n + 1) % 2).focus()
    page.keyboard.press("Space")


def cold(browser: Browser, servers: list[Server], n_times: int) -> list[float]:
    """Open each page in turn in a fresh context: the medians until the last chart is drawn."""
    times: list[list[float]] = [[] for _ in servers]
    for _ in range(WARM_UP + n_times):
        for server, taken in zip(servers, times, strict=True):
            context = browser.new_context(viewport=VIEWPORT)
            page = context.new_page()
            page.add_init_script(f"({WATCH})()")
            page.goto(server.address)
            page.wait_for_function(DRAWN, timeout=60_000, polling=50)
            page.wait_for_function(SETTLED, timeout=60_000, polling=50)
            taken.append(page.evaluate("window.__last"))
            context.close()
    return medians(times)


def open_page(browser: Browser, address: str) -> Page:
    """Open a page, wait until its charts are drawn, and watch them."""
    page = browser.new_page(viewport=VIEWPORT)
    page.goto(address)
    page.wait_for_function(DRAWN, timeout=60_000)
    time.sleep(3)
    page.evaluate(WATCH)
    return page


@contextmanager
def server(script: Path) -> Iterator[Server]:
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
        yield Server(f"http://127.0.0.1:{port}/", process.pid)
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    main()
