"""How near a released text stays to its original."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from publius.core.arrays import BoolArray, FloatArray, IdArray
from publius.embeddings.documents import bags, heaviest, mean_vectors, moving_cost
from publius.embeddings.embedding import Embedding
from publius.numerics.parallel import map_blocks

Encode = Callable[[Sequence[str]], FloatArray]
MOST_WORDS = 100


@dataclass(frozen=True, slots=True, eq=False)
class Closeness:
    """One number per document; those that cannot be compared are left out.

    Args:
        values: Of the documents that could be compared.
        skipped: How many could not, because a side has no known word.
    """

    values: FloatArray
    skipped: int


def mean_cosine(
    originals: Sequence[str], released: Sequence[str], embedding: Embedding
) -> Closeness:
    """Return the cosine of the mean word vectors of each pair."""
    before = _unit(mean_vectors(bags(originals, embedding), embedding.vectors))
    after = _unit(mean_vectors(bags(released, embedding), embedding.vectors))
    usable = (np.abs(before).sum(axis=1) > 0) & (np.abs(after).sum(axis=1) > 0)
    return Closeness(np.einsum("ij,ij->i", before, after)[usable], int((~usable).sum()))


def movers_distance(
    originals: Sequence[str], released: Sequence[str], embedding: Embedding
) -> Closeness:
    """Return the Word Mover's distance of each pair (Kusner et al. 2015)."""
    before, after = bags(originals, embedding), bags(released, embedding)

    def cost(row: int) -> float:
        return moving_cost(
            heaviest(before, row, MOST_WORDS),
            heaviest(after, row, MOST_WORDS),
            embedding.vectors,
        )

    distances = np.array(list(map_blocks(cost, range(len(originals)))))
    usable: BoolArray = np.isfinite(distances)
    return Closeness(distances[usable], int((~usable).sum()))


def retrieval_ranks(vectors: FloatArray, queries: FloatArray) -> IdArray:
    """Return the rank, from 1, of each row's own vector when its query is searched.

    Ties count against the search: equal vectors are not told apart.
    """
    base, asked = _unit(vectors), _unit(queries)
    ranks = np.empty(len(asked), dtype=np.int64)
    for start in range(0, len(asked), 1024):
        rows = slice(start, start + 1024)
        score = asked[rows] @ base.T
        own = score[np.arange(len(score)), np.arange(start, start + len(score))]
        # Rounding must not put a copy of the own vector before it.
        ranks[rows] = (score >= own[:, None] - 1e-9).sum(axis=1)
    return ranks


def _unit(rows: FloatArray) -> FloatArray:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
