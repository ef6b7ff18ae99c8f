"""The draws of the directional mechanisms follow the stated laws, and no others."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare, kstest

from publius.assessment.auditing.sampled import Plan, audit_sampled
from publius.core.rng import seeded
from publius.materials.places.treatment import LAWS
from publius.mechanisms.cap_uniform import CapUniform
from publius.mechanisms.clipped_laplace import ClippedLaplace
from publius.mechanisms.discrete_circular_laplace import DiscreteCircularLaplace
from publius.mechanisms.polar_laplace import PolarLaplace
from publius.mechanisms.purkayastha import Purkayastha
from publius.mechanisms.von_mises_fisher import VonMisesFisher
from publius.mechanisms.wrapped_laplace import WrappedLaplace
from publius.numerics.geometry.sphere import angle_between

ALPHA = 1e-9
ROWS = 60_000

pytestmark = pytest.mark.statistical

# Each law with one whose parameter is wrong by about a tenth, or a lost factor.
PAIRS = [
    *[
        (law(kappa, dim), law(wrong, dim))
        for law in (VonMisesFisher, Purkayastha)
        for kappa, wrong, dim in [
            (0.0, 0.2, 2),
            (0.5, 0.7, 2),
            (30.0, 33.0, 2),
            (0.0, 0.2, 3),
            (5.0, 5.6, 3),
            (1e12, 1.1e12, 3),
            (20.0, 20.9, 100),
            (1.0, 4.0, 1000),
            (2000.0, 2040.0, 1000),
        ]
    ],
    *[
        tuple(
            entry.law.from_level(level=level, radius=1.0, dim=3) for level in (5, 5.6)
        )
        for entry in LAWS.values()
    ],
    (WrappedLaplace(0.0), WrappedLaplace(0.3)),
    (WrappedLaplace(0.3), WrappedLaplace(0.4)),
    (WrappedLaplace(1.0), Purkayastha(1.0, 2)),
    (WrappedLaplace(40.0), WrappedLaplace(44.0)),
    (PolarLaplace(0.6), Purkayastha(0.6, 3)),
    (PolarLaplace(20.0), PolarLaplace(22.0)),
    (
        CapUniform.from_pure(epsilon=2.0, dim=2),
        CapUniform.from_pure(epsilon=2.4, dim=2),
    ),
    (CapUniform.from_pure(epsilon=2.0, dim=50), CapUniform(2.0, 50, 1.2)),
]


@pytest.mark.parametrize(("law", "wrong"), PAIRS, ids=repr)
def test_angle_follows_its_law(law: Any, wrong: Any, seed: int) -> None:
    rows = min(ROWS, 2_000_000 // law.dim)
    x = np.zeros((1, law.dim))
    x[0, -1] = 1.0
    means = np.repeat(x, rows, axis=0)
    angle = angle_between(law.perturb(means, seeded(1000 * seed + 21)), means)
    assert kstest(angle, law.angle_cdf).pvalue > ALPHA
    drawn = law.angles(ROWS, seeded(1000 * seed + 22))
    assert kstest(drawn, law.angle_cdf).pvalue > ALPHA
    assert kstest(drawn, wrong.angle_cdf).pvalue < ALPHA


@pytest.mark.parametrize("law", [VonMisesFisher(4.0, 3), Purkayastha(1e9, 3)], ids=repr)
def test_bearing_is_uniform_around_every_mean(law: Any, seed: int) -> None:
    rng = np.random.default_rng([seed, 3])
    x = rng.standard_normal((ROWS, 3))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    z = law.perturb(x, seeded(1000 * seed + 23))
    east = np.cross([0.0, 0.0, 1.0], x)
    east /= np.linalg.norm(east, axis=1, keepdims=True)
    north = np.cross(x, east)
    moved = z - x
    bearing = np.arctan2((moved * north).sum(1), (moved * east).sum(1))
    assert kstest(bearing, _uniform_bearing).pvalue > ALPHA
    tilted = bearing + 0.1 * np.sin(bearing)
    assert kstest(tilted, _uniform_bearing).pvalue < ALPHA


def _uniform_bearing(angle: float) -> Any:
    return np.clip((angle + math.pi) / (2 * math.pi), 0, 1)


@pytest.mark.parametrize("dim", [4, 30])
def test_step_has_no_preferred_coordinate(dim: int, seed: int) -> None:
    """Given a mean on one axis, every other coordinate has the same variance."""
    x = np.zeros((ROWS, dim))
    x[:, 0] = 1.0
    z = Purkayastha(3.0, dim).perturb(x, seeded(1000 * seed + 24))[:, 1:]
    share = (z**2).sum(0) / (z**2).sum()
    spread = np.sqrt(2 / (dim - 1) / ROWS / (dim - 1)) * 7
    assert np.abs(share - 1 / (dim - 1)).max() < spread
    stretched = (z * np.linspace(1, 1.1, dim - 1)) ** 2
    assert np.abs(stretched.sum(0) / stretched.sum() - 1 / (dim - 1)).max() > spread


@pytest.mark.parametrize(
    ("epsilon", "modulus"), [(0.0, 5), (1.0, 5), (0.3, 24), (0.05, 60), (9.0, 2)]
)
def test_residues_follow_the_integer_law(
    epsilon: float, modulus: int, seed: int
) -> None:
    law = DiscreteCircularLaplace(epsilon, modulus)
    start = modulus // 3
    z = law.perturb(np.full(ROWS, start), seeded(1000 * seed + 25))
    counts = np.bincount(z, minlength=modulus)
    share = np.exp(law.log_prob(np.arange(modulus), np.full(modulus, start)))
    assert share.sum() == pytest.approx(1, abs=1e-12)
    kept = share * ROWS >= 5
    observed = np.append(counts[kept], counts[~kept].sum())
    expected = np.append(share[kept], share[~kept].sum()) * ROWS
    some = expected > 0
    assert chisquare(observed[some], expected[some]).pvalue > ALPHA
    rolled = np.roll(counts, 1)
    if epsilon > 0:
        wrong = np.append(rolled[kept], rolled[~kept].sum())
        assert chisquare(wrong[some], expected[some]).pvalue < ALPHA


def test_clipped_angle_is_clipped_laplace(seed: int) -> None:
    law = ClippedLaplace(1.0)
    angle = 2.0
    x = np.tile([math.cos(angle), math.sin(angle)], (ROWS, 1))
    z = law.perturb(x, seeded(1000 * seed + 26))
    at = np.arctan2(z[:, 1], z[:, 0])
    inside = at[np.abs(at) < math.pi - 1e-6]
    mass = 0.5 * (math.exp(-(math.pi - angle)) + math.exp(-(math.pi + angle)))
    spread = 7 * math.sqrt(mass * (1 - mass) / ROWS)
    assert abs(1 - len(inside) / ROWS - mass) < spread
    assert abs(1 - len(inside) / ROWS - 0.9 * mass) > spread

    def cdf(t: Any, kappa: float = 1.0) -> Any:
        raw = np.where(
            t < angle,
            np.exp(kappa * (t - angle)) / 2,
            1 - np.exp(kappa * (angle - t)) / 2,
        )
        low = math.exp(-kappa * (math.pi + angle)) / 2
        high = 1 - math.exp(-kappa * (math.pi - angle)) / 2
        return (raw - low) / (high - low)

    assert kstest(inside, cdf).pvalue > ALPHA
    assert kstest(inside, lambda t: cdf(t, 1.2)).pvalue < ALPHA
    distance = angle_between(z, x)
    expected = law.mean_angle(x[:1])[0]
    assert abs(distance.mean() - expected) < 7 * distance.std() / math.sqrt(ROWS)


@pytest.mark.parametrize("is_snapped", [True, False])
def test_lattice_attack_needs_the_unsnapped_sum(is_snapped: Any, seed: int) -> None:
    """The last bits of an angle added in floating point name the secret; ours do not.

    At angular distance 0.5 the loss is at most 5; the attack certifies more for the
    naive sum of a secret angle and a noise angle, and nothing against the mechanism.
    """
    law, distance = Purkayastha(10.0, 2), 0.5

    def draw(place: int, count: int, rng: np.random.Generator) -> np.ndarray:
        secret = place * distance
        if is_snapped:
            row = [math.cos(secret), math.sin(secret)]
            return law.perturb(np.tile(row, (count, 1)), rng)
        sign = 1 - 2 * rng.integers(0, 2, count)
        return np.asarray(secret + sign * law.angles(count, rng))

    verdict = audit_sampled(
        draw,
        np.array([[0.0, distance], [distance, 0.0]]),
        law.kappa,
        Plan(draws=40_000, low_bits=True),
        np.random.default_rng([seed, 7]),
    )
    assert verdict.refutes_claim is not is_snapped
