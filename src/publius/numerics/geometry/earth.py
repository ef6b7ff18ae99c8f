"""Places on the globe: WGS84 degrees, distances, steps and public points of interest.

Latitude and longitude are read as spherical coordinates on a globe of mean radius. True
distances on the WGS84 ellipsoid differ from those on the globe by at most 0.57 percent.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from publius.core.arrays import FloatArray
from publius.core.errors import DataError

RADIUS = 6_371_008.8
"""Mean radius of the Earth in metres."""
ELLIPSOID_EXCESS = 0.0057
"""True distances are at most this share shorter than those on the globe."""


def checked_places(
    lat: ArrayLike, lon: ArrayLike, *, first_row: int = 0
) -> tuple[FloatArray, FloatArray]:
    """Return degrees as float64, or raise and name the first row that is no place."""
    checked = []
    for name, values, limit in (("latitude", lat, 90.0), ("longitude", lon, 180.0)):
        degrees = np.asarray(values, dtype=np.float64)
        good = np.abs(degrees) <= limit
        if not good.all():
            row = first_row + int(np.argmin(good.ravel()))
            span = f"[-{limit:g}, {limit:g}]"
            raise DataError(f"{name} must lie in {span} degrees; row {row} does not")
        checked.append(degrees)
    if checked[0].shape != checked[1].shape:
        raise DataError(
            f"{checked[0].size} latitudes but {checked[1].size} longitudes were given"
        )
    return checked[0], checked[1]


def place_vectors(lat: ArrayLike, lon: ArrayLike) -> FloatArray:
    """Return the unit vector of each place."""
    lat, lon = checked_places(lat, lon)
    north, east = np.radians(lat), np.radians(lon)
    flat = np.cos(north)
    return np.stack((flat * np.cos(east), flat * np.sin(east), np.sin(north)), axis=-1)


def great_circle(
    lat: ArrayLike, lon: ArrayLike, other_lat: ArrayLike, other_lon: ArrayLike
) -> FloatArray:
    """Return the distance in metres between equal rows, exact at every scale."""
    one = [np.radians(x) for x in checked_places(lat, lon)]
    two = [np.radians(x) for x in checked_places(other_lat, other_lon)]
    return _haversine(one[0], one[1], two[0], two[1])


def great_circle_matrix(
    lat: ArrayLike, lon: ArrayLike, other_lat: ArrayLike, other_lon: ArrayLike
) -> FloatArray:
    """Return all distances in metres from the first places to the second."""
    one = [np.radians(x)[:, None] for x in checked_places(lat, lon)]
    two = [np.radians(x)[None, :] for x in checked_places(other_lat, other_lon)]
    return _haversine(one[0], one[1], two[0], two[1])


def step(
    lat: FloatArray, lon: FloatArray, angle: FloatArray, bearing: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Walk from each place by an angle in a direction, along the great circle.

    Works with the change of latitude and longitude, not with the result, so that a step
    of micrometres keeps its digits; over the poles and across the antimeridian too.

    Args:
        lat: Latitude in degrees.
        lon: Longitude in degrees.
        angle: Length of the walk in radians, in [0, pi].
        bearing: Direction in radians, clockwise from north.
    """
    phi = np.radians(lat)
    sine, cosine = np.sin(phi), np.cos(phi)
    up, along = np.cos(angle), np.sin(angle)
    north, east = along * np.cos(bearing), along * np.sin(bearing)
    ahead = up * cosine - north * sine
    reach = np.hypot(ahead, east)
    # reach - ahead without cancellation where the walk stays on its side of the pole.
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = np.where(ahead > 0, east * east / (reach + ahead), reach - ahead)
    change = np.arctan2(north - gap * sine, up + gap * cosine)
    turned = np.degrees(np.arctan2(east, ahead))
    # Adding the turn may pass the antimeridian once in either direction.
    moved_lon = lon + turned
    moved_lon = np.where(moved_lon >= 180.0, moved_lon - 360.0, moved_lon)
    moved_lon = np.where(moved_lon < -180.0, moved_lon + 360.0, moved_lon)
    return np.clip(lat + np.degrees(change), -90.0, 90.0), moved_lon


def _haversine(
    lat: FloatArray, lon: FloatArray, other_lat: FloatArray, other_lon: FloatArray
) -> FloatArray:
    near, far = np.sin((other_lon - lon) / 2) ** 2, np.cos((other_lon - lon) / 2) ** 2
    both = np.cos(lat) * np.cos(other_lat)
    chord = np.sin((other_lat - lat) / 2) ** 2 + both * near
    # One minus chord, formed as the distance to the antipode: no digits are lost there.
    rest = np.sin((other_lat + lat) / 2) ** 2 + both * far
    return np.asarray(2 * RADIUS * np.arctan2(np.sqrt(chord), np.sqrt(rest)))


def metres_to_angle(metres: float) -> float:
    """Return the angle at the Earth's centre, at most half a turn."""
    return min(metres / RADIUS, math.pi)
