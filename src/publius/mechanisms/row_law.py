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
from publius.core.space import Space, blocks
from publius.mechanisms.certificate import Certificate
from publius.mechanisms.dense_certificate import certify_dense
from publius.mechanisms.law import Decay
from publius.numerics.parallel import map_blocks

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
        cache_bytes: Memory for the rows that are cached.
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
        """Yield every asked row once: cached ones first, the rest formed in blocks."""
        cached = np.array([int(word) in self._rows for word in asked], dtype=bool)
        for number in np.flatnonzero(cached):
            self._rows.move_to_end(int(asked[number]))
            yield int(number), self._rows[int(asked[number])]
        missing = np.flatnonzero(~cached)
        runs = [missing[run] for run in blocks(len(missing), self._size, item_bytes=32)]
        formed = map_blocks(lambda run: self._running_sums(asked[run]), runs)
        for run, rows in zip(runs, formed, strict=True):
            for number, row in zip(run, rows, strict=True):
                yield int(number), row
                self._cache(int(asked[number]), row)

    def _running_sums(self, ids: IdArray) -> NDArray[np.uint64]:
        rows = self._tickets(ids)
        return np.cumsum(rows, axis=1, dtype=np.uint64, out=rows)

    def _cache(self, word: int, row: NDArray[np.uint64]) -> None:
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

    def certify(self) -> Certificate:
        """Compute the exact loss over all pairs, rounding included."""
        return certify_dense(self.space, self.decay, ROUNDING)
