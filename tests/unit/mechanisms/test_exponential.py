"""The exponential mechanism at its edges."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from publius.core.arrays import UNKNOWN
from publius.core.errors import DataError, ParameterError
from publius.core.guarantee import Linear, Unit
from publius.core.mechanism import Finite
from publius.core.metric import Euclidean
from publius.core.rng import seeded
from publius.core.space import HopSpace, PointSpace
from publius.mechanisms.exponential import Exponential

SIZE = 40


def points() -> PointSpace:
    vectors = np.random.default_rng(0).normal(size=(SIZE, 3))
    vectors[7] = vectors[3]
    return PointSpace(vectors, Euclidean())


def hops() -> HopSpace:
    matrix = np.roll(np.eye(SIZE, dtype=np.float32), 1, axis=1)
    matrix[0, 20] = 1
    return HopSpace(sp.csr_array(np.maximum(matrix, matrix.T)), 4, 2, "f")


both = pytest.mark.parametrize("space", [points(), hops()], ids=["points", "hops"])


@both
def test_it_is_a_finite_mechanism(space: Any) -> None:
    made = Exponential.with_beta(space, 1.0)
    assert isinstance(made, Finite)
    version = 1 if isinstance(space, HopSpace) else 2
    assert (made.name, made.size) == (f"exponential.v{version}", SIZE)
    assert "exponential" not in repr(made._law)


@both
def test_guarantee_is_linear_up_to_the_worst_loss(space: Any) -> None:
    made = Exponential.with_beta(space, 1.0)
    guarantee = made.guarantee()
    found = made.certificate
    assert guarantee.terms == (Linear(found.epsilon, found.worst_loss),)
    assert guarantee.unit is Unit.TOKEN
    assert guarantee.scope.covered
    assert "Exact law" in guarantee.scope.assumptions[0]


@both
def test_likeliest_inputs_are_those_of_the_channel(space: Any) -> None:
    made = Exponential.calibrated(space, 2.0)
    log_prior = np.log(np.random.default_rng(0).dirichlet(np.ones(made.size)))
    z = np.arange(made.size)
    ids, weights = made.likeliest(z, log_prior, 3)
    posterior = (made.channel(z) + log_prior[:, None]).T
    assert np.sort(weights, axis=1) == pytest.approx(np.sort(posterior, axis=1)[:, -3:])
    assert np.take_along_axis(posterior, ids, axis=1) == pytest.approx(weights)


@both
def test_sums_over_inputs_are_those_of_the_channel(space: Any) -> None:
    made = Exponential.calibrated(space, 2.0)
    values = np.random.default_rng(1).standard_normal((made.size, 3))
    expected = np.exp(made.channel(np.arange(made.size))).T @ values
    np.testing.assert_allclose(made.pull(values), expected, rtol=1e-9, atol=1e-12)


@both
def test_a_certificate_of_another_decay_is_refused(space: Any) -> None:
    made = Exponential.with_beta(space, 1.0)
    with pytest.raises(ParameterError, match="another decay"):
        replace(made, decay=made.decay.steeper(2.0))


@both
@pytest.mark.parametrize("ids", [[SIZE], [-2], [0.5]])
def test_bad_ids_are_refused(space: Any, ids: Any) -> None:
    made = Exponential.with_beta(space, 1.0)
    with pytest.raises(DataError, match="ids must"):
        made.perturb(ids, seeded(0))
    with pytest.raises(DataError, match="ids must"):
        made.channel(ids)


@both
def test_the_same_stream_draws_the_same(space: Any) -> None:
    made = Exponential.calibrated(space, 2.0)
    ids = np.random.default_rng(0).integers(-1, SIZE, 500)
    again = Exponential(space, made.decay, made.certificate)
    drawn = made.perturb(ids, seeded(5))
    np.testing.assert_array_equal(drawn, again.perturb(ids, seeded(5)))
    assert (drawn != made.perturb(ids, seeded(6))).any()


@both
def test_unknown_words_have_one_law(space: Any) -> None:
    made = Exponential.calibrated(space, 2.0)
    rows = made.channel([UNKNOWN, 3, UNKNOWN])
    np.testing.assert_array_equal(rows[0], rows[2])
    share = made.decay.weights / made.decay.weights.sum()
    np.testing.assert_allclose(np.exp(rows[0]), share, rtol=1e-5)


def test_copies_have_one_law() -> None:
    rows = Exponential.calibrated(points(), 2.0).channel([3, 7])
    np.testing.assert_array_equal(rows[0], rows[1])


@both
def test_a_huge_decay_returns_the_word_and_stays_certified(space: Any) -> None:
    made = Exponential.with_beta(space, 500.0)
    drawn = made.perturb(np.arange(SIZE), seeded(0))
    rows = made.channel(np.arange(SIZE))
    assert np.isfinite(rows).all()
    assert np.ptp(rows, axis=0).max() <= made.certificate.worst_loss
    kept = drawn == np.arange(SIZE)
    assert kept.mean() > 0.9


def test_progress_is_told() -> None:
    told: list[str] = []
    Exponential.calibrated(hops(), 1.0, progress=told.append)
    assert told
