"""Times that a column stores as times: read by arithmetic, written where texts help."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from publius.core.arrays import IdArray
from publius.materials.quantity import DAY, WEEK, YEAR
from publius.materials.times.calendar import days_before_month
from publius.materials.times.clock import Clock

_MONDAY = 3 * DAY
"""The first moment that timestamps count from was a Thursday."""
_FIRST, _LAST = -62_135_596_800, 253_402_300_800
"""Seconds of the years 1 to 9999, which have four digits."""


def stored_moments(column: pa.Array, clock: Clock) -> IdArray | None:
    """Return seconds since the period began, as a reader of written times finds them.

    A timestamp with a time zone counts as the local time of that zone. None stands for
    columns that must be read as they are written: other types, and rows that no clock
    takes, of which the reader of texts knows what to say.
    """
    kind = column.type
    if pa.types.is_time(kind) and clock.period <= DAY:
        return _inside(_seconds(column, pa.time32("s"), pa.int32()), 0, DAY)
    if not pa.types.is_timestamp(kind) or (clock.needs_zone and kind.tz is None):
        return None
    if clock.period not in (DAY, WEEK, YEAR):
        return None
    local = pc.local_timestamp(column) if kind.tz is not None else column
    second = _inside(_seconds(local, pa.timestamp("s"), pa.int64()), _FIRST, _LAST)
    if second is None:
        return None
    if clock.period == YEAR:
        month, day = (np.asarray(part(local)) for part in (pc.month, pc.day))
        return (days_before_month(month) + day - 1) * DAY + second % DAY
    return (second + _MONDAY) % WEEK if clock.period == WEEK else second % DAY


def written(column: pa.Array) -> list[str]:
    """Return times as they are written, whatever type they are stored in.

    A timestamp with a time zone is written as the local time of that zone.
    """
    kind = column.type
    if pa.types.is_timestamp(kind):
        zone = "Z" if kind.tz is not None else ""
        local = pc.local_timestamp(column) if zone else column
        texts = pc.strftime(
            local.cast(pa.timestamp("s"), safe=False), "%Y-%m-%d %H:%M:%S"
        )
        column = pc.binary_join_element_wise(texts, pa.scalar(zone), "")
    elif pa.types.is_time(kind):
        column = column.cast(pa.time32("s"), safe=False).cast(pa.large_string())
    elif not pa.types.is_large_string(kind):
        column = column.cast(pa.large_string())
    values: list[str] = column.to_pylist()
    return values


def _seconds(column: pa.Array, whole: pa.DataType, number: pa.DataType) -> IdArray:
    seconds = column.cast(whole, safe=False).cast(number)
    return np.asarray(seconds, dtype=np.int64)


def _inside(seconds: IdArray, first: int, last: int) -> IdArray | None:
    return seconds if ((seconds >= first) & (seconds < last)).all() else None
