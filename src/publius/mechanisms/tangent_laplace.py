"""Laplace noise in the tangent space at the origin of hyperbolic space."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from publius.core.arrays import FloatArray, Rng, at_least, points, positive
from publius.core.guarantee import Guarantee, Linear
from publius.mechanisms import grid
from publius.mechanisms.laplace import Laplace
from publius.numerics.geometry import lorentz, poincare

FARTHEST = 16.0
"""Radius to which points are drawn in first; nearer to the rim doubles lack digits."""

_LOG_ERROR = 2.0**-27
"""Error of ``log0`` within that radius: 2^-50 over ``1 - |x|^2 > 2^-22``."""


@dataclass(frozen=True, slots=True)
class TangentLaplace:
    """Release ``log0(x)`` with Euclidean Laplace noise, for any epsilon and dimension.

    Rows of `x` are points of the Poincaré ball. The result is the tangent vector at the
    origin that leads to the released point: its length is the radius, which the ball
    could not hold beyond 37; ``poincare.exp0`` gives the point itself.

    Guarantee:
        Pure, linear: ``epsilon`` per unit of hyperbolic distance, and `offset` for the
        rounding of the numbers released. Proof: ``log0`` does not stretch distances,
        ``|log0 x - log0 y| <= d(x, y)``, since curvature is negative; see
        docs/mechanisms/tangent_laplace.md.

    Args:
        epsilon: Privacy parameter per unit of distance; finite, > 0.
        dim: Dimension of the ball.
    """

    name: ClassVar[str] = "tangent_laplace.v2"

    epsilon: float
    dim: int

    def __post_init__(self) -> None:
        grid.spacing(1 / positive("epsilon", self.epsilon))
        at_least("dim", self.dim, 1)

    @property
    def noise(self) -> Laplace:
        """What is added to a tangent vector."""
        return Laplace(self.epsilon, self.dim)

    @property
    def offset(self) -> float:
        """Loss that the rounding of coordinates and of released numbers can add."""
        return self.noise.offset + 2 * self.epsilon * _LOG_ERROR

    def guarantee(self) -> Guarantee:
        """Return the guarantee for one point."""
        term = Linear(self.epsilon, offset=self.offset)
        return grid.position("hyperbolic", term, self.noise.spacing, covered=grid.POINT)

    def perturb(self, x: ArrayLike, rng: Rng) -> FloatArray:
        """Draw one noisy tangent vector per point of the ball."""
        return self.noise.perturb(tangent_start(x, self.dim, FARTHEST), rng)

    def log_prob(self, z: ArrayLike, x: ArrayLike) -> FloatArray:
        """Return the Lebesgue log-density of tangent vectors `z` given `x`."""
        start = tangent_start(x, self.dim, FARTHEST)
        return np.asarray(self.noise.log_prob(points(z, self.dim), start))


def tangent_start(x: ArrayLike, dim: int, farthest: float) -> FloatArray:
    """Return ``log0`` of points of the ball, drawn in to a radius.

    Drawing in is the projection onto a convex ball: it shortens every distance.
    """
    return lorentz.limited(poincare.log0(poincare.inside(x, dim)), farthest)
