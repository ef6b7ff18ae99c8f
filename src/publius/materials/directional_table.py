"""Tables of times and places: pandas, Polars or Arrow in, the same kind out."""

from collections.abc import Sequence

import narwhals as nw
import numpy as np
from narwhals.typing import IntoDataFrameT

from publius.core.arrays import FloatArray, Rng
from publius.core.errors import DataError
from publius.materials.places.sanitizer import PlaceSanitizer
from publius.materials.times.sanitizer import TimeSanitizer


def release_times(
    table: IntoDataFrameT,
    sanitizer: TimeSanitizer,
    rng: Rng,
    *,
    column: str,
    keep: Sequence[str] = (),
) -> IntoDataFrameT:
    """Return the released column, and the columns to keep, which stay unprotected.

    Raises:
        DataError: A column is missing, or a row is empty or is no time.
    """
    frame = nw.from_native(table, eager_only=True)
    times = _column(frame, column)
    if times.dtype.is_numeric():
        released = nw.new_series(
            column,
            sanitizer.release_numbers(times.to_numpy(), rng),
            backend=frame.implementation,
        )
    else:
        texts = [str(text) for text in times.to_list()]
        released = nw.new_series(
            column, sanitizer.release(texts, rng), backend=frame.implementation
        )
    return _joined(frame, [released], keep)


def release_places(
    table: IntoDataFrameT,
    sanitizer: PlaceSanitizer,
    rng: Rng,
    *,
    columns: tuple[str, str] = ("lat", "lon"),
    keep: Sequence[str] = (),
) -> IntoDataFrameT:
    """Return released latitudes and longitudes, and the columns to keep.

    Raises:
        DataError: A column is missing, or a row is empty or is no place.
    """
    frame = nw.from_native(table, eager_only=True)
    lat, lon = (_degrees(_column(frame, name)) for name in columns)
    placed = zip(columns, sanitizer.release(lat, lon, rng), strict=True)
    released = [
        nw.new_series(name, degrees, backend=frame.implementation)
        for name, degrees in placed
    ]
    return _joined(frame, released, keep)


def _column(frame: "nw.DataFrame[IntoDataFrameT]", name: str) -> nw.Series:  # type: ignore[type-arg]
    if name not in frame.columns:
        raise DataError(f"no column {name!r}; columns: {', '.join(frame.columns)}")
    column = frame[name]
    empty = column.is_null().to_numpy()
    if empty.any():
        raise DataError(f"column {name!r} is empty in row {int(np.argmax(empty))}")
    return column


def _degrees(column: nw.Series) -> FloatArray:  # type: ignore[type-arg]
    if not column.dtype.is_numeric():
        raise DataError(f"column {column.name!r} must hold numbers of degrees")
    return np.asarray(column.to_numpy(), dtype=np.float64)


def _joined(
    frame: "nw.DataFrame[IntoDataFrameT]",
    released: "list[nw.Series]",  # type: ignore[type-arg]
    keep: Sequence[str],
) -> IntoDataFrameT:
    names = [series.name for series in released]
    for name in keep:
        if name in names:
            raise DataError(f"column {name!r} is protected; it cannot be kept as it is")
    kept = [_kept(frame, name) for name in keep]
    return nw.from_dict(
        {series.name: series for series in [*released, *kept]},
        backend=frame.implementation,
    ).to_native()


def _kept(frame: "nw.DataFrame[IntoDataFrameT]", name: str) -> nw.Series:  # type: ignore[type-arg]
    if name not in frame.columns:
        raise DataError(f"no column {name!r}; columns: {', '.join(frame.columns)}")
    return frame[name]
