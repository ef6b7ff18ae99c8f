"""Character n-grams of many texts at once, as sparse counts.

An n-gram of up to four characters is one 64-bit key, sixteen bits per character, so
counting is sorting and no Python runs per document. Characters beyond U+FFFF share the
keys of others, which is harmless for counting style.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from publius.core.arrays import at_least
from publius.core.errors import ParameterError

BLOCK_CHARACTERS = 1 << 21
_SPACES = np.array([ord(c) for c in " \t\n\r\x0b\x0c\x85\xa0\u2028\u2029"], np.uint32)

Keys = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class NgramCounter:
    """Count fixed n-grams.

    Args:
        n: Length, from 1 to 4.
        across_words: Whether n-grams run over white space. If not, an n-gram lies in
            one word and a shorter word counts as a whole (Koppel et al. 2011).
        keys: The features, sorted.
    """

    n: int
    across_words: bool
    keys: Keys

    @classmethod
    def learnt(
        cls, texts: Sequence[str], *, n: int, most: int, across_words: bool
    ) -> "NgramCounter":
        """Choose the `most` frequent n-grams of some texts."""
        if n not in range(1, 5):
            raise ParameterError(f"n must lie in [1, 4], got {n}")
        total_keys = np.zeros(0, dtype=np.uint64)
        totals = np.zeros(0, dtype=np.int64)
        for _, keys in _blocks(texts, n, across_words=across_words):
            distinct, counts = np.unique(keys, return_counts=True)
            total_keys, inverse = np.unique(
                np.concatenate([total_keys, distinct]), return_inverse=True
            )
            totals = np.bincount(
                inverse, weights=np.concatenate([totals, counts])
            ).astype(np.int64)
        # Stable, so that ties do not depend on the sorting algorithm.
        kept = np.argsort(-totals, kind="stable")[: at_least("most", most, 1)]
        return cls(n, across_words, np.sort(total_keys[kept]))

    def counts(self, texts: Sequence[str]) -> "sp.csr_array[np.float64]":
        """Return how often each feature occurs in each text."""
        parts = []
        for sizes, keys in _blocks(texts, self.n, across_words=self.across_words):
            rows = np.repeat(np.arange(len(sizes)), sizes)
            place = np.searchsorted(self.keys, keys)
            place[place == len(self.keys)] = 0
            known = self.keys[place] == keys if len(self.keys) else place < 0
            cells = (np.ones(int(known.sum())), (rows[known], place[known]))
            shape = (len(sizes), max(1, len(self.keys)))
            parts.append(sp.csr_array(sp.coo_array(cells, shape=shape).tocsr()))
        if not parts:
            return sp.csr_array((0, max(1, len(self.keys))))
        return sp.csr_array(sp.vstack(parts, format="csr"))


def _blocks(
    texts: Sequence[str], n: int, *, across_words: bool
) -> Iterator[tuple[NDArray[np.int64], Keys]]:
    """Yield for runs of texts the number of n-grams of each, and their keys."""
    start = 0
    while start < len(texts):
        stop, size = start, 0
        while stop < len(texts) and (stop == start or size < BLOCK_CHARACTERS):
            size += len(texts[stop]) + 1
            stop += 1
        yield _keys(texts[start:stop], n, across_words=across_words)
        start = stop


def _keys(
    texts: Sequence[str], n: int, *, across_words: bool
) -> tuple[NDArray[np.int64], Keys]:
    # A line break ends every text, so no n-gram without spaces runs into the next one.
    joined = "\n".join(texts) + "\n" * n
    code = np.frombuffer(joined.encode("utf-32-le", "replace"), dtype=np.uint32)
    lengths = np.fromiter((len(t) + 1 for t in texts), np.int64, len(texts))
    ends = np.cumsum(lengths)
    is_space = np.isin(code, _SPACES)
    count = int(ends[-1])
    # Whitespace is one character, 1, across words and ends an n-gram, 0, within them.
    letters = np.where(is_space, across_words, np.maximum(code & 0xFFFF, 2)).astype(
        np.uint64
    )
    key = np.zeros(count, dtype=np.uint64)
    is_open = np.ones(count, dtype=bool)
    short = np.zeros(count, dtype=np.uint64)
    for step in range(n):
        letter = letters[step : step + count]
        key = (key << np.uint64(16)) | letter
        is_open &= letter > 0
        short = (short << np.uint64(16)) | np.where(is_open, letter, 0)
    if across_words:
        owner = np.repeat(np.arange(len(texts)), lengths)
        # The separator is not part of a text: windows that reach it are left out.
        taken = np.arange(count) + n <= ends[owner] - 1
        return np.bincount(owner[taken], minlength=len(texts)), key[taken]
    starts = np.concatenate(([True], is_space[: count - 1])) & ~is_space[:count]
    taken = is_open | (starts & (short > 0))
    owner = np.repeat(np.arange(len(texts)), lengths)[taken]
    return np.bincount(owner, minlength=len(texts)), short[taken]
