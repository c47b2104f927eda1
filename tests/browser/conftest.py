"""The page in a real browser: one server, one browser and one tab for all tests."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytest.register_assert_rewrite("browser.helpers")

ROOT = Path(__file__).parents[2]
_DESKTOP = {"viewport": {"width": 1440, "height": 1000}}
_QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-gpu-compositing",
    "--disable-software-rasterizer",
    "--disable-background-networking",
    # Room for what is made and dropped at once: a tenth less work for each page.
    "--js-flags=--min-semi-space-size=64 --max-semi-space-size=128",
)


@pytest.fixture(scope="session")
def address():
    """Where the page is served, from its own directory, with its own settings."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "streamlit_app.py"]
    command += ["--server.headless=true", "--server.address=127.0.0.1", f"--server.port={port}"]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as server:
        try:
            _await_health(f"http://127.0.0.1:{port}/_stcore/health", server)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


@pytest.fixture(scope="session")
def browser():
    """Debian's Chromium. Where there is none the tests are skipped, but never unseen in CI."""
    missing = _missing()
    if missing:
        reason = f"The browser tests need {missing}, which is not installed here."
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=list(_QUIET)
        )
        yield browser
        browser.close()


@pytest.fixture
def new_page(browser, address):
    """Open a page in a context of its own, and fail the test if it misbehaves."""
    tabs = []

    def open_page(**options):
        tabs.append(_Tab(browser, address, _DESKTOP | options))
        return tabs[-1].page

    yield open_page
    problems = [problem for tab in tabs for problem in tab.problems()]
    for tab in tabs:
        tab.page.context.close()
    assert not problems


@pytest.fixture
def page(kept_tabs, browser, address):
    """A desktop page that remembers nothing of the test before.

    Each load is a new session to the server, and what the browser stores is emptied here. The tab
    is the same, because a new one would first have to compile all of Streamlit's scripts again,
    which takes most of a test's time. A tab that has misbehaved is not used again.
    """
    tab = kept_tabs.pop() if kept_tabs else _Tab(browser, address, _DESKTOP)
    tab.forget()
    yield tab.page
    problems = tab.problems()
    if problems:
        tab.page.context.close()
    else:
        kept_tabs.append(tab)
    assert not problems


@pytest.fixture(scope="session")
def kept_tabs():
    """The desktop tab, while no test has it."""
    return []


class _Tab:
    """A page, and everything it does that it should not."""

    def __init__(self, browser, address, options):
        context = browser.new_context(base_url=address, reduced_motion="reduce", **options)
        context.set_default_timeout(30_000)
        self.page = context.new_page()
        self._seen = []
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self._seen.append(f"error: {error}"))
        self.page.on("request", self._follow)
        self.page.on("dialog", self._close)

    def forget(self):
        """Make the tab as good as new."""
        context = self.page.context
        context.clear_cookies()
        context.clear_permissions()
        self.page.emulate_media(color_scheme="light", reduced_motion="reduce")
        if self.page.url.startswith("http"):
            self.page.evaluate("localStorage.clear(), sessionStorage.clear()")
        self._seen.clear()

    def problems(self):
        """What went wrong in this tab."""
        if self.page.locator("[data-testid=stException]").count():
            self._seen.append("a traceback on the page")
        return list(self._seen)

    def _hear(self, message):
        if message.type == "error":
            self._seen.append(f"console: {message.text}")

    def _follow(self, request):
        place = urlsplit(request.url)
        if place.scheme not in ("data", "blob") and place.hostname != "127.0.0.1":
            self._seen.append(f"request to {request.url}")

    def _close(self, dialog):
        self._seen.append(f"dialog: {dialog.message}")
        dialog.dismiss()


def _missing():
    """Name what the tests need and do not find."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "playwright"
    return None if shutil.which("chromium") else "chromium"


def _await_health(url, server):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("The page's server did not start.")
