"""Events that tell two secrets apart, learned from draws of both.

An event is a set of outputs. It is learned on some draws and must be tested on others:
then the test counts only the events that were kept, not all that were looked at.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits

from publius.assessment.auditing.bounds import loss_low
from publius.core.arrays import FloatArray
from publius.core.errors import DataError

Outputs: TypeAlias = "FloatArray | Sequence[Hashable]"
Score: TypeAlias = Callable[[Outputs], FloatArray]

MOST_LEARNED = 20_000
"""Draws of each secret that make a score; more only cost time."""

GRID = 64
"""Thresholds that are tried for a score."""

_MOST_COORDINATES = 32
_DIFFERENCES = 8


@dataclass(frozen=True, slots=True)
class Event:
    """Outputs whose score is at least `threshold`, in favour of the first secret."""

    score: Score
    threshold: float
    words: str

    def count(self, outputs: Outputs) -> int:
        """Return how many outputs belong to the event."""
        return int(np.count_nonzero(self.score(outputs) >= self.threshold))


def learn_events(
    x: Outputs, other: Outputs, *, risk: float, low_bits: bool = False
) -> tuple[tuple[Event, float], tuple[Event, float]]:
    """Return the event that best favours `x`, and the one that best favours `other`.

    Each comes with the loss it suggests. Half of the draws make a score, the other half
    choose its threshold by the lower bound that a test of the same size would certify.

    Args:
        x: Draws under the first secret.
        other: As many draws under the second.
        risk: Chance of error that the test will allow.
        low_bits: Look at the last bits of floating-point outputs too.
    """
    count = min(len(x), len(other))
    half = min(count // 2, MOST_LEARNED)
    if half < 2:
        raise DataError("an event needs at least four draws of each secret")
    make = _score_of_vectors if is_numeric(x) else _score_of_names
    score, words = make(x[:half], other[:half], low_bits=low_bits)

    def reverse(outputs: Outputs) -> FloatArray:
        return -score(outputs)

    mine, theirs = score(x[half:count]), score(other[half:count])
    ahead, gain = best_threshold(mine, theirs, risk)
    behind, loss = best_threshold(-theirs, -mine, risk)
    return (Event(score, ahead, words), gain), (Event(reverse, behind, words), loss)


def is_numeric(outputs: Outputs) -> bool:
    """Tell whether outputs are numbers or vectors rather than names."""
    return isinstance(outputs, np.ndarray) and outputs.dtype.kind == "f"


def low_bit_features(points: FloatArray) -> FloatArray:
    """Return the exponent of the last set bit of each number, and of the number.

    Noise added to a secret can only reach the numbers on the secret's own lattice; how
    fine that lattice is shows in the last bits.
    """
    mantissa, exponent = np.frexp(points)
    whole = np.abs(np.ldexp(mantissa, 53)).astype(np.int64)
    last = np.where(whole > 0, whole & -whole, 1)
    depth = np.log2(last.astype(np.float64)) + exponent - 53
    return np.hstack([np.where(whole > 0, depth, 99.0), exponent.astype(np.float64)])


def best_threshold(
    x: FloatArray, other: FloatArray, risk: float
) -> tuple[float, float]:
    """Return the threshold with the best certified loss, and that loss."""
    mine, theirs = np.sort(x), np.sort(other)
    grid = np.unique(np.quantile(mine, 1 - np.geomspace(1, 0.5 / len(mine), GRID)))
    # A threshold just above everything seen elsewhere finds outputs of one side only.
    beyond = mine[mine > theirs[-1]]
    grid = np.append(grid, beyond[:1])
    hits = len(mine) - np.searchsorted(mine, grid, side="left")
    others = len(theirs) - np.searchsorted(theirs, grid, side="left")
    loss = loss_low(hits, others, len(mine), risk)
    best = int(np.argmax(loss))
    return float(grid[best]), float(loss[best])


def _score_of_names(x: Outputs, other: Outputs, *, low_bits: bool) -> tuple[Score, str]:
    """Score a name by how much oftener it came under the first secret."""
    del low_bits  # names have no bits
    balance: dict[Hashable, list[float]] = {}
    for side, outputs in enumerate((x, other)):
        for name in _names(outputs):
            balance.setdefault(name, [0.5, 0.5])[side] += 1
    table = {name: float(np.log(a / b)) for name, (a, b) in balance.items()}

    def score(outputs: Outputs) -> FloatArray:
        return np.array([table.get(name, 0.0) for name in _names(outputs)])

    return score, "outputs that came oftener under the first secret"


def _names(outputs: Outputs) -> Sequence[Hashable]:
    if isinstance(outputs, np.ndarray):
        plain: list[Hashable] = [
            tuple(row) if isinstance(row, list) else row for row in outputs.tolist()
        ]
        return plain
    return outputs


def _score_of_vectors(
    x: Outputs, other: Outputs, *, low_bits: bool
) -> tuple[Score, str]:
    """Score a vector by a boosted classifier of the two secrets."""

    def features(outputs: Outputs) -> FloatArray:
        return _features(np.asarray(outputs, dtype=np.float64), low_bits=low_bits)

    table = np.concatenate([features(x), features(other)])
    label = np.repeat([1, 0], [len(x), len(other)])
    model = HistGradientBoostingClassifier(
        max_iter=60, max_leaf_nodes=15, min_samples_leaf=50, random_state=0
    )
    # Threads that wait for each other on a busy machine are slower than one.
    with threadpool_limits(1, user_api="openmp"):
        model.fit(table, label)

    def score(outputs: Outputs) -> FloatArray:
        with threadpool_limits(1, user_api="openmp"):
            decisions: NDArray[np.float64] = model.decision_function(features(outputs))
        return decisions

    return score, "outputs that a classifier assigns to the first secret"


def _features(points: FloatArray, *, low_bits: bool) -> FloatArray:
    rows = points.reshape(len(points), -1)
    if rows.shape[1] > _MOST_COORDINATES:
        raise DataError(
            f"outputs of {rows.shape[1]} coordinates are too many to audit; map them "
            f"to {_MOST_COORDINATES} by a fixed function, which is post-processing"
        )
    parts = [rows]
    if 1 < rows.shape[1] <= _DIFFERENCES:
        # Shared noise cancels in a difference of coordinates.
        a, b = np.triu_indices(rows.shape[1], 1)
        parts.append(rows[:, a] - rows[:, b])
    if low_bits:
        parts.append(low_bit_features(rows))
    return np.hstack(parts)
