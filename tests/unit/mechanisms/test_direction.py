"""Settings that no directional mechanism accepts, and edges that they must survive."""

import math
from typing import Any

import numpy as np
import pytest

from publius.core.errors import DataError, ParameterError
from publius.core.rng import seeded
from publius.mechanisms.cap_uniform import CapUniform
from publius.mechanisms.clipped_laplace import ClippedLaplace
from publius.mechanisms.discrete_circular_laplace import DiscreteCircularLaplace
from publius.mechanisms.polar_laplace import PolarLaplace
from publius.mechanisms.purkayastha import Purkayastha
from publius.mechanisms.von_mises_fisher import VonMisesFisher
from publius.mechanisms.wrapped_laplace import WrappedLaplace

BAD = [-1.0, math.nan, math.inf, -math.inf]


@pytest.mark.parametrize("kappa", [*BAD, 1e13])
@pytest.mark.parametrize(
    "law",
    [
        lambda kappa: VonMisesFisher(kappa, 3),
        lambda kappa: Purkayastha(kappa, 3),
        WrappedLaplace,
        ClippedLaplace,
        PolarLaplace,
    ],
)
def test_bad_kappa_is_refused(law: Any, kappa: float) -> None:
    with pytest.raises(ParameterError, match="kappa"):
        law(kappa)


@pytest.mark.parametrize("dim", [1, 0, -3, 2.5])
@pytest.mark.parametrize("law", [VonMisesFisher, Purkayastha])
def test_bad_dimension_is_refused(law: Any, dim: int) -> None:
    with pytest.raises(ParameterError, match="dim"):
        law(1.0, dim)


@pytest.mark.parametrize("radius", [0.0, *BAD])
@pytest.mark.parametrize("law", [VonMisesFisher, Purkayastha, WrappedLaplace])
def test_bad_radius_is_refused(law: Any, radius: float) -> None:
    with pytest.raises(ParameterError, match="radius"):
        law.from_level(level=1.0, radius=radius)


@pytest.mark.parametrize("epsilon", BAD)
@pytest.mark.parametrize(
    "law", [VonMisesFisher, Purkayastha, WrappedLaplace, ClippedLaplace, CapUniform]
)
def test_bad_pure_loss_is_refused(law: Any, epsilon: float) -> None:
    with pytest.raises(ParameterError, match="epsilon"):
        law.from_pure(epsilon=epsilon)


@pytest.mark.parametrize("angle", [0.0, math.pi, math.nan, 1e-20])
def test_bad_cap_is_refused(angle: float) -> None:
    with pytest.raises(ParameterError, match="angle"):
        CapUniform(1.0, 3, angle)


def test_cap_without_surface_is_refused() -> None:
    with pytest.raises(ParameterError, match="no measurable surface"):
        CapUniform(1.0, 2000, 0.1)


@pytest.mark.parametrize("modulus", [1, 0, 2.5, 1 << 26])
def test_bad_modulus_is_refused(modulus: int) -> None:
    with pytest.raises(ParameterError, match="modulus"):
        DiscreteCircularLaplace(1.0, modulus)


def test_polar_laplace_guarantees_nothing() -> None:
    guarantee = PolarLaplace(3.0).guarantee()
    assert guarantee.at(1e-6).pure == math.inf
    assert guarantee.to_json()["worst_loss"] is None
    assert any("no bound" in line for line in guarantee.scope.uncovered)


def test_polar_density_is_infinite_at_the_antipode() -> None:
    x = np.array([[0.0, 0.0, 1.0]])
    near = np.array([[math.sin(1e-9), 0.0, -math.cos(1e-9)]])
    assert PolarLaplace(0.6).log_prob(near, x)[0] > 15
    assert PolarLaplace(0.6).mean_angle() > math.pi / 2


