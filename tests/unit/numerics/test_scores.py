"""Scores agree with scikit-learn, and their intervals hold the value."""

import numpy as np
import pytest
from sklearn.metrics import f1_score, matthews_corrcoef, top_k_accuracy_score

from publius.core.errors import DataError
from publius.numerics.scores import bootstrap_mean, score_ranking


def _example() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    truth = np.arange(300) % 5
    ranking = rng.normal(size=(300, 5))
    ranking[np.arange(300), truth] += 1.0
    return ranking, truth


def test_scores_equal_the_library() -> None:
    ranking, truth = _example()
    found = score_ranking(ranking, truth, np.random.default_rng(0))
    answer = ranking.argmax(axis=1)
    assert found.accuracy.value == pytest.approx((answer == truth).mean())
    assert found.macro_f1.value == pytest.approx(
        f1_score(truth, answer, average="macro")
    )
    assert found.mcc.value == pytest.approx(matthews_corrcoef(truth, answer))
    assert found.top[3].value == pytest.approx(
        top_k_accuracy_score(truth, ranking, k=3)
    )


def test_intervals_hold_their_value_and_have_width() -> None:
    found = score_ranking(*_example(), np.random.default_rng(0))
    for estimate in (found.accuracy, found.macro_f1, found.mcc):
        assert estimate.low < estimate.value < estimate.high
        assert 0.05 < estimate.high - estimate.low < 0.25


def test_do_not_know_is_never_right() -> None:
    ranking, truth = _example()
    said = np.zeros(300, dtype=bool)
    found = score_ranking(ranking, truth, np.random.default_rng(0), answered=said)
    assert (found.accuracy.value, found.answered.value) == (0, 0)


def test_equal_scores_are_no_success() -> None:
    ranking, truth = np.zeros((50, 5)), np.arange(50) % 5
    found = score_ranking(ranking, truth, np.random.default_rng(0))
    assert found.accuracy.value == 0.2
    assert found.top[3].value == 0.6


def test_a_class_outside_the_candidates_is_refused() -> None:
    with pytest.raises(DataError, match="truth"):
        score_ranking(np.eye(2), np.array([0, 2]), np.random.default_rng(0))


def test_bootstrap_mean_is_about_the_standard_error() -> None:
    sample = np.random.default_rng(1).normal(size=2000)
    found = bootstrap_mean(sample, np.random.default_rng(2))
    assert found.high - found.low == pytest.approx(2 * 1.96 / np.sqrt(2000), rel=0.15)


@pytest.mark.parametrize("values", [[], [1.0, float("nan")]])
def test_a_mean_needs_finite_values(values: list[float]) -> None:
    with pytest.raises(DataError, match="finite"):
        bootstrap_mean(values, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("shape", "said"), [((0, 3), "no document"), ((4, 1), "2 classes")]
)
def test_nothing_to_tell_apart_is_refused(shape: tuple[int, int], said: str) -> None:
    truth = np.zeros(shape[0], dtype=np.int64)
    with pytest.raises(DataError, match=said):
        score_ranking(np.zeros(shape), truth, np.random.default_rng(0))
