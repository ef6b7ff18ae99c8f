"""A convolutional network over words, trained from nothing (Kim 2014; needs torch)."""

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - the field's name
from torch import Tensor, nn

from publius.assessment.attacks.attack import Guesses, Known
from publius.core.arrays import IdArray, Rng

BUCKETS = 1 << 15
"""Words share so many vectors by their hash; 0 is filling."""

LONGEST = 512
_PIECE = re.compile(r"\w+|[^\w\s]")


class _Network(nn.Module):
    """Vectors of words, windows of one to three, the largest and mean of each."""

    def __init__(self, classes: int, width: int = 64, filters: int = 96) -> None:
        super().__init__()
        self.words = nn.Embedding(BUCKETS, width, padding_idx=0)
        self.windows = nn.ModuleList(
            nn.Conv1d(width, filters, size, padding=size // 2) for size in (1, 2, 3)
        )
        self.out = nn.Linear(2 * 3 * filters + 1, classes)

    def forward(self, ids: Tensor) -> Tensor:
        vectors = self.words(ids).transpose(1, 2)
        # Nothing is found in the filling, so that it does not matter how much there is.
        is_word = (ids != 0).unsqueeze(1)
        activations = [
            F.relu(window(vectors))[:, :, : ids.shape[1]] * is_word
            for window in self.windows
        ]
        length = is_word.sum(dim=2).clamp(min=1)
        # The largest tells that a word occurs, the mean tells how often.
        parts = [part.amax(dim=2) for part in activations]
        parts += [part.sum(dim=2) / length for part in activations]
        logits: Tensor = self.out(torch.cat([*parts, length.log()], dim=1))
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
            self.network(_filled(rows[i : i + 256]).to(device)).cpu()
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
            for chosen in _batches([len(row) for row in rows], self.batch, rng):
                filled = _filled([rows[i] for i in chosen.tolist()])
                logits = network(filled.to(self.device))
                truth = torch.from_numpy(authors[chosen]).to(self.device)
                adam.zero_grad(set_to_none=True)
                torch.autograd.backward(F.cross_entropy(logits, truth))
                adam.step()
        return ConvolutionAttack(self.name, network.eval())


def _rows(texts: Sequence[str]) -> list[list[int]]:
    """Return the hashed words of each text."""
    return [
        [
            1 + zlib.crc32(word.encode()) % (BUCKETS - 1)
            for word in _PIECE.findall(text.lower())[:LONGEST]
        ]
        for text in texts
    ]


def _filled(rows: Sequence[list[int]]) -> Tensor:
    """Return rows of one length, filled up with 0."""
    longest = max((len(row) for row in rows), default=0)
    filled = np.zeros((len(rows), max(longest, 3)), dtype=np.int64)
    for target, row in zip(filled, rows, strict=True):
        target[: len(row)] = row
    return torch.from_numpy(filled)


def _batches(lengths: Sequence[int], size: int, rng: Rng) -> Iterator[IdArray]:
    """Return random batches; four at a time are sorted, to need little filling."""
    order = rng.permutation(len(lengths))
    drawn = np.asarray(lengths)[order]
    for block in range(0, len(order), 4 * size):
        part = np.argsort(drawn[block : block + 4 * size], kind="stable") + block
        starts = rng.permutation(np.arange(0, len(part), size))
        yield from (order[part[start : start + size]] for start in starts.tolist())
