"""The unit sphere in any dimension: angles, areas and steps in a random direction."""

import math

import numpy as np
import scipy
from numpy.typing import ArrayLike

from publius.core.arrays import FloatArray, Rng, rows_of
from publius.core.errors import DataError

UNIT_TOLERANCE = 1e-6
BLOCK_ITEMS = 1 << 15
"""Coordinates per block: small enough to stay in the cache of one core."""


def log_area(dim: int) -> float:
    """Return the logarithm of the surface of the unit sphere in `dim` dimensions."""
    return (
        math.log(2)
        + dim / 2 * math.log(math.pi)
        - float(scipy.special.gammaln(dim / 2))
    )


def angle_between(a: ArrayLike, b: ArrayLike) -> FloatArray:
    """Return the angle between equal rows of `a` and `b`, exact near 0 and pi."""
    u, v = _normalised(a), _normalised(b)
    # arccos of a dot product loses half the digits near 0 and pi.
    chord = np.linalg.norm(u - v, axis=-1)
    antichord = np.linalg.norm(u + v, axis=-1)
    return np.asarray(2 * np.arctan2(chord, antichord))


def unit_rows(x: ArrayLike, dim: int) -> FloatArray:
    """Return `x` as unit vectors of length `dim`, or raise and name the row."""
    rows = rows_of(x, dim)
    return rows / norms(rows)[:, None]


def norms(rows: FloatArray, first: int = 0) -> FloatArray:
    """Return the norms of unit rows, or raise unless each is 1 up to rounding."""
    norm = np.sqrt(np.vecdot(rows, rows))
    good = np.abs(norm - 1) <= UNIT_TOLERANCE
    if not good.all():
        row = first + int(np.argmin(good))
        raise DataError(
            f"x must have rows of length 1; row {row} has not; "
            "divide each row by its length first"
        )
    return np.asarray(norm)


def move(x: FloatArray, angle: FloatArray, spacing: float, rng: Rng) -> FloatArray:
    """Move each row by its own angle in a uniform direction, then snap to a grid.

    Coordinates are rounded to multiples of `spacing`, a power of two, so that the last
    digits of a result cannot tell from which row it came.
    """
    rows, dim = x.shape
    out = np.empty((rows, dim))
    block = max(1, BLOCK_ITEMS // max(dim, 8))
    stepper = {2: _turn, 3: _circle}.get(dim, _project)
    for start in range(0, rows, block):
        part = slice(start, min(start + block, rows))
        mean = x[part]
        norm = norms(mean, start)
        stepper(mean, norm, angle[part], spacing, rng, out[part])
    return out


def _turn(
    mean: FloatArray,
    norm: FloatArray,
    angle: FloatArray,
    spacing: float,
    rng: Rng,
    out: FloatArray,
) -> None:
    """On the circle there are two directions."""
    scale = 1 / (norm * spacing)
    sign = 1.0 - 2.0 * rng.integers(0, 2, size=len(mean))
    along, across = np.cos(angle) * scale, sign * np.sin(angle) * scale
    np.rint(along * mean[:, 0] - across * mean[:, 1], out=out[:, 0])
    np.rint(along * mean[:, 1] + across * mean[:, 0], out=out[:, 1])
    out *= spacing


def _circle(
    mean: FloatArray,
    norm: FloatArray,
    angle: FloatArray,
    spacing: float,
    rng: Rng,
    out: FloatArray,
) -> None:
    """On the sphere the directions form a circle in the tangent plane."""
    x, y, z = (mean / norm[:, None]).T
    # Orthonormal frame without a square root or a branch (Duff et al. 2017).
    sign = np.copysign(1.0, z)
    a = -1.0 / (sign + z)
    b = x * y * a
    bearing = rng.uniform(0.0, 2 * math.pi, size=len(mean))
    across = np.sin(angle) / spacing
    one, two = across * np.cos(bearing), across * np.sin(bearing)
    along = np.cos(angle) / spacing
    np.rint(along * x + one * (1 + sign * x * x * a) + two * b, out=out[:, 0])
    np.rint(along * y + one * sign * b + two * (sign + y * y * a), out=out[:, 1])
    np.rint(along * z - one * sign * x - two * y, out=out[:, 2])
    out *= spacing


def _project(
    mean: FloatArray,
    norm: FloatArray,
    angle: FloatArray,
    spacing: float,
    rng: Rng,
    out: FloatArray,
) -> None:
    """Project a Gaussian vector on the tangent space; no basis is ever built."""
    rng.standard_normal(out=out)
    along = np.vecdot(out, mean) / norm
    across = np.sqrt(np.maximum(np.vecdot(out, out) - along * along, 0.0))
    scale = np.sin(angle) / (across * spacing)
    shift = (np.cos(angle) / spacing - scale * along) / norm
    out *= scale[:, None]
    out += shift[:, None] * mean
    np.rint(out, out=out)
    out *= spacing


def _normalised(a: ArrayLike) -> FloatArray:
    rows = np.asarray(a, dtype=np.float64)
    length = np.linalg.norm(rows, axis=-1, keepdims=True)
    if not (length > 0).all():
        raise DataError("an angle needs two vectors that are not zero")
    return np.asarray(rows / length)
