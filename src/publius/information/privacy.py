"""The smallest epsilon for which a channel is private under a metric.

``epsilon = max over pairs x, x' of  max_y |ln C[x, y] - ln C[x', y]| / d(x, x')``:
a ratio of two distances, the upper one the Chebyshev distance of rows of logarithms.
All pairs cost ``n² m / 2`` comparisons, and no faster way is known for a general
metric. Two things avoid most of it:

- A pair is skipped when the widest column, ``max_y (max_x ln C - min_x ln C)``, over
  its distance is no more than an epsilon already attained. Under the discrete metric
  this leaves one pass over the matrix; under a capped metric only the pairs below the
  cap.
- Under a path metric the edges of the graph decide: if neighbours differ by at most
  ``epsilon`` times the length of their edge, so do all pairs along a shortest path. A
  sparse matrix of edges is therefore a distance too.
"""

import math
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from publius.core.arrays import FloatArray, IdArray, positive
from publius.core.errors import DataError
from publius.information.matrix import (
    Matrix,
    Sparse,
    column_range,
    compressed,
    dense,
    is_sparse,
    rows,
    to_float,
)

SKIP = 1e-12
"""Pairs that cannot raise epsilon by more than this part of it are not looked at."""

NEVER = -1e300
"""Stands for ln 0: the difference of two of them is 0, to anything else enormous."""

_TILE = 256
_CACHE_BYTES = 2 << 30
_PAIR_BYTES = 2 << 20

LogRows = Callable[[IdArray], FloatArray]
Pairs = tuple[IdArray, IdArray]


@dataclass(frozen=True, slots=True)
class WorstPair:
    """The two secrets that a channel tells apart best for their distance.

    Args:
        epsilon: Loss per unit of distance; the smallest epsilon of the channel.
        x: Position of the secret that makes the output likelier.
        other: Position of the other secret.
        output: Position of the output that tells them apart.
        loss: ``ln C[x, output] - ln C[other, output]``.
        distance: Distance of the two secrets.
    """

    epsilon: float
    x: int
    other: int
    output: int
    loss: float
    distance: float


def worst_pair(matrix: Matrix, distance: "ArrayLike | Sparse") -> WorstPair:
    """Return the pair and output that decide epsilon; see the module for the cost.

    Args:
        matrix: The channel.
        distance: Square matrix of distances; infinite ones are not compared. A sparse
            matrix holds the edges of a path metric, and only they are compared.
    """
    law = to_float(matrix)
    low, high = column_range(law)
    search = Search(lambda ids: log_rows(rows(law, ids)), law.shape)
    edges = check_distance(distance, law.shape[0])
    if isinstance(edges, np.ndarray):
        search.start(edges, _extremes(law, np.asarray(low), np.asarray(high)))
    search.run(edges)
    return search.result(edges)


def log_rows(probabilities: FloatArray) -> FloatArray:
    """Return natural logarithms with ``NEVER`` for 0."""
    with np.errstate(divide="ignore"):
        logs: FloatArray = np.log(probabilities)
    return np.maximum(logs, NEVER, out=logs)


def leakage_bound(epsilon: float, distance: ArrayLike) -> float:
    """Return ``e^(epsilon * d*)``, above every leakage of an epsilon-private channel.

    Holds for every prior and non-negative gain function (paper, Theorem 3); ``d*`` is
    the largest distance.
    """
    if not epsilon >= 0:
        raise DataError(f"epsilon must be >= 0, got {epsilon}")
    widest = float(np.max(np.asarray(distance, dtype=np.float64)))
    return math.exp(epsilon * positive("the largest distance", widest))


def check_distance(distance: "ArrayLike | Sparse", size: int) -> Matrix:
    """Return distances as float64, or raise with the first place that is wrong."""
    if is_sparse(distance):
        edges = compressed(distance)
        _check_shape(edges.shape, size)
        _check_not_negative(edges.data, "stored distance")
        return edges
    values: FloatArray = np.asarray(distance, dtype=np.float64)
    _check_shape(values.shape, size)
    for start in range(0, size, _TILE):
        strip = values[start : start + _TILE]
        # NaN fails this comparison too; only then look for the place.
        if not strip.min() >= 0:
            _check_not_negative(strip, "distance", start)
    diagonal = np.diagonal(values)
    if diagonal.any():
        place = int(np.argmax(diagonal != 0))
        raise DataError(f"the distance of secret {place} to itself must be 0")
    return values


