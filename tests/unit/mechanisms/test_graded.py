"""Grades: each keeps its own guarantee, and what crosses them is computed exactly."""

import itertools

import numpy as np
import pytest

from publius.core.arrays import UNKNOWN
from publius.core.errors import DataError, GuaranteeMismatchError
from publius.core.metric import Capped, Euclidean
from publius.core.rng import seeded
from publius.core.space import PointSpace
from publius.mechanisms.exponential import Exponential
from publius.mechanisms.graded import Graded, losses_between

SPACE = PointSpace(seeded(9).standard_normal((30, 2)), Capped(Euclidean(), 2.0))
PARTS = tuple(Exponential.with_beta(SPACE, beta) for beta in (1.0, 2.0, 3.0))
GRADES = np.arange(30) % 3
LAW = Graded.of(PARTS, GRADES)


def test_losses_across_grades_are_the_largest_over_all_pairs() -> None:
    log_prob = LAW.channel(np.arange(30))
    for i, j in itertools.permutations(range(3), 2):
        pairs = itertools.product(
            np.flatnonzero(i == GRADES), np.flatnonzero(j == GRADES)
        )
        worst = max(np.abs(log_prob[a] - log_prob[b]).max() for a, b in pairs)
        assert worst <= LAW.losses[i, j] <= worst + 1e-8


def test_guarantee_bounds_every_pair_and_bottom() -> None:
    log_prob = LAW.channel(np.arange(-1, 30))
    guarantee = LAW.guarantee()
    worst = max(np.abs(a - b).max() for a, b in itertools.combinations(log_prob[1:], 2))
    assert worst <= guarantee.worst_loss
    assert guarantee.at(1e-6).pure == guarantee.worst_loss
    unknown = np.abs(log_prob[1:] - log_prob[0]).max()
    assert unknown <= guarantee.landmarks.unknown_loss


def test_guarantee_inside_a_grade_is_that_of_its_mechanism() -> None:
    assert LAW.grade_guarantee(1) == PARTS[1].guarantee()
    said = " ".join(LAW.guarantee().scope.covered)
    assert "Grade 3, 10 words" in said
    assert "different grades" in said


def test_rows_come_from_the_grade_of_the_word() -> None:
    np.testing.assert_array_equal(
        LAW.channel(np.array([4, UNKNOWN])),
        np.stack([PARTS[1].channel([4])[0], PARTS[0].channel([UNKNOWN])[0]]),
    )


def test_draws_come_from_the_grade_of_the_word() -> None:
    ids = np.full((2, 50), 4)
    drawn = LAW.perturb(ids, seeded(2))
    np.testing.assert_array_equal(drawn, PARTS[1].perturb(ids, seeded(2)))


def test_a_token_may_bring_its_own_grade() -> None:
    ids = np.full(60, 4)
    drawn = LAW.perturb_tokens(ids, np.full(60, 2), seeded(2))
    np.testing.assert_array_equal(drawn, PARTS[2].perturb(ids, seeded(2)))


def test_an_empty_grade_costs_nothing() -> None:
    losses = losses_between(PARTS, np.zeros(30, dtype=np.int64))
    assert losses[0, 1] == 0
    assert losses[0, 0] > 0


@pytest.mark.parametrize("grades", [np.zeros(3, np.int64), np.full(30, 3)])
def test_bad_grades_are_refused(grades: np.ndarray) -> None:
    with pytest.raises(DataError, match="grades"):
        Graded.of(PARTS, grades)


def test_bad_tokens_are_refused() -> None:
    with pytest.raises(DataError, match="grades"):
        LAW.perturb_tokens(np.array([1]), np.array([3]), seeded(0))
    with pytest.raises(DataError, match="grades"):
        LAW.perturb_tokens(np.array([1, 2]), np.array([0]), seeded(0))


def test_bad_parts_are_refused() -> None:
    other = PointSpace(np.eye(30), Euclidean())
    with pytest.raises(GuaranteeMismatchError, match="same metric"):
        Graded.of((PARTS[0], Exponential.with_beta(other, 1.0)), GRADES % 2)
    with pytest.raises(DataError, match="one vocabulary"):
        Graded.of((), GRADES)
    with pytest.raises(DataError, match="losses"):
        Graded(PARTS, GRADES, np.full((3, 3), np.nan))
