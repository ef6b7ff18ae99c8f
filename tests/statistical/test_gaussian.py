"""The draws of the Gaussian mechanism follow their law, and no other."""

import numpy as np
import pytest
from scipy.stats import chi2, kstest, norm

from publius.core.rng import seeded
from publius.mechanisms.gaussian import Gaussian, contract

ALPHA = 1e-9
ROWS = 100_000

pytestmark = pytest.mark.statistical


@pytest.mark.parametrize("dim", [1, 2, 32])
@pytest.mark.parametrize("sigma", [0.1, 10.0])
def test_the_distance_to_the_contracted_mean_is_chi(
    dim: int, sigma: float, seed: int
) -> None:
    x = np.full((ROWS, dim), 0.7)
    away = Gaussian(sigma, dim).perturb(x, seeded(seed)) - contract(x, 3.0)
    square = (away**2).sum(axis=1)
    assert kstest(square, chi2(dim, scale=sigma**2).cdf).pvalue > ALPHA
    assert kstest(square, chi2(dim, scale=(0.97 * sigma) ** 2).cdf).pvalue < ALPHA


def test_every_coordinate_has_its_own_noise(seed: int) -> None:
    drawn = Gaussian(1.0, 4).perturb(np.zeros((ROWS, 4)), seeded(seed))
    sums = drawn @ np.array([0.5, 0.5, 0.5, 0.5])
    assert kstest(sums, norm().cdf).pvalue > ALPHA
    shared = np.repeat(drawn[:, :1], 4, axis=1) @ np.array([0.5, 0.5, 0.5, 0.5])
    assert kstest(shared, norm().cdf).pvalue < ALPHA
