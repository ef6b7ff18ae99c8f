"""What a ledger tells: accounts of subjects, and the releases that were charged."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from publius.accounting.spending import Charge, Spending
from publius.core.guarantee import Unit
from publius.core.stating import add_up, multiply_up

Subject: TypeAlias = str | None
"""A name; None for all rows whose author is not known."""


@dataclass(frozen=True, slots=True)
class Account:
    """One subject.

    Args:
        name: None for all rows whose author is not known.
        releases: In how many the subject was.
        spending: What was lost in all of them.
    """

    name: Subject
    releases: int
    spending: Spending


@dataclass(frozen=True, slots=True)
class ChargedRelease:
    """One release as the ledger knows it.

    Args:
        charged: When, in UTC.
        charge: What it asked of everybody.
        subjects: How many were charged.
        guarantees: How many were spent on all of them.
        most: How many on the subject with most of them.
    """

    charged: str
    charge: Charge
    subjects: int
    guarantees: int
    most: int

    @property
    def worst(self) -> Spending:
        """What the subject with most guarantees lost."""
        return Spending.of([(self.charge.cost, self.most)])


@dataclass(frozen=True, slots=True)
class MetricLoss:
    """What guarantees under one metric cost together, one unit of distance apart.

    Args:
        metric: Name with the fingerprint of its space.
        unit: Whose secret one guarantee is about.
        guarantees: How many were spent.
        loss: If the secret of each moved by a distance of 1; infinite where there
            is no pure bound.
    """

    metric: str
    unit: Unit
    guarantees: int
    loss: float


def by_metric(charges: Iterable[ChargedRelease]) -> list[MetricLoss]:
    """Add up under every metric by itself: only there have distances the same unit."""
    by_unit: dict[tuple[str, Unit], list[tuple[int, float]]] = {}
    for entry in charges:
        guarantee = entry.charge.guarantee
        loss = entry.guarantees, guarantee.at(1.0).pure
        by_unit.setdefault((guarantee.metric, guarantee.unit), []).append(loss)
    return [
        MetricLoss(
            metric,
            unit,
            sum(count for count, _ in losses),
            add_up(*(multiply_up(loss, count) for count, loss in losses)),
        )
        for (metric, unit), losses in by_unit.items()
    ]
