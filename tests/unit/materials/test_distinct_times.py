"""Times that are read once each are those that are read row by row."""

import numpy as np
import pyarrow as pa
import pytest

from publius.core.errors import DataError
from publius.materials.quantity import DAY, WEEK, YEAR
from publius.materials.record_forms import TimeForm
from publius.materials.times.clock import Clock
from publius.materials.times.sanitizer import TimeSanitizer
from publius.materials.times.stored import written
from publius.mechanisms.discrete_circular_laplace import DiscreteCircularLaplace

STAMPS = np.array(
    ["1969-12-31T23:59:30", "2024-02-29T00:00:00", "1900-01-01T12:00:29"],
    dtype="datetime64[s]",
)


def form(period: int) -> TimeForm:
    clock = Clock(period=period, resolution=60, needs_zone=False)
    law = DiscreteCircularLaplace(0.1, clock.modulus)
    return TimeForm(TimeSanitizer(clock, law))


@pytest.mark.parametrize("period", [DAY, WEEK, YEAR])
@pytest.mark.parametrize("zone", [None, "Asia/Kathmandu"])
def test_stamps_are_read_as_row_by_row(period: int, zone: str | None) -> None:
    column = pa.array(np.repeat(STAMPS, 5)).cast(pa.timestamp("s", zone))
    made = form(period)
    wanted = made.sanitizer.clock.read(written(column), first_row=1)
    np.testing.assert_array_equal(made._steps(column, 1), wanted)


def test_the_row_of_what_is_no_time_is_told() -> None:
    column = pa.array(["08:00"] * 9 + ["x"] + ["09:00"] * 9, pa.large_string())
    with pytest.raises(DataError, match="row 12"):
        form(DAY)._steps(column, 3)
