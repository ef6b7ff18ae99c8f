"""Vectors in word2vec's binary layout: word, space, little-endian float32 numbers."""

from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np

from publius.core.errors import DataError
from publius.embeddings.formats.collect import Collector, Parts, Restriction, opened
from publius.embeddings.formats.text import header

CHUNK = 8 << 20
LONGEST_WORD = 4096


def read_word2vec_binary(path: Path, vocabulary: Restriction = None) -> Parts:
    """Read a word2vec binary file."""
    with opened(path) as stream:
        return read_stream(stream, path.name, vocabulary)


def read_stream(stream: IO[bytes], name: str, vocabulary: Restriction = None) -> Parts:
    """Read word2vec's binary layout from an open file."""
    count, dim = header(name, stream.readline(100))
    collector = Collector(name, vocabulary)
    row = 1
    for words, numbers in _records(stream, name, count, 4 * dim):
        vectors = np.frombuffer(numbers, dtype="<f4").reshape(len(words), dim)
        collector.add(words, vectors, row)
        row += len(words)
        if collector.complete:
            break
    return collector.parts()


def _records(
    stream: IO[bytes], name: str, count: int, width: int
) -> Iterator[tuple[list[bytes], bytes]]:
    """Yield runs of words with the bytes of their numbers."""
    buffer, left = b"", count
    while left:
        chunk = stream.read(CHUNK)
        buffer += chunk
        words: list[bytes] = []
        numbers: list[bytes] = []
        start = 0
        while len(words) < left:
            space = buffer.find(b" ", start, start + LONGEST_WORD)
            if space < 0 or space + 1 + width > len(buffer):
                break
            words.append(buffer[start:space].lstrip(b"\n"))
            numbers.append(buffer[space + 1 : space + 1 + width])
            start = space + 1 + width
        buffer = buffer[start:]
        left -= len(words)
        if words:
            yield words, b"".join(numbers)
        if left and not chunk:
            raise DataError(
                f"{name} is truncated: it states {count} words, {left} lack"
            )
        if left and not words and len(buffer) > LONGEST_WORD + width:
            raise DataError(
                f"{name}: row {count - left + 1} does not start with a word"
            )
