"""Make the README's picture from the running page: `python tests/screenshot.py`."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

sys.path.append(str(Path(__file__).parent / "benchmarks"))
from redraw import ROOT, server

PICTURE = ROOT / "tests" / "data" / "page.png"


def main() -> None:
    """Open the default page and save what a reader sees first."""
    with server(ROOT / "streamlit_app.py") as page_server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1440, "height": 1240})
        page.goto(page_server.address)
        page.wait_for_function(
            "[...document.querySelectorAll('.chart .js-plotly-plot')]"
            ".filter((chart) => chart.querySelector('.main-svg')).length >= 5"
        )
        page.wait_for_timeout(2000)
        page.screenshot(path=PICTURE)
        browser.close()
    print(PICTURE.relative_to(ROOT))


if __name__ == "__main__":
    main()
