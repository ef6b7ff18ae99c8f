"""Euclidean Laplace noise: settings, shapes and its density."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import kstest

from publius.core.errors import DataError, ParameterError
from publius.core.guarantee import Linear, Unit
from publius.core.rng import seeded
from publius.mechanisms.laplace import Laplace


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan, math.inf, 1e-308, 1e308])
def test_bad_epsilon_is_refused(epsilon: float) -> None:
    with pytest.raises(ParameterError, match=r"epsilon|scale"):
        Laplace(epsilon, 2)


@pytest.mark.parametrize("dim", [0, -1, 1.5, math.nan])
def test_bad_dimension_is_refused(dim: Any) -> None:
    with pytest.raises(ParameterError, match="dim"):
        Laplace(1.0, dim)


def test_guarantee_is_linear_and_pays_for_rounding() -> None:
    law = Laplace(3.0, 2)
    guarantee = law.guarantee()
    assert guarantee.terms == (Linear(3.0, offset=law.offset),)
    assert guarantee.metric == "euclidean"
    assert guarantee.unit is Unit.TOKEN
    assert "multiples of 2^-12" in guarantee.scope.assumptions[0]
    assert guarantee.at(2.0).pure == pytest.approx(6.0 + law.offset, rel=1e-15)
    assert 0 < law.offset < 1e-7
    assert guarantee.at(0.0).pure == 0.0


@pytest.mark.parametrize("epsilon", [1e-300, 1e-3, 0.3, 7.0, 1e6, 1e300])
@pytest.mark.parametrize("dim", [1, 2, 3, 300])
def test_outputs_lie_on_the_public_grid(epsilon: float, dim: int) -> None:
    law = Laplace(epsilon, dim)
    z = law.perturb(np.full((7, dim), 0.1), seeded(0))
    assert (z / law.spacing == np.rint(z / law.spacing)).all()
    assert 2.0**-11 <= law.spacing * epsilon <= 2.0**-10
    assert np.isfinite(z).all()
    assert law.offset < 1e-5


def test_points_far_away_are_drawn_in_exactly() -> None:
    law = Laplace(1.0, 2)
    z = law.perturb([[1e300, -1e300], [1e12, 0.0]], seeded(0))
    assert z[0] == pytest.approx([2.0**41, -(2.0**41)], rel=1e-9)
    assert z[1, 0] == pytest.approx(1e12, abs=50)


@pytest.mark.parametrize("rows", [0, 1, 5])
def test_shape_depends_on_the_input_alone(rows: int) -> None:
    assert Laplace(1.0, 3).perturb(np.zeros((rows, 3)), seeded(0)).shape == (rows, 3)


def test_input_is_left_alone() -> None:
    x = np.ones((4, 6))
    x.setflags(write=False)
    z = Laplace(1.0, 3).perturb(x[:, ::2], seeded(0))
    assert (x == 1).all()
    assert (z != 1).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_points_that_are_not_finite_are_refused(bad: float) -> None:
    with pytest.raises(DataError, match="row 1"):
        Laplace(1.0, 2).perturb([[0.0, 0.0], [bad, 0.0]], seeded(0))


@pytest.mark.parametrize("dim", [1, 2, 3, 7])
@pytest.mark.parametrize("epsilon", [0.3, 5.0])
def test_density_integrates_to_one(dim: int, epsilon: float) -> None:
    law = Laplace(epsilon, dim)
    surface = 2 * math.pi ** (dim / 2) / math.gamma(dim / 2)

    def shell(radius: float) -> float:
        z = np.zeros((1, dim))
        z[0, 0] = radius
        height = math.exp(law.log_prob(z, np.zeros((1, dim)))[0])
        return surface * radius ** (dim - 1) * height

    assert quad(shell, 0, 60 / epsilon + 60)[0] == pytest.approx(1.0, rel=1e-6)


def test_density_falls_by_epsilon_per_unit() -> None:
    law = Laplace(2.0, 2)
    near, far = law.log_prob([[3.0, 4.0], [6.0, 8.0]], [[0.0, 0.0], [0.0, 0.0]])
    assert near - far == pytest.approx(10.0)


@pytest.mark.parametrize("dim", [1, 2, 50])
def test_radius_cdf_is_that_of_the_noise(dim: int) -> None:
    law = Laplace(2.0, dim)
    noise = law.perturb(np.zeros((20_000, dim)), seeded(1))
    radius = np.linalg.norm(noise, axis=1)
    assert kstest(radius, law.radius_cdf).pvalue > 1e-9
    assert kstest(radius, Laplace(2.2, dim).radius_cdf).pvalue < 1e-9
    assert law.radius_cdf([-1.0, 0.0, math.inf]).tolist() == [0.0, 0.0, 1.0]


def test_radius_cdf_in_one_dimension_is_exponential() -> None:
    assert Laplace(3.0, 1).radius_cdf(0.5) == pytest.approx(-math.expm1(-1.5))
    with pytest.raises(DataError, match="NaN"):
        Laplace(3.0, 1).radius_cdf(math.nan)
