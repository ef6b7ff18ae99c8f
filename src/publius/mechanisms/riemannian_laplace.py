"""Laplace noise with respect to the volume of hyperbolic space itself."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy
from numpy.typing import ArrayLike

from publius.core.arrays import FloatArray, Rng, at_least, points, positive
from publius.core.errors import ParameterError
from publius.core.guarantee import Guarantee, Linear
from publius.mechanisms import grid
from publius.mechanisms.tangent_laplace import tangent_start
from publius.numerics.geometry import lorentz
from publius.numerics.geometry.sphere import log_area

FARTHEST = 10.0
"""Radius to which points are drawn in first: errors grow like its exponential."""

FINER = 2.0**-4
"""Finer than other grids: near the rim, small angles are large distances."""

_LOG_ERROR = 2.0**-36
"""Error of ``log0`` within that radius: 2^-50 over ``1 - |x|^2 > 2^-13``."""

_TURN_ERROR = 2.0**-46
"""Error of a drawn direction and of the sums that carry it to its place."""


@dataclass(frozen=True, slots=True)
class RiemannianLaplace:
    """Draw with density proportional to ``exp(-epsilon * d(x, z))`` per volume.

    Volume grows like ``exp((dim - 1) r)``, so the law exists only for
    ``epsilon > dim - 1``. The radius is exact: ``exp(-2 r)`` is
    Beta((epsilon - dim + 1) / 2, dim). Rows of `x` are points of the Poincaré ball; the
    result is the tangent vector at the origin that leads to the released point.

    Guarantee:
        Pure, linear: ``epsilon`` per unit of hyperbolic distance, and `offset` for the
        rounding of the numbers released. Proof: the triangle inequality on the
        exponent; isometries carry any point to any other, so the normaliser is the
        same; see docs/mechanisms/riemannian_laplace.md.

    Args:
        epsilon: Privacy parameter per unit of distance; finite, > dim - 1.
        dim: Dimension of the ball.
    """

    name: ClassVar[str] = "riemannian_laplace.v2"

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
        return float(area + scipy.special.betaln(self.shape, n))

    @property
    def mean_radius(self) -> float:
        """Expected distance between secret and result."""
        return (
            float(
                scipy.special.psi(self.shape + self.dim) - scipy.special.psi(self.shape)
            )
            / 2
        )

    def radius_cdf(self, radius: ArrayLike) -> FloatArray:
        """Return the probability that the result is at most so far from the secret."""
        r = np.asarray(radius, dtype=np.float64)
        # The complement is taken of the law of 1 - y: no digits are lost near r = 0.
        return np.asarray(
            scipy.special.betainc(self.dim, self.shape, -np.expm1(-2 * r))
        )

    def radius_sf(self, radius: ArrayLike) -> FloatArray:
        """Return the probability that the result is farther, exact in the far tail."""
        r = np.asarray(radius, dtype=np.float64)
        return np.asarray(scipy.special.betainc(self.shape, self.dim, np.exp(-2 * r)))

    @property
    def spacing(self) -> float:
        """Step of the public grid of tangent coordinates."""
        return grid.spacing(FINER / self.epsilon)

    @property
    def offset(self) -> float:
        """Loss that the rounding of coordinates and of released numbers can add."""
        radius = self._longest()
        # A step of length r whose direction errs by t ends t * sinh(r) away, which the
        # tangent space at the origin shows as t * r * exp(FARTHEST) at most.
        turned = (1 + max(0.0, radius - FARTHEST)) * math.exp(FARTHEST + 0.2)
        error = _TURN_ERROR * (turned + radius + FARTHEST)
        drawn = grid.kernel_loss(error / self.spacing, self.dim)
        return drawn + 2 * self.epsilon * _LOG_ERROR

    def guarantee(self) -> Guarantee:
        """Return the guarantee for one point."""
        term = Linear(self.epsilon, offset=self.offset)
        return grid.position("hyperbolic", term, self.spacing, covered=grid.POINT)

    def perturb(self, x: ArrayLike, rng: Rng) -> FloatArray:
        """Draw one noisy tangent vector per point of the ball."""
        start = tangent_start(x, self.dim, FARTHEST)
        step = grid.normals(len(start), self.dim, rng)
        step *= (self._radii(len(start), rng) / np.linalg.norm(step, axis=1))[:, None]
        moved = lorentz.translated(start, step) / self.spacing
        return grid.snapped(moved, rng) * self.spacing

    def log_prob(self, z: ArrayLike, x: ArrayLike) -> FloatArray:
        """Return the log-density of tangent vectors `z` per hyperbolic volume."""
        start = tangent_start(x, self.dim, FARTHEST)
        apart = lorentz.distance(points(z, self.dim), start)
        return np.asarray(-self.epsilon * apart - self.log_normaliser)

    def _longest(self) -> float:
        """Return a radius that is exceeded with probability exp(-90) (Chernoff)."""
        rates = 2 * (self.shape + np.arange(self.dim))
        tilt = 0.9 * rates[0]
        grown = -float(np.log1p(-tilt / rates).sum())
        return float((grid.RARE + grown) / tilt)

    def _radii(self, count: int, rng: Rng) -> FloatArray:
        """Draw radii: Beta(a, n) is a product of n powers of uniform numbers."""
        rates = 2 * (self.shape + np.arange(self.dim))
        return np.asarray(grid.exponentials((count, self.dim), rng) @ (1 / rates))
