"""Distances between points: the unit in which privacy is guaranteed."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
import scipy

from publius.core.arrays import FloatArray, positive, shortest
from publius.core.errors import DataError, UnknownNameError

CANCELLED = 1e-4
"""Squared distances below this share of the squared norms are formed again."""

PAIRS = 1 << 14
"""Near pairs are formed again this many at a time."""

TILE = 2048
"""Columns of a matrix of distances that are formed at a time."""


@runtime_checkable
class Metric(Protocol):
    """A distance on rows of coordinates."""

    @property
    def id(self) -> str:
        """Name that enters a guarantee."""
        ...

    def distance(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return the distance of each row of `a` to the same row of `b`."""
        ...

    def pairwise(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return the float64 matrix of distances from rows of `a` to rows of `b`."""
        ...


@dataclass(frozen=True, slots=True)
class Euclidean:
    """The length of the difference."""

    id: ClassVar[str] = "euclidean"

    def distance(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return row-wise distances."""
        return _length(_double(a) - _double(b))

    def pairwise(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return all distances, from matrix products."""
        return _tiled(lambda u, v: np.sqrt(_squared(u, v)), _double(a), b)


@dataclass(frozen=True, slots=True)
class Manhattan:
    """The sum of absolute differences."""

    id: ClassVar[str] = "manhattan"

    def distance(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return row-wise distances."""
        return np.abs(_double(a) - _double(b)).sum(axis=-1)

    def pairwise(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return all distances."""
        return np.asarray(
            scipy.spatial.distance.cdist(_double(a), _double(b), "cityblock")
        )


@dataclass(frozen=True, slots=True)
class Angular:
    """The angle between two directions, in radians."""

    id: ClassVar[str] = "angular"

    def distance(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return row-wise angles."""
        u, v = _unit(_double(a)), _unit(_double(b))
        chord = _length(u - v)
        # arccos of a dot product loses half the digits near 0 and pi.
        return 2 * np.arctan2(chord, _length(u + v))

    def pairwise(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return all angles."""
        return _tiled(lambda u, v: _angles(u, _unit(v)), _unit(_double(a)), b)


@dataclass(frozen=True, slots=True)
class Discrete:
    """0 between equal rows and 1 otherwise: local differential privacy."""

    id: ClassVar[str] = "discrete"

    def distance(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return row-wise distances."""
        return (_double(a) != _double(b)).any(axis=-1).astype(np.float64)

    def pairwise(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return all distances."""
        return (
            np.asarray(
                scipy.spatial.distance.cdist(_double(a), _double(b), "chebyshev")
            )
            > 0
        ).astype(np.float64)


@dataclass(frozen=True, slots=True)
class Hyperbolic:
    """The geodesic distance in the Poincaré ball, of curvature -1.

    ``cosh d = 1 + 2 |u - v|^2 / ((1 - |u|^2) (1 - |v|^2))``. Rows must be shorter
    than 1.
    """

    id: ClassVar[str] = "hyperbolic"

    def distance(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return row-wise distances."""
        u, v = _double(a), _double(b)
        square = ((u - v) ** 2).sum(axis=-1)
        return _arcosh1p(2.0 * square / (_room(u) * _room(v)))

    def pairwise(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return all distances, from one matrix product."""
        u, v = _double(a), _double(b)
        scale_u, scale_v = 2.0 / _room(u), 1.0 / _room(v)
        t = _squared(u, v)
        t *= scale_u[:, None]
        t *= scale_v[None, :]
        return _arcosh1p(t)


@dataclass(frozen=True, slots=True)
class Capped:
    """``min(d, cap)``, a metric whenever `d` is one (Carvalho et al., TEM)."""

    inner: Metric
    cap: float

    def __post_init__(self) -> None:
        positive("cap", self.cap)

    @property
    def id(self) -> str:
        """Name of the inner metric with the cap."""
        return f"{self.inner.id}:cap={shortest(self.cap)}"

    def distance(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return row-wise distances."""
        return np.minimum(self.inner.distance(a, b), self.cap)

    def pairwise(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return all distances."""
        return np.minimum(self.inner.pairwise(a, b), self.cap)


POINT_METRICS: dict[str, Metric] = {
    metric.id: metric
    for metric in (Angular(), Discrete(), Euclidean(), Hyperbolic(), Manhattan())
}


def point_metric(name: str, cap: float = math.inf) -> Metric:
    """Return a metric on coordinates by its name, capped if asked."""
    if name not in POINT_METRICS:
        raise UnknownNameError("metric", name, POINT_METRICS)
    metric = POINT_METRICS[name]
    return metric if math.isinf(cap) else Capped(metric, cap)


def _double(a: FloatArray) -> FloatArray:
    return np.asarray(a, dtype=np.float64)


def _length(a: FloatArray) -> FloatArray:
    return np.asarray(np.sqrt(np.vecdot(a, a)))


def _unit(a: FloatArray) -> FloatArray:
    length = np.linalg.norm(a, axis=-1, keepdims=True)
    return a / np.where(length > 0, length, 1.0)


def _room(a: FloatArray) -> FloatArray:
    """Return ``1 - |a|^2`` of rows of the ball, or raise and name a row outside."""
    room = 1.0 - (a * a).sum(axis=-1)
    inside = room > 0
    if not inside.all():
        raise DataError(
            "hyperbolic distance is for points inside the unit ball; row "
            f"{int(np.argmin(inside))} is on its boundary or outside"
        )
    return np.asarray(room)


def _arcosh1p(t: FloatArray) -> FloatArray:
    """Return arcosh(1 + t) in place of t, with all digits near 0."""
    root = np.sqrt(t)
    root *= np.sqrt(t + 2.0)
    root += t
    return np.asarray(np.log1p(root))


def _tiled(
    form: Callable[[FloatArray, FloatArray], FloatArray], a: FloatArray, b: FloatArray
) -> FloatArray:
    """Return a matrix formed in runs of columns that stay in the cache."""
    whole = np.empty((len(a), len(b)))
    for start in range(0, len(b), TILE):
        part = slice(start, start + TILE)
        whole[:, part] = form(a, _double(b[part]))
    return whole


def _angles(u: FloatArray, v: FloatArray) -> FloatArray:
    """Return the angles between unit rows, from chords and antichords."""
    both = np.vecdot(u, u)[:, None] + np.vecdot(v, v)[None, :]
    product = 2.0 * (u @ v.T)
    chord = np.sqrt(_formed_again(both - product, both, u, v))
    antichord = np.sqrt(_formed_again(both + product, both, u, -v))
    return np.asarray(2 * np.arctan2(chord, antichord))


def _squared(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return squared distances from a matrix product, near pairs from differences."""
    both = np.vecdot(a, a)[:, None] + np.vecdot(b, b)[None, :]
    return _formed_again(both - 2.0 * (a @ b.T), both, a, b)


def _formed_again(
    square: FloatArray, both: FloatArray, a: FloatArray, b: FloatArray
) -> FloatArray:
    """Form squares far below the squared norms of both again, from differences."""
    # A product is exact to 1e-15 of the squared norms: too coarse for near pairs.
    rows, columns = np.nonzero(square <= CANCELLED * both)
    for start in range(0, len(rows), PAIRS):
        i, j = rows[start : start + PAIRS], columns[start : start + PAIRS]
        square[i, j] = ((a[i] - b[j]) ** 2).sum(axis=1)
    return square
