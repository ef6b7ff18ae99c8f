"""Laplace noise has a Gamma radius and a uniform direction."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import beta, gamma, kstest, norm

from publius.core.rng import seeded
from publius.mechanisms.laplace import Laplace

ALPHA = 1e-9
DRAWS = 100_000
EPSILON = 2.0

pytestmark = pytest.mark.statistical


def noise(dim: int, seed: int) -> Any:
    x = np.full((DRAWS, dim), 0.7)
    return Laplace(EPSILON, dim).perturb(x, seeded(100 * dim + seed)) - x


@pytest.mark.parametrize("dim", [1, 2, 5, 50])
def test_radius_is_gamma(dim: int, seed: int) -> None:
    radius = np.linalg.norm(noise(dim, seed), axis=1)
    assert kstest(radius, gamma(dim, scale=1 / EPSILON).cdf).pvalue > ALPHA
    wrong = gamma(dim, scale=1.05 / EPSILON)  # 5 % off is rejected
    assert kstest(radius, wrong.cdf).pvalue < ALPHA
    half = gamma(dim, scale=0.5 / EPSILON)  # so is half the noise
    assert kstest(radius, half.cdf).pvalue < ALPHA


@pytest.mark.parametrize("dim", [2, 5, 50])
def test_direction_is_uniform(dim: int, seed: int) -> None:
    # Along any fixed axis a, (1 + u.a) / 2 is Beta((dim-1)/2, (dim-1)/2).
    moved = noise(dim, seed)
    unit = moved / np.linalg.norm(moved, axis=1, keepdims=True)
    axis = np.arange(1.0, dim + 1)
    axis /= np.linalg.norm(axis)
    law = beta((dim - 1) / 2, (dim - 1) / 2)
    assert kstest((1 + unit @ axis) / 2, law.cdf).pvalue > ALPHA
    stretched = moved * np.where(np.arange(dim) == dim - 1, 1.1, 1.0)
    stretched /= np.linalg.norm(stretched, axis=1, keepdims=True)
    assert kstest((1 + stretched[:, -1]) / 2, law.cdf).pvalue < ALPHA


def test_one_dimension_takes_both_signs_alike(seed: int) -> None:
    up = int((noise(1, seed)[:, 0] > 0).sum())
    deviation = abs(up - DRAWS / 2) / np.sqrt(DRAWS / 4)
    assert 2 * norm.sf(deviation) > ALPHA
    skewed = abs(1.05 * up - DRAWS / 2) / np.sqrt(DRAWS / 4)
    assert 2 * norm.sf(skewed) < ALPHA


@pytest.mark.parametrize("dim", [2, 20])
def test_radius_and_direction_are_independent(dim: int, seed: int) -> None:
    moved = noise(dim, seed)
    radius = np.linalg.norm(moved, axis=1)
    far = radius > np.median(radius)
    cosine = (1 + moved[:, 0] / radius) / 2
    law = beta((dim - 1) / 2, (dim - 1) / 2)
    assert kstest(cosine[far], law.cdf).pvalue > ALPHA
    assert kstest(cosine[~far], law.cdf).pvalue > ALPHA
    bent = np.where(radius > np.quantile(radius, 0.8), np.abs(2 * cosine - 1), cosine)
    assert kstest(bent[far], law.cdf).pvalue < ALPHA
