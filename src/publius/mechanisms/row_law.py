"""Integer law on any finite space: one dense row of integers per input.

A row of ``2**62`` tickets is dealt to the outputs in proportion to
``weights[z] * exp(-beta * d(x, z))``, after ``FLOOR`` tickets for every output. Mixing
in the same floor for all inputs can only shrink a loss; it bounds the relative effect
of rounding by ``1 / FLOOR``, which the certificate pays for.
"""

import math
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from publius.core.arrays import UNKNOWN, FloatArray, IdArray, Rng
from publius.core.errors import ParameterError
from publius.core.parallel import map_blocks
from publius.core.space import Space, blocks, neighbour_distance
from publius.mechanisms.certificate import Certificate, Extreme
from publius.mechanisms.law import Decay

TICKETS = 1 << 62
FLOOR = 1 << 22
RESERVE = 1 << 16
"""Tickets held back, more than the rounding errors of a sum of 2**62 can take."""

MOST_WORDS = 1_000_000
ROUNDING = 2.0 * (1.0 / FLOOR + 1e-12)
"""Largest change of a log-ratio by rounding both of its rows."""

CACHE_BYTES = 512 << 20
"""Rows of frequent words stay in memory up to this size; never on disk."""


def deal(log_weights: FloatArray) -> NDArray[np.uint64]:
    """Turn rows of log-weights into whole numbers that sum to ``TICKETS``."""
    rows, size = log_weights.shape
    if size > MOST_WORDS:
        raise ParameterError(f"{size} words are too many for exact integer rows")
    share = np.exp(log_weights - log_weights.max(axis=1, keepdims=True))
    share *= ((TICKETS - size * FLOOR - RESERVE) / share.sum(axis=1))[:, None]
    tickets = share.astype(np.uint64) + np.uint64(FLOOR)
    left = np.uint64(TICKETS) - tickets.sum(axis=1, dtype=np.uint64)
    # At most RESERVE and one per word are left. The largest share is at least 1/size of
    # all, so with size <= MOST_WORDS they change it by less than 1/FLOOR of itself.
    tickets[np.arange(rows), log_weights.argmax(axis=1)] += left
    return tickets


class TicketSampler:
    """Draw from integer rows, keeping the running sums of recent words in memory.

    Args:
        size: Number of outputs.
        tickets: Forms the integer rows of some ids, or of UNKNOWN.
        cache_bytes: Memory for the rows that are kept.
    """

    def __init__(
        self,
        size: int,
        tickets: Callable[[IdArray], NDArray[np.uint64]],
        cache_bytes: int = CACHE_BYTES,
    ) -> None:
        self._size = size
        self._tickets = tickets
        self._cache_bytes = cache_bytes
        self._rows: OrderedDict[int, NDArray[np.uint64]] = OrderedDict()

    def draw(self, ids: IdArray, rng: Rng) -> IdArray:
        """Draw one output per id."""
        ticket = rng.integers(0, TICKETS, size=len(ids), dtype=np.uint64)
        order = np.argsort(ids, kind="stable")
        asked, first = np.unique(ids[order], return_index=True)
        ends = np.append(first[1:], len(ids))
        drawn = np.empty(len(ids), dtype=np.int64)
        for number, row in self._each(asked):
            tokens = order[first[number] : ends[number]]
            drawn[tokens] = np.searchsorted(row, ticket[tokens], side="right")
        return drawn

    def _each(self, asked: IdArray) -> Iterator[tuple[int, NDArray[np.uint64]]]:
        """Yield every asked row once: kept ones first, the rest formed in blocks."""
        kept = np.array([int(word) in self._rows for word in asked], dtype=bool)
        for number in np.flatnonzero(kept):
            self._rows.move_to_end(int(asked[number]))
            yield int(number), self._rows[int(asked[number])]
        missing = np.flatnonzero(~kept)
        runs = [missing[run] for run in blocks(len(missing), self._size, item_bytes=32)]
        formed = map_blocks(lambda run: self._running_sums(asked[run]), runs)
        for run, rows in zip(runs, formed, strict=True):
            for number, row in zip(run, rows, strict=True):
                yield int(number), row
                self._keep(int(asked[number]), row)

    def _running_sums(self, ids: IdArray) -> NDArray[np.uint64]:
        rows = self._tickets(ids)
        return np.cumsum(rows, axis=1, dtype=np.uint64, out=rows)

    def _keep(self, word: int, row: NDArray[np.uint64]) -> None:
        self._rows[word] = row.copy()
        while len(self._rows) * row.nbytes > self._cache_bytes:
            self._rows.popitem(last=False)


