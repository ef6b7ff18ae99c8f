import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.stats import kstest

from publius.core.errors import DataError, ParameterError
from publius.core.rng import seeded
from publius.materials.directional_table import release_places, release_times
from publius.materials.places.sanitizer import PlaceSanitizer, PointsOfInterest
from publius.materials.times.clock import Clock
from publius.materials.times.sanitizer import TimeSanitizer
from publius.mechanisms.discrete_circular_laplace import DiscreteCircularLaplace
from publius.mechanisms.purkayastha import Purkayastha
from publius.mechanisms.von_mises_fisher import VonMisesFisher
from publius.numerics.circular.statistics import circular_distance
from publius.numerics.geometry.earth import RADIUS, great_circle

ALPHA = 1e-9
ROWS = 20_000


@pytest.fixture
def times() -> TimeSanitizer:
    law = DiscreteCircularLaplace.from_level(level=1.0, radius=30, modulus=1440)
    return TimeSanitizer(Clock(), law)


def test_times_move_as_far_as_the_law_says(
    times: TimeSanitizer,
) -> None:
    released = times.release(["23:50"] * ROWS, seeded(1))
    minutes = Clock().read(released)
    moved = circular_distance(minutes, 23 * 60 + 50, period=1440)
    expected = times.mechanism.mean_distance()
    assert moved.mean() == pytest.approx(expected, rel=0.05)
    assert abs(moved.mean() - 1.2 * expected) > 7 * moved.std() / math.sqrt(ROWS)


def test_clock_and_mechanism_must_agree() -> None:
    with pytest.raises(ParameterError, match="modulus=1440"):
        TimeSanitizer(Clock(), DiscreteCircularLaplace(1.0, 24))


def test_time_guarantee_is_in_steps(times: TimeSanitizer) -> None:
    guarantee = times.guarantee()
    assert guarantee.at(30).pure == pytest.approx(1.0)
    assert any("One step is 1min" in line for line in guarantee.scope.assumptions)
    assert any("k times" in line for line in guarantee.scope.uncovered)


def test_rounding_is_said() -> None:
    clock = Clock(resolution=900)
    law = DiscreteCircularLaplace(1.0, clock.modulus)
    told = " ".join(TimeSanitizer(clock, law).guarantee().scope.assumptions)
    assert "rounded to 15min" in told
    assert "dates" in told


@pytest.mark.parametrize("kappa", [0.0, 3.0, 1e6, 1e12])
@pytest.mark.parametrize("lat", [0.0, 89.99999, -90.0])
def test_places_move_as_far_as_the_law_says(kappa: float, lat: Any) -> None:
    law = Purkayastha(kappa, 3)
    start = np.full(ROWS, lat), np.linspace(-180, 180, ROWS)
    moved = PlaceSanitizer(law).release(*start, seeded(2))
    angle = great_circle(*start, *moved) / RADIUS
    assert kstest(angle, law.angle_cdf).pvalue > ALPHA
    wrong = Purkayastha(kappa * 1.2 + 0.5, 3)
    assert kstest(angle, wrong.angle_cdf).pvalue < ALPHA


@pytest.mark.parametrize("kappa", [0.0, 50.0, 1e6, 1e12])
def test_places_lie_on_the_stated_grid(kappa: float) -> None:
    sanitizer = PlaceSanitizer(VonMisesFisher(kappa, 3))
    lat, lon = sanitizer.release(
        np.full(200, 47.123456789), np.full(200, 179.9), seeded(3)
    )
    for degrees in (lat, lon):
        assert (np.round(degrees, sanitizer.decimals) == degrees).all()
    assert ((lon >= -180) & (lon < 180)).all()
    assert any(
        f"{sanitizer.decimals} decimals" in line
        for line in sanitizer.guarantee().scope.assumptions
    )


def test_grid_that_would_swallow_the_noise_is_refused() -> None:
    with pytest.raises(ParameterError, match="decimals"):
        PlaceSanitizer(Purkayastha(1e6, 3), decimals=3)
    with pytest.raises(ParameterError, match="decimals"):
        PlaceSanitizer(Purkayastha(1.0, 3), decimals=15)
    with pytest.raises(ParameterError, match="3 dimensions"):
        PlaceSanitizer(Purkayastha(1.0, 2))


