"""Tables in memory: lists, NumPy arrays, pandas, Polars and Arrow as one source."""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from publius.core.errors import DataError
from publius.tables.columns import Columns
from publius.tables.formats.parquet import checked_batch, read_schema
from publius.tables.source import Reader

MEMORY = "memory"
"""Format of a source that is no file."""

BATCH_ROWS = 4096
TEXT = "text"
"""Name of the only column of a list, array or series without a name."""

Input: TypeAlias = "str | pa.Table"


def as_input(given: object) -> Input:
    """Return a path as it is, and any table in memory as an Arrow table.

    Args:
        given: A path, a list or NumPy array of texts, or a pandas, Polars or Arrow
            series or table.

    Raises:
        DataError: It is none of these.
    """
    if isinstance(given, str | Path):
        return str(given)
    if isinstance(given, pa.Table):
        return given
    if isinstance(given, pa.RecordBatch):
        return pa.Table.from_batches([given])
    frame = None if _is_plain(given) else _frames().table_of(given)
    return pa.table({TEXT: as_column(given)}) if frame is None else frame


def as_column(given: object) -> pa.Array:
    """Return a list, array or series as a column; NaN is a missing value."""
    if isinstance(given, pa.Array | pa.ChunkedArray):
        return given
    series = None if _is_plain(given) else _frames().column_of(given)
    if series is not None:
        return series
    values = given.ravel().tolist() if isinstance(given, np.ndarray) else given
    if isinstance(values, str | bytes) or not isinstance(values, Sequence):
        raise DataError("expected a path, or a list, array, series or table of texts")
    plain = [None if isinstance(v, float) and math.isnan(v) else v for v in values]
    try:
        made = pa.array(plain)
    except (pa.ArrowException, TypeError, ValueError):
        made = None  # its text quotes a value
    if made is None:
        raise DataError("the values of a list or array must all be of one kind")
    return made.cast(pa.string()) if pa.types.is_null(made.type) else made


def open_table(table: pa.Table, asked: Columns) -> Reader:
    """Open an Arrow table like a Parquet file with the same columns."""
    columns, schema = read_schema(table.schema, table.column_names, asked)
    return Reader(columns, schema, partial(_batches, table, schema))


def _batches(table: pa.Table, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    for batch in table.select(schema.names).to_batches(max_chunksize=BATCH_ROWS):
        yield checked_batch(batch, schema)


def as_given(given: object, table: pa.Table) -> object:
    """Return a released table as the kind of thing that was given."""
    if isinstance(given, str | Path | pa.Table | pa.RecordBatch):
        return table
    first = table.column(0)
    if isinstance(given, pa.Array):
        return first.combine_chunks().cast(given.type)
    made = None if _is_plain(given) else _frames().like(given, table)
    if made is not None:
        return made
    values = first.to_pylist()
    if not isinstance(given, np.ndarray):
        return values
    return np.array(values, dtype=object if first.null_count else given.dtype.char)


def _is_plain(given: object) -> bool:
    return isinstance(given, list | tuple | np.ndarray)


def _frames() -> ModuleType:
    """Return what knows frames; it loads a library that no file needs."""
    return import_module("publius.tables.formats.frames")
