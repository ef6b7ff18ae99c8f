"""Euclidean Laplace noise in any dimension."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy
from numpy.typing import ArrayLike

from publius.core.arrays import FloatArray, Rng, at_least, points, positive
from publius.core.errors import DataError
from publius.core.guarantee import Guarantee, Linear
from publius.mechanisms import grid


@dataclass(frozen=True, slots=True)
class Laplace:
    """Add noise with density proportional to ``exp(-epsilon * ||z - x||)``.

    The radius is Gamma(dim, 1 / epsilon) and the direction uniform, so the expected
    displacement is ``dim / epsilon``: it grows with the dimension. What is released
    lies on a public grid, a thousand times finer than the noise.

    Guarantee:
        Pure, linear: ``epsilon`` per unit of Euclidean distance, and `offset` for the
        rounding of the numbers released. Proof: the triangle inequality on the
        exponent; see docs/mechanisms/laplace.md.

    Args:
        epsilon: Privacy parameter per unit of distance; finite, > 0.
        dim: Dimension of the space.
    """

    name: ClassVar[str] = "laplace.v2"

    epsilon: float
    dim: int

    def __post_init__(self) -> None:
        grid.spacing(1 / positive("epsilon", self.epsilon))
        at_least("dim", self.dim, 1)

    @property
    def spacing(self) -> float:
        """Step of the public grid."""
        return grid.spacing(1 / self.epsilon)

    @property
    def offset(self) -> float:
        """Loss that the rounding of released numbers can add."""
        length = grid.laplace_length(self.dim, 1 / (self.epsilon * self.spacing))
        return grid.rounding_loss(length, self.dim)

    def guarantee(self) -> Guarantee:
        """Return the guarantee for one vector."""
        term = Linear(self.epsilon, offset=self.offset)
        return grid.position("euclidean", term, self.spacing)

    def perturb(self, x: ArrayLike, rng: Rng) -> FloatArray:
        """Draw one noisy vector per row."""
        rows, step = points(x, self.dim), self.spacing
        scale = 1 / (self.epsilon * step)

        def noise(count: int) -> FloatArray:
            return grid.laplace_steps(count, self.dim, scale, rng)

        return grid.on_grid(rows, noise, step, rng)

    def log_prob(self, z: ArrayLike, x: ArrayLike) -> FloatArray:
        """Return the log-density of each `z` given its `x`, before it is rounded."""
        radius = np.linalg.norm(points(z, self.dim) - points(x, self.dim), axis=1)
        return self.log_normaliser - self.epsilon * radius

    def radius_cdf(self, radius: ArrayLike) -> FloatArray:
        """Return the probability that noise is no longer than each radius.

        It is P(dim, epsilon * radius), the regularised lower incomplete gamma function,
        before noise is rounded to the grid.
        """
        return scipy.special.gammainc(self.dim, self.epsilon * _lengths(radius))

    def radius_sf(self, radius: ArrayLike) -> FloatArray:
        """Return the probability that noise is longer than each radius.

        It is Q(dim, epsilon * radius): no digits are lost far out.
        """
        return scipy.special.gammaincc(self.dim, self.epsilon * _lengths(radius))

    @property
    def log_normaliser(self) -> float:
        """Log of ``epsilon^n Γ(n/2 + 1) / (π^(n/2) Γ(n + 1))``."""
        n = self.dim
        scale = n * math.log(self.epsilon) - n / 2 * math.log(math.pi)
        return float(
            scale + scipy.special.gammaln(n / 2 + 1) - scipy.special.gammaln(n + 1)
        )


def _lengths(radius: ArrayLike) -> FloatArray:
    length = np.asarray(radius, dtype=np.float64)
    if np.isnan(length).any():
        raise DataError("a radius must be a number, got NaN")
    return np.maximum(length, 0.0)
