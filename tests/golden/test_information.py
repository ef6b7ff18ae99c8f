"""Values from 50-digit arithmetic; the formula stands beside each."""

import numpy as np
import pytest

from publius.core.arrays import FloatArray
from publius.information import Channel, distance_gain

PRIOR = np.arange(1, 6) / 15


def circle(size: int, epsilon: float) -> tuple[Channel, FloatArray]:
    """The discrete circular Laplace law, p proportional to exp(-epsilon * steps)."""
    step = np.abs(np.arange(size)[:, None] - np.arange(size)[None])
    step = np.minimum(step, size - step)
    weight = np.exp(-epsilon * step)
    return Channel(weight / weight.sum(axis=1, keepdims=True)), step


def test_capacity_of_an_exponential_mechanism() -> None:
    # sum_y max_x C, C proportional to exp(epsilon * rho / (2 * range)).
    rho = np.array([[1.0, 0.6, 0.2], [0.6, 1.0, 0.5], [0.2, 0.5, 1.0]])
    weight = np.exp(3.0 * rho / (2 * 0.8))
    channel = Channel(weight / weight.sum(axis=1, keepdims=True))
    assert channel.bayes_capacity() == pytest.approx(1.745582720564017347, rel=1e-14)


def test_bayes_leakage_of_the_circle() -> None:
    # V[prior > C] = sum_y max_x prior_x C_xy, and over V[prior] = 5/15.
    channel, _ = circle(5, 1.0)
    after = channel.posterior_vulnerability(PRIOR)
    assert after == pytest.approx(0.526288035867336993, rel=1e-14)
    assert channel.leakage(PRIOR) == pytest.approx(1.578864107602010979, rel=1e-14)
    # Capacity N * p_0.
    assert channel.bayes_capacity() == pytest.approx(2.491988942322512621, rel=1e-14)


def test_gain_by_distance_on_the_circle() -> None:
    # g(w, x) = 1 - steps / 2.
    channel, step = circle(5, 1.0)
    gain = distance_gain(step)
    before = channel.prior_vulnerability(PRIOR, gain)
    after = channel.posterior_vulnerability(PRIOR, gain)
    assert before == pytest.approx(0.533333333333333333, rel=1e-14)
    assert after == pytest.approx(0.692463299522742719, rel=1e-14)


def test_the_circle_is_private_at_its_own_epsilon() -> None:
    channel, step = circle(5, 1.0)
    assert channel.metric_epsilon(step.astype(float)) == pytest.approx(1.0, rel=1e-13)
