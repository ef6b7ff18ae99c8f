"""The Purkayastha mechanism on unit vectors: the Laplace law of the sphere."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from publius.core.arrays import FloatArray, Rng, at_least, not_negative, positive
from publius.core.guarantee import Guarantee, Linear
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
class Purkayastha(Axial):
    """Draw a direction with density proportional to ``exp(-kappa * angle(x, z))``.

    Guarantee:
        Pure, linear: ``kappa`` per radian, at most ``pi * kappa``. Proof: the triangle
        inequality on the exponent; see docs/mechanisms/purkayastha.md.

    Args:
        kappa: Privacy parameter per radian; finite, >= 0. Zero is uniform noise.
        dim: Dimension of the space, at least 2.
    """

    name: ClassVar[str] = "purkayastha.v1"

    kappa: float
    dim: int

    def __post_init__(self) -> None:
        concentration(self.kappa)
        at_least("dim", self.dim, 2)

    @classmethod
    def from_level(cls, *, level: float, radius: float, dim: int = 2) -> "Purkayastha":
        """Lose exactly `level` between directions `radius` radians apart."""
        return cls(positive("level", level) / protection_radius(radius), dim)

    @classmethod
    def from_pure(cls, *, epsilon: float, dim: int = 2) -> "Purkayastha":
        """Lose exactly `epsilon` between the two most distant directions."""
        return cls(not_negative("epsilon", epsilon) / math.pi, dim)

    @property
    def angle_law(self) -> AngleLaw:
        """The law of the angle between input and output."""
        return _angle_law(self.kappa, self.dim)

    def guarantee(self) -> Guarantee:
        """Return the guarantee for one row."""
        term = Linear(self.kappa, limit=math.pi * self.kappa)
        return directional_guarantee((term,), self.spacing)

    def angles(self, count: int, rng: Rng) -> FloatArray:
        """Draw `count` angles between input and output."""
        if self.dim == 2:
            return _angles_on_circle(self.kappa, count, rng)
        if _peak(self.kappa, self.dim) > 1:
            return _angles_by_normal(self.kappa, self.dim - 2, count, rng)
        return _angles_by_gamma(self.kappa, self.dim - 2, count, rng)

    def log_prob(self, z: ArrayLike, x: ArrayLike) -> FloatArray:
        """Return the log-density of each `z` given its `x`, per unit of surface."""
        return self.log_constant() - self.kappa * angle_between(z, x)

    def log_constant(self) -> float:
        """Return ``log C`` where the density is ``C * exp(-kappa * angle)``."""
        return -log_angular_integral(self.kappa, self.dim) - log_area(self.dim - 1)

    def mean_angle(self) -> float:
        """Return the expected angle between input and output, in closed form."""
        return _mean_angle(self.kappa, self.dim)

    def var_angle(self) -> float:
        """Return the variance of the angle between input and output."""
        mean = self.mean_angle()
        return self.angle_law.expect(lambda angle: (angle - mean) ** 2)

    def mean_cos(self) -> float:
        """Return the expected cosine."""
        return self.kappa / (self.dim - 1) * self.angle_law.expect(np.sin)


def log_angular_integral(kappa: float, dim: int) -> float:
    """Return ``log`` of the integral of ``sin(t)^(dim-2) * exp(-kappa t)`` on [0, pi].

    Equation (7.25) of the thesis as a sum of logarithms of one sign, so that nothing
    overflows or cancels.
    """
    step = np.arange(dim - 2, 1, -2, dtype=np.float64)
    product = -float(np.log1p((kappa * kappa + step) / (step * (step - 1))).sum())
    if dim % 2:
        return (
            product - math.log1p(kappa * kappa) + math.log1p(math.exp(-kappa * math.pi))
        )
    return product + math.log(_falling(kappa))


def _falling(kappa: float) -> float:
    """Return the integral of ``exp(-kappa t)`` on [0, pi]."""
    return -math.expm1(-kappa * math.pi) / kappa if kappa > 0 else math.pi


@lru_cache(maxsize=128)
def _mean_angle(kappa: float, dim: int) -> float:
    """Equation (7.26): every term is positive."""
    step = np.arange(dim - 2, 0, -2, dtype=np.float64)
    total = 2 * kappa * float((1 / (kappa * kappa + step * step)).sum())
    if dim % 2:
        fade = math.exp(-kappa * math.pi)
        return total + math.pi * fade / (1 + fade)
    return total + math.pi * _half_falling(kappa * math.pi)


def _half_falling(x: float) -> float:
    """Return ``1/x - 1/(e^x - 1)``, which falls from 1/2."""
    if x > 0.5:
        fade = math.exp(-x)
        return 1 / x - fade / -math.expm1(-x)
    # Bernoulli numbers over factorials; the series converges for x < 2 pi.
    series = (
        1 / 12,
        -1 / 720,
        1 / 30240,
        -1 / 1209600,
        1 / 47900160,
        -5.284190138687e-10,
    )
    return 0.5 - sum(c * x ** (2 * k + 1) for k, c in enumerate(series))


def _peak(kappa: float, dim: int) -> float:
    """Return the most likely angle."""
    return math.atan2(dim - 2, kappa) if dim > 2 else 0.0


@lru_cache(maxsize=128)
def _angle_law(kappa: float, dim: int) -> AngleLaw:
    power, peak = dim - 2, _peak(kappa, dim)

    def log_density(angle: FloatArray) -> FloatArray:
        value = -kappa * (angle - peak)
        return value + power * log_sine_ratio(angle, peak) if power else value

    return peaked(log_density, peak)


def _angles_on_circle(kappa: float, count: int, rng: Rng) -> FloatArray:
    uniform = rng.random(count)
    if kappa == 0:
        return math.pi * uniform
    return -np.log1p(uniform * math.expm1(-kappa * math.pi)) / kappa


def _angles_by_normal(kappa: float, power: int, count: int, rng: Rng) -> FloatArray:
    """Reject from a normal law around the peak; accepts at least two thirds."""
    peak, slope = math.atan2(power, kappa), kappa / power
    scale = 1 / math.sqrt(power)

    def propose(size: int) -> FloatArray:
        delta = scale * rng.standard_normal(size)
        least = -rng.standard_exponential(size)
        inside = (delta > -peak) & (delta < math.pi - peak)
        delta, least = delta[inside], least[inside]
        rise = np.log1p(slope * np.sin(delta) - 2 * np.sin(delta / 2) ** 2)
        bound = power * (rise + delta * delta / 2) - kappa * delta
        return np.asarray(peak + delta[least <= bound])

    return rejection(count, propose)


def _angles_by_gamma(kappa: float, power: int, count: int, rng: Rng) -> FloatArray:
    """Reject from the gamma law of flat space; accepts at least two thirds."""
    peak, slope = math.atan2(power, kappa), kappa / power
    bend = slope - 1 / peak

    def propose(size: int) -> FloatArray:
        angle = rng.standard_gamma(power + 1, size) * (peak / power)
        least = -rng.standard_exponential(size)
        inside = angle < math.pi
        angle, least = angle[inside], least[inside]
        delta = angle - peak
        rise = np.log(np.sin(angle) / angle) - math.log(math.sin(peak) / peak)
        return np.asarray(angle[least <= power * (rise - bend * delta)])

    return rejection(count, propose)
