"""The auditor clears what is correct and catches what is planted."""

import math
from functools import partial

import numpy as np
import pytest

from publius.assessment.auditing import Plan, audit_finite, audit_sampled
from publius.assessment.auditing.gallery import CASES
from publius.assessment.auditing.gallery import texts as text_cases
from publius.assessment.auditing.gallery.samples import (
    laplace_noise,
    pair_at,
    utility_bound,
)
from publius.assessment.auditing.text_events import audit_releases
from publius.assessment.auditing.verdict import Verdict
from publius.core.arrays import FloatArray, IdArray, Rng
from publius.core.metric import Euclidean
from publius.core.space import PointSpace, Space
from publius.mechanisms.discrete_circular_laplace import DiscreteCircularLaplace
from publius.mechanisms.exponential import Exponential
from publius.mechanisms.laplace import Laplace
from publius.mechanisms.von_mises_fisher import VonMisesFisher

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
def test_half_the_noise_is_caught(dim: int, seed: int) -> None:
    assert not audit_laplace(1.0, dim, seed)
    assert audit_laplace(2.0, dim, seed)


def word_draw(law: FloatArray) -> "object":
    def draw(place: int, count: int, rng: Rng) -> IdArray:
        return rng.choice(len(law), size=count, p=law[place])

    return draw


def exponential(beta: float, size: int = 8) -> tuple[FloatArray, FloatArray]:
    line = np.abs(np.arange(float(size))[:, None] - np.arange(float(size))[None])
    weight = np.exp(-beta * line)
    return weight / weight.sum(axis=1, keepdims=True), line


def refutes(law: FloatArray, distance: FloatArray, claim: float, seed: int) -> bool:
    rng = np.random.default_rng([seed, 5])
    return audit_sampled(word_draw(law), distance, claim, PLAN, rng).refutes_claim  # type: ignore[arg-type]


def test_a_lost_factor_two_is_caught(seed: int) -> None:
    law, line = exponential(0.5)
    assert not refutes(law, line, 1.0, seed)
    doubled, _ = exponential(1.0)
    assert refutes(doubled, line, 1.0, seed)


def test_identity_on_rare_words_is_caught(seed: int) -> None:
    law, line = exponential(0.5)
    broken = law.copy()
    broken[7] = np.eye(8)[7]
    assert not refutes(law, line, 1.0, seed)
    assert refutes(broken, line, 1.0, seed)


@pytest.mark.parametrize(("reused", "caught"), [(True, True), (False, False)])
def test_a_reused_seed_is_caught(*, reused: bool, caught: bool, seed: int) -> None:
    def draw(place: int, count: int, rng: Rng) -> FloatArray:
        first = rng.laplace(size=count)
        second = first if reused else rng.laplace(size=count)
        return np.column_stack([first, place + second])

    rng = np.random.default_rng([seed, 7])
    verdict = audit_sampled(draw, pair_at(1.0), 1.0, PLAN, rng)
    assert verdict.refutes_claim == caught


@pytest.mark.parametrize(("snapped", "caught"), [(False, True), (True, False)])
def test_the_float_lattice_is_caught_and_a_public_grid_cleared(
    *, snapped: bool, caught: bool, seed: int
) -> None:
    def draw(place: int, count: int, rng: Rng) -> FloatArray:
        sums = place + rng.laplace(size=count)
        return np.round(sums * 1024) / 1024 if snapped else sums

    plan = Plan(draws=60_000, confidence=1 - ALPHA, low_bits=True)
    verdict = audit_sampled(
        draw, pair_at(1.0), 1.0, plan, np.random.default_rng([seed, 9])
    )
    assert verdict.refutes_claim == caught


def test_the_wrapped_angle_is_cleared_where_the_clipped_one_is_caught(
    seed: int,
) -> None:
    def draw(place: int, count: int, rng: Rng) -> FloatArray:
        return np.mod(place * 0.5 + rng.laplace(size=count), 2 * math.pi)

    rng = np.random.default_rng([seed, 11])
    assert not audit_sampled(draw, pair_at(0.5), 1.0, PLAN, rng).refutes_claim


@pytest.mark.parametrize("name", sorted(CASES))
def test_every_case_of_the_gallery_is_refuted(name: str, seed: int) -> None:
    assert CASES[name].run(np.random.default_rng(seed)).refutes_claim


def test_the_published_utility_bound_is_refuted(seed: int) -> None:
    guaranteed, share = utility_bound(np.random.default_rng(seed))
    assert share.high < guaranteed
    # The corrected bound P(10, 0.7) is below 1e-7 and stands.
    assert share.low <= 1e-7


def cloud(size: int) -> tuple[Space, FloatArray]:
    points = np.random.default_rng(3).normal(size=(size, 3))
    space = PointSpace(points, Euclidean())
    return space, space.rows(np.arange(size))


