"""How well points reconstruct their hierarchy: mean rank and average precision.

For a name u and a name v above it, the rank is 1 plus the number of names not above u
that are closer to u than v (Nickel and Kiela 2017).
"""

import math
from dataclasses import dataclass

import numpy as np

from publius.core.arrays import FloatArray, IdArray, Rng, at_least
from publius.core.errors import DataError
from publius.core.estimate import Estimate
from publius.embeddings.poincare_pairs import Hierarchy
from publius.numerics.parallel import map_blocks

ROWS = 64
"""Names whose distances to all others are held at a time."""

CONFIDENCE, DEVIATIONS = 0.95, 1.959964


@dataclass(frozen=True, slots=True)
class Quality:
    """Reconstruction over some or all names of a hierarchy.

    Args:
        mean_rank: Over all pairs; 1 is perfect.
        average_precision: Over names that have another above them; 1 is perfect.
    """

    mean_rank: Estimate
    average_precision: Estimate


def reconstruction(
    points: FloatArray, hierarchy: Hierarchy, sample: int | None, rng: Rng
) -> Quality:
    """Measure points in Lorentz coordinates against their hierarchy.

    Args:
        points: ``(names, dim + 1)``, the time first.
        hierarchy: Names and pairs.
        sample: Names to measure, or None for all; then the result is exact.
        rng: Picks the names.
    """
    if len(points) != hierarchy.size:
        raise DataError(f"{hierarchy.size} names need as many points: {len(points)}")
    having = np.flatnonzero(np.diff(hierarchy.ancestors.indptr) > 0)
    if sample is not None and at_least("sample", sample, 2) < len(having):
        ids = np.sort(rng.choice(having, sample, replace=False))
        whole = False
    else:
        ids, whole = having, True
    runs = [ids[i : i + ROWS] for i in range(0, len(ids), ROWS)]
    parts = list(map_blocks(lambda run: _measure(points, hierarchy, run), runs))
    ranks, pairs, precision = (
        np.concatenate(part) for part in zip(*parts, strict=True)
    )
    mean = float(ranks.sum() / pairs.sum())
    spread = (ranks - mean * pairs).std() / pairs.mean()
    return Quality(
        _estimate(mean, 0.0 if whole else float(spread), len(ids)),
        _estimate(
            float(precision.mean()), 0.0 if whole else float(precision.std()), len(ids)
        ),
    )


def _measure(
    points: FloatArray, hierarchy: Hierarchy, ids: IdArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the sum of ranks, the pairs and the average precision of each name."""
    flipped = points[ids].copy()
    flipped[:, 1:] *= -1
    # cosh d orders like d.
    cosh = flipped @ points.T
    cosh[np.arange(len(ids)), ids] = math.inf
    scores = np.empty((3, len(ids)))
    above = hierarchy.ancestors
    for row, name in enumerate(ids):
        upper = above.indices[above.indptr[name] : above.indptr[name + 1]]
        reach = np.sort(cosh[row, upper])
        cosh[row, upper] = math.inf
        others = np.sort(cosh[row][cosh[row] < reach[-1]])
        closer = np.searchsorted(others, reach, side="left")
        order = np.arange(1, len(upper) + 1)
        scores[:, row] = (
            (closer + 1).sum(),
            len(upper),
            (order / (closer + order)).mean(),
        )
    return scores[0], scores[1], scores[2]


def _estimate(value: float, deviation: float, count: int) -> Estimate:
    half = DEVIATIONS * deviation / math.sqrt(count)
    if half == 0:
        return Estimate(value, value, value, 1.0, count)
    return Estimate(value, value - half, value + half, CONFIDENCE, count)
