"""Which of two texts was released? A test on many releases of both.

The hypothesis-testing audit of text distinguishability: views of the texts are learned
on some releases, thresholds chosen on others, and what is then counted on a third part
holds with the stated confidence.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from publius.assessment.auditing.bounds import clopper_pearson, loss_estimate
from publius.assessment.auditing.events import best_threshold
from publius.assessment.auditing.sampled import Plan
from publius.assessment.auditing.text_views import (
    Embed,
    TextScore,
    embedding_view,
    surface_views,
)
from publius.assessment.auditing.verdict import Verdict
from publius.core.arrays import FloatArray, Rng
from publius.core.errors import DataError
from publius.core.estimate import Estimate
from publius.core.guarantee import JsonValue
from publius.core.json import finite_number

DrawTexts: TypeAlias = Callable[[int, int, Rng], Sequence[str]]
"""``draw(which, count, rng)`` returns `count` releases of text 0 or 1."""

TESTED = 4
"""Events that are tested; their number divides the allowed error."""

NAMES = ("the first text", "the second text")
TEXT_PLAN = Plan(draws=20_000)


@dataclass(frozen=True, slots=True, repr=False)
class TextAudit:
    """What many releases of two texts tell about which one it was.

    Args:
        verdict: The loss that was shown against the loss that is certified, for this
            pair of texts.
        advantage: Share of releases of one text that the best test takes for it, less
            the share of the other's.
        reach: The largest loss that so many releases can show at all.
        delta: The claim is about all but this probability.
        views: The advantage of each view while searching; no bound on anything.
        remarks: Why the claim is infinite, if it is.
        exact: The loss by the mechanism's own law, if that is written down.
    """

    verdict: Verdict
    advantage: Estimate
    reach: float
    delta: float = 0.0
    views: dict[str, float] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    exact: float | None = None

    def __repr__(self) -> str:
        return f"<TextAudit: {self.verdict}; advantage {self.advantage.value:.3g}>"

    @property
    def refutes_claim(self) -> bool:
        """Tell whether more was lost between the two texts than is certified."""
        return self.verdict.refutes_claim

    @property
    def most_advantage(self) -> float:
        """The largest advantage that the claim allows to anybody."""
        half = math.tanh(self.verdict.claim / 2)
        return min(1.0, half + self.delta * (1 - half))

    def to_json(self) -> dict[str, JsonValue]:
        """Return the result as plain values; null stands for infinity."""
        loss, advantage = self.verdict.epsilon, self.advantage
        return {
            "certified": finite_number(self.verdict.claim),
            "delta": self.delta,
            "refuted": self.refutes_claim,
            "loss": finite_number(loss.value),
            "loss_low": finite_number(loss.low),
            "advantage": advantage.value,
            "advantage_low": advantage.low,
            "advantage_high": advantage.high,
            "advantage_allowed": self.most_advantage,
            "reach": self.reach,
            "exact": None if self.exact is None else finite_number(self.exact),
            "confidence": loss.confidence,
            "draws": loss.n,
            "searched": self.verdict.searched,
            "witness": self.verdict.event,
            "views": {**self.views},
            "remarks": list(self.remarks),
        }


@dataclass(frozen=True, slots=True)
class _Lead:
    """An event that looked promising while searching."""

    view: str
    score: TextScore
    sign: int
    threshold: float
    loss: float

    def hits(self, texts: Sequence[str]) -> int:
        return int(np.count_nonzero(self.sign * self.score(texts) >= self.threshold))


def audit_releases(
    draw: DrawTexts,
    claim: float,
    plan: Plan,
    rng: Rng,
    *,
    embed: Embed | None = None,
    delta: float = 0.0,
) -> TextAudit:
    """Try to tell two texts apart by their releases, beyond what is claimed.

    A quarter of the releases makes a score for every view, a quarter chooses
    thresholds, and the other half counts the few best events: Clopper-Pearson bounds on
    both probabilities, divided among these events, give a lower bound on the loss that
    is wrong with probability at most ``1 - plan.confidence``. The advantage has an
    interval of its own at the same confidence.

    Args:
        draw: Gives releases of either text.
        claim: The loss between the two texts that is certified; may be infinite.
        plan: Releases of each text, and confidence.
        rng: Passed on to `draw`.
        embed: Makes vectors of texts, for a view in embedding space.
        delta: The claim is about all but this probability.
    """
    half = plan.draws // 2
    views, losses, advantages = _search(draw, plan, embed, rng)
    mine, theirs = draw(0, half, rng), draw(1, half, rng)
    tried = [_test(lead, mine, theirs, claim, plan, delta) for lead in losses]
    return TextAudit(
        verdict=max(tried, key=lambda v: (v.epsilon.low, v.epsilon.value)),
        advantage=_advantage(advantages, mine, theirs, plan.confidence),
        reach=loss_estimate(half, 0, half, plan.confidence, TESTED, delta=delta).low,
        delta=delta,
        views=views,
    )


def _search(
    draw: DrawTexts, plan: Plan, embed: Embed | None, rng: Rng
) -> tuple[dict[str, float], list[_Lead], _Lead]:
    """Return each view's advantage, the best events, and that of most advantage."""
    count = plan.draws // 4
    learn = [draw(which, count, rng) for which in (0, 1)]
    choose = [draw(which, count, rng) for which in (0, 1)]
    looks = surface_views()
    if embed is not None:
        looks = (*looks, embedding_view(embed))
    risk = (1 - plan.confidence) / TESTED
    seen: dict[str, float] = {}
    leads: list[_Lead] = []
    apart: list[_Lead] = []
    for view in looks:
        score = view.learn(*learn)
        x, other = (score(texts) for texts in choose)
        if not (np.isfinite(x).all() and np.isfinite(other).all()):
            raise DataError(f"the view of the {view.name} gives no finite score")
        threshold, gain = _widest(x, other)
        seen[view.name] = gain
        apart.append(_Lead(view.name, score, 1, threshold, gain))
        for sign in (1, -1):
            near, far = (x, other) if sign == 1 else (-other, -x)
            threshold, loss = best_threshold(near, far, risk)
            leads.append(_Lead(view.name, score, sign, threshold, loss))
    best = sorted(leads, key=lambda lead: -lead.loss)[:TESTED]
    return seen, best, max(apart, key=lambda lead: lead.loss)


