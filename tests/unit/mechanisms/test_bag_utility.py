"""How far bags move: the corrected bound holds, the printed one does not."""

import math

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from publius.core.errors import DataError, ParameterError
from publius.core.estimate import Estimate
from publius.core.metric import Euclidean
from publius.mechanisms.bag_utility import (
    bag_distance,
    bag_within,
    published_bag_within,
)
from publius.mechanisms.laplace import Laplace

EPSILON, DIM, SIZE = 2.0, 3, 4


def _moved(count: int) -> np.ndarray:
    rng = np.random.default_rng(5)
    bag = 100 * rng.normal(size=(SIZE, DIM))
    law = Laplace(EPSILON, DIM)
    costs = (Euclidean().pairwise(bag, law.perturb(bag, rng)) for _ in range(count))
    return np.array([cost[linear_sum_assignment(cost)].mean() for cost in costs])


def test_the_corrected_bound_holds_and_the_printed_one_fails() -> None:
    moved = _moved(3000)
    asked = bag_distance(0.25, epsilon=EPSILON, dim=DIM, size=SIZE)
    share = Estimate.share(int((moved <= asked).sum()), len(moved), confidence=1 - 1e-9)
    kinds = {"epsilon": EPSILON, "dim": DIM, "size": SIZE}
    assert share.high >= bag_within(asked, **kinds) == pytest.approx(0.25)
    assert share.high < published_bag_within(asked, **kinds)


def test_one_word_moves_as_its_noise() -> None:
    radius = np.array([0.1, 1.0, 5.0])
    found = bag_within(radius, epsilon=2.0, dim=50, size=1)
    np.testing.assert_allclose(found, Laplace(2.0, 50).radius_cdf(radius))
    same = published_bag_within(radius, epsilon=2.0, dim=50, size=1)
    np.testing.assert_array_equal(found, same)


def test_distance_is_the_inverse() -> None:
    asked = np.array([0.01, 0.5, 0.99])
    at = bag_distance(asked, epsilon=3.0, dim=300, size=100)
    np.testing.assert_allclose(bag_within(at, epsilon=3.0, dim=300, size=100), asked)
    assert np.ptp(at) < 0.05 * 300 / 3.0


@pytest.mark.parametrize("distance", [-1.0, math.nan])
def test_a_distance_is_checked(distance: float) -> None:
    with pytest.raises(DataError, match=">= 0"):
        bag_within(distance, epsilon=1.0, dim=2, size=2)


def test_settings_are_checked() -> None:
    with pytest.raises(ParameterError, match="epsilon"):
        bag_within(1.0, epsilon=math.nan, dim=2, size=2)
    with pytest.raises(ParameterError, match="size"):
        bag_within(1.0, epsilon=1.0, dim=2, size=0)
    with pytest.raises(DataError, match=r"\[0, 1\)"):
        bag_distance(1.0, epsilon=1.0, dim=2, size=2)
