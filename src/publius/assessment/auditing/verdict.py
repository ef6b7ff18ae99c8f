"""What an audit finds: a bound on epsilon, and the evidence for it."""

import math
from collections.abc import Hashable
from dataclasses import dataclass

from publius.core.arrays import shortest
from publius.core.errors import ParameterError
from publius.core.estimate import Estimate
from publius.core.guarantee import JsonValue
from publius.core.json import finite_number
from publius.core.stating import state_floor


@dataclass(frozen=True, slots=True, repr=False)
class Verdict:
    """The result of an audit of one claim.

    Args:
        claim: The epsilon that was claimed, per unit of the metric.
        epsilon: Loss per unit of distance that was found. Its low end is certain at
            the stated confidence; computed, not sampled, when the confidence is 1.
        x: The secret under which the event is likelier.
        other: The secret under which it is rarer.
        distance: Distance of the two secrets.
        event: What was observed, in words.
        searched: Number of hypotheses that share the confidence.
    """

    claim: float
    epsilon: Estimate
    x: Hashable
    other: Hashable
    distance: float
    event: str
    searched: int = 1

    def __post_init__(self) -> None:
        if not self.claim >= 0:
            raise ParameterError(f"claim must be a number >= 0, got {self.claim}")

    @property
    def refutes_claim(self) -> bool:
        """Tell whether more was lost than was claimed, beyond rounding."""
        return self.epsilon.low > self.claim * (1 + 1e-9) + 1e-12

    @property
    def is_exact(self) -> bool:
        """Tell whether epsilon was computed rather than sampled."""
        return self.epsilon.n == 0

    def to_json(self) -> dict[str, JsonValue]:
        """Return the verdict as plain values; null stands for infinity."""
        return {
            "claim": self.claim,
            "refuted": self.refutes_claim,
            "exact": self.is_exact,
            "epsilon": finite_number(self.epsilon.value),
            "epsilon_low": finite_number(self.epsilon.low),
            "epsilon_high": finite_number(self.epsilon.high),
            "unbounded": math.isinf(self.epsilon.low),
            "confidence": self.epsilon.confidence,
            "draws": self.epsilon.n,
            "searched": self.searched,
            "x": str(self.x),
            "other": str(self.other),
            "distance": finite_number(self.distance),
            "event": self.event,
        }

    def __repr__(self) -> str:
        said = "refuted" if self.refutes_claim else "not refuted"
        lost = state_floor(self.epsilon.low)
        return f"<Verdict: ε = {shortest(self.claim)} is {said}; at least {lost} lost>"
