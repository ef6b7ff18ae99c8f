"""Parquet: column chunks read page by page, kept columns with their own types."""

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
from pyarrow import parquet

from publius.core.errors import DataError
from publius.tables.columns import Columns, not_a_cell, not_a_name, resolve
from publius.tables.remote import RemoteFile
from publius.tables.shards import Cut, shards
from publius.tables.source import Reader
from publius.tables.stream import BLOCK, Gauge, open_binary

MIXED = {b"publius": b"mixed"}
"""Marks a column of a table in memory whose values fit no type: not to be read."""

_MOST_ROWS = 4096
NARROW_ROWS = 1 << 16
"""Rows that are read and written together where every column is a number or a time."""

_BATCH_BYTES = 4 << 20


def open_parquet(path: "Path | RemoteFile", gauge: Gauge, asked: Columns) -> Reader:
    """Open a Parquet file; the text column must hold strings."""
    with open_binary(path) as stream:
        try:
            stored = parquet.ParquetFile(stream).schema_arrow
            names = list(stored.names)
        except (pa.ArrowException, OSError, UnicodeDecodeError):
            stored = None
    if stored is None:
        raise DataError(
            "the file cannot be read as Parquet; it is damaged or encrypted"
        )
    columns, schema = read_schema(stored, names, asked)
    read = partial(_batches, path, gauge, schema)
    return Reader(columns, schema, read, read)


def read_schema(
    stored: pa.Schema, names: list[str], asked: Columns
) -> tuple[Columns, pa.Schema]:
    """Return the columns that are read of an Arrow table, and their plain types."""
    columns = resolve(asked, names, [f.name for f in stored if _is_text(f.type)])
    for name in columns.needed:
        if stored.field(name).metadata == MIXED:
            raise DataError(
                f"column {name!r} holds values of several kinds, numbers beyond 64 "
                "bits or no Unicode; make them one kind, such as strings"
            )
    if columns.subject is not None:
        kind = stored.field(columns.subject).type
        if pa.types.is_nested(_plain(kind)):
            raise not_a_name(columns.subject)
    secret = [
        (name, _secret_type(stored.field(name), asked)) for name in columns.protected
    ]
    kept = [(name, _plain(stored.field(name).type)) for name in columns.others]
    return columns, pa.schema([*secret, *kept])


def _secret_type(field: pa.Field, asked: Columns) -> pa.DataType:
    """Return the type in which a protected column is read."""
    if _is_text(field.type):
        return pa.large_string()
    if asked.is_typed and pa.types.is_nested(_plain(field.type)):
        raise not_a_cell(field.name, "the file")
    if asked.is_typed:
        return _plain(field.type)
    raise DataError(f"column {field.name!r} must hold strings, not {field.type}")


def _plain(kind: pa.DataType) -> pa.DataType:
    """Return the type as its values need it, however deep.

    A dictionary differs between batches and may hold values that no row has; a field
    inside a type may carry notes of its own. Neither belongs to the rows.
    """
    if pa.types.is_dictionary(kind):
        return _plain(kind.value_type)
    if isinstance(kind, pa.BaseExtensionType):
        return _plain(kind.storage_type)
    if pa.types.is_struct(kind):
        return pa.struct([_plain_field(kind.field(i)) for i in range(kind.num_fields)])
    if pa.types.is_map(kind):
        return pa.map_(_plain_field(kind.key_field), _plain_field(kind.item_field))
    return _plain_list(kind) if hasattr(kind, "value_field") else kind


def _plain_list(kind: pa.DataType) -> pa.DataType:
    field = _plain_field(kind.value_field)
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(field, kind.list_size)
    return pa.large_list(field) if pa.types.is_large_list(kind) else pa.list_(field)


def _plain_field(field: pa.Field) -> pa.Field:
    return pa.field(field.name, _plain(field.type), field.nullable)


def _is_text(kind: pa.DataType) -> bool:
    return _plain(kind) in (pa.string(), pa.large_string(), pa.string_view())


def _batches(
    path: "Path | RemoteFile", gauge: Gauge, schema: pa.Schema, first: int = 0
) -> Iterator[pa.RecordBatch]:
    done = 0
    with open_binary(path) as stream:
        try:
            # A buffered stream reads pages as they are needed; without it a whole
            # column chunk, which may be the whole file, is held in memory.
            table = parquet.ParquetFile(stream, buffer_size=BLOCK, pre_buffer=False)
            stored = path.stat().st_size / max(table.metadata.num_rows, 1)
            groups, done = _groups_from(table.metadata, first)
            for batch in table.iter_batches(
                _rows_per_batch(table.metadata, schema),
                row_groups=groups,
                columns=schema.names,
                use_threads=False,
            ):
                passed = min(max(first - done, 0), batch.num_rows)
                done += batch.num_rows
                gauge.bytes_read = int(done * stored)
                if passed < batch.num_rows or not first:
                    yield checked_batch(batch.slice(passed), schema)
        except (pa.ArrowException, OSError):
            pass  # its text may quote a value
        else:
            return
    raise DataError(f"the Parquet file is damaged after row {done}")


def _groups_from(metadata: parquet.FileMetaData, first: int) -> tuple[list[int], int]:
    """Return the groups from the one that holds a row on, and the rows before them."""
    before = 0
    for group in range(metadata.num_row_groups):
        rows = metadata.row_group(group).num_rows
        if before + rows > first:
            return list(range(group, metadata.num_row_groups)), before
        before += rows
    return [], before


def _rows_per_batch(metadata: parquet.FileMetaData, schema: pa.Schema) -> int:
    groups = range(metadata.num_row_groups)
    size: int = sum(metadata.row_group(group).total_byte_size for group in groups)
    fitting = int(_BATCH_BYTES * metadata.num_rows // max(size, 1))
    most = NARROW_ROWS if _is_narrow(schema) else _MOST_ROWS
    return min(max(fitting, 1), most)


def _is_narrow(schema: pa.Schema) -> bool:
    return all(pa.types.is_primitive(field.type) for field in schema)


def checked_batch(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Bring the columns into the order and types of the schema; check the Unicode."""
    arrays = [batch.column(field.name).cast(field.type) for field in schema]
    for array in arrays:
        array.validate(full=True)
    return pa.record_batch(arrays, schema=schema)


def write_parquet(
    stream: BinaryIO, tables: Iterable[pa.Table], schema: pa.Schema
) -> None:
    """Write tables as one Parquet file."""
    batches = (batch for table in tables for batch in table.to_batches())
    with parquet.ParquetWriter(stream, schema, compression="zstd") as writer:
        # Groups of rows are cut anew: the tables of a release end where its secret
        # texts reach a size, which the file would tell.
        for group in shards(batches, _groups_of(schema)):
            writer.write_batch(group.table)


def _groups_of(schema: pa.Schema) -> Cut:
    """Return after how many rows a group ends: many where no column holds texts."""
    if _is_narrow(schema):
        return Cut(rows=NARROW_ROWS, part=NARROW_ROWS)
    return Cut()
