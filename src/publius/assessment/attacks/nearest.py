"""Same-representation attacks: the nearest known document among word vectors."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from publius.assessment.attacks.attack import Guesses, Known
from publius.assessment.attacks.koppel import author_sums
from publius.core.arrays import FloatArray, Rng, at_least
from publius.core.metric import Euclidean
from publius.embeddings.documents import Bag, bags, heaviest, mean_vectors, moving_cost
from publius.embeddings.embedding import Embedding
from publius.numerics.parallel import map_blocks
from publius.numerics.transport import require_transport


@dataclass(frozen=True, slots=True, eq=False)
class NearestMean:
    """Name the author of the known document with the nearest mean vector.

    Args:
        embedding: Of the same representation as the mechanism's.
    """

    name: ClassVar[str] = "nearest"
    knowledge: ClassVar[str] = "Known documents, and the public word vectors."

    embedding: Embedding

    def train(self, known: Known, rng: Rng) -> "TrainedNearestMean":  # noqa: ARG002
        """Place the known documents."""
        means = mean_vectors(bags(known.texts, self.embedding), self.embedding.vectors)
        return TrainedNearestMean(self, means, known)


@dataclass(frozen=True, slots=True, eq=False)
class TrainedNearestMean:
    """Known documents as points."""

    settings: NearestMean
    means: FloatArray
    known: Known

    @property
    def name(self) -> str:
        """Name in the table of attacks."""
        return self.settings.name

    def guess(self, released: Sequence[str], rng: Rng) -> Guesses:  # noqa: ARG002
        """Rank the candidates by their nearest document."""
        embedding = self.settings.embedding
        points = mean_vectors(bags(released, embedding), embedding.vectors)
        distance = Euclidean().pairwise(points, self.means)
        order = np.argsort(self.known.authors, kind="stable")
        starts = np.searchsorted(
            self.known.authors[order], np.arange(self.known.candidates)
        )
        nearest = np.minimum.reduceat(distance[:, order], starts, axis=1)
        return Guesses.all_answered(-nearest)


@dataclass(frozen=True, slots=True, eq=False)
class NearestBag:
    """Name the author whose words are nearest in Earth Mover's distance.

    The distance between means is a lower bound of it, so candidates are visited in that
    order, and only the `most` nearest by means are compared exactly (Kusner et al.
    2015, prefetch and prune); the others rank behind them.

    Args:
        embedding: Of the same representation as the mechanism's.
        most: Candidates that are compared exactly for each document.
        words: Most frequent words of a document or profile that are compared.
    """

    name: ClassVar[str] = "nearest_emd"
    knowledge: ClassVar[str] = "Known documents, and the public word vectors."

    embedding: Embedding
    most: int = 10
    words: int = 400

    def __post_init__(self) -> None:
        at_least("most", self.most, 1)
        at_least("words", self.words, 1)

    def train(self, known: Known, rng: Rng) -> "TrainedNearestBag":  # noqa: ARG002
        """Form one bag per author."""
        require_transport()
        profiles = author_sums(bags(known.texts, self.embedding), known)
        means = mean_vectors(profiles, self.embedding.vectors)
        return TrainedNearestBag(self, profiles, means)


@dataclass(frozen=True, slots=True, eq=False)
class TrainedNearestBag:
    """One bag of words per candidate."""

    settings: NearestBag
    profiles: "sp.csr_array[np.float64]"
    means: FloatArray

    @property
    def name(self) -> str:
        """Name in the table of attacks."""
        return self.settings.name

    def guess(self, released: Sequence[str], rng: Rng) -> Guesses:  # noqa: ARG002
        """Rank the candidates by the cost of moving words."""
        embedding = self.settings.embedding
        texts = bags(released, embedding)
        bound = Euclidean().pairwise(mean_vectors(texts, embedding.vectors), self.means)
        most = min(self.settings.most, bound.shape[1])
        near = np.argpartition(bound, most - 1, axis=1)[:, :most]
        # Candidates that are not compared keep their order behind all that are.
        ranking = -(bound + bound.max(initial=0.0) + 1e3)

        def costs(row: int) -> FloatArray:
            here = heaviest(texts, row, self.settings.words)
            return np.array([self._cost(here, int(j)) for j in near[row]])

        for row, row_costs in enumerate(map_blocks(costs, range(len(released)))):
            ranking[row, near[row]] = -row_costs
        return Guesses.all_answered(ranking)

    def _cost(self, here: Bag, author: int) -> float:
        there = heaviest(self.profiles, author, self.settings.words)
        vectors = self.settings.embedding.vectors
        return moving_cost(here, there, vectors)
