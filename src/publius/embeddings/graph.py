"""The k-nearest-neighbour graph of an embedding: its edges count as one hop."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from publius.core.arrays import IdArray
from publius.core.errors import DataError

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The date of every archive member, so that equal tables give equal bytes."""


def symmetric(neighbours: IdArray) -> "sp.csr_array[np.float32]":
    """Join two words when either is among the neighbours of the other.

    Args:
        neighbours: One row of neighbour ids per word, none of them its own; the rows
            may be empty, for a vocabulary of one word.
    """
    size, k = neighbours.shape
    source = np.repeat(np.arange(size, dtype=np.int64), k)
    target = neighbours.ravel().astype(np.int64)
    ones = np.ones(len(source), dtype=np.float32)
    directed = sp.csr_array((ones, (source, target)), shape=(size, size))
    graph = sp.csr_array(directed.maximum(directed.T))
    graph.sort_indices()
    return graph


def pack(neighbours: IdArray, fingerprint: str) -> bytes:
    """Return a neighbour table as the bytes of an archive that records its source."""
    size = len(neighbours)
    kind = np.uint16 if size <= 1 << 16 else np.uint32
    return archive(
        {
            "neighbours": neighbours.astype(kind),
            "fingerprint": np.frombuffer(fingerprint.encode(), dtype=np.uint8),
        }
    )


def unpack(path: Path, fingerprint: str, size: int) -> IdArray:
    """Return the neighbour table of the embedding with this fingerprint.

    Raises:
        DataError: The file is damaged or belongs to another embedding.
    """
    try:
        with np.load(path, allow_pickle=False) as members:
            table = np.asarray(members["neighbours"])
            source = bytes(members["fingerprint"])
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as broken:
        raise DataError(f"cannot read the graph {path.name}: {broken}") from None
    if source != fingerprint.encode():
        raise DataError(f"the graph {path.name} belongs to another embedding")
    if table.ndim != 2 or len(table) != size or table.dtype.kind != "u":
        raise DataError(f"the graph {path.name} has the wrong shape, {table.shape}")
    ids = table.astype(np.int64)
    if not ((ids < size) & (ids != np.arange(size)[:, None])).all():
        raise DataError(f"the graph {path.name} names words that do not exist")
    return ids


def archive(members: Mapping[str, "NDArray[np.generic]"]) -> bytes:
    """Return an uncompressed ``.npz`` whose bytes depend on its arrays only."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as out:
        for name, array in members.items():
            raw = io.BytesIO()
            np.lib.format.write_array(raw, array, allow_pickle=False)
            out.writestr(zipfile.ZipInfo(f"{name}.npy", EPOCH), raw.getvalue())
    return packed.getvalue()
