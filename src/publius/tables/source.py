"""What every reader offers: a table of texts as a stream of record batches."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa

from publius.tables.columns import Columns
from publius.tables.stream import Gauge


@dataclass(frozen=True, slots=True)
class Identity:
    """What tells a changed input from the same one without looking at its texts.

    Args:
        files: Number of files.
        size: Their bytes together.
        modified: When the last of them changed, in nanoseconds since 1970.
    """

    files: int
    size: int
    modified: int


@dataclass(frozen=True, slots=True)
class Reader:
    """One opened format: its resolved columns, their types, and how to read them.

    Args:
        columns: The columns to read; the protected ones are named.
        schema: Their types: protected first, then the subject, then the kept ones.
        read: Starts a pass over the rows in batches of exactly that schema.
        seek: The same from a later row, where the format can find one.
        notes: What of the file is not read and may hold rows, for its owner alone.
    """

    columns: Columns
    schema: pa.Schema
    read: Callable[[], Iterator[pa.RecordBatch]]
    seek: Callable[[int], Iterator[pa.RecordBatch]] | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """A table of texts, read as a stream in constant memory.

    Args:
        format: csv, tsv, jsonl, parquet, txt or folder.
        reader: The opened input.
        size_bytes: Size as stored; None for standard input.
        identity: Tells whether the input changed since; None for standard input.
        paths: Its files; none for standard input.
    """

    format: str
    reader: Reader
    size_bytes: int | None
    identity: Identity | None
    gauge: Gauge = field(repr=False)
    paths: tuple[Path, ...] = field(default=(), repr=False)

    @property
    def columns(self) -> Columns:
        """Return the columns that are read; the protected ones are named."""
        return self.reader.columns

    @property
    def text(self) -> str:
        """Return the name of the first protected column."""
        return str(self.reader.schema.names[0])

    @property
    def schema(self) -> pa.Schema:
        """Return the type of every column; protected ones come first."""
        return self.reader.schema

    @property
    def first_row(self) -> int:
        """Return the number of the first row of values: a header is row 1."""
        return 2 if self.format in ("csv", "tsv") else 1

    @property
    def bytes_read(self) -> int:
        """Return how much of ``size_bytes`` the running pass has read."""
        return self.gauge.done

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Read the rows from the first one; standard input allows one pass."""
        return self.reader.read()

    def batches_from(self, first: int) -> Iterator[pa.RecordBatch]:
        """Read the rows after the first ``first`` ones."""
        if self.reader.seek is not None:
            yield from self.reader.seek(first)
            return
        for batch in self.reader.read():
            passed = min(first, batch.num_rows)
            first -= passed
            if passed < batch.num_rows:
                yield batch.slice(passed)

    def limited(self, most: int) -> "Source":
        """Return the source with its first rows only."""
        reader = replace(self.reader, read=lambda: self._first(most), seek=None)
        return replace(self, reader=reader)

    def _first(self, most: int) -> Iterator[pa.RecordBatch]:
        for batch in self.reader.read():
            taken = batch.slice(0, most)
            most -= taken.num_rows
            yield taken
            if not most:
                return

    def covering(self, columns: Columns, schema: pa.Schema, size: int) -> "Source":
        """Return the source as one of many files of a table with these columns."""
        reader = replace(self.reader, columns=columns, schema=schema)
        return replace(self, reader=reader, size_bytes=size, paths=())
