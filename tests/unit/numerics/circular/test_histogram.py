import math
from typing import Any

import numpy as np
import pytest

from publius.core.errors import DataError, ParameterError
from publius.numerics.circular.histogram import (
    Busyness,
    SphereBins,
    circular_histogram,
    mean_absolute_error,
)
from publius.numerics.circular.transport import circular_emd, great_circle_emd
from publius.numerics.geometry.earth import RADIUS, great_circle_matrix


def test_circle_bins_start_at_zero_and_wrap() -> None:
    counts = circular_histogram([0.0, 0.5, 23.99, 24.0, -0.5], bins=24, period=24)
    assert counts[0] == 3
    assert counts[23] == 2


def test_tiny_negative_time_stays_in_a_bin() -> None:
    assert circular_histogram([-1e-18], bins=24, period=24).sum() == 1


@pytest.mark.parametrize("equal_area", [True, False])
def test_every_place_has_a_cell_and_its_centre_is_in_it(equal_area: Any) -> None:
    bins = SphereBins(18, 36, is_equal_area=equal_area)
    lat, lon = bins.centres()
    assert (bins.cell(lat, lon) == np.arange(bins.size)).all()
    corners = bins.cell([90.0, -90.0, 0.0, 0.0], [180.0, -180.0, 180.0, -180.0])
    assert ((corners >= 0) & (corners < bins.size)).all()
    assert corners[2] == corners[3]


def test_equal_area_cells_fill_equally() -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((40_000, 3))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    lat, lon = np.degrees(np.arcsin(x[:, 2])), np.degrees(np.arctan2(x[:, 1], x[:, 0]))
    equal = SphereBins(10, 10, is_equal_area=True).count(lat, lon)
    plain = SphereBins(10, 10).count(lat, lon)
    assert np.abs(equal - 400).max() < 7 * 20
    assert np.abs(plain - 400).max() > 7 * 20


def test_busyness_uses_the_nearest_location_and_the_hour() -> None:
    places = Busyness(np.array([52.0, -90.0]), np.array([13.0, 0.0]))
    counts = places.count([52.1, 51.9, -89.0], [12.9, 13.0, 170.0], [23.5, 23.9, 0.0])
    assert counts.shape == (2, 24)
    assert counts[0, 23] == 2
    assert counts[1, 0] == 1


def test_busyness_near_the_antimeridian() -> None:
    places = Busyness(np.array([0.0, 0.0]), np.array([179.9, 170.0]))
    assert places.nearest([0.0], [-179.9]).tolist() == [0]


def test_busyness_refuses_uneven_input() -> None:
    with pytest.raises(DataError, match="1 places but 2 times"):
        Busyness(np.array([0.0]), np.array([0.0])).count([0.0], [0.0], [1.0, 2.0])
    with pytest.raises(DataError, match="at least one"):
        Busyness(np.empty(0), np.empty(0))


def test_circular_emd_takes_the_short_way() -> None:
    a, b = np.zeros(24), np.zeros(24)
    a[23], b[1] = 5, 3
    assert float(circular_emd(a, b)) == pytest.approx(2)
    assert float(circular_emd(a, a)) == 0
    assert float(circular_emd(a, np.roll(a, 12))) == pytest.approx(12)


def test_circular_emd_agrees_with_transport() -> None:
    ot = pytest.importorskip("ot")
    rng = np.random.default_rng(1)
    a, b = rng.random((2, 12))
    step = np.abs(np.arange(12)[:, None] - np.arange(12))
    cost = np.minimum(step, 12 - step) * 2.0
    plan = ot.emd2(a / a.sum(), b / b.sum(), cost)
    assert float(circular_emd(a, b, period=24)) == pytest.approx(plan, abs=1e-9)


def test_circular_emd_of_many_histograms() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.random((2, 5, 24))
    one_by_one = [float(circular_emd(x, y)) for x, y in zip(a, b, strict=True)]
    assert circular_emd(a, b) == pytest.approx(one_by_one)


def test_great_circle_emd() -> None:
    lat, lon = SphereBins(4, 4).centres()
    a, b = np.zeros(16), np.zeros(16)
    a[0] = a[5] = 1
    b[3] = b[5] = 1
    expected = great_circle_matrix(lat[:1], lon[:1], lat[3:4], lon[3:4])[0, 0] / 2
    assert great_circle_emd(a, b, lat, lon) == pytest.approx(expected)
    assert great_circle_emd(a, a, lat, lon) == 0
    assert expected < math.pi * RADIUS


@pytest.mark.parametrize("bad", [[0.0, 0.0], [-1.0, 2.0], [math.nan, 1.0], []])
def test_impossible_histograms_are_refused(bad: float) -> None:
    with pytest.raises(DataError):
        circular_emd(bad, bad)


def test_histograms_must_match() -> None:
    with pytest.raises(DataError, match="same bins"):
        circular_emd([1.0, 2.0], [1.0])
    with pytest.raises(DataError, match="same cells"):
        great_circle_emd([1.0, 2.0], [1.0, 1.0], np.zeros(3), np.zeros(3))
    with pytest.raises(DataError, match="same bins"):
        mean_absolute_error([1.0], [1.0, 2.0])
    with pytest.raises(ParameterError, match="rows"):
        SphereBins(0, 3)
    with pytest.raises(DataError, match="row 1"):
        circular_histogram([1.0, math.inf])


def test_mean_absolute_error() -> None:
    assert mean_absolute_error([1, 2, 3], [1, 0, 6]) == pytest.approx(5 / 3)
