"""Links drawn at random for the recording, as text alone: what may stand in a link never changes.

So nothing of the product is asked here but the sizes of a link's matrices, to change some of their
numbers by hand.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable
from urllib.parse import urlencode

import numpy as np

Sizes = dict[str, tuple[int, ...]]
Look = Callable[[str], tuple[tuple[str, ...], tuple[str, ...], Sizes]]
"""Tells which parts of a link the page ignores, and the words and the matrices' sizes behind it."""

WORDS = (
    *("the", "The", "cat", "sat", "on", "warm", "mat", "dog", "bites", "man", "bank", "it", "was"),
    *("don’t", "naïve", "Ça", "straße", "नमस्ते", "東", "שָׁלוֹם", "مرحبا", "ไทย", "👩‍👩‍👧", "🎉"),
    *(".", ",", "!", "<b>", "&amp;", "$x$", "*", "_a_", "3.14", "1e5", "=1+1"),
)
"""Few, so that words repeat."""
EXAMPLES = (
    *("warm_mat", "bank_river", "journey_qkv", "journey", "journey_causal", "karim", "poem"),
    *("four_words", "poem_causal", "dog_man", "repetition", "arabic", "hindi", "chinese", "emoji"),
)
POSITIONS = ("none", "sinusoidal", "halves", "rotary", "alibi")
MASKS = ("causal", "window", "padding", "custom")
EXPERIMENTS = (
    *("root", "order", "mistakes", "nobody", "precision"),
    *("own_word", "plane", "predict", "learn", "layers"),
)
MISTAKES = (
    *("axis", "mask_after", "mask_zero", "mask_tiny", "polarity", "padding_queries"),
    *("causal_strict", "causal_shifted", "divide_d", "times_root", "root_d_model", "root_heads"),
    *("split", "merge", "overflow", "twice", "average"),
)
STEPS = (
    *("embeddings", "positions", "inputs", "queries", "keys", "values", "turned_queries"),
    *("turned_keys", "scores", "scaled", "bias", "biased", "cooled", "masked", "weights"),
    *("context", "output"),
)


def draw(count: int, seed: int, look: Look) -> list[str]:
    """Draw links, no two alike. The same seed gives the same links.

    What the page would ignore of a link, such as a head that there is not, is left out of it.
    """
    rng = np.random.default_rng(seed)
    links: list[str] = []
    while len(links) < count:
        kind = len(links)
        drawn = _experiment(rng, kind) | _view(rng, kind)
        if kind % 9 == 4:
            drawn["pin"] = urlencode(_used(_experiment(rng, kind + 1), look))
        drawn = _used(drawn, look)
        if kind % 6 == 3:
            _, words, sizes = look(urlencode(drawn))
            drawn["edits"] = _edits(rng, drawn, words, sizes)
        if urlencode(drawn) not in links:
            links.append(urlencode(drawn))
    return links


def _used(drawn: dict[str, str], look: Look) -> dict[str, str]:
    ignored, _, _ = look(urlencode(drawn))
    return {name: value for name, value in drawn.items() if name not in ignored}


def _pick(rng: np.random.Generator, codes: tuple[str, ...]) -> str:
    return codes[int(rng.integers(len(codes)))]


def _now_and_then(rng: np.random.Generator, share: float) -> bool:
    return bool(rng.random() < share)


def _experiment(rng: np.random.Generator, kind: int) -> dict[str, str]:
    """What is computed: an example with something changed, or a sentence of one's own."""
    drawn: dict[str, str] = {}
    if kind % 4 == 0:
        drawn["example"] = _pick(rng, EXAMPLES)
    else:
        drawn["text"] = _sentence(rng, kind)
        drawn["d_model"] = str(rng.choice([2, 3, 4, 5, 6, 8, 12, 16]))
    drawn["position"] = POSITIONS[kind % len(POSITIONS)]
    if _now_and_then(rng, 0.6):
        drawn["scale"] = _pick(rng, ("raw", "sqrt_d_k"))
    if _now_and_then(rng, 0.3):
        drawn["temperature"] = _pick(rng, ("0.5", "0.1", "2", "2.5", "10", "0.333333"))
    if _now_and_then(rng, 0.15):
        drawn["rule"] = "total"
    if _now_and_then(rng, 0.6):
        chosen = [mask for mask in MASKS if _now_and_then(rng, 0.4)]
        drawn["mask"] = ",".join(chosen) or "none"
        drawn["radius"] = str(rng.integers(0, 4))
        drawn["pad"] = str(rng.choice([0, 1, 1, 2, 3, 40]))
    if "text" in drawn and _now_and_then(rng, 0.6):
        heads = int(rng.integers(1, 5))
        drawn["n_heads"] = str(heads)
        if int(drawn["d_model"]) % heads or _now_and_then(rng, 0.5):
            drawn |= {"qkv": "1", "d_k": str(rng.integers(1, 6))}
            if _now_and_then(rng, 0.5):
                drawn["d_v"] = str(rng.integers(1, 6))
    if "qkv" not in drawn and _now_and_then(rng, 0.3):
        drawn["qkv"] = "1"
    if _now_and_then(rng, 0.5):
        drawn["seed"] = str(rng.integers(0, 1_000_000))
    return drawn


