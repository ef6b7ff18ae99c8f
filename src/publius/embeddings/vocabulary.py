"""The public words that a mechanism may put out, in order of rank."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import repeat

import numpy as np

from publius.core.arrays import UNKNOWN, IdArray
from publius.core.errors import DataError
from publius.core.space import fingerprint


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """Distinct public words; the id of a word is its place.

    Args:
        words: At least one word; none empty, none twice, none with a line break.
    """

    words: tuple[str, ...]
    _index: dict[str, int] = field(default_factory=dict, init=False, repr=False)
    _mark: list[str] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        words = tuple(self.words)
        object.__setattr__(self, "words", words)
        if not words:
            raise DataError("a vocabulary needs at least one word, got none")
        distinct = set(words)
        if "" in distinct:
            raise DataError(f"word {words.index('')} of the vocabulary is empty")
        if len(distinct) < len(words):
            first, again = _repeated(words)
            raise DataError(
                f"words must be distinct; {words[again]!r} is at {first} and {again}"
            )
        if "\n".join(words).count("\n") >= len(words):
            where = next(i for i, word in enumerate(words) if "\n" in word)
            raise DataError(f"word {where} of the vocabulary holds a line break")

    def __repr__(self) -> str:
        return f"<Vocabulary: {self.size:,} words>"

    @property
    def size(self) -> int:
        """Number of words."""
        return len(self.words)

    @property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that identify the words and their order."""
        if not self._mark:
            self._mark.append(fingerprint(self.blob()))
        return self._mark[0]

    def blob(self) -> bytes:
        """Return the words in UTF-8, one per line."""
        try:
            return "\n".join(self.words).encode()
        except UnicodeEncodeError:
            where = next(i for i, word in enumerate(self.words) if not _encodable(word))
            raise DataError(f"word {where} of the vocabulary is not Unicode") from None

    def encode(self, words: Sequence[str]) -> IdArray:
        """Return the id of each word, or UNKNOWN."""
        if not self._index:
            self._index.update(zip(self.words, range(self.size), strict=True))
        ids = map(self._index.get, words, repeat(UNKNOWN))
        return np.fromiter(ids, dtype=np.int64, count=len(words))


def _repeated(words: tuple[str, ...]) -> tuple[int, int]:
    """Return the first place where a word stands again, after the place before."""
    seen: dict[str, int] = {}
    for place, word in enumerate(words):
        if word in seen:
            return seen[word], place
        seen[word] = place
    raise DataError("no word is repeated")


def _encodable(word: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in word)
