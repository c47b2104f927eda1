"""Record the page as it is now: `python tests/record.py`.

The digits that links open to are recorded once and kept for ever: an old link must open to the same
ones. New examples are added, and where an old link opens to other digits, nothing is written and
the difference is told. `python tests/record.py --new-digits` draws and writes all anew.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import random_links
import recording

N_RANDOM, SEED = 200, 13


def main(arguments: Sequence[str]) -> int:
    """Write both recordings. Returns 1 where an old link opens to other digits, and writes none."""
    fresh = "--new-digits" in arguments or not recording.DIGITS.exists()
    kept = [] if fresh else recording.read(recording.DIGITS)
    changed = [told for link in kept for told in recording.differences_of_link(link)]
    if changed:
        print("Nothing is written: old links must open to the same digits for ever.", *changed)
        return 1
    known = [link["link"] for link in kept]
    wanted = recording.example_links() + ([] if known else random_links.draw(N_RANDOM, SEED, look))
    kept += [recording.record_link(link) for link in wanted if link not in known]
    recording.write(recording.DIGITS, kept)
    said(recording.DIGITS, f"{len(kept)} links")
    return 0


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
