"""Training steps with NumPy: blocks of rows on all cores, the same on any number.

Products of Lorentz rows are formed in double precision, since they cancel; what follows
them only weighs negatives and is done in single precision, at half the memory traffic
that bounds it.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import TypeAlias, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from publius.core.arrays import FloatArray, IdArray
from publius.embeddings.poincare_pairs import Hierarchy
from publius.embeddings.poincare_training import (
    LONGEST_STEP,
    MEMORY,
    NEAREST_TIE,
    Epoch,
    State,
    TrainingPlan,
)
from publius.numerics.parallel import cores

Real = TypeVar("Real", np.float32, np.float64)

_Part: TypeAlias = tuple[FloatArray, FloatArray, FloatArray, float]

ITEMS = 1 << 18
"""Products of names and negatives that are formed at a time: a few caches full."""

LEAST_TOTAL = 1e-30
"""Weights of a name that sum to less count as so much: single precision ends below."""


@dataclass(slots=True, eq=False)
class NumpyTrainer:
    """Run epochs on the processor.

    Args:
        hierarchy: Names and pairs.
        plan: Settings.
        start: Where to begin; it is copied.
    """

    hierarchy: Hierarchy
    plan: TrainingPlan
    start: State
    _points: FloatArray = field(init=False)
    _squares: FloatArray = field(init=False)
    _counts: IdArray = field(init=False)
    _scratch: IdArray = field(init=False)

    def __post_init__(self) -> None:
        self._points = self.start.points.copy()
        self._squares = self.start.squares.copy()
        self._counts = self.start.counts.copy()
        self._scratch = np.full(self.hierarchy.size, -1, dtype=np.int64)

    def state(self, epoch: int) -> State:
        """Return a copy of the state."""
        copies = self._points.copy(), self._squares.copy(), self._counts.copy()
        return State(*copies, epoch)

    def run(self, epoch: Epoch, rate: float, slack: float) -> float:
        """Change the points and return the mean loss of a pair."""
        total = 0.0
        workers = cores()
        room = _Room.of(workers, epoch.negatives.shape[1])
        # One pool for the epoch: threads and BLAS limits cost more than a small step.
        with threadpool_limits(limits=1), ThreadPoolExecutor(workers) as pool:
            for step, negatives in enumerate(epoch.negatives):
                first = step * self.plan.batch
                names = epoch.order[first : first + self.plan.batch]
                above = self.hierarchy.ancestors[names]
                places = self._points, names, negatives, above, self._scratch
                batch = _Batch.of(*places)
                law = _Law(
                    self.plan.sharpness, self.hierarchy.size / len(negatives), slack
                )
                slope, loss = batch.slopes(law, room, pool)
                self._move(batch.touched, slope, rate)
                total += loss
        return total / self.hierarchy.pairs

    def _move(self, ids: IdArray, slope: FloatArray, rate: float) -> None:
        """Follow the Riemannian gradient along geodesics, and stay in the ball."""
        x = self._points[ids]
        inner = (x * slope).sum(axis=1) - 2 * x[:, 0] * slope[:, 0]
        slope += inner[:, None] * x
        square = np.maximum((slope**2).sum(axis=1) - 2 * slope[:, 0] ** 2, 1e-30)
        self._counts[ids] += 1
        self._squares[ids] = MEMORY * self._squares[ids] + (1 - MEMORY) * square
        usual = self._squares[ids] / (1 - MEMORY ** self._counts[ids])
        length = np.minimum(rate * np.sqrt(square / (usual + 1e-12)), LONGEST_STEP)
        moved = np.cosh(length)[:, None] * x
        moved -= (np.sinh(length) / np.sqrt(square))[:, None] * slope
        space = moved[:, 1:]
        limit = np.sinh(self.plan.radius)
        out = np.linalg.norm(space, axis=1, keepdims=True)
        space *= np.minimum(1.0, limit / np.maximum(out, limit))
        moved[:, 0] = np.sqrt(1.0 + (space**2).sum(axis=1))
        self._points[ids] = moved


@dataclass(frozen=True, slots=True)
class _Law:
    """What weighs pairs in a step.

    Args:
        sharpness: Factor of distances.
        stand: How many names each negative stands for.
        slack: How many wrong names a pair is forgiven.
    """

    sharpness: float
    stand: float
    slack: float


@dataclass(frozen=True, slots=True, eq=False)
class _Room:
    """Memory for blocks of products, one set per thread, used again and again.

    Fresh memory of this size costs as much as the arithmetic that is done in it.
    """

    free: "SimpleQueue[_Block]"
    rows: int

    @classmethod
    def of(cls, workers: int, width: int) -> "_Room":
        """Return room for blocks against so many negatives."""
        rows = max(16, ITEMS // width)
        free: SimpleQueue[_Block] = SimpleQueue()
        for _ in range(workers):
            free.put(_Block.of(rows, width))
        return cls(free, rows)


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """Products in double precision, then weights and hyperbolic sines in single."""

    products: FloatArray
    weights: NDArray[np.float32]
    sines: NDArray[np.float32]

    @classmethod
    def of(cls, rows: int, width: int) -> "_Block":
        """Return uninitialised memory."""
        single = np.empty((2, rows, width), dtype=np.float32)
        return cls(np.empty((rows, width)), single[0], single[1])

    def products_less_one(self, own: FloatArray, against: FloatArray) -> int:
        """Form ``cosh d - 1`` in the place of the weights; return how many rows."""
        rows = len(own)
        np.dot(own, against.T, out=self.products[:rows])
        np.subtract(
            self.products[:rows], 1.0, out=self.weights[:rows], casting="same_kind"
        )
        return rows


@dataclass(frozen=True, slots=True, eq=False)
class _Batch:
    """The points that one step touches, by their place among them.

    Args:
        touched: Ids of the points.
        points: Their Lorentz coordinates.
        names: Places of the names of the batch.
        negatives: Places of the negatives.
        above: For each name of the batch, the places of the names above it.
        column: For each place, which negative it is, or -1.
    """

    touched: IdArray
    points: FloatArray
    names: IdArray
    negatives: IdArray
    above: "sp.csr_array[np.float64]"
    column: IdArray

    @classmethod
    def of(
        cls,
        points: FloatArray,
        names: IdArray,
        negatives: IdArray,
        above: "sp.csr_array[np.float64]",
        scratch: IdArray,
    ) -> "_Batch":
        """Gather what a step needs; `scratch` is -1 everywhere, before and after."""
        for ids in (names, negatives, above.indices):
            scratch[ids] = 0
        touched = np.flatnonzero(scratch == 0)
        scratch[touched] = np.arange(len(touched))
        local = sp.csr_array(
            (above.data, scratch[above.indices], above.indptr),
            shape=(len(names), len(touched)),
        )
        places = scratch[names], scratch[negatives]
        scratch[touched] = -1
        column = np.full(len(touched), -1, dtype=np.int64)
        column[places[1]] = np.arange(len(negatives))
        return cls(touched, points[touched], *places, local, column)

    def slopes(
        self, law: _Law, room: _Room, pool: ThreadPoolExecutor
    ) -> tuple[FloatArray, float]:
        """Return the slope of every point that is touched, and the loss.

        With ``c = dL/d(cosh d)`` of a pair of points x and y the slope of x is
        ``-c * y``: the gradient of the loss raised by the Minkowski form.
        """
        starts = range(0, len(self.names), room.rows)
        chunks = [slice(i, i + room.rows) for i in starts]
        against = self.points[self.negatives]
        single = against.astype(np.float32)

        def work(chunk: slice) -> _Part:
            block = room.free.get()
            try:
                return self._part(chunk, law, block, against, single)
            finally:
                room.free.put(block)

        each = map if len(chunks) == 1 else pool.map
        parts = each(work, chunks)
        slope = np.zeros(self.points.shape)
        push = np.zeros(against.shape)
        pulls, loss = [], 0.0
        # Sums in the order of the chunks: the same on any number of cores.
        for chunk, (own, other, pull, part) in zip(chunks, parts, strict=True):
            slope[self.names[chunk]] += own
            push += other
            pulls.append(pull)
            loss += part
        slope[self.negatives] += push
        cells = np.concatenate(pulls), self.above.indices, self.above.indptr
        pairs = sp.csr_array(cells, shape=self.above.shape)
        slope[self.names] += pairs @ self.points
        slope += pairs.T @ self.points[self.names]
        return slope, loss

    def _part(
        self,
        chunk: slice,
        law: _Law,
        block: _Block,
        against: FloatArray,
        single: NDArray[np.float32],
    ) -> _Part:
        """Return what negatives do to some names, the reverse, the pulls, the loss."""
        names, above = self.names[chunk], self.above[chunk]
        own = self.points[names]
        flipped = own * np.r_[1.0, np.full(own.shape[1] - 1, -1.0)]
        rows = block.products_less_one(flipped, against)
        root = block.sines[:rows]
        weight = _closeness(block.weights[:rows], root, law.sharpness)
        row = np.repeat(np.arange(len(names)), np.diff(above.indptr))
        self._exclude(weight, np.arange(len(names)), names)
        self._exclude(weight, row, above.indices.astype(np.int64))
        sums = np.maximum(weight.sum(axis=1).astype(np.float64), LEAST_TOTAL)
        apart = (flipped[row] * self.points[above.indices]).sum(axis=1) - 1.0
        reach = np.empty_like(apart)
        near = _closeness(apart, reach, law.sharpness)
        near *= law.slack
        total = law.stand * sums[row]
        share = law.sharpness * total / (near + total)
        weight /= root
        scale = np.bincount(row, share, minlength=len(names)) / sums
        return (
            (weight @ single) * scale[:, None],
            weight.T @ (own * scale[:, None]).astype(np.float32),
            -share / reach,
            float(np.log1p(total / near).sum()),
        )

    def _exclude(
        self, weight: NDArray[np.float32], row: IdArray, places: IdArray
    ) -> None:
        """Take what is no negative of a row out of its sum."""
        column = self.column[places]
        there = column >= 0
        weight[row[there], column[there]] = 0.0


def _closeness(
    t: NDArray[Real], root: NDArray[Real], sharpness: float
) -> NDArray[Real]:
    """Turn ``cosh d - 1`` into ``exp(-sharpness * d)``, and `root` into ``sinh d``."""
    one = t.dtype.type(1)
    np.maximum(t, t.dtype.type(NEAREST_TIE), out=t)
    np.add(t, one + one, out=root)
    root *= t
    np.sqrt(root, out=root)
    t += one
    t += root
    np.reciprocal(t, out=t)
    if sharpness == round(sharpness) <= 8:
        return _whole_power(t, round(sharpness))
    return np.power(t, t.dtype.type(sharpness), out=t)


def _whole_power(x: NDArray[Real], exponent: int) -> NDArray[Real]:
    """Multiply: an order of magnitude faster than a power; overwrites x."""
    result: NDArray[Real] | None = None
    while exponent > 1:
        if exponent % 2:
            result = x.copy() if result is None else np.multiply(result, x, out=result)
        np.multiply(x, x, out=x)
        exponent //= 2
    return x if result is None else np.multiply(result, x, out=result)
