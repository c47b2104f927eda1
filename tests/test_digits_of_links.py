"""Old links open to the same digits for ever: 200 drawn at random, and one to each example."""

from collections import Counter
from urllib.parse import parse_qsl

import numpy as np
import pytest
import recording

RECORDED = recording.read(recording.DIGITS)


def test_every_link_opens_to_the_digits_that_it_was_recorded_with():
    found = [part for link in RECORDED for part in recording.differences_of_link(link)]
    assert not found, recording.told(found)


def test_every_example_is_recorded():
    assert set(recording.example_links()) <= {link["link"] for link in RECORDED}


def test_the_links_are_of_all_kinds():
    """What is computed in another way is among them, and several times."""
    links = [dict(parse_qsl(link["link"])) for link in RECORDED]
    counts = Counter(f"{name}={value}" for link in links for name, value in link.items())
    counts.update(name for link in links for name in ("edits", "pin", "d_k", "d_v") if name in link)
    counts.update(mask for link in links for mask in link.get("mask", "").split(","))
    positions = ["position=sinusoidal", "position=halves", "position=rotary", "position=alibi"]
    others = ["scale=sqrt_d_k", "rule=total", "qkv=1", "head=mean", "edits", "pin", "d_k", "d_v"]
    views = [f"view={view}" for view in ("compare", "lab", "home", "present")]
    for what in [*positions, *others, *views, "causal", "window", "padding", "custom"]:
        assert counts[what] >= 8, what
    lengths = [len(link["tokens"]) for link in RECORDED]
    assert min(lengths) == 1
    assert max(lengths) > 100
    assert np.median(lengths) < 10


MATRICES = {
    "small": np.linspace(-1, 1, 12).reshape(3, 4),
    "with heads": np.linspace(-1, 1, 24).reshape(2, 3, 4),
    "large": np.linspace(-1, 1, 600).reshape(20, 30),
    "large, with heads": np.linspace(-1, 1, 600).reshape(2, 20, 15),
}


@pytest.mark.parametrize("matrix", MATRICES.values(), ids=MATRICES)
def test_a_changed_number_is_found_where_it_is(matrix):
    kept = recording.fingerprint(matrix)
    assert recording.difference(kept, matrix) == ""
    assert recording.difference(kept, matrix * (1 + 1e-15)) == ""
    changed = matrix.copy()
    changed[..., 2, 3] *= 1 + 1e-6
    told = recording.difference(kept, changed)
    assert "row 3" in told
    assert "column 4" in told
    if matrix.ndim == 3:
        changed = matrix.copy()
        changed[1, 0, 0] += 1e-6
        assert "head 2, row 1" in recording.difference(kept, changed)


@pytest.mark.parametrize("matrix", MATRICES.values(), ids=MATRICES)
@pytest.mark.parametrize("other", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_is_held_too(matrix, other):
    changed = matrix.copy()
    changed[..., 1, 1] = other
    assert "row 2" in recording.difference(recording.fingerprint(matrix), changed)
    kept = recording.fingerprint(changed)
    assert recording.difference(kept, changed) == ""
    assert "row 2" in recording.difference(kept, matrix)
    again = changed.copy()
    again[..., 1, 1] = -np.inf if other > 0 else np.inf
    assert "row 2" in recording.difference(kept, again)


def test_another_shape_is_told():
    kept = recording.fingerprint(np.ones((2, 3)))
    assert "shape was (2, 3) and is (3, 2)" in recording.difference(kept, np.ones((3, 2)))


def test_exchanged_words_are_told_though_each_row_still_sums_to_one():
    weights = np.full((20, 20), 1 / 20)
    weights[3, :2] = [0.02, 0.08]
    kept = recording.fingerprint(weights)
    weights[3, :2] = [0.08, 0.02]
    assert "row 4" in recording.difference(kept, weights)
