"""Tangent Laplace noise: domain, guarantee and density."""

import numpy as np
import pytest

from publius.core.errors import DataError, ParameterError
from publius.core.rng import seeded
from publius.mechanisms.tangent_laplace import TangentLaplace
from publius.numerics.geometry import lorentz, poincare

EXAMPLES = [TangentLaplace(0.1, 1), TangentLaplace(2.0, 2), TangentLaplace(5.0, 20)]


@pytest.mark.parametrize("epsilon", [0.0, -1.0, np.nan, np.inf])
def test_epsilon_must_be_positive(epsilon: float) -> None:
    with pytest.raises(ParameterError, match="epsilon"):
        TangentLaplace(epsilon, 2)


@pytest.mark.parametrize("mechanism", EXAMPLES)
def test_guarantees_epsilon_per_unit_of_hyperbolic_distance(
    mechanism: TangentLaplace,
) -> None:
    guarantee = mechanism.guarantee()
    assert guarantee.metric == "hyperbolic"
    loss = 3 * mechanism.epsilon + mechanism.offset
    assert guarantee.at(3.0).pure == pytest.approx(loss, rel=1e-15)
    assert mechanism.offset < 1e-6
    assert "multiples of 2^" in guarantee.scope.assumptions[0]


def test_points_outside_the_ball_are_refused_before_a_draw() -> None:
    with pytest.raises(DataError, match="row 1"):
        TangentLaplace(1.0, 2).perturb([[0.0, 0.0], [1.0, 0.0]], seeded(0))


@pytest.mark.parametrize("mechanism", EXAMPLES)
def test_shapes_and_finite_results(mechanism: TangentLaplace) -> None:
    rows = np.full((7, mechanism.dim), 0.1)
    out = mechanism.perturb(rows, seeded(1))
    assert out.shape == rows.shape
    assert np.isfinite(out).all()
    assert mechanism.perturb(np.empty((0, mechanism.dim)), seeded(1)).shape[0] == 0


def test_density_ratio_never_exceeds_the_guarantee() -> None:
    rng = np.random.default_rng(0)
    x, y = poincare.exp0(rng.normal(size=(2, 500, 3)).reshape(1000, 3)).reshape(
        2, 500, 3
    )
    law = TangentLaplace(1.7, 3)
    z = rng.normal(scale=4, size=(500, 3))
    ratio = np.abs(law.log_prob(z, x) - law.log_prob(z, y))
    limit = 1.7 * poincare.distance(x, y)
    assert (ratio <= limit + 1e-9).all()
    # The planted fault of half the noise breaks the guarantee somewhere.
    assert (2 * ratio > limit + 1e-9).any()


def test_log0_does_not_stretch() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(scale=3, size=(2, 2000, 4))
    assert (np.linalg.norm(a - b, axis=1) <= lorentz.distance(a, b) + 1e-12).all()
