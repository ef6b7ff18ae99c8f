"""Documents as bags of word vectors, and the cost of moving one into another."""

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from publius.core.arrays import FloatArray, IdArray
from publius.core.metric import Euclidean
from publius.embeddings.embedding import Embedding
from publius.language.counts import spread, tally
from publius.language.stop_words import STOP_WORDS
from publius.numerics.transport import least_cost

Bag = tuple[IdArray, FloatArray]
"""Distinct word ids and their masses."""


def bags(texts: Sequence[str], embedding: Embedding) -> "sp.csr_array[np.float64]":
    """Return how often each vocabulary word other than a stop word occurs."""
    seen = spread(texts)
    ids = embedding.vocabulary.encode(seen.forms)
    stops = np.fromiter((form in STOP_WORDS for form in seen.forms), bool, len(ids))
    ids[stops] = -1
    codes = ids[seen.codes] if len(seen.codes) else seen.codes
    return tally(seen.owner, codes, (len(texts), embedding.size))


def mean_vectors(counts: "sp.csr_array[np.float64]", vectors: FloatArray) -> FloatArray:
    """Return the mean vector of each bag; zero for an empty one."""
    total = np.maximum(np.asarray(counts.sum(axis=1)).ravel(), 1)
    return np.asarray(counts @ vectors.astype(np.float64)) / total[:, None]


def heaviest(counts: "sp.csr_array[np.float64]", row: int, most: int) -> Bag:
    """Return ids and masses of the most frequent words of a bag."""
    start, stop = counts.indptr[row], counts.indptr[row + 1]
    ids = counts.indices[start:stop].astype(np.int64)
    mass = counts.data[start:stop]
    if len(ids) > most:
        kept = np.argsort(-mass, kind="stable")[:most]
        ids, mass = ids[kept], mass[kept]
    return ids, mass


def moving_cost(here: Bag, there: Bag, vectors: FloatArray) -> float:
    """Return the Earth Mover's distance of two weighted bags; inf if one is empty."""
    if not len(here[0]) or not len(there[0]):
        return float("inf")
    cost = Euclidean().pairwise(vectors[here[0]], vectors[there[0]])
    masses = here[1] / here[1].sum(), there[1] / there[1].sum()
    return least_cost(*masses, cost)
