"""The lattice attack refutes sums of doubles and clears every continuous mechanism."""

import os
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from publius.assessment.auditing.gallery.doubles import SUMS, laplace, raw_sum
from publius.assessment.auditing.lattice import audit_lattice
from publius.assessment.auditing.sampled import Plan
from publius.assessment.auditing.verdict import Verdict
from publius.core.arrays import FloatArray, Rng
from publius.core.rng import seeded
from publius.materials.places.sanitizer import PlaceSanitizer
from publius.mechanisms import (
    CapUniform,
    ClippedLaplace,
    Gaussian,
    Laplace,
    Mahalanobis,
    PolarLaplace,
    ProjectedLaplace,
    Purkayastha,
    RiemannianLaplace,
    TangentLaplace,
    VonMisesFisher,
    WrappedLaplace,
)
from publius.mechanisms.gaussian import contract
from publius.mechanisms.mahalanobis import Ellipse
from publius.mechanisms.projection import Projection
from publius.numerics.geometry import poincare
from publius.numerics.geometry.earth import great_circle

ALPHA = 1e-9
OUTPUTS = int(os.environ.get("LATTICE_OUTPUTS", "100000"))
"""Outputs of each secret; a million every night."""

pytestmark = pytest.mark.statistical

SHAPE = Ellipse.of(seeded(1).standard_normal((200, 3)) * [1.0, 2.0, 0.5], 0.9)
MAP = Projection.random(5, 2)
PAIR = np.array([[0.0, 0.0, 0.0], [0.01, 0.0, 0.0]])


@dataclass(frozen=True)
class Continuous:
    """A mechanism, two secrets, and where a sum would add noise to them."""

    perturb: Callable[[FloatArray, Rng], FloatArray]
    secrets: FloatArray
    centres: FloatArray
    loss: float

    def audit(self, seed: int) -> Verdict:
        """Attack as many outputs as asked for."""

        def draw(place: int, count: int, rng: Rng) -> FloatArray:
            return self.perturb(np.tile(self.secrets[place], (count, 1)), rng)

        plan = Plan(draws=OUTPUTS, confidence=1 - ALPHA)
        pair = np.array([[0.0, 1.0], [1.0, 0.0]])
        return audit_lattice(
            draw, self.centres, pair, self.loss, seeded(seed), plan=plan
        )


def turned(dim: int, angle: float = 0.01) -> FloatArray:
    """Return two unit vectors, as near as the places of two neighbours."""
    rows = np.zeros((2, dim))
    rows[:, 0] = np.cos([0.3, 0.3 + angle])
    rows[:, 1] = np.sin([0.3, 0.3 + angle])
    return rows


def place(secrets: FloatArray, rng: Rng) -> FloatArray:
    """Release places in degrees."""
    sanitizer = PlaceSanitizer(VonMisesFisher(1e4, 3))
    return np.column_stack(sanitizer.release(secrets[:, 0], secrets[:, 1], rng))


TOWNS = np.array([[48.2, 16.37], [48.201, 16.37]])
WAY = float(great_circle(*TOWNS[0], *TOWNS[1])) / 6_371_008.8
BALL = np.array([[0.0, 0.0], [0.005, 0.0]])


def on_vectors(law: Laplace | Mahalanobis, distance: float) -> Continuous:
    pair = PAIR[:, :3]
    loss = law.guarantee().at(distance).pure
    return Continuous(law.perturb, pair, pair, loss)


def on_directions(
    law: VonMisesFisher | Purkayastha | WrappedLaplace | CapUniform, dim: int
) -> Continuous:
    rows = turned(dim)
    return Continuous(law.perturb, rows, rows, law.guarantee().at(0.01).pure)


def projected() -> Continuous:
    law, rows = ProjectedLaplace(10.0, MAP), np.eye(2, 5) * 0.01
    away = float(np.linalg.norm(MAP(rows[:1]) - MAP(rows[1:])))
    return Continuous(law.perturb, rows, MAP(rows), law.guarantee().at(away).pure)


def normal() -> Continuous:
    law, rows = Gaussian(1.0, 3), PAIR
    mean = contract(rows, 3.0)
    # Outputs within 9 deviations lose at most this between means 0.03 apart.
    return Continuous(law.perturb, rows, mean, 0.03 * 9.1 + law.offset)


def hyperbolic(law: TangentLaplace | RiemannianLaplace) -> Continuous:
    away = float(poincare.distance(BALL[:1], BALL[1:])[0])
    loss = law.guarantee().at(away).pure
    return Continuous(law.perturb, BALL, poincare.log0(BALL), loss)


MECHANISMS: dict[str, Continuous] = {
    "laplace": on_vectors(Laplace(10.0, 3), 0.01),
    "mahalanobis": on_vectors(
        Mahalanobis(10.0, SHAPE),
        float(np.linalg.norm((PAIR[1] - PAIR[0]) @ SHAPE.inverse)),
    ),
    "projection": projected(),
    "gaussian": normal(),
    "tangent_laplace": hyperbolic(TangentLaplace(10.0, 2)),
    "riemannian_laplace": hyperbolic(RiemannianLaplace(10.0, 2)),
    "vmf": on_directions(VonMisesFisher(10.0, 3), 3),
    "vmf-circle": on_directions(VonMisesFisher(10.0, 2), 2),
    "vmf-many": on_directions(VonMisesFisher(10.0, 20), 20),
    "purkayastha": on_directions(Purkayastha(10.0, 3), 3),
    "purkayastha-circle": on_directions(Purkayastha(10.0, 2), 2),
    "wrapped-laplace": on_directions(WrappedLaplace(10.0), 2),
    "cap-uniform": on_directions(CapUniform.from_pure(epsilon=2.0, dim=3), 3),
    "polar-laplace": Continuous(PolarLaplace(10.0).perturb, turned(3), turned(3), 0.3),
    "clipped-laplace": Continuous(
        ClippedLaplace(10.0).perturb, turned(2), turned(2), 0.1
    ),
    "places": Continuous(place, TOWNS, TOWNS, 1e4 * WAY),
}


@pytest.mark.parametrize("name", MECHANISMS)
def test_outputs_do_not_tell_their_lattice(name: str) -> None:
    verdict = MECHANISMS[name].audit(0)
    assert not verdict.refutes_claim, verdict.event


@pytest.mark.parametrize("name", SUMS)
def test_sums_of_doubles_tell_theirs(name: str) -> None:
    verdict = raw_sum(name, seeded(0))
    assert verdict.refutes_claim
    assert verdict.epsilon.low * verdict.distance > 5


def test_a_sum_is_not_mended_by_rounding_to_its_last_bits() -> None:
    def draw(place: int, count: int, rng: Rng) -> FloatArray:
        noise = laplace(np.array([0.01 * place]), count, rng)
        return np.asarray(np.rint(noise * 2.0**62) / 2.0**62)

    pair = np.array([[0.0, 0.01], [0.01, 0.0]])
    assert audit_lattice(draw, [[0.0], [0.01]], pair, 10.0, seeded(0)).refutes_claim
