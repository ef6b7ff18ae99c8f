import math

import numpy as np
import pytest

from publius.core.errors import DataError
from publius.numerics.geometry.axial import AngleLaw, log_sine_ratio, peaked


@pytest.fixture
def exponential() -> AngleLaw:
    return peaked(lambda angle: -3.0 * angle, 0.0)


def test_exponential_law_is_exact(exponential: AngleLaw) -> None:
    at = np.array([1e-12, 0.1, 1.0, 3.0])
    expected = np.expm1(-3 * at) / math.expm1(-3 * math.pi)
    assert exponential.cdf(at) == pytest.approx(expected, rel=1e-13)
    assert exponential.log_total == pytest.approx(
        math.log(-math.expm1(-3 * math.pi) / 3), rel=1e-14
    )


def test_far_tail_keeps_its_digits() -> None:
    law = peaked(lambda angle: -200.0 * angle, 0.0)
    tail = law.sf(np.array([3.0]))[0]
    expected = math.exp(-600) * -math.expm1(-200 * (math.pi - 3))
    assert tail == pytest.approx(expected, rel=1e-11)
    assert law.cdf(np.array([3.0]))[0] == 1


def test_quantile_inverts_the_distribution(exponential: AngleLaw) -> None:
    share = np.array([0.0, 1e-15, 0.2, 0.5, 0.999, 1.0])
    assert exponential.cdf(exponential.ppf(share)) == pytest.approx(share, rel=1e-13)
    assert exponential.ppf(np.array(1.0)) == pytest.approx(math.pi, rel=1e-12)


def test_shape_is_kept(exponential: AngleLaw) -> None:
    assert exponential.cdf(np.zeros((2, 3))).shape == (2, 3)
    assert exponential.ppf(np.zeros((0,))).shape == (0,)
    assert exponential.cdf(np.float64(1.0)).shape == ()


def test_angles_beyond_the_ends_are_clipped(exponential: AngleLaw) -> None:
    assert exponential.cdf(np.array([-1.0, 9.0])).tolist() == [0.0, 1.0]


def test_nan_and_impossible_probabilities_are_refused(exponential: AngleLaw) -> None:
    with pytest.raises(DataError, match="NaN"):
        exponential.cdf(np.array([math.nan]))
    with pytest.raises(DataError, match="probabilities"):
        exponential.ppf(np.array([-0.1]))


def test_flat_density_is_uniform() -> None:
    law = peaked(np.zeros_like, math.pi / 2)
    assert law.expect(lambda angle: angle) == pytest.approx(math.pi / 2, rel=1e-15)
    assert law.cdf(np.array([1.0]))[0] == pytest.approx(1 / math.pi, rel=1e-15)


def test_sine_ratio_keeps_digits_near_the_anchor() -> None:
    near = log_sine_ratio(np.array([1e-3 * (1 + 1e-9)]), 1e-3)[0]
    assert near == pytest.approx(1e-9, rel=1e-5)
    far = log_sine_ratio(np.array([1e-200]), 1.0)[0]
    assert far == pytest.approx(math.log(1e-200 / math.sin(1.0)), rel=1e-14)
