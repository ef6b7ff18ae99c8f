"""Values of the metrics, their names, and their care with near points."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest

from publius.core.errors import DataError, ParameterError, UnknownNameError
from publius.core.metric import (
    POINT_METRICS,
    Angular,
    Capped,
    Discrete,
    Euclidean,
    Hyperbolic,
    Manhattan,
    Metric,
    point_metric,
)

A = np.array([[3.0, 4.0]])
B = np.array([[0.0, 8.0]])


@pytest.mark.parametrize(
    ("metric", "wanted"),
    [
        (Euclidean(), 5.0),
        (Manhattan(), 7.0),
        (Angular(), math.atan2(3, 4)),
        (Discrete(), 1.0),
        (Capped(Euclidean(), 4.5), 4.5),
        (Capped(Euclidean(), 5.5), 5.0),
    ],
)
def test_known_distances(metric: Metric, wanted: float) -> None:
    assert metric.distance(A, B)[0] == pytest.approx(wanted, rel=1e-15)
    assert metric.pairwise(A, B)[0, 0] == pytest.approx(wanted, rel=1e-15)


@pytest.mark.parametrize("cap", [0.0, -1.0, math.nan, math.inf])
def test_bad_cap_is_refused(cap: float) -> None:
    with pytest.raises(ParameterError, match="cap"):
        Capped(Euclidean(), cap)


def test_metrics_by_name() -> None:
    assert {name: point_metric(name).id for name in POINT_METRICS} == {
        name: name for name in POINT_METRICS
    }
    assert point_metric("angular", 1.0).id == "angular:cap=1"
    with pytest.raises(UnknownNameError, match="did you mean 'euclidean'"):
        point_metric("euclid")


def test_different_caps_have_different_names() -> None:
    # A name that rounds would let guarantees of two metrics be added.
    assert (
        point_metric("euclidean", 1.2345678).id
        != point_metric("euclidean", 1.2345679).id
    )


@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-9, 1e-12])
def test_near_points_keep_their_digits(gap: float) -> None:
    # The matrix product alone is off by 3e-8 here, whatever the gap.
    a = np.array([[1.0, 2.0, 3.0]])
    b = a + np.array([[gap, 0.0, 0.0]])
    wanted = b[0, 0] - a[0, 0]
    assert Euclidean().pairwise(a, b)[0, 0] == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("gap", [1e-3, 1e-8])
def test_angles_near_zero_and_near_pi_keep_their_digits(gap: float) -> None:
    a = np.array([[1.0, 0.0]])
    b = np.array([[math.cos(gap), math.sin(gap)]])
    assert Angular().pairwise(a, b)[0, 0] == pytest.approx(gap, rel=1e-9)
    assert math.pi - Angular().pairwise(a, -b)[0, 0] == pytest.approx(gap, rel=1e-7)


def test_many_near_pairs_are_formed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("publius.core.metric.PAIRS", 7)
    rows = 5.0 + 1e-7 * np.arange(30.0).reshape(10, 3)
    wanted = np.linalg.norm(rows[:, None] - rows[None], axis=2)
    np.testing.assert_allclose(Euclidean().pairwise(rows, rows), wanted, rtol=1e-12)


def test_pairwise_agrees_with_forty_digits() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(4, 30)), rng.normal(size=(5, 30))
    with localcontext(prec=40):
        wanted = [
            [
                float(
                    sum(
                        (
                            (Decimal(x) - Decimal(y)) ** 2
                            for x, y in zip(u, v, strict=True)
                        ),
                        Decimal(0),
                    ).sqrt()
                )
                for v in b.tolist()
            ]
            for u in a.tolist()
        ]
    np.testing.assert_allclose(Euclidean().pairwise(a, b), wanted, rtol=1e-14)


def test_hyperbolic_distance_from_the_centre() -> None:
    # d(0, r) = ln((1 + r) / (1 - r))
    a, b = np.zeros((1, 2)), np.array([[0.6, 0.0], [0.0, 1e-9]])
    wanted = [math.log(4.0), 2e-9]
    np.testing.assert_allclose(Hyperbolic().pairwise(a, b)[0], wanted, rtol=1e-12)
    np.testing.assert_allclose(Hyperbolic().distance(a, b), wanted, rtol=1e-12)


@pytest.mark.parametrize("length", [1.0, 2.0])
def test_hyperbolic_distance_ends_at_the_boundary(length: float) -> None:
    rows = np.array([[0.0], [length]])
    with pytest.raises(DataError, match="row 1"):
        Hyperbolic().pairwise(rows, rows)


def test_the_zero_vector_has_a_right_angle_to_all() -> None:
    zero = np.zeros((1, 2))
    assert Angular().pairwise(zero, A)[0, 0] == pytest.approx(math.pi / 2)
    assert Angular().pairwise(zero, zero)[0, 0] == 0.0


@pytest.mark.parametrize("metric", [*POINT_METRICS.values(), Capped(Manhattan(), 1.0)])
def test_float32_and_strided_and_read_only_rows(metric: Metric) -> None:
    rows = np.random.default_rng(0).uniform(-0.5, 0.5, (8, 6)).astype(np.float32)
    rows.setflags(write=False)
    part = rows[::2, ::3]
    found = metric.pairwise(part, part)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, metric.pairwise(part.copy(), part.copy()))
    np.testing.assert_allclose(
        np.diag(metric.pairwise(part[:-1], part[1:])),
        metric.distance(part[:-1], part[1:]),
        rtol=1e-12,
    )


@pytest.mark.parametrize("metric", POINT_METRICS.values())
def test_no_rows_give_no_distances(metric: Metric) -> None:
    assert metric.pairwise(np.empty((0, 2)), A / 10).shape == (0, 1)
    assert metric.distance(np.empty((0, 2)), np.empty((0, 2))).shape == (0,)
