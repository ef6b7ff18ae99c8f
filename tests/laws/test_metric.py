"""Every metric satisfies the axioms, on any rows."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from publius.core.arrays import FloatArray
from publius.core.metric import (
    POINT_METRICS,
    Angular,
    Capped,
    Euclidean,
    Manhattan,
    Metric,
)

METRICS = [
    *POINT_METRICS.values(),
    Capped(Euclidean(), 1.5),
    Capped(Manhattan(), 0.1),
    Capped(Angular(), 1.0),
]
ROWS = arrays(
    np.float64,
    st.tuples(st.integers(1, 6), st.integers(1, 5)),
    elements=st.floats(-100, 100).map(lambda value: round(value, 6)),
)
every_metric = pytest.mark.parametrize("metric", METRICS, ids=lambda m: m.id)


def inside(metric: Metric, rows: Any) -> Any:
    """Shrink rows into the unit ball, where hyperbolic distance lives."""
    return rows / 300 if metric.id.startswith("hyperbolic") else rows


@every_metric
@given(rows=ROWS)
def test_axioms(metric: Metric, rows: FloatArray) -> None:
    rows = inside(metric, rows)
    distance = metric.pairwise(rows, rows)
    assert (distance >= 0).all()
    assert (np.diag(distance) == 0).all()
    np.testing.assert_allclose(distance, distance.T, rtol=1e-12, atol=1e-12)
    detour = (distance[:, :, None] + distance[None]).min(axis=1)
    assert (distance <= detour * (1 + 1e-9) + 1e-9).all()


@every_metric
@given(rows=ROWS)
def test_pairwise_and_distance_agree(metric: Metric, rows: FloatArray) -> None:
    rows = inside(metric, rows)
    wanted = metric.pairwise(rows, rows)
    for shift in range(len(rows)):
        other = np.roll(rows, -shift, axis=0)
        found = metric.distance(rows, other)
        picked = wanted[
            np.arange(len(rows)), (np.arange(len(rows)) + shift) % len(rows)
        ]
        np.testing.assert_allclose(found, picked, rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("inner", POINT_METRICS.values(), ids=lambda m: m.id)
@given(rows=ROWS, cap=st.floats(1e-3, 10))
def test_capping_is_the_minimum(inner: Metric, rows: FloatArray, cap: float) -> None:
    rows = inside(inner, rows)
    wanted = np.minimum(inner.pairwise(rows, rows), cap)
    np.testing.assert_array_equal(Capped(inner, cap).pairwise(rows, rows), wanted)


@given(rows=ROWS)
def test_a_squared_distance_is_caught_by_the_axioms(rows: FloatArray) -> None:
    # Power: on the line, the squared distance breaks the triangle inequality.
    line = np.array([[0.0], [1.0], [2.0]]) + rows[0, 0]
    squared = Euclidean().pairwise(line, line) ** 2
    detour = (squared[:, :, None] + squared[None]).min(axis=1)
    assert not (squared <= detour * (1 + 1e-9) + 1e-9).all()
