"""Hyperbolic draws follow the stated laws, no others; guarantees survive a search."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta, gamma, kstest, uniform

from publius.core.metric import Hyperbolic
from publius.core.rng import seeded
from publius.core.space import PointSpace
from publius.embeddings.poincare import HyperbolicNearest
from publius.mechanisms.exponential import Exponential
from publius.mechanisms.nearest_word import NearestWord
from publius.mechanisms.riemannian_laplace import RiemannianLaplace
from publius.mechanisms.tangent_laplace import TangentLaplace
from publius.numerics.geometry import lorentz, poincare

ALPHA = 1e-9
ROWS = 100_000

pytestmark = pytest.mark.statistical


def secret(dim: int, radius: float) -> Any:
    """Return equal rows at a distance from the origin."""
    return poincare.exp0(np.full((ROWS, dim), radius / math.sqrt(dim)))


@pytest.mark.parametrize(
    ("epsilon", "dim", "radius"),
    [(0.4, 1, 2.0), (1.5, 2, 0.0), (3.0, 2, 4.0), (6.0, 5, 3.0), (120.0, 100, 1.0)],
)
def test_riemannian_radius_is_beta(
    epsilon: float, dim: int, radius: float, seed: int
) -> None:
    x = secret(dim, radius)
    z = RiemannianLaplace(epsilon, dim).perturb(x, seeded(seed))
    found = lorentz.distance(z, poincare.log0(x))
    shape = (epsilon - dim + 1) / 2
    assert kstest(-np.expm1(-2 * found), beta(dim, shape).cdf).pvalue > ALPHA
    wrong = RiemannianLaplace(epsilon + 0.06 * (epsilon - dim + 1), dim)
    assert kstest(found, wrong.radius_cdf).pvalue < ALPHA


@pytest.mark.parametrize(("epsilon", "dim"), [(1.5, 2), (6.0, 5)])
def test_riemannian_directions_are_uniform_about_the_secret(
    epsilon: float, dim: int, seed: int
) -> None:
    x = secret(dim, 1.5)
    z = RiemannianLaplace(epsilon, dim).perturb(x, seeded(seed))
    # Carried back to the origin, the step points anywhere with equal density.
    step = lorentz.translated(-poincare.log0(x), z)
    along = step[:, 0] / np.linalg.norm(step, axis=1)
    half = (dim - 1) / 2
    assert kstest((along + 1) / 2, beta(half, half).cdf).pvalue > ALPHA
    # Without the translation the secret shows.
    away = z[:, 0] / np.linalg.norm(z, axis=1)
    assert kstest((away + 1) / 2, beta(half, half).cdf).pvalue < ALPHA


@pytest.mark.parametrize(("epsilon", "dim"), [(0.3, 1), (2.0, 2), (5.0, 50)])
def test_tangent_radius_is_gamma(epsilon: float, dim: int, seed: int) -> None:
    x = secret(dim, 2.5)
    z = TangentLaplace(epsilon, dim).perturb(x, seeded(seed))
    found = np.linalg.norm(z - poincare.log0(x), axis=1)
    assert kstest(found, gamma(dim, scale=1 / epsilon).cdf).pvalue > ALPHA
    assert kstest(found, gamma(dim, scale=1.05 / epsilon).cdf).pvalue < ALPHA


def words() -> Any:
    """Return a small tree in the plane, two words almost equal."""
    angle = np.linspace(0, 2 * np.pi, 9)[:-1]
    leaves = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    tangent = np.concatenate([[[0.0, 0.0]], 0.8 * leaves[::2], 2 * leaves])
    tangent[-1] = tangent[-2] * 1.01
    return poincare.exp0(tangent)


@pytest.mark.parametrize("law", [TangentLaplace(1.5, 2), RiemannianLaplace(1.5, 2)])
def test_released_words_keep_the_guarantee(
    law: TangentLaplace | RiemannianLaplace, seed: int
) -> None:
    vectors = words()
    mechanism = NearestWord(law, vectors, HyperbolicNearest(vectors), "f", Hyperbolic())
    rng, size = seeded(seed), len(vectors)
    counts = np.stack(
        [
            np.bincount(mechanism.perturb(np.full(ROWS, word), rng), minlength=size)
            for word in range(size)
        ]
    )
    distance = Hyperbolic().pairwise(vectors, vectors)
    # Six deviations of both counts: one false alarm in about a billion comparisons.
    low = np.log(np.maximum(counts - 6 * np.sqrt(counts) - 20, 1e-9))
    high = np.log(counts + 6 * np.sqrt(counts) + 20)
    excess = low[:, None, :] - high[None, :, :] - 1.5 * distance[:, :, None]
    assert (excess <= 0).all()
    # A claim of a third of the loss is refuted by the same comparison.
    assert (low[:, None] - high[None] - 0.5 * distance[:, :, None] > 0).any()


def test_exponential_draws_follow_its_channel(seed: int) -> None:
    mechanism = Exponential.calibrated(PointSpace(words(), Hyperbolic()), 2.0)
    drawn = mechanism.perturb(np.full(ROWS, 3), seeded(seed))
    share = np.exp(mechanism.channel(np.array([3])))[0]
    place = np.cumsum(share)[drawn] - share[drawn] * seeded(seed + 1).random(ROWS)
    assert kstest(place, uniform.cdf).pvalue > ALPHA
    other = np.exp(mechanism.channel(np.array([4])))[0]
    wrong = np.cumsum(other)[drawn] - other[drawn] * seeded(seed + 1).random(ROWS)
    assert kstest(wrong, uniform.cdf).pvalue < ALPHA
