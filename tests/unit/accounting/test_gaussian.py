"""The exact guarantee of normal noise: its laws, extremes and refusals."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import publius as pb
from publius.accounting.gaussian import (
    cks20_epsilon,
    epsilon_of,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_sigma,
    guarantee_epsilon,
    log_delta,
    mironov_epsilon,
)
from publius.core.errors import GuaranteeMismatchError, ParameterError
from publius.core.guarantee import Gaussian as GaussianTerm
from publius.core.guarantee import Guarantee, Landmarks, Linear, Unit
from publius.mechanisms.gaussian import Gaussian

ratios = st.floats(1e-6, 1e4)
deltas = st.floats(1e-250, 0.5)


@given(ratios, deltas)
def test_epsilon_and_delta_are_inverse(mu: float, delta: float) -> None:
    epsilon = epsilon_of(mu, delta)
    assert log_delta(epsilon, mu) <= math.log(delta) + 1e-9
    if epsilon > 0:
        assert log_delta(epsilon * (1 - 1e-6), mu) > math.log(delta)


@given(ratios, deltas)
def test_exact_is_below_cks20_which_is_below_mironov(mu: float, delta: float) -> None:
    loose = mironov_epsilon(delta, sensitivity=mu, sigma=1.0)
    converted = cks20_epsilon(delta, sensitivity=mu, sigma=1.0)
    assert epsilon_of(mu, delta) <= converted * (1 + 1e-9) <= loose * (1 + 1e-8)


@given(st.floats(0, 1e5), st.floats(1e-250, 0.999), st.floats(1e-3, 1e3))
def test_sigma_is_the_smallest(
    epsilon: float, delta: float, sensitivity: float
) -> None:
    sigma = gaussian_sigma(epsilon, delta, sensitivity=sensitivity)
    ratio = sensitivity / sigma
    assert log_delta(epsilon, ratio) <= math.log(delta) + 1e-12
    assert log_delta(epsilon, ratio * 1.000001) > math.log(delta)


@given(ratios, deltas, st.integers(1, 10_000))
def test_composition_is_one_release_with_more_signal(
    mu: float, delta: float, count: int
) -> None:
    composed = gaussian_epsilon(delta, sensitivity=mu, sigma=1.0, count=count)
    single = gaussian_epsilon(delta, sensitivity=mu * math.sqrt(count), sigma=1.0)
    assert composed == pytest.approx(single, rel=1e-9)
    assert composed <= count * epsilon_of(mu, delta / count) * (1 + 1e-9)


def test_a_guarantee_composes_its_terms_and_units() -> None:
    guarantee = Gaussian(2.0, 4, bound=3.0).guarantee()
    twice = guarantee.then(guarantee)
    four = gaussian_epsilon(1e-6, sensitivity=6, sigma=2, count=4)
    found = guarantee_epsilon(twice, 1e-6, changed=2)
    assert found == pytest.approx(four, rel=1e-6)
    assert found > four + 4 * Gaussian(2.0, 4).offset > four
    assert guarantee_epsilon(guarantee, 1e-6, changed=0) == 0.0


def test_the_exact_epsilon_is_never_above_the_kept_curve() -> None:
    guarantee = Gaussian(2.0, 4, bound=3.0).guarantee()
    assert guarantee_epsilon(guarantee, 1e-6) <= guarantee.at(6.0).epsilon(1e-6)


def test_other_noise_has_no_such_epsilon() -> None:
    linear = Guarantee(
        "m", Unit.RECORD, (Linear(1.0),), landmarks=Landmarks(diameter=1)
    )
    with pytest.raises(GuaranteeMismatchError, match="normal noise"):
        guarantee_epsilon(linear, 1e-6)


@pytest.mark.parametrize("delta", [0.0, 1.0, -1e-9, 1.5, math.nan, math.inf])
def test_delta_outside_the_open_interval_is_refused(delta: float) -> None:
    with pytest.raises(ParameterError, match=r"delta must lie in \(0, 1\)"):
        gaussian_epsilon(delta, sensitivity=6, sigma=1)
    with pytest.raises(ParameterError, match=r"delta must lie in \(0, 1\)"):
        gaussian_sigma(1.0, delta, sensitivity=6)


@pytest.mark.parametrize("sigma", [0.0, -1.0, math.nan, math.inf])
def test_sigma_must_be_positive(sigma: float) -> None:
    with pytest.raises(ParameterError, match="sigma must be a finite number > 0"):
        gaussian_epsilon(1e-6, sensitivity=6, sigma=sigma)


def test_no_signal_and_no_noise_are_the_limits() -> None:
    assert gaussian_epsilon(1e-6, sensitivity=1, sigma=1e9) == 0.0
    assert gaussian_delta(0.0, sensitivity=1e6, sigma=1.0) == 1.0
    assert gaussian_delta(1e9, sensitivity=1.0, sigma=1.0) == 0.0
    assert epsilon_of(0.0, 1e-6) == 0.0


def test_a_curve_of_another_sigma_differs() -> None:
    guarantee = Guarantee(
        "m", Unit.RECORD, (GaussianTerm(1.0),), landmarks=Landmarks(diameter=6)
    )
    assert guarantee_epsilon(guarantee, 1e-6) == pytest.approx(45.7859059489, rel=1e-9)


def test_the_front_door_has_exact_accounting() -> None:
    sigma = pb.accounting.gaussian_sigma(1.0, 1e-5, sensitivity=1.0)
    loss = pb.accounting.gaussian_epsilon(1e-5, sensitivity=1.0, sigma=sigma)
    assert loss == pytest.approx(1.0, abs=1e-6)