@dataclass(frozen=True, slots=True, eq=False)
class RowLaw:
    """Draw with exact integers on any finite space.

    Args:
        space: Words and their distances.
        decay: Weights of the outputs.
    """

    space: Space
    decay: Decay
    _sampler: TicketSampler = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.decay.checked(self.space.size)
        object.__setattr__(self, "_sampler", TicketSampler(self.size, self.tickets))

    @property
    def size(self) -> int:
        """Number of words."""
        return self.space.size

    def tickets(self, ids: IdArray) -> NDArray[np.uint64]:
        """Return the integer row of each id; ⊥ has the weights alone."""
        known = np.where(ids == UNKNOWN, 0, ids)
        scores = self.space.rows(known)
        scores *= -self.decay.beta
        scores[ids == UNKNOWN] = 0.0
        scores += np.log(self.decay.weights.astype(np.float64))
        return deal(scores)

    def log_prob(self, ids: IdArray) -> FloatArray:
        """Return the log-probability of every output, from the integers."""
        return np.log(self.tickets(ids).astype(np.float64)) - math.log(TICKETS)

    def draw(self, ids: IdArray, rng: Rng) -> IdArray:
        """Draw one output per id."""
        return self._sampler.draw(ids, rng)

    def log_totals(self) -> tuple[FloatArray, FloatArray]:
        """Return ln Z and the largest distance of every point."""
        weights = self.decay.weights.astype(np.float64)

        def work(ids: IdArray) -> tuple[FloatArray, FloatArray]:
            rows = self.space.rows(ids)
            reach = rows.max(axis=1)
            rows *= -self.decay.beta
            return np.log(np.exp(rows, out=rows) @ weights), reach

        parts = list(map_blocks(work, blocks(self.size, self.size)))
        return (
            np.concatenate([total for total, _ in parts]),
            np.concatenate([reach for _, reach in parts]),
        )

    def certify(self) -> Certificate:
        """Compute the exact loss over all pairs, rounding included."""
        log_total, reach = self.log_totals()
        beta = self.decay.beta
        steepest, farthest, nearest = Extreme(), Extreme(0.0), 0.0
        for part in map_blocks(
            lambda ids: _worst(self.space, ids, log_total, beta),
            blocks(self.size, self.size),
        ):
            if part[0].value > steepest.value:
                nearest = part[2]
            steepest = steepest.larger(part[0].value, part[0].pair)
            farthest = farthest.larger(part[1].value, part[1].pair)
        alone = math.isinf(steepest.value)
        over = math.log(self.decay.weights.sum(dtype=np.uint64)) - log_total
        unknown = np.maximum(np.abs(over), np.abs(over - beta * reach)) + ROUNDING
        return Certificate(
            epsilon=beta if alone else beta + steepest.value,
            beta=beta,
            worst_pair=steepest.pair,
            worst_loss=farthest.value,
            farthest_pair=farthest.pair,
            slack=0.0 if alone else ROUNDING / nearest,
            unknown_loss=float(unknown.max()),
            near=neighbour_distance(self.space, 10),
            diameter=float(reach.max()),
            largest_total=float(np.exp(log_total.max())),
        )


def _worst(
    space: Space, ids: IdArray, log_total: FloatArray, beta: float
) -> tuple[Extreme, Extreme, float]:
    """Return the steepest excess over beta, the largest loss, the former's distance."""
    distance = space.rows(ids)
    gap = np.abs(log_total[ids, None] - log_total[None, :])
    gap += ROUNDING
    same = distance == 0  # equal points have equal rows bit for bit: loss 0
    excess = np.divide(gap, distance, out=np.full_like(gap, -np.inf), where=~same)
    at = np.unravel_index(int(np.argmax(excess)), excess.shape)
    gap += beta * distance
    gap[same] = -np.inf
    far = np.unravel_index(int(np.argmax(gap)), gap.shape)
    return (
        Extreme(float(excess[at]), (int(ids[at[0]]), int(at[1]))),
        Extreme(float(gap[far]), (int(ids[far[0]]), int(far[1]))),
        float(distance[at]),
    )
