"""Tasks on pairs of sentences: correlations and classes that are known beforehand."""

from collections.abc import Sequence

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from publius.assessment.evaluation.pairs import (
    SentencePairs,
    classify_pairs,
    pair_features,
    remembering,
    score_classes,
    score_similarity,
)
from publius.core.errors import DataError


def _angles(texts: Sequence[str]) -> np.ndarray:
    """Encode a number as the unit vector of that angle; no number as nothing."""
    rows = [(np.cos(float(t)), np.sin(float(t))) if t else (0.0, 0.0) for t in texts]
    return np.array(rows)


def _pairs(angles: Sequence[float]) -> SentencePairs:
    return SentencePairs(["0"] * len(angles), [str(a) for a in angles])


def test_correlations_are_those_of_scipy() -> None:
    rng = np.random.default_rng(0)
    angles = rng.uniform(0, 3, 200)
    scores = np.round(np.cos(angles) + rng.normal(0, 0.5, 200), 1)
    found = score_similarity(_pairs(angles.tolist()), scores, _angles, rng)
    cosine = np.cos(angles)
    assert found.pearson.value == pytest.approx(pearsonr(cosine, scores).statistic)
    assert found.spearman.value == pytest.approx(spearmanr(cosine, scores).statistic)
    assert found.pearson.low < found.pearson.value < found.pearson.high


def test_an_unknown_sentence_counts_as_unlike_and_is_counted() -> None:
    pairs = SentencePairs(["0", "0", "", "0"], ["0", "0.1", "0", "1.5"])
    scores = np.array([5.0, 4.0, 0.0, 1.0])
    found = score_similarity(pairs, scores, _angles, np.random.default_rng(0))
    assert found.unencoded == 1
    assert found.pearson.value > 0.9


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([1.0, 2.0], "as many finite scores"),
        ([1.0, np.nan, 2.0], "as many finite scores"),
        ([1.0, 1.0, 1.0], "scores that differ"),
    ],
)
def test_bad_scores_are_refused(scores: list[float], message: str) -> None:
    with pytest.raises(DataError, match=message):
        score_similarity(
            _pairs([0.0, 1.0, 2.0]), np.array(scores), _angles, np.random.default_rng(0)
        )


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(DataError, match="as many second ones"):
        SentencePairs(["a"], [])


def test_features_know_no_order() -> None:
    u, v = np.random.default_rng(0).normal(size=(2, 5, 3))
    assert (pair_features(u, v) == pair_features(v, u)).all()


def test_classes_are_learnt_and_noise_is_not() -> None:
    rng = np.random.default_rng(0)
    angles = rng.uniform(0, 3, 400)
    labels = (angles > 1.5).astype(np.int64)
    every = _pairs(angles.tolist())
    train, test = every.only(np.arange(200)), every.only(np.arange(200, 400))
    good = score_classes(train, labels[:200], test, labels[200:], _angles, rng)
    wrong = rng.permutation(labels[:200])
    poor = score_classes(train, wrong, test, labels[200:], _angles, rng)
    assert good.accuracy.low > 0.9
    assert poor.accuracy.high < 0.9


def test_labels_must_fit() -> None:
    pairs = _pairs([0.0, 1.0])
    with pytest.raises(DataError, match="as many labels"):
        classify_pairs(pairs, np.array([0]), pairs, _angles)


def test_a_text_is_encoded_once() -> None:
    asked: list[str] = []

    def encode(texts: Sequence[str]) -> np.ndarray:
        asked.extend(texts)
        return _angles(texts)

    encoder = remembering(encode)
    first = encoder(["1", "2", "1"])
    assert (encoder(["2", "1", "3"]) == _angles(["2", "1", "3"])).all()
    assert (first == _angles(["1", "2", "1"])).all()
    assert asked == ["1", "2", "3"]
