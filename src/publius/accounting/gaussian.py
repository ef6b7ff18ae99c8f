"""What normal noise guarantees, exactly, and by the two usual Rényi conversions.

Everything depends on the ratio ``mu = sensitivity / sigma`` alone (the ``mu`` of Dong,
Roth and Su 2022). Releases about one secret compose to one Gaussian whose squared ratio
is the sum of theirs, so composition is exact as well.
"""

import math
from collections.abc import Callable

import numpy as np
import scipy

from publius.core.arrays import at_least, not_negative, positive
from publius.core.errors import GuaranteeMismatchError, ParameterError
from publius.core.guarantee import Gaussian, Guarantee
from publius.core.stating import add_up

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(120)
_HALF_LOG_2PI = math.log(2 * math.pi) / 2
USUAL_DELTA = 1e-6
"""The δ at which ε is told when none was asked for."""

_LARGEST_RATIO = 1e100
"""Of sensitivity and deviation: beyond it ε leaves the range of doubles."""

_ROOM = 1e-6
"""Share of an asked ε and δ that is left for the rounding of released numbers."""

_SAFETY = 1e-12
"""Results are moved by this share to the safe side: beyond the error of the solver."""


def gaussian_delta(epsilon: float, *, sensitivity: float, sigma: float) -> float:
    """Return the exact δ at `epsilon` (Balle and Wang 2018, Theorem 8)."""
    mu = positive("sensitivity", sensitivity) / positive("sigma", sigma)
    return min(1.0, math.exp(log_delta(not_negative("epsilon", epsilon), mu)))


def gaussian_epsilon(
    delta: float, *, sensitivity: float, sigma: float, count: int = 1
) -> float:
    """Return the exact ε at `delta` of `count` releases about the same secret."""
    ratio = positive("sensitivity", sensitivity) / positive("sigma", sigma)
    return epsilon_of(math.sqrt(at_least("count", count, 0)) * ratio, delta)


def gaussian_sigma(
    epsilon: float, delta: float, *, sensitivity: float, count: int = 1
) -> float:
    """Return the smallest σ with which `count` releases are (ε, δ)-private together."""
    positive("sensitivity", sensitivity)
    mu = _ratio_of(not_negative("epsilon", epsilon), checked_delta(delta))
    root = math.sqrt(at_least("count", count, 1))
    return positive("sigma", root * sensitivity / mu * (1 + _SAFETY))


def asked_sigma(
    sigma: float | None,
    epsilon: float | None,
    delta: float | None,
    *,
    sensitivity: float,
    count: int = 1,
) -> float:
    """Return the σ that was asked for: itself, or by an (ε, δ) of `count` releases."""
    if (sigma is None) == (epsilon is None):
        raise ParameterError(
            "say how much noise: --sigma S, or --epsilon E with --delta D, not both"
        )
    checked = checked_delta(USUAL_DELTA if delta is None else delta)
    if sigma is not None:
        if positive("sigma", sigma) * _LARGEST_RATIO < sensitivity:
            raise ParameterError(f"sigma is too small to guarantee anything: {sigma}")
        return float(sigma)
    asked = positive("epsilon", epsilon if epsilon is not None else 0.0)
    room = 1 - _ROOM
    return gaussian_sigma(
        asked * room, checked * room, sensitivity=sensitivity, count=count
    )


def guarantee_epsilon(guarantee: Guarantee, delta: float, *, changed: int = 1) -> float:
    """Return the exact ε of a guarantee of normal noise, for its most distant secrets.

    Args:
        guarantee: Its terms are all Gaussian and its diameter is known.
        delta: At which ε is stated; in (0, 1).
        changed: How many units may differ, for example the sentences of a text.
    """
    checked_delta(delta)
    total = offset = 0.0
    for term in guarantee.terms:
        if not isinstance(term, Gaussian):
            raise GuaranteeMismatchError(
                "only guarantees of normal noise have this exact (epsilon, delta)"
            )
        total += (guarantee.landmarks.diameter / term.sigma) ** 2
        offset += term.offset
    count = at_least("changed", changed, 0)
    return rounded_epsilon(math.sqrt(total * count), delta, offset * count)


def rounded_epsilon(mu: float, delta: float, offset: float) -> float:
    """Return ε at ratio `mu` if rounding changes probabilities by exp(offset / 2)."""
    return add_up(epsilon_of(mu, delta * math.exp(-offset / 2)), offset)


def mironov_epsilon(delta: float, *, sensitivity: float, sigma: float) -> float:
    """Return ε by Mironov 2017, Proposition 3, at its best order: loose, for papers."""
    rho = (positive("sensitivity", sensitivity) / positive("sigma", sigma)) ** 2 / 2
    return rho + 2 * math.sqrt(rho * -math.log(checked_delta(delta)))


