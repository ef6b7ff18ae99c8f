"""An attack that looks at punctuation only, which many releases leave as it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from publius.assessment.attacks import Guesses, Known, Resources
from publius.core.arrays import FloatArray, Rng

MARKS = ",.;:!?-'\"()"


def profile(texts: Sequence[str]) -> FloatArray:
    """Return how often each mark stands in a hundred characters of each text."""
    counts = [[100 * text.count(mark) / max(1, len(text)) for mark in MARKS]
              for text in texts]  # fmt: skip
    return np.array(counts, dtype=np.float64).reshape(len(texts), len(MARKS))


@dataclass(frozen=True, slots=True)
class Punctuation:
    """Name the author whose mean use of punctuation is nearest."""

    name: ClassVar[str] = "punctuation"
    knowledge: ClassVar[str] = "Known documents."

    @classmethod
    def using(cls, resources: Resources) -> "Punctuation":
        """Return the attack; it needs no public vectors."""
        del resources
        return cls()

    def train(self, known: Known, rng: Rng) -> "TrainedPunctuation":
        """Learn the mean profile of every author."""
        del rng
        marks = profile(known.texts)
        means = [marks[known.authors == one].mean(axis=0)
                 for one in range(known.candidates)]  # fmt: skip
        return TrainedPunctuation(np.array(means))


@dataclass(frozen=True, slots=True, eq=False)
class TrainedPunctuation:
    """Mean profiles, one per author."""

    means: FloatArray
    name: ClassVar[str] = Punctuation.name

    def guess(self, released: Sequence[str], rng: Rng) -> Guesses:
        """Rank authors by the distance of their profile."""
        del rng
        gap = profile(released)[:, None, :] - self.means[None, :, :]
        return Guesses.all_answered(-np.linalg.norm(gap, axis=2))
