"""Koppel, Schler & Argamon 2011: votes of random feature subsets."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from publius.assessment.attacks.attack import Guesses, Known
from publius.assessment.attacks.ngrams import NgramCounter
from publius.core.arrays import FloatArray, IdArray, Rng, at_least
from publius.core.errors import ParameterError
from publius.numerics.parallel import map_blocks

DENSE_CELLS = 100_000_000
"""Profiles up to this size are multiplied as a dense matrix, which is faster."""


@dataclass(frozen=True, slots=True)
class Koppel:
    """Vote for the author whose profile is nearest under random sets of features.

    Each author has one profile, the counts of space-free character n-grams in all known
    texts. A released text is compared by cosine with every profile, `repeats` times,
    each time on another random share of the features; an author's score is the share of
    rounds that it wins.

    Args:
        n: Length of the n-grams.
        features: Number of most frequent n-grams that are used.
        repeats: Number of rounds.
        share: Share of the features in a round.
        threshold: Answer "don't know" unless the best score exceeds this.
    """

    name: ClassVar[str] = "koppel"
    knowledge: ClassVar[str] = "Known documents of every candidate."

    n: int = 4
    features: int = 20_000
    repeats: int = 100
    share: float = 0.4
    threshold: float = 0.0

    def __post_init__(self) -> None:
        at_least("repeats", self.repeats, 1)
        for name in ("share", "threshold"):
            if not 0 <= getattr(self, name) <= 1:
                raise ParameterError(f"{name} must lie in [0, 1]")

    def train(self, known: Known, rng: Rng) -> "TrainedKoppel":  # noqa: ARG002
        """Count the n-grams of each author."""
        counter = NgramCounter.learnt(
            known.texts, n=self.n, most=self.features, across_words=False
        )
        profiles = author_sums(counter.counts(known.texts), known)
        # Raw counts: the frequent n-grams carry the style and the cosine scales.
        return TrainedKoppel(self, counter, profiles)


@dataclass(frozen=True, slots=True, eq=False)
class TrainedKoppel:
    """Profiles of all candidates."""

    settings: Koppel
    counter: NgramCounter
    profiles: "sp.csr_array[np.float64]"

    @property
    def name(self) -> str:
        """Name in the table of attacks."""
        return self.settings.name

    def guess(self, released: Sequence[str], rng: Rng) -> Guesses:
        """Vote on each released text."""
        texts = self.counter.counts(released)
        size = texts.shape[1]
        width = max(1, round(self.settings.share * size))
        subsets = [
            np.sort(rng.choice(size, width, replace=False, shuffle=False))
            for _ in range(self.settings.repeats)
        ]
        # Slicing columns is cheap in the column format; single precision is enough to
        # find the nearest profile and twice as fast.
        columns = sp.csc_array(texts, dtype=np.float32)
        profiles = _by_feature(self.profiles)
        lengths = _lengths(self.profiles, subsets)
        candidates = self.profiles.shape[0]

        def wins(turn: int) -> IdArray:
            subset = subsets[turn]
            dots = sp.csr_array(columns[:, subset]) @ profiles[subset]
            table = dots.toarray() if sp.issparse(dots) else dots
            # The length of the released text is the same for all candidates.
            return np.asarray((table / lengths[turn]).argmax(axis=1))

        rows = np.arange(len(released))
        votes = np.zeros((len(released), candidates))
        for winner in map_blocks(wins, range(len(subsets))):
            votes[rows, winner] += 1
        votes /= len(subsets)
        return Guesses(votes, votes.max(axis=1) > self.settings.threshold)


def author_sums(
    counts: "sp.csr_array[np.float64]", known: Known
) -> "sp.csr_array[np.float64]":
    """Add up the rows of each author."""
    ones = np.ones(len(known.authors))
    cells = (ones, (known.authors, np.arange(len(known.authors))))
    shape = (known.candidates, len(known.authors))
    return sp.csr_array(sp.csr_array(cells, shape=shape) @ counts)


def _by_feature(
    profiles: "sp.csr_array[np.float64]",
) -> "NDArray[np.float32] | sp.csr_array[np.float32]":
    """Return one row per feature, dense where that fits."""
    if profiles.shape[0] * profiles.shape[1] > DENSE_CELLS:
        return sp.csr_array(profiles.T.astype(np.float32))
    dense = np.zeros(profiles.shape[::-1], dtype=np.float32)
    cells = profiles.tocoo()
    dense[cells.col, cells.row] = cells.data
    return dense


def _lengths(
    profiles: "sp.csr_array[np.float64]", subsets: Sequence[IdArray]
) -> FloatArray:
    """Return the length of every profile on every subset of the features."""
    chosen = np.zeros((len(subsets), profiles.shape[1]))
    for turn, subset in enumerate(subsets):
        chosen[turn, subset] = 1
    squares = np.asarray((profiles.multiply(profiles) @ chosen.T).T)
    return np.maximum(np.sqrt(squares), 1e-12).astype(np.float32)
