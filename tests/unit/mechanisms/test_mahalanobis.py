"""Elliptical noise: the shape, both norms, and the loss that they guarantee."""

import math

import numpy as np
import pytest

from publius.core.errors import DataError, ParameterError
from publius.core.metric import Euclidean
from publius.core.rng import seeded
from publius.mechanisms.laplace import Laplace
from publius.mechanisms.mahalanobis import Ellipse, Mahalanobis, MahalanobisMetric

VECTORS = seeded(5).standard_normal((400, 4)) * np.array([3.0, 1.0, 1.0, 0.2])


def test_shape_mixes_covariance_of_mean_variance_one_with_the_identity() -> None:
    covariance = np.cov(VECTORS, rowvar=False, bias=True)
    wanted = 0.3 * covariance / (np.trace(covariance) / 4) + 0.7 * np.eye(4)
    root = Ellipse.of(VECTORS, 0.3).root
    np.testing.assert_allclose(root @ root, wanted, atol=1e-12)


def test_without_covariance_it_is_laplace() -> None:
    noise = Mahalanobis(2.0, Ellipse.of(VECTORS, 0.0))
    x = np.zeros((50, 4))
    drawn = noise.perturb(x, seeded(1))
    np.testing.assert_allclose(drawn, Laplace(2.0, 4).perturb(x, seeded(1)), atol=1e-12)


@pytest.mark.parametrize("norm", ["mahalanobis", "euclidean"])
def test_log_ratio_stays_within_the_guarantee(norm: str) -> None:
    ellipse = Ellipse.of(VECTORS, 0.9)
    noise = Mahalanobis(1.5, ellipse, norm)
    x, y = VECTORS[:100], VECTORS[100:200]
    z = noise.perturb(x, seeded(2))
    metric = MahalanobisMetric(ellipse) if norm == "mahalanobis" else Euclidean()
    distance = metric.distance(x, y)
    ratio = np.abs(noise.log_prob(z, x) - noise.log_prob(z, y))
    guaranteed = [noise.guarantee().at(float(d)).pure for d in distance]
    assert (ratio <= np.array(guaranteed) + 1e-9).all()


def test_the_euclidean_guarantee_is_attained_in_the_narrowest_direction() -> None:
    ellipse = Ellipse.of(VECTORS, 0.9)
    noise = Mahalanobis.for_euclidean(2.0, ellipse)
    widths, axes = np.linalg.eigh(ellipse.root)
    x, y = np.zeros((1, 4)), axes[:, :1].T
    loss = noise.log_prob(x, x) - noise.log_prob(x, y)
    assert loss[0] == pytest.approx(2.0, rel=1e-9)
    assert noise.guarantee().at(1.0).pure == pytest.approx(2.0)
    assert noise.epsilon == pytest.approx(2.0 * widths[0])


def test_both_norms_are_stated() -> None:
    noise = Mahalanobis(1.0, Ellipse.of(VECTORS, 0.9))
    said = " ".join(noise.guarantee().scope.assumptions)
    assert "Mahalanobis norm" in said
    assert "Euclidean norm" in said
    assert noise.guarantee().metric == "mahalanobis:mix=0.9"


def test_density_integrates_to_one() -> None:
    noise = Mahalanobis(2.0, Ellipse.of(VECTORS[:, :2], 0.8))
    grid = np.linspace(-9, 9, 601)
    z = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
    density = np.exp(noise.log_prob(z, np.zeros_like(z)))
    assert density.sum() * (grid[1] - grid[0]) ** 2 == pytest.approx(1.0, abs=2e-3)


def test_expected_displacement_is_bounded() -> None:
    noise = Mahalanobis(1.0, Ellipse.of(VECTORS, 0.9))
    drawn = noise.perturb(np.zeros((20_000, 4)), seeded(3))
    mean = float(np.linalg.norm(drawn, axis=1).mean())
    assert 0.7 * noise.mean_displacement() < mean < noise.mean_displacement() * 1.01


@pytest.mark.parametrize("mix", [-0.1, 1.1, math.nan])
def test_bad_mix_is_refused(mix: float) -> None:
    with pytest.raises(ParameterError, match="mix"):
        Ellipse.of(VECTORS, mix)


def test_vectors_without_spread_are_refused() -> None:
    with pytest.raises(DataError, match="same"):
        Ellipse.of(np.ones((5, 3)), 0.5)
    flat = np.zeros((5, 2))
    flat[:, 0] = np.arange(5)
    with pytest.raises(DataError, match="smaller mix"):
        Ellipse.of(flat, 1.0)


@pytest.mark.parametrize(
    "root", [np.ones((2, 3)), np.array([[1.0, 2.0], [0.0, 1.0]]), np.eye(2) * np.nan]
)
def test_bad_root_is_refused(root: np.ndarray) -> None:
    with pytest.raises(DataError, match="root"):
        Ellipse(root, 0.5)


def test_bad_parameters_are_refused() -> None:
    ellipse = Ellipse.of(VECTORS, 0.5)
    with pytest.raises(ParameterError, match="epsilon"):
        Mahalanobis(math.nan, ellipse)
    with pytest.raises(ParameterError, match="norm"):
        Mahalanobis(1.0, ellipse, "manhattan")
    with pytest.raises(DataError, match="shape"):
        Mahalanobis(1.0, ellipse).perturb(np.zeros((2, 3)), seeded(0))
