"""Discrete Laplace noise on the residues of a modulus: exact in integers."""

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from publius.core.arrays import (
    FloatArray,
    IdArray,
    Rng,
    at_least,
    not_negative,
    positive,
)
from publius.core.errors import DataError, ParameterError
from publius.core.guarantee import Guarantee, Landmarks, Linear, Scope, Unit

LARGEST_MODULUS = 1 << 25
BITS = 62
_PRECISION = 128
_EXACT = Context(prec=80, rounding=ROUND_CEILING)
_UNIT = Decimal(1 << _PRECISION)


@dataclass(frozen=True, slots=True)
class DiscreteCircularLaplace:
    """Move a residue by k steps with probability close to ``exp(-epsilon * |k|)``.

    The law is a table of whole numbers in which neighbours never differ by more than
    ``exp(epsilon)``, drawn from with uniform integers: nothing is rounded.

    Guarantee:
        Pure, linear: ``epsilon`` per step on the circle of `modulus` steps, exactly, on
        the integers that are sampled; see docs/mechanisms/discrete_circular_laplace.md.

    Args:
        epsilon: Privacy parameter per step; finite, >= 0. Zero is uniform noise.
        modulus: Number of steps in a turn, at least 2.
    """

    name: ClassVar[str] = "discrete-circular-laplace.v1"

    epsilon: float
    modulus: int

    def __post_init__(self) -> None:
        not_negative("epsilon", self.epsilon)
        at_least("modulus", self.modulus, 2)
        if self.modulus > LARGEST_MODULUS:
            raise ParameterError(
                f"modulus must be at most {LARGEST_MODULUS}, got {self.modulus}; "
                "choose a coarser resolution"
            )

    @classmethod
    def from_level(
        cls, *, level: float, radius: float, modulus: int
    ) -> "DiscreteCircularLaplace":
        """Lose at most `level` between residues `radius` steps apart."""
        reach = min(positive("radius", radius), at_least("modulus", modulus, 2) // 2)
        return cls(positive("level", level) / reach, modulus)

    @classmethod
    def from_pure(cls, *, epsilon: float, modulus: int) -> "DiscreteCircularLaplace":
        """Lose at most `epsilon` between opposite residues."""
        half = at_least("modulus", modulus, 2) // 2
        return cls(not_negative("epsilon", epsilon) / half, modulus)

    @property
    def weights(self) -> NDArray[np.int64]:
        """Whole-number weight of each distance 0 … modulus // 2."""
        return _table(self.epsilon, self.modulus)[0]

    @property
    def worst_loss(self) -> float:
        """Loss between opposite residues, rounded up."""
        most, least = int(self.weights[0]), int(self.weights[-1])
        return 0.0 if most == least else math.log(most / least) * (1 + 1e-14)

    def guarantee(self) -> Guarantee:
        """Return the guarantee for one value."""
        return Guarantee(
            metric=f"circular:modulus={self.modulus}",
            unit=Unit.RECORD,
            terms=(Linear(self.epsilon, limit=self.worst_loss),),
            scope=Scope(
                covered=("The value of each row.",),
                uncovered=("How many rows there are.",),
                assumptions=(
                    "Exact integer law: the bound speaks of the integers that are "
                    "sampled, not of real numbers.",
                ),
            ),
            landmarks=Landmarks(diameter=float(self.modulus // 2)),
        )

    def perturb(self, x: ArrayLike, rng: Rng) -> IdArray:
        """Draw one residue for each residue."""
        at = self._residues(x)
        weights, bounds = _table(self.epsilon, self.modulus)
        drawn = rng.integers(0, bounds[-1], size=at.shape)
        distance = np.searchsorted(bounds, drawn, side="right")
        start = np.where(distance > 0, bounds[distance - 1], 0)
        is_forward = drawn - start < weights[distance]
        return np.mod(at + np.where(is_forward, distance, -distance), self.modulus)

    def log_prob(self, z: ArrayLike, x: ArrayLike) -> FloatArray:
        """Return the log-probability of each `z` given its `x`."""
        offset = np.mod(self._residues(z) - self._residues(x), self.modulus)
        pmf = self._log_pmf()
        return np.asarray(pmf[np.minimum(offset, self.modulus - offset)])

    def mean_distance(self) -> float:
        """Return the expected number of steps between input and output."""
        share = self._shares()
        return float((share * np.arange(len(share))).sum())

    def mean_angle(self) -> float:
        """Return the expected angle between input and output."""
        return 2 * math.pi / self.modulus * self.mean_distance()

    def angle_cdf(self, angle: FloatArray) -> FloatArray:
        """Return the probability of an angle of at most `angle`."""
        below = np.concatenate(([0.0], np.cumsum(self._shares())))
        return np.asarray(below[self._steps_within(angle)])

    def angle_sf(self, angle: FloatArray) -> FloatArray:
        """Return the probability of a larger angle, exact in the far tail."""
        above = np.concatenate((np.cumsum(self._shares()[::-1])[::-1], [0.0]))
        return np.asarray(above[self._steps_within(angle)])

    def angle_ppf(self, probability: FloatArray) -> FloatArray:
        """Return the least angle that is not exceeded with `probability`."""
        asked = np.asarray(probability, dtype=np.float64)
        if not ((asked >= 0) & (asked <= 1)).all():
            raise DataError("probabilities must lie in [0, 1]")
        below = np.cumsum(self._shares())
        step = np.minimum(np.searchsorted(below, asked), len(below) - 1)
        return np.asarray(step * (2 * math.pi / self.modulus))

    def _steps_within(self, angle: FloatArray) -> IdArray:
        """Return how many distances, 0 among them, are at most `angle`."""
        step = np.asarray(angle, dtype=np.float64) * (self.modulus / (2 * math.pi))
        # An angle that is a whole number of steps must count that step.
        reach = np.floor(step * (1 + 4e-16)).astype(np.int64)
        return np.clip(reach + 1, 0, len(self._shares()))

    def _residues(self, x: ArrayLike) -> IdArray:
        at = np.asarray(x)
        if at.size == 0:
            return np.zeros(at.shape, dtype=np.int64)
        if at.dtype.kind not in "iu":
            raise DataError(f"x must hold whole numbers, got {at.dtype}")
        inside = (at >= 0) & (at < self.modulus)
        if not inside.all():
            where = int(np.argmin(inside.ravel()))
            raise DataError(f"x must lie in [0, {self.modulus}); row {where} does not")
        return at.astype(np.int64)

    def _log_pmf(self) -> FloatArray:
        weights, bounds = _table(self.epsilon, self.modulus)
        return np.asarray(np.log(weights) - math.log(int(bounds[-1])))

    def _shares(self) -> FloatArray:
        bounds = _table(self.epsilon, self.modulus)[1]
        return np.diff(bounds, prepend=0) / float(bounds[-1])


@lru_cache(maxsize=8)
def _table(epsilon: float, modulus: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the weight of each distance, and the running total of both directions."""
    half = modulus // 2
    factor = _EXACT.exp(Decimal(-epsilon)).next_plus(_EXACT)
    decay = min(int(_EXACT.multiply(factor, _UNIT)) + 1, 1 << _PRECISION)
    top = math.floor((1 << BITS) / _ideal_total(epsilon, modulus))
    weights = np.empty(half + 1, dtype=np.int64)
    weight = top
    for distance in range(half + 1):
        weights[distance] = weight
        # Rounding up keeps every ratio of neighbours below exp(epsilon).
        following = -((-weight * decay) >> _PRECISION)
        if following == weight:
            weights[distance:] = weight
            break
        weight = following
    counts = np.full(half + 1, 2, dtype=np.int64)
    counts[0] = 1
    if modulus % 2 == 0:
        counts[-1] = 1
    bounds = np.cumsum(weights * counts)
    weights.flags.writeable = bounds.flags.writeable = False
    return weights, bounds


def _ideal_total(epsilon: float, modulus: int) -> float:
    """Return the sum of ``exp(-epsilon * distance)`` over all residues."""
    if epsilon * modulus < 1e-9:
        return float(modulus)
    half = (modulus - 1) // 2
    around = math.exp(-epsilon) * math.expm1(-epsilon * half) / math.expm1(-epsilon)
    opposite = math.exp(-epsilon * (modulus // 2)) if modulus % 2 == 0 else 0.0
    return 1 + 2 * around + opposite
