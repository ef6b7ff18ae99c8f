"""Balls with running sums of public weights: where a draw finds its word.

The sums of all words are formed once for each calibration and cached, so that processes
share their pages; see `publius.mechanisms.words.tables`.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from publius.core.arrays import IdArray
from publius.core.errors import DataError, RefutedError
from publius.core.space import Balls
from publius.numerics.guide import Guide
from publius.storage.cache import changed_tables

STRIDE = 8
"""A running sum of weights is kept at every STRIDE-th member of the balls."""

WORTH = 1024
"""A guide of the marks is formed once a draw searches one for so many of them."""

NEAR = 2
"""Levels of a ball that have a table of their own: most draws end there."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Balls with running sums of the output weights.

    Args:
        balls: Of some words or of all.
        weights: Of every output.
        edges: ``(rows, cap + 1)``; running sum at each bound of the balls.
        marks: Running sum at every STRIDE-th member.
    """

    balls: Balls
    weights: NDArray[np.uint32]
    edges: NDArray[np.uint64]
    marks: NDArray[np.uint64]
    _guide: list[Guide] = field(default_factory=list, init=False, repr=False)
    _near: list["_Near"] = field(default_factory=list, init=False, repr=False)

    @classmethod
    def over(cls, balls: Balls, weights: NDArray[np.uint32]) -> "Rows":
        """Sum the weights of all members."""
        count = len(balls.points)
        edges = np.zeros(balls.bounds.shape, dtype=np.uint64)
        marks = [np.zeros(1, dtype=np.uint64)]
        flat = balls.bounds.ravel()
        total, start = np.uint64(0), 0
        span = STRIDE << 18
        while start < count:
            part = balls.points[start : start + span]
            sums = total + np.cumsum(weights[part], dtype=np.uint64)
            first, last = np.searchsorted(flat, (start + 1, start + len(part) + 1))
            edges.ravel()[first:last] = sums[flat[first:last] - start - 1]
            marks.append(sums[STRIDE - 1 :: STRIDE])
            total, start = sums[-1], start + len(part)
        return cls(balls, weights, edges, np.concatenate(marks))

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.edges)

    @property
    def inside(self) -> NDArray[np.uint64]:
        """``(rows, cap)``: weight of the ball of each radius."""
        return np.asarray(self.edges[:, 1:] - self.edges[:, :1])

    def checked(self) -> "Rows":
        """Return the rows if they can be sums of these balls; else raise DataError."""
        flat = self.edges.ravel()
        fits = (
            self.edges.shape == self.balls.bounds.shape
            and len(self.marks) == len(self.balls.points) // STRIDE + 1
            and flat[0] == self.marks[0] == 0
            and bool((flat[:-1] <= flat[1:]).all())
            and bool((self.marks[:-1] <= self.marks[1:]).all())
            and self.marks[-1] <= flat[-1]
        )
        if not fits:
            raise DataError("running sums are not of these balls")
        return self

    def spot_check(self, ids: IdArray) -> None:
        """Raise RefutedError unless the sums of these words are those of the weights.

        Args:
            ids: Rows to form again; all are compared to the last digit.
        """
        for row in ids.tolist():
            bounds = self.balls.bounds[row]
            first, last = int(bounds[0]), int(bounds[-1])
            sums = np.zeros(last - first + 1, dtype=np.uint64)
            members = self.balls.points[first:last]
            np.cumsum(self.weights[members], dtype=np.uint64, out=sums[1:])
            begin = self.edges[row, 0]
            inner = np.arange(-(-first // STRIDE), last // STRIDE + 1)
            fits = np.array_equal(
                self.edges[row] - begin, sums[bounds - first]
            ) and np.array_equal(
                self.marks[inner] - begin, sums[inner * STRIDE - first]
            )
            if not fits:
                raise RefutedError(
                    f"running sums are not those of the weights; {changed_tables()}"
                )

    def find(
        self, rows: IdArray, radius: IdArray, offsets: NDArray[np.uint64]
    ) -> IdArray:
        """Return the member of each row's ball at a given running weight.

        Args:
            rows: Whose ball it is.
            radius: Of the ball.
            offsets: Running weight inside it.
        """
        if not self._near:
            self._near.append(_Near.of(self))
        near = self._near[0]
        drawn = np.empty(len(rows), dtype=np.int64)
        outer = radius >= NEAR
        if near.is_single:
            at_centre = radius == 0
            drawn[at_centre] = near.centres[rows[at_centre]]
            inner = np.flatnonzero(~(outer | at_centre))
        else:
            inner = np.flatnonzero(~outer)
        drawn[inner] = near.find(rows[inner], offsets[inner])
        far = np.flatnonzero(outer)
        target = near.begin[rows[far]] + offsets[far]
        drawn[far] = self._search(target)
        return drawn

    def _search(self, target: NDArray[np.uint64]) -> IdArray:
        """Return the member at each running sum over all balls."""
        if not self._guide and len(target) * WORTH > len(self.marks):
            # A search counts the marks that are passed: the first one always is.
            ends = np.concatenate((self.marks[1:], self.edges.ravel()[-1:]))
            self._guide.append(Guide.over(ends))
        if self._guide:
            mark = self._guide[0].find(target)
        else:
            mark = np.searchsorted(self.marks, target, side="right") - 1
        # At most STRIDE weights of 20 bits are left to add: 32 bits hold them.
        left = (target - self.marks[mark]).astype(np.uint32)
        position = mark * STRIDE
        for _ in range(STRIDE - 1):
            here = self.weights[self.balls.points[position]]
            passed = left >= here
            left -= here * passed
            position += passed
        return self.balls.points[position].astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class _Near:
    """What of the rows is looked at most, prepared for searching.

    Args:
        points: Members of the first NEAR levels, row after row.
        centres: The first member of each row.
        sums: Running weight of these members before each row.
        guide: Of their running weights.
        begin: Running weight of all members before each row.
        is_single: Every word is the only one at distance 0 from itself.
    """

    points: IdArray
    centres: IdArray
    sums: NDArray[np.uint64]
    guide: Guide
    begin: NDArray[np.uint64]
    is_single: bool

    @classmethod
    def of(cls, rows: Rows) -> "_Near":
        bounds = rows.balls.bounds
        levels = min(NEAR, bounds.shape[1] - 1)
        sizes = bounds[:, levels] - bounds[:, 0]
        begin = np.cumsum(sizes) - sizes
        total = int(sizes.sum())
        place = np.arange(total) + np.repeat(bounds[:, 0] - begin, sizes)
        points = rows.balls.points[place].astype(np.int64)
        sums = np.cumsum(rows.weights[points], dtype=np.uint64)
        single = bool((bounds[:, 1] - bounds[:, 0] == 1).all())
        return cls(
            points,
            points[begin] if single else points[:0],
            np.concatenate((np.zeros(1, np.uint64), sums))[begin],
            Guide.over(sums if total else np.ones(1, np.uint64)),
            np.ascontiguousarray(rows.edges[:, 0]),
            single,
        )

    def find(self, rows: IdArray, offsets: NDArray[np.uint64]) -> IdArray:
        return self.points[self.guide.find(self.sums[rows] + offsets)]
