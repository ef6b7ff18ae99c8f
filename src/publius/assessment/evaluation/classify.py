"""Can analysts still tell topics or sentiments apart?"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

from publius.core.arrays import FloatArray, IdArray
from publius.core.errors import UnknownNameError
from publius.core.metric import Euclidean
from publius.embeddings.documents import bags, heaviest, mean_vectors, moving_cost
from publius.embeddings.embedding import Embedding
from publius.numerics.parallel import map_blocks
from publius.numerics.transport import require_transport

_WORD = r"(?u)\b\w+\b"
PREFETCH = 50
"""Nearest documents by means that a k-NN by Earth Mover's distance compares."""


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """Labelled documents to learn from, and documents to classify.

    Args:
        train: Texts.
        labels: Class of each, from 0.
        test: Texts.
        classes: Number of classes.
    """

    train: Sequence[str]
    labels: IdArray
    test: Sequence[str]
    classes: int


Analyst = Callable[[Task, Callable[[], Embedding]], FloatArray]
"""Returns how much each class is preferred for each test document."""


def _words(task: Task) -> tuple[object, object]:
    reader = TfidfVectorizer(sublinear_tf=True, token_pattern=_WORD)
    try:
        return reader.fit_transform(task.train), reader.transform(task.test)
    except ValueError:  # no text holds a word
        return np.zeros((len(task.train), 1)), np.zeros((len(task.test), 1))


def svm(task: Task, _: Callable[[], Embedding]) -> FloatArray:
    """Word TF-IDF and a linear SVM."""
    train, test = _words(task)
    fitted = LinearSVC(random_state=0).fit(train, task.labels)
    return _columns(np.asarray(fitted.decision_function(test)))


def naive_bayes(task: Task, _: Callable[[], Embedding]) -> FloatArray:
    """Word TF-IDF and multinomial naive Bayes."""
    train, test = _words(task)
    fitted = MultinomialNB(alpha=0.01).fit(train, task.labels)
    return np.asarray(fitted.predict_log_proba(test))


def averaged(task: Task, embedding: Callable[[], Embedding]) -> FloatArray:
    """Mean word vectors and logistic regression, in the manner of fastText."""
    space = embedding()
    train = mean_vectors(bags(task.train, space), space.vectors)
    test = mean_vectors(bags(task.test, space), space.vectors)
    fitted = LogisticRegression(C=100.0, max_iter=1000).fit(train, task.labels)
    return _columns(np.asarray(fitted.decision_function(test)))


def nearest_emd(
    task: Task, embedding: Callable[[], Embedding], *, k: int = 5
) -> FloatArray:
    """Vote of the `k` nearest documents in Earth Mover's distance.

    Only the nearest by their means, a lower bound, are compared.
    """
    require_transport()
    space = embedding()
    known, asked = bags(task.train, space), bags(task.test, space)
    bound = Euclidean().pairwise(
        mean_vectors(asked, space.vectors), mean_vectors(known, space.vectors)
    )
    most = min(PREFETCH, bound.shape[1])
    near = np.argpartition(bound, most - 1, axis=1)[:, :most]

    def votes(row: int) -> FloatArray:
        here = heaviest(asked, row, 100)
        cost = np.array(
            [moving_cost(here, heaviest(known, int(j), 100), space.vectors)
             for j in near[row]]
        )  # fmt: skip
        first = near[row][np.argsort(cost, kind="stable")[:k]]
        # The nearest one decides between equal votes.
        weight = 1 + np.arange(len(first))[::-1] / (len(first) * (len(first) + 1))
        return np.bincount(task.labels[first], weight, minlength=task.classes).astype(
            np.float64
        )

    return np.array(list(map_blocks(votes, range(len(task.test)))))


ANALYSTS: dict[str, Analyst] = {
    "averaged": averaged,
    "naive_bayes": naive_bayes,
    "nearest_emd": nearest_emd,
    "svm": svm,
}
"""Classifiers by name."""


def classify(name: str, task: Task, embedding: Callable[[], Embedding]) -> FloatArray:
    """Classify the test documents by the classifier of that name."""
    if name not in ANALYSTS:
        raise UnknownNameError("classifier", name, ANALYSTS)
    return ANALYSTS[name](task, embedding)


def _columns(scores: FloatArray) -> FloatArray:
    """Return one column per class, also for two classes."""
    return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