def _widest(x: FloatArray, other: FloatArray) -> tuple[float, float]:
    """Return the threshold of the largest difference of shares, and the difference."""
    grid = np.unique(np.concatenate([x, other]))
    mine = 1 - np.searchsorted(np.sort(x), grid, side="left") / len(x)
    theirs = 1 - np.searchsorted(np.sort(other), grid, side="left") / len(other)
    best = int(np.argmax(mine - theirs))
    return float(grid[best]), float(mine[best] - theirs[best])


def _test(
    lead: _Lead,
    mine: Sequence[str],
    theirs: Sequence[str],
    claim: float,
    plan: Plan,
    delta: float,
) -> Verdict:
    pair = (mine, theirs) if lead.sign == 1 else (theirs, mine)
    hits, others = (lead.hits(texts) for texts in pair)
    count = len(mine)
    loss = loss_estimate(hits, others, count, plan.confidence, TESTED, delta=delta)
    x, other = NAMES if lead.sign == 1 else NAMES[::-1]
    return Verdict(
        claim=claim,
        epsilon=_not_negative(loss),
        x=x,
        other=other,
        distance=1.0,
        event=f"{lead.view}: a test takes {hits} of {count} releases of {x} for its "
        f"own, and {others} of {count} of {other}",
        searched=TESTED,
    )


def _not_negative(loss: Estimate) -> Estimate:
    """Nothing is lost at least: the event that is always true says so."""
    return Estimate(
        value=max(0.0, loss.value),
        low=max(0.0, loss.low),
        high=max(0.0, loss.high),
        confidence=loss.confidence,
        n=loss.n,
    )


def _advantage(
    lead: _Lead, mine: Sequence[str], theirs: Sequence[str], confidence: float
) -> Estimate:
    count = len(mine)
    hits = np.array([lead.hits(mine), lead.hits(theirs)])
    low, high = clopper_pearson(hits, count, (1 - confidence) / 4)
    return Estimate(
        value=float(hits[0] - hits[1]) / count,
        low=float(low[0] - high[1]),
        high=float(high[0] - low[1]),
        confidence=confidence,
        n=2 * count,
    )
