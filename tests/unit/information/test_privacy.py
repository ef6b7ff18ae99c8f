import math

import numpy as np
import pytest
import scipy.sparse as sp

from publius.core.arrays import FloatArray
from publius.core.errors import DataError, ParameterError
from publius.information import Channel, leakage_bound

DISCRETE = 1.0 - np.eye(3)


def brute_force(matrix: FloatArray, distance: FloatArray) -> float:
    worst = 0.0
    for x in range(len(matrix)):
        for other in range(len(matrix)):
            for p, q in zip(matrix[x], matrix[other], strict=True):
                if x == other or p == q or math.isinf(distance[x, other]):
                    continue
                if p > q:
                    loss = math.log(p / q) if q > 0 else math.inf
                    gap = distance[x, other]
                    worst = max(worst, loss / gap if gap > 0 else math.inf)
    return worst


def points_channel(size: int, outputs: int, seed: int) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    places = rng.normal(size=(size, 2))
    distance = np.linalg.norm(places[:, None] - places[None], axis=2)
    return rng.dirichlet(np.ones(outputs), size=size), distance


@pytest.mark.parametrize("case", range(5))
def test_epsilon_equals_the_definition(case: int) -> None:
    matrix, distance = points_channel(17, 5, case)
    assert Channel(matrix).metric_epsilon(distance) == pytest.approx(
        brute_force(matrix, distance), rel=1e-12
    )


def test_epsilon_over_many_tiles_equals_the_definition() -> None:
    matrix, distance = points_channel(600, 3, 7)
    logs = np.log(matrix)
    loss = np.abs(logs[:, None] - logs[None]).max(axis=2)
    expected = (loss / (distance + np.eye(600)))[~np.eye(600, dtype=bool)].max()
    assert Channel(matrix).metric_epsilon(distance) == pytest.approx(
        expected, rel=1e-12
    )
    assert Channel(sp.csr_array(matrix)).metric_epsilon(distance) == pytest.approx(
        expected, rel=1e-12
    )


def test_the_worst_pair_and_output_reach_epsilon() -> None:
    matrix, distance = points_channel(40, 6, 3)
    worst = Channel(matrix).worst_pair(distance)
    ratio = matrix[worst.x, worst.output] / matrix[worst.other, worst.output]
    assert math.log(ratio) == pytest.approx(worst.loss)
    assert worst.distance == distance[worst.x, worst.other]
    assert worst.loss / worst.distance == pytest.approx(worst.epsilon)


def test_a_zero_beside_a_positive_probability_is_infinite() -> None:
    worst = Channel([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.5, 0.4, 0.1]]).worst_pair(
        DISCRETE
    )
    assert math.isinf(worst.epsilon)
    assert math.isinf(worst.loss)
    assert (worst.x, worst.output) == (2, 2)


def test_an_output_that_never_occurs_costs_nothing() -> None:
    channel = Channel([[0.5, 0.5, 0.0], [0.25, 0.75, 0.0], [0.5, 0.5, 0.0]])
    assert channel.metric_epsilon(DISCRETE) == pytest.approx(math.log(2))


def test_secrets_at_distance_zero_must_have_equal_rows() -> None:
    distance = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    same = [[0.5, 0.5], [0.5, 0.5], [0.4, 0.6]]
    assert Channel(same).metric_epsilon(distance) == pytest.approx(math.log(1.25))
    differs = [[0.5, 0.5], [0.5 + 1e-12, 0.5 - 1e-12], [0.4, 0.6]]
    assert math.isinf(Channel(differs).metric_epsilon(distance))


def test_equal_rows_cost_nothing() -> None:
    channel = Channel([[0.3, 0.7]] * 3)
    assert channel.metric_epsilon(np.zeros((3, 3))) == 0.0
    assert Channel([[0.3, 0.7]]).metric_epsilon([[0.0]]) == 0.0


def test_pairs_at_infinite_distance_are_not_compared() -> None:
    distance = np.array([[0.0, 2.0, np.inf], [2.0, 0.0, np.inf], [np.inf, np.inf, 0.0]])
    channel = Channel([[0.5, 0.5, 0.0], [0.25, 0.75, 0.0], [0.0, 0.0, 1.0]])
    assert channel.metric_epsilon(distance) == pytest.approx(math.log(2) / 2)


def test_the_shorter_of_two_directions_counts() -> None:
    distance = np.array([[0.0, 2.0], [1.0, 0.0]])
    assert Channel([[0.8, 0.2], [0.4, 0.6]]).metric_epsilon(distance) == pytest.approx(
        math.log(3)
    )


def test_edges_decide_a_path_metric() -> None:
    rng = np.random.default_rng(5)
    matrix = rng.dirichlet(np.ones(4), size=30)
    line = np.abs(np.arange(30.0)[:, None] - np.arange(30.0)[None])
    edges = sp.csr_array(np.where(line == 1, line, 0.0))
    everything = Channel(matrix).metric_epsilon(line)
    assert Channel(matrix).metric_epsilon(edges) == pytest.approx(everything)
    worst = Channel(matrix).worst_pair(edges)
    assert abs(worst.x - worst.other) == 1
    assert worst.distance == 1.0


@pytest.mark.parametrize(
    ("distance", "message"),
    [
        (np.zeros((2, 2)), r"shape \(3, 3\), got \(2, 2\)"),
        (DISCRETE * -1, "distance 0, 1 is not"),
        (np.where(np.arange(9).reshape(3, 3) == 5, np.nan, DISCRETE), "1, 2 is not"),
        (np.ones((3, 3)), "secret 0 to itself must be 0"),
        (sp.csr_array(-DISCRETE), "stored distance 0 is not"),
        (sp.csr_array((2, 2)), r"shape \(3, 3\)"),
    ],
)
def test_distances_that_are_none_are_refused(
    distance: FloatArray, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        Channel(np.full((3, 2), 0.5)).metric_epsilon(distance)


def test_leakage_bound_needs_a_distance_and_an_epsilon() -> None:
    assert leakage_bound(0.5, [[0.0, 2.0], [2.0, 0.0]]) == pytest.approx(math.e)
    with pytest.raises(DataError, match="epsilon"):
        leakage_bound(-1.0, [[1.0]])
    with pytest.raises(ParameterError, match="largest distance"):
        leakage_bound(1.0, [[0.0]])
