"""Sampled audits: refute a claim about any program that can be run many times."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from publius.assessment.auditing.bounds import loss_estimate
from publius.assessment.auditing.events import Event, Outputs, learn_events
from publius.assessment.auditing.verdict import Verdict
from publius.core.arrays import FloatArray, Rng, at_least
from publius.core.errors import DataError, ParameterError
from publius.core.estimate import Estimate
from publius.information.privacy import check_distance

Draw: TypeAlias = Callable[[int, int, Rng], Outputs]
"""``draw(position, count, rng)`` returns `count` releases of one secret."""

KEPT = 8
"""Hypotheses that are tested; their number divides the allowed error."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How much an audit draws and how sure it must be.

    Args:
        draws: Releases of each secret, half to search and half to test.
        confidence: Probability that no true claim is refuted.
        pairs: Pairs of secrets looked at when there are more, the nearest first.
        low_bits: Look at the last bits of floating-point outputs.
    """

    draws: int = 40_000
    confidence: float = 0.999
    pairs: int = 64
    low_bits: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        at_least("draws", self.draws, 16)
        at_least("pairs", self.pairs, 1)
        if not 0 < self.confidence < 1:
            raise ParameterError(
                f"confidence must lie in (0, 1), got {self.confidence}"
            )


@dataclass(frozen=True, slots=True)
class _Lead:
    """A pair with an event that looked promising while searching."""

    rate: float
    x: int
    other: int
    distance: float
    event: Event


def audit_sampled(
    draw: Draw,
    distance: ArrayLike,
    claim: float,
    plan: Plan,
    rng: Rng,
    *,
    names: Sequence[Hashable] | None = None,
) -> Verdict:
    """Search for two secrets and an event that refute a claim.

    Events are learned on the first half of the draws. The best few are then counted on
    fresh draws, and Clopper-Pearson bounds on both probabilities, divided among those
    few, give a lower bound on epsilon that is wrong with probability at most
    ``1 - plan.confidence``. A claim that is not refuted is not thereby proved.

    Args:
        draw: Gives releases of the secret at a position.
        distance: Distances between the secrets.
        claim: The claimed epsilon per unit of distance.
        plan: Draws and confidence.
        rng: Passed on to `draw`.
        names: Names of the secrets for the verdict.
    """
    table = np.asarray(check_distance(distance, len(np.asarray(distance))))
    labels = range(len(table)) if names is None else names
    if len(labels) != len(table):
        raise DataError(f"{len(labels)} names for {len(table)} secrets")
    half = plan.draws // 2
    leads = _search(draw, table, plan, rng)
    fresh = {
        place: draw(place, half, rng)
        for place in dict.fromkeys(p for lead in leads for p in (lead.x, lead.other))
    }
    verdicts = [_test(lead, fresh, claim, plan, labels, len(leads)) for lead in leads]
    return max(verdicts, key=lambda v: (v.epsilon.low, v.epsilon.value))


def _search(draw: Draw, table: FloatArray, plan: Plan, rng: Rng) -> list[_Lead]:
    """Learn one event for each direction of each pair; keep the most promising."""
    pairs = _pairs(table, plan.pairs)
    risk = (1 - plan.confidence) / KEPT
    seen: dict[int, Outputs] = {}
    leads = []
    for x, other in pairs:
        for place in (x, other):
            if place not in seen:
                seen[place] = draw(place, plan.draws // 2, rng)
        gap = float(min(table[x, other], table[other, x]))
        events = learn_events(seen[x], seen[other], risk=risk, low_bits=plan.low_bits)
        for (a, b), (event, loss) in zip(((x, other), (other, x)), events, strict=True):
            rate = loss / gap if gap > 0 else np.copysign(np.inf, loss)
            leads.append(_Lead(rate, a, b, gap, event))
    return sorted(leads, key=lambda lead: -lead.rate)[:KEPT]


def _pairs(table: FloatArray, most: int) -> list[tuple[int, int]]:
    """Return the pairs to look at: all, or the nearest and the farthest."""
    a, b = np.triu_indices(len(table), 1)
    gap = np.minimum(table[a, b], table[b, a])
    finite = np.flatnonzero(np.isfinite(gap))
    if not len(finite):
        raise DataError("an audit needs two secrets at a finite distance")
    order = finite[np.argsort(gap[finite], kind="stable")]
    if len(order) > most:
        order = np.concatenate(
            [order[: most - most // 4], order[len(order) - most // 4 :]]
        )
    return [(int(a[i]), int(b[i])) for i in order]


def _test(
    lead: _Lead,
    fresh: dict[int, Outputs],
    claim: float,
    plan: Plan,
    labels: Sequence[Hashable],
    searched: int,
) -> Verdict:
    mine, theirs = fresh[lead.x], fresh[lead.other]
    hits, others = lead.event.count(mine), lead.event.count(theirs)
    loss = loss_estimate(hits, others, len(mine), plan.confidence, searched)
    return Verdict(
        claim=claim,
        epsilon=_per_unit(loss, lead.distance),
        x=labels[lead.x],
        other=labels[lead.other],
        distance=lead.distance,
        event=f"{lead.event.words}: {hits} against {others} of {len(mine)} draws",
        searched=searched,
    )


def _per_unit(loss: Estimate, distance: float) -> Estimate:
    """Divide by the distance; at distance 0 any loss is unbounded."""

    def scaled(value: float) -> float:
        if distance > 0:
            return max(0.0, value / distance)
        return np.inf if value > 0 else 0.0

    return Estimate(
        value=scaled(loss.value),
        low=scaled(loss.low),
        high=scaled(loss.high),
        confidence=loss.confidence,
        n=loss.n,
    )
