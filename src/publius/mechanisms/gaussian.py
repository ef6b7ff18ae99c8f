"""Normal noise on vectors that are first contracted into a ball."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from publius.core.arrays import FloatArray, Rng, at_least, points, positive, shortest
from publius.core.guarantee import Gaussian as GaussianTerm
from publius.core.guarantee import Guarantee, Landmarks, Scope, Unit
from publius.mechanisms import grid


def contract(x: FloatArray, bound: float) -> FloatArray:
    """Return ``bound * tanh(||x||) x / ||x||`` for each row, inside the ball."""
    length = np.linalg.norm(x, axis=1, keepdims=True)
    # Dividing by the largest entry first: squares of huge numbers overflow.
    scale = np.abs(x).max(axis=1, initial=0.0, keepdims=True)
    scaled = x / np.where(scale > 0, scale, 1.0)
    norm = np.linalg.norm(scaled, axis=1, keepdims=True)
    direction = scaled / np.where(norm > 0, norm, 1.0)
    inside = bound * np.tanh(length) * direction
    # Rounding may leave a row outside by a few units in the last place.
    reached = np.linalg.norm(inside, axis=1, keepdims=True)
    return inside * np.minimum(1.0, bound / np.where(reached > 0, reached, bound))


@dataclass(frozen=True, slots=True)
class Gaussian:
    """Contract rows into a ball of radius `bound`, then add noise of deviation `sigma`.

    The contraction ``bound * tanh(||x||) x / ||x||`` (Weggenmann 2023, eq. 6.15) is
    part of the law: any two rows are at most ``2 * bound`` apart.

    Guarantee:
        ``(order, order * d^2 / (2 sigma^2))``-Rényi at distance d of the contracted
        rows, d <= 2 * bound, and `offset` for the rounding of the numbers released.
        Exact (ε, δ): ``publius.accounting.gaussian``.

    Args:
        sigma: Standard deviation in every coordinate; finite, > 0.
        dim: Dimension of the space.
        bound: Radius of the ball; finite, > 0.
    """

    name: ClassVar[str] = "gaussian.v2"

    sigma: float
    dim: int
    bound: float = 3.0

    def __post_init__(self) -> None:
        grid.spacing(positive("sigma", self.sigma))
        at_least("dim", self.dim, 1)
        positive("bound", self.bound)

    @property
    def sensitivity(self) -> float:
        """Largest distance of two contracted rows."""
        return 2 * self.bound

    @property
    def spacing(self) -> float:
        """Step of the public grid."""
        return grid.spacing(self.sigma)

    @property
    def offset(self) -> float:
        """What the rounding of released numbers adds to ε."""
        step = self.spacing
        length = grid.normal_length(self.dim, self.sigma / step)
        return grid.rounding_loss(length, self.dim)

    def guarantee(self) -> Guarantee:
        """Return the guarantee for one vector."""
        return Guarantee(
            metric=f"euclidean:ball={shortest(self.bound)}",
            unit=Unit.RECORD,
            terms=(GaussianTerm(self.sigma, self.offset),),
            scope=Scope(
                covered=("The vector: all of it, against any other vector.",),
                assumptions=(grid.told(self.spacing, self.offset),),
            ),
            landmarks=Landmarks(diameter=self.sensitivity),
        )

    def perturb(self, x: ArrayLike, rng: Rng) -> FloatArray:
        """Draw one noisy vector per row."""
        mean = contract(points(x, self.dim), self.bound)
        step = self.spacing

        def noise(count: int) -> FloatArray:
            return grid.normals(count, self.dim, rng) * (self.sigma / step)

        return grid.on_grid(mean, noise, step, rng)

    def log_prob(self, z: ArrayLike, x: ArrayLike) -> FloatArray:
        """Return the log-density of each `z` given its `x`, before it is rounded."""
        away = points(z, self.dim) - contract(points(x, self.dim), self.bound)
        square = ((away / self.sigma) ** 2).sum(axis=1)
        scale = math.log(self.sigma) + math.log(2 * math.pi) / 2
        return -square / 2 - self.dim * scale
