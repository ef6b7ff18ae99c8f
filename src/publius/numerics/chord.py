"""Metrics that are an increasing function of the chord between coordinates.

For these, one float32 matrix product bounds the distances from a point to all others,
and the error of a float64 distance is known beforehand.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from publius.core.arrays import FloatArray
from publius.core.metric import Angular, Capped, Euclidean, Metric
from publius.core.space import PointSpace, Space

ROWS = 8192
"""Coordinates are formed for this many points at a time."""


@dataclass(frozen=True, slots=True)
class Chords:
    """How a distance follows from the chord between coordinates.

    Args:
        is_angle: The chord spans an angle on the unit sphere; else it is the distance.
        cap: Largest distance.
    """

    is_angle: bool
    cap: float = math.inf

    def coordinates(self, points: FloatArray) -> FloatArray:
        """Return float64 coordinates whose chords count."""
        rows = np.asarray(points, dtype=np.float64)
        if not self.is_angle:
            return rows
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        return rows / np.where(length > 0, length, 1.0)

    def radius(self, points: FloatArray) -> float:
        """Return the largest length of a row of coordinates."""
        longest = 0.0
        for start in range(0, len(points), ROWS):
            rows = self.coordinates(points[start : start + ROWS])
            longest = max(longest, float(np.linalg.norm(rows, axis=1).max()))
        return longest

    def error(self, points: FloatArray) -> float:
        """Bound the error of a float64 distance, from differences or from a product.

        With S the sum of two squared norms, a squared distance from a product of n
        terms errs by at most (2n + 4) u S. Below 10^-4 S it is formed again from
        differences; above, its root errs by at most 100 (n + 2) u sqrt(S), and sqrt(S)
        is at most sqrt(2) times the radius. The rest is room for the angle and for
        rounding of coordinates.
        """
        return 256 * (points.shape[1] + 8) * 2.0**-53 * self.radius(points)


_PLAIN = {Euclidean.id: Chords(is_angle=False), Angular.id: Chords(is_angle=True)}


def chords(space: Space) -> Chords | None:
    """Return how the distances of a space follow from chords, or None."""
    return _of(space.metric) if isinstance(space, PointSpace) else None


def _of(metric: Metric) -> Chords | None:
    if not isinstance(metric, Capped):
        return _PLAIN.get(metric.id)
    inner = _of(metric.inner)
    return None if inner is None else replace(inner, cap=metric.cap)
