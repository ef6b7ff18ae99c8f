"""Contraction into the ball, and the guarantee that rests on it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import multivariate_normal

from publius.core.errors import DataError, ParameterError
from publius.core.rng import seeded
from publius.mechanisms.gaussian import Gaussian, contract

rows = arrays(np.float64, (4, 3), elements=st.floats(-1e200, 1e200))


@given(rows, st.floats(1e-3, 1e3))
def test_contracted_rows_stay_in_the_ball(x: np.ndarray, bound: float) -> None:
    with np.errstate(over="ignore"):  # a norm may overflow to infinity; tanh of it is 1
        inside = contract(x, bound)
    assert np.isfinite(inside).all()
    assert (np.linalg.norm(inside, axis=1) <= bound * (1 + 1e-15)).all()


@given(arrays(np.float64, (2, 3), elements=st.floats(-5, 5)))
def test_the_contraction_never_stretches(x: np.ndarray) -> None:
    before, after = (np.linalg.norm(v[0] - v[1]) for v in (x, contract(x, 1.0)))
    assert after <= before + 1e-12


def test_the_direction_and_the_radius_are_those_of_the_formula() -> None:
    found = contract(np.array([[0.3, 0.4], [0.0, 0.0]]), 3.0)
    assert found[0] == pytest.approx(3 * np.tanh(0.5) * np.array([0.6, 0.8]))
    assert found[1] == pytest.approx([0.0, 0.0])


def test_log_prob_is_the_normal_density() -> None:
    mechanism, x = Gaussian(0.7, 3, bound=2.0), np.array([[1.0, -2.0, 0.5]])
    z = mechanism.perturb(x, seeded(0))
    law = multivariate_normal(contract(x, 2.0)[0], 0.49)
    assert mechanism.log_prob(z, x) == pytest.approx(law.logpdf(z[0]))


def test_the_guarantee_knows_ball_and_curve() -> None:
    guarantee = Gaussian(2.0, 5, bound=1.5).guarantee()
    assert guarantee.landmarks.diameter == 3.0
    assert guarantee.metric == "euclidean:ball=1.5"
    assert guarantee.at(3.0).renyi[2] == pytest.approx(2 * 9 / (2 * 4))
    assert guarantee.worst_loss == float("inf")


@pytest.mark.parametrize("setting", [{"sigma": 0.0}, {"dim": 0}, {"bound": -1.0}])
def test_bad_settings_are_refused(setting: dict[str, float]) -> None:
    with pytest.raises(ParameterError):
        Gaussian(**({"sigma": 1.0, "dim": 2} | setting))  # type: ignore[arg-type]


def test_rows_that_are_not_finite_are_refused() -> None:
    with pytest.raises(DataError, match="row 0"):
        Gaussian(1.0, 2).perturb([[np.nan, 0.0]], seeded(0))
