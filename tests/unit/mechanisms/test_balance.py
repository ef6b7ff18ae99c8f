"""Kernels, balancing and the search for a decay."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from publius.core.errors import ParameterError
from publius.core.metric import Euclidean
from publius.core.space import HopSpace, PointSpace
from publius.mechanisms import balance
from publius.mechanisms.balance import Calibrator, RowKernel, calibrate
from publius.mechanisms.ball_law import all_balls


def points(size: int = 60) -> PointSpace:
    return PointSpace(np.random.default_rng(0).normal(size=(size, 5)), Euclidean())


def hops(size: int = 60) -> HopSpace:
    matrix = (np.random.default_rng(0).random((size, size)) < 0.05).astype(np.float32)
    np.fill_diagonal(matrix, 0)
    return HopSpace(sp.csr_array(np.maximum(matrix, matrix.T)), 4, 3, "f")


def totals(space: Any, beta: float, weights: Any) -> Any:
    return np.exp(-beta * space.rows(np.arange(space.size))) @ weights


@pytest.mark.parametrize("space", [points(), hops()], ids=["points", "hops"])
@pytest.mark.parametrize("beta", [0.1, 2.0])
def test_kernels_are_the_sums_of_the_definition(space: Any, beta: float) -> None:
    weights = np.random.default_rng(1).random(60)
    found = Calibrator.of(space).kernel(beta).totals(weights)
    np.testing.assert_allclose(found, totals(space, beta, weights), rtol=1e-5)


def test_a_kernel_that_does_not_fit_is_formed_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    weights = np.random.default_rng(1).random(60)
    kept = RowKernel.of(points(), 1.0)
    monkeypatch.setattr(balance, "KERNEL_BYTES", 0)
    formed = RowKernel.of(points(), 1.0)
    assert kept._cached
    assert not formed._cached
    np.testing.assert_allclose(kept.totals(weights), formed.totals(weights), rtol=1e-6)


def test_balancing_flattens_the_normaliser() -> None:
    space = points()
    calibrator = Calibrator.of(space)
    weights = calibrator.balanced(3.0, np.ones(60), rounds=200)
    before = np.ptp(np.log(totals(space, 3.0, np.ones(60))))
    after = np.ptp(np.log(totals(space, 3.0, weights)))
    assert after < 0.05 * before
    assert weights.min() > 0


def test_balancing_stops_when_flat() -> None:
    # On a ring all words are alike: nothing is to be done.
    size = 12
    matrix = np.roll(np.eye(size, dtype=np.float32), 1, axis=1)
    space = HopSpace(sp.csr_array(np.maximum(matrix, matrix.T)), 4, 2, "f")
    weights = np.ones(size)
    assert Calibrator.of(space).balanced(1.0, weights, rounds=5) is weights


def test_given_balls_are_used() -> None:
    space = hops()
    balls = all_balls(space)
    assert Calibrator.of(space, balls).balls is balls
    assert Calibrator.of(points()).balls is None


def test_a_space_that_takes_long_says_so_and_tells_its_rounds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[str] = []
    calibrate(Calibrator.of(points()), 1.0, progress=told.append)
    assert not any("minutes" in line for line in told)
    monkeypatch.setattr(balance, "KERNEL_BYTES", 0)
    told.clear()
    calibrate(Calibrator.of(points()), 1.0, progress=told.append)
    assert "all pairs of 60 words take minutes" in told[0]
    assert told[1].endswith("round 1 of at most 20")


@pytest.mark.parametrize("epsilon", [0.05, 4.0, 200.0])
@pytest.mark.parametrize("space", [points(), hops()], ids=["points", "hops"])
def test_calibration_never_exceeds_the_asked_epsilon(
    space: Any, epsilon: float
) -> None:
    decay, certificate = calibrate(Calibrator.of(space), epsilon)
    assert certificate.epsilon <= epsilon
    assert certificate.beta == decay.beta
    if epsilon < 100:  # rows of finitely many integers have a largest loss
        assert certificate.epsilon >= 0.99 * epsilon


def test_calibration_tells_its_steps() -> None:
    told: list[str] = []
    calibrate(Calibrator.of(hops()), 1.0, progress=told.append)
    assert told
    assert all(line.startswith("ε = 1: trying decay") for line in told)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, np.nan, np.inf])
def test_bad_epsilon_is_refused(epsilon: float) -> None:
    with pytest.raises(ParameterError, match="epsilon"):
        calibrate(Calibrator.of(hops()), epsilon)


def test_words_too_close_for_doubles_are_refused() -> None:
    # Rounding costs 1e-12 whatever the distance: at 1e-13 that is above epsilon = 1.
    near = np.array([[0.0], [1e-13], [1.0]])
    with pytest.raises(ParameterError, match="no decay meets epsilon = 1"):
        calibrate(Calibrator.of(PointSpace(near, Euclidean())), 1.0)


def test_the_textbook_decay_is_found_when_nothing_better_exists() -> None:
    # Two words and 200 copies of a distant one: almost 2 * beta for equal weights.
    crowd = np.full((200, 1), 10.0)
    space = PointSpace(np.vstack([[[0.0], [9.0]], crowd]), Euclidean())
    decay, certificate = calibrate(Calibrator.of(space), 1.0, balanced=False)
    assert 0.5 * 0.99 <= decay.beta < 0.6
    assert 0.99 <= certificate.epsilon <= 1.0
