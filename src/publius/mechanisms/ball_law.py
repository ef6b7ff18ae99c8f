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
import scipy.sparse as sp
from numpy.typing import NDArray

from publius.core.arrays import UNKNOWN, FloatArray, IdArray, Rng
from publius.core.errors import DataError
from publius.core.space import Balls, Layered, neighbour_distance
from publius.mechanisms.certificate import Certificate, Extreme
from publius.mechanisms.law import Decay
from publius.numerics.parallel import map_blocks

CENTRES = 2048
"""Balls are formed for this many centres at a time."""

STRIDE = 8
"""A running sum of weights is kept at every STRIDE-th member of the balls."""

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
class _Rows:
    """Balls with running sums of the output weights."""

    balls: Balls
    inside: NDArray[np.uint64]  # (rows, cap): weight of the ball of each radius
    begin: NDArray[np.uint64]  # running sum at the first member of each row
    marks: NDArray[np.uint64]  # running sum at every STRIDE-th member

    @classmethod
    def over(cls, balls: Balls, weights: NDArray[np.uint32]) -> "_Rows":
        count = len(balls.points)
        at_bounds = np.zeros(balls.bounds.shape, dtype=np.uint64)
        marks = [np.zeros(1, dtype=np.uint64)]
        flat = balls.bounds.ravel()
        total, start = np.uint64(0), 0
        span = STRIDE << 18
        while start < count:
            part = balls.points[start : start + span]
            sums = total + np.cumsum(weights[part], dtype=np.uint64)
            first, last = np.searchsorted(flat, (start + 1, start + len(part) + 1))
            at_bounds.ravel()[first:last] = sums[flat[first:last] - start - 1]
            marks.append(sums[STRIDE - 1 :: STRIDE])
            total, start = sums[-1], start + len(part)
        return cls(
            balls,
            at_bounds[:, 1:] - at_bounds[:, :1],
            at_bounds[:, 0],
            np.concatenate(marks),
        )

    def find(
        self, rows: IdArray, offsets: NDArray[np.uint64], weights: NDArray[np.uint32]
    ) -> IdArray:
        """Return the member of each row's balls at a given running weight."""
        target = self.begin[rows] + offsets
        # In rising order neighbouring searches, and the members they lead to, lie in
        # the same lines of the cache.
        order = np.argsort(target)
        target = target[order]
        mark = np.searchsorted(self.marks, target, side="right") - 1
        # At most STRIDE weights of 20 bits are left to add: 32 bits hold them.
        left = (target - self.marks[mark]).astype(np.uint32)
        position = mark * STRIDE
        for _ in range(STRIDE - 1):
            here = weights[self.balls.points[position]]
            passed = left >= here
            left -= here * passed
            position += passed
        found = np.empty(len(order), dtype=np.int64)
        found[order] = self.balls.points[position]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class BallLaw:
    """Draw with exact integers on a layered space.

    Args:
        space: Words and their hop distances.
        decay: Weights of the outputs.
        largest_total: Largest sum of the unscaled weights of a row, or an upper bound.
        balls: The balls of every word when prepared; else formed as they are asked for.
    """

    space: Layered
    decay: Decay
    largest_total: float
    balls: Balls | None = None
    levels: tuple[int, ...] = field(init=False)
    _share: NDArray[np.uint64] = field(init=False, repr=False)
    _prepared: list[_Rows] = field(init=False, default_factory=list, repr=False)
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
        rows = _Rows.over(self.space.balls(known), self.decay.weights)
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
        rows = _Rows.over(balls, self.decay.weights)
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
            inside = sp.csr_array(
                (rise[hops], members, edges), shape=(stop - start, self.size)
            )
            return np.asarray(inside @ share)

        found = np.concatenate(list(map_blocks(near, _runs(self.size))))
        found += level[-1] * share.sum(axis=0)
        return found * self.decay.weights.astype(np.float64)[:, None]

    def likeliest(
        self, z: IdArray, log_prior: FloatArray, most: int
    ) -> tuple[IdArray, FloatArray]:
        """Return the inputs with the largest prior times probability of each output.

        Outside the ball of an output all inputs are at the cap, where their order is
        the same for every output: the ball and the first of that order hold all.
        """
        balls = self.balls if self.balls is not None else all_balls(self.space)
        if not self._sums:
            rows = _Rows.over(balls, self.decay.weights)
            self._sums.append(self.totals(rows.inside).astype(np.float64))
        score = log_prior - np.log(self._sums[0])
        log_level = np.log(np.array(self.levels, dtype=np.float64))
        log_weight = np.log(self.decay.weights.astype(np.float64))
        common = np.argsort(-score, kind="stable")[:most]
        ids = np.full((len(z), most), -1, dtype=np.int64)
        found = np.full((len(z), most), -np.inf)
        for row, word in enumerate(z.tolist()):
            bounds = balls.bounds[word]
            inside = balls.points[bounds[0] : bounds[-1]].astype(np.int64)
            hops = np.repeat(np.arange(self.space.cap), np.diff(bounds))
            outside = common[~np.isin(common, inside)]
            near = np.concatenate([inside, outside])
            level = np.append(log_level[hops], np.full(len(outside), log_level[-1]))
            weight = score[near] + level + log_weight[word]
            kept = np.argsort(-weight, kind="stable")[:most]
            ids[row, : len(kept)], found[row, : len(kept)] = near[kept], weight[kept]
        return ids, found

    def draw(self, ids: IdArray, rng: Rng) -> IdArray:
        """Draw one output per id; UNKNOWN draws from the global law."""
        rows, row_of = self._rows_for(ids)
        row_of = np.where(ids == UNKNOWN, len(rows.inside), row_of)
        ticket = rng.integers(0, self._totals_of(rows, row_of), dtype=np.uint64)
        drawn = np.empty(len(ids), dtype=np.int64)
        for start in range(0, len(ids), TOKENS):
            part = slice(start, start + TOKENS)
            drawn[part] = self._resolve(rows, row_of[part], ticket[part])
        return drawn

    def _totals_of(self, rows: _Rows, row_of: IdArray) -> NDArray[np.uint64]:
        """Return the row sum of each token; the row behind the last one is of ⊥."""
        far = self.levels[-1] * self._weight
        if len(row_of) >= len(rows.inside):
            return np.append(self.totals(rows.inside), np.uint64(far))[row_of]
        # A few tokens of a large prepared table: the sums of their rows will do.
        is_known = row_of < len(rows.inside)
        sums = self.totals(rows.inside[row_of[is_known]])
        found = np.full(len(row_of), far, dtype=np.uint64)
        found[is_known] = sums
        return found

    def _resolve(
        self, rows: _Rows, row_of: IdArray, ticket: NDArray[np.uint64]
    ) -> IdArray:
        """Return the output that each ticket of each row belongs to."""
        far = np.uint64(self.levels[-1] * self._weight)
        drawn = np.empty(len(ticket), dtype=np.int64)
        outside = ticket < far
        spot = ticket[outside] // np.uint64(self.levels[-1])
        drawn[outside] = np.searchsorted(self._share, spot, side="right")
        row, left = row_of[~outside], ticket[~outside] - far
        mass = rows.inside[row] * self._steps
        edges = np.cumsum(mass, axis=1, dtype=np.uint64)
        radius = (edges <= left[:, None]).sum(axis=1)
        pick = np.arange(len(row)), radius
        offset = (left - (edges[pick] - mass[pick])) // self._steps[radius]
        drawn[~outside] = rows.find(row, offset, self.decay.weights)
        return drawn

    def certify(self) -> Certificate:
        """Compute the exact loss over all pairs from the integer rows."""
        balls = self.balls if self.balls is not None else all_balls(self.space)
        rows = _Rows.over(balls, self.decay.weights)
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

    def _rows_for(self, ids: IdArray) -> tuple[_Rows, IdArray]:
        """Return the rows that hold the ids, and where each id's row is."""
        if self._prepared:
            return self._prepared[0], ids
        asked = np.unique(ids[ids != UNKNOWN])
        if self.balls is not None and len(asked) * WORTH > self.size:
            self._prepared.append(_Rows.over(self.balls, self.decay.weights))
            return self._prepared[0], ids
        balls = [self._balls_of(part) for part in _chunks(asked)]
        rows = _Rows.over(_joined(balls, self.space.cap), self.decay.weights)
        return rows, np.searchsorted(asked, ids)

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
    found = {}
    for level in range(1, bounds.shape[1] - 1):
        here = np.flatnonzero(hops == level)
        if len(here):
            at = here[np.argmax(gap[here])]
            found[level] = Extreme(float(gap[at]), (int(centre[at]), int(members[at])))
    return found
