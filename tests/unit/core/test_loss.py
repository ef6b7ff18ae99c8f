"""Losses that exist, losses that cannot, and their conversion to (ε, δ)."""

import math

import pytest

from publius.core.errors import ParameterError
from publius.core.loss import ORDERS, Loss


@pytest.mark.parametrize("value", [-1.0, math.nan])
def test_negative_or_undefined_losses_are_refused(value: float) -> None:
    with pytest.raises(ParameterError, match="at every order"):
        Loss(pure=value)
    with pytest.raises(ParameterError, match="at every order"):
        Loss(renyi=(value,) * len(ORDERS))
    with pytest.raises(ParameterError):
        Loss.from_pure(value)


def test_a_curve_of_another_length_is_refused() -> None:
    with pytest.raises(ParameterError, match="renyi must have"):
        Loss(renyi=(0.0,))


@pytest.mark.parametrize("slack", [-0.1, 1.1, math.nan])
def test_slack_is_a_probability(slack: float) -> None:
    with pytest.raises(ParameterError, match="slack"):
        Loss(slack=slack)


@pytest.mark.parametrize("count", [-1, 0.5, math.nan, math.inf])
def test_only_whole_repetitions_exist(count: float) -> None:
    with pytest.raises(ParameterError, match="count"):
        Loss() * count  # type: ignore[operator]


@pytest.mark.parametrize("delta", [-0.1, 1.0, math.nan])
def test_delta_is_a_probability_below_one(delta: float) -> None:
    with pytest.raises(ParameterError, match="delta"):
        Loss().epsilon(delta)


def test_no_repetition_loses_nothing_even_of_an_unbounded_loss() -> None:
    assert Loss.unbounded() * 0 == Loss()
    assert 0 * Loss.unbounded() == Loss()


def test_pure_loss_needs_no_delta() -> None:
    assert Loss.from_pure(1.5).epsilon() == 1.5
    assert Loss.from_pure(1.5).epsilon(1e-6) <= 1.5


def test_slack_is_paid_out_of_delta() -> None:
    loss = Loss(pure=1.0, renyi=(math.inf,) * len(ORDERS), slack=1e-6)
    assert loss.epsilon(1e-7) == math.inf
    assert loss.epsilon(1e-6) == 1.0
    assert loss.epsilon(1e-5) == 1.0


def test_slack_never_exceeds_one() -> None:
    half = Loss(slack=0.6)
    assert (half + half).slack == 1.0
    assert (half * 2).slack == 1.0


def test_unbounded_loss_has_no_epsilon() -> None:
    assert Loss.unbounded().epsilon(0.1) == math.inf


def test_many_small_pure_losses_compose_below_their_sum() -> None:
    # Advanced composition through the Rényi curve: this is why the curve is kept.
    total = Loss.from_pure(0.01) * 1000
    assert total.pure == pytest.approx(10)
    assert total.epsilon(1e-6) < 2.0


def test_renyi_conversion_agrees_with_the_formula() -> None:
    # min over orders of rho*a + ln(1 - 1/a) - (ln delta + ln a) / (a - 1)
    rho, delta = 0.02, 1e-5
    loss = Loss(pure=math.inf, renyi=tuple(a * rho for a in ORDERS))
    wanted = min(
        a * rho + math.log((a - 1) / a) - (math.log(delta) + math.log(a)) / (a - 1)
        for a in ORDERS
    )
    assert loss.epsilon(delta) == pytest.approx(wanted, rel=1e-12)
