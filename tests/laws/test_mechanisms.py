"""Laws that every word mechanism obeys: the stated guarantee holds for all pairs.

The certificate is recomputed here from the channel alone, by the definition: the
largest log-ratio over all pairs of inputs and all outputs. Planted faults must fail.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from publius.core.arrays import UNKNOWN
from publius.core.metric import (
    Angular,
    Capped,
    Discrete,
    Euclidean,
    Hyperbolic,
    Manhattan,
)
from publius.core.rng import seeded
from publius.core.space import HopSpace, PathSpace, PointSpace, Space
from publius.mechanisms.exponential import Exponential
from publius.mechanisms.laplace import Laplace
from publius.mechanisms.law import Decay
from publius.mechanisms.row_law import FLOOR, ROUNDING, TICKETS
from publius.mechanisms.syntf import CosineRatings, SynTF, TermChannel

SIZE = 90


def vectors(size: int = SIZE, *, number: int = 0) -> Any:
    """Return clustered points with two exact copies."""
    rng = np.random.default_rng(number)
    centres = rng.normal(size=(6, 4))
    points = centres[rng.integers(0, 6, size)] + 0.4 * rng.normal(size=(size, 4))
    points[size // 2] = points[0]
    return points


def hop_graph(size: int = SIZE, *, k: int = 3) -> Any:
    points = vectors(size)
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    np.fill_diagonal(distance, np.inf)
    near = np.argsort(distance, axis=1)[:, :k]
    matrix = np.zeros((size, size), np.float32)
    matrix[np.arange(size)[:, None], near] = 1
    return sp.csr_array(np.maximum(matrix, matrix.T))


SPACES: dict[str, Space] = {
    "hop": HopSpace(hop_graph(), 4, 3, "f"),
    "hop-cap-1": HopSpace(hop_graph(), 1, 3, "f"),
    "hop-cap-2": HopSpace(hop_graph(), 2, 3, "f"),
    "hop-unused-cap": HopSpace(hop_graph(20, k=6), 9, 6, "f"),
    "hop-uncapped": PathSpace(hop_graph(), 3, "f"),
    "euclidean": PointSpace(vectors(), Euclidean()),
    "manhattan": PointSpace(vectors(), Manhattan()),
    "angular": PointSpace(vectors(), Angular()),
    "discrete": PointSpace(vectors(), Discrete()),
    "euclidean-capped": PointSpace(vectors(), Capped(Euclidean(), 1.0)),
    "hyperbolic": PointSpace(vectors() / 8, Hyperbolic()),
}
every_space = pytest.mark.parametrize("name", SPACES)


@dataclass(frozen=True)
class Recomputed:
    """What the definition says about a channel."""

    epsilon: float
    worst_loss: float
    unknown_loss: float
    copies_loss: float


def recompute(log_prob: Any, log_unknown: Any, distance: Any) -> Recomputed:
    """Search all pairs of inputs and all outputs, one input at a time."""
    epsilon = worst = copies = 0.0
    for row, away in zip(log_prob, distance, strict=True):
        loss = np.abs(log_prob - row).max(axis=1)
        apart = away > 0
        epsilon = max(epsilon, float((loss[apart] / away[apart]).max(initial=0.0)))
        worst = max(worst, float(loss.max()))
        copies = max(copies, float(loss[~apart].max()))
    unknown = float(np.abs(log_prob - log_unknown).max())
    return Recomputed(epsilon, worst, unknown, copies)


def recomputed(mechanism: Exponential) -> Recomputed:
    ids = np.arange(mechanism.size)
    log_unknown = mechanism.channel(np.array([UNKNOWN]))
    return recompute(mechanism.channel(ids), log_unknown, mechanism.space.rows(ids))


def holds(mechanism: Exponential) -> bool:
    """Say whether the certificate bounds everything that the definition finds."""
    found, claimed = recomputed(mechanism), mechanism.certificate
    return (
        found.epsilon <= claimed.epsilon
        and found.worst_loss <= claimed.worst_loss
        and found.unknown_loss <= claimed.unknown_loss
        and found.copies_loss == 0
    )


def blur(log_prob: Any) -> float:
    """Bound how far the floor of every row and its rounding may shrink a loss."""
    least = math.exp(float(log_prob.min())) - FLOOR / TICKETS
    return FLOOR / TICKETS / least + ROUNDING + 1e-9 if least > 0 else 1e-9


def check_certificate(mechanism: Exponential) -> None:
    """The certificate bounds the recomputed losses and is attained by them."""
    assert holds(mechanism)
    found, claimed = recomputed(mechanism), mechanism.certificate
    assert claimed.epsilon - found.epsilon <= claimed.slack + 1e-6
    tolerance = blur(mechanism.channel(np.arange(mechanism.size)))
    assert claimed.worst_loss - found.worst_loss <= tolerance
    assert claimed.unknown_loss - found.unknown_loss <= tolerance
    assert claimed.slack < 0.01 * claimed.epsilon
    attained = np.abs(np.subtract(*mechanism.channel(list(claimed.worst_pair)))).max()
    away = mechanism.space.rows(np.array(claimed.worst_pair[:1]))[0]
    slope = attained / away[claimed.worst_pair[1]]
    assert slope == pytest.approx(found.epsilon, rel=1e-6)
    farthest = np.abs(np.subtract(*mechanism.channel(list(claimed.farthest_pair))))
    assert found.worst_loss - farthest.max() <= tolerance + 1e-6


@every_space
@pytest.mark.parametrize("beta", [0.05, 1.0, 3.0])
def test_the_plain_certificate_is_exact(name: str, beta: float) -> None:
    check_certificate(Exponential.with_beta(SPACES[name], beta))


@every_space
def test_the_certificate_of_any_weights_is_exact(name: str) -> None:
    size = SPACES[name].size
    weights = np.random.default_rng(2).integers(1, 1 << 20, size).astype(np.uint32)
    if name not in ("hop", "hop-cap-1", "hop-cap-2", "hop-unused-cap"):
        weights[size // 2] = weights[0]
    check_certificate(Exponential.with_beta(SPACES[name], 1.5, weights))


@every_space
@pytest.mark.parametrize("balanced", [True, False])
def test_calibration_meets_the_asked_epsilon(name: str, *, balanced: bool) -> None:
    mechanism = Exponential.calibrated(SPACES[name], 2.0, balanced=balanced)
    check_certificate(mechanism)
    assert 0.99 * 2.0 <= mechanism.certificate.epsilon <= 2.0


@every_space
@pytest.mark.parametrize("epsilon", [0.3, 5.0])
def test_balancing_is_never_worse(name: str, epsilon: float) -> None:
    plain = Exponential.calibrated(SPACES[name], epsilon, balanced=False)
    balanced = Exponential.calibrated(SPACES[name], epsilon)
    assert balanced.decay.beta >= plain.decay.beta * (1 - 1e-9)
    assert balanced.decay.beta <= epsilon <= 2.01 * plain.decay.beta


def test_balancing_wins_back_what_the_normaliser_costs() -> None:
    # The textbook bound, 2 * beta, would allow a decay of 1 only.
    space = SPACES["euclidean"]
    plain = Exponential.calibrated(space, 2.0, balanced=False)
    balanced = Exponential.calibrated(space, 2.0)
    assert plain.decay.beta < 1.35
    assert balanced.decay.beta > 1.75


@every_space
def test_rows_are_distributions_with_full_support(name: str) -> None:
    mechanism = Exponential.with_beta(SPACES[name], 2.0)
    rows = mechanism.channel(np.append(np.arange(mechanism.size), UNKNOWN))
    np.testing.assert_allclose(np.exp(rows).sum(axis=1), 1.0, rtol=1e-12)
    assert np.isfinite(rows).all()


@every_space
def test_the_channel_is_the_law_of_the_definition(name: str) -> None:
    mechanism = Exponential.with_beta(SPACES[name], 1.3)
    ids = np.arange(mechanism.size)
    score = -1.3 * mechanism.space.rows(ids)
    wanted = score - np.log(np.exp(score).sum(axis=1, keepdims=True))
    found = np.exp(mechanism.channel(ids))
    np.testing.assert_allclose(found, np.exp(wanted), rtol=1e-5, atol=2e-12)


@every_space
def test_the_guarantee_says_what_was_certified(name: str) -> None:
    mechanism = Exponential.with_beta(SPACES[name], 1.0)
    guarantee, claimed = mechanism.guarantee(), mechanism.certificate
    assert guarantee.metric == SPACES[name].id
    assert guarantee.worst_loss == claimed.worst_loss
    assert guarantee.near_level == claimed.level_at_10th_neighbour
    assert guarantee.landmarks.unknown_loss == claimed.unknown_loss
    rows = mechanism.channel(np.arange(mechanism.size))
    away = mechanism.space.rows(np.arange(mechanism.size))
    rng = np.random.default_rng(0)
    for a, b in rng.integers(0, mechanism.size, size=(50, 2)):
        loss = np.abs(rows[a] - rows[b]).max()
        assert loss <= guarantee.at(away[a, b]).pure * (1 + 1e-12)


@settings(max_examples=15)
@given(
    number=st.integers(0, 10_000),
    size=st.integers(2, 25),
    beta=st.floats(0.01, 8),
    cap=st.integers(1, 5),
)
def test_certificates_of_random_graphs(
    number: int, size: int, beta: float, cap: int
) -> None:
    rng = np.random.default_rng(number)
    matrix = (rng.random((size, size)) < 1.5 / size).astype(np.float32)
    np.fill_diagonal(matrix, 0)
    graph = sp.csr_array(np.maximum(matrix, matrix.T))
    weights = rng.integers(1, 1 << 20, size).astype(np.uint32)
    for space in (HopSpace(graph, cap, 1, "f"), PathSpace(graph, 1, "f")):
        assert holds(Exponential.with_beta(space, beta, weights))


@pytest.mark.parametrize("size", [2, 1200])
def test_rounding_is_paid_for_on_nearly_flat_rows(size: int) -> None:
    # The tickets left over go to the likeliest word, which has few on a flat row.
    mechanism = Exponential.with_beta(PointSpace(vectors(size), Discrete()), 1e-4)
    largest = np.ptp(mechanism.channel(np.arange(size)), axis=0).max()
    assert largest <= mechanism.certificate.worst_loss
    assert mechanism.certificate.worst_loss < 1.1e-4


# --- planted faults: the same checks must fail ---------------------------------------


@every_space
def test_half_the_noise_is_caught(name: str) -> None:
    honest = Exponential.with_beta(SPACES[name], 1.0)
    louder = Exponential.with_beta(SPACES[name], 2.0)
    claimed = replace(honest.certificate, beta=2.0)
    assert not holds(replace(louder, certificate=claimed))


@every_space
def test_a_lost_normaliser_is_caught(name: str) -> None:
    # Forgetting |ln Z(x) - ln Z(x')| claims epsilon = beta.
    rng = np.random.default_rng(3)
    size = SPACES[name].size
    weights = np.where(rng.random(size) < 0.3, 1 << 20, 1).astype(np.uint32)
    honest = Exponential.with_beta(SPACES[name], 1.0, weights)
    assert honest.certificate.epsilon > 1.05
    claimed = replace(honest.certificate, epsilon=1.0, slack=0.0)
    assert not holds(replace(honest, certificate=claimed))


def test_an_identity_on_rare_words_is_caught() -> None:
    space = SPACES["euclidean"]
    honest = Exponential.with_beta(space, 1.0)
    ids = np.arange(space.size)
    log_prob = honest.channel(ids)
    log_prob[80:] = -1e300
    log_prob[ids[80:], ids[80:]] = 0.0
    log_unknown = honest.channel(np.array([UNKNOWN]))
    found = recompute(log_prob, log_unknown, space.rows(ids))
    assert found.epsilon > 1e6 * honest.certificate.epsilon


def test_a_keyed_unknown_word_is_caught() -> None:
    honest = Exponential.with_beta(SPACES["hop"], 1.0)
    claimed = replace(
        honest.certificate, unknown_loss=0.9 * honest.certificate.unknown_loss
    )
    assert not holds(replace(honest, certificate=claimed))


# --- Laplace and SynTF ---------------------------------------------------------------


@given(
    dim=st.integers(1, 30),
    epsilon=st.floats(0.01, 50),
    number=st.integers(0, 10_000),
)
def test_laplace_log_ratio_is_bounded_by_the_distance(
    dim: int, epsilon: float, number: int
) -> None:
    x, y, z = np.random.default_rng(number).normal(size=(3, 20, dim)) * 3
    law = Laplace(epsilon, dim)
    ratio = np.abs(law.log_prob(z, x) - law.log_prob(z, y))
    away = np.linalg.norm(x - y, axis=1)
    allowed = [law.guarantee().at(float(distance)).pure for distance in away]
    assert (ratio <= np.array(allowed) + 1e-9).all()
    # The bound is attained behind the secret: no smaller epsilon would do.
    behind = x + 5 * (x - y)
    attained = law.log_prob(behind, x) - law.log_prob(behind, y)
    np.testing.assert_allclose(attained + law.offset, allowed, rtol=1e-9)


@settings(max_examples=20)
@given(
    number=st.integers(0, 10_000),
    size=st.integers(1, 40),
    epsilon=st.floats(0.01, 30),
)
def test_syntf_loss_bounds_every_pair_of_terms(
    number: int, size: int, epsilon: float
) -> None:
    rng = np.random.default_rng(number)
    bigrams = sp.csr_array((rng.random((size, 15)) < 0.3).astype(np.float64))
    ratings = CosineRatings(rng.normal(size=(size, 3)), bigrams, 0.3, "f")
    mechanism = SynTF(ratings, epsilon, 3)
    rows = TermChannel(mechanism).channel(np.append(np.arange(size), UNKNOWN))
    found = float(np.ptp(rows, axis=0).max())
    losses = mechanism.losses
    assert found <= losses.tight <= losses.alternative + 1e-9
    assert losses.alternative <= losses.naive
    assert losses.tight - found <= blur(rows)
    np.testing.assert_allclose(np.exp(rows).sum(axis=1), 1.0, rtol=1e-12)


@every_space
@given(shape=st.sampled_from([(0,), (1,), (7,), (2, 3), (0, 4), (2, 1, 2)]))
@settings(max_examples=6)
def test_shape_in_is_shape_out(name: str, shape: tuple[int, ...]) -> None:
    mechanism = Exponential.with_beta(SPACES[name], 1.0)
    ids = np.random.default_rng(0).integers(-1, mechanism.size, size=shape)
    ids.setflags(write=False)
    drawn = mechanism.perturb(ids, seeded(1))
    assert drawn.shape == shape
    assert drawn.dtype == np.int64
    flat = mechanism.perturb(ids.ravel(), seeded(1))
    np.testing.assert_array_equal(drawn.ravel(), flat)
    assert ((drawn >= 0) & (drawn < mechanism.size)).all()


def test_one_word_is_certain() -> None:
    for space in (
        PointSpace(np.ones((1, 3)), Euclidean()),
        HopSpace(sp.csr_array((1, 1), dtype=np.float32), 4, 1, "f"),  # type: ignore[arg-type]
    ):
        mechanism = Exponential.calibrated(space, 2.0)
        assert holds(mechanism)
        assert mechanism.certificate.worst_loss == 0
        assert mechanism.perturb([0, UNKNOWN], seeded(0)).tolist() == [0, 0]
        assert mechanism.decay.beta == pytest.approx(2.0, rel=2e-3)
        assert mechanism.channel([0]).tolist() == [[0.0]]
        assert math.isfinite(mechanism.certificate.unknown_loss)
        assert Decay.plain(1.0, 1).weights.tolist() == [1 << 20]
