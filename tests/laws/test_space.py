"""Every finite space is a metric space, exactly for hops."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import shortest_path

from publius.core.metric import POINT_METRICS, Capped, Euclidean, Metric
from publius.core.space import HopSpace, PathSpace, PointSpace


@st.composite
def graphs(draw: st.DrawFn) -> Any:
    size = draw(st.integers(1, 12))
    ends = st.tuples(st.integers(0, size - 1), st.integers(0, size - 1))
    matrix = np.zeros((size, size), np.float32)
    for a, b in draw(st.lists(ends, max_size=20)):
        matrix[a, b] = matrix[b, a] = 1
    return sp.csr_array(matrix)


def check_axioms(distance: Any, tolerance: float) -> None:
    assert (np.diag(distance) == 0).all()
    np.testing.assert_allclose(distance, distance.T, rtol=0, atol=tolerance)
    detour = (distance[:, :, None] + distance[None]).min(axis=1)
    assert (distance <= detour + tolerance).all()


@given(graphs(), st.integers(1, 6))
def test_capped_hops(graph: Any, cap: int) -> None:
    space = HopSpace(graph, cap, 3, "f")
    distance = space.rows(np.arange(space.size))
    paths = shortest_path(graph, unweighted=True)
    np.testing.assert_array_equal(distance, np.minimum(paths, cap))
    check_axioms(distance, 0)
    assert (distance[~np.eye(space.size, dtype=bool)] >= 1).all()


@given(graphs())
def test_uncapped_hops(graph: Any) -> None:
    space = PathSpace(graph, 3, "f")
    distance = space.rows(np.arange(space.size))
    paths = shortest_path(graph, unweighted=True)
    joined = np.isfinite(paths)
    np.testing.assert_array_equal(distance[joined], paths[joined])
    assert (distance[~joined] == space.diameter + 1).all()
    check_axioms(distance, 0)


@pytest.mark.parametrize(
    "metric", [*POINT_METRICS.values(), Capped(Euclidean(), 1.0)], ids=lambda m: m.id
)
@given(size=st.integers(1, 10), copies=st.integers(0, 4), number=st.integers(0, 999))
def test_points_with_copies(
    metric: Metric, size: int, copies: int, number: int
) -> None:
    rng = np.random.default_rng(number)
    points = rng.uniform(-0.5, 0.5, size=(size, 3))
    points = np.vstack([points, points[rng.integers(0, size, copies)]])
    rng.shuffle(points)
    points.setflags(write=False)
    space = PointSpace(points, metric)
    distance = space.rows(np.arange(space.size))
    check_axioms(distance, 1e-12)
    same = (points[:, None] == points[None]).all(axis=2)
    assert ((distance == 0) == same).all()
    for a, b in zip(*np.nonzero(same), strict=True):
        assert (distance[a] == distance[b]).all()
