"""Weggenmann 2023: Theorem 2.21, figure 5.1 and figure 6.2, all from formulas."""

import math
from collections.abc import Callable

import numpy as np
from scipy.integrate import dblquad

from publius.accounting.covariance import (
    covariance_epsilon,
    covariance_renyi,
    mahalanobis_norm,
)
from publius.accounting.gaussian import (
    cks20_epsilon,
    gaussian_epsilon,
    mironov_epsilon,
    mironov_order,
)
from publius.assessment.comparison.pictures import lines
from publius.assessment.comparison.rows import Cell, Row
from publius.core.arrays import FloatArray
from publius.mechanisms.syntf import alternative_loss
from publius.papers.experiment import Experiment, Outcome, Request, by_name

SIZES = (2, 100, 30_000)
"""Output spaces of figure 5.1."""

SENSITIVITY, DELTA = 6.0, 1e-6
"""Of figure 6.2: R = 3, and the δ of the printed values."""

PUBLISHED = {1.0: (34.539, 1.876), 14.2: (None, 13.398), 38.8: (0.815, 34.996)}
"""ε and Rényi order of chapter 6, by σ."""

STEP = np.array([0.5, -0.3])
COVARIANCES = {
    "equal axes": np.eye(2),
    "stretched": np.diag([4.0, 0.25]),
    "correlated": np.array([[1.0, 0.9], [0.9, 1.0]]),
}
ORDERS = (1.5, 2.0, 4.0)


def covariance(request: Request) -> Outcome:
    """Theorem 2.21: the Rényi divergence of two Gaussians against its integral."""
    rows: list[Row] = []
    for name, matrix in COVARIANCES.items():
        request.progress(name)
        for order in ORDERS[:1] if request.quick else ORDERS:
            stated = covariance_renyi(order, differences=STEP, covariance=matrix)
            rows.append(
                {
                    "covariance": name,
                    "Mahalanobis norm": float(mahalanobis_norm(STEP, matrix)[0]),
                    "order": order,
                    "stated": stated,
                    "integrated": _divergence(order, STEP, matrix),
                    "exact epsilon at 1e-6": covariance_epsilon(
                        DELTA, differences=STEP, covariance=matrix
                    ),
                }
            )
    notes = (
        "The theorem states (order / 2) times the squared Mahalanobis norm; beside it "
        "the integral of p^order q^(1 - order) for two normal laws whose means differ "
        "by (0.5, -0.3). Euclidean length alone does not tell the loss: the three "
        "covariances differ by a factor. The thesis prints no numbers.",
        "In Python: publius.accounting.covariance.",
    )
    return Outcome(tuple(rows), notes)


def _divergence(order: float, step: FloatArray, matrix: FloatArray) -> float:
    """Integrate over the plane, in units of the law's own deviations."""
    root = np.linalg.cholesky(matrix)
    away = np.linalg.solve(root, step)

    def ratio(v: float, u: float) -> float:
        # Both laws in coordinates in which the noise is standard normal.
        first = -((u - away[0]) ** 2 + (v - away[1]) ** 2) / 2
        second = -(u * u + v * v) / 2
        return math.exp(order * first + (1 - order) * second) / (2 * math.pi)

    reach = 8 + order * float(np.linalg.norm(away))
    integral, _ = dblquad(ratio, -reach, reach, -reach, reach, epsabs=1e-9, epsrel=1e-9)
    return math.log(integral) / (order - 1)


def loss_bounds(request: Request) -> Outcome:
    """Figure 5.1: standard and alternative bound of the exponential mechanism."""
    at = np.linspace(1, 40, 8 if request.quick else 40)
    rows: list[Row] = []
    series: dict[str, list[tuple[float, float]]] = {"ε": []}
    for epsilon in at.tolist():
        row: dict[str, Cell] = {"epsilon": epsilon, "standard": epsilon}
        series["ε"].append((epsilon, epsilon))
        for size in SIZES:
            bound = alternative_loss(epsilon, size)
            row[f"L = {size:,}"] = bound
            series.setdefault(f"ε + ln η, L = {size:,}", []).append((epsilon, bound))
        rows.append(row)
    notes = (
        "The figure is published without numbers. As it shows, the bound is half of ε "
        "for L = 2, and hardly below ε for 30,000 outputs until ε is about 2 ln L = "
        f"{2 * math.log(30_000):.1f}: then it bends. What the mechanism really loses "
        "is lower still, and Publius computes it (eq. 5.1; syntf-fig53, "
        "loss_per_term).",
    )
    return Outcome(tuple(rows), notes, lines(series, "ε", "bound on the loss"))


def renyi_curves(request: Request) -> Outcome:
    """Figure 6.2: (ε, δ) of Gaussian noise at sensitivity 6, three conversions."""
    scales = sorted({*np.geomspace(0.01, 100, 9 if request.quick else 41), *PUBLISHED})
    conversions: dict[str, Callable[..., float]] = {
        "Mironov": mironov_epsilon,
        "CKS": cks20_epsilon,
        "exact": gaussian_epsilon,
    }
    rows: list[Row] = []
    series: dict[str, list[tuple[float, float]]] = {}
    for delta in (1e-3, DELTA, 1e-9):
        for sigma in scales:
            kinds = {"sensitivity": SENSITIVITY, "sigma": float(sigma)}
            row: dict[str, Cell] = {"delta": delta, "sigma": float(sigma)}
            for name, convert in conversions.items():
                row[name] = convert(delta, **kinds)
                if delta == DELTA or name == "exact":
                    points = series.setdefault(f"{name}, δ = {delta:g}", [])
                    points.append(
                        (math.log10(sigma), math.log10(float(row[name] or 1)))
                    )
            row["order"] = mironov_order(delta, **kinds)
            paper = (
                PUBLISHED.get(float(sigma), (None, None)) if delta == DELTA else None
            )
            row["published epsilon"], row["published order"] = paper or (None, None)
            rows.append(row)
    notes = (
        "The thesis converts by Mironov's Proposition 3 (its Proposition 2.11). Its "
        "orders are right, up to the rounding of σ; its ε at σ = 1 and 38.8 miss a "
        "square: 49.5 and 0.825 by its own formula, 45.8 and 0.633 exactly.",
        "The figure is drawn with logarithms to the base 10 on both axes.",
    )
    picture = lines(series, "log10 σ", "log10 ε at sensitivity 6")
    return Outcome(tuple(rows), notes, picture)


EXPERIMENTS = by_name(
    Experiment(
        "thesis-theorem2.21",
        "Thesis, Theorem 2.21: normal noise with a full covariance",
        (),
        covariance,
    ),
    Experiment(
        "thesis-5.1",
        "Thesis, figure 5.1: bounds on the loss of the exponential mechanism",
        (),
        loss_bounds,
    ),
    Experiment(
        "thesis-6.2",
        "Thesis, figure 6.2: (ε, δ) of Gaussian noise from Rényi curves",
        (),
        renyi_curves,
    ),
)
