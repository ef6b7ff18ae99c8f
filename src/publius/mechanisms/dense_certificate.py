"""The certificate of a law whose rows are dense: two passes over all pairs.

The first pass sums every row, the second compares the sums of every pair. Where the
passes run does not matter: their rounding errors are within what the caller adds.
"""

import math
from typing import Protocol, TypeAlias

import numpy as np

from publius.core.arrays import FloatArray, IdArray
from publius.core.space import Space, blocks, neighbour_distance
from publius.mechanisms.certificate import Certificate, Extreme
from publius.mechanisms.law import Decay
from publius.numerics.parallel import map_blocks

COLUMNS = 4096
"""Pairs of a block are compared this many columns at a time, to stay in the cache."""

Worst: TypeAlias = tuple[Extreme, Extreme, float]
"""The steepest excess over beta, the largest loss, and the former's distance."""


class Passes(Protocol):
    """Passes over all pairs of a space."""

    def log_totals(self) -> tuple[FloatArray, FloatArray]:
        """Return ln Z and the largest distance of every point."""
        ...

    def worst(self, log_total: FloatArray, rounding: float) -> Worst:
        """Return the largest losses over all pairs."""
        ...


class BlockPasses:
    """Passes with NumPy, on all cores.

    Args:
        space: Words and their distances.
        decay: Weights of the outputs.
    """

    def __init__(self, space: Space, decay: Decay) -> None:
        self._space = space
        self._decay = decay

    def log_totals(self) -> tuple[FloatArray, FloatArray]:
        """Return ln Z and the largest distance of every point."""
        weights = self._decay.weights.astype(np.float64)

        def work(ids: IdArray) -> tuple[FloatArray, FloatArray]:
            rows = self._space.rows(ids)
            reach = rows.max(axis=1)
            rows *= -self._decay.beta
            return np.log(np.exp(rows, out=rows) @ weights), reach

        parts = list(map_blocks(work, self._blocks()))
        return (
            np.concatenate([total for total, _ in parts]),
            np.concatenate([reach for _, reach in parts]),
        )

    def worst(self, log_total: FloatArray, rounding: float) -> Worst:
        """Return the largest losses over all pairs."""
        worst: Worst = Extreme(), Extreme(0.0), 0.0
        beta = self._decay.beta

        def work(ids: IdArray) -> Worst:
            return _worst(self._space.rows(ids), ids, log_total, (beta, rounding))

        for part in map_blocks(work, self._blocks()):
            worst = larger(worst, part)
        return worst

    def _blocks(self) -> list[IdArray]:
        return list(blocks(self._space.size, self._space.size))


def larger(one: Worst, other: Worst) -> Worst:
    """Return the larger of two findings, the first where they are equal."""
    return (
        one[0].larger(other[0].value, other[0].pair),
        one[1].larger(other[1].value, other[1].pair),
        other[2] if other[0].value > one[0].value else one[2],
    )


def certify_dense(
    space: Space, decay: Decay, rounding: float, passes: Passes | None = None
) -> Certificate:
    """Compute the loss over all pairs, rounding included.

    Args:
        space: Words and their distances.
        decay: Weights of the outputs.
        rounding: Largest change of a log-ratio by rounding, in the law that is sampled
            and in the passes.
        passes: Where to compute; NumPy by default.
    """
    beta = decay.beta
    passes = BlockPasses(space, decay) if passes is None else passes
    log_total, reach = passes.log_totals()
    steepest, farthest, nearest = passes.worst(log_total, rounding)
    alone = math.isinf(steepest.value)
    over = math.log(decay.weights.sum(dtype=np.uint64)) - log_total
    unknown = np.maximum(np.abs(over), np.abs(over - beta * reach)) + rounding
    return Certificate(
        epsilon=beta if alone else beta + steepest.value,
        beta=beta,
        worst_pair=steepest.pair,
        worst_loss=farthest.value,
        farthest_pair=farthest.pair,
        slack=0.0 if alone else rounding / nearest,
        unknown_loss=float(unknown.max()),
        near=neighbour_distance(space, 10),
        diameter=float(reach.max()),
        largest_total=float(np.exp(log_total.max())),
    )


def _worst(
    rows: FloatArray, ids: IdArray, log_total: FloatArray, terms: tuple[float, float]
) -> Worst:
    """Return the largest losses between a run of points and all later ones."""
    beta, rounding = terms
    worst: Worst = Extreme(), Extreme(0.0), 0.0
    # A loss is the same both ways: columns before the run were compared as rows.
    for start in range(int(ids[0]) // COLUMNS * COLUMNS, rows.shape[1], COLUMNS):
        distance = rows[:, start : start + COLUMNS]
        gap = np.subtract.outer(log_total[ids], log_total[start : start + COLUMNS])
        np.abs(gap, out=gap)
        gap += rounding
        with np.errstate(divide="ignore"):
            excess = gap / distance
        at = np.unravel_index(int(np.argmax(excess)), excess.shape)
        if np.isinf(excess[at]):
            # Equal points have equal rows bit for bit: their loss is 0.
            gap[distance == 0] = excess[distance == 0] = -np.inf
            at = np.unravel_index(int(np.argmax(excess)), excess.shape)
        steepest = float(excess[at])
        gap += np.multiply(distance, beta, out=excess)
        far = np.unravel_index(int(np.argmax(gap)), gap.shape)
        worst = larger(
            worst,
            (
                Extreme(steepest, (int(ids[at[0]]), int(start + at[1]))),
                Extreme(float(gap[far]), (int(ids[far[0]]), int(start + far[1]))),
                float(distance[at]),
            ),
        )
    return worst
