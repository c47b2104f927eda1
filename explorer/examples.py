"""Named experiments, each with the numbers its source prints.

Links name them, so their settings never change; a test holds them still.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from explorer.settings import Mask, Scale, Settings, Table, table

DEFAULT = "warm_mat"
OWN = "own"
"""What stands in the place of an example's name when the sentence is the reader's own."""


@dataclass(frozen=True, slots=True)
class Printed:
    """Numbers that a source prints for one step."""

    step: str  #            a step of the trace, or "exponentials" or their total
    rows: tuple[int, ...]  # which words' rows, from 0
    numbers: Table
    decimals: int
    holds: bool = True  #    False where the source is off by more than rounding; see its note


def _printed(step: str, rows: tuple[int, ...], digits: str, holds: bool = True) -> Printed:
    """As the source prints it, row by row; how many decimals there are can be seen."""
    numbers = [row.split() for row in digits.split(" / ")]
    decimals = len(numbers[0][0].partition(".")[2])
    return Printed(step, rows, table([map(float, row) for row in numbers]), decimals, holds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One named experiment: what to compute, where to look first, who published it."""

    title: str
    settings: Settings
    query: int = 0
    key: int = 0
    source: str = ""
    note: str = ""
    printed: tuple[Printed, ...] = ()
    beside: str = ""  # another example, with which it opens in the view Compare


