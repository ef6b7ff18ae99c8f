"""Vectors as lines of text: word2vec and fastText with a header, GloVe without."""

from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from publius.core.errors import DataError
from publius.embeddings.formats.collect import Collector, Parts, Restriction, opened

CHUNK = 8 << 20
LONGEST_LINE = 64 << 20


def read_headed(path: Path, vocabulary: Restriction = None) -> Parts:
    """Read word2vec text or fastText ``.vec``: a line ``words dim``, then the words."""
    with opened(path) as stream:
        count, dim = header(path.name, stream.readline(100))
        collector = Collector(path.name, vocabulary)
        read = _read(stream, collector, dim, first_line=2)
        if not collector.complete and read != count:
            raise DataError(f"{path.name} states {count} words and holds {read}")
    return collector.parts()


def read_glove(path: Path, vocabulary: Restriction = None) -> Parts:
    """Read GloVe text: the words from the first line on, dim as in that line."""
    with opened(path) as stream:
        first = stream.readline(LONGEST_LINE)
        dim = len(first.split()) - 1
        if dim < 1:
            raise DataError(f"{path.name}: line 1 must be a word and its numbers")
        collector = Collector(path.name, vocabulary)
        words, vectors = _parse([first.rstrip(b" \r\n")], dim, path.name, 1)
        collector.add(words, vectors, 1)
        _read(stream, collector, dim, first_line=2)
    return collector.parts()


def header(name: str, line: bytes) -> tuple[int, int]:
    """Return the two numbers of a header line."""
    fields = line.split()
    if len(fields) == 2 and all(field.isdigit() for field in fields):
        count, dim = int(fields[0]), int(fields[1])
        if count >= 1 and 1 <= dim <= 1 << 20:
            return count, dim
    raise DataError(f"{name}: line 1 must state the number of words and the dimension")


def _read(stream: IO[bytes], collector: Collector, dim: int, first_line: int) -> int:
    """Add lines to the collector until it is complete; return how many were seen."""
    line = first_line
    for lines in _lines(stream, collector.file):
        if collector.complete:
            break
        words, vectors = _parse(lines, dim, collector.file, line)
        collector.add(words, vectors, line)
        line += len(lines)
    return line - first_line


def _lines(stream: IO[bytes], name: str) -> Iterator[list[bytes]]:
    """Yield runs of whole lines without their ends; empty lines at the end are none."""
    rest = b""
    while chunk := stream.read(CHUNK):
        whole, newline, tail = chunk.rpartition(b"\n")
        if newline:
            yield [line.rstrip(b" \r") for line in (rest + whole).split(b"\n")]
            rest = tail
        else:
            rest += chunk
        if len(rest) > LONGEST_LINE:
            raise DataError(f"{name} has a line of more than {LONGEST_LINE} bytes")
    if rest.strip():
        yield [rest.rstrip(b" \r")]


def _parse(
    lines: list[bytes], dim: int, name: str, first: int
) -> tuple[list[bytes], NDArray[np.float32]]:
    """Split words from numbers and read all numbers at once."""
    words, numbers = [], []
    for place, line in enumerate(lines):
        word, _, rest = line.partition(b" ")
        if rest.count(b" ") != dim - 1:
            word, rest = _odd_line(line, dim, f"{name}: line {first + place}")
        words.append(word)
        numbers.append(rest)
    flat = _numbers(b" ".join(numbers))
    if len(flat) != len(lines) * dim:
        place = next(i for i, rest in enumerate(numbers) if len(_numbers(rest)) != dim)
        raise DataError(
            f"{name}: line {first + place} holds something that is not a number"
        )
    return words, flat.reshape(len(lines), dim)


def _odd_line(line: bytes, dim: int, where: str) -> tuple[bytes, bytes]:
    """Split a line with a space in its word, or more than one space between numbers."""
    fields = line.split()
    if len(fields) < dim + 1:
        raise DataError(
            f"{where} has {max(0, len(fields) - 1)} numbers instead of {dim}"
        )
    numbers = b" ".join(fields[-dim:])
    if any(len(_numbers(field)) for field in fields[1:-dim]):
        raise DataError(f"{where} has more than {dim} numbers")
    return b" ".join(fields[:-dim]), numbers


def _numbers(text: bytes) -> NDArray[np.float32]:
    """Return all numbers, or none when something else is among them."""
    try:
        return np.fromstring(text, dtype=np.float32, sep=" ")
    except ValueError:
        return np.empty(0, dtype=np.float32)
