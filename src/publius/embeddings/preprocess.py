"""What is done to published vectors before words are compared by them."""

import re

import numpy as np

from publius.core.arrays import FloatArray, at_least
from publius.core.errors import DataError

WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")


def is_word(token: str) -> bool:
    """Say whether a token is a lower-case word of two letters or more.

    Words are letters with apostrophes inside; numbers, punctuation, hyphens and
    abbreviations with dots are not.
    """
    return (
        len(token) >= 2 and WORD.fullmatch(token) is not None and token.lower() == token
    )


def unit(vectors: FloatArray) -> FloatArray:
    """Return the vectors in float64 at length 1."""
    rows = np.asarray(vectors, dtype=np.float64)
    length = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    usable = np.isfinite(length) & (length > 0)
    if not usable.all():
        row = int(np.argmin(usable))
        raise DataError(f"vectors must be finite and not zero; row {row} is not")
    return np.asarray(rows / length[:, None])


def all_but_the_top(vectors: FloatArray, components: int) -> FloatArray:
    """Return unit vectors without their mean and strongest principal components.

    These directions carry word frequency rather than meaning (Mu and Viswanath, 2018).
    """
    at_least("components", components, 0)
    rows = unit(vectors)
    if components >= rows.shape[1]:
        raise DataError(f"cannot remove {components} of {rows.shape[1]} components")
    rows -= rows.mean(axis=0)
    _, axes = np.linalg.eigh(rows.T @ rows)
    strongest = axes[:, axes.shape[1] - components :]
    return unit(rows - (rows @ strongest) @ strongest.T)
