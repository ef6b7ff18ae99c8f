"""Masses moved at least cost, for Earth Mover's distances."""

import numpy as np

from publius.core.arrays import FloatArray
from publius.core.errors import ParameterError

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
