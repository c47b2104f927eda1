"""What positions buy: a small attention classifier that has to say which of two words came first.

One layer of one head; the word vectors, W_Q, W_K, W_V and a last line of weights are learned, the
positions are the sinusoidal ones. The sentences are made up: the two words at two places, any other
words of the vocabulary between them. Train and test sentences differ.

Without positions a sentence and the same with its two words exchanged are one and the same to the
model, so it cannot beat a coin. With positions it can.

Needs torch; nothing imports this module before it is shown.

Shapes: N sentences; T words; C features.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from explorer.attention import Array
from explorer.positions import sinusoidal

Words = NDArray[np.int64]

N_TRAIN, N_TEST = 4000, 2000
N_FEATURES = 16
N_VOCABULARY = 20
STEPS, BATCH, EVERY = 200, 256, 5
RATE = 0.02
N_WORDS = range(6, 13)
"""How long sentences may be: with fewer words there are too few different ones."""
FIRST, SECOND = 0, 1
"""The numbers of the two words in the vocabulary; the others are fillers."""


@dataclass(frozen=True, eq=False, slots=True)
class Sentences:
    """Made-up sentences, (N, T) numbers of words, and whether the first word comes first, (N,)."""

    words: Words
    first: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a training is. Accuracies are shares of sentences that are answered rightly."""

    step: int
    loss: float
    test: float  # on sentences that were never trained on


def sentences(seed: int, n_words: int) -> tuple[Sentences, Sentences]:
    """Make train and test sentences of n_words words; none stands in both, or twice."""
    draw = np.random.default_rng(seed)
    n = N_TRAIN + N_TEST
    words = draw.integers(2, N_VOCABULARY, size=(3 * n, n_words))
    places = draw.permuted(np.tile(np.arange(n_words), (3 * n, 1)), axis=1)[:, :2]
    every = np.arange(3 * n)
    words[every, places[:, 0]], words[every, places[:, 1]] = FIRST, SECOND
    _, once = np.unique(words, axis=0, return_index=True)
    once = np.sort(once)[:n]  # in the order in which they were drawn
    made = Sentences(words[once], places[once, 0] < places[once, 1])
    cut = len(once) * N_TRAIN // n
    return (
        Sentences(made.words[:cut], made.first[:cut]),
        Sentences(made.words[cut:], made.first[cut:]),
    )


class Classifier(nn.Module):
    """Attention, and one number from the first word's context: above 0, it comes first."""

    def __init__(self, with_positions: bool, n_words: int):
        super().__init__()
        self.embedding = nn.Embedding(N_VOCABULARY, N_FEATURES)
        self.w_q, self.w_k, self.w_v = (
            nn.Linear(N_FEATURES, N_FEATURES, bias=False) for _ in range(3)
        )
        # Small, so that at the beginning words do not drown the positions.
        nn.init.normal_(self.embedding.weight, std=0.3)
        self.last = nn.Linear(N_FEATURES, 1)
        waves = sinusoidal(n_words, N_FEATURES) * with_positions
        self.register_buffer("waves", torch.tensor(waves, dtype=torch.float32))

    def weights(self, words: Tensor) -> tuple[Tensor, Tensor]:
        """The attention weights, (N, T, T), and the values, (N, T, C)."""
        x = self.embedding(words) + self.waves
        scores = self.w_q(x) @ self.w_k(x).transpose(-2, -1) / N_FEATURES**0.5
        return torch.softmax(scores, dim=-1), self.w_v(x)

    def forward(self, words: Tensor) -> Tensor:
        """(N, T) numbers of words to (N,) numbers, above 0 where the first word comes first."""
        weights, values = self.weights(words)
        place = (words == FIRST).long().argmax(dim=-1)
        context = (weights @ values)[torch.arange(len(words)), place]
        return self.last(context).squeeze(-1)


class Training:
    """One training that can be watched and stopped: each step of `run` leaves it usable."""

    def __init__(self, with_positions: bool, seed: int, n_words: int):
        self.train, self.test = sentences(seed, n_words)
        # A generator of its own: the page's other users must not find theirs moved.
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.model = Classifier(with_positions, n_words)
        self._draw = np.random.default_rng(seed)

    def run(self, steps: int = STEPS) -> Iterator[Progress]:
        """Train, and every few steps say how it stands."""
        best = torch.optim.Adam(self.model.parameters(), lr=RATE)
        words, first = _tensors(self.train)
        measure = nn.BCEWithLogitsLoss()
        for done in range(0, steps, EVERY):
            step = min(done + EVERY, steps)
            with _one_thread():
                for _ in range(done, step):
                    batch = torch.tensor(self._draw.integers(len(words), size=BATCH))
                    loss = measure(self.model(words[batch]), first[batch])
                    best.zero_grad()
                    loss.backward()
                    best.step()
                accuracy = self.accuracy(self.test)
            yield Progress(step, loss.item(), accuracy)

    def accuracy(self, given: Sentences) -> float:
        """The share of sentences that are answered rightly."""
        words, first = _tensors(given)
        with torch.no_grad():
            right = (self.model(words) > 0) == (first > 0)
        return right.float().mean().item()

    def look(self, words: list[int]) -> tuple[Array, float]:
        """What one sentence looks like to the model.

        The weights, (T, T), and how sure it is that the first word comes first, from 0 to 1.
        """
        given = torch.tensor([words])
        with torch.no_grad():
            weights, _ = self.model.weights(given)
            return weights[0].numpy().astype(float), torch.sigmoid(self.model(given)).item()

    def matrices(self) -> dict[str, Array]:
        """The learned W_Q, W_K and W_V as they stand in the formulas: (C, C), x W."""
        named = (("W_Q", self.model.w_q), ("W_K", self.model.w_k), ("W_V", self.model.w_v))
        return {name: w.weight.detach().numpy().T.astype(float) for name, w in named}


def numbered(words: Sequence[str], first: int, second: int) -> list[int]:
    """A reader's sentence in numbers: the two words at these places, and fillers for the others."""
    others = [word for place, word in enumerate(words) if place not in (first, second)]
    filler = {word: 2 + n % (N_VOCABULARY - 2) for n, word in enumerate(dict.fromkeys(others))}
    return [
        FIRST if place == first else SECOND if place == second else filler[word]
        for place, word in enumerate(words)
    ]


@contextmanager
def _one_thread() -> Iterator[None]:
    """Use one core: so small a model takes many times as long where two wait for each other."""
    usual = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(usual)


def _tensors(given: Sentences) -> tuple[Tensor, Tensor]:
    return torch.tensor(given.words), torch.tensor(given.first, dtype=torch.float32)
