"""The steps of a directional release: a shard of secret cells in, released ones out."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from publius.core.arrays import FloatArray, IdArray
from publius.core.errors import DataError
from publius.core.rng import RunKey
from publius.corpus.shards import Shard
from publius.directional.earth import checked_places
from publius.directional.places import PlaceSanitizer
from publius.directional.times import TimeSanitizer

SHARD_ROWS = 65_536
BINS = 24
POINT = "point"


@dataclass(frozen=True, slots=True)
class Cells:
    """How the cells of a table are numbered and what happens to empty ones.

    Args:
        first_row: Number of the first row, as its owner counts.
        is_dropping: Leave rows with an empty cell out instead of refusing them.
    """

    first_row: int = 1
    is_dropping: bool = False

    def row(self, shard: Shard) -> int:
        """Return the number of the shard's first row."""
        return self.first_row + shard.number * SHARD_ROWS

    def present(self, shard: Shard, columns: Sequence[str]) -> pa.BooleanArray:
        """Return which rows have all the cells.

        Raises:
            DataError: One has not, and none may be dropped.
        """
        present = pa.array(np.ones(shard.table.num_rows, dtype=np.bool_))
        for name in columns:
            filled = _is_filled(shard.table.column(name))
            missing = pc.index(filled, value=False).as_py()
            if missing >= 0 and not self.is_dropping:
                raise DataError(
                    f"column {name!r} is empty in row {self.row(shard) + missing}; "
                    "leave such rows out with --missing drop"
                )
            present = pc.and_(present, filled)
        return present


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """One finished shard.

    Args:
        table: The released columns.
        bins: How many released times fall into each of ``BINS`` parts of the period;
            empty for places.
        before: The same of the original times, or the original places as two rows;
            stays in memory.
    """

    table: pa.Table
    bins: IdArray
    before: FloatArray | IdArray = field(repr=False)


