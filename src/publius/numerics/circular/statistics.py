"""Statistics of values that repeat: on a circle of any period, and on the sphere."""

import math
from collections.abc import Mapping

import numpy as np
import scipy
from numpy.typing import ArrayLike

from publius.core.arrays import FloatArray, positive
from publius.core.errors import DataError
from publius.numerics.geometry.circle import TURN

BALANCED = 1e-12
"""A resultant shorter than this has no direction but that of its rounding errors."""


def circular_mean(values: ArrayLike, *, period: float = TURN) -> float:
    """Return the direction of the mean vector, in [0, period).

    Raises:
        DataError: There are no values, or they balance and have no mean.
    """
    resultant = _resultant(values, period)
    if abs(resultant) < BALANCED:
        raise DataError("the values balance each other and have no circular mean")
    mean = math.atan2(resultant.imag, resultant.real) * period / TURN
    return math.fmod(mean + period, period)


def resultant_length(values: ArrayLike, *, period: float = TURN) -> float:
    """Return the length of the mean vector: 1 if all agree, 0 if they balance."""
    return abs(_resultant(values, period))


def circular_variance(values: ArrayLike, *, period: float = TURN) -> float:
    """Return one minus the resultant length."""
    return 1.0 - resultant_length(values, period=period)


def circular_difference(
    a: ArrayLike, b: ArrayLike, *, period: float = TURN
) -> FloatArray:
    """Return how far `a` lies ahead of `b`, in [-period/2, period/2).

    The published definition has the wrong sign where the raw difference exceeds half a
    period; this one agrees with it everywhere else.
    """
    length = positive("period", period)
    raw = np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)
    turned = np.mod(raw + length / 2, length)
    # mod rounds a tiny negative number up to a whole period.
    return np.where(turned >= length, 0.0, turned) - length / 2


def circular_distance(
    a: ArrayLike, b: ArrayLike, *, period: float = TURN
) -> FloatArray:
    """Return the shorter way between `a` and `b`, in [0, period/2]."""
    return np.abs(circular_difference(a, b, period=period))


def mean_direction(x: ArrayLike) -> FloatArray:
    """Return the unit vector of the sum of rows.

    Raises:
        DataError: There are no rows, or they balance and have no mean.
    """
    rows = np.asarray(x, dtype=np.float64)
    if rows.ndim != 2 or len(rows) == 0:
        raise DataError("a mean direction needs at least one row")
    total = rows.mean(axis=0)
    length = float(np.linalg.norm(total))
    if not length >= BALANCED:
        raise DataError("the rows balance each other and have no mean direction")
    return np.asarray(total / length)


def rank_agreement(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    """Return Spearman's rank correlation of two values per group.

    Raises:
        DataError: The groups differ, or there are fewer than two.
    """
    if a.keys() != b.keys():
        raise DataError("both sides of a ranking need the same groups")
    if len(a) < 2:
        raise DataError("a ranking needs at least two groups")
    one = scipy.stats.rankdata([a[group] for group in a])
    two = scipy.stats.rankdata([b[group] for group in a])
    one, two = one - one.mean(), two - two.mean()
    spread = math.sqrt(float((one * one).sum() * (two * two).sum()))
    return float((one * two).sum() / spread) if spread > 0 else 0.0


def _resultant(values: ArrayLike, period: float) -> complex:
    at = np.asarray(values, dtype=np.float64).ravel()
    if at.size == 0:
        raise DataError("circular statistics need at least one value")
    if not np.isfinite(at).all():
        row = int(np.argmin(np.isfinite(at)))
        raise DataError(f"values must be finite; row {row} is not")
    angle = at * (TURN / positive("period", period))
    return complex(np.cos(angle).mean(), np.sin(angle).mean())
