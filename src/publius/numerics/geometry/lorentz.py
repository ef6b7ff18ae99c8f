"""Hyperbolic space without saturation: Lorentz coordinates, and radius and direction.

A point is ``(cosh r, sinh r * u)`` on the hyperboloid; products of such rows give the
distances of a whole table from one matrix product. For points that lie far out both
coordinates grow like ``e^r`` and their products lose the digits of a short distance, so
single distances are taken from radius and direction, that is from the tangent vector at
the origin ``log0(x) = r * u``, which every double can hold and which never saturates.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from publius.core.arrays import FloatArray
from publius.core.errors import DataError
from publius.numerics.geometry.poincare import clamped, inside, room

LARGEST = 700.0
"""Radius up to which Lorentz coordinates are finite doubles."""


def from_poincare(points: ArrayLike) -> FloatArray:
    """Return the Lorentz coordinates of points of the ball, the time first."""
    x = inside(points)
    left = room(x)[:, None]
    return np.concatenate([(2 - left) / left, 2 * x / left], axis=1)


def to_poincare(rows: ArrayLike) -> FloatArray:
    """Return points of the ball, clamped to the largest double below the boundary."""
    x = on_hyperboloid(rows)
    return clamped(x[:, 1:] / (1 + x[:, :1]))


def on_hyperboloid(rows: ArrayLike) -> FloatArray:
    """Return rows whose time coordinate agrees with the others, or raise."""
    x = np.asarray(rows, dtype=np.float64)
    if x.ndim != 2 or x.shape[1] < 2:
        raise DataError(f"Lorentz coordinates have shape (rows, n + 1), got {x.shape}")
    time = np.hypot(1.0, _length(x[:, 1:]))
    good = np.abs(x[:, 0] - time) <= 1e-9 * time
    if not good.all():
        raise DataError(
            f"row {int(np.argmin(good))} does not lie on the hyperboloid; its first "
            "coordinate must be sqrt(1 + |rest|^2)"
        )
    return x


def exp0(tangent: ArrayLike) -> FloatArray:
    """Return Lorentz coordinates of tangent vectors at the origin, radius <= 700."""
    rows = np.asarray(tangent, dtype=np.float64)
    radius, direction = polar(rows)
    if not (radius <= LARGEST).all():
        row = int(np.argmin(radius <= LARGEST))
        raise DataError(f"row {row} is further than {LARGEST:g} from the origin")
    out = np.empty((len(rows), rows.shape[1] + 1))
    out[:, 0] = np.cosh(radius)
    out[:, 1:] = np.sinh(radius)[:, None] * direction
    return out


def log0(rows: ArrayLike) -> FloatArray:
    """Return the tangent vector at the origin that leads to each Lorentz row."""
    x = on_hyperboloid(rows)
    length = _length(x[:, 1:])
    scale = np.arcsinh(length) / np.where(length > 0, length, 1.0)
    return np.asarray(x[:, 1:] * np.where(length > 0, scale, 1.0)[:, None])


def polar(tangent: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return radius and unit direction of tangent vectors; the origin has none, 0."""
    rows = np.asarray(tangent, dtype=np.float64)
    if rows.ndim != 2 or not np.isfinite(rows).all():
        raise DataError("tangent vectors must be finite rows")
    radius = np.linalg.norm(rows, axis=1)
    return radius, rows / np.where(radius > 0, radius, 1.0)[:, None]


def distance(a: ArrayLike, b: ArrayLike) -> FloatArray:
    """Return the hyperbolic distance of equal rows of tangent vectors at the origin.

    ``cosh d - 1 = 2 sinh^2((r - s)/2) + sinh r sinh s |u - v|^2 / 2`` is a sum of two
    terms >= 0, so nothing cancels; in logarithms nothing overflows either.
    """
    (r, u), (s, v) = polar(a), polar(b)
    return _side(r, s, np.linalg.norm(u - v, axis=1))


def translated(start: ArrayLike, step: ArrayLike) -> FloatArray:
    """Return ``x ⊕ y`` for rows given as tangent vectors at the origin.

    The isometry that carries the origin to `start` along their geodesic, applied to
    `step`: distances from `start` to the result are the lengths of `step`.
    """
    (big, e), (r, u) = polar(start), polar(step)
    both = e + u
    chord = np.linalg.norm(both, axis=1)
    radius = _side(big, r, chord)
    # Divided by exp(R + r), which leaves the direction as it is. Written for u + e:
    # where the step leads back over the origin, u = -e, nothing cancels.
    far, near = np.exp(-2 * big), np.exp(-2 * r)
    sinh_r, versed = (1 - near) / 2, (1 - np.exp(-big)) ** 2 / 2
    along = (near - far) / 2 + versed * sinh_r * chord**2 / 2
    way = (np.exp(-big) * sinh_r)[:, None] * both + along[:, None] * e
    length = np.linalg.norm(way, axis=1)
    return np.asarray(way * (radius / np.where(length > 0, length, 1.0))[:, None])


def limited(tangent: FloatArray, radius: float) -> FloatArray:
    """Clamp rows to a ball about the origin: a function of the row alone."""
    length = np.linalg.norm(tangent, axis=1, keepdims=True)
    return np.asarray(tangent * np.minimum(1.0, radius / np.maximum(length, radius)))


def _side(r: FloatArray, s: FloatArray, chord: FloatArray) -> FloatArray:
    """Return the third side of triangles with sides r, s and a chord of directions."""
    with np.errstate(divide="ignore"):
        gap = math.log(2) + 2 * _log_sinh(np.abs(r - s) / 2)
        turn = _log_sinh(r) + _log_sinh(s) + 2 * np.log(chord) - math.log(2)
    log_t = np.logaddexp(gap, turn)
    # arcosh(1 + t) is log(2t) to all digits long before exp would overflow.
    t = np.exp(np.minimum(log_t, 100.0))
    exact = np.log1p(t + np.sqrt(t) * np.sqrt(t + 2))
    return np.asarray(np.where(log_t < 100.0, exact, log_t + math.log(2)))


def _log_sinh(x: FloatArray) -> FloatArray:
    return np.asarray(x + np.log(-np.expm1(-2 * x)) - math.log(2))


def _length(rows: FloatArray) -> FloatArray:
    """Return norms of rows whose squares may overflow."""
    largest = np.abs(rows).max(axis=1, initial=0.0)
    scale = np.where(largest > 0, largest, 1.0)
    return np.asarray(scale * np.linalg.norm(rows / scale[:, None], axis=1))
