"""Words with TF-IDF weights and a linear SVM: works on bags, where order is gone."""

from dataclasses import dataclass
from typing import ClassVar

from publius.assessment.attacks.attack import Known
from publius.assessment.attacks.linear import LinearAttack, tf_idf_attack
from publius.core.arrays import Rng
from publius.language.counts import WordCounter


@dataclass(frozen=True, slots=True)
class WordSvm:
    """Classify by the TF-IDF of words.

    Args:
        words: Number of most frequent words that are used.
    """

    name: ClassVar[str] = "word_svm"
    knowledge: ClassVar[str] = "Known documents of every candidate."

    words: int = 50_000

    def train(self, known: Known, rng: Rng) -> LinearAttack:  # noqa: ARG002
        """Fit the SVM."""
        counter = WordCounter.learnt(known.texts, most=self.words)
        return tf_idf_attack(self.name, lambda texts: counter.counts(texts)[0], known)
