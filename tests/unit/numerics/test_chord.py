"""Metrics that follow from chords, and the error of their distances."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from publius.core.metric import Angular, Capped, Euclidean, Manhattan, Metric
from publius.core.space import PointSpace
from publius.numerics.chord import Chords, chords

POINTS = np.random.default_rng(0).normal(size=(9, 4))


@pytest.mark.parametrize(
    ("metric", "form"),
    [
        (Euclidean(), Chords(is_angle=False)),
        (Angular(), Chords(is_angle=True)),
        (Capped(Angular(), 1.5), Chords(is_angle=True, cap=1.5)),
        (Manhattan(), None),
        (Capped(Manhattan(), 2.0), None),
    ],
)
def test_the_form_of_a_metric(metric: Metric, form: Chords | None) -> None:
    assert chords(PointSpace(POINTS, metric)) == form


def test_other_spaces_have_no_chords() -> None:
    class Line:
        """A space without coordinates."""

        id, size = "line@1", 2

        def rows(self, ids: np.ndarray) -> np.ndarray:
            return np.abs(ids[:, None] - np.arange(2)).astype(np.float64)

    assert chords(Line()) is None


def test_angles_have_unit_coordinates_and_zero_stays_zero() -> None:
    points = np.array([[3.0, 4.0], [0.0, 0.0]])
    form = Chords(is_angle=True)
    assert form.coordinates(points).tolist() == [[0.6, 0.8], [0.0, 0.0]]
    assert form.radius(points) == 1.0
    assert Chords(is_angle=False).radius(points) == 5.0


@given(number=st.integers(0, 10_000), offset=st.sampled_from([0.0, 1.0, 1e4]))
def test_the_error_bounds_both_ways_to_form_a_distance(
    number: int, offset: float
) -> None:
    rng = np.random.default_rng(number)
    points = rng.normal(size=(6, 7)) * rng.choice([1e-3, 1.0], size=(6, 1)) + offset
    bound = Chords(is_angle=False).error(points)
    found = Euclidean().pairwise(points, points)
    for i, j in np.ndindex(6, 6):
        terms = zip(points[i].tolist(), points[j].tolist(), strict=True)
        square = sum(((Fraction(a) - Fraction(b)) ** 2 for a, b in terms), Fraction(0))
        exact = math.sqrt(square)
        single = float(Euclidean().distance(points[i], points[j]))
        assert abs(found[i, j] - exact) <= bound + 1e-15 * exact
        assert abs(single - exact) <= bound + 1e-15 * exact


@given(number=st.integers(0, 10_000))
def test_the_error_bounds_angles(number: int) -> None:
    rng = np.random.default_rng(number)
    points = rng.normal(size=(6, 7))
    points[1] = points[0] * 3 + 1e-7
    points[2] = -points[0] + 1e-9
    bound = Chords(is_angle=True).error(points)
    found = Angular().pairwise(points, points)
    single = Angular().distance(points[:, None], points[None])
    assert np.abs(found - single).max() <= 2 * bound
