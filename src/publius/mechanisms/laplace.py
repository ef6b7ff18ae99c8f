"""Euclidean Laplace noise in any dimension."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from publius.core.arrays import FloatArray, Rng, at_least, points, positive
from publius.core.guarantee import Guarantee, Linear, Scope, Unit

IDEALIZED = (
    "Idealized: proved for real numbers; the doubles that are drawn are finer than any "
    "released word can show, but no integer certificate covers them."
)


@dataclass(frozen=True, slots=True)
class Laplace:
    """Add noise with density proportional to ``exp(-epsilon * ||z - x||)``.

    The radius is Gamma(dim, 1 / epsilon) and the direction uniform, so the expected
    displacement is ``dim / epsilon``: it grows with the dimension.

    Guarantee:
        Pure, linear: ``epsilon`` per unit of Euclidean distance. Proof: the triangle
        inequality on the exponent; see docs/mechanisms/laplace.md.

    Args:
        epsilon: Privacy parameter per unit of distance; finite, > 0.
        dim: Dimension of the space.
    """

    name: ClassVar[str] = "laplace.v1"

    epsilon: float
    dim: int

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)
        at_least("dim", self.dim, 1)

    def guarantee(self) -> Guarantee:
        """Return the promise for one vector."""
        return Guarantee(
            metric="euclidean",
            unit=Unit.TOKEN,
            terms=(Linear(self.epsilon),),
            scope=Scope(
                covered=("The position of the vector.",), assumptions=(IDEALIZED,)
            ),
        )

    def perturb(self, x: ArrayLike, rng: Rng) -> FloatArray:
        """Draw one noisy vector per row."""
        rows = points(x, self.dim)
        noise = rng.standard_normal(rows.shape)
        length = np.linalg.norm(noise, axis=1)
        radius = rng.standard_gamma(self.dim, size=len(rows)) / self.epsilon
        noise *= (radius / length)[:, None]
        return rows + noise

    def log_prob(self, z: ArrayLike, x: ArrayLike) -> FloatArray:
        """Return the log-density of each `z` given its `x`."""
        radius = np.linalg.norm(points(z, self.dim) - points(x, self.dim), axis=1)
        return self.log_normaliser - self.epsilon * radius

    @property
    def log_normaliser(self) -> float:
        """Log of ``epsilon^n Γ(n/2 + 1) / (π^(n/2) Γ(n + 1))``."""
        n = self.dim
        scale = n * math.log(self.epsilon) - n / 2 * math.log(math.pi)
        return float(scale + gammaln(n / 2 + 1) - gammaln(n + 1))
