"""Who wrote a rewritten review, and how it was meant: attacks and utility."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import matthews_corrcoef
from sklearn.svm import LinearSVC

from publius.core.arrays import BoolArray, IdArray, Rng
from publius.core.errors import DataError
from publius.core.report import Estimate
from publius.evaluation.meteor import meteor
from publius.lab.autoencoder.reviews import Review

RESAMPLES = 500
_WORD = r"(?u)\b\w+\b"


@dataclass(frozen=True, slots=True)
class Scores:
    """What is left in rewritten reviews.

    Args:
        author_static: MCC of an SVM that learnt authors from original reviews.
        author_adaptive: The same, learnt from rewritten reviews.
        label_static: MCC of the rating class, learnt from original reviews.
        label_adaptive: The same, learnt from rewritten reviews.
        meteor: Mean METEOR of test reviews against their originals.
    """

    author_static: Estimate
    author_adaptive: Estimate
    label_static: Estimate | None
    label_adaptive: Estimate | None
    meteor: Estimate


def score(originals: Sequence[Review], rewritten: Sequence[Review], rng: Rng) -> Scores:
    """Attack and use rewritten reviews; both lists are in the same order."""
    is_train = np.array([review.split == "train" for review in originals])
    if not (is_train.any() and (~is_train).any()):
        raise DataError("scores need reviews to learn from and reviews to test")
    before = [review.text for review in originals]
    after = [review.text for review in rewritten]
    authors = _numbers([review.author for review in originals])
    labels = [review.label for review in originals]
    has_labels = None not in labels
    classes = _numbers([str(label) for label in labels])
    test = [number for number, known in enumerate(is_train) if not known]
    likeness = meteor([before[i] for i in test], [after[i] for i in test])
    return Scores(
        _mcc(before, after, authors, is_train, rng),
        _mcc(after, after, authors, is_train, rng),
        _mcc(before, after, classes, is_train, rng) if has_labels else None,
        _mcc(after, after, classes, is_train, rng) if has_labels else None,
        _mean(np.asarray(likeness), rng),
    )


def _mcc(
    learnt: Sequence[str],
    seen: Sequence[str],
    classes: IdArray,
    is_train: BoolArray,
    rng: Rng,
) -> Estimate:
    """Return Matthews's correlation of an SVM on word uni- and bigrams."""
    reader = TfidfVectorizer(
        sublinear_tf=True, token_pattern=_WORD, ngram_range=(1, 2), min_df=2
    )
    known = [text for text, is_known in zip(learnt, is_train, strict=True) if is_known]
    asked = [
        text for text, is_known in zip(seen, is_train, strict=True) if not is_known
    ]
    try:
        train = reader.fit_transform(known)
    except ValueError:  # no word occurs twice: there is nothing to learn from
        return Estimate(0.0, 0.0, 0.0, 0.95, len(asked))
    fitted = LinearSVC(random_state=0).fit(train, classes[is_train])
    guess, truth = fitted.predict(reader.transform(asked)), classes[~is_train]
    value = float(matthews_corrcoef(truth, guess))
    drawn = rng.integers(0, len(truth), size=(RESAMPLES, len(truth)))
    again = [float(matthews_corrcoef(truth[rows], guess[rows])) for rows in drawn]
    return _interval(value, again, len(truth))


def _mean(values: "np.ndarray[tuple[int], np.dtype[np.float64]]", rng: Rng) -> Estimate:
    drawn = rng.integers(0, len(values), size=(RESAMPLES, len(values)))
    means = values[drawn].mean(axis=1).tolist()
    return _interval(float(values.mean()), means, len(values))


def _interval(value: float, again: Sequence[float], n: int) -> Estimate:
    """Return a bootstrap interval of nineteen in twenty."""
    low, high = np.quantile(again, [0.025, 0.975])
    return Estimate(value, min(float(low), value), max(float(high), value), 0.95, n)


def _numbers(names: Sequence[str]) -> IdArray:
    return np.unique(np.array(names), return_inverse=True)[1].astype(np.int64)
