"""Figures 7.2, 7.3 and 7.5 to 7.7: densities, expected distances, distributions."""

import math
from collections.abc import Callable
from typing import Protocol

import numpy as np

from publius.core.rng import seeded
from publius.mechanisms.polar_laplace import PolarLaplace
from publius.mechanisms.purkayastha import Purkayastha
from publius.mechanisms.von_mises_fisher import VonMisesFisher
from publius.mechanisms.wrapped_laplace import WrappedLaplace
from publius.numerics.geometry.axial import AngleLaw
from publius.papers.directional import published
from publius.papers.directional.result import Reproduction, Setting, curve

DIMENSIONS = (2, 3, 25, 50, 100, 500)
KAPPAS = tuple(10.0**k for k in range(-3, 4))
SAMPLES = 100_000


class Symmetric(Protocol):
    """A law that is known by its angle."""

    @property
    def angle_law(self) -> AngleLaw:
        """The law of its angle."""
        ...

    def mean_angle(self) -> float:
        """Return the expected angle."""
        ...


def angular_densities(setting: Setting) -> Reproduction:  # noqa: ARG001 - exact
    """Compare the densities of Purkayastha with those of the wrapped baselines."""
    angle = np.linspace(0.005, math.pi - 0.005, 121)
    curves, rows = [], []
    for kappa in (1 / math.pi, 2 / math.pi, 1.0, 2.0):
        laws: dict[tuple[str, str], Symmetric] = {
            ("n = 2", "Purkayastha"): Purkayastha(kappa, 2),
            ("n = 2", "Wrapped Laplace"): WrappedLaplace(kappa),
            ("n = 3", "Purkayastha"): Purkayastha(kappa, 3),
            ("n = 3", "Polar Laplace"): PolarLaplace(kappa),
        }
        for (panel, label), law in laws.items():
            density = np.exp(law.angle_law.log_density(angle) - law.angle_law.log_total)
            curves.append(curve(panel, f"{label}, κ = {kappa:.2f}", angle, density))
            ends = (float(density[0]), float(density[-1]))
            rows.append((panel, label, kappa, *ends))
    return Reproduction(
        "thesis-7.2",
        "Angular densities of Purkayastha and of the wrapped baselines",
        ("space", "law", "κ", "density near 0", "density near π"),
        tuple(rows),
        tuple(curves),
        ("angle", "density"),
        ("The densities of the Polar Laplace law are exact here; the thesis drew 64 "
         "million samples.",),
    )  # fmt: skip


def expected_angles(setting: Setting) -> Reproduction:  # noqa: ARG001 - exact
    """Compare expected angles of Purkayastha and the baselines over kappa."""
    kappas = np.logspace(-2, 1, 31)
    laws: dict[str, Callable[[float], Symmetric]] = {
        "Purkayastha, n = 2": lambda k: Purkayastha(k, 2),
        "Wrapped Laplace": WrappedLaplace,
        "Purkayastha, n = 3": lambda k: Purkayastha(k, 3),
        "Polar Laplace": PolarLaplace,
    }
    curves = [
        curve("expected angle", label, kappas, [law(k).mean_angle() for k in kappas])
        for label, law in laws.items()
    ]
    at = 2 / math.pi
    rows = (
        (
            "Polar Laplace at κ = 2/π",
            PolarLaplace(at).mean_angle(),
            published.POLAR_ANGLE,
        ),
        ("Purkayastha, n = 3, at κ = 2/π", Purkayastha(at, 3).mean_angle(), None),
        ("uniform", math.pi / 2, None),
    )
    return Reproduction(
        "thesis-7.3",
        "Expected angles: wrapping can be worse than uniform noise",
        ("law", "ours", "published"),
        rows,
        tuple(curves),
        ("κ", "radians"),
    )


def expected_distances(setting: Setting) -> Reproduction:
    """Compare closed forms of expected distances with sampled means."""
    rng = seeded(setting.seed)
    count = setting.times(SAMPLES)
    rows, curves = [], []
    for dim in DIMENSIONS:
        exact: dict[str, list[float]] = {"VMF": [], "Purkayastha": []}
        for kappa in KAPPAS:
            vmf, pur = VonMisesFisher(kappa, dim), Purkayastha(kappa, dim)
            chord = 2 * np.sin(vmf.angles(count, rng) / 2)
            angle = pur.angles(count, rng)
            exact["VMF"].append(vmf.mean_chord())
            exact["Purkayastha"].append(pur.mean_angle())
            rows.append(
                (dim, kappa, vmf.mean_chord(), float(chord.mean()),
                 pur.mean_angle(), float(angle.mean()), published.mean_angle(dim, kappa)
                 if kappa * math.pi < 700 else None)
            )  # fmt: skip
        for label, means in exact.items():
            curves.append(curve(label, f"n = {dim}", KAPPAS, means))
    return Reproduction(
        "thesis-7.5",
        "Expected distances: chord for VMF, angle for Purkayastha",
        ("n", "κ", "VMF exact", "VMF sampled", "Purkayastha exact",
         "Purkayastha sampled", "published formula (7.26)"),
        tuple(rows),
        tuple(curves),
        ("κ", "expected distance"),
        (f"Sampled means are over {count:,} draws. Formula (7.26) as printed overflows "
         "from κ = 226 on; the exact column does not.",),
    )  # fmt: skip


def angular_cdfs(setting: Setting) -> Reproduction:  # noqa: ARG001 - exact
    """Compare our distribution functions of the angle with equation (7.28)."""
    return _cdfs("thesis-7.6", "Angular distribution functions", is_mixture=False)


def mixture_cdfs(setting: Setting) -> Reproduction:  # noqa: ARG001 - exact
    """Compare our distribution functions of the cosine with equation (7.28)."""
    return _cdfs("thesis-7.7", "Distribution functions of the cosine", is_mixture=True)


def _cdfs(name: str, title: str, *, is_mixture: bool) -> Reproduction:
    rows, curves = [], []
    angle = np.linspace(0.01, math.pi - 0.01, 61)
    x = np.cos(angle) if is_mixture else angle
    for dim in (2, 3, 25, 100, 1000):
        for kappa in (1.0, 100.0, 1000.0):
            pur, vmf = Purkayastha(kappa, dim), VonMisesFisher(kappa, dim)
            ours = pur.angle_law.sf(angle) if is_mixture else pur.angle_cdf(angle)
            printed = published.angular_cdf(angle, dim, kappa)
            printed = 1 - printed if is_mixture else printed
            error = float(np.nanmax(np.abs(ours - printed), initial=0.0))
            lost = int(np.isnan(printed).sum())
            rows.append((dim, kappa, error, lost))
            other = vmf.angle_law.sf(angle) if is_mixture else vmf.angle_cdf(angle)
            label = f"n = {dim}, κ = {kappa:g}"
            curves += [
                curve("Purkayastha", label, x, ours),
                curve("VMF", label, x, other),
            ]
    return Reproduction(
        name,
        title,
        ("n", "κ", "largest difference from (7.28)", "values of (7.28) that are NaN"),
        tuple(rows),
        tuple(curves),
        ("cos θ" if is_mixture else "θ", "probability"),
        ("Both agree wherever (7.28) can be evaluated; its terms overflow in high "
         "dimensions at large κ, from n = 369 on at κ = 1000.",),
    )  # fmt: skip
