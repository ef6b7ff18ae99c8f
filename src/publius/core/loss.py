"""What can be learnt about one pair of secrets, and how it adds up."""

import math
from dataclasses import dataclass
from typing import Self

from publius.core.arrays import at_least
from publius.core.errors import ParameterError
from publius.core.stating import add_up, multiply_up

ORDERS = (
    1.25,
    1.5,
    2.0,
    3.0,
    4.0,
    6.0,
    8.0,
    12.0,
    16.0,
    24.0,
    32.0,
    64.0,
    128.0,
    256.0,
)
"""Rényi orders at which every loss keeps its curve."""


@dataclass(frozen=True, slots=True)
class Loss:
    """Bound what a release tells about which of two secrets was true.

    Args:
        pure: Bound on the log-likelihood ratio; infinite if there is none.
        renyi: Bound on the Rényi divergence at each of ``ORDERS``.
        slack: Probability with which the bounds may fail.
    """

    pure: float = 0.0
    renyi: tuple[float, ...] = (0.0,) * len(ORDERS)
    slack: float = 0.0

    def __post_init__(self) -> None:
        if len(self.renyi) != len(ORDERS):
            raise ParameterError(f"renyi must have {len(ORDERS)} values")
        if not all(value >= 0 for value in (self.pure, *self.renyi)):
            raise ParameterError("a loss must be >= 0 at every order")
        if not 0 <= self.slack <= 1:
            raise ParameterError(f"slack must lie in [0, 1], got {self.slack}")

    @classmethod
    def from_pure(cls, epsilon: float) -> Self:
        """Return the loss of a pure bound (Rényi curve by Bun and Steinke 2016)."""
        curve = tuple(min(epsilon, order * epsilon * epsilon / 2) for order in ORDERS)
        return cls(pure=epsilon, renyi=curve)

    @classmethod
    def unbounded(cls) -> Self:
        """Return the loss of a release that guarantees nothing."""
        return cls(pure=math.inf, renyi=(math.inf,) * len(ORDERS))

    def __add__(self, other: "Loss") -> "Loss":
        """Compose two releases about the same pair."""
        return Loss(
            pure=add_up(self.pure, other.pure),
            renyi=tuple(map(add_up, self.renyi, other.renyi)),
            slack=min(1.0, add_up(self.slack, other.slack)),
        )

    def __mul__(self, count: int) -> "Loss":
        """Repeat the release `count` times."""
        if at_least("count", count, 0) == 0:
            return Loss()
        return Loss(
            pure=multiply_up(self.pure, count),
            renyi=tuple(multiply_up(value, count) for value in self.renyi),
            slack=min(1.0, multiply_up(self.slack, count)),
        )

    __rmul__ = __mul__

    def epsilon(self, delta: float = 0.0) -> float:
        """Return ε such that the pair is (ε, `delta`)-indistinguishable."""
        if not 0 <= delta < 1:
            raise ParameterError(f"delta must lie in [0, 1), got {delta}")
        left = delta - self.slack
        if left < 0:
            return math.inf
        if left == 0:
            return self.pure
        curve = zip(ORDERS, self.renyi, strict=True)
        return min(self.pure, *(_from_renyi(a, rho, left) for a, rho in curve))


def _from_renyi(order: float, divergence: float, delta: float) -> float:
    """Convert one Rényi bound (Canonne, Kamath and Steinke 2020, Prop. 12)."""
    if math.isinf(divergence):
        return math.inf
    gain = math.log1p(-1 / order) - (math.log(delta) + math.log(order)) / (order - 1)
    return max(0.0, divergence + gain)
