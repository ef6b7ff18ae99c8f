"""The closest word in hyperbolic distance, exactly, to points of any radius.

For a point of radius r and direction w and a word with Lorentz coordinates (c, x),
``cosh d / cosh r = c - tanh(r) w . x``: the closest word has the smallest product with
``(1, -tanh(r) w)``, whatever the radius. The product cancels for words that lie far
out, so every word within its rounding error of the smallest is compared again by the
formula in which nothing cancels.
"""

from dataclasses import dataclass, field

import numpy as np

from publius.core.arrays import FloatArray, IdArray
from publius.core.arrays import points as checked
from publius.numerics.geometry import lorentz, poincare
from publius.numerics.parallel import map_blocks

CACHE_BYTES = 2 << 20
"""Products are formed in blocks of this size, which stay in the cache of a core."""

PAIRS = 1 << 16
"""Pairs compared again at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class HyperbolicNearest:
    """Find the closest row of a table of the Poincaré ball; ties go to the lowest id.

    Args:
        vectors: The table, rows shorter than 1.
    """

    vectors: FloatArray
    _tangent: FloatArray = field(init=False, repr=False)
    _table: FloatArray = field(init=False, repr=False)
    _error: FloatArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        table = lorentz.from_poincare(self.vectors)
        terms = table.shape[1] + 8
        # Each coordinate carries the relative error of 1 - |v|^2, about c * 2^-52.
        own = 2 * table[:, 0] ** 2 + terms * table[:, 0]
        object.__setattr__(self, "_tangent", poincare.log0(self.vectors))
        object.__setattr__(self, "_table", table)
        object.__setattr__(self, "_error", own * 2.0**-52)

    def nearest(self, points: FloatArray) -> IdArray:
        """Return the id of the closest row to each tangent vector at the origin."""
        rows = checked(points, self._tangent.shape[1])
        radius, direction = lorentz.polar(rows)
        queries = np.empty((len(rows), self._table.shape[1]))
        queries[:, 0] = 1.0
        queries[:, 1:] = -np.tanh(radius)[:, None] * direction
        ids = np.empty(len(rows), dtype=np.int64)
        step = max(1, CACHE_BYTES // (8 * len(self._table)))
        runs = [slice(i, i + step) for i in range(0, len(rows), step)]
        parts = map_blocks(lambda run: self._block(rows[run], queries[run]), runs)
        for run, part in zip(runs, parts, strict=True):
            ids[run] = part
        return ids

    def _block(self, points: FloatArray, queries: FloatArray) -> IdArray:
        products = queries @ self._table.T
        best = products.argmin(axis=1)
        ceiling = products[np.arange(len(best)), best] + self._error[best]
        products -= self._error
        # One flat search of the flags is several times faster than one by axes.
        flat = np.flatnonzero(products <= ceiling[:, None])
        row, column = np.divmod(flat, len(self._table))
        starts = np.searchsorted(row, np.arange(len(points)))
        if len(row) == len(points):
            return column
        distance = np.empty(len(row))
        for start in range(0, len(row), PAIRS):
            part = slice(start, start + PAIRS)
            distance[part] = lorentz.distance(
                points[row[part]], self._tangent[column[part]]
            )
        # Ids rise inside a row, so the first of the closest is the lowest.
        least = np.minimum.reduceat(distance, starts)
        closest = np.flatnonzero(distance == least[row])
        _, first = np.unique(row[closest], return_index=True)
        return np.asarray(column[closest[first]])