@pytest.mark.parametrize("balanced", [True, False])
def test_the_certificate_of_words_is_confirmed(*, balanced: bool) -> None:
    space, distance = cloud(80)
    mechanism = Exponential.calibrated(space, 2.0, balanced=balanced)
    verdict = audit_finite(mechanism, distance, mechanism.certificate.epsilon)
    assert not verdict.refutes_claim
    assert verdict.epsilon.value == pytest.approx(2.0, rel=0.02)
    assert audit_finite(mechanism, distance, 1.9).refutes_claim


def test_drawn_words_keep_their_certificate(seed: int) -> None:
    space, distance = cloud(12)
    mechanism = Exponential.calibrated(space, 2.0)

    def draw(place: int, count: int, rng: Rng) -> IdArray:
        return mechanism.perturb(np.full(count, place), rng)

    rng = np.random.default_rng([seed, 13])
    verdict = audit_sampled(draw, distance, 2.0, PLAN, rng)
    assert not verdict.refutes_claim
    assert verdict.epsilon.low > 1.0


@pytest.mark.parametrize(("epsilon", "caught"), [(1.0, False), (2.0, True)])
def test_the_laplace_mechanism(*, epsilon: float, caught: bool, seed: int) -> None:
    mechanism = Laplace(epsilon, 2)

    def draw(place: int, count: int, rng: Rng) -> FloatArray:
        return mechanism.perturb(np.tile([2.0 * place, 0.0], (count, 1)), rng)

    rng = np.random.default_rng([seed, 15])
    verdict = audit_sampled(draw, pair_at(2.0), 1.0, PLAN, rng)
    assert verdict.refutes_claim == caught


@pytest.mark.parametrize(("kappa", "caught"), [(2.0, False), (4.0, True)])
def test_directions_and_their_last_bits(
    *, kappa: float, caught: bool, seed: int
) -> None:
    mechanism = VonMisesFisher(kappa, 3)
    secrets = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])

    def draw(place: int, count: int, rng: Rng) -> FloatArray:
        return mechanism.perturb(np.tile(secrets[place], (count, 1)), rng)

    plan = Plan(draws=60_000, confidence=1 - ALPHA, low_bits=True)
    rng = np.random.default_rng([seed, 17])
    verdict = audit_sampled(draw, pair_at(math.sqrt(2)), 2.0, plan, rng)
    assert verdict.refutes_claim == caught


@pytest.mark.parametrize(("epsilon", "caught"), [(0.5, False), (1.0, True)])
def test_times_of_day(*, epsilon: float, caught: bool, seed: int) -> None:
    mechanism = DiscreteCircularLaplace(epsilon, 24)

    def draw(place: int, count: int, rng: Rng) -> IdArray:
        return mechanism.perturb(np.full(count, 3 * place), rng)

    rng = np.random.default_rng([seed, 19])
    verdict = audit_sampled(draw, pair_at(3.0), 0.5, PLAN, rng)
    assert verdict.refutes_claim == caught


def honest_pair(rng: Rng) -> Verdict:
    pair, law = ((1, 2), (1, 3)), text_cases.honest_law()
    return text_cases.audit_pair(pair, law, text_cases.EPSILON, rng)


def honest_ends(rng: Rng) -> Verdict:
    # The claim is the exact loss: nothing is left between truth and refutation.
    pair, law = ((1, 0), (1, 5)), text_cases.honest_law(0.4)
    return text_cases.audit_pair(pair, law, text_cases.END_TO_END, rng)


CORRECT = {
    "text-layout": partial(text_cases.layout_leak, is_fixed=True),
    "text-lying-cache": honest_pair,
    "text-half-noise": honest_ends,
    "text-kept-name": partial(text_cases.kept_name, is_kept=False),
    "text-shared-noise": partial(text_cases.shared_noise, is_shared=False),
    "text-repeated-word": partial(
        text_cases.repeated_word, claim=5 * text_cases.EPSILON
    ),
}


@pytest.mark.parametrize("name", CORRECT)
def test_texts_are_cleared_where_the_fault_is_mended(name: str, seed: int) -> None:
    """The other arm, the fault itself refuted, is every case of the gallery."""
    assert not CORRECT[name](np.random.default_rng([seed, 21])).refutes_claim
    assert CASES[name].run(np.random.default_rng([seed, 22])).refutes_claim


def test_a_refutation_is_as_rare_as_its_confidence_says() -> None:
    """At confidence 0.9 a claim of the exact loss is refuted in a tenth at most."""

    def draw(which: int, count: int, rng: Rng) -> list[str]:
        yes = rng.random(count) < (0.75, 0.25)[which]
        return ["yes" if y else "no" for y in yes.tolist()]

    plan, runs = Plan(draws=400, confidence=0.9), 100
    seen = [
        audit_releases(draw, math.log(3), plan, np.random.default_rng([23, i]))
        for i in range(runs)
    ]
    refuted = sum(result.refutes_claim for result in seen)
    # P(more than 35 of 100 at a share of 0.1) < 1e-10.
    assert refuted <= 35
    low = [audit_releases(draw, 0.3, plan, np.random.default_rng([24, i]))
           for i in range(20)]  # fmt: skip
    assert sum(result.refutes_claim for result in low) > 15
