"""Compare some rows of a law with what is guaranteed about them, before a release.

A digest finds a damaged table, not one that somebody wrote on purpose with a digest
that fits. So the rows of some words, drawn in secret, are formed from the public space
and compared: each with that of its nearest word, with that of another sampled word and
with the row of ⊥. docs/explanation/design.md says what that finds, and how likely.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from publius.core.arrays import UNKNOWN, FloatArray, IdArray
from publius.core.errors import RefutedError
from publius.core.rng import unforeseen
from publius.core.space import Balls, Space
from publius.core.stating import state_bound
from publius.mechanisms.certificate import Certificate
from publius.storage.cache import changed_tables

WORDS, FEWEST, ENTRIES = 32, 8, 1_600_000
"""So many words are sampled, fewer of a vocabulary whose rows are long."""

ROUNDING = 1e-6
"""More than the rounding of what is compared, per unit of the decay."""

NEIGHBOUR = 10
"""A certificate tells the distance of this neighbour."""


def sampled(size: int) -> IdArray:
    """Draw distinct words that nobody can foresee."""
    return unforeseen(size, max(FEWEST, min(WORDS, ENTRIES // size)))


@dataclass(frozen=True, slots=True, eq=False)
class Claim:
    """What is said about a law on a finite space.

    Args:
        space: The public distances.
        rows: Returns the log-probabilities of outputs for ids or UNKNOWN.
        certificate: What is claimed.
    """

    space: Space
    rows: Callable[[IdArray], FloatArray]
    certificate: Certificate

    def check(self, ids: IdArray) -> None:
        """Raise RefutedError unless the rows of these words keep what is claimed."""
        claim = self.certificate
        pairs = np.array([claim.worst_pair, claim.farthest_pair])
        if not ((pairs >= 0) & (pairs < self.space.size)).all():
            raise RefutedError(
                f"a certificate names words that do not exist; {changed_tables()}"
            )
        distance = self.space.rows(ids)
        self._check_landmarks(distance)
        here = np.arange(len(ids))
        near = np.where(distance > 0, distance, np.inf).argmin(axis=1)
        other = np.roll(ids, 1)
        far = self.space.rows(pairs[:, 0])[[0, 1], pairs[:, 1]]
        self._check_pairs(
            np.concatenate([ids, ids, pairs[:, 0]]),
            np.concatenate([near, other, pairs[:, 1]]),
            np.concatenate([distance[here, near], distance[here, other], far]),
        )

    def _check_pairs(self, one: IdArray, other: IdArray, distance: FloatArray) -> None:
        """Compare the rows of each pair, and of ⊥ and every word among them."""
        words, place = np.unique(np.concatenate([one, other]), return_inverse=True)
        law = self.rows(np.append(words, UNKNOWN))
        check_total(law)
        claim = self.certificate
        slack = ROUNDING * max(1.0, claim.beta)
        first, second = place[: len(one)], place[len(one) :]
        for pair in zip(
            first.tolist(), second.tolist(), distance.tolist(), strict=True
        ):
            allowed = min(claim.epsilon * pair[2], claim.worst_loss)
            check_loss(law[pair[0]], law[pair[1]], allowed, slack)
        for row in law[:-1]:
            check_loss(row, law[-1], claim.unknown_loss, slack)

    def _check_landmarks(self, distance: FloatArray) -> None:
        """Compare distances that a certificate tells with those of the sample."""
        claim, others = self.certificate, self.space.size - 1
        if not distance.max() <= claim.diameter * (1 + ROUNDING):
            raise RefutedError(
                f"a certificate tells a wrong diameter; {changed_tables()}"
            )
        if others < 1:
            return
        place = min(NEIGHBOUR, others)
        reach = np.partition(distance, place, axis=1)[:, place]
        # The claim is a median: a true one has the whole sample on one side of it with
        # a probability of about 2^-31.
        low, high = reach.min() * (1 - ROUNDING), reach.max() * (1 + ROUNDING)
        if len(distance) >= WORDS and not low <= claim.near <= high:
            raise RefutedError(
                f"a certificate tells a wrong distance; {changed_tables()}"
            )


def check_total(law: FloatArray) -> None:
    """Raise unless rows of log-probabilities sum to 1."""
    total = np.exp(law).sum(axis=1)
    if not (np.abs(total - 1) <= ROUNDING).all():
        raise RefutedError(
            f"the probabilities of a word do not sum to 1; {changed_tables()}"
        )


def check_loss(
    one: FloatArray, other: FloatArray, allowed: float, slack: float = ROUNDING
) -> None:
    """Raise unless the loss between two rows is at most what is allowed."""
    loss = float(np.abs(one - other).max())
    if not loss <= allowed * (1 + ROUNDING) + slack:
        raise RefutedError(
            f"the loss between two words is {state_bound(loss)}, and "
            f"{state_bound(allowed)} was guaranteed; {changed_tables()}"
        )


def check_balls(cached: Balls, formed: Balls, ids: IdArray) -> None:
    """Raise unless prepared balls of some words are those of the space."""
    for word, bounds in zip(ids.tolist(), formed.bounds, strict=True):
        here = cached.bounds[word]
        members = cached.points[here[0] : here[-1]]
        fits = np.array_equal(np.diff(here), np.diff(bounds)) and np.array_equal(
            members, formed.points[bounds[0] : bounds[-1]]
        )
        if not fits:
            raise RefutedError(
                f"prepared balls are not those of the graph; {changed_tables()}"
            )
