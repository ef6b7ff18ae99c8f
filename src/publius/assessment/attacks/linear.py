"""A linear classifier on sparse features, as an attack."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import scipy.sparse as sp
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

from publius.assessment.attacks.attack import Guesses, Known
from publius.core.arrays import FloatArray, IdArray, Rng
from publius.core.errors import DataError, UnknownNameError


class Classifier(Protocol):
    """What is used of a scikit-learn classifier."""

    def fit(self, x: object, y: IdArray) -> object:
        """Learn."""
        ...


def _svm() -> Classifier:
    # The seed only orders the coordinates of a convex problem.
    return LinearSVC(C=1.0, random_state=0, max_iter=2000)


def _naive_bayes() -> Classifier:
    return MultinomialNB(alpha=0.01)


CLASSIFIERS: dict[str, Callable[[], Classifier]] = {
    "naive_bayes": _naive_bayes,
    "svm": _svm,
}


@dataclass(frozen=True, slots=True, eq=False)
class LinearAttack:
    """A trained classifier and the features it reads.

    Args:
        name: Name in the table of attacks.
        features: Turns texts into rows.
        classifier: Fitted.
        candidates: Number of authors.
    """

    name: str
    features: Callable[[Sequence[str]], object]
    classifier: Classifier
    candidates: int

    def guess(self, released: Sequence[str], rng: Rng) -> Guesses:  # noqa: ARG002
        """Rank the candidates by the classifier's decision."""
        return Guesses.all_answered(
            decisions(self.classifier, self.features(released), self.candidates)
        )


Count = Callable[[Sequence[str]], "sp.csr_array[np.float64]"]


def tf_idf_attack(name: str, count: Count, known: Known) -> LinearAttack:
    """Train an SVM on counts of features, weighted by TF-IDF."""
    counts = count(known.texts)
    weights = inverse_document_frequency(counts)
    classifier = fit("svm", tf_idf(counts, weights), known)
    return LinearAttack(
        name, lambda texts: tf_idf(count(texts), weights), classifier, known.candidates
    )


def fit(kind: str, rows: object, known: Known) -> Classifier:
    """Train a classifier by name."""
    if kind not in CLASSIFIERS:
        raise UnknownNameError("classifier", kind, CLASSIFIERS)
    classifier = CLASSIFIERS[kind]()
    classifier.fit(narrow(rows), known.authors)
    return classifier


def decisions(classifier: object, rows: object, classes: int) -> FloatArray:
    """Return one column per class, also for two classes."""
    rows = narrow(rows)
    method = getattr(classifier, "decision_function", None)
    if method is None:
        scores = np.asarray(classifier.predict_log_proba(rows))  # type: ignore[attr-defined]
    else:
        scores = np.asarray(method(rows))
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    if scores.shape[1] != classes:
        raise DataError(
            f"{classes} classes need as many columns, got {scores.shape[1]}"
        )
    return scores


def narrow(rows: object) -> object:
    """Give sparse rows the 32-bit indices that scikit-learn's solvers need."""
    if not isinstance(rows, sp.csr_array):
        return rows
    shorter = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
    return sp.csr_array((rows.data, *shorter), shape=rows.shape)


def tf_idf(counts: "sp.csr_array[np.float64]", weights: FloatArray) -> "sp.csr_array":
    """Return rows of damped counts times `weights`, of unit length."""
    rows = sp.csr_array(counts, copy=True)
    rows.data = 1 + np.log(rows.data)
    rows.data *= weights[rows.indices]
    length = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    scale = 1 / np.where(length > 0, length, 1.0)
    rows.data *= np.repeat(scale, np.diff(rows.indptr))
    return rows


def inverse_document_frequency(counts: "sp.csr_array[np.float64]") -> FloatArray:
    """Return ``ln((1 + documents) / (1 + documents with the feature)) + 1``."""
    documents, features = counts.shape
    seen = np.bincount(counts.indices, minlength=features)
    return np.log((1 + documents) / (1 + seen)) + 1
