"""The exact nearest row of a table, by blocked float32 matrix products.

With homogeneous coordinates ``a = (x, 1)`` and ``b = (v, -|v|^2 / 2)`` the nearest `v`
to `x` has the largest product ``a . b``. Coordinates count from the mean of the table.
Both sides are scaled by powers of two, which changes no digit, so that the largest
entry is between 1/2 and 1 and nothing can overflow.

A float32 product of n + 1 terms differs from the true one by at most
``gamma * |a| * |b|`` with ``gamma = m u / (1 - m u)``, u = 2^-24 and m = n + 8: n + 1
for the sum in any order, with or without fused operations (Higham, Accuracy and
Stability, section 3.1), 2 for rounding `a` and `b`, the rest for centring, underflow
and the norms. When the two largest products are further apart than twice that bound
the winner is certain; otherwise every row within the bound is compared again in
float64. All backends share this last step, so that they give the same answers.
"""

import importlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from publius.core.arrays import FloatArray, IdArray
from publius.core.errors import DataError, ParameterError, UnknownNameError
from publius.core.metric import Euclidean, Metric
from publius.core.space import blocks
from publius.numerics.parallel import map_blocks

Rows32: TypeAlias = NDArray[np.float32]

ROWS, COLUMNS = 512, 4096
"""Queries and table rows per matrix product: 8 MiB of products."""

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

    @property
    def batch(self) -> int:
        """How many queries it likes to get at a time."""
        ...

    def __call__(self, queries: Rows32) -> tuple[IdArray, Rows32, Rows32]:
        """Return the id of the largest product, its value, and the second value."""
        ...

    def contenders(self, queries: Rows32, bound: FloatArray) -> tuple[IdArray, IdArray]:
        """Return query and row of every product within `bound` of the largest one."""
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
    _centre: FloatArray = field(init=False, repr=False)
    _exponent: int = field(init=False, repr=False)
    _table: Rows32 = field(init=False, repr=False)
    _error: float = field(init=False, repr=False)
    _top_two: TopTwo = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.backend not in NEAREST:
            raise UnknownNameError("nearest-word backend", self.backend, NEAREST)
        centre, exponent = _frame(self.vectors)
        table = _homogeneous(self.vectors, centre, exponent)
        terms = table.shape[1] + 7
        unit = 2.0**-24
        longest = float(np.sqrt(_squares(table).max(initial=0.0)))
        error = terms * unit / (1 - terms * unit) * longest
        object.__setattr__(self, "_centre", centre)
        object.__setattr__(self, "_exponent", exponent)
        object.__setattr__(self, "_table", table)
        object.__setattr__(self, "_error", error)
        object.__setattr__(self, "_top_two", NEAREST[self.backend](table))

    @property
    def table(self) -> Rows32:
        """Homogeneous coordinates of the rows, as backends take them."""
        return self._table

    @property
    def centre(self) -> FloatArray:
        """The mean of the table."""
        return self._centre

    @property
    def exponent(self) -> int:
        """The power of two by which centred coordinates are divided."""
        return self._exponent

    @property
    def error(self) -> float:
        """Largest error of a product with a query of length 1."""
        return self._error

    def __call__(self, points: FloatArray) -> IdArray:
        """Return the id of the closest row to each point."""
        ids = np.empty(len(points), dtype=np.int64)
        for rows in _runs(len(points), self._top_two.batch):
            ids[rows] = self._block(points[rows])
        return ids

    def neighbours(self, k: int) -> IdArray:
        """Return the `k` closest other rows of each row, closest first."""
        size = len(self.vectors)
        if not 1 <= k < size:
            raise ParameterError(f"k must be in [1, {size - 1}], got {k}")
        ids = np.empty((size, k), dtype=np.int64)
        for rows in _runs(size, max(1, min(ROWS, (256 << 20) // (4 * size)))):
            ids[rows] = self._others(rows, k)
        return ids

    def _block(self, points: FloatArray) -> IdArray:
        runs = _runs(len(points), ROWS)
        parts = map_blocks(lambda run: self._queries(points[run]), runs)
        queries = np.concatenate(list(parts))
        ids, best, second = self._top_two(queries.astype(np.float32))
        bound = 2 * self._error * np.sqrt(_squares(queries))
        unsure = np.flatnonzero(~(best.astype(np.float64) - second > bound))
        step = max(1, (64 << 20) // (4 * len(self._table)))
        for part in _runs(len(unsure), step):
            some = unsure[part]
            ids[some] = self._settle(points[some], queries[some], bound[some])
        return ids

    def _settle(
        self, points: FloatArray, queries: FloatArray, bound: FloatArray
    ) -> IdArray:
        """Compare in float64 every row whose float32 product may be the largest."""
        row, column = self._top_two.contenders(queries.astype(np.float32), bound)
        starts = np.searchsorted(row, np.arange(len(queries)))
        # Differences to a row that is itself close to the point keep all digits.
        winner = column[starts]
        for _ in range(2):
            lead = self._leads(points, row, column, winner)
            top = np.maximum.reduceat(lead, starts)
            best = np.flatnonzero(lead == top[row])
            _, first = np.unique(row[best], return_index=True)
            winner = column[best[first]]
        return winner

    def _others(self, rows: slice, k: int) -> IdArray:
        queries = self._queries(self.vectors[rows])
        products = queries.astype(np.float32) @ self._table.T
        here = np.arange(len(queries))
        products[here, np.arange(rows.start, rows.stop)] = -np.inf
        bound = 2 * self._error * np.sqrt(_squares(queries))
        floor = _lower_bound(products, k).astype(np.float64) - bound
        row, column = np.nonzero(products >= _down(floor)[:, None])
        distance = self._distances(row + rows.start, column)
        order = np.lexsort((column, distance, row))
        starts = np.searchsorted(row, here)
        return np.asarray(column[order][starts[:, None] + np.arange(k)])

    def _queries(self, points: FloatArray) -> FloatArray:
        """Return homogeneous coordinates of points, each row scaled to at most 1."""
        x, shift = self._scaled(points)
        last = np.ldexp(1.0, shift + self._exponent)
        queries = np.concatenate([x - np.ldexp(self._centre, shift), last], axis=1)
        largest = np.abs(queries).max(axis=1, keepdims=True)
        return np.asarray(np.ldexp(queries, -np.frexp(largest)[1]))

    def _scaled(self, points: FloatArray) -> tuple[FloatArray, NDArray[np.int32]]:
        """Return points times a power of two per row, and the exponents."""
        x = np.asarray(points, dtype=np.float64)
        largest = np.abs(x).max(axis=1, keepdims=True)
        largest = np.maximum(largest, np.abs(self._centre).max())
        shift = -np.maximum(np.frexp(largest)[1], self._exponent)
        return np.ldexp(x, shift), shift

    def _leads(
        self, points: FloatArray, row: IdArray, column: IdArray, pivot: IdArray
    ) -> FloatArray:
        """Return by how much each pair is closer than point and pivot, up to a factor.

        ``|x - c|^2 - |x - v|^2 = ((x - v) + (x - c)) . (v - c)``.
        """
        scaled, shifts = self._scaled(points)
        lead = np.empty(len(row))
        for part in _runs(len(row), PAIRS):
            x, shift = scaled[row[part]], shifts[row[part]]
            v = self.vectors[column[part]].astype(np.float64)
            c = self.vectors[pivot[row[part]]].astype(np.float64)
            both = (x - np.ldexp(v, shift)) + (x - np.ldexp(c, shift))
            step = np.ldexp(v, -self._exponent) - np.ldexp(c, -self._exponent)
            lead[part] = np.einsum("ij,ij->i", both, step)
        return lead

    def _distances(self, row: IdArray, column: IdArray) -> FloatArray:
        """Return squared float64 distances between the given pairs of table rows."""
        distance = np.empty(len(row))
        for part in _runs(len(row), PAIRS):
            a = self.vectors[row[part]].astype(np.float64)
            b = self.vectors[column[part]].astype(np.float64)
            step = np.ldexp(a, -self._exponent) - np.ldexp(b, -self._exponent)
            distance[part] = _squares(step)
        return distance


@dataclass(frozen=True, slots=True, eq=False)
class NumpyTopTwo:
    """Find the two largest products with NumPy's own matrix product."""

    batch: ClassVar[int] = 8 * ROWS

    table: Rows32

    def __call__(self, queries: Rows32) -> tuple[IdArray, Rows32, Rows32]:
        """Return the id of the largest product, its value, and the second value."""
        # One thread per run of queries: products and their largest entries overlap.
        runs = _runs(len(queries), ROWS)
        parts = list(map_blocks(lambda run: self._run(queries[run]), runs))
        if not parts:
            empty = np.empty(0, dtype=np.float32)
            return np.empty(0, dtype=np.int64), empty, empty
        ids, best, second = zip(*parts, strict=True)
        return np.concatenate(ids), np.concatenate(best), np.concatenate(second)

    def _run(self, queries: Rows32) -> tuple[IdArray, Rows32, Rows32]:
        count = len(queries)
        ids = np.zeros(count, dtype=np.int64)
        best = np.full(count, -np.inf, dtype=np.float32)
        second = np.full(count, -np.inf, dtype=np.float32)
        for columns in _runs(len(self.table), COLUMNS):
            place, first, runner = _two_largest(queries @ self.table[columns].T)
            better = first > best
            beaten = np.where(better, best, first)
            second = np.maximum(np.maximum(second, beaten), runner)
            best = np.where(better, first, best)
            ids = np.where(better, place + columns.start, ids)
        return ids, best, second

    def contenders(self, queries: Rows32, bound: FloatArray) -> tuple[IdArray, IdArray]:
        """Return query and row of every product within `bound` of the largest one."""
        return contenders(self.table, queries, bound)


def contenders(
    table: Rows32, queries: Rows32, bound: FloatArray
) -> tuple[IdArray, IdArray]:
    """Return query and row of every product within `bound` of the largest one."""
    products = queries @ table.T
    floor = products.max(axis=1).astype(np.float64) - bound
    row, column = np.nonzero(products >= _down(floor)[:, None])
    return row, column


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


def searcher(metric: Metric, vectors: FloatArray) -> Searcher:
    """Return the search for the closest row under a metric."""
    if metric.id == Euclidean.id:
        return Nearest(vectors)
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


def _frame(vectors: FloatArray) -> tuple[FloatArray, int]:
    """Return the mean of a table and the exponent of its spread around the mean."""
    size, dim = vectors.shape
    largest = float(np.max([np.abs(vectors[rows]).max() for rows in _runs(size, 8192)]))
    if not math.isfinite(largest):
        row = int(np.argmin(np.isfinite(vectors).all(axis=1)))
        raise DataError(f"vectors must be finite; row {row} is not")
    outer = int(np.frexp(largest)[1])
    centre, spread = np.zeros(dim), 0.0
    for rows in _runs(size, 8192):
        scaled = np.ldexp(vectors[rows].astype(np.float64), -outer)
        centre += scaled.sum(axis=0) / size
    for rows in _runs(size, 8192):
        scaled = np.ldexp(vectors[rows].astype(np.float64), -outer)
        spread = max(spread, float(np.abs(scaled - centre).max()))
    inner = int(np.frexp(spread)[1])
    return np.asarray(np.ldexp(centre, outer)), outer + inner


def _homogeneous(vectors: FloatArray, centre: FloatArray, exponent: int) -> Rows32:
    """Return centred and scaled float32 rows (v, -|v|^2 / 2)."""
    size, dim = vectors.shape
    table = np.empty((size, dim + 1), dtype=np.float32)
    for rows in _runs(size, 8192):
        around = np.ldexp(vectors[rows].astype(np.float64) - centre, -exponent)
        table[rows, :dim] = around
        table[rows, dim] = _squares(around) / -2
    return table


def _squares(rows: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))


def _down(values: FloatArray) -> Rows32:
    """Round to float32 towards minus infinity, so that a threshold loses no row."""
    return np.nextafter(values.astype(np.float32), np.float32(-np.inf))


def _runs(size: int, step: int) -> Iterator[slice]:
    for start in range(0, size, step):
        yield slice(start, min(start + step, size))
