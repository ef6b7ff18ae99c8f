"""The exact nearest row of a table, by blocked float32 matrix products.

With homogeneous coordinates ``a = (x, 1)`` and ``b = (v, -|v|^2 / 2)`` the nearest `v`
to `x` has the largest product ``a . b``. Both sides are scaled by powers of two, which
changes no digit, so that no entry exceeds 1 and nothing can overflow.

A float32 product of n + 1 terms differs from the true one by at most
``gamma * |a| * |b|`` with ``gamma = m u / (1 - m u)``, u = 2^-24 and m = n + 8: n + 1
for the sum in any order, with or without fused operations (Higham, Accuracy and
Stability, section 3.1), 2 for rounding `a` and `b`, the rest for underflow and for the
norms. When the two largest products are further apart than twice that bound the winner
is certain; otherwise every row within the bound is compared again in float64. All
backends share this last step, so that they give the same answers.
"""

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from publius.core.arrays import FloatArray, IdArray
from publius.core.errors import DataError, ParameterError, UnknownNameError
from publius.core.metric import Euclidean, Metric
from publius.core.space import blocks

Rows32: TypeAlias = NDArray[np.float32]

ROWS, COLUMNS = 1024, 8192
"""Queries and table rows per matrix product: 32 MiB of products."""

GROUPS = 32
"""The largest of so many interleaved columns stands for them in a first look."""

PAIRS = 1 << 16
"""Pairs compared in float64 at a time."""


class Searcher(Protocol):
    """Finds the closest row of a table."""

    def __call__(self, points: FloatArray) -> IdArray:
        """Return the id of the closest row to each point; ties go to the lowest id."""
        ...


class TopTwo(Protocol):
    """A backend: finds the two largest products of each query with a table."""

    def __call__(self, queries: Rows32) -> tuple[IdArray, Rows32, Rows32]:
        """Return the id of the largest product, its value, and the second value."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """Find the closest row of a table; ties go to the lowest id.

    Args:
        vectors: The table, ``(rows, dim)``, finite.
        backend: A name in `NEAREST`.
    """

    vectors: FloatArray
    backend: str = "numpy"
    _exponent: int = field(init=False, repr=False)
    _table: Rows32 = field(init=False, repr=False)
    _half: FloatArray = field(init=False, repr=False)
    _error: float = field(init=False, repr=False)
    _top_two: TopTwo = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.backend not in NEAREST:
            raise UnknownNameError("nearest-word backend", self.backend, NEAREST)
        largest = float(np.abs(self.vectors).max(initial=0.0))
        exponent = int(np.frexp(largest)[1])
        table, half = _homogeneous(self.vectors, exponent)
        terms = table.shape[1] + 7
        unit = 2.0**-24
        longest = float(np.sqrt(_squares(table).max(initial=0.0)))
        error = terms * unit / (1 - terms * unit) * longest
        object.__setattr__(self, "_exponent", exponent)
        object.__setattr__(self, "_table", table)
        object.__setattr__(self, "_half", half)
        object.__setattr__(self, "_error", error)
        object.__setattr__(self, "_top_two", NEAREST[self.backend](table))

    def __call__(self, points: FloatArray) -> IdArray:
        """Return the id of the closest row to each point."""
        ids = np.empty(len(points), dtype=np.int64)
        for rows in _runs(len(points), 4 * ROWS):
            ids[rows] = self._block(points[rows])
        return ids

    def neighbours(self, k: int) -> IdArray:
        """Return the `k` closest other rows of each row, closest first."""
        size = len(self.vectors)
        if not 1 <= k < size:
            raise ParameterError(f"k must be in [1, {size - 1}], got {k}")
        found = np.empty((size, k), dtype=np.int64)
        for rows in _runs(size, max(1, min(ROWS, (256 << 20) // (4 * size)))):
            found[rows] = self._others(rows, k)
        return found

    def _block(self, points: FloatArray) -> IdArray:
        queries = self._queries(points)
        ids, best, second = self._top_two(queries.astype(np.float32))
        bound = 2 * self._error * np.sqrt(_squares(queries))
        unsure = np.flatnonzero(~(best.astype(np.float64) - second > bound))
        step = max(1, (64 << 20) // (4 * len(self._table)))
        for part in _runs(len(unsure), step):
            some = unsure[part]
            ids[some] = self._settle(queries[some], bound[some])
        return ids

    def _settle(self, queries: FloatArray, bound: FloatArray) -> IdArray:
        """Compare in float64 every row whose float32 product may be the largest."""
        products = queries.astype(np.float32) @ self._table.T
        floor = products.max(axis=1).astype(np.float64) - bound
        row, column = np.nonzero(products >= _down(floor)[:, None])
        score = self._scores(queries, row, column)
        starts = np.searchsorted(row, np.arange(len(queries)))
        top = np.maximum.reduceat(score, starts)
        winners = np.flatnonzero(score == top[row])
        _, first = np.unique(row[winners], return_index=True)
        return column[winners[first]]

    def _others(self, rows: slice, k: int) -> IdArray:
        queries = self._queries(self.vectors[rows])
        products = queries.astype(np.float32) @ self._table.T
        here = np.arange(len(queries))
        products[here, np.arange(rows.start, rows.stop)] = -np.inf
        bound = 2 * self._error * np.sqrt(_squares(queries))
        floor = _lower_bound(products, k).astype(np.float64) - bound
        row, column = np.nonzero(products >= _down(floor)[:, None])
        score = self._scores(queries, row, column)
        order = np.lexsort((column, -score, row))
        starts = np.searchsorted(row, here)
        return np.asarray(column[order][starts[:, None] + np.arange(k)])

    def _queries(self, points: FloatArray) -> FloatArray:
        """Return homogeneous coordinates of points, each row scaled to at most 1."""
        x = np.ldexp(np.asarray(points, dtype=np.float64), -self._exponent)
        largest = np.maximum(np.abs(x).max(axis=1, initial=0.0), 1.0)
        scale = -np.frexp(largest)[1]
        one = np.ones((len(x), 1))
        return np.asarray(np.ldexp(np.concatenate([x, one], axis=1), scale[:, None]))

    def _scores(self, queries: FloatArray, row: IdArray, column: IdArray) -> FloatArray:
        """Return float64 products of the given pairs."""
        score = np.empty(len(row))
        for part in _runs(len(row), PAIRS):
            a, b = queries[row[part]], self.vectors[column[part]]
            b = np.ldexp(b.astype(np.float64), -self._exponent)
            dots = np.einsum("ij,ij->i", a[:, :-1], b)
            score[part] = dots - a[:, -1] * self._half[column[part]]
        return score


@dataclass(frozen=True, slots=True, eq=False)
class NumpyTopTwo:
    """Find the two largest products with NumPy's own matrix product."""

    table: Rows32

    def __call__(self, queries: Rows32) -> tuple[IdArray, Rows32, Rows32]:
        """Return the id of the largest product, its value, and the second value."""
        count = len(queries)
        ids = np.zeros(count, dtype=np.int64)
        best = np.full(count, -np.inf, dtype=np.float32)
        second = np.full(count, -np.inf, dtype=np.float32)
        products = np.empty((min(count, ROWS), COLUMNS), dtype=np.float32)
        for rows in _runs(count, ROWS):
            for columns in _runs(len(self.table), COLUMNS):
                out = products[: rows.stop - rows.start, : columns.stop - columns.start]
                if out.shape[1] < COLUMNS:
                    out = np.empty(out.shape, dtype=np.float32)
                np.matmul(queries[rows], self.table[columns].T, out=out)
                place, first, runner = _two_largest(out)
                better = first > best[rows]
                beaten = np.where(better, best[rows], first)
                second[rows] = np.maximum(np.maximum(second[rows], beaten), runner)
                best[rows] = np.where(better, first, best[rows])
                ids[rows] = np.where(better, place + columns.start, ids[rows])
        return ids, best, second


