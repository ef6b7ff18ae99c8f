"""Times and places in rows: secret cells in, released ones out."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from publius.core.arrays import FloatArray, IdArray, Rng
from publius.core.errors import DataError
from publius.materials.form import Released
from publius.materials.places.sanitizer import PlaceSanitizer
from publius.materials.times.sanitizer import TimeSanitizer
from publius.materials.times.stored import stored_moments, written
from publius.numerics.geometry.earth import checked_places

BINS = 24
"""Parts of the period in which released times are counted, as ``bin0`` and so on."""
POINT = "point"
FEW = 4
"""Times are read once each where rows are at least so many times as many."""


@dataclass(frozen=True, slots=True, eq=False)
class TimeForm:
    """A column of times.

    Args:
        sanitizer: Reads, moves and writes them.
        is_dropping: Leave rows with an empty cell out instead of refusing them.
    """

    sanitizer: TimeSanitizer
    is_dropping: bool = False

    def fields(self, protected: Sequence[pa.Field]) -> list[pa.Field]:
        """Return the column; the stored type if it holds every step."""
        return [pa.field(protected[0].name, self._kind(protected[0].type))]

    def release(
        self, rows: pa.RecordBatch, rng: Rng, *, first_row: int = 1
    ) -> Released:
        """Release the times; none are drawn where all cells are empty."""
        present = _present(rows, 1, first_row, is_dropping=self.is_dropping)
        kind, costs = self._kind(rows.schema.field(0).type), self.costs(rows)
        if not pc.any(present).as_py():
            none = np.zeros(BINS, dtype=np.int64)
            return Released([pa.nulls(rows.num_rows, kind)], costs, present,
                            _bin_counts(none), none)  # fmt: skip
        column = _without_gaps(rows.column(0), present)
        steps = self._steps(column, first_row)
        moved = self.sanitizer.mechanism.perturb(steps, rng)
        is_there = np.asarray(present)
        return Released(
            [self._written(moved, kind)],
            costs,
            present,
            _bin_counts(self._bins(moved[is_there])),
            self._bins(steps[is_there]),
        )

    def costs(self, rows: pa.RecordBatch) -> IdArray:
        """Return one for each row."""
        return np.ones(rows.num_rows, dtype=np.int64)

    def _kind(self, kind: pa.DataType) -> pa.DataType:
        """The stored type if it holds every step; text, or a wider type of number."""
        clock = self.sanitizer.clock
        if clock.unit is None:
            return kind if pa.types.is_time(kind) else pa.large_string()
        if not clock.is_whole:
            return kind if pa.types.is_float32(kind) else pa.float64()
        if pa.types.is_float32(kind) or pa.types.is_float64(kind):
            return kind
        holds = pa.types.is_integer(kind) and _most(kind) >= clock.period // clock.unit
        return kind if holds else pa.int64()

    def _steps(self, column: pa.Array, row: int) -> IdArray:
        clock = self.sanitizer.clock
        if is_number(column.type):
            numbers = column.cast(pa.float64(), safe=False)
            return clock.read_numbers(np.asarray(numbers), first_row=row)
        moments = stored_moments(column, clock)
        if moments is not None:
            return clock.read_moments(moments, first_row=row)
        coded = column.dictionary_encode()
        if len(coded.dictionary) * FEW <= len(column):
            # What is no time is read again below, where its row is known.
            with suppress(DataError):
                distinct = clock.read(written(coded.dictionary), first_row=row)
                return np.asarray(distinct[np.asarray(coded.indices)])
        return clock.read(written(column), first_row=row)

    def _written(self, steps: IdArray, kind: pa.DataType) -> pa.Array:
        clock = self.sanitizer.clock
        if is_number(kind):
            return pa.array(clock.write_numbers(steps)).cast(kind, safe=False)
        if pa.types.is_time(kind):
            seconds = pa.array((steps * clock.resolution).astype(np.int32))
            return seconds.cast(pa.time32("s")).cast(kind)
        distinct, place = _distinct(steps, clock.modulus)
        return pa.array(clock.write(distinct), kind).take(pa.array(place))

    def _bins(self, steps: IdArray) -> IdArray:
        part = steps * BINS // self.sanitizer.clock.modulus
        return np.bincount(part, minlength=BINS).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class PlaceForm:
    """Two columns of degrees.

    Args:
        sanitizer: Moves places.
        is_dropping: Leave rows with an empty cell out instead of refusing them.
    """

    sanitizer: PlaceSanitizer
    is_dropping: bool = False

    def fields(self, protected: Sequence[pa.Field]) -> list[pa.Field]:
        """Return both columns; the name of a public point follows its degrees."""
        names = [(field.name, pa.float64()) for field in protected]
        if self.sanitizer.points is not None:
            names.append((POINT, pa.large_string()))
        return [pa.field(*name) for name in names]

    def release(
        self, rows: pa.RecordBatch, rng: Rng, *, first_row: int = 1
    ) -> Released:
        """Release the places; none are drawn where all cells are empty."""
        present = _present(rows, 2, first_row, is_dropping=self.is_dropping)
        costs = self.costs(rows)
        if not pc.any(present).as_py():
            kinds = [field.type for field in self.fields(list(rows.schema)[:2])]
            empty = [pa.nulls(rows.num_rows, kind) for kind in kinds]
            return Released(empty, costs, present, originals=np.empty((2, 0)))
        lat, lon = self._places(rows, present, first_row)
        before = np.stack((lat, lon))[:, np.asarray(present)]
        return Released(self._moved(lat, lon, rng), costs, present, originals=before)

    def costs(self, rows: pa.RecordBatch) -> IdArray:
        """Return one for each row."""
        return np.ones(rows.num_rows, dtype=np.int64)

    def present(self, rows: pa.RecordBatch, first_row: int) -> pa.BooleanArray:
        """Return which rows have a place, and refuse what is none; nothing is drawn."""
        present = _present(rows, 2, first_row, is_dropping=self.is_dropping)
        if pc.any(present).as_py():
            self._places(rows, present, first_row)
        return present

    def _places(
        self, rows: pa.RecordBatch, present: pa.BooleanArray, first_row: int
    ) -> tuple[FloatArray, FloatArray]:
        lat, lon = (
            read_degrees(_without_gaps(rows.column(i), present), name, first_row)
            for i, name in enumerate(rows.schema.names[:2])
        )
        return checked_places(lat, lon, first_row=first_row)

    def _moved(self, lat: FloatArray, lon: FloatArray, rng: Rng) -> list[pa.Array]:
        points = self.sanitizer.points
        if points is None:
            return [pa.array(part) for part in self.sanitizer.release(lat, lon, rng)]
        at = self.sanitizer.release_points(lat, lon, rng)
        names = pa.array(points.names, pa.large_string()).take(pa.array(at))
        return [pa.array(points.lat[at]), pa.array(points.lon[at]), names]


def _present(
    rows: pa.RecordBatch, count: int, first_row: int, *, is_dropping: bool
) -> pa.BooleanArray:
    """Return which rows have all of the first `count` cells.

    Raises:
        DataError: One has not, and none may be dropped.
    """
    present = pa.array(np.ones(rows.num_rows, dtype=np.bool_))
    for name in rows.schema.names[:count]:
        filled = _is_filled(rows.column(name))
        missing = pc.index(filled, value=False).as_py()
        if missing >= 0 and not is_dropping:
            raise DataError(
                f"column {name!r} is empty in row {first_row + missing}; "
                "leave such rows out with --missing drop"
            )
        present = pc.and_(present, filled)
    return present


def _bin_counts(bins: IdArray) -> dict[str, int]:
    return {f"bin{number}": int(count) for number, count in enumerate(bins)}


def _distinct(steps: IdArray, modulus: int) -> tuple[IdArray, IdArray]:
    """Return the steps that occur, in order, and where each one stands among them."""
    if modulus > len(steps):
        distinct, place = np.unique(steps, return_inverse=True)
        return distinct, place
    occurs = np.bincount(steps, minlength=modulus) > 0
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[steps]


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
        degrees = texts.cast(pa.float64())
    except pa.ArrowException:
        pass  # its text quotes the cell
    else:
        return np.asarray(degrees.to_numpy(zero_copy_only=False), dtype=np.float64)
    cells = column.to_pylist()
    bad = next((i for i, cell in enumerate(cells) if not _is_number(cell)), 0)
    raise DataError(f"column {name!r} is not a number of degrees in row {row + bad}")


def _is_number(cell: object) -> bool:
    try:
        float(str(cell))
    except ValueError:
        return False
    return True
