"""The thesis's own formulas and numbers, to compare with and never to release with.

Weggenmann, Differential Privacy for Unstructured Data, 2023, chapter 7.
"""

import math

import numpy as np

from publius.core.arrays import FloatArray, Rng

MAE_EPSILONS = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
"""Row heads of figure 7.9b, in units of 1/pi per radian."""

MAE = {
    "central-Pur": (
        6.002546,
        5.959067,
        5.832634,
        4.990575,
        1.196922,
        0.121189,
        0.012263,
    ),
    "central-VMF": (
        5.959842,
        6.034504,
        5.939577,
        5.253079,
        1.896170,
        0.537524,
        0.171658,
    ),
    "central-WL": (
        5.971121,
        6.011822,
        6.063296,
        5.570354,
        1.187660,
        0.120148,
        0.012125,
    ),
    "local-Pur": (5.991626, 5.713794, 3.351836, 0.320614, 0.035210, 0.003687, 0.000369),
    "local-VMF": (6.003013, 5.789084, 3.820363, 0.406752, 0.052720, 0.014997, 0.004654),
    "local-WL": (5.949697, 5.989284, 5.839461, 0.695489, 0.034713, 0.003678, 0.000369),
}
"""Mean absolute error of the mean wake time in hours, figure 7.9b."""

SAMPLES_PURKAYASTHA, SAMPLES_WRAPPED = 750, 3600
"""Responses for an error below 0.1 at epsilon = 1, section 7.4.3.1."""

RESPONDENTS = 1508
POLAR_ANGLE = 1.733
"""Expected angle of Polar Laplace at kappa = 2 / pi, section 7.3.6.3."""


def angular_cdf(angle: FloatArray, dim: int, kappa: float) -> FloatArray:
    """Evaluate equation (7.28) as it is printed; it overflows in high dimensions."""
    with np.errstate(all="ignore"):
        start = _antiderivative(np.zeros(1), dim - 2, -kappa)
        whole = _antiderivative(np.full(1, math.pi), dim - 2, -kappa) - start
        return (_antiderivative(angle, dim - 2, -kappa) - start) / whole


def _antiderivative(x: FloatArray, power: int, rate: float) -> FloatArray:
    """Equation (7.23): a sum of power/2 terms."""
    sine, cosine = np.sin(x), np.cos(x)
    factor = 1.0 / (rate * rate + power * power) if power or rate else math.inf
    total = np.zeros_like(x)
    for k in range(power // 2 + 1):
        left = power - 2 * k
        if k:
            factor *= (left + 2) * (left + 1) / (rate * rate + left * left)
        if left:
            total += factor * sine ** (left - 1) * (rate * sine - left * cosine)
        else:
            total += factor * rate
    return np.exp(rate * x) * total


def bisection_angles(dim: int, kappa: float, count: int, rng: Rng) -> FloatArray:
    """Draw angles by algorithm 3: bisection of the printed distribution function."""
    wanted = rng.random(count)
    low, high = np.zeros(count), np.full(count, math.pi)
    for _ in range(50):
        middle = (low + high) / 2
        is_below = angular_cdf(middle, dim, kappa) < wanted
        low, high = np.where(is_below, middle, low), np.where(is_below, high, middle)
    return (low + high) / 2


def mean_angle(dim: int, kappa: float) -> float:
    """Evaluate equation (7.26)."""
    steps = np.array([dim - 2 * k for k in range(1, dim // 2 + 1)], dtype=np.float64)
    total = 2 * kappa * float((1 / (kappa * kappa + steps * steps)).sum())
    grown = math.exp(kappa * math.pi)
    if dim % 2:
        return total + math.pi / (1 + grown)
    return total + math.pi / (1 - grown) - 1 / kappa