def _sentence(rng: np.random.Generator, kind: int) -> str:
    """Mostly short; now and then long, and a few times as long as a page."""
    longest = {1: 40, 2: 20}.get(kind % 10, 9)
    count = 128 if kind % 50 == 49 else int(rng.integers(1, longest + 1))
    return " ".join(_pick(rng, WORDS) for _ in range(count))


def _view(rng: np.random.Generator, kind: int) -> dict[str, str]:
    """What is looked at. Which positions, heads and steps there are is for the page to say."""
    view = ("attention", "compare", "lab", "home", "attention", "present", "lab")[kind % 7]
    drawn = {"view": view}
    choices = {
        "query": ("0", "0", "1", "2", "5"),
        "key": ("0", "0", "1", "3", "6"),
        "head": ("1", "2", "mean", "mean"),
        "step": STEPS,
        "feature": ("0", "1", "2"),
        "direction": ("from", "to", "all"),
        "colour": ("matrix", "row", "unit"),
        "decimals": ("2", "3", "4", "5", "6"),
        "drawing": ("arcs", "columns"),
        "least": ("0", "5", "20", "100"),
        "own": ("0", "1"),
        "turned": ("rows", "columns"),
        "moved": ("0", "1"),
    }
    for name, codes in choices.items():
        if _now_and_then(rng, 0.35):
            drawn[name] = _pick(rng, codes)
    if view == "present":
        drawn["revealed"] = str(rng.integers(1, 31))
    if view == "lab":
        drawn |= {
            "lab": EXPERIMENTS[kind // 7 * 2 % 10 + (kind % 7 == 6)],
            "lab_seed": str(rng.integers(0, 1000)),
            "lab_curve": _pick(rng, ("largest", "entropy", "spread", "own")),
            "lab_order": _pick(rng, ("reversed", "swapped", "shuffled")),
            "lab_mistake": _pick(rng, MISTAKES),
            "lab_length": str(rng.choice([10, 50, 150, 200, 400])),
            "lab_layers": str(rng.integers(1, 13)),
            "lab_question": str(rng.integers(1, 6)),
            "lab_times": _pick(rng, ("1", "10", "100", "1000")),
        }
    return drawn


def _edits(
    rng: np.random.Generator,
    drawn: dict[str, str],
    words: tuple[str, ...],
    sizes: Sizes,
) -> str:
    """Some matrices changed by hand, whole or in a few cells, packed as links pack them."""
    names = [name for name in ("x", "w_q", "w_k", "w_v") if name in sizes]
    chosen = [name for name in names if _now_and_then(rng, 0.5)] or ["x"]
    parts = {name: _changed(rng, sizes[name], ("-1.5", "0.25", "1e-3", "12")) for name in chosen}
    if "custom" in drawn.get("mask", ""):
        parts["visible"] = _changed(rng, sizes["visible"], ("0",))
    if "x" in parts:
        parts["words"] = list(words)
    text = json.dumps(parts, separators=(",", ":"), ensure_ascii=False)
    squeezed = zlib.compress(text.encode("utf-8"), 9)
    return "1" + base64.urlsafe_b64encode(squeezed).decode().rstrip("=")


def _changed(rng: np.random.Generator, shape: tuple[int, ...], numbers: tuple[str, ...]) -> list:
    cells = shape[0] * shape[1]
    if cells <= 12 and "0" not in numbers:
        return [*shape, *(_pick(rng, numbers) for _ in range(cells))]
    places = sorted({int(rng.integers(cells)) for _ in range(3)})
    return [*shape, {str(place): _pick(rng, numbers) for place in places}]
