"""A sentence encoder with a linear head."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from publius.assessment.attacks.attack import Known
from publius.assessment.attacks.linear import LinearAttack, fit
from publius.core.arrays import FloatArray, Rng


@dataclass(frozen=True, slots=True, eq=False)
class Neural:
    """Classify the vectors of a pretrained sentence encoder.

    Args:
        encode: Turns texts into rows.
    """

    name: ClassVar[str] = "neural"
    knowledge: ClassVar[str] = "Known documents, and a public sentence encoder."

    encode: Callable[[Sequence[str]], FloatArray]

    def train(self, known: Known, rng: Rng) -> LinearAttack:  # noqa: ARG002
        """Fit the head."""
        head = fit("svm", self.encode(known.texts), known)
        return LinearAttack(self.name, self.encode, head, known.candidates)
