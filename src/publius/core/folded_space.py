"""Words that share a symbol, and symbols joined by edges of length one and two."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from publius.core.arrays import FloatArray, IdArray, at_least
from publius.core.brief import brief_space
from publius.core.errors import DataError
from publius.core.space import Balls, Space


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """Points and edges between them, which count in both directions.

    Args:
        edges: ``(2, count)``; both ends of each edge, in any order.
        size: Number of points.
    """

    edges: IdArray
    size: int
    _starts: IdArray = field(init=False, repr=False)
    _others: IdArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        at_least("size", self.size, 1)
        if not ((self.edges >= 0) & (self.edges < self.size)).all():
            raise DataError(f"an edge joins none of the {self.size} points")
        one, other = self.edges.astype(np.int64)
        both = np.sort(
            np.concatenate([one * self.size + other, other * self.size + one])
        )
        point, end = np.divmod(both[np.diff(both, prepend=-1) > 0], self.size)
        starts = np.searchsorted(point, np.arange(self.size + 1))
        object.__setattr__(self, "_starts", starts)
        object.__setattr__(self, "_others", end)

    def from_each(self, points: IdArray) -> tuple[IdArray, IdArray]:
        """Return the points one edge away from each, and how many each one has."""
        first = self._starts[points]
        counts = self._starts[points + 1] - first
        ends = np.cumsum(counts)
        place = np.arange(ends[-1] if len(ends) else 0)
        return self._others[place + np.repeat(first - ends + counts, counts)], counts


@dataclass(frozen=True, slots=True, eq=False)
class TwoLengthSpace:
    """Shortest paths over edges of length 1 and 2, capped: distances 0, 1, … cap.

    The capped length of a shortest path is a metric, whatever the edges are.

    Args:
        near: The edges of length 1.
        wide: The edges of length 2.
        cap: Largest distance.
        fingerprint: Of both graphs and of what is folded onto their points.
    """

    __repr__ = brief_space

    near: Graph
    wide: Graph
    cap: int
    fingerprint: str

    def __post_init__(self) -> None:
        at_least("cap", self.cap, 1)
        if self.near.size != self.wide.size:
            raise DataError(
                f"both graphs must be of the same points, got {self.near.size} "
                f"and {self.wide.size}"
            )

    @property
    def id(self) -> str:
        """Metric and fingerprint of the graphs."""
        return f"like:cap={self.cap}@{self.fingerprint}"

    @property
    def size(self) -> int:
        """Number of points."""
        return self.near.size

    def balls(self, ids: IdArray) -> Balls:
        """Return the points closer than the cap to each id, by level."""
        distance = self._distances(ids)
        row, point = np.nonzero(distance < self.cap)
        return Balls.of_members(row, point, distance[row, point], len(ids), self.cap)

    def rows(self, ids: IdArray) -> FloatArray:
        """Return float64 distances from each id to every point."""
        return self._distances(ids).astype(np.float64)

    def _distances(self, ids: IdArray) -> "NDArray[np.unsignedinteger]":
        kind = np.min_scalar_type(self.cap)
        distance = np.full((len(ids), self.size), self.cap, dtype=kind)
        distance[np.arange(len(ids)), ids] = 0
        for hops in range(1, self.cap):
            for graph, length in ((self.near, 1), (self.wide, 2)):
                if length > hops:
                    continue
                # Who is reached now was reached over an edge from exactly there.
                row, point = np.nonzero(distance == hops - length)
                end, counts = graph.from_each(point)
                row = np.repeat(row, counts)
                distance[row, end] = np.minimum(distance[row, end], kind.type(hops))
        return distance


@dataclass(frozen=True, slots=True, eq=False)
class FoldedSpace:
    """Words at the distance of the symbols that they are folded onto.

    Words of one symbol are at distance 0: nothing tells them apart.

    Args:
        symbols: Distances between symbols.
        fold: Symbol of every word.
    """

    __repr__ = brief_space

    symbols: TwoLengthSpace
    fold: IdArray

    def __post_init__(self) -> None:
        inside = (self.fold >= 0) & (self.fold < self.symbols.size)
        if self.fold.ndim != 1 or not len(self.fold) or not inside.all():
            raise DataError(
                f"every word must be folded onto one of {self.symbols.size} symbols"
            )
        self.fold.setflags(write=False)

    @property
    def id(self) -> str:
        """Metric and fingerprint of the symbols; the fold is part of it."""
        return self.symbols.id

    @property
    def size(self) -> int:
        """Number of words."""
        return len(self.fold)

    def rows(self, ids: IdArray) -> FloatArray:
        """Return float64 distances from each id to every word."""
        return self.symbols.rows(self.fold[ids])[:, self.fold]


def space_of_law(space: Space) -> Space:
    """Return the space on which draws are made: symbols, where words are folded."""
    return space.symbols if isinstance(space, FoldedSpace) else space
