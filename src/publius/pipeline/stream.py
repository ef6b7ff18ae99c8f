"""The noise of some rows, derived from the key of a run and from the rows themselves.

As in synthetic-IV encryption, the stream is a pseudorandom function of what it is used
for: BLAKE2b under the run key of settings, column names, place and protected cells. The
same rows draw the same noise however often an engine tries them, so that all attempts
are one draw; other rows draw independent noise, wherever they are cut. For every input
the output has exactly the law of the mechanism, over the key. Equal rows of one shard
stand at different places of its stream and draw independently.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa

from publius.core.arrays import Rng
from publius.core.rng import RunKey
from publius.tables.arrow import lengths, present, without_nulls

_KIND = "rows"


def context_of(settings: Mapping[str, object], protected: Sequence[str]) -> bytes:
    """Return a digest of settings and names of protected columns."""
    said = json.dumps([settings, list(protected)], sort_keys=True, allow_nan=False)
    return hashlib.blake2b(said.encode(), digest_size=32).digest()


def stream_of(
    key: RunKey, context: bytes, start: int, cells: Sequence[pa.Array]
) -> Rng:
    """Return the stream of some rows.

    Args:
        key: Secret of the run.
        context: Digest of settings and column names, of fixed length.
        start: How many rows of the table come before them.
        cells: Their protected columns.
    """
    return key.stream_of(_KIND, _pieces(context, start, cells))


def _pieces(
    context: bytes, start: int, cells: Sequence[pa.Array]
) -> Iterator[bytes | memoryview]:
    """Yield bytes from which all of it could be read back: no two inputs share them."""
    rows = len(cells[0]) if cells else 0
    yield context
    yield np.array([start, len(cells), rows], dtype="<i8").tobytes()
    for column in cells:
        kind = str(column.type).encode()
        yield len(kind).to_bytes(8, "little") + kind
        yield from canonical(column)


def canonical(column: pa.Array) -> Iterator[bytes | memoryview]:
    """Yield the length of each cell, -1 for null, then the bytes of all cells."""
    kind, has_lengths = column.type, _has_lengths(column.type)
    is_there = present(column)
    if pa.types.is_null(kind) or not len(column):
        yield np.full(len(column), -1, dtype="<i8").tobytes()
        return
    if pa.types.is_boolean(kind):
        column = column.cast(pa.uint8())
    if has_lengths:
        # What lies under a null is nobody's value.
        plain = without_nulls(column.cast(pa.large_binary()))
        widths = lengths(plain)
        ends = np.frombuffer(plain.buffers()[1], dtype=np.int64)
        first, last = ends[plain.offset], ends[plain.offset + len(plain)]
        values: bytes | memoryview = memoryview(plain.buffers()[2] or b"")[first:last]
    else:
        widths, values = _fixed(column, is_there)
    yield np.where(is_there, widths, -1).astype("<i8").tobytes()
    yield values


def _has_lengths(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
    )


def _fixed(column: pa.Array, is_there: np.ndarray) -> tuple[np.ndarray, bytes]:
    """Return the width and the bytes of numbers, times and the like."""
    width = column.type.bit_width // 8
    stored = np.frombuffer(column.buffers()[1], dtype=np.uint8)
    first = column.offset * width
    cells = stored[first : first + len(column) * width].reshape(-1, width)
    return np.full(len(column), width), np.where(is_there[:, None], cells, 0).tobytes()
