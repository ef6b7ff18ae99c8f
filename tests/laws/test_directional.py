"""Laws that every mechanism on directions obeys."""

import math
from decimal import Decimal, localcontext
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from publius.core.errors import DataError
from publius.core.guarantee import Guarantee
from publius.core.rng import seeded
from publius.materials.places.treatment import LAWS
from publius.mechanisms.cap_uniform import CapUniform
from publius.mechanisms.clipped_laplace import ClippedLaplace
from publius.mechanisms.discrete_circular_laplace import DiscreteCircularLaplace
from publius.mechanisms.polar_laplace import PolarLaplace
from publius.mechanisms.purkayastha import Purkayastha
from publius.mechanisms.von_mises_fisher import VonMisesFisher
from publius.mechanisms.wrapped_laplace import WrappedLaplace
from publius.numerics.geometry.sphere import angle_between, log_area

KAPPA = st.one_of(st.just(0.0), st.floats(1e-6, 1e4))
DIM = st.sampled_from([2, 3, 4, 17])
MEMBERS = [
    VonMisesFisher(0.0, 2),
    VonMisesFisher(2.0, 2),
    VonMisesFisher(2.0, 3),
    VonMisesFisher(50.0, 20),
    VonMisesFisher(1e12, 3),
    Purkayastha(0.0, 2),
    Purkayastha(2.0, 2),
    Purkayastha(2.0, 3),
    Purkayastha(50.0, 20),
    Purkayastha(1e12, 4),
    CapUniform.from_pure(epsilon=2.0, dim=3),
    CapUniform.from_pure(epsilon=0.0, dim=20),
    WrappedLaplace(1.5),
    WrappedLaplace(0.0),
    ClippedLaplace(1.5),
    ClippedLaplace(0.0),
    PolarLaplace(1.5),
    PolarLaplace(0.0),
    *[entry.law.from_level(level=1.0, radius=0.1, dim=3) for entry in LAWS.values()],
]


def unit(rng: np.random.Generator, rows: int, dim: int) -> Any:
    x = rng.standard_normal((rows, dim))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


@st.composite
def calibrated(draw: Any) -> Any:
    dim = draw(DIM)
    kappa = draw(KAPPA)
    return draw(
        st.sampled_from(
            [
                VonMisesFisher(kappa, dim),
                Purkayastha(kappa, dim),
                CapUniform.from_pure(epsilon=min(kappa, 20.0), dim=dim),
                WrappedLaplace(kappa),
                ClippedLaplace(max(kappa, 1e-9)),
                *[
                    entry.law.from_level(level=kappa + 1e-9, radius=1.0, dim=dim)
                    for entry in LAWS.values()
                ],
            ]
        )
    )


