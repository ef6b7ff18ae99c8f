"""Letter bigrams of words, for ratings that prefer a different spelling."""

from collections.abc import Sequence

import numpy as np
import scipy


def letter_bigrams(words: Sequence[str]) -> "scipy.sparse.csr_array[np.float64]":
    """Return which letter bigrams each word contains, one row per word."""
    columns: dict[str, int] = {}
    rows, cols = [], []
    for row, word in enumerate(words):
        for bigram in {word[i : i + 2] for i in range(len(word) - 1)}:
            rows.append(row)
            cols.append(columns.setdefault(bigram, len(columns)))
    ones = np.ones(len(rows))
    shape = (len(words), max(1, len(columns)))
    return scipy.sparse.csr_array(
        scipy.sparse.coo_array((ones, (rows, cols)), shape=shape).tocsr()
    )
