"""What somebody has lost over many releases: guarantees of every kind, added up.

Guarantees that were spent are kept as counts per kind. Whole numbers add exactly, so n
releases are n times one release, to the last digit.
"""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from publius.accounting.gaussian import USUAL_DELTA, checked_delta, epsilon_of
from publius.core.arrays import at_least
from publius.core.errors import ParameterError
from publius.core.guarantee import Gaussian, Guarantee, Scope
from publius.core.stating import add_up, multiply_up


@dataclass(frozen=True, slots=True, order=True)
class Cost:
    """What one guarantee costs: at worst, and between secrets that are near.

    Args:
        pure: Bound on the log-likelihood ratio of any two secrets; infinite if there is
            none.
        near: The same of two near secrets, as the release understands them: a word and
            one of its ten nearest, places within the radius. As `pure` where it has no
            such notion.
        gaussian: Squared ratio of signal and deviation of normal noise.
        slack: Probability with which the bounds may fail.
    """

    pure: float
    near: float
    gaussian: float = 0.0
    slack: float = 0.0

    def __post_init__(self) -> None:
        if not (self.pure >= self.near >= 0 and self.gaussian >= 0):
            raise ParameterError("a cost must be >= 0, and no less at worst than near")
        if not 0 <= self.slack <= 1:
            raise ParameterError(f"slack must lie in [0, 1], got {self.slack}")

    @classmethod
    def of(
        cls, guarantee: Guarantee, *, near: float = math.nan, unknown: float = 0.0
    ) -> "Cost":
        """Return the cost of a guarantee between its two most distant secrets.

        Args:
            guarantee: A single one.
            near: Loss between near secrets; NaN if nothing is known about them.
            unknown: Loss against a secret outside the space, such as an unknown word.
        """
        diameter, gaussian, pure, slack = guarantee.landmarks.diameter, 0.0, 0.0, 0.0
        for term in guarantee.terms:
            if isinstance(term, Gaussian):  # composes exactly; its pure bound is none
                gaussian += (diameter / term.sigma) ** 2
                pure = add_up(pure, term.offset if diameter > 0 else 0.0)
            else:
                loss = term.at(diameter)
                pure, slack = add_up(pure, loss.pure), add_up(slack, loss.slack)
        worst = max(pure, unknown)
        close = worst if math.isnan(near) else min(near, worst)
        return cls(worst, close, gaussian, min(1.0, slack))


@dataclass(frozen=True, slots=True)
class Charge:
    """What a release asks of everybody whose guarantees it spends.

    Args:
        mechanism: Registered name.
        guarantee: A single one, with what is covered and what is not.
        cost: Of this guarantee at worst.
    """

    mechanism: str
    guarantee: Guarantee
    cost: Cost

    def covering(self, scope: Scope) -> "Charge":
        """Return the same charge with more said about what it covers."""
        return replace(self, guarantee=self.guarantee.covering(scope))


