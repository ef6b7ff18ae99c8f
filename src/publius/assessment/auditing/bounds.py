"""Confidence bounds on the ratio of two probabilities, from counts."""

import math

import numpy as np
from scipy.stats import beta

from publius.core.arrays import FloatArray, IdArray
from publius.core.errors import ParameterError
from publius.core.estimate import Estimate


def clopper_pearson(
    hits: IdArray, n: int, risk: float
) -> tuple[FloatArray, FloatArray]:
    """Return bounds that each fail with probability at most `risk`."""
    counts = np.asarray(hits)
    low = np.where(counts > 0, beta.ppf(risk, counts, n - counts + 1), 0.0)
    high = np.where(counts < n, beta.ppf(1 - risk, counts + 1, n - counts), 1.0)
    return low, high


def loss_low(hits: IdArray, others: IdArray, n: int, risk: float) -> FloatArray:
    """Return lower bounds on ``ln(p / q)`` that each fail at most at `risk`."""
    p, _ = clopper_pearson(hits, n, risk / 2)
    _, q = clopper_pearson(others, n, risk / 2)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(p) - np.log(q))


def loss_estimate(
    hits: int,
    others: int,
    n: int,
    confidence: float,
    searched: int = 1,
    *,
    delta: float = 0.0,
) -> Estimate:
    """Return the log-ratio of two shares of `n` draws, with its interval.

    Both ends hold together with the stated confidence for all `searched` hypotheses
    (Bonferroni), so each of the four Clopper-Pearson bounds gets a quarter of its part.
    A claim about all but a probability `delta` is compared with ``ln((p - delta)/q)``.
    """
    if not 0 < confidence < 1:
        raise ParameterError(f"confidence must lie in (0, 1), got {confidence}")
    risk = (1 - confidence) / (4 * searched)
    p_low, p_high = clopper_pearson(np.array([hits]), n, risk)
    q_low, q_high = clopper_pearson(np.array([others]), n, risk)
    return Estimate(
        value=_log_ratio(max(hits / n - delta, 0.0), others / n),
        low=_log_ratio(max(float(p_low[0]) - delta, 0.0), float(q_high[0])),
        high=_log_ratio(max(float(p_high[0]) - delta, 0.0), float(q_low[0])),
        confidence=confidence,
        n=2 * n,
    )


def _log_ratio(p: float, q: float) -> float:
    if p == q:
        return 0.0
    if q == 0:
        return math.inf
    return math.log(p / q) if p > 0 else -math.inf
