"""Composition laws of losses."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from publius.core.loss import ORDERS, Loss

VALUES = st.one_of(st.floats(0, 1e6), st.just(math.inf))
PURE = st.floats(0, 50).map(Loss.from_pure)
LOSSES = st.one_of(
    PURE,
    st.just(Loss.unbounded()),
    st.builds(
        Loss,
        pure=VALUES,
        renyi=st.lists(VALUES, min_size=len(ORDERS), max_size=len(ORDERS)).map(tuple),
        slack=st.floats(0, 1),
    ),
)


def alike(a: Loss, b: Loss) -> bool:
    return (a.pure, *a.renyi, a.slack) == pytest.approx(
        (b.pure, *b.renyi, b.slack), rel=1e-12, abs=1e-300
    )


@given(LOSSES, LOSSES, LOSSES)
def test_composition_is_a_commutative_monoid(a: Loss, b: Loss, c: Loss) -> None:
    assert a + b == b + a
    assert alike((a + b) + c, a + (b + c))
    assert a + Loss() == a


@given(LOSSES, st.integers(0, 20))
def test_repeating_equals_listing(loss: Loss, count: int) -> None:
    listed = sum([loss] * count, Loss())
    assert alike(loss * count, listed)
    assert alike(count * loss, listed)


@given(LOSSES, st.integers(0, 9), st.integers(0, 9))
def test_repetitions_add(loss: Loss, m: int, n: int) -> None:
    assert alike(loss * (m + n), loss * m + loss * n)


@given(LOSSES, LOSSES, st.floats(0, 0.99))
def test_more_releases_never_cost_less(a: Loss, b: Loss, delta: float) -> None:
    assert (a + b).epsilon(delta) >= a.epsilon(delta) * (1 - 1e-12)


@given(LOSSES, st.floats(0, 0.99), st.floats(0, 0.99))
def test_epsilon_falls_with_delta(loss: Loss, a: float, b: float) -> None:
    low, high = sorted((a, b))
    assert loss.epsilon(high) <= loss.epsilon(low)


@given(st.floats(0, 50))
def test_pure_curve_is_below_pure_and_grows_with_the_order(epsilon: float) -> None:
    curve = Loss.from_pure(epsilon).renyi
    assert all(value <= epsilon for value in curve)
    assert list(curve) == sorted(curve)


def randomised_response(epsilon: float, order: float) -> float:
    """Return the Rényi divergence of (p, 1-p) from (1-p, p), a worst pure pair."""
    yes, no = -math.log1p(math.exp(-epsilon)), -math.log1p(math.exp(epsilon))
    both = order * yes + (1 - order) * no, order * no + (1 - order) * yes
    return float(np.logaddexp(*both)) / (order - 1)


@given(st.floats(0.01, 8), st.sampled_from(ORDERS))
def test_pure_curve_bounds_randomised_response(epsilon: float, order: float) -> None:
    bound = Loss.from_pure(epsilon).renyi[ORDERS.index(order)]
    assert randomised_response(epsilon, order) <= bound * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("order", ORDERS)
def test_no_smaller_curve_would_hold(order: float) -> None:
    bound = Loss.from_pure(0.001).renyi[ORDERS.index(order)]
    assert randomised_response(0.001, order) > 0.98 * bound
