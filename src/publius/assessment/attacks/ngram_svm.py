"""Character n-grams with TF-IDF weights and a linear SVM: the usual strong baseline."""

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
from publius.assessment.attacks.ngrams import NgramCounter
from publius.core.arrays import FloatArray, Rng


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
        counts = counter.counts(known.texts)
        reader = _Reader(counter, inverse_document_frequency(counts))
        classifier = fit("svm", tf_idf(counts, reader.weights), known)
        return LinearAttack(self.name, reader, classifier, known.candidates)


@dataclass(frozen=True, slots=True, eq=False)
class _Reader:
    counter: NgramCounter
    weights: FloatArray

    def __call__(self, texts: Sequence[str]) -> "sp.csr_array[np.float64]":
        return tf_idf(self.counter.counts(texts), self.weights)
