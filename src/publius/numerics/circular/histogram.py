"""Histograms on the circle and on the sphere, and how busy places are by the hour."""

import math
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from publius.core.arrays import FloatArray, IdArray, at_least, positive
from publius.core.errors import DataError
from publius.numerics.geometry.circle import TURN
from publius.numerics.geometry.earth import checked_places, place_vectors


def circular_histogram(
    values: ArrayLike, *, bins: int = 24, period: float = TURN
) -> IdArray:
    """Count values in equal bins of one period; the first bin starts at 0."""
    at_least("bins", bins, 1)
    at = np.asarray(values, dtype=np.float64).ravel()
    if not np.isfinite(at).all():
        raise DataError(
            f"values must be finite; row {int(np.argmin(np.isfinite(at)))} is not"
        )
    share = np.mod(at, positive("period", period)) / period
    bin_of = np.minimum((share * bins).astype(np.int64), bins - 1)
    return np.bincount(bin_of, minlength=bins).astype(np.int64)


@dataclass(frozen=True, slots=True)
class SphereBins:
    """A grid of cells on the sphere, rows from south to north.

    Args:
        rows: Bands of latitude.
        columns: Cells in each band, from 180 degrees west eastward.
        is_equal_area: Bands of equal surface instead of equal latitude.
    """

    rows: int = 90
    columns: int = 180
    is_equal_area: bool = False

    def __post_init__(self) -> None:
        at_least("rows", self.rows, 1)
        at_least("columns", self.columns, 1)

    @property
    def size(self) -> int:
        """Number of cells."""
        return self.rows * self.columns

    def cell(self, lat: ArrayLike, lon: ArrayLike) -> IdArray:
        """Return the cell of each place, in degrees."""
        lat, lon = checked_places(lat, lon)
        height = (
            (np.sin(np.radians(lat)) + 1) / 2 if self.is_equal_area else lat / 180 + 0.5
        )
        band = np.minimum((height * self.rows).astype(np.int64), self.rows - 1)
        along = np.mod(lon + 180.0, 360.0) / 360.0
        column = np.minimum((along * self.columns).astype(np.int64), self.columns - 1)
        return np.asarray(band * self.columns + column)

    def count(self, lat: ArrayLike, lon: ArrayLike) -> IdArray:
        """Return the number of places in each cell."""
        return np.bincount(self.cell(lat, lon), minlength=self.size).astype(np.int64)

    def centres(self) -> tuple[FloatArray, FloatArray]:
        """Return latitude and longitude of the middle of each cell, in degrees."""
        height = (np.arange(self.rows) + 0.5) / self.rows
        if self.is_equal_area:
            lat = np.degrees(np.arcsin(2 * height - 1))
        else:
            lat = height * 180 - 90
        lon = (np.arange(self.columns) + 0.5) / self.columns * 360 - 180
        return np.repeat(lat, self.columns), np.tile(lon, self.rows)


@dataclass(frozen=True, slots=True, eq=False)
class Busyness:
    """Count visits by nearest public location and time of day.

    Args:
        lat: Latitude of each location, in degrees.
        lon: Longitude of each location.
        bins: Bins of a day, 24 for hours.
    """

    lat: FloatArray
    lon: FloatArray
    bins: int = 24

    def __post_init__(self) -> None:
        lat = checked_places(self.lat, self.lon)[0]
        if lat.ndim != 1 or len(lat) == 0:
            raise DataError("busyness needs at least one location")
        at_least("bins", self.bins, 1)

    def nearest(self, lat: ArrayLike, lon: ArrayLike) -> IdArray:
        """Return the location closest to each place, along the great circle."""
        # Chord and arc order the same way, so a tree on unit vectors is exact.
        tree = scipy.spatial.KDTree(place_vectors(self.lat, self.lon))
        return np.asarray(tree.query(place_vectors(lat, lon))[1], dtype=np.int64)

    def count(
        self, lat: ArrayLike, lon: ArrayLike, time: ArrayLike, *, period: float = 24.0
    ) -> IdArray:
        """Return visits, one row per location and one column per bin of the day."""
        place = self.nearest(lat, lon)
        share = np.mod(np.asarray(time, dtype=np.float64), positive("period", period))
        share = share / period
        if len(share) != len(place):
            raise DataError(f"{len(place)} places but {len(share)} times")
        hour = np.minimum((share * self.bins).astype(np.int64), self.bins - 1)
        cells = np.bincount(
            place * self.bins + hour, minlength=len(self.lat) * self.bins
        )
        return cells.reshape(len(self.lat), self.bins).astype(np.int64)


def mean_absolute_error(a: ArrayLike, b: ArrayLike) -> float:
    """Return the mean absolute difference of two histograms of the same bins."""
    one, two = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if one.shape != two.shape or one.size == 0:
        raise DataError("two histograms must have the same bins")
    return float(math.fsum(np.abs(one - two).ravel()) / one.size)
