"""What an attack is: trained on what the attacker knows, it guesses authors.

The truth about released documents never reaches an attack; only the scorer of
``publius.assessment.attacks.protocol`` sees it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np

from publius.core.arrays import BoolArray, FloatArray, IdArray, Rng
from publius.core.errors import DataError


class Knowledge(StrEnum):
    """What the documents of known authorship look like to the attacker."""

    STATIC = "static"
    """Originals: the attacker does not know, or ignores, that texts were changed."""

    ADAPTIVE = "adaptive"
    """Copies that the attacker obfuscated with the same mechanism."""


@dataclass(frozen=True, slots=True)
class Known:
    """Documents whose authors the attacker knows.

    Args:
        texts: One string per document.
        authors: The author of each, as a number in ``[0, candidates)``.
        candidates: How many authors there are; each has at least one document.
    """

    texts: Sequence[str]
    authors: IdArray
    candidates: int

    def __post_init__(self) -> None:
        if len(self.texts) != len(self.authors):
            raise DataError(
                f"{len(self.texts)} texts need as many authors, got {len(self.authors)}"
            )
        if self.candidates < 2:
            raise DataError(
                f"an attack needs at least 2 candidate authors, got {self.candidates}"
            )
        count = np.bincount(self.authors, minlength=self.candidates)
        if len(count) != self.candidates or not (count > 0).all():
            raise DataError("every candidate author needs a known document")


@dataclass(frozen=True, slots=True, eq=False)
class Guesses:
    """What an attack says about released documents.

    Args:
        ranking: ``(documents, candidates)``; the largest entry of a row is the guess.
        answered: False where the attack says "don't know".
    """

    ranking: FloatArray
    answered: BoolArray

    @classmethod
    def all_answered(cls, ranking: FloatArray) -> "Guesses":
        """Return guesses that never say "don't know"."""
        return cls(ranking, np.ones(len(ranking), dtype=bool))


class Attack(Protocol):
    """A trained attack."""

    @property
    def name(self) -> str:
        """Name in the table of attacks."""
        ...

    def guess(self, released: Sequence[str], rng: Rng) -> Guesses:
        """Guess the author of each released document."""
        ...


class Training(Protocol):
    """Something that turns known documents into an attack."""

    @property
    def name(self) -> str:
        """Name in the table of attacks."""
        ...

    @property
    def knowledge(self) -> str:
        """What the attacker must have beside the known documents, in a sentence."""
        ...

    def train(self, known: Known, rng: Rng) -> Attack:
        """Learn from the known documents."""
        ...
