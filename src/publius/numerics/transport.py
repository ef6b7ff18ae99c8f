"""Earth Mover's distance between bags of points."""

import numpy as np
import ot
import scipy

from publius.core.arrays import FloatArray
from publius.core.errors import DataError
from publius.core.metric import Metric


def earth_movers(a: FloatArray, b: FloatArray, metric: Metric) -> float:
    """Return the least average distance that turns bag `a` into bag `b`.

    Each row carries mass ``1 / rows``. Bags of equal size need only an assignment;
    others a transport plan.
    """
    if len(a) == 0 or len(b) == 0:
        raise DataError("the Earth Mover's distance needs two non-empty bags")
    cost = metric.pairwise(a, b)
    if not np.isfinite(cost).all():
        raise DataError("the Earth Mover's distance needs finite points")
    if len(a) == len(b):
        return float(cost[scipy.optimize.linear_sum_assignment(cost)].mean())
    masses = np.full(len(a), 1 / len(a)), np.full(len(b), 1 / len(b))
    return float(ot.emd2(*masses, np.ascontiguousarray(cost), numItermax=10_000_000))
