"""Baseline on the circle: Laplace noise on the angle, reduced by whole turns."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import scipy
from numpy.typing import ArrayLike

from publius.core.arrays import FloatArray, Rng, not_negative, positive
from publius.core.guarantee import Guarantee, Linear
from publius.mechanisms.direction import (
    Axial,
    concentration,
    directional_guarantee,
    protection_radius,
)
from publius.numerics.geometry.axial import AngleLaw, peaked
from publius.numerics.geometry.sphere import angle_between


@dataclass(frozen=True, slots=True)
class WrappedLaplace(Axial):
    """Turn each direction of the circle by Laplace noise of scale ``1 / kappa``.

    A baseline. Wrapping flattens the law, so it is *more* private than its ``kappa``
    says, and comparisons must use the exact values below.

    Guarantee:
        Pure, linear: ``kappa * tanh(pi * kappa)`` per radian, at most
        ``log cosh(pi * kappa)``; see docs/mechanisms/wrapped_laplace.md.

    Args:
        kappa: Inverse scale of the noise, per radian; finite, >= 0.
    """

    name: ClassVar[str] = "wrapped-laplace.v1"
    dim: ClassVar[int] = 2  # type: ignore[misc]  # of every one

    kappa: float

    def __post_init__(self) -> None:
        concentration(self.kappa)

    @classmethod
    def from_level(cls, *, level: float, radius: float) -> "WrappedLaplace":
        """Lose exactly `level` between directions `radius` radians apart."""
        slope = positive("level", level) / protection_radius(radius)
        linear = float(
            scipy.optimize.brentq(
                lambda kappa: kappa * math.tanh(math.pi * kappa) - slope,
                slope,
                slope + 0.1,
                xtol=1e-300,
                rtol=8.9e-16,
            )
        )
        return cls(max(linear, cls.from_pure(epsilon=level).kappa))

    @classmethod
    def from_pure(cls, *, epsilon: float) -> "WrappedLaplace":
        """Lose exactly `epsilon` between the two most distant directions."""
        loss = not_negative("epsilon", epsilon)
        # arcosh(e^loss) without overflow.
        return cls((loss + math.log1p(math.sqrt(-math.expm1(-2 * loss)))) / math.pi)

    @property
    def angle_law(self) -> AngleLaw:
        """The law of the angle between input and output."""
        return _angle_law(self.kappa)

    @property
    def worst_loss(self) -> float:
        """Loss between opposite directions: ``log cosh(pi * kappa)``."""
        turn = math.pi * self.kappa
        if turn < 1:
            # cosh - 1 = 2 sinh^2(turn / 2) keeps the digits of a tiny loss.
            return math.log1p(2 * math.sinh(turn / 2) ** 2)
        return turn + math.log1p(math.exp(-2 * turn)) - math.log(2)

    def guarantee(self) -> Guarantee:
        """Return the guarantee for one row."""
        slope = self.kappa * math.tanh(math.pi * self.kappa)
        term = Linear(slope, limit=self.worst_loss)
        return directional_guarantee((term,), self.spacing)

    def angles(self, count: int, rng: Rng) -> FloatArray:
        """Draw `count` angles between input and output."""
        return _quantile(self.kappa, rng.random(count))

    def log_prob(self, z: ArrayLike, x: ArrayLike) -> FloatArray:
        """Return the log-density of each `z` given its `x`, per radian."""
        law = self.angle_law
        density = law.log_density(angle_between(z, x))
        return density - law.log_total - math.log(2)

    def mean_angle(self) -> float:
        """Return the expected angle, equation (7.31) of the thesis."""
        if self.kappa == 0:
            return math.pi / 2
        return math.tanh(self.kappa * math.pi / 2) / self.kappa

    def mean_cos(self) -> float:
        """Return the expected cosine."""
        return self.kappa**2 / (1 + self.kappa**2)


@lru_cache(maxsize=128)
def _angle_law(kappa: float) -> AngleLaw:
    """Density proportional to ``cosh(kappa * (pi - angle))``."""

    def log_density(angle: FloatArray) -> FloatArray:
        rest = kappa * (math.pi - angle)
        return np.asarray(np.log1p(np.exp(-2 * rest)) - kappa * angle)

    return peaked(log_density, 0.0)


def _quantile(kappa: float, probability: FloatArray) -> FloatArray:
    """Invert ``sinh(kappa * (pi - angle)) = (1 - p) * sinh(kappa * pi)``."""
    turn, rest = kappa * math.pi, 1 - probability
    if turn == 0:
        return math.pi * probability
    if turn < 1:
        return np.asarray(math.pi - np.arcsinh(rest * math.sinh(turn)) / kappa)
    # The same after dividing by e^turn, so that nothing overflows.
    scaled = rest * (-math.expm1(-2 * turn) / 2)
    root = np.sqrt(scaled * scaled + math.exp(-2 * turn))
    return np.asarray(np.clip(-np.log(scaled + root) / kappa, 0.0, math.pi))
