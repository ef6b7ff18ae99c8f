"""The numbers that the exponential mechanism samples with.

A law gives every input a row of positive numbers, integers or doubles; an output is
drawn with probability number / row sum, exactly. Certificates speak of these numbers,
so no floating-point hole is left between what is proved and what runs.
"""

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from publius.core.arrays import FloatArray, IdArray, Rng, positive
from publius.core.errors import DataError, ParameterError
from publius.mechanisms.certificate import Certificate

WEIGHT_LIMIT = 1 << 20
"""Weights are whole numbers from 1 to this, so every word keeps full support."""


@dataclass(frozen=True, slots=True, eq=False)
class Decay:
    """Weight of an output: ``weights[z] * exp(-beta * distance)``.

    Args:
        beta: Decay per unit of distance; finite, > 0.
        weights: One public whole number in ``[1, WEIGHT_LIMIT]`` per word.
    """

    beta: float
    weights: NDArray[np.uint32]

    def __post_init__(self) -> None:
        positive("beta", self.beta)
        inside = (self.weights >= 1) & (self.weights <= WEIGHT_LIMIT)
        whole = self.weights.dtype.kind in "iu"
        if not (whole and self.weights.ndim == 1 and inside.size and inside.all()):
            raise ParameterError(
                f"weights must be whole numbers in [1, {WEIGHT_LIMIT}]"
            )
        object.__setattr__(self, "weights", self.weights.astype(np.uint32))
        self.weights.setflags(write=False)

    @classmethod
    def plain(cls, beta: float, size: int) -> "Decay":
        """Return equal weights."""
        return cls(beta, np.full(size, WEIGHT_LIMIT, dtype=np.uint32))

    @classmethod
    def rounded(cls, beta: float, weights: FloatArray) -> "Decay":
        """Scale positive weights so that the largest is ``WEIGHT_LIMIT``, and round."""
        scaled = np.rint(weights * (WEIGHT_LIMIT / weights.max()))
        return cls(beta, np.maximum(scaled, 1).astype(np.uint32))

    def steeper(self, beta: float) -> "Decay":
        """Return the same weights with another decay."""
        return replace(self, beta=beta)

    def checked(self, size: int) -> "Decay":
        """Return itself, or raise unless there is one weight per word."""
        if len(self.weights) != size:
            raise DataError(f"{len(self.weights)} weights for {size} words")
        return self


class Law(Protocol):
    """Rows of numbers over a finite space, drawn from and certified."""

    @property
    def size(self) -> int:
        """Number of words."""
        ...

    def log_prob(self, ids: IdArray) -> FloatArray:
        """Return the log-probability of every output for each id or UNKNOWN."""
        ...

    def draw(self, ids: IdArray, rng: Rng) -> IdArray:
        """Draw one output per id."""
        ...

    def certify(self) -> Certificate:
        """Compute the exact loss over all pairs."""
        ...
