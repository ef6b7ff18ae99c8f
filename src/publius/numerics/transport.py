"""Earth Mover's distance between bags of points."""

import numpy as np
import scipy

from publius.core.arrays import FloatArray
from publius.core.errors import DataError, ParameterError
from publius.core.metric import Metric

try:
    import ot
except ModuleNotFoundError:  # an extra: 177 MB that few need
    ot = None


def has_transport() -> bool:
    """Say whether the package that moves masses is installed."""
    return ot is not None


def require_transport() -> None:
    """Raise before any work if the package that moves masses is missing.

    Raises:
        ParameterError: It is not installed.
    """
    if ot is None:
        raise ParameterError(
            "the Earth Mover's distance of unequal bags and of places needs POT: pip "
            "install 'publius[transport]'"
        )


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
    return least_cost(*masses, cost)


def least_cost(give: FloatArray, take: FloatArray, cost: FloatArray) -> float:
    """Return the least cost of moving masses, by the network simplex method.

    Args:
        give: Masses where they are; they add up to what `take` adds up to.
        take: Masses where they go.
        cost: Of moving one unit from each to each.

    Raises:
        ParameterError: The package that does it is not installed.
    """
    require_transport()
    return float(ot.emd2(give, take, np.ascontiguousarray(cost), numItermax=10**7))
