"""Record the page as it is now: `python tests/record.py`.

The digits that links open to are recorded once and kept for ever: an old link must open to the same
ones. New examples are added, and where an old link opens to other digits, nothing is written and
the difference is told. `python tests/record.py --new-digits` draws and writes all anew.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import parse_qsl

sys.path.insert(0, str(Path(__file__).parents[1]))

import random_links
import recording

N_RANDOM, SEED = 200, 13
NEED_TORCH = ("nobody", "precision", "learn")


def main(arguments: Sequence[str]) -> int:
    """Write both recordings. Returns 1 where an old link opens to other digits, and writes none."""
    fresh = "--new-digits" in arguments or not recording.DIGITS.exists()
    kept = [] if fresh else recording.read(recording.DIGITS)
    changed = [part for link in kept for part in recording.differences_of_link(link)]
    if changed:
        print("Nothing is written: old links must open to the same digits for ever.")
        print(recording.told(changed))
        return 1
    known = [link["link"] for link in kept]
    wanted = recording.example_links() + ([] if known else random_links.draw(N_RANDOM, SEED, look))
    kept += [recording.record_link(link) for link in wanted if link not in known]
    recording.write(recording.DIGITS, kept)
    said(recording.DIGITS, f"{len(kept)} links")
    reader = recording.Reader()
    pages = [
        recording.record_page(reader, link, with_files)
        for link, with_files in pages_of([link["link"] for link in kept])
    ]
    recording.write(recording.PAGE, pages)
    said(recording.PAGE, f"{len(pages)} pages")
    return 0


def pages_of(links: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """The links that are opened, and whether the files to take home are made of them.

    Each example in every view, and each other link in its own. Left out: what needs PyTorch or the
    trained model.
    """
    examples = recording.example_links()
    for link in examples:
        for view in ("attention", "compare", "lab", "home", "present"):
            yield f"{link}&view={view}", view == "home"
    for experiment in random_links.EXPERIMENTS:
        if experiment not in NEED_TORCH:
            yield f"{examples[0]}&view=lab&lab={experiment}", False
    for link in links:
        asked = dict(parse_qsl(link))
        if link not in examples and asked.get("lab") not in NEED_TORCH:
            yield link, asked["view"] == "home"


def look(link: str) -> tuple[tuple[str, ...], tuple[str, ...], dict[str, tuple[int, ...]]]:
    """What the page ignores of a link, and the words and the sizes behind it."""
    opened = recording.open_link(link)
    sizes = {name: matrix.shape for name, matrix in opened.matrices.items()}
    return opened.ignored, opened.tokens, sizes


def said(path: Path, what: str) -> None:
    """Print what was written."""
    print(f"{path.relative_to(Path.cwd())}: {what}, {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
