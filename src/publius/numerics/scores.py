"""Scores of a classification, each with its interval."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from publius.core.arrays import BoolArray, FloatArray, IdArray, Rng
from publius.core.errors import DataError
from publius.core.estimate import Estimate
from publius.core.guarantee import JsonValue

RESAMPLES = 1000
"""Bootstrap samples behind an interval of macro-F1 or MCC."""

TOP = (1, 3, 5, 10)


@dataclass(frozen=True, slots=True)
class Scores:
    """How often a classifier is right, beside what needs no classifier.

    Args:
        accuracy: Share of right answers; "don't know" is never right.
        macro_f1: Mean F1 of the classes that occur.
        mcc: Matthews correlation (Gorodkin's for several classes).
        top: Share of documents whose class is among the k first guesses.
        answered: Share of documents with an answer other than "don't know".
        chance: Accuracy of uniform guessing.
        majority: Accuracy of always naming the class that occurs most.
        classes: Number of candidates.
    """

    accuracy: Estimate
    macro_f1: Estimate
    mcc: Estimate
    top: Mapping[int, Estimate]
    answered: Estimate
    chance: float
    majority: float
    classes: int

    def to_json(self) -> dict[str, JsonValue]:
        """Return every score as plain values."""
        return {
            "accuracy": estimate_json(self.accuracy),
            "macro_f1": estimate_json(self.macro_f1),
            "mcc": estimate_json(self.mcc),
            "top": {str(k): estimate_json(v) for k, v in self.top.items()},
            "answered": estimate_json(self.answered),
            "chance": self.chance,
            "majority": self.majority,
            "classes": self.classes,
            "documents": self.accuracy.n,
        }


def estimate_json(estimate: Estimate) -> dict[str, JsonValue]:
    """Return an estimate as plain values."""
    return {
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "confidence": estimate.confidence,
        "n": estimate.n,
    }


def as_cells(
    name: str, estimate: Estimate | None, gap: str = "_"
) -> dict[str, float | None]:
    """Return an estimate as three cells of a row; `gap` stands before low and high."""
    found = estimate and (estimate.value, estimate.low, estimate.high)
    names = (name, f"{name}{gap}low", f"{name}{gap}high")
    return dict(zip(names, found or (None,) * 3, strict=True))


def score_ranking(
    ranking: FloatArray, truth: IdArray, rng: Rng, *, answered: BoolArray | None = None
) -> Scores:
    """Score a table of how much each class is preferred for each document.

    Args:
        ranking: ``(documents, classes)``; the largest entry of a row is the answer.
        truth: The class of each document.
        rng: Draws the bootstrap samples.
        answered: Which rows are an answer; None for all.
    """
    documents, classes = ranking.shape
    _check(truth, documents, classes)
    said = np.ones(documents, dtype=bool) if answered is None else answered
    own = ranking[np.arange(documents), truth]
    # Among equal entries the first one is the answer, also for the k first guesses.
    predicted = np.where(said, ranking.argmax(axis=1), classes)
    better = (ranking > own[:, None]).sum(axis=1)
    tied_before = (
        (ranking == own[:, None]) & (np.arange(classes) < truth[:, None])
    ).sum(axis=1)
    place = better + tied_before
    return _scores(predicted, truth, place, classes, rng)


def _scores(
    predicted: IdArray, truth: IdArray, place: IdArray, classes: int, rng: Rng
) -> Scores:
    n = len(truth)
    hits = predicted == truth
    f1, mcc = _bootstrapped(predicted, truth, classes, (_macro_f1, _mcc), rng)
    return Scores(
        accuracy=Estimate.share(int(hits.sum()), n),
        macro_f1=f1,
        mcc=mcc,
        top={
            k: Estimate.share(int((place < k).sum()), n) for k in TOP if 1 < k < classes
        },
        answered=Estimate.share(int((predicted < classes).sum()), n),
        chance=1 / classes,
        majority=float(np.bincount(truth).max() / n),
        classes=classes,
    )


def bootstrap_mean(values: Sequence[float] | FloatArray, rng: Rng) -> Estimate:
    """Return a mean with its percentile bootstrap interval at 95 %."""
    sample = np.asarray(values, dtype=np.float64)
    if not len(sample) or not np.isfinite(sample).all():
        raise DataError("a mean needs at least one value, all of them finite")
    return bootstrap_statistic(lambda rows: sample[rows].mean(axis=1), len(sample), rng)


def bootstrap_statistic(
    statistic: Callable[[IdArray], FloatArray], size: int, rng: Rng
) -> Estimate:
    """Return a statistic of a sample with its percentile bootstrap interval at 95 %.

    Args:
        statistic: Gives a number for each row of places ``(samples, size)``.
        size: Of the sample.
        rng: Draws the places.
    """
    value = float(statistic(np.arange(size)[None, :])[0])
    # Blocks keep the drawn places of a long sample out of memory.
    step = max(1, 4_000_000 // size)
    drawn = []
    for start in range(0, RESAMPLES, step):
        count = min(step, RESAMPLES - start)
        drawn.append(statistic(rng.integers(0, size, (count, size))))
    return _interval(value, np.concatenate(drawn), size)


Statistic = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]


def _bootstrapped(
    predicted: IdArray,
    truth: IdArray,
    classes: int,
    statistics: Sequence[Statistic],
    rng: Rng,
) -> list[Estimate]:
    """Resample the confusion matrix: drawing documents draws its cells."""
    n = len(truth)
    cells, counts = np.unique(truth * (classes + 1) + predicted, return_counts=True)
    row, column = np.divmod(cells, classes + 1)
    ones, places = np.ones(len(cells)), np.arange(len(cells))
    shape = (len(cells), classes + 1)
    actual = scipy.sparse.csr_array((ones, (places, row)), shape=shape)
    guessed = scipy.sparse.csr_array((ones, (places, column)), shape=shape)
    right = scipy.sparse.csr_array(
        ((row == column).astype(float), (places, row)), shape=shape
    )
    drawn = rng.multinomial(n, counts / n, size=RESAMPLES).astype(np.float64)
    tables = np.vstack([counts[None, :], drawn])
    sums = [tables @ part for part in (right, actual, guessed)]
    values = [statistic(*sums) for statistic in statistics]
    return [_interval(float(value[0]), value[1:], n) for value in values]


def _macro_f1(right: FloatArray, actual: FloatArray, guessed: FloatArray) -> FloatArray:
    occurs = actual > 0
    f1 = np.where(occurs, 2 * right / np.maximum(actual + guessed, 1), 0.0)
    return f1.sum(axis=1) / occurs.sum(axis=1)


def _mcc(right: FloatArray, actual: FloatArray, guessed: FloatArray) -> FloatArray:
    n = actual.sum(axis=1)
    covariance = right.sum(axis=1) * n - (actual * guessed).sum(axis=1)
    spread = (n * n - (guessed**2).sum(axis=1)) * (n * n - (actual**2).sum(axis=1))
    return np.where(spread > 0, covariance / np.sqrt(np.maximum(spread, 1)), 0.0)


def _interval(value: float, drawn: FloatArray, n: int) -> Estimate:
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Estimate(value, min(value, float(low)), max(value, float(high)), 0.95, n)


def _check(truth: IdArray, documents: int, classes: int) -> None:
    if not documents:
        raise DataError("there is no document to score")
    if classes < 2:
        raise DataError(f"a classification needs at least 2 classes, got {classes}")
    if truth.shape != (documents,) or not ((truth >= 0) & (truth < classes)).all():
        raise DataError(f"truth must be {documents} classes in [0, {classes})")
