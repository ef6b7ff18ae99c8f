"""Laplace noise with respect to the volume of hyperbolic space itself."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaln, psi

from publius.core.arrays import FloatArray, Rng, at_least, points, positive
from publius.core.errors import ParameterError
from publius.core.guarantee import Guarantee, Linear, Scope, Unit
from publius.geometry import lorentz, poincare
from publius.geometry.sphere import log_area
from publius.mechanisms.laplace import IDEALIZED


@dataclass(frozen=True, slots=True)
class RiemannianLaplace:
    """Draw with density proportional to ``exp(-epsilon * d(x, z))`` per volume.

    Volume grows like ``exp((dim - 1) r)``, so the law exists only for
    ``epsilon > dim - 1``. The radius is exact: ``exp(-2 r)`` is
    Beta((epsilon - dim + 1) / 2, dim). Rows of `x` are points of the Poincaré ball; the
    result is the tangent vector at the origin that leads to the released point.

    Guarantee:
        Pure, linear: ``epsilon`` per unit of hyperbolic distance. Proof: the triangle
        inequality on the exponent; isometries carry any point to any other, so the
        normaliser is the same; see docs/mechanisms/riemannian_laplace.md.

    Args:
        epsilon: Privacy parameter per unit of distance; finite, > dim - 1.
        dim: Dimension of the ball.
    """

    name: ClassVar[str] = "riemannian_laplace.v1"

    epsilon: float
    dim: int

    def __post_init__(self) -> None:
        at_least("dim", self.dim, 1)
        if not positive("epsilon", self.epsilon) > self.dim - 1:
            raise ParameterError(
                f"epsilon must be above dim - 1 = {self.dim - 1} for Riemannian "
                f"Laplace noise, got {self.epsilon:g}: its density has no finite total "
                "below; use tangent_laplace or exponential, or fewer dimensions"
            )

    @property
    def shape(self) -> float:
        """First parameter of the Beta law of ``exp(-2 r)``; the second is `dim`."""
        return (self.epsilon - self.dim + 1) / 2

    @property
    def log_normaliser(self) -> float:
        """Log of the integral of ``exp(-epsilon d)`` over the space."""
        n = self.dim
        area = log_area(n) - n * math.log(2)
        return float(area + betaln(self.shape, n))

    @property
    def mean_radius(self) -> float:
        """Expected distance between secret and result."""
        return float(psi(self.shape + self.dim) - psi(self.shape)) / 2

    def radius_cdf(self, radius: ArrayLike) -> FloatArray:
        """Return the probability that the result is at most so far from the secret."""
        r = np.asarray(radius, dtype=np.float64)
        # The complement is taken of the law of 1 - y: no digits are lost near r = 0.
        return np.asarray(betainc(self.dim, self.shape, -np.expm1(-2 * r)))

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
        step = rng.standard_normal(start.shape)
        step *= (self._radii(len(start), rng) / np.linalg.norm(step, axis=1))[:, None]
        return lorentz.translated(start, step)

    def log_prob(self, z: ArrayLike, x: ArrayLike) -> FloatArray:
        """Return the log-density of tangent vectors `z` per hyperbolic volume."""
        start = poincare.log0(poincare.inside(x, self.dim))
        apart = lorentz.distance(points(z, self.dim), start)
        return np.asarray(-self.epsilon * apart - self.log_normaliser)

    def _radii(self, count: int, rng: Rng) -> FloatArray:
        """Draw radii in logarithms: ``exp(-2 r)`` underflows for small shapes."""
        other = np.log(rng.standard_gamma(self.dim, size=count))
        # Gamma(a) = Gamma(a + 1) * U^(1/a): exact also where Gamma(a) would round to 0.
        grown = np.log(rng.standard_gamma(self.shape + 1, size=count))
        log_gamma = grown - rng.standard_exponential(count) / self.shape
        return np.asarray(np.logaddexp(0.0, other - log_gamma) / 2)
