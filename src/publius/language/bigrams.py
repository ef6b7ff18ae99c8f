"""Letter bigrams of words, for ratings that prefer a different spelling."""

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp


def letter_bigrams(words: Sequence[str]) -> "sp.csr_array[np.float64]":
    """Return which letter bigrams each word contains, one row per word."""
    columns: dict[str, int] = {}
    rows, cols = [], []
    for row, word in enumerate(words):
        for bigram in {word[i : i + 2] for i in range(len(word) - 1)}:
            rows.append(row)
            cols.append(columns.setdefault(bigram, len(columns)))
    ones = np.ones(len(rows))
    shape = (len(words), max(1, len(columns)))
    return sp.csr_array(sp.coo_array((ones, (rows, cols)), shape=shape).tocsr())