def _check_shape(shape: tuple[int, ...], size: int) -> None:
    if shape != (size, size):
        raise DataError(f"distances must have shape ({size}, {size}), got {shape}")


def _check_not_negative(values: FloatArray, name: str, start: int = 0) -> None:
    good = values >= 0
    if not good.all():
        where = np.argwhere(~good)[0]
        where[0] += start
        place = ", ".join(str(int(i)) for i in where)
        raise DataError(f"distances must be numbers >= 0; {name} {place} is not")


def _extremes(law: Matrix, low: FloatArray, high: FloatArray) -> tuple[float, Pairs]:
    """Return the widest range of a column's logarithms, and pairs that span one."""
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.where(high > 0, np.log(high) - np.log(low), 0.0)
    widest = np.argsort(spread)[::-1][:64]
    columns = dense(law[:, widest])
    return float(spread.max()), (columns.argmax(axis=0), columns.argmin(axis=0))


def _least_gap(distance: FloatArray) -> float:
    """Return the smallest distance of two different secrets, in one pass."""
    least = math.inf
    for start in range(0, len(distance), _TILE):
        stop = min(start + _TILE, len(distance))
        strip = distance[start:stop]
        middle = strip[:, start:stop] + np.diag(np.full(stop - start, np.inf))
        for part in (strip[:, :start], middle, strip[:, stop:]):
            least = min(least, float(part.min(initial=math.inf)))
    return least


