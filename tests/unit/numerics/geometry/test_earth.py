import math
from typing import Any

import numpy as np
import pytest

from publius.core.errors import DataError
from publius.numerics.geometry.earth import (
    RADIUS,
    checked_places,
    great_circle,
    great_circle_matrix,
    metres_to_angle,
    place_vectors,
    step,
)


def test_known_distance() -> None:
    """Berlin to Sydney on a globe of mean radius."""
    metres = great_circle(52.52, 13.405, -33.8688, 151.2093)
    assert float(metres) == pytest.approx(16_091_000, rel=2e-3)


@pytest.mark.parametrize("metres", [1e-6, 1.0, 1e4, 1e7])
def test_distance_keeps_its_digits(metres: float) -> None:
    degrees = math.degrees(metres / RADIUS)
    assert float(great_circle(0.0, 0.0, 0.0, degrees)) == pytest.approx(
        metres, rel=1e-7
    )
    near_antipode = float(great_circle(0.0, 0.0, 0.0, 180.0 - degrees))
    assert near_antipode == pytest.approx(math.pi * RADIUS - metres, abs=1e-6)


def test_matrix_agrees_with_rows() -> None:
    lat, lon = np.array([10.0, -80.0]), np.array([170.0, -170.0])
    matrix = great_circle_matrix(lat, lon, lat, lon)
    assert matrix[0, 1] == pytest.approx(float(great_circle(10, 170, -80, -170)))
    assert np.diag(matrix) == pytest.approx([0, 0])


def test_vectors_are_unit() -> None:
    x = place_vectors([0.0, 90.0, -45.0], [0.0, 77.0, 180.0])
    assert np.linalg.norm(x, axis=1) == pytest.approx([1, 1, 1])
    assert x[1] == pytest.approx([0, 0, 1], abs=1e-15)


@pytest.mark.parametrize("lat", [-90.0, -89.999999, 0.0, 37.5, 89.9999, 90.0])
@pytest.mark.parametrize("angle", [1e-13, 1e-6, 0.5, 2.0, math.pi])
def test_step_walks_exactly_as_far_as_asked(lat: Any, angle: float) -> None:
    bearing = np.linspace(0, 2 * math.pi, 37)
    start_lat, start_lon = np.full(37, lat), np.full(37, 179.99)
    north, east = step(start_lat, start_lon, np.full(37, angle), bearing)
    walked = great_circle(start_lat, start_lon, north, east) / RADIUS
    assert walked == pytest.approx(angle, rel=2e-2 if angle < 1e-9 else 1e-8, abs=1e-15)
    assert ((east >= -180) & (east < 180)).all()


def test_step_over_the_pole_changes_the_meridian() -> None:
    north, east = step(
        np.array([89.0]),
        np.array([10.0]),
        np.array([math.radians(2.0)]),
        np.array([0.0]),
    )
    assert north[0] == pytest.approx(89.0)
    assert east[0] == pytest.approx(-170.0)


def test_step_across_the_antimeridian() -> None:
    _, east = step(
        np.array([0.0]),
        np.array([179.5]),
        np.array([math.radians(1.0)]),
        np.array([math.pi / 2]),
    )
    assert east[0] == pytest.approx(-179.5)


@pytest.mark.parametrize(
    ("lat", "lon", "message"),
    [
        ([0.0, 91.0], [0.0, 0.0], "latitude.*row 1"),
        ([0.0, 0.0], [-180.5, 0.0], "longitude.*row 0"),
        ([math.nan], [0.0], "latitude.*row 0"),
        ([0.0], [0.0, 1.0], "1 latitudes but 2"),
    ],
)
def test_what_is_no_place_is_refused(lat: Any, lon: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        checked_places(lat, lon)


def test_angle_of_a_length_stops_at_half_a_turn() -> None:
    assert metres_to_angle(RADIUS) == 1
    assert metres_to_angle(1e12) == math.pi