class DirectionalStep(Protocol):
    """A step that releases cells and knows its columns."""

    @property
    def fields(self) -> list[pa.Field]:
        """The released columns."""
        ...

    def __call__(self, shard: Shard) -> Moved:
        """Release one shard with the noise of its number."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class TimeStep:
    """Release a column of times.

    Args:
        sanitizer: For the layout in which the times are written.
        source: The column with its type.
        keep: Columns that leave as they are, with their types.
        key: From which the stream of each shard is derived.
        cells: Row numbers and empty cells.
    """

    sanitizer: TimeSanitizer
    source: pa.Field
    keep: Sequence[pa.Field]
    key: RunKey = field(repr=False)
    cells: Cells = field(default_factory=Cells)

    @property
    def fields(self) -> list[pa.Field]:
        """The released columns; their types do not depend on any cell."""
        return [pa.field(self.source.name, self._kind), *self.keep]

    @property
    def _kind(self) -> pa.DataType:
        """The stored type if it holds every step; text, or a wider type of number."""
        clock, kind = self.sanitizer.clock, self.source.type
        if clock.unit is None:
            return kind if pa.types.is_time(kind) else pa.large_string()
        if not clock.is_whole:
            return kind if pa.types.is_float32(kind) else pa.float64()
        if pa.types.is_float32(kind) or pa.types.is_float64(kind):
            return kind
        holds = pa.types.is_integer(kind) and _most(kind) >= clock.period // clock.unit
        return kind if holds else pa.int64()

    def __call__(self, shard: Shard) -> Moved:
        """Release one shard."""
        present = self.cells.present(shard, [self.source.name])
        schema, none = pa.schema(self.fields), np.zeros(BINS, dtype=np.int64)
        if not pc.any(present).as_py():
            return Moved(schema.empty_table(), none, none)
        column = _without_gaps(shard.table.column(self.source.name), present)
        steps = self._steps(column, self.cells.row(shard))
        moved = self.sanitizer.mechanism.perturb(steps, self.key.stream(shard.number))
        kept = [shard.table.column(f.name) for f in self.keep]
        table = pa.table([self._written(moved), *kept], schema=schema).filter(present)
        is_there = np.asarray(present)
        return Moved(table, self._bins(moved[is_there]), self._bins(steps[is_there]))

    def _steps(self, column: pa.Array, row: int) -> IdArray:
        clock = self.sanitizer.clock
        if is_number(column.type):
            numbers = column.cast(pa.float64(), safe=False)
            return clock.read_numbers(np.asarray(numbers), first_row=row)
        return clock.read(written(column), first_row=row)

    def _written(self, steps: IdArray) -> pa.Array:
        clock, kind = self.sanitizer.clock, self._kind
        if is_number(kind):
            return pa.array(clock.write_numbers(steps)).cast(kind, safe=False)
        if pa.types.is_time(kind):
            seconds = pa.array((steps * clock.resolution).astype(np.int32))
            return seconds.cast(pa.time32("s")).cast(kind)
        return pa.array(clock.write(steps), kind)

    def _bins(self, steps: IdArray) -> IdArray:
        part = steps * BINS // self.sanitizer.clock.modulus
        return np.bincount(part, minlength=BINS).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class PlaceStep:
    """Release two columns of degrees.

    Args:
        sanitizer: Moves places.
        lat: Name of the column of latitudes.
        lon: Name of the column of longitudes.
        keep: Columns that leave as they are, with their types.
        key: From which the stream of each shard is derived.
        cells: Row numbers and empty cells.
    """

    sanitizer: PlaceSanitizer
    lat: str
    lon: str
    keep: Sequence[pa.Field]
    key: RunKey = field(repr=False)
    cells: Cells = field(default_factory=Cells)

    @property
    def fields(self) -> list[pa.Field]:
        """The released columns; the name of a public point follows its degrees."""
        names = [(self.lat, pa.float64()), (self.lon, pa.float64())]
        if self.sanitizer.points is not None:
            names.append((POINT, pa.large_string()))
        return [*(pa.field(*name) for name in names), *self.keep]

    def __call__(self, shard: Shard) -> Moved:
        """Release one shard."""
        present = self.cells.present(shard, [self.lat, self.lon])
        schema, no_bins = pa.schema(self.fields), np.empty(0, dtype=np.int64)
        if not pc.any(present).as_py():
            return Moved(schema.empty_table(), no_bins, np.empty((2, 0)))
        row, rng = self.cells.row(shard), self.key.stream(shard.number)
        degrees = [
            read_degrees(_without_gaps(shard.table.column(name), present), name, row)
            for name in (self.lat, self.lon)
        ]
        lat, lon = checked_places(*degrees, first_row=row)
        points = self.sanitizer.points
        if points is None:
            moved = [pa.array(found) for found in self.sanitizer.release(lat, lon, rng)]
        else:
            at = self.sanitizer.release_points(lat, lon, rng)
            names = pa.array(points.names, pa.large_string()).take(pa.array(at))
            moved = [pa.array(points.lat[at]), pa.array(points.lon[at]), names]
        kept = [shard.table.column(f.name) for f in self.keep]
        table = pa.table([*moved, *kept], schema=schema).filter(present)
        return Moved(table, no_bins, np.stack((lat, lon))[:, np.asarray(present)])


def is_number(kind: pa.DataType) -> bool:
    """Tell whether a column holds plain numbers."""
    return bool(
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
    )


def _most(kind: pa.DataType) -> int:
    """Return the largest number of an integer type."""
    is_signed = pa.types.is_signed_integer(kind)
    return int((1 << (kind.bit_width - is_signed)) - 1)


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


def _is_filled(column: pa.Array) -> pa.BooleanArray:
    filled = column.is_valid()
    if pa.types.is_large_string(column.type) or pa.types.is_string(column.type):
        trimmed = pc.utf8_trim_whitespace(column)
        filled = pc.and_(
            filled, pc.fill_null(pc.not_equal(trimmed, ""), fill_value=False)
        )
    return filled


def _without_gaps(column: pa.Array, present: pa.BooleanArray) -> pa.Array:
    """Put a present value where there is none; what is drawn for it is thrown away."""
    if pc.all(present).as_py():
        return column
    return pc.if_else(present, column, column[pc.index(present, value=True).as_py()])


def read_degrees(column: pa.Array, name: str, row: int) -> FloatArray:
    """Return a column of degrees as numbers, or name the row that holds none."""
    if is_number(column.type):
        return np.asarray(column.cast(pa.float64(), safe=False))
    try:
        texts = pc.utf8_trim_whitespace(column.cast(pa.large_string()))
        found = texts.cast(pa.float64())
    except pa.ArrowException:
        pass  # its text quotes the cell
    else:
        return np.asarray(found.to_numpy(zero_copy_only=False), dtype=np.float64)
    cells = column.to_pylist()
    bad = next((i for i, cell in enumerate(cells) if not _is_number(cell)), 0)
    raise DataError(f"column {name!r} is not a number of degrees in row {row + bad}")


def _is_number(cell: object) -> bool:
    try:
        float(str(cell))
    except ValueError:
        return False
    return True
