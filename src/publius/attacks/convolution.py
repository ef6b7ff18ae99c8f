"""A convolutional network over words, trained from nothing (Kim 2014; needs torch)."""

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - the field's name
from torch import Tensor, nn

from publius.attacks.attack import Guesses, Known
from publius.core.arrays import IdArray, Rng

BUCKETS = 1 << 15
"""Words share so many vectors by their hash; 0 is filling."""

LONGEST = 512
_PIECE = re.compile(r"\w+|[^\w\s]")


class _Network(nn.Module):
    """Vectors of words, windows of one to three of them, and the largest of each."""

    def __init__(self, classes: int, width: int = 64, filters: int = 96) -> None:
        super().__init__()
        self.words = nn.Embedding(BUCKETS, width, padding_idx=0)
        self.windows = nn.ModuleList(
            nn.Conv1d(width, filters, size, padding=size // 2) for size in (1, 2, 3)
        )
        self.out = nn.Linear(2 * 3 * filters, classes)

    def forward(self, ids: Tensor) -> Tensor:
        vectors = self.words(ids).transpose(1, 2)
        found = [F.relu(window(vectors)) for window in self.windows]
        # The largest tells that a word occurs, the mean tells how often.
        parts = [part.amax(dim=2) for part in found] + [p.mean(dim=2) for p in found]
        logits: Tensor = self.out(torch.cat(parts, dim=1))
        return logits


@dataclass(frozen=True, slots=True, eq=False)
class ConvolutionAttack:
    """The trained network."""

    name: str
    network: nn.Module

    @torch.inference_mode()
    def guess(self, released: Sequence[str], rng: Rng) -> Guesses:  # noqa: ARG002
        """Rank the candidates by the network's logits."""
        rows, device = _rows(released), next(self.network.parameters()).device
        blocks = [
            self.network(torch.from_numpy(rows[i : i + 256]).to(device)).cpu()
            for i in range(0, len(rows), 256)
        ]
        return Guesses.all_answered(torch.cat(blocks).double().numpy())


@dataclass(frozen=True, slots=True)
class Convolution:
    """Learn authors with a small convolutional network.

    Args:
        epochs: Passes over the known documents.
        batch: Documents of one step.
        rate: Of Adam.
        device: ``cpu``, or ``cuda`` where there is one.
    """

    name: ClassVar[str] = "convolution"
    knowledge: ClassVar[str] = "Known documents alone."

    epochs: int = 8
    batch: int = 64
    rate: float = 2e-3
    device: str = "cuda" if torch.cuda.is_available() else "cpu"

    def train(self, known: Known, rng: Rng) -> ConvolutionAttack:
        """Train with weights and order drawn from `rng`."""
        rows, authors = _rows(known.texts), known.authors
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(rng.integers(2**31)))
            network = _Network(known.candidates).to(self.device)
        adam = torch.optim.Adam(network.parameters(), lr=self.rate, weight_decay=1e-5)
        for _ in range(self.epochs):
            order = rng.permutation(len(rows))
            for start in range(0, len(order), self.batch):
                chosen = order[start : start + self.batch]
                logits = network(torch.from_numpy(rows[chosen]).to(self.device))
                truth = torch.from_numpy(authors[chosen]).to(self.device)
                adam.zero_grad(set_to_none=True)
                torch.autograd.backward(F.cross_entropy(logits, truth))
                adam.step()
        return ConvolutionAttack(self.name, network.eval())


def _rows(texts: Sequence[str]) -> IdArray:
    """Return the hashed words of each text, filled up with 0."""
    found = [_PIECE.findall(text.lower())[:LONGEST] for text in texts]
    longest = max((len(words) for words in found), default=0)
    rows = np.zeros((len(texts), max(longest, 3)), dtype=np.int64)
    for row, words in zip(rows, found, strict=True):
        row[: len(words)] = [1 + zlib.crc32(w.encode()) % (BUCKETS - 1) for w in words]
    return rows
