"""Perplexity under an interpolated trigram model of given texts.

The model learns from originals on the training side only, so the perplexity of held-out
originals is the honest reference for that of released texts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from publius.core.arrays import FloatArray, IdArray
from publius.core.errors import DataError
from publius.language.counts import spread

WEIGHTS = (0.5, 0.3, 0.15, 0.05)
"""Of trigrams, bigrams, words, and any word alike (Jelinek & Mercer 1980)."""


@dataclass(frozen=True, slots=True, eq=False)
class Trigrams:
    """Counts of words and of sequences of two and three words.

    Args:
        index: Number of each word, from 1; 0 stands for every other word.
        keys: Sorted keys of the sequences of one, two and three words.
        counts: How often each occurs.
    """

    index: dict[str, int] = field(repr=False)
    keys: tuple[IdArray, ...]
    counts: tuple[IdArray, ...]

    @classmethod
    def learnt(cls, texts: Sequence[str]) -> "Trigrams":
        """Count the sequences of some texts."""
        seen = spread(texts)
        if not len(seen.codes):
            raise DataError("a language model needs texts with words")
        index = {form: place for place, form in enumerate(seen.forms, start=1)}
        model = cls(index, (), ())
        codes, owner = seen.codes + 1, seen.owner
        sequences = [
            np.unique(model.sequences(codes, owner, n)[0], return_counts=True)
            for n in (1, 2, 3)
        ]
        return cls(
            index, tuple(k for k, _ in sequences), tuple(c for _, c in sequences)
        )

    @property
    def base(self) -> int:
        """Number of words with the one that stands for all others."""
        return len(self.index) + 1

    def sequences(
        self, codes: IdArray, owner: IdArray, n: int
    ) -> tuple[IdArray, IdArray]:
        """Return the keys of the `n` words that end at each place, and the places."""
        ends = np.arange(n - 1, len(codes))
        if n > 1:
            ends = ends[owner[ends] == owner[ends - n + 1]]
        keys = np.zeros(len(ends), dtype=np.int64)
        for step in range(n):
            keys = keys * self.base + codes[ends - n + 1 + step]
        return keys, ends

    def log_probability(self, texts: Sequence[str]) -> tuple[FloatArray, IdArray]:
        """Return the log-probability of every word and the text it belongs to."""
        seen = spread(texts)
        lookup = np.array([self.index.get(f, 0) for f in seen.forms], dtype=np.int64)
        codes = lookup[seen.codes] if len(seen.codes) else seen.codes
        total = float(self.counts[0].sum())
        chance = np.full(len(codes), WEIGHTS[3] / self.base)
        chance += WEIGHTS[2] * self._count(codes, 1) / total
        for n, weight in ((2, WEIGHTS[1]), (3, WEIGHTS[0])):
            keys, ends = self.sequences(codes, seen.owner, n)
            context = self._count(keys // self.base, n - 1)
            share = self._count(keys, n) / np.maximum(context, 1)
            chance[ends] += weight * share
        return np.log(chance), seen.owner

    def _count(self, keys: IdArray, n: int) -> FloatArray:
        known, counts = self.keys[n - 1], self.counts[n - 1]
        place = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        if not len(known):
            return np.zeros(len(keys))
        return np.where(known[place] == keys, counts[place], 0).astype(np.float64)


def surprise(model: Trigrams, texts: Sequence[str]) -> FloatArray:
    """Return the mean negative log-probability per word of each text; NaN for no word.

    The exponential of a mean of these is a perplexity.
    """
    log_probability, owner = model.log_probability(texts)
    words = np.bincount(owner, minlength=len(texts))
    total = np.bincount(owner, weights=log_probability, minlength=len(texts))
    return np.where(words > 0, -total / np.maximum(words, 1), np.nan)
