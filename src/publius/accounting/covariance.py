"""Normal noise with any covariance: Theorem 2.21 of Weggenmann (2023).

The mechanism x -> N(f(x), Σ) is, after a change of coordinates, normal noise of
deviation 1 on every axis. So all that counts is how far two answers may lie apart in
the Mahalanobis norm of Σ, and everything of `publius.accounting.gaussian` applies with
that sensitivity and σ = 1.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import LinAlgError, cholesky, solve_triangular

from publius.accounting.gaussian import epsilon_of
from publius.core.arrays import FloatArray
from publius.core.errors import DataError, ParameterError


def mahalanobis_norm(rows: ArrayLike, covariance: ArrayLike) -> FloatArray:
    """Return ``sqrt(z^T Σ^-1 z)`` of each row (Definition 2.20).

    Raises:
        DataError: A row is not finite or has another length than the covariance.
        ParameterError: The covariance is not symmetric and positive definite.
    """
    given = np.atleast_2d(np.asarray(rows, dtype=np.float64))
    matrix = np.asarray(covariance, dtype=np.float64)
    size = given.shape[1]
    if given.ndim != 2 or matrix.shape != (size, size):
        raise DataError(f"rows of {size} numbers need a covariance of {size} x {size}")
    if not np.isfinite(given).all():
        raise DataError("rows must be finite")
    root = _root(matrix)
    # With Σ = L L^T the norm is that of L^-1 z: no inverse is formed.
    return np.linalg.norm(solve_triangular(root, given.T, lower=True), axis=0)


def covariance_renyi(
    order: float, *, differences: ArrayLike, covariance: ArrayLike
) -> float:
    """Return the Rényi bound of `order`, ``order / 2 * Δ²`` (Theorem 2.21).

    Args:
        order: Above 1.
        differences: Of answers to neighbouring inputs, one per row; Δ is the largest of
            their Mahalanobis norms, so the worst must be among them.
        covariance: Of the noise.
    """
    if not order > 1:
        raise ParameterError(f"order must be > 1, got {order}")
    return order / 2 * _sensitivity(differences, covariance) ** 2


def covariance_epsilon(
    delta: float, *, differences: ArrayLike, covariance: ArrayLike
) -> float:
    """Return the exact ε at `delta` of normal noise with a full covariance."""
    return epsilon_of(_sensitivity(differences, covariance), delta)


def _sensitivity(differences: ArrayLike, covariance: ArrayLike) -> float:
    return float(mahalanobis_norm(differences, covariance).max(initial=0.0))


def _root(matrix: FloatArray) -> FloatArray:
    if not (np.isfinite(matrix).all() and np.allclose(matrix, matrix.T, rtol=1e-12)):
        raise ParameterError("a covariance must be finite and symmetric")
    try:
        return np.asarray(cholesky(matrix, lower=True))
    except LinAlgError:
        raise ParameterError("a covariance must be positive definite") from None
