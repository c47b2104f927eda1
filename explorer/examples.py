"""Named experiments, each with the numbers its source prints.

Links name them, so their settings never change; a test holds them still.
"""

from __future__ import annotations

from dataclasses import dataclass

from explorer.settings import Scale, Settings, Table, table

DEFAULT = "warm_mat"
OWN = "own"
"""What stands in the place of an example's name when the sentence is the reader's own."""


@dataclass(frozen=True, slots=True)
class Printed:
    """Numbers that a source prints for one step."""

    step: str  #            a step of the trace, or "exponentials" or "percent"
    rows: tuple[int, ...]  # which words' rows, from 0
    numbers: Table
    decimals: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One named experiment: what to compute, where to look first, who published it."""

    title: str
    settings: Settings
    query: int = 0
    key: int = 0
    source: str
    printed: tuple[Printed, ...] = ()


EXAMPLES: dict[str, Example] = {
    "warm_mat": Example(
        title="The cat sat on the warm mat",
        settings=Settings(
            text="The cat sat on the warm mat",
            d_model=3,
            x=(
                (0.41, 0.12, 0.73),
                (0.58, 0.91, 0.44),
                (0.33, 0.76, 0.89),
                (0.15, 0.42, 0.67),
                (0.39, 0.14, 0.71),
                (0.82, 0.53, 0.29),
                (0.61, 0.85, 0.47),
            ),
        ),
        query=1,
        key=6,
        source="“Self-Attention from Scratch: The Heart of the Transformer”",
        printed=(
            Printed(
                "scores",
                (0, 1, 2, 3, 4, 5, 6),
                (
                    (0.7154, 0.6682, 0.8762, 0.6010, 0.6950, 0.6115, 0.6952),
                    (0.6682, 1.3581, 1.2746, 0.7640, 0.6660, 1.0855, 1.3341),
                    (0.8762, 1.2746, 1.4786, 0.9650, 0.8670, 0.9315, 1.2656),
                    (0.6010, 0.7640, 0.9650, 0.6478, 0.5930, 0.5399, 0.7634),
                    (0.6950, 0.6660, 0.8670, 0.5930, 0.6758, 0.5999, 0.6906),
                    (0.6115, 1.0855, 0.9315, 0.5399, 0.5999, 1.0374, 1.0870),
                    (0.6952, 1.3341, 1.2656, 0.7634, 0.6906, 1.0870, 1.3155),
                ),
                4,
            ),
            Printed(
                "exponentials",
                (1,),
                table([[1.9507, 3.8888, 3.5773, 2.1468, 1.9464, 2.9609, 3.7966]]),
                4,
            ),
            Printed("exponentials_total", (1,), table([[20.2676]]), 4),
            Printed(
                "weights",
                (1,),
                table([[0.0962, 0.1919, 0.1765, 0.1059, 0.0960, 0.1461, 0.1873]]),
                4,
            ),
            Printed("context", (1,), table([[0.4964, 0.6149, 0.5813]]), 4),
        ),
    ),
    "bank_river": Example(
        title="bank of river",
        settings=Settings(
            text="bank of river",
            d_model=4,
            x=table([[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0]]),
        ),
        query=0,
        key=2,
        source="“Self-Attention Explained with Real Numbers”",
        printed=(
            Printed("scores", (0,), table([[2, 0, 1]]), 0),
            Printed("weights", (0,), table([[0.665, 0.090, 0.245]]), 3),
            Printed("context", (0,), table([[0.910, 0.335, 0.665, 0.090]]), 3),
        ),
    ),
    "journey_qkv": Example(
        title="Your journey starts with one step, with Q, K, V",
        settings=Settings(
            text="Your journey starts with one step",
            d_model=3,
            x=(
                (0.43, 0.15, 0.89),
                (0.55, 0.87, 0.66),
                (0.57, 0.85, 0.64),
                (0.22, 0.58, 0.33),
                (0.77, 0.25, 0.10),
                (0.05, 0.80, 0.55),
            ),
            qkv=True,
            d_k=2,
            # torch.rand(3, 2) three times after torch.manual_seed(123), as float32 prints it.
            w_q=((0.29611194, 0.5165623), (0.25167072, 0.6885568), (0.07397246, 0.86652195)),
            w_k=((0.13657987, 0.10247904), (0.18405646, 0.72644675), (0.3152539, 0.68710667)),
            w_v=((0.075635314, 0.19663817), (0.31641197, 0.40174013), (0.1185683, 0.8273954)),
            scale=Scale.SQRT_D_K,
        ),
        query=1,
        key=1,
        source="Raschka, “Build a Large Language Model (From Scratch)”, section 3.4",
        printed=(
            Printed("queries", (1,), table([[0.4306, 1.4551]]), 4),
            Printed("scores", (1,), table([[1.2705, 1.8524, 1.8111, 1.0795, 0.5577, 1.5440]]), 4),
            Printed("weights", (1,), table([[0.1500, 0.2264, 0.2199, 0.1311, 0.0906, 0.1820]]), 4),
            Printed(
                "context",
                (0, 1, 2, 3, 4, 5),
                (
                    (0.2996, 0.8053),
                    (0.3061, 0.8210),
                    (0.3058, 0.8203),
                    (0.2948, 0.7939),
                    (0.2927, 0.7891),
                    (0.2990, 0.8040),
                ),
                4,
            ),
        ),
    ),
}