@dataclass(frozen=True, slots=True, eq=False)
class MetricNearest:
    """Find the closest row under any metric, from float64 distances to all rows."""

    metric: Metric
    vectors: FloatArray

    def __call__(self, points: FloatArray) -> IdArray:
        """Return the id of the closest row to each point."""
        ids = np.empty(len(points), dtype=np.int64)
        for block in blocks(len(points), len(self.vectors)):
            distance = self.metric.pairwise(points[block], self.vectors)
            ids[block] = distance.argmin(axis=1)
        return ids


def searcher(metric: Metric, vectors: FloatArray, backend: str = "numpy") -> Searcher:
    """Return the search for the closest row under a metric."""
    if metric.id == Euclidean.id:
        return Nearest(vectors, backend)
    return MetricNearest(metric, vectors)


def _named(module: str, name: str) -> Callable[[Rows32], TopTwo]:
    """Return a factory that imports an optional backend when it is asked for."""

    def build(table: Rows32) -> TopTwo:
        try:
            factory = getattr(importlib.import_module(module), name)
        except ImportError as missing:
            extra = module.rsplit("_", 1)[1]
            raise ParameterError(
                f"the nearest-word backend needs {missing.name!r}; "
                f"install publius[{extra}]"
            ) from None
        built: TopTwo = factory(table)
        return built

    return build


NEAREST: dict[str, Callable[[Rows32], TopTwo]] = {
    "faiss": _named("publius.embeddings.nearest_faiss", "FaissTopTwo"),
    "numpy": NumpyTopTwo,
    "torch": _named("publius.embeddings.nearest_torch", "TorchTopTwo"),
}


def _two_largest(products: Rows32) -> tuple[IdArray, Rows32, Rows32]:
    """Return place and value of the largest entry of each row, and the second value."""
    here = np.arange(len(products))
    place = products.argmax(axis=1)
    first = products[here, place]
    products[here, place] = -np.inf
    second = products.max(axis=1)
    return place, first, second


def _lower_bound(products: Rows32, k: int) -> Rows32:
    """Return a value that at least `k` entries of each row reach, close to the k-th."""
    count, width = products.shape
    groups = width // GROUPS
    if groups < 4 * k:
        return np.partition(products, width - k, axis=1)[:, width - k]
    body = products[:, : groups * GROUPS].reshape(count, GROUPS, groups)
    return np.partition(body.max(axis=1), groups - k, axis=1)[:, groups - k]


def _homogeneous(vectors: FloatArray, exponent: int) -> tuple[Rows32, FloatArray]:
    """Return float32 rows (v, -|v|^2 / 2) and the float64 halves, both scaled."""
    size, dim = vectors.shape
    table = np.empty((size, dim + 1), dtype=np.float32)
    half = np.empty(size)
    for rows in _runs(size, 8192):
        scaled = np.ldexp(vectors[rows].astype(np.float64), -exponent)
        half[rows] = _squares(scaled) / 2
        table[rows, :dim] = scaled
        table[rows, dim] = -half[rows]
    if not np.isfinite(table).all():
        row = int(np.argmin(np.isfinite(table).all(axis=1)))
        raise DataError(f"vectors must be finite; row {row} is not")
    return table, half


def _squares(rows: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))


def _down(values: FloatArray) -> Rows32:
    """Round to float32 towards minus infinity, so that a threshold loses no row."""
    return np.nextafter(values.astype(np.float32), np.float32(-np.inf))


def _runs(size: int, step: int) -> Iterator[slice]:
    for start in range(0, size, step):
        yield slice(start, min(start + step, size))
