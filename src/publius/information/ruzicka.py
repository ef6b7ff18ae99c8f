"""Distance of documents by their character n-grams: the author's metric."""

from collections import Counter
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from publius.core.arrays import FloatArray, at_least
from publius.core.errors import DataError


def ngram_counts(text: str, n: int = 4, *, spaces: bool = False) -> Counter[str]:
    """Count the character n-grams of a text.

    Without spaces, the paper's choice (Koppel et al. 2011), an n-gram lies inside one
    word and a word shorter than `n` counts as a whole.
    """
    at_least("n", n, 1)
    pieces = [text] if spaces else text.split()
    counts: Counter[str] = Counter()
    for piece in pieces:
        last = max(1, len(piece) - n + 1) if piece else 0
        counts.update(piece[start : start + n] for start in range(last))
    return counts


def ruzicka(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    """Return ``1 - sum(min) / sum(max)`` of two bags of counts.

    Two empty bags are equal. The paper's Definition 11 prints differences inside min
    and max; the metric is this.
    """
    if not all(value >= 0 for bag in (a, b) for value in bag.values()):
        raise DataError("counts must be numbers >= 0")
    keys = a.keys() | b.keys()
    upper = sum(max(a.get(key, 0), b.get(key, 0)) for key in keys)
    lower = sum(min(a.get(key, 0), b.get(key, 0)) for key in keys)
    return 1.0 - lower / upper if upper > 0 else 0.0


def ruzicka_matrix(counts: ArrayLike, others: ArrayLike) -> FloatArray:
    """Return the distances from each row of `counts` to each row of `others`."""
    rows, columns = _counts(counts), _counts(others)
    if rows.shape[1] != columns.shape[1]:
        raise DataError(
            f"both tables need the same features, got {rows.shape[1]} and "
            f"{columns.shape[1]}"
        )
    distance = np.zeros((len(rows), len(columns)))
    for place, row in enumerate(rows):
        upper = np.maximum(row, columns).sum(axis=1)
        lower = np.minimum(row, columns).sum(axis=1)
        share = np.divide(lower, upper, out=np.ones(len(columns)), where=upper > 0)
        distance[place] = 1.0 - share
    return distance


def _counts(values: ArrayLike) -> FloatArray:
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2:
        raise DataError(f"counts must be a table, got shape {table.shape}")
    good = (table >= 0) & np.isfinite(table)
    if not good.all():
        row, column = np.argwhere(~good)[0]
        raise DataError(
            f"counts must be finite numbers >= 0; row {row}, column {column} is not"
        )
    return table
