"""Riemannian Laplace noise: domain, guarantee, density and extreme shapes."""

import numpy as np
import pytest

from publius.core.errors import DataError, ParameterError
from publius.core.rng import seeded
from publius.mechanisms.riemannian_laplace import RiemannianLaplace
from publius.numerics.geometry import poincare

EXAMPLES = [
    RiemannianLaplace(0.3, 1),
    RiemannianLaplace(3.0, 2),
    RiemannianLaplace(150.0, 100),
]


@pytest.mark.parametrize(("epsilon", "dim"), [(1.0, 2), (0.5, 2), (9.0, 10)])
def test_epsilon_must_exceed_the_growth_of_volume(epsilon: float, dim: int) -> None:
    with pytest.raises(ParameterError, match=f"dim - 1 = {dim - 1}.*tangent_laplace"):
        RiemannianLaplace(epsilon, dim)


@pytest.mark.parametrize("epsilon", [-1.0, np.nan, np.inf])
def test_epsilon_must_be_a_number(epsilon: float) -> None:
    with pytest.raises(ParameterError, match="epsilon"):
        RiemannianLaplace(epsilon, 1)


@pytest.mark.parametrize("mechanism", EXAMPLES)
def test_guarantees_epsilon_per_unit_of_hyperbolic_distance(
    mechanism: RiemannianLaplace,
) -> None:
    guarantee = mechanism.guarantee()
    assert guarantee.metric == "hyperbolic"
    loss = mechanism.epsilon / 2 + mechanism.offset
    assert guarantee.at(0.5).pure == pytest.approx(loss)
    assert mechanism.offset < 0.05


def test_points_outside_the_ball_are_refused_before_a_draw() -> None:
    with pytest.raises(DataError, match="row 0"):
        RiemannianLaplace(3.0, 2).perturb([[0.8, 0.6]], seeded(0))


@pytest.mark.parametrize("mechanism", EXAMPLES)
def test_radius_law_is_a_law(mechanism: RiemannianLaplace) -> None:
    radius = np.linspace(0, 60, 200)
    cdf = mechanism.radius_cdf(radius)
    assert cdf[0] == 0
    assert (np.diff(cdf) >= 0).all()
    assert cdf[-1] > 0.999


def test_a_shape_close_to_0_gives_finite_far_points() -> None:
    law = RiemannianLaplace(1.0 + 1e-4, 2)
    out = law.perturb(np.full((200, 2), 0.3), seeded(3))
    assert np.isfinite(out).all()
    radius = np.linalg.norm(out, axis=1)
    assert radius.max() > 1000  # the ball could not tell these points apart
    assert law.mean_radius == pytest.approx(1e4, rel=1e-3)


def test_density_ratio_never_exceeds_the_guarantee() -> None:
    rng = np.random.default_rng(0)
    law = RiemannianLaplace(3.5, 3)
    x, y = (poincare.exp0(rng.normal(size=(500, 3))) for _ in range(2))
    z = rng.normal(scale=4, size=(500, 3))
    ratio = np.abs(law.log_prob(z, x) - law.log_prob(z, y))
    limit = 3.5 * poincare.distance(x, y)
    assert (ratio <= limit + 1e-9).all()
    assert (2 * ratio > limit + 1e-9).any()


def test_density_integrates_to_one_in_the_plane() -> None:
    law = RiemannianLaplace(2.5, 2)
    radius = (np.arange(40_000) + 0.5) * 1e-3
    rows = np.stack([radius, np.zeros_like(radius)], axis=1)
    log_density = law.log_prob(rows, np.zeros_like(rows))
    mass = (np.exp(log_density) * 2 * np.pi * np.sinh(radius)).sum() * 1e-3
    assert mass == pytest.approx(1.0, abs=1e-5)