@given(member=calibrated(), seed=st.integers(0, 2**32))
@settings(max_examples=150, deadline=None)
def test_log_ratio_never_exceeds_the_stated_loss(member: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, other, z = (unit(rng, 64, member.dim) for _ in range(3))
    near = x + 0.01 * rng.standard_normal(x.shape)
    other[:32] = (near / np.linalg.norm(near, axis=1, keepdims=True))[:32]
    ratio = member.log_prob(z, x) - member.log_prob(z, other)
    guarantee = member.guarantee()
    bound = [guarantee.at(float(d)).pure for d in angle_between(x, other)]
    assert (np.abs(ratio) <= np.array(bound) * (1 + 1e-9) + 1e-9).all()


@given(kappa=st.floats(1e-3, 50), dim=DIM, angle=st.floats(1e-3, math.pi - 1e-3))
@settings(max_examples=60, deadline=None)
def test_stated_loss_is_reached(kappa: float, dim: int, angle: float) -> None:
    """The bound is not only true but tight, so a lost factor would be seen."""
    x, other = np.zeros((1, dim)), np.zeros((1, dim))
    x[0, 0] = 1.0
    other[0, :2] = math.cos(angle), math.sin(angle)
    chord = (x - other) / np.linalg.norm(x - other)
    for member, z in (
        (VonMisesFisher(kappa, dim), chord),
        (Purkayastha(kappa, dim), x),
    ):
        ratio = (member.log_prob(z, x) - member.log_prob(z, other))[0]
        assert ratio == pytest.approx(member.guarantee().at(angle).pure, rel=1e-9)


@given(level=st.floats(1e-3, 50), radius=st.floats(1e-4, 10))
@settings(deadline=None)
def test_level_within_radius_is_what_was_asked(level: float, radius: float) -> None:
    for member in (
        VonMisesFisher.from_level(level=level, radius=radius, dim=3),
        Purkayastha.from_level(level=level, radius=radius, dim=3),
        WrappedLaplace.from_level(level=level, radius=radius),
    ):
        loss = member.guarantee().at(min(radius, math.pi)).pure
        assert loss == pytest.approx(level, rel=1e-9)


@given(epsilon=st.one_of(st.just(0.0), st.floats(1e-6, 60)))
@settings(deadline=None)
def test_pure_loss_is_what_was_asked(epsilon: float) -> None:
    for member in (
        VonMisesFisher.from_pure(epsilon=epsilon, dim=3),
        Purkayastha.from_pure(epsilon=epsilon, dim=3),
        WrappedLaplace.from_pure(epsilon=epsilon),
        ClippedLaplace.from_pure(epsilon=epsilon),
        CapUniform.from_pure(epsilon=epsilon, dim=3),
    ):
        assert member.guarantee().worst_loss == pytest.approx(
            epsilon, rel=1e-9, abs=1e-15
        )


@given(
    epsilon=st.one_of(st.just(0.0), st.floats(1e-9, 100)),
    modulus=st.integers(2, 3000),
)
@settings(max_examples=200, deadline=None)
def test_integer_law_is_exactly_private(epsilon: float, modulus: int) -> None:
    law = DiscreteCircularLaplace(epsilon, modulus)
    weights = [int(weight) for weight in law.weights]
    assert len(weights) == modulus // 2 + 1
    assert min(weights) >= 1
    with localcontext(prec=60):
        most = Decimal(epsilon).exp()
        for near, far in pairwise(weights):
            assert far <= near <= most * far
    total = sum(weights[min(d, modulus - d)] for d in range(modulus))
    assert total < 2**63


@pytest.mark.parametrize("member", MEMBERS, ids=repr)
class TestEveryMember:
    @pytest.mark.parametrize("rows", [0, 1, 7])
    def test_shape_follows_the_input(self, member: Any, rows: int) -> None:
        x = unit(np.random.default_rng(0), rows, member.dim)
        z = member.perturb(x, seeded(1))
        assert z.shape == (rows, member.dim)
        assert np.abs(np.linalg.norm(z, axis=1) - 1).max(initial=0) < 1e-8
        assert member.log_prob(z, x).shape == (rows,)

    def test_output_lies_on_the_stated_grid(self, member: Any) -> None:
        z = member.perturb(unit(np.random.default_rng(0), 500, member.dim), seeded(1))
        steps = z / member.spacing
        assert (steps == np.rint(steps)).all()
        assert member.spacing >= 2.0**-46
        stated = f"2^-{round(-math.log2(member.spacing))}"
        assert any(stated in line for line in member.guarantee().scope.assumptions)

    def test_output_is_a_valid_input(self, member: Any) -> None:
        z = member.perturb(unit(np.random.default_rng(0), 9, member.dim), seeded(1))
        assert member.perturb(z, seeded(2)).shape == z.shape

    def test_read_only_and_strided_rows_work(self, member: Any) -> None:
        x = unit(np.random.default_rng(0), 10, member.dim)
        wide = np.repeat(x, 2, axis=1)[:, ::2]
        wide.flags.writeable = False
        same = member.perturb(x, seeded(4)), member.perturb(wide, seeded(4))
        assert (same[0] == same[1]).all()

    def test_seed_decides_the_draws(self, member: Any) -> None:
        x = unit(np.random.default_rng(0), 40, member.dim)
        assert (member.perturb(x, seeded(5)) == member.perturb(x, seeded(5))).all()

    def test_guarantee_survives_json(self, member: Any) -> None:
        guarantee = member.guarantee()
        again = Guarantee.from_json(guarantee.to_json())
        assert again.to_json() == guarantee.to_json()

    @pytest.mark.parametrize("bad", [0.0, math.nan, math.inf, 3.0])
    def test_bad_row_is_named_and_not_shown(self, member: Any, bad: float) -> None:
        x = unit(np.random.default_rng(0), 20, member.dim)
        x[13] = bad
        with pytest.raises(DataError, match="row 13") as error:
            member.perturb(x, seeded(1))
        assert str(bad) not in str(error.value).replace("row 13", "")

    def test_wrong_width_is_refused(self, member: Any) -> None:
        with pytest.raises(DataError, match="shape"):
            member.perturb(np.ones((3, member.dim + 1)), seeded(1))


SYMMETRIC = [member for member in MEMBERS if not isinstance(member, ClippedLaplace)]


@pytest.mark.parametrize("member", SYMMETRIC, ids=repr)
class TestEverySymmetricMember:
    def test_quantiles_invert_the_distribution(self, member: Any) -> None:
        share = np.linspace(0, 1, 21)
        assert member.angle_cdf(member.angle_ppf(share)) == pytest.approx(
            share, abs=1e-12
        )

    def test_moments_agree_with_quadrature(self, member: Any) -> None:
        law = member.angle_law
        assert member.mean_angle() == pytest.approx(law.expect(lambda a: a), rel=1e-12)
        assert member.mean_cos() == pytest.approx(law.expect(np.cos), abs=1e-12)

    def test_density_integrates_to_one(self, member: Any) -> None:
        """Integrate the density per surface over the sphere, by its angle."""
        angle = member.angle_ppf(np.linspace(0.05, 0.95, 7))
        x = np.zeros((7, member.dim))
        x[:, 0] = 1.0
        z = np.zeros_like(x)
        z[:, 0], z[:, 1] = np.cos(angle), np.sin(angle)
        ring = log_area(member.dim - 1) + (member.dim - 2) * np.log(np.sin(angle))
        density = np.exp(member.log_prob(z, x) + ring)
        step = 1e-5 * angle
        slope = member.angle_cdf(angle + step) - member.angle_cdf(angle - step)
        assert density == pytest.approx(slope / (2 * step), rel=1e-4)


def test_clipped_noise_without_bound_ends_at_the_cut() -> None:
    law = ClippedLaplace(0.0)
    x = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert law.mean_angle(x) == pytest.approx([math.pi, math.pi / 2])
    assert law.perturb(x, seeded(0)) == pytest.approx(np.array([[-1.0, 0.0]] * 2))
