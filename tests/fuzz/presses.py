"""Presses with a click at once: does the page ever come out empty, or other than its link says?

    python tests/fuzz/presses.py [--rounds 60] [--lag 0] [--hold 0] [--seed 0] [--unsafe]

Each round changes what the page is built of, and while the server draws it, clicks on something
that only parts of the page follow. A round has failed when the browser could not place what came,
or when the charts are not those of the link. Prints each failure and their number, and exits with
1 if there is one. --lag: milliseconds that every message takes, each way. --hold: milliseconds
for which the server keeps what is drawn before it sends it, as a busy one does. --unsafe: no run
waits until all is sent, to see what the page is kept from.
"""

from __future__ import annotations

import argparse
import random
import shutil
import socket
import subprocess
import sys
import time
import traceback
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright
from playwright.sync_api import Error as BrowserError

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from browser import helpers  # noqa: E402
from browser.conftest import _await_health as await_health  # noqa: E402
from browser.test_link import SLOW_LINE  # noqa: E402

ATTENTION, LAB, PRESENT = 0, 2, 5
LONGEST = 0.15
"""Seconds between the press and the click, at most: about as long as the server takes."""
_HOLDING = """
import sys
from streamlit.runtime import runtime
runtime.MESSAGE_FLUSH_INTERVAL_SECS = {hold}
if {unsafe}:
    from explorer.page import streamlit_inside
    streamlit_inside.is_sent = lambda: True
from streamlit.web.cli import main
sys.argv = sys.argv[1:]
main()
"""
helpers.PATIENCE = 30


def main() -> int:
    """Walk, and say how many rounds failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, usual in (("rounds", 60), ("lag", 0), ("hold", 0), ("seed", 0)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--unsafe", action="store_true")
    asked = parser.parse_args()
    chance = random.Random(asked.seed)
    failed = 0
    with server(asked.hold, asked.unsafe) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page, heard = open_page(browser, address, asked.lag)
        for n in range(asked.rounds):
            problem, done = walk(page, heard, chance, 4 * asked.lag + 2 * asked.hold)
            if problem:
                failed += 1
                print(f"round {n}: {done}: {problem}", flush=True)
                page.close()
                page, heard = open_page(browser, address, asked.lag)
        browser.close()
    print(f"{failed} of {asked.rounds} rounds failed ({vars(asked)})")
    return bool(failed)


@contextmanager
def server(hold: int, unsafe: bool):
    """The page's own server, which sends what is drawn only every so many milliseconds."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    program = _HOLDING.format(hold=max(hold, 5) / 1000, unsafe=unsafe)
    command = [sys.executable, "-c", program, "streamlit", "run"]
    command += ["streamlit_app.py", "--server.headless=true", "--server.address=127.0.0.1"]
    with subprocess.Popen(
        [*command, f"--server.port={port}"],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            await_health(f"http://127.0.0.1:{port}/_stcore/health", process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def open_page(browser: Browser, address: str, lag: int) -> tuple[Page, list[str]]:
    """A page, and a list of what the browser complains of."""
    page = browser.new_page(
        viewport={"width": 1440, "height": 1000}, base_url=address, reduced_motion="reduce"
    )
    heard: list[str] = []
    page.on("console", lambda said: heard.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.add_init_script(SLOW_LINE)
    page.set_default_timeout(30_000)
    helpers.visit(page, n_heads=3, d_model=6, example="bank_river")
    page.evaluate(f"lag = {lag}")
    return page, heard


def walk(page: Page, heard: list[str], chance: random.Random, travels: int) -> tuple[str, str]:
    """One round: what went wrong, or nothing, and what was done.

    travels: milliseconds in which what was asked for has come and been answered.
    """
    press = chance.choice(
        [come_back, leave_present, toggle_mask, toggle_projections, choose_scale, choose_head]
    )
    click = chance.choice([choose_word, choose_step, click_cell])
    wait = chance.uniform(0, LONGEST)
    done = f"{press.__name__}, {1000 * wait:.0f} ms, {click.__name__}"
    try:
        press(page, chance)
        time.sleep(wait)
        click(page, chance)
        # Until the last request has come to the server, the page looks as settled as it is after.
        page.wait_for_timeout(travels)
        helpers.draws_its_link(page)
    except BrowserError as error:
        return (heard or str(error).splitlines())[0].splitlines()[0], done
    except AssertionError as error:
        *_, (frame, _) = traceback.walk_tb(error.__traceback__)
        here = f"not what {helpers.link(page)} says: {frame.f_locals}"
        return (heard or [here])[0].splitlines()[0], done
    return (heard[0].splitlines()[0] if heard else ""), done


def come_back(page: Page, chance: random.Random) -> None:
    """To the view whose parts are followed, from one that has none."""
    helpers.choose(page, "view", LAB)
    helpers.settle(page)
    page.locator(".st-key-lab").wait_for()
    helpers.choose(page, "view", ATTENTION)


def leave_present(page: Page, chance: random.Random) -> None:
    """From the view in which there is nothing to choose with."""
    helpers.choose(page, "view", PRESENT)
    page.locator(".st-key-leave button").wait_for()
    helpers.settle(page)
    page.locator(".st-key-leave button").click()


def toggle_mask(page: Page, chance: random.Random) -> None:
    """One chart more, or one less."""
    page.locator(".st-key-mask").get_by_role("button", name="causal", exact=True).click()


def toggle_projections(page: Page, chance: random.Random) -> None:
    """Six charts more, or less."""
    page.locator(".st-key-qkv label").first.click()


def choose_scale(page: Page, chance: random.Random) -> None:
    """Other numbers in the same charts."""
    helpers.choose(page, "scale", chance.randrange(2))


def choose_head(page: Page, chance: random.Random) -> None:
    helpers.choose(page, "head", chance.randrange(3))


def choose_word(page: Page, chance: random.Random) -> None:
    helpers.choose(page, "query", chance.randrange(3))


def choose_step(page: Page, chance: random.Random) -> None:
    words = page.locator(".st-key-step").get_by_role("radio")
    words.nth(chance.randrange(3)).click()


def click_cell(page: Page, chance: random.Random) -> None:
    page.locator(".st-key-weights .main-svg").first.click(position={"x": 120, "y": 60})


if __name__ == "__main__":
    sys.exit(main())
