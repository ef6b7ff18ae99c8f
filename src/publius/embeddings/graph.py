"""The k-nearest-neighbour graph of an embedding: its edges count as one hop."""

from pathlib import Path

import numpy as np
import scipy

from publius.core.arrays import FloatArray, IdArray
from publius.core.errors import DataError, RefutedError
from publius.storage.archive import Expected, open_arrays, pack_arrays
from publius.storage.cache import changed_tables

ROUNDING = 1e-9
"""More than the rounding of a squared distance, for vectors of length 1."""


def symmetric(neighbours: IdArray) -> "scipy.sparse.csr_array[np.float32]":
    """Join two words when either is among the neighbours of the other.

    Args:
        neighbours: One row of neighbour ids per word, none of them its own; the rows
            may be empty, for a vocabulary of one word.
    """
    size, k = neighbours.shape
    source = np.repeat(np.arange(size, dtype=np.int64), k)
    target = neighbours.ravel().astype(np.int64)
    ones = np.ones(len(source), dtype=np.float32)
    directed = scipy.sparse.csr_array((ones, (source, target)), shape=(size, size))
    graph = scipy.sparse.csr_array(directed.maximum(directed.T))
    graph.sort_indices()
    return graph


def check_neighbours(vectors: FloatArray, neighbours: IdArray, ids: IdArray) -> None:
    """Raise RefutedError unless some words have the neighbours that the vectors say.

    Args:
        vectors: One row per word.
        neighbours: The closest other words of each word, closest first.
        ids: The words that are compared.
    """
    k = neighbours.shape[1]
    if not k:
        return
    table = vectors.astype(np.float64)
    table -= table.mean(axis=0)
    square = np.einsum("ij,ij->i", table, table)
    distance = square[ids, None] + square - 2 * (table[ids] @ table.T)
    here = np.arange(len(ids))
    distance[here, ids] = np.inf
    claimed = np.take_along_axis(distance, neighbours[ids], axis=1)
    nearest = np.sort(np.partition(distance, k - 1, axis=1)[:, :k], axis=1)
    distinct = (np.diff(np.sort(neighbours[ids], axis=1), axis=1) > 0).all()
    # Words at equal distance may be named in any order.
    if not (distinct and np.abs(claimed - nearest).max() <= ROUNDING * square.max()):
        raise RefutedError(
            "the stored neighbours of words are not those of the embedding; "
            f"{changed_tables()}"
        )


def pack(neighbours: IdArray, fingerprint: str) -> bytes:
    """Return a neighbour table as the bytes of an archive that records its source."""
    size = len(neighbours)
    kind = np.uint16 if size <= 1 << 16 else np.uint32
    return pack_arrays(
        {
            "neighbours": neighbours.astype(kind),
            "fingerprint": np.frombuffer(fingerprint.encode(), dtype=np.uint8),
        }
    )


def unpack(name: str, content: bytes, fingerprint: str, size: int) -> IdArray:
    """Return the neighbour table of the embedding with this fingerprint.

    Raises:
        DataError: The file is damaged or belongs to another embedding.
    """
    with open_arrays(Path(name), content) as members:
        table = np.asarray(members["neighbours"])
        source = members["fingerprint"].tobytes()
    if source != fingerprint.encode():
        raise DataError(f"the graph {name} belongs to another embedding")
    Expected("u", (size, None), 0, size - 1).check(name, table)
    ids = table.astype(np.int64)
    if (ids == np.arange(size)[:, None]).any():
        raise DataError(f"the graph {name} joins a word to itself")
    return ids
