"""Words with TF-IDF weights and a linear SVM: works on bags, where order is gone."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from publius.assessment.attacks.attack import Known
from publius.assessment.attacks.linear import (
    LinearAttack,
    fit,
    inverse_document_frequency,
    tf_idf,
)
from publius.core.arrays import FloatArray, Rng
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
        counts, _ = counter.counts(known.texts)
        reader = _Reader(counter, inverse_document_frequency(counts))
        classifier = fit("svm", tf_idf(counts, reader.weights), known)
        return LinearAttack(self.name, reader, classifier, known.candidates)


@dataclass(frozen=True, slots=True, eq=False)
class _Reader:
    counter: WordCounter
    weights: FloatArray

    def __call__(self, texts: Sequence[str]) -> "sp.csr_array[np.float64]":
        return tf_idf(self.counter.counts(texts)[0], self.weights)
