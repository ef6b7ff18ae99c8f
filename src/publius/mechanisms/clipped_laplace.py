"""Baseline on the circle: Laplace noise on the angle, clipped to one turn."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from publius.core.arrays import FloatArray, Rng, not_negative, rows_of
from publius.core.guarantee import Flat, Guarantee
from publius.mechanisms.direction import (
    concentration,
    directional_guarantee,
    grid_spacing,
)
from publius.numerics.geometry.circle import TURN, angles, vectors
from publius.numerics.geometry.sphere import unit_rows


@dataclass(frozen=True, slots=True)
class ClippedLaplace:
    """Add Laplace noise of scale ``1 / kappa`` to the angle and clip to [-pi, pi].

    A baseline. The cut at pi tears neighbours apart: two directions on its two sides
    are as easy to tell apart as the most distant ones, however close they are.

    Guarantee:
        Pure, flat: ``2 * pi * kappa`` between any two directions, twice what the
        sensitivity ``pi`` suggests; see docs/mechanisms/clipped_laplace.md.

    Args:
        kappa: Inverse scale of the noise, per radian; finite, >= 0.
    """

    name: ClassVar[str] = "clipped-laplace.v1"
    dim: ClassVar[int] = 2

    kappa: float

    def __post_init__(self) -> None:
        concentration(self.kappa)

    @classmethod
    def from_pure(cls, *, epsilon: float) -> "ClippedLaplace":
        """Lose exactly `epsilon` between the two sides of the cut."""
        return cls(not_negative("epsilon", epsilon) / TURN)

    @property
    def spacing(self) -> float:
        """Step of the public grid of output coordinates."""
        return grid_spacing(min(math.pi, 1 / max(self.kappa, 0.1)), self.dim)

    def guarantee(self) -> Guarantee:
        """Return the guarantee for one row."""
        return directional_guarantee((Flat(TURN * self.kappa),), self.spacing)

    def perturb(self, x: ArrayLike, rng: Rng) -> FloatArray:
        """Draw one direction for each row."""
        at = angles(unit_rows(x, self.dim))
        noise = rng.standard_exponential(len(at)) * (
            1 - 2 * rng.integers(0, 2, len(at))
        )
        scale = 1 / self.kappa if self.kappa > 0 else math.inf
        with np.errstate(invalid="ignore"):
            moved = np.clip(at + noise * scale, -math.pi, math.pi)
        return np.asarray(np.rint(vectors(moved) / self.spacing) * self.spacing)

    def log_prob(self, z: ArrayLike, x: ArrayLike) -> FloatArray:
        """Return log-density per radian, or log-mass where `z` is the cut itself."""
        at = angles(unit_rows(x, self.dim))
        to = angles(rows_of(z, self.dim))
        with np.errstate(divide="ignore"):
            inside = np.log(self.kappa / 2) - self.kappa * np.abs(to - at)
        low, high = -self.kappa * (math.pi + at), -self.kappa * (math.pi - at)
        is_cut = np.abs(to) >= math.pi - 2 * self.spacing
        mass = np.logaddexp(low, high) - math.log(2)
        return np.asarray(np.where(is_cut, mass, inside))

    def mean_angle(self, x: ArrayLike) -> FloatArray:
        """Return the expected angle to the output, which depends on the input."""
        at = np.abs(angles(unit_rows(x, self.dim)))
        if self.kappa == 0:
            return np.asarray(math.pi - at)
        # Noise towards the cut stays within pi - |x|; away from it, it may pass the
        # antipode, and beyond that the angle shrinks again down to pi - |x|.
        k, near = self.kappa, math.pi - at
        towards = -np.expm1(-k * near) / k
        away = (1 - 2 * np.exp(-k * math.pi) + np.exp(-k * (math.pi + at))) / k
        return np.asarray((towards + away) / 2)