_JOURNEY = Settings(
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
)
_RASCHKA = "Raschka, “Build a Large Language Model (From Scratch)”, section "
_POEM = Settings(
    text="Write a poem",
    d_model=2,
    x=((1.16, 0.23), (0.57, 1.36), (4.41, -2.16)),
    qkv=True,
    d_k=2,
    # torch.nn.Linear without bias after torch.manual_seed(42), transposed.
    w_q=((0.5406104, -0.16565566), (0.5869042, 0.6495563)),
    w_k=((-0.15492962, -0.3442585), (0.14268756, 0.41527155)),
    w_v=((0.62334496, 0.6146145), (-0.5187534, 0.13234161)),
    scale=Scale.SQRT_D_K,
)
_STATQUEST = "StatQuest, notebook on self-attention"

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
            _printed(
                "scores",
                (0, 1, 2, 3, 4, 5, 6),
                "0.7154 0.6682 0.8762 0.6010 0.6950 0.6115 0.6952"
                " / 0.6682 1.3581 1.2746 0.7640 0.6660 1.0855 1.3341"
                " / 0.8762 1.2746 1.4786 0.9650 0.8670 0.9315 1.2656"
                " / 0.6010 0.7640 0.9650 0.6478 0.5930 0.5399 0.7634"
                " / 0.6950 0.6660 0.8670 0.5930 0.6758 0.5999 0.6906"
                " / 0.6115 1.0855 0.9315 0.5399 0.5999 1.0374 1.0870"
                " / 0.6952 1.3341 1.2656 0.7634 0.6906 1.0870 1.3155",
            ),
            _printed("exponentials", (1,), "1.9507 3.8888 3.5773 2.1468 1.9464 2.9609 3.7966"),
            _printed("exponentials_total", (1,), "20.2676"),
            _printed("weights", (1,), "0.0962 0.1919 0.1765 0.1059 0.0960 0.1461 0.1873"),
            _printed("context", (1,), "0.4964 0.6149 0.5813"),
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
            _printed("scores", (0,), "2 0 1"),
            _printed("weights", (0,), "0.665 0.090 0.245"),
            _printed("context", (0,), "0.910 0.335 0.665 0.090"),
        ),
    ),
    "journey_qkv": Example(
        title="Your journey: with Q, K, V",
        settings=replace(
            _JOURNEY,
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
        source=_RASCHKA + "3.4",
        printed=(
            _printed("queries", (1,), "0.4306 1.4551"),
            _printed("scores", (1,), "1.2705 1.8524 1.8111 1.0795 0.5577 1.5440"),
            _printed("weights", (1,), "0.1500 0.2264 0.2199 0.1311 0.0906 0.1820"),
            _printed(
                "context",
                (0, 1, 2, 3, 4, 5),
                "0.2996 0.8053"
                " / 0.3061 0.8210"
                " / 0.3058 0.8203"
                " / 0.2948 0.7939"
                " / 0.2927 0.7891"
                " / 0.2990 0.8040",
            ),
        ),
    ),
    "journey": Example(
        title="Your journey: plain",
        settings=_JOURNEY,
        query=1,
        key=2,
        source=_RASCHKA + "3.3",
        printed=(
            _printed("scores", (1,), "0.9544 1.4950 1.4754 0.8434 0.7070 1.0865"),
            _printed(
                "weights",
                (0, 1, 2, 4),
                "0.2098 0.2006 0.1981 0.1242 0.1220 0.1452"
                " / 0.1385 0.2379 0.2333 0.1240 0.1082 0.1581"
                " / 0.1390 0.2369 0.2326 0.1242 0.1108 0.1565"
                " / 0.1526 0.1958 0.1975 0.1367 0.1879 0.1295",
            ),
            _printed(
                "context",
                (0, 1, 2, 3, 4, 5),
                "0.4421 0.5931 0.5790"
                " / 0.4419 0.6515 0.5683"
                " / 0.4431 0.6496 0.5671"
                " / 0.4304 0.6298 0.5510"
                " / 0.4671 0.5910 0.5266"
                " / 0.4177 0.6503 0.5645",
            ),
        ),
    ),
    "journey_causal": Example(
        title="Your journey: with Q, K, V, causal",
        settings=replace(
            _JOURNEY,
            qkv=True,
            d_k=2,
            # torch.nn.Linear without bias after torch.manual_seed(789), transposed.
            w_q=((0.31605908, -0.1682854), (0.45680857, -0.33787704), (0.51183486, -0.09177387)),
            w_k=((0.40580583, 0.21336074), (-0.47042054, -0.26005065), (0.2368052, -0.510543)),
            w_v=((0.25256988, 0.5191074), (-0.14147827, -0.08516758), (-0.19618134, -0.20432705)),
            scale=Scale.SQRT_D_K,
            mask=(Mask.CAUSAL,),
        ),
        query=1,
        key=0,
        source=_RASCHKA + "3.5",
        printed=(
            _printed(
                "weights",
                (0, 1, 2, 3, 4, 5),
                "1.0000 0.0000 0.0000 0.0000 0.0000 0.0000"
                " / 0.5517 0.4483 0.0000 0.0000 0.0000 0.0000"
                " / 0.3800 0.3097 0.3103 0.0000 0.0000 0.0000"
                " / 0.2758 0.2460 0.2462 0.2319 0.0000 0.0000"
                " / 0.2175 0.1983 0.1984 0.1888 0.1971 0.0000"
                " / 0.1935 0.1663 0.1666 0.1542 0.1666 0.1529",
            ),
        ),
    ),
    "karim": Example(
        title="Three inputs with whole numbers",
        settings=Settings(
            text="input1 input2 input3",
            d_model=4,
            x=table([[1, 0, 1, 0], [0, 2, 0, 2], [1, 1, 1, 1]]),
            qkv=True,
            d_k=3,
            w_q=table([[1, 0, 1], [1, 0, 0], [0, 0, 1], [0, 1, 1]]),
            w_k=table([[0, 0, 1], [1, 1, 0], [0, 1, 0], [1, 1, 0]]),
            w_v=table([[0, 2, 0], [0, 3, 0], [1, 0, 3], [1, 1, 0]]),
        ),
        key=1,
        source="Karim, “Illustrated: Self-Attention”",
        note="Not scaled. The source goes on with rounded weights (0, 0.5 and 0.5 in the first "
        "row), so its context vectors are off by up to 0.32; those here are exact.",
        printed=(
            _printed("queries", (0, 1, 2), "1 0 2 / 2 2 2 / 2 1 3"),
            _printed("keys", (0, 1, 2), "0 1 1 / 4 4 0 / 2 3 1"),
            _printed("values", (0, 1, 2), "1 2 3 / 2 8 0 / 2 6 3"),
            _printed("scores", (0, 1, 2), "2 4 4 / 4 16 12 / 4 12 10"),
            _printed("context", (0, 1, 2), "2.0 7.0 1.5 / 2.0 8.0 0.0 / 2.0 7.8 0.3", holds=False),
        ),
    ),
    "four_words": Example(
        title="Four words with whole numbers",
        settings=Settings(
            text="word1 word2 word3 word4",
            d_model=3,
            x=table([[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1]]),
            qkv=True,
            # numpy.random.randint(3, size=(3, 3)) three times after numpy.random.seed(42).
            w_q=table([[2, 0, 2], [2, 0, 0], [2, 1, 2]]),
            w_k=table([[2, 2, 2], [0, 2, 1], [0, 1, 1]]),
            w_v=table([[1, 1, 0], [0, 1, 1], [0, 0, 0]]),
            scale=Scale.SQRT_D_K,
        ),
        key=2,
        source="Machine Learning Mastery, “The Attention Mechanism from Scratch”",
        printed=(
            _printed(
                "context",
                (0, 1, 2, 3),
                "0.98522025 1.74174051 0.75652026"
                " / 0.90965265 1.40965265 0.50000000"
                " / 0.99851226 1.75849334 0.75998108"
                " / 0.99560386 1.90407309 0.90846923",
            ),
        ),
    ),
    "poem": Example(
        title="Write a poem",
        settings=_POEM,
        key=1,
        source=_STATQUEST,
        printed=(
            _printed(
                "weights",
                (0, 1, 2),
                "0.3573 0.4011 0.2416 / 0.3410 0.6047 0.0542 / 0.0722 0.0320 0.8959",
            ),
            _printed("context", (0, 1, 2), "1.0100 1.0641 / 0.2040 0.7057 / 3.4989 2.2427"),
        ),
    ),
    "poem_causal": Example(
        title="Write a poem, causal",
        settings=replace(_POEM, mask=(Mask.CAUSAL,)),
        query=1,
        key=0,
        source=_STATQUEST,
        printed=(_printed("context", (0, 1, 2), "0.6038 0.7434 / -0.0062 0.6072 / 3.4989 2.2427"),),
    ),
    "two_banks": Example(
        title="bank: river or money",
        settings=Settings(
            text="They took money to the bank",
            d_model=3,
            x=table([[0, 0, 2], [0, 1, 1], [0, 3, 0], [0, 0, 1], [0, 0, 1], [1, 1, 0]]),
        ),
        query=5,
        key=2,
        note="Hand-made vectors: the first number is for water, the second for money, the third "
        "for neither. “bank” has one of both.",
        beside="river_bank",
    ),
    "river_bank": Example(
        title="bank: by the river",
        settings=Settings(
            text="They fished from the river bank",
            d_model=3,
            x=table([[0, 0, 2], [2, 0, 1], [0, 0, 1], [0, 0, 1], [3, 0, 0], [1, 1, 0]]),
        ),
        query=5,
        key=4,
        note="Hand-made vectors: the first number is for water, the second for money, the third "
        "for neither.",
    ),
    "dog_man": Example(
        title="dog bites man",
        settings=Settings(text="dog bites man", d_model=4),
        key=2,
        note="Try “man bites dog”: without positions every word keeps its numbers.",
    ),
    "repetition": Example(
        title="A rose is a rose is a rose",
        settings=Settings(text="A rose is a rose is a rose", d_model=4),
        query=1,
        key=4,
        note="A word that comes again has the same vector, so it gets the same row and the same "
        "column.",
    ),
    "long_sentence": Example(
        title="A long sentence",
        settings=Settings(
            text="When the rain had stopped at last, the children who had waited all morning by "
            "the window ran out into the garden, and the old dog, who had slept through the "
            "thunder, got up and followed them slowly to the gate.",
            d_model=16,
            scale=Scale.SQRT_D_K,
        ),
        query=9,
        key=16,
    ),
    "arabic": Example(
        title="Arabic: القطة تجلس على السجادة",
        settings=Settings(text="القطة تجلس على السجادة", d_model=4),
        key=3,
    ),
    "hindi": Example(
        title="Hindi: बिल्ली चटाई पर बैठी है",
        settings=Settings(text="बिल्ली चटाई पर बैठी है", d_model=4),
        key=1,
    ),
    "chinese": Example(
        title="Chinese: 猫坐在垫子上",
        settings=Settings(text="猫坐在垫子上", d_model=4),
        key=3,
        note="One character, one token.",
    ),
    "emoji": Example(
        title="Emoji: 👩‍🚀 ❤️ 🌍 and 🏳️‍🌈",
        settings=Settings(text="👩‍🚀 ❤️ 🌍 and 🏳️‍🌈", d_model=4),
        key=2,
        note="What looks like one sign is one token, however many code points it has.",
    ),
}
