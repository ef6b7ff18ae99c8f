"""Integer law on a layered space: exact, sparse, and drawn in one search per token.

With levels ``c[0] > … > c[cap]``, whole numbers that fall by at most e^beta each, the
weight of output z for input x is ``weights[z] * c[d(x, z)]``. Since

    c[d] = c[cap] + Σ_{j >= d, j < cap} (c[j] - c[j+1]),

a row is a mixture of one global law, the same for all inputs, and of the balls of
radius 0 … cap-1 around x. Only the balls are stored.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import scipy
from numpy.typing import NDArray

from publius.core.arrays import UNKNOWN, FloatArray, IdArray, Rng
from publius.core.errors import DataError
from publius.core.space import Balls, Layered, neighbour_distance
from publius.mechanisms.ball_rows import Rows
from publius.mechanisms.certificate import Certificate, Extreme
from publius.mechanisms.law import Decay
from publius.numerics.guide import Guide
from publius.numerics.parallel import map_blocks

CENTRES = 2048
"""Balls are formed for this many centres at a time."""

WORTH = 8
"""Rows of all words are summed up once an eighth of them is asked for in one call."""

TOKENS = 1 << 17
"""Tickets are looked up for this many tokens at a time, to stay in the cache."""

LOG_ERROR = 1e-12
"""Bound on the error of a sum of a few double-precision logarithms."""


def all_balls(space: Layered) -> Balls:
    """Return the balls of every point; independent of any protected text."""
    starts = range(0, space.size, CENTRES)
    parts = map_blocks(
        lambda start: space.balls(
            np.arange(start, min(start + CENTRES, space.size), dtype=np.int64)
        ),
        starts,
    )
    small = np.uint16 if space.size <= 1 << 16 else np.uint32
    bounds, points, offset = [], [], 0
    for part in parts:
        bounds.append(part.bounds + offset)
        points.append(part.points.astype(small))
        offset += len(part.points)
    return Balls(np.concatenate(bounds), np.concatenate(points))


@dataclass(frozen=True, slots=True, eq=False)
class _Tickets:
    """Rows with what a ticket is compared with.

    Args:
        rows: Of some words or of all.
        totals: Tickets of each row, and behind them those of ⊥.
        edges: For each radius but the last, where its tickets end in each row.
    """

    rows: Rows
    totals: NDArray[np.uint64]
    edges: tuple[NDArray[np.uint64], ...]


@dataclass(frozen=True, slots=True, eq=False)
class BallLaw:
    """Draw with exact integers on a layered space.

    Args:
        space: Words and their hop distances.
        decay: Weights of the outputs.
        largest_total: Largest sum of the unscaled weights of a row, or an upper bound.
        balls: The balls of every word when prepared; else formed as they are asked for.
        rows: The same with running sums of these weights, where they were cached.
    """

    space: Layered
    decay: Decay
    largest_total: float
    balls: Balls | None = None
    rows: Rows | None = None
    levels: tuple[int, ...] = field(init=False)
    _share: NDArray[np.uint64] = field(init=False, repr=False)
    _guide: list[Guide] = field(init=False, default_factory=list, repr=False)
    _prepared: list[_Tickets] = field(init=False, default_factory=list, repr=False)
    _sums: list[FloatArray] = field(init=False, default_factory=list, repr=False)

    def __post_init__(self) -> None:
        self.decay.checked(self.space.size)
        # Row sums stay below 2^62, so that every draw is one bounded integer.
        bits = min(40, math.floor(61.9 - math.log2(self.largest_total)))
        if bits < 8:
            raise DataError("weights are too large for exact integer rows")
        levels = [1 << bits]
        for _ in range(self.space.cap):
            levels.append(max(1, math.ceil(levels[-1] * math.exp(-self.decay.beta))))
        object.__setattr__(self, "levels", tuple(levels))
        share = np.cumsum(self.decay.weights, dtype=np.uint64)
        object.__setattr__(self, "_share", share)
        if self.rows is not None:
            self._prepared.append(self._tickets(self.rows))

    @property
    def size(self) -> int:
        """Number of words."""
        return self.space.size

    @property
    def _weight(self) -> int:
        return int(self._share[-1])

    @property
    def _steps(self) -> NDArray[np.uint64]:
        """Differences of neighbouring levels."""
        return np.array(self.levels[:-1], np.uint64) - np.array(
            self.levels[1:], np.uint64
        )

    def totals(self, inside: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return the integer row sums from the weights of the balls."""
        far = self.levels[-1] * self._weight
        largest = far + inside.astype(np.float64) @ self._steps.astype(np.float64)
        if not (far < 1 << 63 and (largest < 1 << 63).all()):
            raise DataError(
                "row sums exceed 63 bits: largest_total is of other weights"
            )
        return np.uint64(far) + (inside * self._steps).sum(axis=1, dtype=np.uint64)

    def log_prob(self, ids: IdArray) -> FloatArray:
        """Return the log-probability of every output, from the integers."""
        known = np.where(ids == UNKNOWN, 0, ids)
        rows = Rows.over(self.space.balls(known), self.decay.weights)
        hops = rows.balls.distances(self.size).astype(np.int64)
        log_level = np.log(np.array(self.levels, dtype=np.float64))
        log_weight = np.log(self.decay.weights.astype(np.float64))
        log_prob = log_weight + log_level[hops]
        log_prob -= np.log(self.totals(rows.inside).astype(np.float64))[:, None]
        log_prob[ids == UNKNOWN] = log_weight - math.log(self._weight)
        return log_prob

    def pull(self, values: FloatArray) -> FloatArray:
        """Return the sum over x of ``P(z | x) * values[x]`` for every output z.

        All inputs outside the ball of an output have the same level, so that one sum
        serves them; the metric is symmetric, so the ball of an output holds the rest.
        """
        balls = self.balls if self.balls is not None else all_balls(self.space)
        rows = self.rows or Rows.over(balls, self.decay.weights)
        share = values / self.totals(rows.inside).astype(np.float64)[:, None]
        level = np.array(self.levels, dtype=np.float64)
        rise = level[:-1] - level[-1]

        def near(run: tuple[int, int]) -> FloatArray:
            start, stop = run
            bounds = balls.bounds[start:stop]
            first, last = bounds[0, 0], bounds[-1, -1]
            hops = np.tile(np.arange(self.space.cap), stop - start)
            hops = np.repeat(hops, np.diff(bounds, axis=1).ravel())
            edges = np.append(bounds[:, 0], last) - first
            members = balls.points[first:last].astype(np.int64)
            inside = scipy.sparse.csr_array(
                (rise[hops], members, edges), shape=(stop - start, self.size)
            )
            return np.asarray(inside @ share)

        totals = np.concatenate(list(map_blocks(near, _runs(self.size))))
        totals += level[-1] * share.sum(axis=0)
        return totals * self.decay.weights.astype(np.float64)[:, None]

    def likeliest(
        self, z: IdArray, log_prior: FloatArray, most: int
    ) -> tuple[IdArray, FloatArray]:
        """Return the inputs with the largest prior times probability of each output.

        Outside the ball of an output all inputs are at the cap, where their order is
        the same for every output: the ball and the first of that order hold all.
        """
        balls = self.balls if self.balls is not None else all_balls(self.space)
        if not self._sums:
            rows = self.rows or Rows.over(balls, self.decay.weights)
            self._sums.append(self.totals(rows.inside).astype(np.float64))
        score = log_prior - np.log(self._sums[0])
        log_level = np.log(np.array(self.levels, dtype=np.float64))
        log_weight = np.log(self.decay.weights.astype(np.float64))
        common = np.argsort(-score, kind="stable")[:most]
        is_inside = np.zeros(self.size, dtype=bool)
        ids = np.full((len(z), most), -1, dtype=np.int64)
        weights = np.full((len(z), most), -np.inf)
        for row, word in enumerate(z.tolist()):
            bounds = balls.bounds[word]
            inside = balls.points[bounds[0] : bounds[-1]].astype(np.int64)
            hops = np.repeat(np.arange(self.space.cap), np.diff(bounds))
            is_inside[inside] = True
            outside = common[~is_inside[common]]
            is_inside[inside] = False
            near = np.concatenate([inside, outside])
            level = np.append(log_level[hops], np.full(len(outside), log_level[-1]))
            weight = score[near] + level + log_weight[word]
            kept = np.argsort(-weight, kind="stable")[:most]
            ids[row, : len(kept)], weights[row, : len(kept)] = near[kept], weight[kept]
        return ids, weights

    def draw(self, ids: IdArray, rng: Rng) -> IdArray:
        """Draw one output per id; UNKNOWN draws from the global law."""
        tickets, row_of = self._rows_for(ids)
        row_of = np.where(ids == UNKNOWN, tickets.rows.size, row_of)
        ticket = rng.integers(0, tickets.totals[row_of], dtype=np.uint64)
        drawn = np.empty(len(ids), dtype=np.int64)
        for start in range(0, len(ids), TOKENS):
            part = slice(start, start + TOKENS)
            drawn[part] = self._resolve(tickets, row_of[part], ticket[part])
        return drawn

    def _tickets(self, rows: Rows) -> _Tickets:
        """Return what tickets of some rows are compared with."""
        inside = rows.inside
        totals = np.append(
            self.totals(inside), np.uint64(self.levels[-1] * self._weight)
        )
        edges = np.cumsum(inside * self._steps, axis=1, dtype=np.uint64)
        columns = tuple(np.ascontiguousarray(column) for column in edges[:, :-1].T)
        return _Tickets(rows, totals, columns)

    def _resolve(
        self, tickets: _Tickets, row_of: IdArray, ticket: NDArray[np.uint64]
    ) -> IdArray:
        """Return the output that each ticket of each row belongs to."""
        if not self._guide:
            self._guide.append(Guide.over(self._share))
        far = np.uint64(self.levels[-1] * self._weight)
        drawn = np.empty(len(ticket), dtype=np.int64)
        outside = ticket < far
        spot = ticket[outside] // np.uint64(self.levels[-1])
        drawn[outside] = self._guide[0].find(spot)
        inside = np.flatnonzero(~outside)
        row, left = row_of[inside], ticket[inside] - far
        radius = np.zeros(len(row), dtype=np.int64)
        before = np.zeros(len(row), dtype=np.uint64)
        for column in tickets.edges:
            edge = column[row]
            passed = left >= edge
            radius += passed
            np.copyto(before, edge, where=passed)
        offset = (left - before) // self._steps[radius]
        drawn[inside] = tickets.rows.find(row, radius, offset)
        return drawn

    def certify(self) -> Certificate:
        """Compute the exact loss over all pairs from the integer rows."""
        balls = self.balls if self.balls is not None else all_balls(self.space)
        rows = Rows.over(balls, self.decay.weights)
        log_total = np.log(self.totals(rows.inside).astype(np.float64))
        spread = [Extreme() for _ in range(self.space.cap + 1)]
        for part in map_blocks(
            lambda block: _spread(balls, block, log_total), _runs(self.size)
        ):
            for hops, extreme in part.items():
                spread[hops] = spread[hops].larger(extreme.value, extreme.pair)
        spread[-1] = self._far_spread(log_total)
        return self._summary(spread, log_total, _reach(balls, self.size))

    def _summary(
        self, spread: list[Extreme], log_total: FloatArray, reach: IdArray
    ) -> Certificate:
        steepest, farthest = Extreme(), Extreme(0.0)
        for hops, extreme in enumerate(spread[1:], start=1):
            if math.isinf(extreme.value):
                continue  # no pair at this distance
            loss = self._fall(hops) + extreme.value + LOG_ERROR
            steepest = steepest.larger(loss / hops, extreme.pair)
            farthest = farthest.larger(loss, extreme.pair)
        # The ratio to the global law runs from the word itself to its farthest word.
        log_level = np.log(np.array(self.levels, dtype=np.float64))
        over = log_total - math.log(self._weight)
        unknown = np.maximum(
            np.abs(over - log_level[0]), np.abs(over - log_level[reach])
        )
        alone = math.isinf(steepest.value)
        return Certificate(
            epsilon=self.decay.beta if alone else steepest.value,
            beta=self.decay.beta,
            worst_pair=steepest.pair,
            worst_loss=farthest.value,
            farthest_pair=farthest.pair,
            slack=0.0,
            unknown_loss=float(unknown.max()) + LOG_ERROR,
            near=neighbour_distance(self.space, 10),
            diameter=float(reach.max()),
            largest_total=self.largest_total,
        )

    def _fall(self, hops: int) -> float:
        """Return the largest log-ratio of two levels `hops` apart."""
        pairs = zip(self.levels, self.levels[hops:], strict=False)
        return max(math.log(high) - math.log(low) for high, low in pairs)

    def _far_spread(self, log_total: FloatArray) -> Extreme:
        """Search the largest difference at the cap, highest totals first."""
        best, lowest = Extreme(), log_total.min()
        for centre in np.argsort(-log_total):
            if log_total[centre] - lowest <= best.value:
                break
            far = self.space.rows(np.array([centre]))[0] == self.space.cap
            if far.any():
                other = int(np.argmin(np.where(far, log_total, np.inf)))
                gap = float(log_total[centre] - log_total[other])
                best = best.larger(gap, (int(centre), other))
        return best

    def _rows_for(self, ids: IdArray) -> tuple[_Tickets, IdArray]:
        """Return the rows that hold the ids, and where each id's row is."""
        if self._prepared:
            return self._prepared[0], ids
        asked = np.unique(ids[ids != UNKNOWN])
        if self.balls is not None and len(asked) * WORTH > self.size:
            rows = Rows.over(self.balls, self.decay.weights)
            self._prepared.append(self._tickets(rows))
            return self._prepared[0], ids
        balls = [self._balls_of(part) for part in _chunks(asked)]
        rows = Rows.over(_joined(balls, self.space.cap), self.decay.weights)
        return self._tickets(rows), np.searchsorted(asked, ids)

    def _balls_of(self, ids: IdArray) -> Balls:
        """Return the balls of some words, from all of them where they are prepared."""
        return self.space.balls(ids) if self.balls is None else self.balls.of(ids)


