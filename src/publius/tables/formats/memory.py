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

Input: TypeAlias = str | pa.Table


def as_input(given: object, names: Sequence[str] = (TEXT,)) -> Input:
    """Return a path as it is, and any table in memory as an Arrow table.

    Args:
        given: A path, a list or NumPy array, or a pandas, Polars or Arrow series or
            table.
        names: What the columns of a list or array are called: its values are those of
            one column, its rows of as many values those of several.

    Raises:
        DataError: It is none of these.
    """
    if isinstance(given, str | Path):
        return str(given)
    if isinstance(given, pa.Table):
        return given
    if isinstance(given, pa.RecordBatch):
        return pa.Table.from_batches([given])
    frame = None if _is_plain(given) else _frames().table_of(given, names[0])
    if frame is not None:
        return frame
    return pa.table(dict(zip(names, _columns(given, len(names)), strict=True)))


def _columns(given: object, count: int) -> list[pa.Array]:
    """Return a list or array as so many columns."""
    if count == 1:
        return [as_column(given)]
    rows = given.tolist() if isinstance(given, np.ndarray) else given
    if not isinstance(rows, Sequence) or any(
        not isinstance(row, Sequence) or len(row) != count for row in rows
    ):
        raise DataError(f"expected a path, a table, or rows of {count} values each")
    return [as_column([row[i] for row in rows]) for i in range(count)]


def as_column(given: object) -> pa.Array:
    """Return a list, array or series as a column; NaN is a missing value."""
    if isinstance(given, pa.Array | pa.ChunkedArray):
        return given
    series = None if _is_plain(given) else _frames().column_of(given)
    if series is not None:
        return series
    if isinstance(given, np.ndarray) and given.dtype.kind == "M":
        return pa.array(given.ravel())
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
    if pa.types.is_nested(made.type):
        raise DataError(
            "expected a path, or a list, array, series or table with one value in each "
            "cell"
        )
    return made.cast(pa.string()) if pa.types.is_null(made.type) else made


def open_table(table: pa.Table, asked: Columns) -> Reader:
    """Open an Arrow table like a Parquet file with the same columns."""
    columns, schema = read_schema(table.schema, table.column_names, asked)
    return Reader(columns, schema, partial(_batches, table, schema))


def _batches(table: pa.Table, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    for batch in table.select(schema.names).to_batches(max_chunksize=BATCH_ROWS):
        yield checked_batch(batch, schema)


def as_given(given: object, table: pa.Table) -> object:
    """Return a released table as the kind of thing that was given.

    What leaves as several columns does not fit into an array or a series.
    """
    is_single = table.num_columns == 1
    if isinstance(given, str | Path | pa.Table | pa.RecordBatch | pa.Array):
        return _as_arrow(given, table)
    made = None if _is_plain(given) else _frames().like(given, table)
    if made is not None:
        return made
    columns = [column.to_pylist() for column in table.columns]
    values = columns[0] if is_single else list(zip(*columns, strict=True))
    if not isinstance(given, np.ndarray) or given.ndim != (1 if is_single else 2):
        return values
    if given.dtype.kind == "M":
        return np.array(values)  # times of day leave as texts
    has_gaps = any(column.null_count for column in table.columns)
    return np.array(values, dtype=object if has_gaps else given.dtype.char)


def _as_arrow(given: object, table: pa.Table) -> object:
    columns = [column.combine_chunks() for column in table.columns]
    if isinstance(given, pa.RecordBatch):
        return pa.RecordBatch.from_arrays(columns, schema=table.schema)
    if isinstance(given, pa.Array) and len(columns) == 1:
        return columns[0].cast(given.type)
    return table


def _is_plain(given: object) -> bool:
    return isinstance(given, list | tuple | np.ndarray)


def _frames() -> ModuleType:
    """Return what knows frames; it loads a library that no file needs."""
    return import_module("publius.tables.formats.frames")