class Search:
    """Look for the worst pair, block by block, with what is known so far.

    Args:
        log_rows: Gives rows of logarithms for positions of secrets.
        shape: Numbers of secrets and outputs.
    """

    def __init__(self, log_rows: LogRows, shape: tuple[int, int]) -> None:
        self.size, self.width = shape
        self.log_rows = log_rows
        self.epsilon = 0.0
        self.pair = (0, 0)
        self.spread = math.inf
        self._is_cached = False

    def survey(self, distance: FloatArray) -> None:
        """Begin as ``start`` does, from one pass over the rows."""
        low, high = np.full(self.width, np.inf), np.full(self.width, -np.inf)
        below, above = np.zeros((2, self.width), dtype=np.int64)
        step = max(1, _PAIR_BYTES // (8 * self.width))
        for start in range(0, self.size, step):
            rows = self.log_rows(np.arange(start, min(start + step, self.size)))
            least, most = rows.min(axis=0), rows.max(axis=0)
            lower, higher = least < low, most > high
            below[lower] = start + rows[:, lower].argmin(axis=0)
            above[higher] = start + rows[:, higher].argmax(axis=0)
            low[lower], high[higher] = least[lower], most[higher]
        spread = high - low
        spread[spread > -NEVER / 2] = np.inf
        widest = np.argsort(spread)[::-1][:64]
        self.start(distance, (float(spread.max()), (above[widest], below[widest])))

    def start(self, distance: FloatArray, known: tuple[float, Pairs]) -> None:
        """Begin with the widest column and the pairs that span one."""
        self.spread, (a, b) = known
        apart = a != b
        a, b = a[apart], b[apart]
        gap = np.minimum(distance[a, b], distance[b, a])
        self._try(a, b, gap, self._losses(a, b))

    def run(self, distance: Matrix) -> None:
        """Compare every pair that could still be worse."""
        if not isinstance(distance, np.ndarray):
            edges = distance.tocoo()
            apart = edges.row != edges.col
            a, b = edges.row[apart].astype(np.int64), edges.col[apart].astype(np.int64)
            self._cache()
            self._listed(a, b, edges.data[apart])
            return
        if self.spread <= self.epsilon * (1 + SKIP) * _least_gap(distance):
            return
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for tiles in self._tiles(distance):
                # An infinite loss at a finite distance cannot be exceeded.
                if math.isinf(self.epsilon):
                    return
                if tiles:
                    self._cache()
                for losses in pool.map(self._tile_losses, tiles):
                    self._try(*losses)

    def result(self, distance: Matrix) -> WorstPair:
        """Return the worst pair with its output."""
        x, other = self.pair
        first, second = self.log_rows(np.array([x])), self.log_rows(np.array([other]))
        difference = (first - second)[0]
        output = int(np.argmax(np.abs(difference)))
        loss = float(difference[output])
        if loss < 0:
            x, other, loss = other, x, -loss
        gaps = (float(distance[x, other]), float(distance[other, x]))
        stored = [gap for gap in gaps if gap > 0 or isinstance(distance, np.ndarray)]
        loss = math.inf if loss > -NEVER / 2 else loss
        return WorstPair(self.epsilon, x, other, output, loss, min(stored, default=0.0))

    def _tiles(
        self, distance: FloatArray
    ) -> Iterator[list[tuple[slice, slice, FloatArray]]]:
        for top in range(0, self.size, _TILE):
            i = slice(top, min(top + _TILE, self.size))
            line = []
            for left in range(top, self.size, _TILE):
                j = slice(left, min(left + _TILE, self.size))
                gap = np.minimum(distance[i, j], distance[j, i].T)
                if left == top:
                    gap = np.where(np.triu(np.ones(gap.shape, bool), 1), gap, np.inf)
                if self._open(gap).any():
                    line.append((i, j, gap))
            yield line

    def _open(
        self, gap: FloatArray
    ) -> "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]":
        """Tell which pairs could still raise epsilon."""
        reach = self.epsilon * (1 + SKIP)
        with np.errstate(invalid="ignore"):
            covered = self.spread <= reach * gap
        return np.isfinite(gap) & ~covered

    def _tile_losses(
        self, tile: tuple[slice, slice, FloatArray]
    ) -> tuple[IdArray, IdArray, FloatArray, FloatArray]:
        i, j, gap = tile
        row, column = np.nonzero(self._open(gap))
        a, b = row + i.start, column + j.start
        if len(row) < gap.size // 8:
            return a, b, gap[row, column], self._losses(a, b)
        first = self.log_rows(np.arange(i.start, i.stop))
        second = self.log_rows(np.arange(j.start, j.stop))
        losses = scipy.spatial.distance.cdist(first, second, "chebyshev")[row, column]
        return a, b, gap[row, column], losses

    def _listed(self, a: IdArray, b: IdArray, gap: FloatArray) -> None:
        step = 1 << 16
        for start in range(0, len(a), step):
            part = slice(start, start + step)
            if (finite := np.isfinite(gap[part])).any():
                x, y = a[part][finite], b[part][finite]
                self._try(x, y, gap[part][finite], self._losses(x, y))

    def _losses(self, a: IdArray, b: IdArray) -> FloatArray:
        """Return the largest absolute log-ratio of each listed pair."""
        losses = np.zeros(len(a))
        step = max(1, _PAIR_BYTES // (8 * self.width))

        def compare(start: int) -> None:
            part = slice(start, start + step)
            difference = self.log_rows(a[part])
            difference -= self.log_rows(b[part])
            np.abs(difference, out=difference)
            losses[part] = difference.max(axis=1)

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(compare, range(0, len(a), step)))
        return losses

    def _try(self, a: IdArray, b: IdArray, gap: FloatArray, loss: FloatArray) -> None:
        if not len(a):
            return
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(loss > 0, loss / gap, 0.0)
        ratio[(loss > -NEVER / 2) & np.isfinite(gap)] = np.inf
        worst = int(np.argmax(ratio))
        if ratio[worst] > self.epsilon or self.pair == (0, 0):
            self.epsilon = float(ratio[worst])
            self.pair = (int(a[worst]), int(b[worst]))

    def _cache(self) -> None:
        """Hold all logarithms in memory if they fit: each row is used many times."""
        if self._is_cached or 8 * self.size * self.width > _CACHE_BYTES:
            return
        rows = np.empty((self.size, self.width))
        step = max(1, _PAIR_BYTES // (8 * self.width))

        def fill(start: int) -> None:
            ids = np.arange(start, min(start + step, self.size))
            rows[start : start + step] = self.log_rows(ids)

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(fill, range(0, self.size, step)))
        self.log_rows = lambda ids: rows[ids]
        self._is_cached = True
