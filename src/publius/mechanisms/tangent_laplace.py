"""Laplace noise in the tangent space at the origin of hyperbolic space."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from publius.core.arrays import FloatArray, Rng, at_least, points, positive
from publius.core.guarantee import Guarantee, Linear, Scope, Unit
from publius.geometry import poincare
from publius.mechanisms.laplace import IDEALIZED, Laplace


@dataclass(frozen=True, slots=True)
class TangentLaplace:
    """Release ``log0(x)`` with Euclidean Laplace noise, for any epsilon and dimension.

    Rows of `x` are points of the Poincaré ball. The result is the tangent vector at the
    origin that leads to the released point: its length is the radius, which the ball
    could not hold beyond 37; ``poincare.exp0`` gives the point itself.

    Guarantee:
        Pure, linear: ``epsilon`` per unit of hyperbolic distance. Proof: ``log0`` does
        not stretch distances, ``|log0 x - log0 y| <= d(x, y)``, since curvature is
        negative; see docs/mechanisms/tangent_laplace.md.

    Args:
        epsilon: Privacy parameter per unit of distance; finite, > 0.
        dim: Dimension of the ball.
    """

    name: ClassVar[str] = "tangent_laplace.v1"

    epsilon: float
    dim: int

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)
        at_least("dim", self.dim, 1)

    def guarantee(self) -> Guarantee:
        """Return the promise for one point."""
        return Guarantee(
            metric="hyperbolic",
            unit=Unit.TOKEN,
            terms=(Linear(self.epsilon),),
            scope=Scope(
                covered=("The position of the point.",), assumptions=(IDEALIZED,)
            ),
        )

    def perturb(self, x: ArrayLike, rng: Rng) -> FloatArray:
        """Draw one noisy tangent vector per point of the ball."""
        start = poincare.log0(poincare.inside(x, self.dim))
        return Laplace(self.epsilon, self.dim).perturb(start, rng)

    def log_prob(self, z: ArrayLike, x: ArrayLike) -> FloatArray:
        """Return the Lebesgue log-density of tangent vectors `z` given `x`."""
        start = poincare.log0(poincare.inside(x, self.dim))
        law = Laplace(self.epsilon, self.dim)
        return np.asarray(law.log_prob(points(z, self.dim), start))
