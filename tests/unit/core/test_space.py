"""Finite spaces: hops, copies, one point, and what they refuse."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import shortest_path

from publius.core.errors import DataError, ParameterError
from publius.core.metric import POINT_METRICS, Euclidean, Metric
from publius.core.space import (
    HopSpace,
    Layered,
    PathSpace,
    PointSpace,
    Space,
    blocks,
    fingerprint,
    neighbour_distance,
)


def random_graph(number: int, size: int = 60, edges: int = 70) -> Any:
    rng = np.random.default_rng(number)
    matrix = np.zeros((size, size), np.float32)
    ends = rng.integers(0, size, size=(2, edges))
    matrix[ends[0], ends[1]] = 1
    np.fill_diagonal(matrix, 0)
    return sp.csr_array(np.maximum(matrix, matrix.T))


def no_edges(size: int) -> Any:
    return sp.csr_array((size, size), dtype=np.float32)


def all_rows(space: Space) -> Any:
    return space.rows(np.arange(space.size))


@pytest.mark.parametrize("cap", [1, 2, 3, 4, 9])
@pytest.mark.parametrize("number", [0, 1])
def test_capped_hops_are_shortest_paths(cap: int, number: int) -> None:
    graph = random_graph(number)
    wanted = np.minimum(shortest_path(graph, unweighted=True), cap)
    np.testing.assert_array_equal(all_rows(HopSpace(graph, cap, 2, "f")), wanted)


@pytest.mark.parametrize("size", [2, 60, 150])
def test_uncapped_hops_are_shortest_paths(size: int) -> None:
    graph = random_graph(3, size, 2 * size)
    paths = shortest_path(graph, unweighted=True)
    longest = paths[np.isfinite(paths)].max()
    space = PathSpace(graph, 2, "f")
    assert space.diameter == longest
    wanted = np.where(np.isfinite(paths), paths, longest + 1)
    np.testing.assert_array_equal(all_rows(space), wanted)


def test_balls_list_every_level_once() -> None:
    space = HopSpace(random_graph(0), 4, 2, "f")
    ids = np.array([5, 0, 5, 59])
    balls, rows = space.balls(ids), space.rows(ids)
    for centre, row in enumerate(rows):
        for level in range(4):
            start, stop = balls.bounds[centre, level : level + 2]
            found = sorted(balls.points[start:stop].tolist())
            assert found == np.flatnonzero(row == level).tolist()


def test_balls_of_many_centres_need_wide_keys() -> None:
    space = HopSpace(no_edges(3), 40, 1, "f")
    ids = np.tile([0, 1, 2], 600)  # 1800 * 40 keys do not fit 16 bits
    np.testing.assert_array_equal(space.balls(ids).points, ids)


def test_no_centres_have_no_balls() -> None:
    space = HopSpace(random_graph(0), 4, 2, "f")
    nothing = np.array([], dtype=np.int64)
    assert space.balls(nothing).bounds.shape == (0, 5)
    assert space.rows(nothing).shape == (0, 60)


def test_weights_of_edges_do_not_matter() -> None:
    graph = random_graph(1)
    heavy = graph * np.float32(0.25)
    for make in (lambda g: HopSpace(g, 3, 2, "f"), lambda g: PathSpace(g, 2, "f")):
        np.testing.assert_array_equal(all_rows(make(graph)), all_rows(make(heavy)))


@pytest.mark.parametrize(
    "make", [lambda g: HopSpace(g, 4, 2, "f"), lambda g: PathSpace(g, 2, "f")]
)
@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0, 1, 0], [1, 0, 0]], "square"),
        (np.zeros((0, 0)), "square"),
        ([[0, 1], [0, 0]], "symmetric"),
        ([[0, -1], [-1, 0]], "weights > 0"),
        ([[0, np.nan], [np.nan, 0]], "weights > 0"),
    ],
)
def test_graphs_without_a_metric_are_refused(
    make: Any, matrix: Any, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        make(sp.csr_array(np.asarray(matrix, dtype=np.float32)))


def test_bad_cap_is_refused() -> None:
    with pytest.raises(ParameterError, match="cap"):
        HopSpace(random_graph(0), 0, 2, "f")


@pytest.mark.parametrize(
    "points", [np.empty((0, 3)), np.empty((3, 0)), np.zeros(3), np.zeros((1, 2, 2))]
)
def test_points_must_be_a_matrix(points: Any) -> None:
    with pytest.raises(DataError, match="non-empty matrix"):
        PointSpace(points, Euclidean())


def test_points_that_are_not_finite_are_refused_by_row() -> None:
    points = np.zeros((4, 2))
    points[2, 0] = np.nan
    with pytest.raises(DataError, match="row 2"):
        PointSpace(points, Euclidean())


@pytest.mark.parametrize("metric", POINT_METRICS.values())
def test_copies_share_every_distance_bit_for_bit(metric: Metric) -> None:
    points = np.random.default_rng(0).uniform(-0.3, 0.3, size=(40, 7))
    points[[9, 21, 38]] = points[3]
    points[5], points[30] = 0.0, -0.0
    rows = all_rows(PointSpace(points, metric))
    assert (rows[3] == rows[[9, 21, 38]]).all()
    assert (rows[5] == rows[30]).all()
    assert (rows[3, [3, 9, 21, 38]] == 0).all()
    assert rows[5, 30] == 0
    assert (rows == 0).sum() == 40 + 12 + 2


def test_near_copies_stay_apart() -> None:
    points = np.random.default_rng(0).normal(size=(10, 300))
    points[1] = points[0]
    points[1, 7] += 1e-10
    rows = all_rows(PointSpace(points, Euclidean()))
    assert rows[0, 1] == pytest.approx(1e-10, rel=1e-5)


def test_ids_name_metric_and_points() -> None:
    points = np.eye(3)
    assert PointSpace(points, Euclidean(), "ab").id == "euclidean@ab"
    other = PointSpace(points + 1, Euclidean()).id
    assert (
        PointSpace(points, Euclidean()).id == PointSpace(points.copy(), Euclidean()).id
    )
    assert PointSpace(points, Euclidean()).id != other
    assert HopSpace(random_graph(0), 4, 10, "ab").id == "hop:k=10:cap=4@ab"
    assert PathSpace(random_graph(0), 10, "ab").id == "hop:k=10@ab"


def test_only_hops_are_layered() -> None:
    assert isinstance(HopSpace(random_graph(0), 4, 2, "f"), Layered)
    assert not isinstance(PathSpace(random_graph(0), 2, "f"), Layered)
    assert not isinstance(PointSpace(np.eye(2), Euclidean()), Layered)


@pytest.mark.parametrize(
    "space",
    [
        PointSpace(np.array([[1.0, 2.0]]), Euclidean()),
        HopSpace(no_edges(1), 4, 1, "f"),
        PathSpace(no_edges(1), 1, "f"),
    ],
)
def test_one_point_has_no_neighbours(space: Space) -> None:
    assert all_rows(space).tolist() == [[0.0]]
    assert neighbour_distance(space, 10) == 0.0


@pytest.mark.parametrize("k", [1, 10])
def test_neighbour_distance_is_the_median_over_points(k: int) -> None:
    points = np.random.default_rng(0).normal(size=(101, 3))
    rows = np.sort(np.linalg.norm(points[:, None] - points[None], axis=2), axis=1)
    found = neighbour_distance(PointSpace(points, Euclidean()), k)
    assert found == pytest.approx(np.median(rows[:, k]))


def test_neighbour_distance_of_few_points_is_the_farthest() -> None:
    space = PointSpace(np.array([[0.0], [1.0], [3.0]]), Euclidean())
    assert neighbour_distance(space, 10) == 3.0


def test_blocks_cover_every_id_once() -> None:
    runs = list(blocks(1000, 1 << 20))
    assert np.concatenate(runs).tolist() == list(range(1000))
    assert max(map(len, runs)) * (1 << 23) <= 64 << 20
    assert list(blocks(0, 5)) == []


def test_fingerprints_tell_type_shape_and_order_apart() -> None:
    a = np.arange(6)
    marks = {
        fingerprint(a),
        fingerprint(a.reshape(2, 3)),
        fingerprint(a.astype(np.float64)),
        fingerprint(a, "x"),
        fingerprint("x", a),
        fingerprint("ab", "c"),
        fingerprint("a", "bc"),
    }
    assert len(marks) == 7
    assert fingerprint(a[::1], b"x") == fingerprint(a.copy(), "x")
    assert fingerprint(np.arange(12)[::2]) == fingerprint(2 * a)
