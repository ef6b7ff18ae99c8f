"""Two-level mechanism on unit vectors: a cap around the input, and the rest."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import scipy
from numpy.typing import ArrayLike

from publius.core.arrays import FloatArray, Rng, at_least, not_negative
from publius.core.errors import ParameterError
from publius.core.guarantee import Flat, Guarantee
from publius.mechanisms.direction import Axial, directional_guarantee
from publius.numerics.geometry.axial import AngleLaw, log_sine_ratio, peaked
from publius.numerics.geometry.sphere import angle_between, log_area

SMALLEST_CAP = 2.0**-41
"""A smaller cap would vanish in the rounding of float64."""


@dataclass(frozen=True, slots=True)
class CapUniform(Axial):
    """Draw uniformly from a cap around the input, or else uniformly from outside it.

    The two densities differ by exactly ``exp(epsilon)``. Under pure privacy no law with
    the same loss has a larger expected cosine (PrivUnit; Bhowmick et al. 2018), which
    `from_pure` reaches by choosing the cap.

    Guarantee:
        Pure, flat: ``epsilon`` between any two directions; see
        docs/mechanisms/cap_uniform.md.

    Args:
        epsilon: Loss between any two directions; finite, >= 0.
        dim: Dimension of the space, at least 2.
        angle: Opening of the cap, in radians from its centre, in (0, pi).
    """

    name: ClassVar[str] = "cap-uniform.v1"

    epsilon: float
    dim: int
    angle: float

    def __post_init__(self) -> None:
        not_negative("epsilon", self.epsilon)
        at_least("dim", self.dim, 2)
        if not SMALLEST_CAP <= self.angle < math.pi:
            raise ParameterError(
                f"angle must lie in [{SMALLEST_CAP:.3g}, pi), got {self.angle}"
            )
        if not 0 < self.cap_share < 1:
            raise ParameterError(
                f"the cap of angle {self.angle} has no measurable surface in "
                f"{self.dim} dimensions; choose an angle closer to pi / 2"
            )

    @classmethod
    def from_pure(cls, *, epsilon: float, dim: int = 2) -> "CapUniform":
        """Choose the cap that keeps most of the direction at this loss."""
        at_least("dim", dim, 2)
        best = _best_angle(not_negative("epsilon", epsilon), dim)
        return cls(epsilon, dim, max(best, SMALLEST_CAP))

    @property
    def cap_share(self) -> float:
        """Share of the sphere's surface that the cap covers."""
        return _share(self.angle, self.dim)

    @property
    def cap_probability(self) -> float:
        """Probability that the output lies in the cap."""
        share = self.cap_share
        return 1 / (1 + math.exp(-self.epsilon) * (1 - share) / share)

    @property
    def angle_law(self) -> AngleLaw:
        """The law of the angle between input and output."""
        return _angle_law(self.epsilon, self.dim, self.angle)

    def guarantee(self) -> Guarantee:
        """Return the guarantee for one row."""
        return directional_guarantee((Flat(self.epsilon),), self.spacing)

    def angles(self, count: int, rng: Rng) -> FloatArray:
        """Draw `count` angles between input and output."""
        half, share = (self.dim - 1) / 2, self.cap_share
        inside = rng.random(count) < self.cap_probability
        uniform = rng.random(count)
        # sin^2(angle / 2) of a uniform direction follows a symmetric beta law.
        near = np.sqrt(scipy.special.betaincinv(half, half, uniform * share))
        far = np.sqrt(scipy.special.betaincinv(half, half, uniform * (1 - share)))
        return np.where(inside, 2 * np.arcsin(near), 2 * np.arccos(far))

    def log_prob(self, z: ArrayLike, x: ArrayLike) -> FloatArray:
        """Return the log-density of each `z` given its `x`, per unit of surface."""
        share = self.cap_share
        outside = math.exp(-self.epsilon)
        top = -math.log(share + outside * (1 - share)) - log_area(self.dim)
        is_inside = angle_between(z, x) <= self.angle
        return np.where(is_inside, top, top - self.epsilon)

    def mean_angle(self) -> float:
        """Return the expected angle between input and output."""
        return _mean_angle(self.epsilon, self.dim, self.angle)

    def mean_cos(self) -> float:
        """Return the expected cosine, in closed form."""
        return math.exp(_log_mean_cos(self.epsilon, self.dim, self.angle))


def _share(angle: float, dim: int) -> float:
    half = (dim - 1) / 2
    return float(scipy.special.betainc(half, half, math.sin(angle / 2) ** 2))


def _log_mean_cos(epsilon: float, dim: int, angle: float) -> float:
    """Moment of the cap times the gap between the two densities."""
    share = _share(angle, dim)
    outside = math.exp(-epsilon)
    if share == 0 or outside == 1:
        return -math.inf
    moment = (dim - 1) * math.log(math.sin(angle)) - math.log(dim - 1)
    moment -= float(scipy.special.betaln(0.5, (dim - 1) / 2))
    return moment + math.log1p(-outside) - math.log(share + outside * (1 - share))


@lru_cache(maxsize=128)
def _best_angle(epsilon: float, dim: int) -> float:
    if epsilon == 0:
        return math.pi / 2
    half = (dim - 1) / 2
    # A cap smaller than exp(-epsilon) would already be hit for certain.
    shares = np.exp(np.linspace(max(-epsilon - 8.0, -690.0), math.log(0.75), 400))
    grid = 2 * np.arcsin(np.sqrt(scipy.special.betaincinv(half, half, shares)))
    values = [_log_mean_cos(epsilon, dim, float(angle)) for angle in grid]
    best = int(np.argmax(values))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    optimum = scipy.optimize.minimize_scalar(
        lambda angle: -_log_mean_cos(epsilon, dim, float(angle)),
        bounds=(float(low), float(high)),
        method="bounded",
        options={"xatol": 1e-12},
    )
    return float(optimum.x)


@lru_cache(maxsize=128)
def _angle_law(epsilon: float, dim: int, angle: float) -> AngleLaw:
    power = dim - 2

    def uniform(at: FloatArray) -> FloatArray:
        if power == 0:
            return np.zeros_like(at)
        return np.asarray(power * log_sine_ratio(at, math.pi / 2))

    def log_density(at: FloatArray) -> FloatArray:
        return uniform(at) - np.where(at <= angle, 0.0, epsilon)

    # Panels must not straddle the rim of the cap, where the density jumps.
    edges = peaked(uniform, math.pi / 2).edges
    return AngleLaw(log_density, np.unique(np.append(edges, angle)))


@lru_cache(maxsize=128)
def _mean_angle(epsilon: float, dim: int, angle: float) -> float:
    return _angle_law(epsilon, dim, angle).expect(lambda at: at)
