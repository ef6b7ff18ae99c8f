"""Cut a stream of rows into shards that depend on the rows alone."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from publius.core.arrays import IdArray
from publius.core.errors import ParameterError
from publius.tables.arrow import lengths


@dataclass(frozen=True, slots=True)
class Shard:
    """Some consecutive rows: the unit of work, of randomness and of commitment.

    Args:
        number: Its place among the shards.
        table: The rows.
        start: How many rows come before them.
    """

    number: int
    table: pa.RecordBatch = field(repr=False)
    start: int = 0

    def __post_init__(self) -> None:
        if not self.number >= 0:
            raise ParameterError(f"a shard's number must be >= 0, got {self.number}")


@dataclass(frozen=True, slots=True)
class Cut:
    """After how much a shard ends; part of what a seed stands for.

    Args:
        rows: At most so many rows.
        size: At most so many bytes of the first column, and the row that exceeds them.
        part: No shard crosses a multiple of so many rows, so that engines which begin
            there see the same shards.
    """

    rows: int = 4096
    size: int = 4 << 20
    part: int = 16_384

    def __post_init__(self) -> None:
        if not (self.rows >= 1 and self.size >= 1 and self.part >= 1):
            raise ParameterError("rows, bytes and parts of a cut must be >= 1")


def shards(
    batches: Iterable[pa.RecordBatch], cut: Cut | None = None
) -> Iterator[Shard]:
    """Cut after each row at which the rows or the bytes of text reach their limit.

    The first column is the text. How the reader happened to chunk the rows has no
    influence: a resumed or differently buffered run sees the same shards.
    """
    cut = cut or Cut()
    number = rows = size = before_shard = 0
    parts: list[pa.RecordBatch] = []
    for batch in batches:
        ends = np.cumsum(_text_bytes(batch))
        start, before = 0, 0
        while start < batch.num_rows:
            by_bytes = int(np.searchsorted(ends, before + cut.size - size)) + 1
            most = min(cut.rows, cut.part - before_shard % cut.part)
            stop = min(start + most - rows, by_bytes)
            is_cut = stop <= batch.num_rows
            stop = min(stop, batch.num_rows)
            parts.append(batch.slice(start, stop - start))
            rows += stop - start
            size += int(ends[stop - 1]) - before
            start, before = stop, int(ends[stop - 1])
            if is_cut:
                yield Shard(number, _joined(parts), before_shard)
                before_shard += rows
                number, rows, size, parts = number + 1, 0, 0, []
    if parts:
        yield Shard(number, _joined(parts), before_shard)


def _text_bytes(batch: pa.RecordBatch) -> IdArray:
    kind = batch.column(0).type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        return np.zeros(batch.num_rows, dtype=np.int64)  # numbers, times, lists
    return lengths(batch.column(0))


def _joined(parts: list[pa.RecordBatch]) -> pa.RecordBatch:
    table = pa.Table.from_batches(parts).combine_chunks()
    return table.to_batches()[0]
