"""A vocabulary with one vector per word, and the distances between words."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from publius.core import arrays
from publius.core.arrays import FloatArray, IdArray, at_least
from publius.core.errors import DataError, ParameterError
from publius.core.html import html_table
from publius.core.metric import Euclidean, Metric, point_metric
from publius.core.rng import unforeseen
from publius.core.space import HopSpace, PathSpace, PointSpace, Space, fingerprint
from publius.embeddings.derived import WORTH_KEEPING, neighbour_table
from publius.embeddings.graph import check_neighbours, symmetric
from publius.embeddings.nearest import Nearest, Searcher, searcher
from publius.embeddings.space_spec import DEFAULT_SPACE, HOP, SpaceSpec, parse_space
from publius.embeddings.vocabulary import Vocabulary

COMPARED = 32
"""The neighbours of so many words are compared when a table of them is opened."""

SHOWN = 8
"""So many words a notebook shows of an embedding."""

Restriction: TypeAlias = int | Sequence[str] | None


@dataclass(frozen=True, slots=True)
class Language:
    """What a stored embedding says of its language besides words and vectors.

    Args:
        stop_words: Public list of words that pass; None for the English one.
        like: The bytes of its like space; empty if it has none.
    """

    stop_words: frozenset[str] | None = field(default=None, repr=False)
    like: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Embedding:
    """Words, one vector per word, and their distance.

    Args:
        vocabulary: The words by rank.
        vectors: ``(words, dim)``, finite, float32 or float64.
        metric: Distance between vectors that `nearest` minimises.
        name: How the embedding is called in reports.
        language: Stop words and like space that were stored with it.

    The fingerprint is that of vectors and words, computed from them, whatever a file
    says about itself.
    """

    vocabulary: Vocabulary
    vectors: FloatArray
    metric: Metric = field(default_factory=Euclidean)
    name: str = ""
    language: Language = field(default_factory=Language, repr=False)
    fingerprint: str = field(default="", init=False)
    _search: list[Searcher] = field(default_factory=list, init=False, repr=False)
    _spaces: dict[str, Space] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        shape = self.vectors.shape
        if len(shape) != 2 or shape[1] < 1 or self.vectors.dtype.kind != "f":
            raise DataError(f"vectors must be a matrix of numbers, got {shape}")
        if shape[0] != self.vocabulary.size:
            raise DataError(
                f"{self.vocabulary.size} words need as many vectors, got {shape[0]}"
            )
        finite = np.isfinite(self.vectors).all(axis=1)
        if not finite.all():
            row = int(np.argmin(finite))
            raise DataError(f"vectors must be finite; row {row} is not")
        mark = fingerprint(self.vectors, self.vocabulary.blob())
        object.__setattr__(self, "fingerprint", mark)

    @property
    def size(self) -> int:
        """Number of words."""
        return self.vocabulary.size

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return int(self.vectors.shape[1])

    def __repr__(self) -> str:
        kind = f"{self.size:,} words, {self.dim} dimensions, {self.metric.id}"
        return f"<Embedding {self.name or self.fingerprint}: {kind}>"

    def _repr_html_(self) -> str:
        first = ((i, word) for i, word in enumerate(self.vocabulary.words[:SHOWN]))
        return html_table(repr(self)[1:-1], ("rank", "word"), first)

    def nearest(self, points: FloatArray) -> IdArray:
        """Return the id of the closest word to each row; ties go to the lowest id."""
        rows = arrays.points(points, self.dim)
        if not self._search:
            self._search.append(searcher(self.metric, self.vectors))
        return self._search[0](rows)

    def neighbours(self, k: int) -> IdArray:
        """Return the `k` closest other words of every word in Euclidean distance.

        Closest first; ties go to the lowest id.
        """
        if not at_least("k", k, 1) < self.size:
            raise ParameterError(f"k must be below the {self.size} words, got {k}")
        return self.neighbour_table(k)

    def neighbour_table(self, k: int) -> IdArray:
        """Return the `k` closest other words of every word, or all if there are fewer.

        A stored table is compared with the vectors for a few words.
        """
        compute = self.search_neighbours
        table = neighbour_table(self.fingerprint, self.size, k, compute)
        if self.size >= WORTH_KEEPING:
            check_neighbours(self.vectors, table, unforeseen(self.size, COMPARED))
        return table

    def restricted(self, vocabulary: Restriction) -> "Embedding":
        """Return the first words by rank, or the given words, in the same order.

        Args:
            vocabulary: How many words, which words, or None for all. Words that the
                embedding does not have are left out.
        """
        if vocabulary is None:
            return self
        ids = self._kept(vocabulary)
        if len(ids) == self.size:
            return self
        words = tuple(self.vocabulary.words[i] for i in ids)
        # A prefix of a memory-mapped table stays in its file.
        prefix = isinstance(vocabulary, int)
        vectors = self.vectors[: len(ids)] if prefix else self.vectors[ids]
        # A like space is one of all words.
        language = Language(self.language.stop_words)
        return Embedding(Vocabulary(words), vectors, self.metric, self.name, language)

    def space(self, spec: str = DEFAULT_SPACE) -> Space:
        """Return the words as points of a metric space.

        Args:
            spec: ``euclidean``, ``manhattan``, ``angular`` or ``discrete`` with
                ``:cap=C``, or ``hop:k=K:cap=C``; ``hop:cap=inf`` has no cap.
        """
        parsed = parse_space(spec)
        made = self._spaces.get(spec)
        if made is None:
            made = SPACES.get(parsed.name, _point_space)(self, parsed)
            if parsed.name == HOP:
                # A slider asks for the same graph again and again. It was compared
                # with the vectors and lies in memory, where no file changes it.
                self._spaces.clear()
                self._spaces[spec] = made
        return made

    def _kept(self, vocabulary: int | Sequence[str]) -> IdArray:
        if isinstance(vocabulary, str):
            raise ParameterError("vocabulary must be a number or a list of words")
        if isinstance(vocabulary, int):
            at_least("vocabulary", vocabulary, 1)
            return np.arange(min(vocabulary, self.size), dtype=np.int64)
        ids = np.unique(self.vocabulary.encode(vocabulary))
        ids = ids[ids >= 0]
        if not len(ids):
            raise DataError(
                f"none of the {len(vocabulary)} words asked for is in the embedding"
            )
        return ids

    def search_neighbours(self, k: int) -> IdArray:
        """Compute the `k` closest other words of every word; none for k = 0."""
        if k < 1:
            return np.zeros((self.size, 0), dtype=np.int64)
        return Nearest(self.vectors).neighbours(k)


def _hop_space(embedding: Embedding, spec: SpaceSpec) -> Space:
    graph = symmetric(embedding.neighbour_table(spec.k))
    if math.isinf(spec.cap):
        return PathSpace(graph, spec.k, embedding.fingerprint)
    return HopSpace(graph, int(spec.cap), spec.k, embedding.fingerprint)


def _discrete_space(embedding: Embedding, spec: SpaceSpec) -> Space:
    # Two words are distinct secrets even when they share a vector.
    places = np.arange(embedding.size, dtype=np.float64)[:, None]
    metric = point_metric(spec.name, spec.cap)
    return PointSpace(places, metric, embedding.fingerprint)


def _point_space(embedding: Embedding, spec: SpaceSpec) -> Space:
    metric = point_metric(spec.name, spec.cap)
    return PointSpace(embedding.vectors, metric, embedding.fingerprint)


SPACES: dict[str, Callable[[Embedding, SpaceSpec], Space]] = {
    "discrete": _discrete_space,
    HOP: _hop_space,
}
"""How to build a space; a name that is not here is a metric on the vectors."""
