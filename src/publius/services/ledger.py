"""The ledger as people ask it: what each subject lost, and in which releases."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from publius.accounting.accounts import (
    Account,
    ChargedRelease,
    MetricLoss,
    Subject,
    by_metric,
)
from publius.accounting.ledger import Ledger
from publius.accounting.spending import Budget, Spending


@dataclass(frozen=True, slots=True)
class Balance:
    """Those who lost most.

    Args:
        subjects: How many are known.
        accounts: The first of them.
        charges: Every release.
        budget: What nobody may pass.
        delta: At which ε is stated.
    """

    subjects: int
    accounts: tuple[Account, ...]
    charges: tuple[ChargedRelease, ...]
    budget: Budget
    delta: float

    def to_json(self) -> dict[str, object]:
        """Return plain values; names among them."""
        return {
            "subjects": self.subjects,
            "releases": len(self.charges),
            "budget": self.budget.worst,
            "near_budget": self.budget.near,
            "delta": self.delta,
            "uncovered": uncovered(self.charges),
            "accounts": [
                _account_row(account, self.budget, self.delta)
                for account in self.accounts
            ],
        }


@dataclass(frozen=True, slots=True)
class Statement:
    """One subject, release by release.

    Args:
        account: In all.
        charges: Release by release.
        metrics: What was lost at distance one, by metric.
        budget: What nobody may pass.
        delta: At which ε is stated.
    """

    account: Account
    charges: tuple[ChargedRelease, ...]
    metrics: tuple[MetricLoss, ...]
    budget: Budget
    delta: float

    def to_json(self) -> dict[str, object]:
        """Return plain values; the name among them."""
        return _account_row(self.account, self.budget, self.delta) | {
            "delta": self.delta,
            "charges": _release_rows(self.charges, self.delta),
            "metrics": [
                {
                    "metric": loss.metric,
                    "unit": loss.unit,
                    "guarantees": loss.guarantees,
                    "at_distance_one": loss.loss,
                }
                for loss in self.metrics
            ],
            "uncovered": uncovered(self.charges),
        }


@dataclass(frozen=True, slots=True)
class Refused:
    """Who would have lost more than the budget in the last release, if refused."""

    rows: tuple[tuple[Subject, float, float], ...]

    def to_json(self) -> dict[str, object]:
        """Return plain values; names among them."""
        names = ("subject", "epsilon", "near_epsilon")
        return {"refused": [dict(zip(names, row, strict=True)) for row in self.rows]}


@dataclass(frozen=True, slots=True)
class Releases:
    """Every release that was charged, oldest first."""

    charges: tuple[ChargedRelease, ...]
    delta: float

    def to_json(self) -> dict[str, object]:
        """Return plain values."""
        rows = _release_rows(self.charges, self.delta)
        return {"delta": self.delta, "releases": rows}


def balance(ledger: Ledger, *, limit: int = 20, delta: float | None = None) -> Balance:
    """Return those who lost most, and what is left of the budget."""
    stated = _stated(ledger, delta)
    return Balance(
        ledger.subjects(),
        tuple(ledger.accounts(limit, stated)),
        tuple(ledger.charges()),
        ledger.budget,
        stated,
    )


def statement(
    ledger: Ledger, subject: Subject, *, delta: float | None = None
) -> Statement:
    """Return what one subject lost; None for all rows without a name."""
    charges = tuple(ledger.history(subject))
    account = ledger.account(subject) or Account(subject, 0, Spending())
    metrics = tuple(by_metric(charges))
    return Statement(account, charges, metrics, ledger.budget, _stated(ledger, delta))


def refused(ledger: Ledger) -> Refused:
    """Return whose budget the last release would have passed, if it was refused."""
    return Refused(tuple(ledger.refused()))


def releases(ledger: Ledger, *, delta: float | None = None) -> Releases:
    """Return every release that was charged."""
    return Releases(tuple(ledger.charges()), _stated(ledger, delta))


def uncovered(charges: Sequence[ChargedRelease]) -> list[str]:
    """Return what the releases do not protect, each once."""
    lines = (line for c in charges for line in c.charge.guarantee.scope.uncovered)
    return list(dict.fromkeys(lines))


def _stated(ledger: Ledger, asked: float | None) -> float:
    return ledger.budget.delta if asked is None else asked


def _account_row(account: Account, budget: Budget, delta: float) -> dict[str, object]:
    spending = account.spending
    worst, near = budget.left(spending)
    return {
        "subject": account.name,
        "releases": account.releases,
        "guarantees": spending.count,
        "epsilon": spending.epsilon(delta),
        "near_epsilon": spending.near_epsilon(delta),
        "is_bounded": spending.epsilon(delta) < math.inf,
        "left": worst,
        "near_left": near,
    }


def _release_rows(
    charges: Sequence[ChargedRelease], delta: float
) -> list[dict[str, object]]:
    return [
        {
            "charged": entry.charged,
            "mechanism": entry.charge.mechanism,
            "guarantee": entry.charge.guarantee.to_json(),
            "subjects": entry.subjects,
            "guarantees": entry.guarantees,
            "most_guarantees": entry.most,
            "most_epsilon": entry.worst.epsilon(delta),
            "most_near_epsilon": entry.worst.near_epsilon(delta),
        }
        for entry in charges
    ]
