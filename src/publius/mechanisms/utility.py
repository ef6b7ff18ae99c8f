"""How useful the exponential mechanism can be: Theorem 5.6 and Corollary 5.7.

Weggenmann (2023): for an input x, split the outputs into the good ones, rated at least
a threshold, and the others. These bounds hold for any rating function.
"""

import math
from dataclasses import dataclass

import numpy as np

from publius.core.arrays import FloatArray, at_least, positive
from publius.core.errors import DataError, ParameterError


@dataclass(frozen=True, slots=True)
class Split:
    """Good and other outputs of one input.

    Args:
        good: Number of outputs rated at least the threshold; at least 1.
        others: Number of other outputs.
        gap: c, from the threshold down to the best other rating; at least 0.
        spread: Largest minus smallest rating of the input.
        sensitivity: Δ of the rating function.
    """

    good: int
    others: int
    gap: float
    spread: float
    sensitivity: float = 1.0

    def __post_init__(self) -> None:
        at_least("good", self.good, 1)
        at_least("others", self.others, 0)
        positive("sensitivity", self.sensitivity)
        if not (math.isfinite(self.spread) and 0 <= self.gap <= self.spread):
            raise ParameterError("gap must lie in [0, spread]")

    @classmethod
    def of(cls, ratings: FloatArray, threshold: float, sensitivity: float) -> "Split":
        """Split the ratings of one input at a threshold that some output reaches."""
        good = ratings >= threshold
        if not good.any():
            raise DataError("no output reaches the threshold")
        best_other = float(ratings[~good].max(initial=-math.inf))
        spread = float(np.ptp(ratings))
        gap = min(threshold - best_other, spread)
        return cls(int(good.sum()), int((~good).sum()), gap, spread, sensitivity)

    def bounds(self, epsilon: float) -> tuple[float, float]:
        """Return bounds on the probability of a good output (Theorem 5.6)."""
        half = positive("epsilon", epsilon) / (2 * self.sensitivity)
        return self._share(half * self.gap), self._share(half * self.spread)

    def needed(self, probability: float) -> tuple[float, float]:
        """Return the necessary and the sufficient ε for a good output (Cor. 5.7).

        A value of 0 means that any ε will do; infinity that the bound never gets there.
        """
        if not 0 < probability < 1:
            raise ParameterError(f"probability must lie in (0, 1), got {probability}")
        if self.others == 0:
            return 0.0, 0.0
        odds = math.log(probability) - math.log1p(-probability)
        odds += math.log(self.others) - math.log(self.good)
        return self._solve(odds, self.spread), self._solve(odds, self.gap)

    def _share(self, exponent: float) -> float:
        return self.good / (self.good + self.others * math.exp(-exponent))

    def _solve(self, odds: float, width: float) -> float:
        if odds <= 0:
            return 0.0
        return 2 * self.sensitivity / width * odds if width > 0 else math.inf
