"""Counts of words and word sequences of many texts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from publius.core.arrays import FloatArray, IdArray

_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)*")


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """The words of a batch of texts, each distinct form once.

    Args:
        forms: Distinct lower-case words in order of appearance.
        codes: For every word of every text the index of its form.
        owner: The text that each word belongs to.
        texts: Number of texts.
    """

    forms: list[str]
    codes: IdArray
    owner: IdArray
    texts: int


def spread(texts: Sequence[str]) -> Spread:
    """Find the words of texts."""
    pieces = [_WORD.findall(text.lower()) for text in texts]
    words = [word for piece in pieces for word in piece]
    index = {form: code for code, form in enumerate(dict.fromkeys(words))}
    codes = np.fromiter(map(index.__getitem__, words), np.int64, len(words))
    sizes = np.fromiter(map(len, pieces), np.int64, len(pieces))
    return Spread(
        list(index), codes, np.repeat(np.arange(len(pieces)), sizes), len(pieces)
    )


def tally(
    owner: IdArray, codes: IdArray, shape: tuple[int, int]
) -> "sp.csr_array[np.float64]":
    """Count codes per owner; a negative code is left out."""
    kept = codes >= 0
    cells = (np.ones(int(kept.sum())), (owner[kept], codes[kept]))
    return sp.csr_array(sp.coo_array(cells, shape=shape).tocsr())


@dataclass(frozen=True, slots=True, eq=False)
class WordCounter:
    """Count fixed words.

    Args:
        words: The features.
    """

    words: tuple[str, ...]
    _index: dict[str, int] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        self._index.update({word: place for place, word in enumerate(self.words)})

    @classmethod
    def learnt(cls, texts: Sequence[str], *, most: int) -> "WordCounter":
        """Choose the `most` frequent words of some texts."""
        seen = spread(texts)
        totals = np.bincount(seen.codes, minlength=len(seen.forms))
        order = np.argsort(-totals, kind="stable")[:most]
        return cls(tuple(seen.forms[place] for place in order))

    def counts(
        self, texts: Sequence[str]
    ) -> tuple["sp.csr_array[np.float64]", FloatArray]:
        """Return the counts of the features, and the number of words of each text."""
        seen = spread(texts)
        lookup = np.fromiter(
            (self._index.get(form, -1) for form in seen.forms),
            np.int64,
            len(seen.forms),
        )
        codes = lookup[seen.codes] if len(seen.codes) else seen.codes
        shape = (len(texts), max(1, len(self.words)))
        totals = np.bincount(seen.owner, minlength=len(texts)).astype(np.float64)
        return tally(seen.owner, codes, shape), totals
