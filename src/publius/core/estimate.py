"""Measured numbers always travel with their interval."""

import math
from dataclasses import dataclass

import scipy

from publius.core.errors import ParameterError


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measured value, its interval, and what it was measured on."""

    value: float
    low: float
    high: float
    confidence: float
    n: int

    def __post_init__(self) -> None:
        if not self.low <= self.value <= self.high:
            raise ParameterError("an estimate must lie inside its interval")
        if not 0 < self.confidence <= 1:
            raise ParameterError(
                f"confidence must lie in (0, 1], got {self.confidence}"
            )

    @classmethod
    def exact(cls, value: float) -> "Estimate":
        """Return a value that was computed, not sampled."""
        return cls(value, value, value, confidence=1.0, n=0)

    @classmethod
    def share(cls, hits: int, n: int, *, confidence: float = 0.95) -> "Estimate":
        """Return the share of `hits` in `n` trials with its Wilson interval."""
        if n < 1 or not 0 <= hits <= n:
            raise ParameterError(
                f"hits must lie in [0, n] with n >= 1, got {hits}, {n}"
            )
        share, z = hits / n, float(scipy.special.ndtri(0.5 + confidence / 2))
        middle = (share + z * z / (2 * n)) / (1 + z * z / n)
        spread = share * (1 - share) / n + z * z / (4 * n * n)
        half = z * math.sqrt(spread) / (1 + z * z / n)
        low, high = max(0.0, middle - half), min(1.0, middle + half)
        return cls(share, min(share, low), max(share, high), confidence, n)