def _runs(size: int) -> Iterator[tuple[int, int]]:
    for start in range(0, size, CENTRES):
        yield start, min(start + CENTRES, size)


def _chunks(ids: IdArray) -> Iterator[IdArray]:
    for start, stop in _runs(len(ids)):
        yield ids[start:stop]


def _joined(parts: list[Balls], cap: int) -> Balls:
    if not parts:
        return Balls(np.zeros((0, cap + 1), np.int64), np.zeros(0, np.uint32))
    offsets = np.cumsum([0] + [len(part.points) for part in parts[:-1]])
    bounds = [p.bounds + offset for p, offset in zip(parts, offsets, strict=True)]
    return Balls(np.concatenate(bounds), np.concatenate([p.points for p in parts]))


def _reach(balls: Balls, size: int) -> IdArray:
    """Return the distance from each centre to its farthest point."""
    members = np.diff(balls.bounds, axis=1)
    cap = members.shape[1]
    last = cap - 1 - np.argmax(members[:, ::-1] > 0, axis=1)
    return np.where(members.sum(axis=1) == size, last, cap)


def _spread(
    balls: Balls, run: tuple[int, int], log_total: FloatArray
) -> dict[int, Extreme]:
    """Return the largest difference of log totals at each distance below the cap."""
    start, stop = run
    bounds = balls.bounds[start:stop]
    members = balls.points[bounds[0, 0] : bounds[-1, -1]]
    centre = np.repeat(np.arange(start, stop), bounds[:, -1] - bounds[:, 0])
    levels = np.tile(np.arange(bounds.shape[1] - 1), stop - start)
    hops = np.repeat(levels, np.diff(bounds, axis=1).ravel())
    gap = np.abs(log_total[centre] - log_total[members])
    extremes = {}
    for level in range(1, bounds.shape[1] - 1):
        here = np.flatnonzero(hops == level)
        if len(here):
            at = here[np.argmax(gap[here])]
            extremes[level] = Extreme(
                float(gap[at]), (int(centre[at]), int(members[at]))
            )
    return extremes
