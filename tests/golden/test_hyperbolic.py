"""Constants of hyperbolic space to 1e-11, and exact seeded draws.

Values come from 50-digit arithmetic; each comment is the formula. The reference folder,
where it is present, holds the same numbers.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from publius.core.metric import Hyperbolic
from publius.core.rng import seeded
from publius.mechanisms.riemannian_laplace import RiemannianLaplace
from publius.mechanisms.tangent_laplace import TangentLaplace
from publius.numerics.geometry import lorentz, poincare

X, Y = np.array([[0.6, -0.3]]), np.array([[-0.1, 0.85]])

# log[S_{n-1} 2^{-n} B((ε-n+1)/2, n)]
NORMALISERS = {
    (1.5, 2): 1.614733515095135727794364,
    (3.0, 2): -0.2415644752704904446910369,
    (6.0, 5): -1.804884790523300336543614,
    (12.0, 10): -7.303684260261469465067298,
    (150.0, 100): -219.8852698799175165493204,
}
# ½[ψ(a+n) - ψ(a)], a = (ε-n+1)/2
MEANS = {
    (1.5, 2): 2.4,
    (3.0, 2): 0.75,
    (6.0, 5): 1.141666666666666666666667,
    (12.0, 10): 1.180874577778602546404404,
    (150.0, 100): 0.8046869655275911824669027,
}
# Pr[r <= R] = 1 - I_{exp(-2R)}(a, n)
RADII = {
    (1.5, 2, 1.44): 0.3983906106618585776301812,
    (3.0, 2, 1.125): 0.8003105474145136329297078,
    (6.0, 5, 0.685): 0.2308781187013698347310373,
    (12.0, 10, 1.77131): 0.8960579621492625650908427,
    (150.0, 100, 0.482812): 0.000007735483499858417760587836,
    (150.0, 100, 1.20703): 0.9999384947934274656492822,
}


@pytest.mark.parametrize(("law", "value"), NORMALISERS.items())
def test_log_normaliser(law: tuple[float, int], value: float) -> None:
    assert RiemannianLaplace(*law).log_normaliser == pytest.approx(value, rel=1e-11)


@pytest.mark.parametrize(("law", "value"), MEANS.items())
def test_mean_radius(law: tuple[float, int], value: float) -> None:
    assert RiemannianLaplace(*law).mean_radius == pytest.approx(value, rel=1e-11)


@pytest.mark.parametrize(("at", "value"), RADII.items())
def test_radius_cdf(at: tuple[float, int, float], value: float) -> None:
    epsilon, dim, radius = at
    found = RiemannianLaplace(epsilon, dim).radius_cdf(radius)
    assert float(found) == pytest.approx(value, rel=1e-11)


def test_distance() -> None:
    # 2 asinh(|x-y| / √((1-|x|²)(1-|y|²)))
    value = 3.936877867279199759347376
    found = [
        poincare.distance(X, Y)[0],
        lorentz.distance(poincare.log0(X), poincare.log0(Y))[0],
        Hyperbolic().distance(X, Y)[0],
        Hyperbolic().pairwise(X, Y)[0, 0],
    ]
    assert found == pytest.approx([value] * 4, rel=1e-13)


def test_mobius_addition_is_an_isometry() -> None:
    # x⊕y, and d(x⊕y, x) = d(y, 0)
    wanted = [[0.8668929783812756834018224, 0.1954618545649455065213507]]
    moved = poincare.mobius_add(X, Y)
    np.testing.assert_allclose(moved, wanted, rtol=1e-13)
    assert poincare.distance(moved, X)[0] == pytest.approx(
        2.555334418131454115767989, rel=1e-12
    )


@pytest.mark.shared
def test_the_reference_folder_agrees(shared: Path) -> None:
    entries = json.loads((shared / "golden" / "constants.json").read_text())["entries"]
    checked = 0
    for entry in entries:
        kind, _, quantity = entry["quantity"].partition(".")
        if kind != "hyperbolic_laplace":
            continue
        asked = entry["params"]
        law = RiemannianLaplace(float(asked["epsilon"]), asked["n"])
        found = (
            law.radius_cdf(float(asked["r"]))
            if quantity == "radius_cdf"
            else getattr(law, quantity)
        )
        assert float(found) == pytest.approx(float(entry["value"]), rel=1e-11)
        checked += 1
    assert checked == 25


DRAWS = {
    "tangent_laplace.v2": [
        [1.52880859375, 1.74169921875],
        [-2.18212890625, 0.75830078125],
    ],
    "riemannian_laplace.v2": [
        [1.461639404296875, 1.777923583984375],
        [-3.35186767578125, 0.817840576171875],
    ],
}


@pytest.mark.parametrize("law", [TangentLaplace(2.0, 2), RiemannianLaplace(2.0, 2)])
def test_seeded_draws(law: TangentLaplace | RiemannianLaplace) -> None:
    found = law.perturb(np.array([[0.3, 0.4], [-0.9, 0.0]]), seeded(7))
    assert found.tolist() == DRAWS[law.name]
