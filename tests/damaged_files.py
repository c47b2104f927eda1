"""Good files with bytes flipped and cut: opened or refused in a sentence, never anything else."""

import random

import numpy as np
from making_files import npy_of, npz_of

from explorer.export import FORMAT
from explorer.files.opening import opened

GOOD = {
    "a.npy": npy_of(np.arange(6.0).reshape(3, 2)),
    "a.npz": npz_of(x=np.eye(2), tokens=["a", "b"], mask=np.eye(2)),
    "b.npz": npz_of(attention=np.full((2, 2, 2), 0.5, np.float16)),
    "a.csv": "word,1,2\n[CLS],.1,.2\n北京,1,2\n".encode(),
    "a.vec": b"2 2\nthe .1 .2 \ncat 1 2 \n",
    "a.json": f'{{"format": "{FORMAT}", "state": {{"text": "a b", "qkv": "1"}}}}'.encode(),
    "b.json": b'{"tokens": ["a", "b"], "x": [[1, 2], [3, 4]]}',
    "a.safetensors": (66).to_bytes(8, "little")
    + b'{"x": {"dtype": "BF16", "shape": [1, 2], "data_offsets": [0, 4]}} '
    + b"\0\0\0\0",
    "a.py": b"# https://example.org/?text=a+b&edits=1eJx\nimport numpy\n",
}


def damaged(rng, data):
    """The same with a few bytes changed, left out or put in."""
    found = bytearray(data)
    if rng.random() < 0.5:  # flipped only: more of the file stays readable
        found[rng.randrange(len(found))] ^= 1 << rng.randrange(8)
        return bytes(found)
    for _ in range(rng.randint(1, 3)):
        place = rng.randrange(len(found) or 1)
        found[place : place + rng.choice([0, 1, 1, 1, 9])] = rng.randbytes(rng.choice([0, 1, 1, 4]))
    return bytes(found[: rng.choice([len(found)] * 3 + [rng.randrange(len(found) + 1)])])


def search(count, seed=0):
    """Open this many damaged files; returns how many were opened and how many refused."""
    rng, counts = random.Random(seed), [0, 0]
    for _ in range(count):
        name = rng.choice(list(GOOD))
        data = damaged(rng, GOOD[name])
        try:
            opened(name, data)
            counts[0] += 1
        except ValueError as problem:
            assert str(problem).endswith("."), (name, data, problem)  # noqa: PT017
            counts[1] += 1
    return counts
