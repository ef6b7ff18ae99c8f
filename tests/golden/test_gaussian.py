"""Constants of normal noise to 25 digits, and the draws of ``gaussian.v2``.

Formulas, with μ = Δ/σ and ρ = μ²/2, computed with 60 digits:
  exact    δ = Φ(μ/2 - ε/μ) - e^ε Φ(-μ/2 - ε/μ), solved for ε or σ
  Mironov  ε = ρ + 2 √(ρ ln 1/δ) at order 1 + √(ln(1/δ) / ρ)
  CKS20    ε = min over α of ρα + ln((α-1)/α) - (ln δ + ln α)/(α-1)
"""

import math

import numpy as np
import pytest

from publius.accounting.gaussian import (
    cks20_epsilon,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_sigma,
    log_delta,
    mironov_epsilon,
    mironov_order,
)
from publius.core.rng import seeded
from publius.mechanisms.gaussian import Gaussian

# sigma, delta, Δ: exact, Mironov, its order, CKS20
CURVES = [
    (1.0, 1e-6, 6, 45.78590594893401634928286, 49.53913061854159187178073,
     1.876086961626155329771687, 48.05124774690324911007285),
    (38.8, 1e-6, 6, 0.6328454350186700327626857, 0.8248208284617213337131286,
     34.99217411109482679514145, 0.6838082226513005276496732),
    (4.0, 1e-5, 1, 0.9263415039982294445468341, 1.230881478047020301891842,
     20.19410364875232483026948, 1.012286637764830100664811),
]  # fmt: skip


@pytest.mark.parametrize("row", CURVES)
def test_epsilon_of_the_exact_law_and_of_both_conversions(
    row: tuple[float, ...],
) -> None:
    sigma, delta, sensitivity, exact, mironov, order, cks20 = row
    setting = {"sensitivity": sensitivity, "sigma": sigma}
    assert gaussian_epsilon(delta, **setting) == pytest.approx(exact, rel=1e-11)
    assert mironov_epsilon(delta, **setting) == pytest.approx(mironov, rel=1e-13)
    assert mironov_order(delta, **setting) == pytest.approx(order, rel=1e-13)
    assert cks20_epsilon(delta, **setting) == pytest.approx(cks20, rel=1e-12)


@pytest.mark.parametrize(
    ("epsilon", "delta", "sensitivity", "sigma"),
    [
        (1, 1e-5, 1, 3.730631634815941832249823),
        (0.1, 1e-6, 1, 36.30469042619578493862864),
        (10, 1e-6, 6, 3.246520990910195888570036),
        (0.5, 1e-9, 2, 21.34779363016005225812299),
    ],
)
def test_sigma(epsilon: float, delta: float, sensitivity: float, sigma: float) -> None:
    found = gaussian_sigma(epsilon, delta, sensitivity=sensitivity)
    assert found == pytest.approx(sigma, rel=1e-11)
    assert found >= sigma


@pytest.mark.parametrize(
    ("epsilon", "sigma", "sensitivity", "delta"),
    [
        (45.7859, 1.0, 6, 1.000004876097650308422138e-6),
        (0.632845, 38.8, 6, 1.000012490637037583112863e-6),
        (0.926342, 4.0, 1, 9.999919867931975906498276e-6),
    ],
)
def test_delta(epsilon: float, sigma: float, sensitivity: float, delta: float) -> None:
    found = gaussian_delta(epsilon, sensitivity=sensitivity, sigma=sigma)
    assert found == pytest.approx(delta, rel=1e-12)


@pytest.mark.parametrize(
    ("epsilon", "mu", "value"),
    [
        (0.0, 1e-08, -19.33961927715703821809093),
        (1e-09, 1e-08, -19.46783405752521147374787),
        (3.0, 0.01, -45015.43171950026454173104),
        (0.5, 0.99, -1.450588208943594321708478),
        (0.5, 1.0, -1.433714290323697590707871),
        (700.0, 1.0, -244664.1461048154998071901),
        (40000.0, 200.0, -5005.929718237379665609052),
        (1e-06, 30.0, -7.341936069595294213050596e-51),
    ],
)
def test_log_delta_far_out(epsilon: float, mu: float, value: float) -> None:
    assert log_delta(epsilon, mu) == pytest.approx(value, rel=1e-13)


@pytest.mark.parametrize(
    ("ratio", "delta", "count", "pld"),
    [
        # dp-accounting 0.6.0, PLDAccountant: a discretised upper bound.
        (6.0, 1e-6, 1, 45.785906025077274),
        (6 / 38.8, 1e-6, 1, 0.632845470200879),
        (0.25, 1e-5, 1, 0.9263415237343752),
        (0.6, 1e-6, 12, 11.521828207371435),
    ],
)
def test_the_discretised_accountant_of_others_agrees(
    ratio: float, delta: float, count: int, pld: float
) -> None:
    exact = gaussian_epsilon(delta, sensitivity=ratio, sigma=1.0, count=count)
    assert exact <= pld
    assert exact == pytest.approx(pld, rel=1e-6)


@pytest.mark.parametrize(
    ("ratio", "delta", "rdp"),
    [
        # dp-accounting 0.6.0, RdpAccountant: CKS20 at a fixed list of orders.
        (6.0, 1e-6, 48.09018190016076),
        (6 / 38.8, 1e-6, 0.6839118136488856),
        (0.25, 1e-5, 1.0125506277526433),
    ],
)
def test_the_renyi_accountant_of_others_is_just_above(
    ratio: float, delta: float, rdp: float
) -> None:
    ours = cks20_epsilon(delta, sensitivity=ratio, sigma=1.0)
    assert ours <= rdp <= ours * 1.001


@pytest.mark.parametrize(("sigma", "printed"), [(1.0, 34.539), (38.8, 0.815)])
def test_the_thesis_forgot_a_square(sigma: float, printed: float) -> None:
    """It prints Δ/2σ² + √(2 ln 1/δ) Δ/σ; the first term should have Δ²."""
    rest = math.sqrt(2 * math.log(1e6)) * 6 / sigma
    assert 6 / (2 * sigma**2) + rest == pytest.approx(printed, abs=1e-3)
    correct = mironov_epsilon(1e-6, sensitivity=6, sigma=sigma)
    assert correct == pytest.approx(6**2 / (2 * sigma**2) + rest)


def test_draws_of_the_second_version() -> None:
    drawn = Gaussian(0.5, 3).perturb(np.eye(3)[:2], seeded(7))
    assert drawn.tolist() == [
        [1.943359375, 0.41748046875, -0.13427734375],
        [-0.90087890625, 1.80712890625, -0.31787109375],
    ]