def mironov_order(delta: float, *, sensitivity: float, sigma: float) -> float:
    """Return the Rényi order at which ``mironov_epsilon`` is attained."""
    rho = (positive("sensitivity", sensitivity) / positive("sigma", sigma)) ** 2 / 2
    return 1 + math.sqrt(-math.log(checked_delta(delta)) / rho)


def cks20_epsilon(delta: float, *, sensitivity: float, sigma: float) -> float:
    """Return ε by Canonne, Kamath and Steinke 2020, Prop. 12, at its best order."""
    rho = (positive("sensitivity", sensitivity) / positive("sigma", sigma)) ** 2 / 2
    log_delta_ = math.log(checked_delta(delta))

    def converted(log_excess: float) -> float:
        excess = math.exp(log_excess)  # the order minus 1
        order = 1 + excess
        gain = log_excess - math.log(order) - (log_delta_ + math.log(order)) / excess
        return rho * order + gain

    start = math.log(mironov_order(delta, sensitivity=sensitivity, sigma=sigma) - 1)
    best = scipy.optimize.minimize_scalar(
        converted, bracket=(start - 1, start + 1), tol=1e-14
    )
    return max(0.0, float(best.fun))


def checked_delta(delta: float) -> float:
    """Return `delta`, or raise unless it lies in (0, 1)."""
    if 0 < delta < 1:
        return float(delta)
    raise ParameterError(
        f"delta must lie in (0, 1), got {delta}: normal noise has no pure bound"
    )


def log_delta(epsilon: float, mu: float) -> float:
    """Return ``ln(Φ(μ/2 - ε/μ) - e^ε Φ(-μ/2 - ε/μ))`` without cancellation."""
    if mu == 0:
        return -math.inf
    shift = mu / 2 - epsilon / mu
    return _by_mills(shift, mu) if mu >= 1 else _by_quadrature(shift, mu)


def epsilon_of(mu: float, delta: float) -> float:
    """Return the exact ε at `delta` for the ratio `mu` of sensitivity and deviation."""
    target = math.log(checked_delta(delta))
    not_negative("sensitivity / sigma", mu)
    if log_delta(0.0, mu) <= target:
        return 0.0
    # Mironov's conversion is an upper bound, so the root lies below it.
    top = mu * mu / 2 + mu * math.sqrt(-2 * target)
    return min(
        top, _root(lambda e: log_delta(e, mu) - target, 0.0, top) * (1 + _SAFETY)
    )


def _ratio_of(epsilon: float, delta: float) -> float:
    """Return the largest `mu` that is (epsilon, delta)-private."""
    log_inverse = -math.log(delta)
    # The root of Mironov's bound, written without the difference of two roots.
    safe = epsilon / (
        math.sqrt((epsilon + log_inverse) / 2) + math.sqrt(log_inverse / 2)
    )
    low = max(safe, delta)
    high = 2 * low
    while log_delta(epsilon, high) <= -log_inverse:
        high *= 2
    log_ratio = _root(
        lambda s: log_delta(epsilon, math.exp(s)) + log_inverse,
        math.log(low),
        math.log(high),
    )
    return math.exp(log_ratio)


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return the sign change of a monotone function on ``[low, high]``."""
    if function(low) * function(high) >= 0:  # an end is the root, up to rounding
        return low if abs(function(low)) < abs(function(high)) else high
    return float(
        scipy.optimize.brentq(function, low, high, xtol=1e-300, rtol=1e-15, maxiter=500)
    )


def _by_mills(shift: float, mu: float) -> float:
    """For large ratios: ``e^ε φ(b) = φ(a)`` makes the second term a Mills ratio."""
    second = _mills(mu - shift)
    if shift <= 0:
        return _log_density(shift) + math.log(_mills(-shift) - second)
    log_first = float(scipy.special.log_ndtr(shift))
    log_second = _log_density(shift) + math.log(second)
    return log_first + math.log1p(-math.exp(log_second - log_first))


def _by_quadrature(shift: float, mu: float) -> float:
    """For small ratios: δ = ∫₀^∞ φ(x - a)(1 - e^{-μx}) dx has no difference in it."""
    if shift > 0:
        low, high = max(0.0, shift - 10), shift + 10
    else:
        low, high = 0.0, 140 / (math.sqrt(shift * shift + 140) - shift)
    x = low + (high - low) * (_NODES + 1) / 2
    # φ(x - a) = φ(a) e^{ax - x²/2}: φ(a) may underflow and stays a logarithm.
    values = np.exp(shift * x - x * x / 2) * -np.expm1(-mu * x)
    total = float(values @ _WEIGHTS) * (high - low) / 2
    return _log_density(shift) + math.log(total)


def _log_density(x: float) -> float:
    return -x * x / 2 - _HALF_LOG_2PI


def _mills(x: float) -> float:
    """Return ``(1 - Φ(x)) / φ(x)``."""
    return math.sqrt(math.pi / 2) * float(scipy.special.erfcx(x / math.sqrt(2)))
