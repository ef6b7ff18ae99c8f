"""Train on what the attacker knows, guess, and score against the truth."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from publius.assessment.attacks.attack import Knowledge, Known, Training
from publius.core.arrays import BoolArray, IdArray, Rng
from publius.core.errors import DataError
from publius.numerics.scores import Scores, score_ranking


@dataclass(frozen=True, slots=True, eq=False)
class Documents:
    """Originals, what was released of them, and who wrote them.

    Args:
        originals: The secrets.
        released: What left, in the same order.
        authors: Of each document, as numbers from 0.
        is_known: Whether the attacker knows the author; the others are attacked.
    """

    originals: Sequence[str]
    released: Sequence[str]
    authors: IdArray
    is_known: BoolArray

    def __post_init__(self) -> None:
        sizes = {len(self.originals), len(self.released), len(self.authors)}
        if sizes != {len(self.is_known)}:
            raise DataError("originals, released texts and authors differ in number")
        if not (self.is_known.any() and not self.is_known.all()):
            raise DataError("an attack needs known and unknown documents")

    @property
    def candidates(self) -> int:
        """Number of authors."""
        return int(self.authors.max()) + 1

    def known(self, knowledge: Knowledge) -> Known:
        """Return what the attacker learns from: originals, or own obfuscated copies."""
        texts = {
            Knowledge.STATIC: self.originals,
            Knowledge.ADAPTIVE: self.released,
        }[knowledge]
        where = np.flatnonzero(self.is_known)
        return Known(
            [texts[i] for i in where.tolist()], self.authors[where], self.candidates
        )

    @property
    def targets(self) -> list[str]:
        """Return the released texts of unknown authorship."""
        return [self.released[i] for i in np.flatnonzero(~self.is_known).tolist()]


def attack(
    training: Training, documents: Documents, knowledge: Knowledge, rng: Rng
) -> Scores:
    """Run one attack and score it; the truth goes to the scorer only."""
    trained = training.train(documents.known(knowledge), rng)
    guesses = trained.guess(documents.targets, rng)
    truth = documents.authors[~documents.is_known]
    return score_ranking(guesses.ranking, truth, rng, answered=guesses.answered)
