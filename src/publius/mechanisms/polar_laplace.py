"""Baseline on the sphere: the planar Laplace step, walked along a great circle."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from publius.core.arrays import FloatArray, Rng
from publius.core.guarantee import Flat, Guarantee
from publius.mechanisms.direction import (
    Axial,
    concentration,
    directional_guarantee,
)
from publius.numerics.geometry.axial import AngleLaw
from publius.numerics.geometry.circle import TURN
from publius.numerics.geometry.sphere import angle_between


@dataclass(frozen=True, slots=True)
class PolarLaplace(Axial):
    """Walk a Gamma(2, 1 / kappa) distance in a uniform direction on the sphere.

    A baseline (Location Guard). Every walk of half a turn ends at the antipode, so the
    density is infinite there and no constant bounds the loss. From ``kappa = 10`` on,
    the mass that does harm is below 1e-12.

    Guarantee:
        None; see docs/mechanisms/polar_laplace.md.

    Args:
        kappa: Inverse scale of the walk, per radian; finite, >= 0.
    """

    name: ClassVar[str] = "polar-laplace.v1"
    dim: ClassVar[int] = 3  # type: ignore[misc]  # of every one

    kappa: float

    def __post_init__(self) -> None:
        concentration(self.kappa)

    @property
    def angle_law(self) -> AngleLaw:
        """The law of the angle between input and output."""
        return _angle_law(self.kappa)

    def guarantee(self) -> Guarantee:
        """Say that there is no bound, unless the noise is uniform in angle."""
        return directional_guarantee(
            (Flat(math.inf),),
            self.spacing,
            uncovered=(
                "The direction itself: the density is infinite at the input and at its "
                "antipode, so no bound on the loss holds.",
            ),
        )

    def angles(self, count: int, rng: Rng) -> FloatArray:
        """Draw `count` angles between input and output."""
        if self.kappa == 0:
            return math.pi * rng.random(count)
        walked = np.mod(rng.standard_gamma(2.0, count) / self.kappa, TURN)
        return np.minimum(walked, TURN - walked)

    def log_prob(self, z: ArrayLike, x: ArrayLike) -> FloatArray:
        """Return the log-density of each `z` given its `x`, per unit of surface."""
        angle = angle_between(z, x)
        with np.errstate(divide="ignore"):
            return np.asarray(
                _log_density(self.kappa, angle) - np.log(TURN * np.sin(angle))
            )

    def mean_angle(self) -> float:
        """Return the expected angle; above ``pi / 2`` near ``kappa = 0.6``."""
        if self.kappa == 0:
            return math.pi / 2
        half = math.pi * self.kappa / 2
        flat = 4 * math.exp(-2 * half) / (1 + math.exp(-2 * half)) ** 2
        return 2 / self.kappa * math.tanh(half) - math.pi / 2 * flat

    def mean_cos(self) -> float:
        """Return the expected cosine."""
        square = self.kappa**2
        return square * (square - 1) / (square + 1) ** 2


def _log_density(kappa: float, angle: FloatArray) -> FloatArray:
    """Sum the Gamma(2) density over all walks that end at `angle`, in closed form."""
    rest = -math.expm1(-TURN * kappa)
    again = TURN * math.exp(-TURN * kappa)
    scale = kappa / rest if kappa > 0 else 1 / TURN
    near = np.exp(-kappa * angle) * (angle * rest + again)
    far = np.exp(-kappa * (TURN - angle)) * ((TURN - angle) * rest + again)
    with np.errstate(divide="ignore"):
        return np.asarray(2 * math.log(scale) + np.log(near + far))


@lru_cache(maxsize=128)
def _angle_law(kappa: float) -> AngleLaw:
    inner = np.arange(2.0, 744.0, 2.0) / kappa if kappa > 0 else np.empty(0)
    edges = np.concatenate(([0.0], inner[inner < math.pi], [math.pi]))
    return AngleLaw(lambda angle: _log_density(kappa, angle), edges)
