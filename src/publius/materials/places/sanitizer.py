"""Release places on the globe: a noisy walk from each, then a public grid or points."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, Self

import numpy as np
import scipy
from numpy.typing import ArrayLike

from publius.core.arrays import FloatArray, IdArray, Rng
from publius.core.errors import DataError, ParameterError
from publius.core.guarantee import Guarantee, Scope
from publius.numerics.geometry.earth import (
    ELLIPSOID_EXCESS,
    RADIUS,
    checked_places,
    place_vectors,
    step,
)

FEWEST_DECIMALS, MOST_DECIMALS = 4, 12
LEAST_STEPS = 20
TRAJECTORIES = (
    "Repeated records: the loss of a person with k records is k times that of one.",
    "Trajectories: which places belong to one journey, their order, number and times "
    "are not hidden, and places visited again and again average out.",
)


class AngularNoise(Protocol):
    """A mechanism on the sphere that is known by the law of its angle."""

    @property
    def name(self) -> str:
        """Registered name."""
        ...

    @property
    def dim(self) -> int:
        """Dimension; places need 3."""
        ...

    def guarantee(self) -> Guarantee:
        """Return the guarantee for one direction."""
        ...

    def angles(self, count: int, rng: Rng) -> FloatArray:
        """Draw angles between input and output."""
        ...

    def mean_angle(self) -> float:
        """Return the expected angle."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class PointsOfInterest:
    """Public places to which released ones are moved.

    Args:
        lat: Latitude in degrees.
        lon: Longitude in degrees.
        names: One for each place.
    """

    lat: FloatArray
    lon: FloatArray
    names: Sequence[str]
    _tree: "scipy.spatial.KDTree" = field(init=False, repr=False)

    def __post_init__(self) -> None:
        lat, lon = checked_places(self.lat, self.lon)
        if len(lat) == 0:
            raise DataError("there must be at least one point of interest")
        if len(self.names) != len(lat):
            raise DataError(
                f"{len(lat)} points of interest but {len(self.names)} names"
            )
        object.__setattr__(self, "_tree", scipy.spatial.KDTree(place_vectors(lat, lon)))

    def nearest(self, lat: FloatArray, lon: FloatArray) -> IdArray:
        """Return the closest point to each place, along the great circle."""
        return np.asarray(self._tree.query(place_vectors(lat, lon))[1], dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class PlaceSanitizer:
    """Release places by a walk of random length in a uniform direction.

    Args:
        mechanism: The law of the walk's length, on the sphere.
        points: Public places to end at; None rounds to a grid of degrees.
        decimals: Of released degrees; by default far below the noise.
    """

    mechanism: AngularNoise
    points: PointsOfInterest | None = None
    decimals: int = field(default=-1)

    def __post_init__(self) -> None:
        if self.mechanism.dim != 3:
            raise ParameterError(
                f"places need a mechanism in 3 dimensions, got {self.mechanism.dim}"
            )
        noise = math.degrees(self.mechanism.mean_angle())
        if self.decimals < 0:
            fitting = math.ceil(-math.log10(noise / 1000))
            fitting = min(max(fitting, FEWEST_DECIMALS), MOST_DECIMALS)
            object.__setattr__(self, "decimals", fitting)
        if self.decimals > MOST_DECIMALS or noise < LEAST_STEPS * 10.0**-self.decimals:
            raise ParameterError(
                f"{self.decimals} decimals of a degree cannot carry noise of "
                f"{noise:.2g} degrees; use at most {MOST_DECIMALS} and more noise"
            )

    def with_points(self, points: PointsOfInterest) -> Self:
        """Return the same mechanism, moved to the nearest public point."""
        return type(self)(self.mechanism, points, self.decimals)

    def release(
        self, lat: ArrayLike, lon: ArrayLike, rng: Rng
    ) -> tuple[FloatArray, FloatArray]:
        """Return a noisy place for each place, in degrees."""
        noisy = self._walk(lat, lon, rng)
        if self.points is None:
            return noisy
        at = self.points.nearest(*noisy)
        return np.asarray(self.points.lat)[at], np.asarray(self.points.lon)[at]

    def release_points(self, lat: ArrayLike, lon: ArrayLike, rng: Rng) -> IdArray:
        """Return the number of a public point for each place.

        Raises:
            ParameterError: There are no public points.
        """
        if self.points is None:
            raise ParameterError("no points of interest are set; see with_points")
        return self.points.nearest(*self._walk(lat, lon, rng))

    def guarantee(self) -> Guarantee:
        """Return the guarantee for one record, per radian at the Earth's centre."""
        grid = f"Degrees are rounded to {self.decimals} decimals, for all places alike."
        if self.points is not None:
            grid = "Places are moved to the nearest of a public set of points."
        guarantee = self.mechanism.guarantee()
        return replace(
            guarantee,
            metric="great-circle:radian",
            scope=Scope(
                covered=("The place of each row.",),
                uncovered=(*guarantee.scope.uncovered, *TRAJECTORIES),
                assumptions=(
                    "Idealized: the law is proved over the real numbers.",
                    f"One radian is {RADIUS:,.1f} m along a great circle; a true "
                    f"distance may be up to {ELLIPSOID_EXCESS:.2%} shorter than on "
                    "that globe.",
                    grid,
                ),
            ),
        )

    def _walk(
        self, lat: ArrayLike, lon: ArrayLike, rng: Rng
    ) -> tuple[FloatArray, FloatArray]:
        lat, lon = checked_places(lat, lon)
        angle = self.mechanism.angles(lat.size, rng).reshape(lat.shape)
        bearing = rng.uniform(0.0, 2 * math.pi, size=lat.shape)
        north, east = step(lat, lon, angle, bearing)
        # Rounding to a public grid hides the last digits, which would tell the secret.
        north, east = np.round(north, self.decimals), np.round(east, self.decimals)
        return north, np.where(east >= 180.0, -180.0, east)
