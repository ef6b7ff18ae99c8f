"""The circle: angles, unit vectors and turning from one to the other."""

import math

import numpy as np

from publius.core.arrays import FloatArray

TURN = 2 * math.pi


def wrap(angle: FloatArray) -> FloatArray:
    """Return the same angle in [-pi, pi)."""
    turned = np.mod(np.asarray(angle, dtype=np.float64) + math.pi, TURN)
    # mod rounds a tiny negative number up to a whole turn.
    return np.where(turned >= TURN, 0.0, turned) - math.pi


def vectors(angle: FloatArray) -> FloatArray:
    """Return the unit vector at each angle, one row each."""
    at = np.asarray(angle, dtype=np.float64)
    return np.stack((np.cos(at), np.sin(at)), axis=-1)


def angles(x: FloatArray) -> FloatArray:
    """Return the angle of each row, in (-pi, pi]."""
    rows = np.asarray(x, dtype=np.float64)
    return np.arctan2(rows[..., 1], rows[..., 0])
