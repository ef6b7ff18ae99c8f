"""Lorentz coordinates, and distances that neither cancel nor overflow."""

from typing import Any

import numpy as np
import pytest

from publius.core.errors import DataError
from publius.numerics.geometry import lorentz, poincare


def tangents(count: int = 200, dim: int = 4, *, furthest: float = 9.0) -> Any:
    rng = np.random.default_rng(dim + count)
    rows = rng.normal(size=(count, dim))
    return (
        rows * (rng.uniform(0, furthest, count) / np.linalg.norm(rows, axis=1))[:, None]
    )


A, B = tangents(), -tangents()[::-1]


def test_models_agree_about_points_and_distances() -> None:
    x = lorentz.from_poincare(poincare.exp0(A))
    np.testing.assert_allclose(x, lorentz.exp0(A), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(lorentz.log0(x), A, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        lorentz.distance(A, B),
        poincare.distance(poincare.exp0(A), poincare.exp0(B)),
        rtol=1e-9,
    )
    np.testing.assert_allclose(lorentz.to_poincare(x), poincare.exp0(A), rtol=1e-12)


@pytest.mark.parametrize("radius", [1.0, 30.0, 40.0, 350.0, 700.0])
def test_distances_along_a_line_and_about_a_right_angle(radius: float) -> None:
    x, y = np.array([[radius, 0.0]]), np.array([[0.0, radius]])
    assert lorentz.distance(x, -x)[0] == pytest.approx(2 * radius, rel=1e-14)
    assert lorentz.distance(x, x * 0.5)[0] == pytest.approx(radius / 2, rel=1e-14)
    # cosh d = cosh^2 r; for large r that is d = 2 r - log 2.
    wanted = (
        np.arccosh(np.cosh(radius) ** 2) if radius < 300 else 2 * radius - np.log(2)
    )
    assert lorentz.distance(x, y)[0] == pytest.approx(wanted, rel=1e-14)


@pytest.mark.parametrize("radius", [0.1, 10.0, 600.0])
@pytest.mark.parametrize("apart", [1e-12, 1e-6, 1e-3])
def test_short_distances_far_out_keep_their_digits(radius: float, apart: float) -> None:
    x = np.array([[radius, 0.0]])
    y = np.array([[radius + apart, 0.0]])
    step = y[0, 0] - radius  # what the doubles can hold
    assert lorentz.distance(x, y)[0] == pytest.approx(step, rel=1e-9)


def test_equal_points_are_at_distance_0() -> None:
    assert (lorentz.distance(A, A) == 0).all()
    assert lorentz.distance(np.zeros((1, 3)), np.zeros((1, 3)))[0] == 0


def test_translation_is_mobius_addition() -> None:
    near, other = tangents(furthest=4), -tangents(furthest=4)[::-1]
    wanted = poincare.mobius_add(poincare.exp0(near), poincare.exp0(other))
    moved = lorentz.translated(near, other)
    np.testing.assert_allclose(poincare.exp0(moved), wanted, atol=1e-12)


@pytest.mark.parametrize("length", [1e-8, 1.0, 50.0, 699.0, 1e5])
def test_a_step_of_any_length_is_as_long_as_asked(length: float) -> None:
    start = tangents(furthest=4)
    step = tangents()[::-1]
    step *= (length / np.linalg.norm(step, axis=1))[:, None]
    reached = lorentz.distance(lorentz.translated(start, step), start)
    np.testing.assert_allclose(reached, length, rtol=1e-7, atol=1e-11)


def test_lorentz_coordinates_reach_700() -> None:
    rows = np.array([[420.0, 560.0], [-700.0, 0.0]])
    np.testing.assert_allclose(lorentz.log0(lorentz.exp0(rows)), rows, rtol=1e-13)


def test_limiting_is_a_clamp() -> None:
    rows = np.array([[3.0, 4.0], [0.3, 0.4], [0.0, 0.0]])
    np.testing.assert_allclose(
        lorentz.limited(rows, 2.0), [[1.2, 1.6], [0.3, 0.4], [0.0, 0.0]]
    )


def test_bad_rows_are_refused() -> None:
    with pytest.raises(DataError, match="row 1 does not lie on the hyperboloid"):
        lorentz.on_hyperboloid([[1.0, 0.0], [1.0, 1.0]])
    with pytest.raises(DataError, match="shape"):
        lorentz.on_hyperboloid([[1.0]])
    with pytest.raises(DataError, match="further than 700"):
        lorentz.exp0([[800.0]])
    with pytest.raises(DataError, match="finite"):
        lorentz.polar([[np.nan]])
