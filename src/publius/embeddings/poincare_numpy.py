"""Training steps with NumPy: blocks of rows on all cores, the same on any number."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from publius.core.arrays import FloatArray, IdArray
from publius.core.parallel import cores
from publius.embeddings.poincare_pairs import Hierarchy
from publius.embeddings.poincare_training import (
    LONGEST_STEP,
    MEMORY,
    NEAREST_TIE,
    Epoch,
    State,
    TrainingPlan,
)

ITEMS = 1 << 19
"""Products of names and negatives that are formed at a time."""


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

    def run(self, epoch: Epoch, rate: float) -> float:
        """Change the points and return the mean loss of a pair."""
        total = 0.0
        # One pool for the epoch: threads and BLAS limits cost more than a small step.
        with threadpool_limits(limits=1), ThreadPoolExecutor(cores()) as pool:
            for step, negatives in enumerate(epoch.negatives):
                first = step * self.plan.batch
                names = epoch.order[first : first + self.plan.batch]
                total += self._step(names, negatives, rate, pool)
        return total / self.hierarchy.pairs

    def _step(
        self, names: IdArray, negatives: IdArray, rate: float, pool: ThreadPoolExecutor
    ) -> float:
        above = self.hierarchy.ancestors[names]
        stand = self.hierarchy.size / len(negatives)
        batch = _Batch.of(self._points, names, negatives, above, self._scratch)
        rows = max(16, ITEMS // len(negatives))
        chunks = [slice(i, i + rows) for i in range(0, len(names), rows)]
        # Sums in the order of the chunks: the same on any number of cores.
        each = map if len(chunks) == 1 else pool.map
        parts = each(
            lambda chunk: batch.slopes(chunk, self.plan.sharpness, stand), chunks
        )
        slope = np.zeros(batch.points.shape)
        pull = np.zeros((len(negatives), self.plan.dim + 1))
        loss = 0.0
        for chunk, (own, other, upward, part) in zip(chunks, parts, strict=True):
            slope[batch.names[chunk]] += own
            slope += upward
            pull += other
            loss += part
        slope[batch.negatives] += pull
        self._move(batch.touched, slope, rate)
        return loss

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
        self, chunk: slice, sharpness: float, stand: float
    ) -> tuple[FloatArray, FloatArray, FloatArray, float]:
        """Return the slopes of some names, of the negatives, of all, and the loss.

        With ``c = dL/d(cosh d)`` of a pair of points x and y the slope of x is
        ``-c * y``: the gradient of the loss raised by the Minkowski form. Each negative
        stands for `stand` names.
        """
        names, above = self.names[chunk], self.above[chunk]
        own, against = self.points[names], self.points[self.negatives]
        flipped = own * np.r_[1.0, np.full(own.shape[1] - 1, -1.0)]
        weight, root = _closeness(flipped @ against.T, sharpness)
        row = np.repeat(np.arange(len(names)), np.diff(above.indptr))
        self._exclude(weight, np.arange(len(names)), names)
        self._exclude(weight, row, above.indices.astype(np.int64))
        total = stand * weight.sum(axis=1)[row]
        targets = self.points[above.indices]
        near, reach = _closeness((flipped[row] * targets).sum(axis=1), sharpness)
        both = near + total
        share = np.bincount(row, 1 / both, minlength=len(names))
        weight /= root
        weight *= (sharpness * stand * share)[:, None]
        pull = -sharpness * total / both / reach
        pairs = sp.csr_array((pull, above.indices, above.indptr), shape=above.shape)
        return (
            weight @ against + pairs @ self.points,
            weight.T @ own,
            pairs.T @ own,
            float((np.log(both) - np.log(near)).sum()),
        )

    def _exclude(self, weight: FloatArray, row: IdArray, places: IdArray) -> None:
        """Take what is no negative of a row out of its sum."""
        column = self.column[places]
        there = column >= 0
        weight[row[there], column[there]] = 0.0


def _closeness(cosh: FloatArray, sharpness: float) -> tuple[FloatArray, FloatArray]:
    """Return ``exp(-sharpness * d)`` and ``sinh d``; overwrites its products."""
    t = cosh
    t -= 1.0
    np.maximum(t, NEAREST_TIE, out=t)
    root = t + 2.0
    root *= t
    np.sqrt(root, out=root)
    t += 1.0
    t += root
    np.reciprocal(t, out=t)
    if sharpness == round(sharpness) <= 8:
        return _whole_power(t, round(sharpness)), root
    return t**sharpness, root


def _whole_power(x: FloatArray, exponent: int) -> FloatArray:
    """Multiply: an order of magnitude faster than a power of doubles."""
    result, square = np.ones_like(x) if exponent % 2 == 0 else x.copy(), x
    exponent //= 2
    while exponent:
        square = square * square
        if exponent % 2:
            result *= square
        exponent //= 2
    return result
