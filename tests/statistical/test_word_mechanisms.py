"""Draws of the word mechanisms follow their channel, and a wrong law is rejected."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import chisquare, gamma, kstest

from publius.core.arrays import UNKNOWN, FloatArray
from publius.core.mechanism import Finite
from publius.core.metric import Euclidean
from publius.core.rng import seeded
from publius.core.space import PointSpace
from publius.mechanisms.custext import CusText, Groups
from publius.mechanisms.exponential import Exponential
from publius.mechanisms.graded import Graded
from publius.mechanisms.mahalanobis import Ellipse, Mahalanobis
from publius.mechanisms.projection import ProjectedLaplace, Projection
from publius.mechanisms.remap import Remapped, RemapTable
from publius.mechanisms.santext import SanText
from publius.mechanisms.santext_plus import SanTextPlus

ALPHA = 1e-9
DRAWS = 400_000
SPACE = PointSpace(seeded(3).standard_normal((16, 2)), Euclidean())
SENSITIVE = np.arange(16) >= 6
NEAR = np.argsort(SPACE.rows(np.arange(16)), axis=1)[:, 1:4]

LAWS: dict[str, Callable[[float], Finite]] = {
    "santext": lambda e: SanText.of(SPACE, e),
    "santext-plus": lambda e: SanTextPlus.of(SPACE, e, SENSITIVE, 0.3),
    "santext-plus coin": lambda e: SanTextPlus.of(SPACE, 2.0, SENSITIVE, e / 10),
    "custext": lambda e: CusText(SPACE, e, Groups.greedy(SPACE, 4)),
    "graded": lambda e: Graded.of(
        [Exponential.with_beta(SPACE, beta) for beta in (1.0, e)], np.arange(16) % 2
    ),
    "remap": lambda e: Remapped(
        Exponential.with_beta(SPACE, 4.0), RemapTable.by_rank(NEAR, e)
    ),
}


def _p_value(counts: np.ndarray, log_prob: FloatArray) -> float:
    """Test counts of outputs against a law; unlikely outputs share one bin."""
    prob = np.exp(log_prob)
    rare = prob * counts.sum() < 5
    if counts[prob == 0].any():
        return 0.0
    bins = np.append(counts[~rare], counts[rare].sum())
    expected = np.append(prob[~rare], prob[rare].sum()) * counts.sum()
    used = expected > 0
    return float(chisquare(bins[used], expected[used]).pvalue)


@pytest.mark.statistical
@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("word", [3, 9, UNKNOWN])
def test_draws_follow_the_channel(name: str, word: int, seed: int) -> None:
    law = LAWS[name](3.0)
    drawn = law.perturb(np.full(DRAWS, word), seeded(1000 * seed + word + 1))
    counts = np.bincount(drawn, minlength=16)
    assert _p_value(counts, law.channel(np.array([word]))[0]) > ALPHA


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("santext", 3),
        ("santext-plus", 9),
        ("santext-plus coin", 3),
        ("custext", 3),
        ("graded", 3),
        ("remap", 3),
    ],
)
def test_a_parameter_five_percent_off_is_rejected(
    name: str, word: int, seed: int
) -> None:
    drawn = LAWS[name](3.0).perturb(np.full(DRAWS, word), seeded(seed))
    wrong = LAWS[name](3.15).channel(np.array([word]))[0]
    assert _p_value(np.bincount(drawn, minlength=16), wrong) < ALPHA


@pytest.mark.statistical
@pytest.mark.parametrize("dim", [1, 3, 20])
def test_whitened_radius_of_mahalanobis_is_gamma(dim: int, seed: int) -> None:
    rng = np.random.default_rng([seed, dim])
    ellipse = Ellipse.of(rng.standard_normal((200, dim)) * np.arange(1, dim + 1), 0.7)
    drawn = Mahalanobis(2.0, ellipse).perturb(np.zeros((200_000, dim)), rng)
    radius = np.linalg.norm(drawn @ ellipse.inverse, axis=1)
    assert kstest(radius, gamma(dim, scale=0.5).cdf).pvalue > ALPHA
    assert kstest(radius, gamma(dim, scale=0.525).cdf).pvalue < ALPHA


@pytest.mark.statistical
def test_mahalanobis_noise_has_the_covariance_of_its_shape(seed: int) -> None:
    rng = np.random.default_rng([seed, 7])
    ellipse = Ellipse.of(rng.standard_normal((500, 3)) * np.array([3.0, 1.0, 0.3]), 0.9)
    drawn = Mahalanobis(1.0, ellipse).perturb(np.zeros((400_000, 3)), rng)
    # E[r^2] / dim = dim + 1 for a Gamma(dim, 1) radius.
    wanted = 4.0 * ellipse.root @ ellipse.root
    np.testing.assert_allclose(np.cov(drawn, rowvar=False), wanted, atol=0.15)
    assert np.abs(np.cov(drawn, rowvar=False) - 4.0 * np.eye(3)).max() > 1.0


@pytest.mark.statistical
def test_projected_radius_is_gamma_of_the_smaller_dimension(seed: int) -> None:
    rng = np.random.default_rng([seed, 8])
    public = Projection.random(30, 5)
    x = np.repeat(rng.standard_normal((1, 30)), 200_000, axis=0)
    drawn = ProjectedLaplace(2.0, public).perturb(x, rng)
    radius = np.linalg.norm(drawn - public(x), axis=1)
    assert kstest(radius, gamma(5, scale=0.5).cdf).pvalue > ALPHA
    assert kstest(radius, gamma(5, scale=0.525).cdf).pvalue < ALPHA
