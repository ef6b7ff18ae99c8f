"""The Poincaré ball: maps undo each other, and nothing leaves the ball."""

from typing import Any

import numpy as np
import pytest

from publius.core.errors import DataError
from publius.numerics.geometry import lorentz, poincare


def points(count: int = 200, dim: int = 5, *, furthest: float = 8.0) -> Any:
    """Return tangent vectors at the origin of radius up to `furthest`."""
    rng = np.random.default_rng(dim)
    tangent = rng.normal(size=(count, dim))
    radius = rng.uniform(0, furthest, count) / np.linalg.norm(tangent, axis=1)
    return tangent * radius[:, None]


A, B = poincare.exp0(points()), poincare.exp0(points()[::-1])


@pytest.mark.parametrize("row", [[1.0, 0.0], [0.8, 0.8], [np.nan, 0.0], [np.inf, 0]])
def test_points_on_or_outside_the_ball_are_refused_by_row(row: list[float]) -> None:
    with pytest.raises(DataError, match="row 1"):
        poincare.inside([[0.0, 0.5], row])


def test_rows_must_have_the_dimension() -> None:
    with pytest.raises(DataError, match="shape"):
        poincare.inside([[0.1, 0.2]], 3)
    with pytest.raises(DataError, match="shape"):
        poincare.inside([0.1, 0.2])


def test_exp0_and_log0_undo_each_other() -> None:
    tangent = points(furthest=15)
    np.testing.assert_allclose(
        poincare.log0(poincare.exp0(tangent)), tangent, rtol=1e-9
    )


@pytest.mark.parametrize("scale", [0.0, 1e-300, 1e-12, 1e-5, 2e-3])
def test_small_vectors_keep_all_digits(scale: float) -> None:
    tangent = np.array([[3.0, 4.0]]) * scale
    point = poincare.exp0(tangent)
    np.testing.assert_allclose(poincare.log0(point), tangent, rtol=1e-14)
    np.testing.assert_allclose(point, tangent / 2, rtol=1e-4)


@pytest.mark.parametrize("radius", [36.0, 40.0, 700.0, 1e100])
def test_far_points_are_clamped_inside(radius: float) -> None:
    point = poincare.exp0([[radius, 0.0], [0.6 * radius, 0.8 * radius]])
    assert (poincare.room(point) > 0).all()
    assert (np.linalg.norm(point, axis=1) > 1 - 1e-15).all()


def test_mobius_addition_undoes_itself() -> None:
    sum_ = poincare.mobius_add(A, B)
    np.testing.assert_allclose(poincare.mobius_add(-A, sum_), B, atol=1e-8)
    np.testing.assert_allclose(poincare.mobius_add(np.zeros_like(B), B), B)


def test_clamping_leaves_inner_points_alone() -> None:
    assert poincare.clamped(A) is A or (poincare.clamped(A) == A).all()
    assert lorentz.to_poincare(lorentz.from_poincare(A)).shape == A.shape