def test_clipped_laplace_tears_neighbours_apart() -> None:
    """Two directions 0.002 apart across the cut lose as much as opposite ones."""
    law = ClippedLaplace(1.0)
    sides = np.array([[-1.0, 1e-3], [-1.0, -1e-3]])
    sides /= np.linalg.norm(sides, axis=1, keepdims=True)
    z = np.array([[math.cos(3.1), math.sin(3.1)]] * 2)
    ratio = np.diff(law.log_prob(z, sides))[0]
    assert abs(ratio) > 6
    assert abs(ratio) <= law.guarantee().at(2e-3).pure


def test_cap_beats_the_others_under_pure_privacy() -> None:
    for dim in (2, 3, 100):
        best = CapUniform.from_pure(epsilon=2.0, dim=dim).mean_cos()
        assert best > VonMisesFisher.from_pure(epsilon=2.0, dim=dim).mean_cos()
        assert best > Purkayastha.from_pure(epsilon=2.0, dim=dim).mean_cos()


def test_best_cap_is_a_maximum() -> None:
    law = CapUniform.from_pure(epsilon=3.0, dim=10)
    for other in (law.angle * 0.99, law.angle * 1.01):
        assert CapUniform(3.0, 10, other).mean_cos() < law.mean_cos()


def test_thesis_theorem_on_wrapping_holds() -> None:
    """Theorem 7.26: wrapping costs accuracy at equal kappa."""
    for kappa in (1e-3, 0.1, 1.0, 10.0):
        assert WrappedLaplace(kappa).mean_angle() > Purkayastha(kappa, 2).mean_angle()


@pytest.mark.parametrize("dim", [1_000_000, 100_000])
def test_a_million_dimensions_work(dim: int) -> None:
    x = np.full((1, dim), 1 / math.sqrt(dim))
    for law in (VonMisesFisher(1000.0, dim), Purkayastha(1000.0, dim)):
        z = law.perturb(x, seeded(0))
        assert np.linalg.norm(z) == pytest.approx(1, abs=1e-6)
        assert math.isfinite(law.log_prob(z, x)[0])


@pytest.mark.parametrize("residue", [-1, 24, 1000])
def test_residue_outside_is_named(residue: int) -> None:
    with pytest.raises(DataError, match="row 1"):
        DiscreteCircularLaplace(1.0, 24).perturb([3, residue], seeded(0))


def test_residues_must_be_whole() -> None:
    with pytest.raises(DataError, match="whole numbers"):
        DiscreteCircularLaplace(1.0, 24).perturb([0.5], seeded(0))


@pytest.mark.parametrize("shape", [(0,), (1,), (2, 3)])
def test_residue_shapes_are_kept(shape: tuple[int, ...]) -> None:
    law = DiscreteCircularLaplace(0.5, 24)
    z = law.perturb(np.zeros(shape, dtype=np.int64), seeded(0))
    assert z.shape == shape
    assert ((z >= 0) & (z < 24)).all()


def test_residue_law_quantiles_invert_it() -> None:
    law = DiscreteCircularLaplace(0.3, 24)
    steps = np.arange(13) * 2 * math.pi / 24
    below = law.angle_cdf(steps)
    assert below[-1] == pytest.approx(1)
    assert law.angle_ppf(below - 1e-9) == pytest.approx(steps, rel=1e-14)
    assert law.angle_cdf(np.array([-0.1])) == 0
    assert law.mean_angle() == pytest.approx(law.mean_distance() * math.pi / 12)
    with pytest.raises(DataError, match="probabilities"):
        law.angle_ppf(np.array([1.5]))


def test_residue_levels() -> None:
    law = DiscreteCircularLaplace.from_level(level=1.0, radius=30, modulus=1440)
    assert law.guarantee().at(30).pure == pytest.approx(1.0)
    pure = DiscreteCircularLaplace.from_pure(epsilon=2.0, modulus=24)
    assert pure.guarantee().worst_loss == pytest.approx(2.0, rel=1e-6)
    assert DiscreteCircularLaplace(0.0, 9).guarantee().worst_loss == 0


def test_certain_answer_is_impossible() -> None:
    """However large epsilon, every residue keeps a positive weight."""
    law = DiscreteCircularLaplace(1e6, 1440)
    assert int(law.weights.min()) >= 1
    assert math.isfinite(law.guarantee().worst_loss)