def test_points_of_interest_are_the_nearest_to_the_noisy_place() -> None:
    points = PointsOfInterest(np.array([0.0, 60.0]), np.array([0.0, 60.0]), ["a", "b"])
    sanitizer = PlaceSanitizer(Purkayastha(1e4, 3)).with_points(points)
    lat, lon = sanitizer.release([1.0, 59.0], [1.0, 61.0], seeded(1))
    assert lat.tolist() == [0.0, 60.0]
    assert lon.tolist() == [0.0, 60.0]
    assert sanitizer.release_points([1.0, 59.0], [1.0, 61.0], seeded(1)).tolist() == [
        0,
        1,
    ]
    assert any("public set" in line for line in sanitizer.guarantee().scope.assumptions)
    with pytest.raises(ParameterError, match="points of interest"):
        PlaceSanitizer(Purkayastha(1.0, 3)).release_points([0.0], [0.0], seeded(0))
    with pytest.raises(DataError, match="names"):
        PointsOfInterest(np.zeros(2), np.zeros(2), ["a"])
    with pytest.raises(DataError, match="at least one"):
        PointsOfInterest(np.empty(0), np.empty(0), [])


def test_guarantee_says_what_trajectories_tell() -> None:
    guarantee = PlaceSanitizer(Purkayastha(5.0, 3)).guarantee()
    assert any("journey" in line for line in guarantee.scope.uncovered)
    assert any("6,371,008.8" in line for line in guarantee.scope.assumptions)
    assert not any("coordinate" in line for line in guarantee.scope.assumptions)


FRAME = {
    "wake": ["06:30", "07:15"],
    "minutes": [390, 435],
    "lat": [1.0, 2.0],
    "lon": [3.0, 4.0],
    "user": ["a", "b"],
}


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_tables_come_out_as_what_they_were(kind: Any, times: TimeSanitizer) -> None:
    table = kind(FRAME)
    released = release_times(table, times, seeded(1), column="wake", keep=["user"])
    assert type(released) is type(table)
    names = released.column_names if kind is pa.table else list(released.columns)
    assert names == ["wake", "user"]
    moved = release_places(table, PlaceSanitizer(Purkayastha(5.0, 3)), seeded(1))
    assert type(moved) is type(table)


def test_numbers_in_a_table_stay_numbers() -> None:
    law = DiscreteCircularLaplace(0.01, 1440)
    sanitizer = TimeSanitizer(Clock(unit=60), law)
    released = release_times(
        pd.DataFrame(FRAME), sanitizer, seeded(1), column="minutes"
    )
    assert released["minutes"].dtype == np.int64


def test_index_of_a_table_is_not_released(times: TimeSanitizer) -> None:
    table = pd.DataFrame(FRAME, index=["secret-1", "secret-2"])
    released = release_times(table, times, seeded(1), column="wake")
    assert released.index.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"lat": [1.0, None]}, "'lat' is empty in row 1"),
        ({"lat": ["north", "south"]}, "numbers"),
        ({"lat": [1.0, 91.0]}, "row 1"),
    ],
)
def test_bad_places_in_a_table_are_refused(
    change: dict[str, Any], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        release_places(
            pl.DataFrame(FRAME | change), PlaceSanitizer(Purkayastha(5.0, 3)), seeded(1)
        )


def test_bad_columns_are_refused(times: TimeSanitizer) -> None:
    frame = pl.DataFrame(FRAME)
    with pytest.raises(DataError, match="no column 'bed'"):
        release_times(frame, times, seeded(1), column="bed")
    with pytest.raises(DataError, match="no column 'bed'"):
        release_times(frame, times, seeded(1), column="wake", keep=["bed"])
    with pytest.raises(DataError, match="protected"):
        release_times(frame, times, seeded(1), column="wake", keep=["wake"])
