"""The auditor clears what is correct and catches what is planted."""

import math

import numpy as np
import pytest

from publius.auditing import Plan, audit_sampled
from publius.auditing.gallery import CASES
from publius.auditing.gallery.samples import laplace_noise, pair_at, utility_bound
from publius.core.arrays import FloatArray, IdArray, Rng

ALPHA = 1e-9
PLAN = Plan(draws=120_000, confidence=1 - ALPHA)
pytestmark = pytest.mark.statistical


def audit_laplace(factor: float, dim: int, seed: int) -> bool:
    """Audit Euclidean Laplace noise at `factor` times the claimed epsilon of 1."""
    distance = 2.0

    def draw(place: int, count: int, rng: Rng) -> FloatArray:
        noise = laplace_noise(count, dim, factor, rng)
        noise[:, 0] += place * distance
        return noise

    rng = np.random.default_rng([seed, dim])
    return audit_sampled(draw, pair_at(distance), 1.0, PLAN, rng).refutes_claim


@pytest.mark.parametrize("dim", [1, 2, 5])
def test_half_the_noise_is_caught(dim: int) -> None:
    assert not audit_laplace(1.0, dim, 0)
    assert audit_laplace(2.0, dim, 0)


def word_draw(law: FloatArray) -> "object":
    def draw(place: int, count: int, rng: Rng) -> IdArray:
        return rng.choice(len(law), size=count, p=law[place])

    return draw


def exponential(beta: float, size: int = 8) -> tuple[FloatArray, FloatArray]:
    line = np.abs(np.arange(float(size))[:, None] - np.arange(float(size))[None])
    weight = np.exp(-beta * line)
    return weight / weight.sum(axis=1, keepdims=True), line


def refutes(law: FloatArray, distance: FloatArray, claim: float) -> bool:
    rng = np.random.default_rng(5)
    return audit_sampled(word_draw(law), distance, claim, PLAN, rng).refutes_claim  # type: ignore[arg-type]


def test_a_lost_factor_two_is_caught() -> None:
    law, line = exponential(0.5)
    assert not refutes(law, line, 1.0)
    doubled, _ = exponential(1.0)
    assert refutes(doubled, line, 1.0)


def test_identity_on_rare_words_is_caught() -> None:
    law, line = exponential(0.5)
    broken = law.copy()
    broken[7] = np.eye(8)[7]
    assert not refutes(law, line, 1.0)
    assert refutes(broken, line, 1.0)


@pytest.mark.parametrize(("reused", "caught"), [(True, True), (False, False)])
def test_a_reused_seed_is_caught(*, reused: bool, caught: bool) -> None:
    def draw(place: int, count: int, rng: Rng) -> FloatArray:
        first = rng.laplace(size=count)
        second = first if reused else rng.laplace(size=count)
        return np.column_stack([first, place + second])

    rng = np.random.default_rng(7)
    verdict = audit_sampled(draw, pair_at(1.0), 1.0, PLAN, rng)
    assert verdict.refutes_claim == caught


@pytest.mark.parametrize(("snapped", "caught"), [(False, True), (True, False)])
def test_the_float_lattice_is_caught_and_a_public_grid_cleared(
    *, snapped: bool, caught: bool
) -> None:
    def draw(place: int, count: int, rng: Rng) -> FloatArray:
        sums = place + rng.laplace(size=count)
        return np.round(sums * 1024) / 1024 if snapped else sums

    plan = Plan(draws=60_000, confidence=1 - ALPHA, low_bits=True)
    verdict = audit_sampled(draw, pair_at(1.0), 1.0, plan, np.random.default_rng(9))
    assert verdict.refutes_claim == caught


def test_the_wrapped_angle_is_cleared_where_the_clipped_one_is_caught() -> None:
    def draw(place: int, count: int, rng: Rng) -> FloatArray:
        return np.mod(place * 0.5 + rng.laplace(size=count), 2 * math.pi)

    rng = np.random.default_rng(11)
    assert not audit_sampled(draw, pair_at(0.5), 1.0, PLAN, rng).refutes_claim


@pytest.mark.parametrize("name", sorted(CASES))
def test_every_case_of_the_gallery_is_refuted(name: str) -> None:
    assert CASES[name].run(np.random.default_rng(0)).refutes_claim


def test_the_published_utility_bound_is_refuted() -> None:
    promised, share = utility_bound(np.random.default_rng(0))
    assert share.high < promised
    # The corrected bound P(10, 0.7) is below 1e-7 and stands.
    assert share.low <= 1e-7
