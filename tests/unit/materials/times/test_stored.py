"""Times that are stored as times are read as their written form is."""

import numpy as np
import pyarrow as pa
import pytest

from publius.core.errors import DataError
from publius.materials.quantity import DAY, WEEK, YEAR
from publius.materials.record_forms import TimeForm
from publius.materials.times.clock import Clock
from publius.materials.times.sanitizer import TimeSanitizer
from publius.materials.times.stored import stored_moments, written
from publius.mechanisms.discrete_circular_laplace import DiscreteCircularLaplace

EDGES = (-62_135_510_400, -1, 0, 951_782_399, 951_782_400, 253_402_214_399)
"""A day inside the years of four digits, around 1970, before a 29th of February."""


def _stamps(kind: pa.DataType) -> pa.Array:
    rng = np.random.default_rng(5)
    drawn = rng.integers(-5_000_000_000, 5_000_000_000, 500)
    return pa.array(np.concatenate((EDGES, drawn))).cast(pa.timestamp("s")).cast(kind)


@pytest.mark.parametrize("period", [DAY, WEEK, YEAR])
@pytest.mark.parametrize(
    "kind",
    [
        pa.timestamp("s", "UTC"),
        pa.timestamp("ms", "America/New_York"),
        pa.timestamp("us", "+05:30"),
        pa.timestamp("s"),
    ],
    ids=str,
)
def test_timestamps_are_read_as_they_are_written(
    kind: pa.DataType, period: int
) -> None:
    clock = Clock(period, DAY if period == YEAR else 60, needs_zone=False)
    column = _stamps(kind)
    moments = stored_moments(column, clock)
    assert moments is not None
    assert np.array_equal(clock.read_moments(moments), clock.read(written(column)))


@pytest.mark.parametrize(
    "kind", [pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")], ids=str
)
def test_times_of_day_are_read_as_they_are_written(kind: pa.DataType) -> None:
    seconds = pa.array(np.arange(0, DAY, 617, dtype=np.int32)).cast(pa.time32("s"))
    column, clock = seconds.cast(kind), Clock(DAY, 60)
    moments = stored_moments(column, clock)
    assert moments is not None
    assert np.array_equal(clock.read_moments(moments), clock.read(written(column)))


@pytest.mark.parametrize(
    ("column", "clock"),
    [
        (pa.array([0], pa.timestamp("s")), Clock(DAY, 60)),
        (pa.array([1 << 40], pa.timestamp("s", "UTC")), Clock(DAY, 60)),
        (pa.array([0], pa.timestamp("s", "UTC")), Clock(3600, 60)),
        (pa.array(["07:00"], pa.large_string()), Clock(DAY, 60)),
        (pa.array([0], pa.date32()), Clock(WEEK, DAY)),
    ],
    ids=["no-zone", "year-36812", "hour", "text", "date"],
)
def test_what_needs_words_is_read_as_text(column: pa.Array, clock: Clock) -> None:
    assert stored_moments(column, clock) is None


def test_a_time_outside_a_short_period_is_refused_with_its_row() -> None:
    sanitizer = TimeSanitizer(Clock(3600, 60), DiscreteCircularLaplace(1.0, 60))
    rows = pa.record_batch({"t": pa.array([60, 7200], pa.time32("s"))})
    with pytest.raises(DataError, match="row 2 does not lie within the period"):
        TimeForm(sanitizer).release(rows, np.random.default_rng(0))
