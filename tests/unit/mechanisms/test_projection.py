"""A public projection never lengthens a vector: its guarantee holds in both spaces."""

import numpy as np
import pytest

from publius.core.errors import DataError, ParameterError
from publius.core.rng import seeded
from publius.mechanisms.projection import (
    ProjectedLaplace,
    ProjectedMetric,
    Projection,
)

POINTS = seeded(8).standard_normal((200, 12))


def test_rows_are_orthonormal_and_the_same_every_time() -> None:
    public = Projection.random(12, 5)
    np.testing.assert_allclose(public.matrix @ public.matrix.T, np.eye(5), atol=1e-12)
    np.testing.assert_array_equal(public.matrix, Projection.random(12, 5).matrix)
    assert public.stretch == pytest.approx(1.0, abs=1e-8)
    assert public.stretch >= 1.0


def test_all_dimensions_keep_every_distance() -> None:
    metric = ProjectedMetric(Projection.random(12, 12))
    straight = np.linalg.norm(POINTS[:100] - POINTS[100:], axis=1)
    np.testing.assert_allclose(metric.distance(POINTS[:100], POINTS[100:]), straight)
    assert metric.pairwise(POINTS[:3], POINTS).shape == (3, 200)


def test_projected_distances_are_shorter_by_the_root_of_the_share() -> None:
    metric = ProjectedMetric(Projection.random(12, 3))
    straight = np.linalg.norm(POINTS[:100] - POINTS[100:], axis=1)
    ratio = metric.distance(POINTS[:100], POINTS[100:]) / straight
    assert ratio.max() <= 1 + 1e-12
    assert np.sqrt((ratio**2).mean()) == pytest.approx(np.sqrt(3 / 12), abs=0.06)


@pytest.mark.parametrize("is_euclidean", [True, False])
def test_log_ratio_stays_within_the_guarantee(*, is_euclidean: bool) -> None:
    matrix = seeded(4).standard_normal((3, 12))
    public = Projection(matrix)
    noise = ProjectedLaplace(0.7, public, is_euclidean=is_euclidean)
    x, y = POINTS[:100], POINTS[100:]
    z = noise.perturb(x, seeded(5))
    assert z.shape == (100, 3)
    straight = np.linalg.norm(x - y, axis=1)
    distance = straight if is_euclidean else ProjectedMetric(public).distance(x, y)
    guaranteed = [noise.guarantee().at(float(d)).pure for d in distance]
    ratio = np.abs(noise.log_prob(z, x) - noise.log_prob(z, y))
    assert (ratio <= np.array(guaranteed) + 1e-9).all()


def test_euclidean_guarantee_is_attained_in_the_most_stretched_direction() -> None:
    public = Projection(seeded(4).standard_normal((3, 12)))
    noise = ProjectedLaplace.for_euclidean(2.0, public)
    direction = np.linalg.svd(public.matrix)[2][:1]
    x = np.zeros((1, 12))
    loss = noise.log_prob(public(x), x) - noise.log_prob(public(x), direction)
    assert loss[0] == pytest.approx(2.0, rel=1e-6)
    assert noise.guarantee().metric == "euclidean"


def test_words_that_differ_in_dropped_directions_only_lose_nothing() -> None:
    public = Projection(np.eye(2, 3))
    noise = ProjectedLaplace(1.0, public)
    x, y = np.array([[1.0, 2.0, 0.0]]), np.array([[1.0, 2.0, 9.0]])
    assert ProjectedMetric(public).distance(x, y)[0] == 0
    np.testing.assert_array_equal(
        noise.log_prob(x[:, :2], x), noise.log_prob(x[:, :2], y)
    )


@pytest.mark.parametrize("target", [0, 13, 2.5])
def test_bad_target_is_refused(target: int) -> None:
    with pytest.raises(ParameterError, match="target"):
        Projection.random(12, target)


@pytest.mark.parametrize(
    "matrix", [np.ones((3, 2)), np.zeros((2, 3)), np.full((2, 3), np.nan), np.ones(3)]
)
def test_bad_matrix_is_refused(matrix: np.ndarray) -> None:
    with pytest.raises(DataError, match="projection"):
        Projection(matrix)


def test_bad_epsilon_is_refused() -> None:
    with pytest.raises(ParameterError, match="epsilon"):
        ProjectedLaplace(0.0, Projection.random(3, 2))
