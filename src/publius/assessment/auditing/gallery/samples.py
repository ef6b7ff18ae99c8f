"""Mechanisms on vectors that violate their guarantee, audited by sampling."""

import math

import numpy as np
from scipy.special import gammainc

from publius.assessment.auditing.bounds import clopper_pearson
from publius.assessment.auditing.sampled import Plan, audit_sampled
from publius.assessment.auditing.verdict import Verdict
from publius.core.arrays import FloatArray, Rng
from publius.core.estimate import Estimate

PLAN = Plan(draws=200_000)


def pair_at(distance: float) -> FloatArray:
    """Return the distances of two secrets."""
    return np.array([[0.0, distance], [distance, 0.0]])


def laplace_noise(count: int, dim: int, epsilon: float, rng: Rng) -> FloatArray:
    """Draw noise with density proportional to ``exp(-epsilon * ||z||)``."""
    ray = rng.normal(size=(count, dim))
    ray /= np.linalg.norm(ray, axis=1, keepdims=True)
    return np.asarray(ray * rng.gamma(dim, 1 / epsilon, size=(count, 1)))


def per_coordinate(rng: Rng) -> Verdict:
    """Laplace noise on each coordinate, calibrated to the Euclidean distance."""
    dim, distance = 4, 2.0

    def draw(place: int, count: int, rng: Rng) -> FloatArray:
        secret = place * distance / math.sqrt(dim)
        return np.asarray(secret + rng.laplace(size=(count, dim)))

    return audit_sampled(draw, pair_at(distance), 1.0, PLAN, rng)


def shared_stream(rng: Rng) -> Verdict:
    """Two workers that were forked with one random stream draw the same noise."""

    def draw(place: int, count: int, rng: Rng) -> FloatArray:
        noise = rng.laplace(size=count)
        return np.column_stack([noise, place + noise])

    return audit_sampled(draw, pair_at(1.0), 1.0, PLAN, rng)


def clipped_circle(rng: Rng) -> Verdict:
    """Laplace noise on an angle, clipped to half a turn: a heap at the antipode."""

    def draw(place: int, count: int, rng: Rng) -> FloatArray:
        noise = np.clip(rng.laplace(size=count), -math.pi, math.pi)
        return np.mod(place * 0.5 + noise, 2 * math.pi)

    return audit_sampled(draw, pair_at(0.5), 1.0, PLAN, rng)


def polar_sphere(rng: Rng) -> Verdict:
    """A planar Laplace step walked along a great circle: a pole at the antipode."""
    kappa, distance = 1.0, 0.1

    def draw(place: int, count: int, rng: Rng) -> FloatArray:
        walk, turn = rng.gamma(2, 1 / kappa, count), rng.uniform(0, 2 * math.pi, count)
        tilt = place * distance
        north = np.array([math.sin(tilt), 0.0, math.cos(tilt)])
        east = np.array([math.cos(tilt), 0.0, -math.sin(tilt)])
        side = np.outer(np.cos(turn), east) + np.outer(np.sin(turn), [0.0, 1.0, 0.0])
        walked = np.cos(walk)[:, None] * north + np.sin(walk)[:, None] * side
        # Distances to the antipodes of both secrets make the poles visible.
        other = np.array([math.sin(distance), 0.0, math.cos(distance)])
        far = [np.linalg.norm(walked + end, axis=1) for end in ([0.0, 0.0, 1.0], other)]
        return np.asarray(np.log(np.column_stack(far)))

    return audit_sampled(draw, pair_at(distance), kappa, PLAN, rng)


def float_lattice(rng: Rng) -> Verdict:
    """Laplace noise in floating point: the last bits name the secret."""

    def draw(place: int, count: int, rng: Rng) -> FloatArray:
        return np.asarray(float(place) + rng.laplace(size=count))

    plan = Plan(draws=PLAN.draws, low_bits=True)
    return audit_sampled(draw, pair_at(1.0), 1.0, plan, rng)


def utility_bound(rng: Rng) -> tuple[float, Estimate]:
    """Return the published probability of a near bag, and the share measured.

    Theorem 3 of the 2019 paper guarantees at least ``P(n, eps N D)`` for an Earth
    Mover's distance of at most ``D``; the radii of N words sum to Gamma(N n), not
    Gamma(n).
    """
    count, dim, epsilon, draws, confidence = 5, 2, 1.0, 100_000, 0.999
    total = 0.7
    bound = float(gammainc(dim, total))
    # A bag of copies of one word: every assignment costs the same, the mean radius.
    noise = laplace_noise(draws * count, dim, epsilon, rng)
    radius = np.linalg.norm(noise, axis=1).reshape(draws, count)
    hits = int((radius.sum(axis=1) <= total).sum())
    low, high = clopper_pearson(np.array([hits]), draws, (1 - confidence) / 2)
    share = Estimate(hits / draws, float(low[0]), float(high[0]), confidence, draws)
    return bound, share
