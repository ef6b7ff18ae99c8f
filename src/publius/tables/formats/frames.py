"""Frames and series of pandas, Polars and others; imported when one is given."""

from typing import Any

import narwhals as nw
import pyarrow as pa
from narwhals.exceptions import DuplicateError

from publius.core.errors import DataError
from publius.tables.formats.parquet import MIXED

_UNREADABLE = (pa.ArrowException, OverflowError, TypeError, ValueError)
"""What Arrow raises where no type holds all values; their texts quote values."""


def table_of(given: object, name: str) -> pa.Table | None:
    """Return a frame or series as a table; None if it is neither.

    Args:
        given: Anything.
        name: What a series without a name is called.

    Raises:
        DataError: Two columns have one name, or a series has values of several kinds.
    """
    try:
        frame = nw.from_native(given, allow_series=True, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            return _table(frame)
    except DuplicateError:
        raise DataError(
            "columns of the table share a name; rename all but one"
        ) from None
    if isinstance(frame, nw.Series):
        return pa.table({frame.name or name: column_of(frame)})
    return None


def column_of(given: object) -> pa.Array | None:
    """Return a series as a column; None if it is none.

    Raises:
        DataError: Its values are of several kinds.
    """
    frame = nw.from_native(given, allow_series=True, pass_through=True)
    if not isinstance(frame, nw.Series):
        return None
    column = _column(frame)
    if column is None:
        raise DataError("the values of a series must all be of one kind")
    return column


def _table(frame: "nw.DataFrame[Any]") -> pa.Table:
    try:
        return pa.table(frame.to_arrow())
    except _UNREADABLE:
        return _joined({name: frame[name] for name in frame.columns})


def _joined(columns: "dict[str, nw.Series[Any]]") -> pa.Table:
    """Return columns as a table; one that Arrow cannot hold is empty, and says so."""
    read = {name: _column(series) for name, series in columns.items()}
    return pa.Table.from_arrays(
        [
            pa.nulls(len(columns[name])) if column is None else column
            for name, column in read.items()
        ],
        schema=pa.schema(
            pa.field(name, pa.null(), metadata=MIXED)
            if column is None
            else pa.field(name, column.type)
            for name, column in read.items()
        ),
    )


def _column(series: "nw.Series[Any]") -> pa.Array | None:
    """Return a series as a column; None if its values are of several kinds."""
    try:
        return series.to_arrow()
    except _UNREADABLE:
        return None


def like(given: object, table: pa.Table) -> object | None:
    """Return a table as the kind of frame or series that was given; None if neither.

    Several columns are a frame.
    """
    frame = nw.from_native(given, allow_series=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame | nw.Series):
        return None
    made = nw.from_arrow(table, backend=frame.implementation)
    if isinstance(frame, nw.DataFrame) or len(made.columns) > 1:
        return made.to_native()
    return made.get_column(made.columns[0]).to_native()
