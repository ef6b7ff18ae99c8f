"""Far tails to 1e-11 relative, where 1 - cdf has no digit left; values by mpmath."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from publius.mechanisms import (
    CapUniform,
    DiscreteCircularLaplace,
    Laplace,
    PolarLaplace,
    Purkayastha,
    RiemannianLaplace,
    VonMisesFisher,
    WrappedLaplace,
    bag_within,
)

# ∫_t^π sin^(n-2) e^(-κθ) / ∫_0^π of the same; n = 3 is
# (e^(-κπ) + e^(-κt) (κ sin t + cos t)) / (e^(-κπ) + 1), the others quadrature
PURKAYASTHA = {
    (10.0, 2, 3.0): "7.086521900516241708311147e-14",
    (100.0, 3, 1.0): "3.150435651380936908816882e-42",
    (30.0, 5, 2.0): "2.853602765414574117453967e-23",
    (1000.0, 3, 0.5): "3.421956285144149806871594e-215",
}
# n = 3: (e^(-κ(1 - cos t)) - e^(-2κ)) / (1 - e^(-2κ))
VMF = {
    (10.0, 3.0): "2.169443475940676013532154e-10",
    (100.0, 1.0): "1.085382486178694613357793e-20",
    (300.0, 2.0): "3.108658366654993560575088e-185",
}
# The ratio of sinh(κ(π - t)) and sinh(κπ)
WRAPPED = {
    (10.0, 3.0): "8.806425289716099635225315e-14",
    (100.0, 1.0): "3.720075976020835962959696e-44",
}
# Q(n, ε r), the regularised upper incomplete gamma function
LAPLACE = {
    (2, 1.0, 40.0): "1.741825244669551488084986e-16",
    (50, 10.0, 20.0): "1.692797995885708767263911e-37",
    (300, 30.0, 25.0): "1.36152603573785528464547e-78",
}
# I_(e^(-2r))((ε - n + 1)/2, n), the regularised incomplete beta function
RIEMANNIAN = {
    (2, 1.5, 40.0): "2.576442028048197284957425e-9",
    (10, 20.0, 5.0): "4.163958401929548287400813e-21",
}
# P(N n, x): the sum of N radii is at most x / ε
BAG = {
    (2, 2, 0.7): "0.005753457592299583308539413",
    (30, 2, 11.0): "7.450287041713948770380056e-25",
    (300, 20, 5900.0): "0.09784517215720081458144078",
}
CASES = [
    *((Purkayastha(k, n).angle_sf, t, v) for (k, n, t), v in PURKAYASTHA.items()),
    *((VonMisesFisher(k, 3).angle_sf, t, v) for (k, t), v in VMF.items()),
    *((WrappedLaplace(k).angle_sf, t, v) for (k, t), v in WRAPPED.items()),
    *((Laplace(e, n).radius_sf, r, v) for (n, e, r), v in LAPLACE.items()),
    *((RiemannianLaplace(e, n).radius_sf, r, v) for (n, e, r), v in RIEMANNIAN.items()),
]
LAWS = (
    Purkayastha(3.0, 4),
    VonMisesFisher(3.0, 4),
    WrappedLaplace(2.0),
    PolarLaplace(2.0),
    CapUniform.from_pure(epsilon=2.0, dim=3),
    DiscreteCircularLaplace(0.05, 1440),
)


@pytest.mark.parametrize(("tail", "at", "value"), CASES)
def test_a_tail_keeps_its_digits(tail: Any, at: float, value: str) -> None:
    assert float(tail(np.array(at))) == pytest.approx(float(value), rel=1e-11, abs=0)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_both_tails_sum_to_one(law: Any) -> None:
    angle = np.linspace(0.0, math.pi, 50)
    both = law.angle_cdf(angle) + law.angle_sf(angle)
    np.testing.assert_allclose(both, 1.0, rtol=1e-12)
    assert law.angle_sf(np.array(math.pi)) == pytest.approx(0.0, abs=1e-300)


def test_a_discrete_tail_keeps_its_digits() -> None:
    law = DiscreteCircularLaplace(1.0, 101)
    step = 2 * math.pi / 101
    # Σ_(k > 45) 2 e^(-k) over the sum of all residues
    total = 1 + 2 * math.fsum(math.exp(-k) for k in range(1, 51))
    wanted = 2 * math.fsum(math.exp(-k) for k in range(46, 51)) / total
    assert float(law.angle_sf(np.array(45 * step))) == pytest.approx(wanted, rel=1e-11)


@pytest.mark.parametrize(("n", "size", "x"), BAG)
def test_bags_follow_the_sum_of_their_radii(n: int, size: int, x: float) -> None:
    found = bag_within(x / (2.0 * size), epsilon=2.0, dim=n, size=size)
    assert float(found) == pytest.approx(float(BAG[n, size, x]), rel=1e-11, abs=0)


@pytest.mark.shared
def test_bags_are_those_of_the_reference_folder(shared: Path) -> None:
    entries = json.loads((shared / "golden" / "constants.json").read_text())["entries"]
    assert set(BAG.values()) <= {entry["value"] for entry in entries}
