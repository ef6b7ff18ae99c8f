"""The embedding inside the package: int8 unit vectors, the same on every machine."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from publius.embeddings.derived import SHIPPED
from publius.embeddings.embedding import Embedding
from publius.embeddings.vocabulary import Vocabulary
from publius.storage.archive import open_arrays
from publius.storage.shipped import shipped_bytes


def shipped_path(name: str) -> Path:
    """Return the file of an embedding in the package."""
    return SHIPPED / f"{name}.npz"


def read_shipped(name: str) -> Embedding:
    """Return an embedding of the package."""
    path = shipped_path(name)
    with open_arrays(path, shipped_bytes(path)) as members:
        levels = np.asarray(members["levels"])
        words = members["words_utf8"].tobytes().decode().split("\n")
    return Embedding(Vocabulary(tuple(words)), dequantise(levels), name=name)


def dequantise(levels: NDArray[np.int8]) -> NDArray[np.float32]:
    """Return the unit float32 vectors of quantised rows.

    The scale of a row is lost in making it unit length, so it is not stored. Sums of
    squares of whole numbers are exact and roots and quotients correctly rounded: the
    vectors, and with them the fingerprint, have the same bits on every machine.
    """
    wide = levels.astype(np.float64)
    length = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    wide /= length[:, None]
    return wide.astype(np.float32)
