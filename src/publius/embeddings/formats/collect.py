"""Gather words and vectors from a file that is read from its start to its end."""

import gzip
import math
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from publius.core.arrays import FloatArray, at_least
from publius.core.errors import DataError

Restriction: TypeAlias = int | Sequence[str] | None
Parts: TypeAlias = tuple[tuple[str, ...], FloatArray]

GZIP = b"\x1f\x8b"


@dataclass(slots=True)
class Collector:
    """Keep the words asked for; a word that comes again keeps its first vector.

    Args:
        file: Name of the file, for messages.
        vocabulary: How many words, which words, or None for all.
    """

    file: str
    vocabulary: Restriction
    words: dict[str, None] = field(default_factory=dict)
    blocks: list[NDArray[np.float32]] = field(default_factory=list)
    _wanted: frozenset[str] = frozenset()
    _limit: float = math.inf

    def __post_init__(self) -> None:
        if isinstance(self.vocabulary, int):
            self._limit = at_least("vocabulary", self.vocabulary, 1)
        elif self.vocabulary is not None:
            self._wanted = frozenset(self.vocabulary)
            self._limit = len(self._wanted)

    @property
    def complete(self) -> bool:
        """Say whether no further word can be asked for."""
        return len(self.words) >= self._limit

    def add(self, raw: Sequence[bytes], vectors: NDArray[np.float32], row: int) -> None:
        """Add the words of one block, whose first stands in row `row` of the file."""
        kept = [
            place
            for place, word in enumerate(self._decoded(raw, row))
            if self._new(word)
        ]
        block = vectors[kept] if len(kept) < len(raw) else vectors
        finite = np.isfinite(block).all(axis=1)
        if not finite.all():
            bad = row + kept[int(np.argmin(finite))]
            raise DataError(f"{self.file}: vectors must be finite; row {bad} is not")
        self.blocks.append(block)

    def parts(self) -> Parts:
        """Return all words and one matrix, freeing the blocks on the way."""
        if not self.words:
            raise DataError(f"{self.file} holds none of the words asked for")
        vectors = np.empty((len(self.words), self.blocks[0].shape[1]), dtype=np.float32)
        stop = len(vectors)
        while self.blocks:
            block = self.blocks.pop()
            vectors[stop - len(block) : stop] = block
            stop -= len(block)
        return tuple(self.words), vectors

    def _new(self, word: str) -> bool:
        if word in self.words or self.complete:
            return False
        if self._wanted and word not in self._wanted:
            return False
        self.words[word] = None
        return True

    def _decoded(self, raw: Sequence[bytes], row: int) -> Iterator[str]:
        for place, word in enumerate(raw):
            try:
                text = word.decode()
            except UnicodeDecodeError:
                raise DataError(
                    f"{self.file}: the word in row {row + place} is not UTF-8"
                ) from None
            if not text:
                raise DataError(f"{self.file}: the word in row {row + place} is empty")
            yield text


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file, unpacking gzip, and say in one line why it cannot be read."""
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == GZIP
            raw.seek(0)
            if packed:
                with gzip.open(raw) as stream:
                    yield stream  # type: ignore[misc]
            else:
                yield raw
    except EOFError:
        raise DataError(f"{path.name} is truncated") from None
    except zlib.error:
        raise DataError(f"{path.name} is damaged") from None
    except gzip.BadGzipFile:
        raise DataError(f"{path.name} is damaged") from None
    except OSError as failed:
        raise DataError(f"cannot read {path.name}: {failed.strerror}") from None
