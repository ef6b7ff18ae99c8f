"""The von Mises-Fisher mechanism on unit vectors."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from publius.core.arrays import FloatArray, Rng, at_least, not_negative, positive
from publius.core.guarantee import Chordal, Guarantee
from publius.mechanisms.direction import (
    Axial,
    concentration,
    directional_guarantee,
    protection_radius,
    rejection,
)
from publius.numerics.geometry.axial import AngleLaw, log_sine_ratio, peaked
from publius.numerics.geometry.sphere import angle_between, log_area


@dataclass(frozen=True, slots=True)
class VonMisesFisher(Axial):
    """Draw a direction with density proportional to ``exp(kappa * <x, z>)``.

    Guarantee:
        Pure: ``kappa`` times the chord, which is at most ``kappa`` times the angle and
        at most ``2 * kappa``; see docs/mechanisms/von_mises_fisher.md.

    Args:
        kappa: Privacy parameter per unit of chord; finite, >= 0. Zero is uniform noise.
        dim: Dimension of the space, at least 2.
    """

    name: ClassVar[str] = "vmf.v1"

    kappa: float
    dim: int

    def __post_init__(self) -> None:
        concentration(self.kappa)
        at_least("dim", self.dim, 2)

    @classmethod
    def from_level(
        cls, *, level: float, radius: float, dim: int = 2
    ) -> "VonMisesFisher":
        """Lose exactly `level` between directions `radius` radians apart."""
        chord = 2 * math.sin(protection_radius(radius) / 2)
        return cls(positive("level", level) / chord, dim)

    @classmethod
    def from_pure(cls, *, epsilon: float, dim: int = 2) -> "VonMisesFisher":
        """Lose exactly `epsilon` between the two most distant directions."""
        return cls(not_negative("epsilon", epsilon) / 2, dim)

    @property
    def angle_law(self) -> AngleLaw:
        """The law of the angle between input and output."""
        return _angle_law(self.kappa, self.dim)

    def guarantee(self) -> Guarantee:
        """Return the guarantee for one row."""
        return directional_guarantee((Chordal(self.kappa),), self.spacing)

    def angles(self, count: int, rng: Rng) -> FloatArray:
        """Draw `count` angles between input and output."""
        if self.dim == 3:
            return _angles_on_sphere(self.kappa, count, rng)
        shape = (self.dim - 1) / 2
        flat, skew, straight = _envelope(self.kappa, self.dim)

        def propose(size: int) -> FloatArray:
            # Ulrich and Wood's envelope, written for tan(angle / 2) so that nothing
            # cancels however large kappa is.
            one, two = _gammas(shape, size, rng), _gammas(shape, size, rng)
            both = one + two
            s = skew * (one - two) / both
            rest = (one * straight + two * (1 + skew)) / both
            log_rest = np.where(s < 0.5, np.log1p(-np.minimum(s, 0.5)), np.log(rest))
            bound = -2 * shape * (s / rest + log_rest)
            kept = bound >= -rng.standard_exponential(size=size)
            half = np.sqrt(flat * one[kept]), np.sqrt(two[kept])
            return np.asarray(2 * np.arctan2(*half))

        return rejection(count, propose)

    def log_prob(self, z: ArrayLike, x: ArrayLike) -> FloatArray:
        """Return the log-density of each `z` given its `x`, per unit of surface."""
        angle = angle_between(z, x)
        return self._log_constant() - 2 * self.kappa * np.sin(angle / 2) ** 2

    def mean_angle(self) -> float:
        """Return the expected angle between input and output."""
        return _mean_angle(self.kappa, self.dim)

    def mean_chord(self) -> float:
        """Return the expected Euclidean distance, equation (7.19) of the thesis."""
        return self.angle_law.expect(lambda angle: 2 * np.sin(angle / 2))

    def mean_cos(self) -> float:
        """Return the expected cosine, a ratio of Bessel functions."""
        sine = self.angle_law.expect(lambda angle: np.sin(angle) ** 2)
        return self.kappa / (self.dim - 1) * sine

    def log_constant(self) -> float:
        """Return ``log C`` where the density is ``C * exp(kappa * <x, z>)``."""
        return self._log_constant() - self.kappa

    def _log_constant(self) -> float:
        """Logarithm of the density at the mode."""
        peak = _peak(self.kappa, self.dim)
        power = self.dim - 2
        height = power * math.log(math.sin(peak)) if power else 0.0
        height -= 2 * self.kappa * math.sin(peak / 2) ** 2
        total = self.angle_law.log_total + height
        return -total - log_area(self.dim - 1)


def _angles_on_sphere(kappa: float, count: int, rng: Rng) -> FloatArray:
    """In three dimensions the distribution function has a closed inverse."""
    uniform = rng.random(count)
    if kappa == 0:
        return 2 * np.arcsin(np.sqrt(uniform))
    versine = -np.log1p(uniform * math.expm1(-2 * kappa)) / kappa
    return 2 * np.arcsin(np.sqrt(np.minimum(versine / 2, 1.0)))


def _gammas(shape: float, size: int, rng: Rng) -> FloatArray:
    """Draw gamma variables up to a common factor."""
    if shape == 0.5:
        # A squared normal is twice a Gamma(1/2), and five times faster.
        return rng.standard_normal(size) ** 2
    return rng.standard_gamma(shape, size)


def _envelope(kappa: float, dim: int) -> tuple[float, float, float]:
    """Return Wood's b, x0 = (1 - b) / (1 + b) and 1 - x0."""
    flat = (dim - 1) / (2 * kappa + math.hypot(2 * kappa, dim - 1))
    # 1 - b without cancellation: b solves (n-1) b^2 + 4 kappa b = n-1.
    skew = 4 * kappa * flat / ((dim - 1) * (1 + flat) ** 2)
    return flat, skew, 2 * flat / (1 + flat)


def _peak(kappa: float, dim: int) -> float:
    """Return the most likely angle."""
    power = dim - 2
    if power == 0:
        return 0.0
    total = power + math.hypot(power, 2 * kappa)
    return math.atan2(math.sqrt(2 * power / total), 2 * kappa / total)


@lru_cache(maxsize=128)
def _angle_law(kappa: float, dim: int) -> AngleLaw:
    power, peak = dim - 2, _peak(kappa, dim)

    def log_density(angle: FloatArray) -> FloatArray:
        fall = np.sin((angle + peak) / 2) * np.sin((angle - peak) / 2)
        value = -2 * kappa * fall
        return value + power * log_sine_ratio(angle, peak) if power else value

    return peaked(log_density, peak)


@lru_cache(maxsize=128)
def _mean_angle(kappa: float, dim: int) -> float:
    return _angle_law(kappa, dim).expect(lambda angle: angle)
