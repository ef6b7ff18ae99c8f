"""Noise of the experiments: offsets on the circle, walks on the globe.

Offsets are drawn directly from the exact law of the angle, without the public grid of a
release: an experiment measures the law, and nothing of it is published.
"""

import math
from collections.abc import Callable
from typing import Protocol, TypeAlias

import numpy as np

from publius.core.arrays import FloatArray, Rng
from publius.mechanisms.polar_laplace import PolarLaplace
from publius.mechanisms.purkayastha import Purkayastha
from publius.mechanisms.von_mises_fisher import VonMisesFisher
from publius.mechanisms.wrapped_laplace import WrappedLaplace
from publius.numerics.geometry.circle import wrap
from publius.numerics.geometry.earth import step


class Angles(Protocol):
    """A law that is known by its angle."""

    def angles(self, count: int, rng: Rng) -> FloatArray:
        """Draw angles."""
        ...


Turn: TypeAlias = Callable[[FloatArray, Rng], FloatArray]
Walk: TypeAlias = Callable[[FloatArray, FloatArray, Rng], tuple[FloatArray, FloatArray]]


def turning(law: Angles) -> Turn:
    """Return the mechanism of a symmetric law on angles of the circle."""

    def turn(angle: FloatArray, rng: Rng) -> FloatArray:
        offset = law.angles(angle.size, rng).reshape(angle.shape)
        sign = 1 - 2 * rng.integers(0, 2, size=angle.shape)
        return wrap(angle + sign * offset)

    return turn


def clipping(kappa: float) -> Turn:
    """Return the clipped Laplace baseline on angles in [-pi, pi]."""

    def turn(angle: FloatArray, rng: Rng) -> FloatArray:
        noisy = angle + rng.laplace(0.0, 1 / kappa, size=angle.shape)
        return np.clip(noisy, -math.pi, math.pi)

    return turn


def walking(law: Angles) -> Walk:
    """Return the mechanism of a symmetric law on places of the globe."""

    def walk(
        lat: FloatArray, lon: FloatArray, rng: Rng
    ) -> tuple[FloatArray, FloatArray]:
        angle = law.angles(lat.size, rng)
        return step(lat, lon, angle, rng.uniform(0, 2 * math.pi, lat.size))

    return walk


def circle_mechanisms(kappa: float) -> dict[str, Turn]:
    """Return the thesis's mechanisms on the circle at equal kappa per radian."""
    return {
        "Pur": turning(Purkayastha(kappa, 2)),
        "VMF": turning(VonMisesFisher(kappa, 2)),
        "WL": turning(WrappedLaplace(kappa)),
    }


def published_pure(epsilon: float) -> dict[str, Turn]:
    """Return the mechanisms on the circle at kappa = epsilon / sensitivity."""
    return {
        "Pur": turning(Purkayastha(epsilon / math.pi, 2)),
        "VMF": turning(VonMisesFisher(epsilon / 2, 2)),
        "WL": turning(WrappedLaplace(epsilon / math.pi)),
    }


def pure_mechanisms(epsilon: float) -> dict[str, Turn]:
    """Return the mechanisms on the circle at equal exact pure loss."""
    return {
        "Pur": turning(Purkayastha.from_pure(epsilon=epsilon)),
        "VMF": turning(VonMisesFisher.from_pure(epsilon=epsilon)),
        "WL": turning(WrappedLaplace.from_pure(epsilon=epsilon)),
    }


def globe_mechanisms(kappa: float) -> dict[str, Walk]:
    """Return the thesis's mechanisms on the globe at equal kappa per radian."""
    return {
        "Pur": walking(Purkayastha(kappa, 3)),
        "VMF": walking(VonMisesFisher(kappa, 3)),
        "Polar": walking(PolarLaplace(kappa)),
    }
