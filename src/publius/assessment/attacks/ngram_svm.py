"""Character n-grams with TF-IDF weights and a linear SVM: the usual strong baseline."""

from dataclasses import dataclass
from typing import ClassVar

from publius.assessment.attacks.attack import Known
from publius.assessment.attacks.linear import LinearAttack, tf_idf_attack
from publius.assessment.attacks.ngrams import NgramCounter
from publius.core.arrays import Rng


@dataclass(frozen=True, slots=True)
class NgramSvm:
    """Classify by the TF-IDF of character n-grams, white space included.

    Args:
        n: Length of the n-grams, up to 4.
        features: Number of most frequent n-grams that are used.
    """

    name: ClassVar[str] = "ngram_svm"
    knowledge: ClassVar[str] = "Known documents of every candidate."

    n: int = 3
    features: int = 30_000

    def train(self, known: Known, rng: Rng) -> LinearAttack:  # noqa: ARG002
        """Fit the SVM."""
        counter = NgramCounter.learnt(
            known.texts, n=self.n, most=self.features, across_words=True
        )
        return tf_idf_attack(self.name, counter.counts, known)
