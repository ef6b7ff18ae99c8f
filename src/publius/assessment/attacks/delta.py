"""Burrows's Delta in its cosine form (Evert et al. 2017)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from publius.assessment.attacks.attack import Guesses, Known
from publius.assessment.attacks.koppel import author_sums
from publius.core.arrays import FloatArray, Rng
from publius.language.counts import WordCounter


@dataclass(frozen=True, slots=True)
class Delta:
    """Compare z-scores of the most frequent words with the mean of each author.

    Args:
        words: Number of most frequent words, function words above all.
    """

    name: ClassVar[str] = "delta"
    knowledge: ClassVar[str] = "Known documents of every candidate."

    words: int = 500

    def train(self, known: Known, rng: Rng) -> "TrainedDelta":  # noqa: ARG002
        """Standardise relative frequencies over the known documents."""
        counter = WordCounter.learnt(known.texts, most=self.words)
        shares = _shares(counter, known.texts)
        mean, spread = shares.mean(axis=0), shares.std(axis=0)
        spread = np.where(spread > 0, spread, 1.0)
        size = np.bincount(known.authors, minlength=known.candidates)
        sums = author_sums(sp.csr_array((shares - mean) / spread), known).toarray()
        return TrainedDelta(counter, mean, spread, _unit(sums / size[:, None]))


@dataclass(frozen=True, slots=True, eq=False)
class TrainedDelta:
    """The scale of each word and the direction of each author."""

    counter: WordCounter
    mean: FloatArray
    spread: FloatArray
    profiles: FloatArray

    @property
    def name(self) -> str:
        """Name in the table of attacks."""
        return Delta.name

    def guess(self, released: Sequence[str], rng: Rng) -> Guesses:  # noqa: ARG002
        """Rank the candidates by the cosine of their z-scores."""
        scores = (_shares(self.counter, released) - self.mean) / self.spread
        return Guesses.all_answered(_unit(scores) @ self.profiles.T)


def _shares(counter: WordCounter, texts: Sequence[str]) -> FloatArray:
    counts, totals = counter.counts(texts)
    return np.asarray(counts.toarray()) / np.maximum(totals, 1)[:, None]


def _unit(rows: FloatArray) -> FloatArray:
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(length > 0, length, 1.0)
