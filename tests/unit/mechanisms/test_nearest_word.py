"""Noise read back as the nearest word."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from publius.core.arrays import UNKNOWN
from publius.core.errors import DataError
from publius.core.metric import Euclidean
from publius.core.rng import seeded
from publius.mechanisms import nearest_word
from publius.mechanisms.laplace import Laplace
from publius.mechanisms.nearest_word import NearestWord

VECTORS = np.random.default_rng(0).normal(size=(50, 3)).astype(np.float32)


@dataclass
class Index:
    """Finds the nearest row, and remembers what it saw."""

    vectors: Any

    def __post_init__(self) -> None:
        self.seen: list[Any] = []

    def nearest(self, points: Any) -> Any:
        self.seen.append(points)
        return Euclidean().pairwise(points, self.vectors).argmin(axis=1)


def made(epsilon: float = 5.0) -> NearestWord:
    return NearestWord(Laplace(epsilon, 3), VECTORS, Index(VECTORS), "f")


def test_name_is_that_of_the_noise() -> None:
    assert (made().name, made().size) == ("laplace.v2", 50)


@pytest.mark.parametrize("vectors", [np.zeros(3), np.zeros((0, 3))])
def test_vectors_must_be_a_matrix(vectors: Any) -> None:
    with pytest.raises(DataError, match="vectors must be a matrix"):
        NearestWord(Laplace(1.0, 3), vectors, Index(vectors))


@pytest.mark.parametrize("shape", [(0,), (6,), (2, 3)])
def test_shape_in_is_shape_out(shape: tuple[int, ...]) -> None:
    ids = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    drawn = made().perturb(ids, seeded(0))
    assert drawn.shape == shape
    assert drawn.dtype == np.int64


def test_hardly_any_noise_returns_the_word() -> None:
    ids = np.arange(50)
    np.testing.assert_array_equal(made(1e9).perturb(ids, seeded(0)), ids)


def test_unknown_words_start_from_the_centre() -> None:
    quiet = made(1e9)
    quiet.perturb([UNKNOWN, UNKNOWN], seeded(0))
    wanted = np.tile(VECTORS.mean(axis=0, dtype=np.float64), (2, 1))
    np.testing.assert_allclose(quiet.index.seen[0], wanted, atol=1e-6)  # type: ignore[attr-defined]


def test_the_index_never_sees_a_vector_without_noise() -> None:
    loud = made(2.0)
    loud.perturb(np.tile(np.arange(50), 4), seeded(0))
    seen = np.concatenate(loud.index.seen)  # type: ignore[attr-defined]
    assert (np.linalg.norm(seen - np.tile(VECTORS, (4, 1)), axis=1) > 0).all()


def test_memory_is_bounded_by_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest_word, "CHUNK", 8)
    parts = made()
    drawn = parts.perturb(np.arange(20), seeded(0))
    assert [len(seen) for seen in parts.index.seen] == [8, 8, 4]  # type: ignore[attr-defined]
    assert drawn.shape == (20,)


@pytest.mark.parametrize("ids", [[50], [-2], [0.0]])
def test_bad_ids_are_refused(ids: Any) -> None:
    with pytest.raises(DataError, match="ids must"):
        made().perturb(ids, seeded(0))


def test_guarantee_bounds_every_pair_and_the_unknown_word() -> None:
    guarantee = made(2.0).guarantee()
    distance = Euclidean().pairwise(VECTORS, VECTORS)
    assert guarantee.metric == "euclidean@f"
    assert guarantee.landmarks.diameter >= distance.max()
    assert guarantee.at(1.5).pure == pytest.approx(3.0)
    radius = np.linalg.norm(VECTORS - VECTORS.mean(axis=0, dtype=np.float64), axis=1)
    assert guarantee.landmarks.unknown_loss == pytest.approx(2 * radius.max())
    assert guarantee.landmarks.near == pytest.approx(
        np.median(np.sort(distance)[:, 10])
    )
    assert "multiples of 2^" in guarantee.scope.assumptions[0]
    assert "position" in guarantee.scope.covered[0]
