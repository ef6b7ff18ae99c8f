"""Earth Mover's distance against every assignment and a linear programme."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from publius.core.errors import DataError, ParameterError
from publius.core.metric import POINT_METRICS, Euclidean, Metric
from publius.numerics.transport import earth_movers


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
    assert earth_movers(a, b, metric) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(("n", "m"), [(1, 4), (2, 3), (5, 2), (4, 6)])
def test_unequal_bags_take_the_best_plan(n: int, m: int) -> None:
    rng = np.random.default_rng(n * m)
    a, b = rng.normal(size=(n, 3)), rng.normal(size=(m, 3))
    wanted = programme(Euclidean().pairwise(a, b))
    assert earth_movers(a, b, Euclidean()) == pytest.approx(wanted, rel=1e-9)


def test_a_doubled_bag_is_at_distance_zero() -> None:
    a = np.random.default_rng(0).normal(size=(3, 2))
    assert earth_movers(a, np.vstack([a, a]), Euclidean()) == pytest.approx(
        0, abs=1e-12
    )


def test_empty_bags_are_refused() -> None:
    with pytest.raises(DataError, match="non-empty"):
        earth_movers(np.empty((0, 2)), np.ones((1, 2)), Euclidean())
    with pytest.raises(DataError, match="non-empty"):
        earth_movers(np.ones((1, 2)), np.empty((0, 2)), Euclidean())


@pytest.mark.parametrize("rows", [1, 2])
def test_points_that_are_not_finite_are_refused(rows: int) -> None:
    with pytest.raises(DataError, match="finite points"):
        earth_movers(np.full((1, 2), np.nan), np.ones((rows, 2)), Euclidean())


def test_without_pot_equal_bags_are_measured_and_others_say_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("publius.numerics.transport.ot", None)
    assert earth_movers(np.zeros((2, 1)), np.ones((2, 1)), Euclidean()) == 1
    with pytest.raises(ParameterError, match="transport"):
        earth_movers(np.zeros((1, 1)), np.ones((2, 1)), Euclidean())
