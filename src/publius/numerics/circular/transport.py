"""Earth Mover's distance between histograms on the circle and on the sphere."""

import numpy as np
from numpy.typing import ArrayLike

from publius.core.arrays import FloatArray, positive
from publius.core.errors import DataError
from publius.numerics.geometry.earth import great_circle_matrix
from publius.numerics.transport import least_cost


def circular_emd(a: ArrayLike, b: ArrayLike, *, period: float = 24.0) -> FloatArray:
    """Return the least mean distance that turns `a` into `b` around the circle.

    The last axis holds the bins of one period; leading axes are separate histograms.
    Moving mass x around a circle costs the sum of ``|D - m|`` where D is the difference
    of the running totals; the best m is the median of D (Werman et al. 1986).
    """
    one, two = _shares(a), _shares(b)
    if one.shape[-1] != two.shape[-1]:
        raise DataError("two histograms must have the same bins")
    ahead = np.cumsum(one - two, axis=-1)
    middle = np.median(ahead, axis=-1, keepdims=True)
    step = positive("period", period) / one.shape[-1]
    return np.asarray(np.abs(ahead - middle).sum(axis=-1) * step)


def great_circle_emd(
    a: ArrayLike, b: ArrayLike, lat: FloatArray, lon: FloatArray
) -> float:
    """Return the least mean great-circle distance in metres that turns `a` into `b`.

    Args:
        a: Mass in each cell.
        b: Mass in each cell.
        lat: Latitude of each cell's centre, in degrees.
        lon: Longitude of each cell's centre.
    """
    one, two = _shares(a), _shares(b)
    if not one.shape == two.shape == np.shape(lat) == np.shape(lon):
        raise DataError("histograms and centres must have the same cells")
    # Mass that both share stays where it is: the distance is a metric.
    surplus = one - two
    giving, taking = np.flatnonzero(surplus > 0), np.flatnonzero(surplus < 0)
    if len(giving) == 0 or len(taking) == 0:
        return 0.0
    give, take = surplus[giving], -surplus[taking]
    moved = float(give.sum())
    cost = great_circle_matrix(lat[giving], lon[giving], lat[taking], lon[taking])
    plan = give / moved, take / take.sum()
    return moved * least_cost(*plan, cost)


def _shares(mass: ArrayLike) -> FloatArray:
    counts = np.asarray(mass, dtype=np.float64)
    if counts.ndim < 1 or counts.shape[-1] == 0:
        raise DataError("a histogram needs at least one bin")
    if not (np.isfinite(counts) & (counts >= 0)).all():
        raise DataError("a histogram must hold finite counts >= 0")
    total = counts.sum(axis=-1, keepdims=True)
    if not (total > 0).all():
        raise DataError("an empty histogram has no Earth Mover's distance")
    return np.asarray(counts / total)
