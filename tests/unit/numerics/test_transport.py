"""Masses moved at least cost, against every assignment and a linear programme."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from publius.core.errors import ParameterError
from publius.core.metric import POINT_METRICS, Euclidean, Metric
from publius.numerics.transport import least_cost


def moved(cost: Any) -> float:
    """Return the least cost of moving one bag of equal masses onto another."""
    n, m = cost.shape
    return least_cost(np.full(n, 1 / n), np.full(m, 1 / m), cost)


def programme(cost: Any) -> Any:
    """Solve the transport problem as a linear programme."""
    n, m = cost.shape
    rows = np.kron(np.eye(n), np.ones(m))
    columns = np.kron(np.ones(n), np.eye(m))
    masses = np.concatenate([np.full(n, 1 / n), np.full(m, 1 / m)])
    return linprog(cost.ravel(), A_eq=np.vstack([rows, columns]), b_eq=masses).fun


@pytest.mark.parametrize("metric", POINT_METRICS.values())
@pytest.mark.parametrize("size", [1, 2, 5])
def test_equal_bags_take_the_best_assignment(metric: Metric, size: int) -> None:
    rng = np.random.default_rng(size)
    a, b = rng.uniform(-0.5, 0.5, size=(2, size, 3))
    cost = metric.pairwise(a, b)
    wanted = min(
        cost[np.arange(size), list(order)].mean() for order in permutations(range(size))
    )
    assert moved(cost) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(("n", "m"), [(1, 4), (2, 3), (5, 2), (4, 6)])
def test_unequal_bags_take_the_best_plan(n: int, m: int) -> None:
    rng = np.random.default_rng(n * m)
    cost = Euclidean().pairwise(rng.normal(size=(n, 3)), rng.normal(size=(m, 3)))
    assert moved(cost) == pytest.approx(programme(cost), rel=1e-9)


def test_a_doubled_bag_is_at_distance_zero() -> None:
    a = np.random.default_rng(0).normal(size=(3, 2))
    cost = Euclidean().pairwise(a, np.vstack([a, a]))
    assert moved(cost) == pytest.approx(0, abs=1e-12)


def test_without_pot_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("publius.numerics.transport.ot", None)
    with pytest.raises(ParameterError, match="transport"):
        moved(np.ones((1, 2)))
