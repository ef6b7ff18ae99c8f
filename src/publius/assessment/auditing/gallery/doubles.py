"""Noise added in floating point and released as it is: how Publius once drew.

These are the laws called ``.v1`` of five mechanisms. Over the real numbers they meet
their guarantee; the doubles that they release do not.
"""

import math
from collections.abc import Callable

import numpy as np

from publius.assessment.auditing.gallery.samples import laplace_noise, pair_at
from publius.assessment.auditing.lattice import audit_lattice
from publius.assessment.auditing.sampled import Plan
from publius.assessment.auditing.verdict import Verdict
from publius.core.arrays import FloatArray, Rng

PLAN = Plan(draws=100_000)
EPSILON = 10.0
NEAR = 0.01

Sum = Callable[[FloatArray, int, Rng], FloatArray]
"""Draws so many outputs around a centre."""


def laplace(centre: FloatArray, count: int, rng: Rng) -> FloatArray:
    """``laplace.v1``; also ``projection.v1`` and ``tangent_laplace.v1``."""
    return np.asarray(centre + laplace_noise(count, len(centre), EPSILON, rng))


def gaussian(centre: FloatArray, count: int, rng: Rng) -> FloatArray:
    """``gaussian.v1``, around a vector that is contracted already."""
    return np.asarray(centre + rng.standard_normal((count, len(centre))))


def mahalanobis(centre: FloatArray, count: int, rng: Rng) -> FloatArray:
    """``mahalanobis.v1`` with a public shape."""
    dim = len(centre)
    root = np.eye(dim) + 0.3 * np.ones((dim, dim)) / dim
    return np.asarray(centre + laplace_noise(count, dim, EPSILON, rng) @ root)


SUMS: dict[str, tuple[Sum, int]] = {
    "laplace": (laplace, 2),
    "laplace of the README": (laplace, 100),
    "gaussian": (gaussian, 2),
    "mahalanobis": (mahalanobis, 2),
    "projection": (laplace, 3),
    "tangent_laplace": (laplace, 2),
}
"""What was released before, and in how many dimensions it is attacked."""


def raw_sum(name: str, rng: Rng) -> Verdict:
    """Attack the doubles of one of `SUMS` at 0 and at a point 0.01 away."""
    add, dim = SUMS[name]
    centres = np.zeros((2, dim))
    centres[1] = NEAR / math.sqrt(dim)

    def draw(place: int, count: int, rng: Rng) -> FloatArray:
        return add(centres[place], count, rng)

    return audit_lattice(draw, centres, pair_at(NEAR), EPSILON, rng, plan=PLAN)
