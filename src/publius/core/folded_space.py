"""Words that share a symbol, and symbols joined by edges of length one and two."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from publius.core.arrays import FloatArray, IdArray, at_least
from publius.core.brief import brief_space
from publius.core.errors import DataError
from publius.core.space import Balls, Space, check_graph


@dataclass(frozen=True, slots=True, eq=False)
class TwoLengthSpace:
    """Shortest paths over edges of length 1 and 2, capped: distances 0, 1, … cap.

    The capped length of a shortest path is a metric, whatever the edges are.

    Args:
        near: Symmetric graph of the edges of length 1.
        wide: Symmetric graph of the edges of length 2.
        cap: Largest distance.
        fingerprint: Of both graphs and of what is folded onto their points.
    """

    __repr__ = brief_space

    near: "sp.csr_array[np.float32]"
    wide: "sp.csr_array[np.float32]"
    cap: int
    fingerprint: str

    def __post_init__(self) -> None:
        at_least("cap", self.cap, 1)
        check_graph(self.near)
        check_graph(self.wide)
        if self.near.shape != self.wide.shape:
            raise DataError(
                f"both graphs must be of the same points, got {self.near.shape[0]} "
                f"and {self.wide.shape[0]}"
            )

    @property
    def id(self) -> str:
        """Metric and fingerprint of the graphs."""
        return f"like:cap={self.cap}@{self.fingerprint}"

    @property
    def size(self) -> int:
        """Number of points."""
        return int(self.near.shape[0])

    def balls(self, ids: IdArray) -> Balls:
        """Return the points closer than the cap to each id, by level."""
        count = len(ids)
        start = sp.csr_array(
            (np.ones(count, np.float32), ids, np.arange(count + 1)),
            shape=(count, self.size),
        )
        reached, level = [start], sp.csr_array(start)
        for hops in range(1, self.cap):
            ball = reached[-1] + reached[-1] @ self.near
            if hops > 1:
                ball = ball + reached[-2] @ self.wide
            ball = sp.csr_array(ball)
            ball.data[:] = 1
            reached.append(ball)
            # Summing the indicator of every ball counts cap - distance at each point.
            level = sp.csr_array(level + ball)
        return Balls.from_levels(level, self.cap)

    def rows(self, ids: IdArray) -> FloatArray:
        """Return float64 distances from each id to every point."""
        return self.balls(ids).distances(self.size)


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
