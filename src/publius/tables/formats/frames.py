"""Frames and series of pandas, Polars and others; imported when one is given."""

import narwhals as nw
import pyarrow as pa


def table_of(given: object, name: str) -> pa.Table | None:
    """Return a frame or series as a table; None if it is neither.

    Args:
        given: Anything.
        name: What a series without a name is called.
    """
    frame = nw.from_native(given, allow_series=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return pa.table(frame.to_arrow())
    if isinstance(frame, nw.Series):
        return pa.table({frame.name or name: frame.to_arrow()})
    return None


def column_of(given: object) -> pa.Array | None:
    """Return a series as a column; None if it is none."""
    frame = nw.from_native(given, allow_series=True, pass_through=True)
    return frame.to_arrow() if isinstance(frame, nw.Series) else None


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
