"""Constants to 25 digits, computed in 50-digit arithmetic, with their formulas."""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

from publius.core.guarantee import Gaussian
from publius.mechanisms.laplace import Laplace
from publius.mechanisms.row_law import ROUNDING
from publius.mechanisms.syntf import SynTF, alternative_loss

# log[ε^n Γ(n/2 + 1) / (π^(n/2) Γ(n + 1))]
LAPLACE = {
    (1, 1.0): "-0.6931471805599453094172321",
    (2, 0.5): "-3.224171427529236102395124",
    (3, 2.0): "-1.144729885849400174143427",
    (50, 10.0): "-3.963154225325232280928442",
    (300, 30.0): "38.76398752559228181362110",
}

# Pr[radius <= r] = P(n, ε r), the regularised lower incomplete gamma function
RADIUS = {
    (1, 1.0, 0.7): "0.5034146962085904852951999",
    (2, 0.5, 4.0): "0.5939941502901619243180015",
    (3, 2.0, 1.95): "0.7468748973702161221572956",
    (50, 10.0, 5.0): "0.5188083154720432818909057",
    (300, 30.0, 10.0): "0.5076777888862634992511759",
}

# ε + ln η with η = (e^(-ε/2) + L - 1) / (e^(ε/2) + L - 1), Theorem 5.4
ALTERNATIVE = {
    (0.5, 2): "0.2500000000000000000000000",
    (2.0, 100): "1.976621867760824799549095",
    (10.0, 30000): "9.995065151921442769541497",
}

# max_w ln(max_v π(v, w) / min_v π(v, w)), π ∝ exp(ε ρ / 2Δ), ε = 3, Δ = 0.8; eq. 5.1
TIGHT = "1.548804400053568482658478"
RHO = ((1.0, 0.6, 0.2), (0.6, 1.0, 0.5), (0.2, 0.5, 1.0))

# (σ, δ, Δ): min_α ρα + ln((α - 1)/α) - (ln δ + ln α)/(α - 1), ρ = Δ²/2σ²; exact ε(δ)
GAUSSIAN = {
    (1.0, 1e-6, 6.0): ("48.05124774690324911007285", "45.78590594893401634928286"),
    (38.8, 1e-6, 6.0): ("0.6838082226513005276496732", "0.6328454350186700327626857"),
    (4.0, 1e-5, 1.0): ("1.012286637764830100664811", "0.9263415039982294445468341"),
}


@dataclass(frozen=True)
class Table:
    """Ratings scaled to [0, 1]; a shift of all ratings does not change the law."""

    id: str = "golden@f"
    size: int = 3

    def rows(self, ids: Any) -> Any:
        return (np.array(RHO)[ids] - 0.2) / 0.8


@pytest.mark.parametrize(("n", "epsilon"), LAPLACE)
def test_laplace_normaliser(n: int, epsilon: float) -> None:
    wanted = float(LAPLACE[n, epsilon])
    assert Laplace(epsilon, n).log_normaliser == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(("n", "epsilon", "r"), RADIUS)
def test_laplace_radius(n: int, epsilon: float, r: float) -> None:
    law = Laplace(epsilon, n)
    log_surface = math.log(2) + n / 2 * math.log(math.pi) - math.lgamma(n / 2)

    def shell(radius: float) -> float:
        z = np.zeros((1, n))
        z[0, 0] = radius
        log_density = law.log_prob(z, np.zeros((1, n)))[0]
        return math.exp(log_surface + (n - 1) * math.log(radius) + log_density)

    found = quad(shell, 0, r, points=[0.9 * r] if n > 10 else None)[0]
    assert found == pytest.approx(float(RADIUS[n, epsilon, r]), rel=1e-8)


@pytest.mark.parametrize(("epsilon", "outputs"), ALTERNATIVE)
def test_syntf_alternative_loss(epsilon: float, outputs: int) -> None:
    wanted = float(ALTERNATIVE[epsilon, outputs])
    assert alternative_loss(epsilon, outputs) == pytest.approx(wanted, rel=1e-13)


def test_syntf_tight_loss() -> None:
    losses = SynTF(Table(), 3.0, 1).losses
    assert losses.tight == pytest.approx(float(TIGHT) + ROUNDING, rel=1e-13)
    assert losses.tight < losses.alternative < losses.naive
    assert losses.naive == pytest.approx(3.0 + ROUNDING, rel=1e-15)


@pytest.mark.parametrize(("sigma", "delta", "reach"), GAUSSIAN)
def test_gaussian_conversion_on_the_grid_of_orders(
    sigma: float, delta: float, reach: float
) -> None:
    best, exact = map(float, GAUSSIAN[sigma, delta, reach])
    found = Gaussian(sigma).at(reach).epsilon(delta)
    assert exact < best <= found * (1 + 1e-12)
    assert found < 1.02 * best  # the grid costs two per cent at most


def test_laplace_of_half_the_noise_is_caught() -> None:
    wanted = float(LAPLACE[3, 2.0])
    assert Laplace(4.0, 3).log_normaliser != pytest.approx(wanted, rel=0.01)


@pytest.mark.shared
def test_copies_are_those_of_the_reference_folder(shared: Path) -> None:
    entries = json.loads((shared / "golden" / "constants.json").read_text())["entries"]
    known = {entry["value"] for entry in entries}
    copied = [*LAPLACE.values(), *RADIUS.values(), *ALTERNATIVE.values(), TIGHT]
    for best, exact in GAUSSIAN.values():
        copied += [best, exact]
    assert set(copied) <= known
