"""Finite metric spaces: the words of a vocabulary and the distances between them."""

import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
import scipy
from numpy.typing import NDArray

from publius.core.arrays import FloatArray, IdArray, at_least
from publius.core.brief import brief_space
from publius.core.errors import DataError
from publius.core.metric import Metric

BLOCK_BYTES = 64 << 20
"""Distances are formed in blocks of about this size."""

REACH_SIZE = 5_000
"""Up to so many points every distance is computed to find the farthest neighbour."""


@runtime_checkable
class Space(Protocol):
    """Points 0 … size-1 and the distances between them."""

    @property
    def id(self) -> str:
        """Metric and fingerprint of the points."""
        ...

    @property
    def size(self) -> int:
        """Number of points."""
        ...

    def rows(self, ids: IdArray) -> FloatArray:
        """Return float64 distances from each id to every point."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Balls:
    """For each of some centres, the points around it, nearest level first.

    Args:
        bounds: ``(centres, cap + 1)``; level ``j`` of centre ``c`` occupies
            ``points[bounds[c, j] : bounds[c, j + 1]]``.
        points: Ids, level after level, centre after centre.
    """

    bounds: NDArray[np.int64]
    points: NDArray[np.uint32]

    @classmethod
    def from_levels(
        cls, level: "scipy.sparse.csr_array[np.float32]", cap: int
    ) -> "Balls":
        """Return balls from a matrix that holds cap - distance, one row per centre."""
        level.sort_indices()
        count = level.shape[0]
        row = np.repeat(np.arange(count), np.diff(level.indptr))
        return cls.of_members(row, level.indices, cap - level.data, count, cap)

    @classmethod
    def of_members(
        cls,
        row: IdArray,
        point: "NDArray[np.integer]",
        hops: "NDArray[np.number]",
        count: int,
        cap: int,
    ) -> "Balls":
        """Return balls from their members, row by row and there by point.

        Args:
            row: Whose ball it is.
            point: The member.
            hops: Its distance, below the cap.
            count: Number of balls.
            cap: Of the distance.
        """
        shell = row * cap + hops.astype(np.int64)
        # Stable sort of 16-bit keys is a radix sort, several times faster.
        key = shell.astype(np.uint16) if count * cap <= 1 << 16 else shell
        order = np.argsort(key, kind="stable")
        sizes = np.bincount(shell, minlength=count * cap)
        ends = np.concatenate(([0], np.cumsum(sizes)))
        starts = np.arange(count)[:, None] * cap + np.arange(cap + 1)
        return cls(ends[starts], point[order].astype(np.uint32))

    def distances(self, size: int) -> FloatArray:
        """Return the distance of every centre to each of `size` points."""
        count, cap = len(self.bounds), self.bounds.shape[1] - 1
        distance = np.full((count, size), float(cap))
        centre = np.repeat(np.arange(count), self.bounds[:, -1] - self.bounds[:, 0])
        levels = np.tile(np.arange(cap), count)
        hops = np.repeat(levels, np.diff(self.bounds, axis=1).ravel())
        distance[centre, self.points] = hops
        return distance

    def of(self, centres: IdArray) -> "Balls":
        """Return the balls of some centres, in their order."""
        bounds = self.bounds[centres]
        parts = [self.points[first:last] for first, last in bounds[:, [0, -1]].tolist()]
        ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
        shift = np.concatenate(([0], ends[:-1])) if parts else ends
        points = np.concatenate(parts) if parts else self.points[:0]
        return Balls(bounds - bounds[:, :1] + shift[:, None], points)


@runtime_checkable
class Layered(Space, Protocol):
    """A space whose distances are 0, 1, … cap, and few points are closer than cap."""

    @property
    def cap(self) -> int:
        """The largest distance."""
        ...

    def balls(self, ids: IdArray) -> Balls:
        """Return the points closer than the cap to each id, by level."""
        ...


def blocks(size: int, width: int, *, item_bytes: int = 8) -> Iterator[IdArray]:
    """Yield runs of ids whose rows of `width` items fit ``BLOCK_BYTES``."""
    step = max(1, BLOCK_BYTES // max(1, width * item_bytes))
    for start in range(0, size, step):
        yield np.arange(start, min(start + step, size), dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class PointSpace:
    """Points given by coordinates under a metric.

    Equal points share the distances of their first copy bit for bit, so that no
    rounding error can tell them apart.
    """

    __repr__ = brief_space

    points: FloatArray
    metric: Metric
    fingerprint: str = ""
    _first: IdArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.points.ndim != 2 or not self.points.size:
            raise DataError(
                f"points must be a non-empty matrix, got {self.points.shape}"
            )
        if not np.isfinite(self.points).all():
            row = int(np.argmin(np.isfinite(self.points).all(axis=1)))
            raise DataError(f"points must be finite; row {row} is not")
        mark = self.fingerprint or fingerprint(self.points)
        object.__setattr__(self, "fingerprint", mark)
        object.__setattr__(self, "_first", _first_copies(self.points))

    @property
    def id(self) -> str:
        """Metric and fingerprint of the points."""
        return f"{self.metric.id}@{self.fingerprint}"

    @property
    def size(self) -> int:
        """Number of points."""
        return len(self.points)

    @property
    def first_copies(self) -> IdArray:
        """For each point the lowest id of an equal point."""
        return self._first

    def rows(self, ids: IdArray) -> FloatArray:
        """Return float64 distances from each id to every point."""
        # One row for all copies: the bits of a product depend on its place in a block.
        sources, which = np.unique(self._first[ids], return_inverse=True)
        distance = self.metric.pairwise(self.points[sources], self.points)
        # Rounding must not put two copies of a word at a distance.
        distance[self._first[None, :] == sources[:, None]] = 0.0
        ordered = np.array_equal(which, np.arange(len(ids)))
        return distance if ordered else distance[which]


@dataclass(frozen=True, slots=True, eq=False)
class HopSpace:
    """Shortest paths in a public graph, counted in hops and capped.

    Points in unconnected parts are at the cap. ``min(hops, cap)`` is a metric.

    Args:
        graph: Symmetric adjacency matrix of the k-nearest-neighbour graph.
        cap: Largest distance, a whole number of hops.
        neighbours: The k that the graph was built with.
        fingerprint: Of the embedding behind the graph.
    """

    __repr__ = brief_space

    graph: "scipy.sparse.csr_array[np.float32]"
    cap: int
    neighbours: int
    fingerprint: str

    def __post_init__(self) -> None:
        at_least("cap", self.cap, 1)
        check_graph(self.graph)

    @property
    def id(self) -> str:
        """Metric and fingerprint of the graph."""
        return f"hop:k={self.neighbours}:cap={self.cap}@{self.fingerprint}"

    @property
    def size(self) -> int:
        """Number of points."""
        return int(self.graph.shape[0])

    def balls(self, ids: IdArray) -> Balls:
        """Return the points closer than the cap to each id, by level."""
        count, size = len(ids), self.size
        reach = scipy.sparse.csr_array(
            (np.ones(count, np.float32), ids, np.arange(count + 1)), shape=(count, size)
        )
        step = self.graph + scipy.sparse.eye_array(size, dtype=np.float32, format="csr")
        level = scipy.sparse.csr_array(reach)
        for _ in range(1, self.cap):
            reach = scipy.sparse.csr_array(reach @ step)
            reach.data[:] = 1
            # Summing the indicator of every ball counts cap - distance at each point.
            level = scipy.sparse.csr_array(level + reach)
        return Balls.from_levels(level, self.cap)

    def rows(self, ids: IdArray) -> FloatArray:
        """Return float64 distances from each id to every point."""
        return self.balls(ids).distances(self.size)


@dataclass(frozen=True, slots=True, eq=False)
class PathSpace:
    """Shortest paths in a public graph without a cap.

    Unconnected parts are one hop further apart than the longest path.
    """

    __repr__ = brief_space

    graph: "scipy.sparse.csr_array[np.float32]"
    neighbours: int
    fingerprint: str
    diameter: int = field(init=False)

    def __post_init__(self) -> None:
        check_graph(self.graph)
        longest = 0
        for ids in blocks(self.size, self.size, item_bytes=1):
            longest = max(longest, int(self._hops(ids).max()))
        object.__setattr__(self, "diameter", longest)

    @property
    def id(self) -> str:
        """Metric and fingerprint of the graph."""
        return f"hop:k={self.neighbours}@{self.fingerprint}"

    @property
    def size(self) -> int:
        """Number of points."""
        return int(self.graph.shape[0])

    def rows(self, ids: IdArray) -> FloatArray:
        """Return float64 distances from each id to every point."""
        hops = self._hops(ids).astype(np.float64)
        hops[hops < 0] = self.diameter + 1.0
        return hops

    def _hops(self, ids: IdArray) -> NDArray[np.int16]:
        """Search breadth first from 64 sources at a time; -1 is no path."""
        hops = np.full((len(ids), self.size), -1, dtype=np.int16)
        step = scipy.sparse.csr_array(
            self.graph
            + scipy.sparse.eye_array(self.size, dtype=np.float32, format="csr")
        )
        for start in range(0, len(ids), 64):
            sources = ids[start : start + 64]
            self._search(hops[start : start + 64], sources, step)
        return hops

    def _search(
        self,
        hops: NDArray[np.int16],
        sources: IdArray,
        step: "scipy.sparse.csr_array[np.float32]",
    ) -> None:
        bits = np.left_shift(np.uint64(1), np.arange(len(sources), dtype=np.uint64))
        seen = np.zeros(self.size, dtype=np.uint64)
        np.bitwise_or.at(seen, sources, bits)
        hops[np.arange(len(sources)), sources] = 0
        distance = 0
        while True:
            distance += 1
            # The diagonal makes every row non-empty, which reduceat needs.
            reached = np.bitwise_or.reduceat(seen[step.indices], step.indptr[:-1])
            new = reached & ~seen
            if not new.any():
                return
            octets = new.astype("<u8").view(np.uint8).reshape(self.size, 8)
            flags = np.unpackbits(octets, axis=1, bitorder="little")
            hops[flags[:, : len(sources)].T.astype(bool)] = distance
            seen = reached


def check_graph(graph: "scipy.sparse.csr_array[np.float32]") -> None:
    """Raise unless hops in the graph are a metric."""
    if graph.shape[0] != graph.shape[1] or graph.shape[0] < 1:
        raise DataError(f"a graph must be square, got {graph.shape}")
    if not (graph.data > 0).all():
        raise DataError("the edges of a graph must have weights > 0")
    if abs(graph - graph.T).sum() != 0:
        raise DataError("a graph must be symmetric for hops to be a metric")


def fingerprint(*parts: "np.ndarray | str | bytes") -> str:
    """Return 16 hexadecimal digits that identify public arrays and strings."""
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            digest.update(f"{part.dtype.str}{part.shape}".encode())
            digest.update(np.ascontiguousarray(part).data)
        else:
            digest.update(part.encode() if isinstance(part, str) else part)
        digest.update(b"\0")
    return digest.hexdigest()[:16]


def neighbour_distance(space: Space, k: int, sample: int = 1000) -> float:
    """Return the median distance of a point to its `k`-th nearest other point.

    The median is taken over at most `sample` evenly spread points.
    """
    others = space.size - 1
    if others < 1:
        return 0.0
    picked = np.unique(np.linspace(0, others, min(space.size, sample)).astype(np.int64))
    distances = []
    for block in blocks(len(picked), space.size):
        rows = space.rows(picked[block])
        distances.append(np.partition(rows, min(k, others), axis=1)[:, min(k, others)])
    return float(np.median(np.concatenate(distances)))


def neighbour_reach(space: Space, k: int) -> float:
    """Return a distance within which every point has its `k` nearest other points.

    It is the smallest one where that is cheap: on graphs in which every point has `k`
    edges, and up to ``REACH_SIZE`` points. Otherwise infinity, which is always true.
    """
    others = space.size - 1
    if others < 1:
        return 0.0
    if isinstance(space, HopSpace | PathSpace):
        edges = np.diff(space.graph.indptr) - (space.graph.diagonal() != 0)
        if others > k and int(edges.min()) >= k:
            return 1.0
    if space.size > REACH_SIZE:
        return math.inf
    nearest = min(k, others)
    reach = 0.0
    for ids in blocks(space.size, space.size):
        rows = np.partition(space.rows(ids), nearest, axis=1)
        reach = max(reach, float(rows[:, nearest].max()))
    return reach


def _first_copies(points: FloatArray) -> IdArray:
    """Return for each row the lowest id of an equal row."""
    rows = np.ascontiguousarray(points + 0.0)  # -0.0 equals 0.0 but differs in bits
    raw = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, first, inverse = np.unique(raw, return_index=True, return_inverse=True)
    return first[inverse].astype(np.int64)
