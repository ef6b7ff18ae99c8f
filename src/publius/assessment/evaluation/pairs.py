"""Tasks on pairs of sentences: how alike are they, does one follow from the other?

Similarity needs no training: the cosine of two encoded sentences is correlated with the
judgement of people (Agirre et al. 2014). Entailment and paraphrase are classified from
``|u - v|`` and ``u * v`` by logistic regression (Conneau & Kiela 2018).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata
from sklearn.linear_model import LogisticRegression

from publius.core.arrays import FloatArray, IdArray, Rng
from publius.core.errors import DataError
from publius.core.estimate import Estimate
from publius.core.guarantee import JsonValue
from publius.embeddings.documents import bags, mean_vectors
from publius.embeddings.embedding import Embedding
from publius.numerics.scores import (
    Scores,
    bootstrap_statistic,
    estimate_json,
    score_ranking,
)

Encode = Callable[[Sequence[str]], FloatArray]
STRENGTHS = (0.01, 0.1, 1.0, 10.0)
"""Inverse regularisation, chosen on a fifth of the training pairs."""


@dataclass(frozen=True, slots=True, eq=False)
class SentencePairs:
    """Two columns of sentences.

    Args:
        first: One sentence of each pair.
        second: The other one.
    """

    first: Sequence[str]
    second: Sequence[str]

    def __post_init__(self) -> None:
        if len(self.first) != len(self.second):
            raise DataError(
                f"{len(self.first)} first sentences need as many second ones, got "
                f"{len(self.second)}"
            )

    def __len__(self) -> int:
        return len(self.first)

    def only(self, rows: IdArray) -> "SentencePairs":
        """Return some of the pairs."""
        picked = rows.tolist()
        return SentencePairs(
            [self.first[i] for i in picked], [self.second[i] for i in picked]
        )

    def encoded(self, encode: Encode) -> tuple[FloatArray, FloatArray]:
        """Return a row for each first and each second sentence.

        A sentence that occurs in several pairs is encoded once.
        """
        place: dict[str, int] = {}
        rows = np.array(
            [place.setdefault(s, len(place)) for s in (*self.first, *self.second)],
            dtype=np.int64,
        )
        vectors = encode(list(place))
        return vectors[rows[: len(self)]], vectors[rows[len(self) :]]


@dataclass(frozen=True, slots=True)
class Correlation:
    """How well cosines follow the judgement of people.

    Args:
        pearson: Of cosine and score.
        spearman: Of their ranks.
        unencoded: Pairs with a sentence that the encoder knows nothing of; their
            cosine counts as 0.
    """

    pearson: Estimate
    spearman: Estimate
    unencoded: int = 0

    def to_json(self) -> dict[str, JsonValue]:
        """Return plain values."""
        return {
            "pearson": estimate_json(self.pearson),
            "spearman": estimate_json(self.spearman),
            "unencoded_pairs": self.unencoded,
        }


def mean_encoder(embedding: Embedding) -> Encode:
    """Return an encoder by the mean vector of the content words."""

    def encode(texts: Sequence[str]) -> FloatArray:
        return mean_vectors(bags(texts, embedding), embedding.vectors)

    return encode


def remembering(encode: Encode) -> Encode:
    """Return an encoder that encodes a text once, however often it is asked."""
    place: dict[str, int] = {}
    vectors: list[FloatArray] = []

    def encoded(texts: Sequence[str]) -> FloatArray:
        fresh = list(dict.fromkeys(text for text in texts if text not in place))
        if fresh:
            place.update({text: len(place) + i for i, text in enumerate(fresh)})
            vectors.extend(encode(fresh))
        return np.array([vectors[place[text]] for text in texts])

    return encoded


def score_similarity(
    pairs: SentencePairs, scores: FloatArray, encode: Encode, rng: Rng
) -> Correlation:
    """Correlate the cosines of encoded pairs with the scores that people gave.

    Args:
        pairs: Originals, or what was released of them.
        scores: One finite number per pair.
        encode: Turns texts into rows.
        rng: Draws the bootstrap samples.
    """
    if scores.shape != (len(pairs),) or not np.isfinite(scores).all():
        raise DataError(f"{len(pairs)} pairs need as many finite scores")
    if len(pairs) < 3 or not np.ptp(scores) > 0:
        raise DataError("a correlation needs 3 pairs with scores that differ")
    u, v = pairs.encoded(encode)
    lengths = np.linalg.norm(u, axis=1) * np.linalg.norm(v, axis=1)
    # Rounding must not put equal cosines into an order.
    cosine = np.round(np.einsum("ij,ij->i", u, v) / np.maximum(lengths, 1e-12), 12)

    def pearson(rows: IdArray) -> FloatArray:
        return _correlated(cosine[rows], scores[rows])

    def spearman(rows: IdArray) -> FloatArray:
        return _correlated(
            rankdata(cosine[rows], axis=1), rankdata(scores[rows], axis=1)
        )

    return Correlation(
        bootstrap_statistic(pearson, len(pairs), rng),
        bootstrap_statistic(spearman, len(pairs), rng),
        int((lengths == 0).sum()),
    )


def pair_features(u: FloatArray, v: FloatArray) -> FloatArray:
    """Return ``|u - v|`` and ``u * v`` side by side."""
    return np.hstack([np.abs(u - v), u * v])


def classify_pairs(
    train: SentencePairs, labels: IdArray, test: SentencePairs, encode: Encode
) -> FloatArray:
    """Return how much each class is preferred for each test pair.

    Args:
        train: Pairs to learn from.
        labels: Their classes, from 0, each of which occurs.
        test: Pairs to classify.
        encode: Turns texts into rows.
    """
    if len(labels) != len(train):
        raise DataError(f"{len(train)} pairs need as many labels, got {len(labels)}")
    known = pair_features(*train.encoded(encode))
    scale = np.sqrt((known**2).mean(axis=0))
    scale = np.where(scale > 0, scale, 1.0)
    known /= scale
    asked = pair_features(*test.encoded(encode)) / scale
    fitted = _fit(known, labels, _strength(known, labels))
    return np.asarray(fitted.predict_log_proba(asked))


def score_classes(
    train: SentencePairs,
    labels: IdArray,
    test: SentencePairs,
    truth: IdArray,
    encode: Encode,
    rng: Rng,
) -> Scores:
    """Learn classes of pairs, such as entailment, and score them on test pairs."""
    return score_ranking(classify_pairs(train, labels, test, encode), truth, rng)


def _correlated(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the Pearson correlation of each row; 0 where one side is constant."""
    a = a - a.mean(axis=1, keepdims=True)
    b = b - b.mean(axis=1, keepdims=True)
    spread = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    product = (a * b).sum(axis=1)
    return np.where(spread > 0, product / np.maximum(spread, 1e-300), 0.0)


def _fit(rows: FloatArray, labels: IdArray, strength: float) -> LogisticRegression:
    return LogisticRegression(C=strength, max_iter=200, tol=1e-3).fit(rows, labels)


def _strength(rows: FloatArray, labels: IdArray) -> float:
    """Choose the regularisation that classifies held-out training pairs best."""
    # Every fifth pair of each class, so that both parts hold all classes that can be.
    order = np.argsort(labels, kind="stable")
    rank = np.arange(len(labels)) - np.searchsorted(labels[order], labels[order])
    held = np.zeros(len(labels), dtype=bool)
    held[order] = rank % 5 == 4
    if not held.any():
        return 1.0
    hits = [
        _fit(rows[~held], labels[~held], c).score(rows[held], labels[held])
        for c in STRENGTHS
    ]
    return STRENGTHS[int(np.argmax(hits))]