@dataclass(frozen=True, slots=True)
class Spending:
    """Guarantees that were spent on one subject, by their cost.

    Losses without a bound make the whole unbounded. Those with normal noise compose
    exactly, to one Gaussian whose squared ratio is the sum of theirs; all others add.
    The two sums are joined by basic composition: a pure ε₁ after an (ε₂, δ) is an
    (ε₁ + ε₂, δ), whatever the order and also if a release depends on earlier ones.
    Probabilities of failure add and are taken from δ first.

    Args:
        guarantees: Every cost once, ascending, with how often it was spent.
    """

    guarantees: tuple[tuple[Cost, int], ...] = ()

    def __post_init__(self) -> None:
        costs = [cost for cost, _ in self.guarantees]
        if costs != sorted(set(costs)):
            raise ParameterError("every cost must stand once, in ascending order")
        for _, count in self.guarantees:
            at_least("count", count, 1)

    @classmethod
    def of(cls, guarantees: Iterable[tuple[Cost, int]]) -> "Spending":
        """Add up guarantees in any order."""
        counts: Counter[Cost] = Counter()
        for cost, count in guarantees:
            counts[cost] += at_least("count", count, 0)
        return cls(tuple(sorted((cost, n) for cost, n in counts.items() if n)))

    def __add__(self, other: "Spending") -> "Spending":
        """Compose: what was lost before and after."""
        return Spending.of(self.guarantees + other.guarantees)

    def __mul__(self, count: int) -> "Spending":
        """Repeat everything `count` times."""
        times = at_least("count", count, 0)
        return Spending.of((cost, n * times) for cost, n in self.guarantees)

    __rmul__ = __mul__

    @property
    def count(self) -> int:
        """How many guarantees were spent."""
        return sum(n for _, n in self.guarantees)

    @property
    def is_pure(self) -> bool:
        """Whether the loss is the same at every δ, also at δ = 0."""
        return all(
            cost.gaussian == 0 and cost.slack == 0 for cost, _ in self.guarantees
        )

    def epsilon(self, delta: float = USUAL_DELTA) -> float:
        """Return ε of everything together at `delta`; infinite if there is no bound."""
        pure = (multiply_up(cost.pure, n) for cost, n in self.guarantees)
        return self._joined(add_up(*pure), delta)

    def near_epsilon(self, delta: float = USUAL_DELTA) -> float:
        """Return ε between contents in which every secret moved to a near one only."""
        near = (multiply_up(cost.near, n) for cost, n in self.guarantees)
        return self._joined(add_up(*near), delta)

    def _joined(self, pure: float, delta: float) -> float:
        left = checked_delta(delta) - math.fsum(c.slack * n for c, n in self.guarantees)
        gaussian = math.fsum(c.gaussian * n for c, n in self.guarantees)
        if left < 0 or not math.isfinite(pure + gaussian):
            return math.inf
        # Rounding of normal noise changes probabilities, and with them δ, by a factor.
        left *= math.exp(
            -math.fsum(c.pure * n for c, n in self.guarantees if c.gaussian)
        )
        return add_up(pure, _of_normal_noise(gaussian, left))


@dataclass(frozen=True, slots=True)
class Budget:
    """What every subject may lose at most, over all releases.

    Args:
        worst: Largest ε between any two contents; infinite for no limit.
        near: Largest ε between contents of near secrets; infinite for no limit.
        delta: At which ε is stated; matters only where noise is normal.
    """

    worst: float = math.inf
    near: float = math.inf
    delta: float = USUAL_DELTA

    def __post_init__(self) -> None:
        for name in ("worst", "near"):
            if not getattr(self, name) > 0:
                raise ParameterError(f"a budget must be > 0, got {getattr(self, name)}")
        checked_delta(self.delta)

    def __str__(self) -> str:
        limits = {"": self.worst, " between near secrets": self.near}
        given = {of: limit for of, limit in limits.items() if limit < math.inf}
        return " and ".join(f"ε = {_plain(at)}{of}" for of, at in given.items())

    def allows(self, spending: Spending) -> bool:
        """Say whether so much may be spent."""
        worst, near = self._left(spending)
        return worst >= 0 and near >= 0

    def left(self, spending: Spending) -> tuple[float, float]:
        """Return what is left, at worst and near; 0 where nothing is."""
        worst, near = self._left(spending)
        return max(0.0, worst), max(0.0, near)

    def _left(self, spending: Spending) -> tuple[float, float]:
        return (
            _rest(self.worst, spending.epsilon(self.delta)),
            _rest(self.near, spending.near_epsilon(self.delta)),
        )


def _plain(limit: float) -> str:
    """Write a limit with all its digits, by thousands."""
    return f"{limit:,}".removesuffix(".0")


def _rest(limit: float, spent: float) -> float:
    """Where there is no limit, no bound is too much."""
    return math.inf if limit == math.inf else limit - spent


@lru_cache(maxsize=65_536)
def _of_normal_noise(squared_ratio: float, delta: float) -> float:
    """Many subjects have the same sum, and each ε is the root of an equation."""
    if squared_ratio == 0:
        return 0.0
    return math.inf if delta == 0 else epsilon_of(math.sqrt(squared_ratio), delta)
