"""Exact law on points: one double per pair of words, drawn by rejection.

The weight of output z for input x is the double

    W(x, z) = weights[z] * (exp(-beta * d(x, z)) + TINY),

formed from the coordinates of the two words alone: it does not depend on which other
words are asked for. A double is a rational number, so ``W(x, z) / sum W(x, .)`` is one,
and that is exactly the probability of z.

A draw proposes a chunk of words by whole numbers that follow a screen, then a word of
the chunk by whole numbers that follow its weights, and keeps it with probability
``W / (mass * p)``, p the exact probability of the proposal. Since ``mass * p >= W``
everywhere, what is kept follows W, however the screen was rounded. A comparison that
doubles cannot decide is settled with fractions.
"""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from importlib import import_module
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from publius.core.arrays import UNKNOWN, FloatArray, IdArray, Rng
from publius.core.errors import DataError
from publius.core.space import PointSpace, Space
from publius.mechanisms.certificate import Certificate
from publius.mechanisms.dense_certificate import Passes, certify_dense
from publius.mechanisms.law import Decay, Law
from publius.mechanisms.row_law import RowLaw
from publius.mechanisms.screen import CHUNK, ROOM, ProductScreen, RowScreen, Screen
from publius.numerics.chord import Chords, chords
from publius.numerics.parallel import map_blocks

TINY = 2.0**-100
"""Part of every output in every row: a mixture that can only shrink a loss."""

TICKETS = 1 << 48
"""Each step of a proposal is a whole number below this."""

UNSURE = 2.0**-44
"""Closer than this a comparison is settled with fractions."""

ROUNDS = 8
"""Words still without an output after so many proposals get a closer screen."""

TOKENS = 64
"""Chunks are weighed for this many tokens at a time."""

CACHE_BYTES = 256 << 20
"""Proposals of recent words stay in memory up to this size; never on disk."""


@dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """Where to look for an output of one word.

    Args:
        ends: Running sum of the tickets of the chunks.
        mass: Times the probability of a proposal, at least the weight of its output.
    """

    ends: NDArray[np.uint64]
    mass: float


@dataclass(frozen=True, slots=True, eq=False)
class PointLaw:
    """Draw from the exact weights of pairs of points.

    Args:
        space: Points under a metric that follows from chords.
        decay: Weights of the outputs.
        device: Torch device of screens and certificates; NumPy if empty. The law is
            the same everywhere.
        cache_bytes: Memory for the proposals of recent words.
    """

    space: PointSpace
    decay: Decay
    device: str = ""
    cache_bytes: int = CACHE_BYTES
    _chords: Chords = field(init=False, repr=False)
    _screens: dict[bool, Screen] = field(init=False, default_factory=dict, repr=False)
    _cached: OrderedDict[int, Proposal] = field(
        init=False, default_factory=OrderedDict, repr=False
    )

    def __post_init__(self) -> None:
        self.decay.checked(self.space.size)
        form = chords(self.space)
        if form is None:
            raise DataError(f"{self.space.metric.id} does not follow from chords")
        object.__setattr__(self, "_chords", form)

    @property
    def size(self) -> int:
        """Number of words."""
        return self.space.size

    @property
    def rounding(self) -> float:
        """Largest change of a log-ratio by rounding, in the law and its certificate.

        Two weights and two row sums enter a log-ratio, each with the error of its
        distances. The sums add at most size + 2000 roundings (exponents reach 700);
        TINY changes them by less than 2^-60.
        """
        error = self.decay.beta * self._chords.error(self.space.points)
        return 4 * error + 2 * (self.size + 2000) * 2.0**-53 + 1e-12

    def log_prob(self, ids: IdArray) -> FloatArray:
        """Return the log-probability of every output for each id or UNKNOWN."""
        log_weight = np.log(self.decay.weights.astype(np.float64))
        scores = self.space.rows(np.where(ids == UNKNOWN, 0, ids))
        scores *= -self.decay.beta
        np.logaddexp(scores, np.log(TINY), out=scores)
        scores[ids == UNKNOWN] = 0.0
        scores += log_weight
        scores -= scores.max(axis=1, keepdims=True)
        scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
        return scores

    def weights(self, ids: IdArray, others: IdArray) -> FloatArray:
        """Return W of each id with the ids in the same row of `others`."""
        points = self.space.points
        distance = self.space.metric.distance(points[ids][:, None, :], points[others])
        distance *= -self.decay.beta
        weight = np.exp(distance, out=distance)
        weight += TINY
        weight *= self.decay.weights[others]
        return np.asarray(weight)

    def certify(self) -> Certificate:
        """Compute the exact loss over all pairs, rounding included."""
        passes: Passes | None = None
        if self.device:
            torch_passes = _on_device().TorchPasses
            passes = torch_passes(self.space, self._chords, self.decay, self.device)
        return certify_dense(self.space, self.decay, self.rounding, passes)

    def draw(self, ids: IdArray, rng: Rng) -> IdArray:
        """Draw one output per id; UNKNOWN draws from the weights alone."""
        drawn = np.empty(len(ids), dtype=np.int64)
        unknown = ids == UNKNOWN
        share = np.cumsum(self.decay.weights, dtype=np.uint64)
        ticket = rng.integers(0, share[-1], size=int(unknown.sum()), dtype=np.uint64)
        drawn[unknown] = np.searchsorted(share, ticket, side="right")
        left, rounds = np.flatnonzero(~unknown), 0
        while len(left):
            proposed, kept = self._propose(ids[left], rng, is_close=rounds >= ROUNDS)
            drawn[left[kept]] = proposed[kept]
            left, rounds = left[~kept], rounds + 1
        return drawn

    def _propose(
        self, ids: IdArray, rng: Rng, *, is_close: bool
    ) -> tuple[IdArray, NDArray[np.bool_]]:
        """Return a proposal for each id and whether it is kept."""
        first, second = rng.integers(0, TICKETS, size=(2, len(ids)), dtype=np.uint64)
        coin = rng.integers(0, 1 << 64, size=len(ids), dtype=np.uint64)
        chunk, share, mass = self._chunks(ids, first, is_close=is_close)
        runs = [slice(at, at + TOKENS) for at in range(0, len(ids), TOKENS)]
        parts = map_blocks(
            lambda run: self._within(ids[run], chunk[run], second[run]), runs
        )
        word, weight, inner = map(np.concatenate, zip(*parts, strict=True))
        bound = weight / mass * (TICKETS / share) * (TICKETS / inner)
        if not (bound <= 1).all():
            raise DataError("a screen is below the weights that it must bound")
        kept = coin * 2.0**-64 < bound
        for at in np.flatnonzero(np.abs(coin * 2.0**-64 - bound) <= UNSURE):
            exact = Fraction(float(weight[at])) / Fraction(float(mass[at]))
            exact *= Fraction(TICKETS**2, int(share[at]) * int(inner[at]))
            kept[at] = _is_below(int(coin[at]), exact, rng)
        return word, kept

    def _chunks(
        self, ids: IdArray, ticket: NDArray[np.uint64], *, is_close: bool
    ) -> tuple[IdArray, FloatArray, FloatArray]:
        """Return the chunk at each ticket, its share of the tickets, and the mass."""
        order = np.argsort(ids, kind="stable")
        asked, first = np.unique(ids[order], return_index=True)
        ends = np.append(first[1:], len(ids))
        chunk = np.empty(len(ids), dtype=np.int64)
        share, mass = np.empty(len(ids)), np.empty(len(ids))
        for number, proposal in self._proposals(asked, is_close=is_close):
            tokens = order[first[number] : ends[number]]
            here = np.searchsorted(proposal.ends, ticket[tokens], side="right")
            before = np.where(here > 0, proposal.ends[here - 1], np.uint64(0))
            chunk[tokens] = here
            share[tokens] = proposal.ends[here] - before
            mass[tokens] = proposal.mass
        return chunk, share, mass

    def _proposals(
        self, asked: IdArray, *, is_close: bool
    ) -> Iterator[tuple[int, Proposal]]:
        """Yield the proposal of every asked word: cached ones first, others formed."""
        screen = self._screen(is_close=is_close)
        missing = []
        for number, word in enumerate(asked.tolist()):
            if word in self._cached and not is_close:
                self._cached.move_to_end(word)
                yield number, self._cached[word]
            else:
                missing.append(number)
        runs = [
            np.array(missing[at : at + screen.batch])
            for at in range(0, len(missing), screen.batch)
        ]
        formed = map_blocks(lambda run: proposals(screen.sums(asked[run])), runs)
        for run, batch in zip(runs, formed, strict=True):
            for number, proposal in zip(run.tolist(), batch, strict=True):
                yield number, proposal
                self._cache(int(asked[number]), proposal)

    def _cache(self, word: int, proposal: Proposal) -> None:
        self._cached[word] = proposal
        while len(self._cached) * proposal.ends.nbytes > self.cache_bytes:
            self._cached.popitem(last=False)

    def _screen(self, *, is_close: bool) -> Screen:
        if is_close not in self._screens:
            self._screens[is_close] = self._make_screen(is_close=is_close)
        return self._screens[is_close]

    def _make_screen(self, *, is_close: bool) -> Screen:
        if is_close:
            error = self._chords.error(self.space.points)
            return RowScreen(self.space, error, self.decay)
        if self.device:
            screen: Screen = _on_device().TorchScreen(
                self.space, self._chords, self.decay, self.device
            )
            return screen
        return ProductScreen(self.space, self._chords, self.decay)

    def _within(
        self, ids: IdArray, chunk: IdArray, ticket: NDArray[np.uint64]
    ) -> tuple[IdArray, FloatArray, FloatArray]:
        """Return a word of each chunk, its weight, and its tickets in the chunk."""
        members = chunk[:, None] * CHUNK + np.arange(CHUNK)
        inside = members < self.size
        weight = self.weights(ids, np.minimum(members, self.size - 1))
        tickets = deal(np.where(inside, weight, 0.0))
        ends = np.cumsum(tickets, axis=1, dtype=np.uint64)
        here = np.arange(len(ids))
        place = (ends <= ticket[:, None]).sum(axis=1)
        dealt = tickets[here, place].astype(np.float64)
        return members[here, place], weight[here, place], dealt


def deal(weights: FloatArray) -> NDArray[np.uint64]:
    """Turn rows of weights into whole numbers that sum to ``TICKETS``.

    An entry has at least its share of all but four tickets per column, and at least two
    tickets unless its weight is 0.
    """
    scale = (TICKETS - 4 * weights.shape[1]) / weights.sum(axis=1, keepdims=True)
    tickets = (weights * scale).astype(np.uint64)
    tickets += np.uint64(2) * (weights > 0)
    here = np.arange(len(weights)), weights.argmax(axis=1)
    tickets[here] += np.uint64(TICKETS) - tickets.sum(axis=1, dtype=np.uint64)
    return tickets


def proposals(sums: FloatArray) -> list[Proposal]:
    """Turn the bounds of a screen into proposals."""
    # A chunk whose bound underflows keeps two tickets: far more than it weighs.
    tickets = deal(np.maximum(sums, np.finfo(np.float64).tiny))
    ends = np.cumsum(tickets, axis=1, dtype=np.uint64, out=tickets)
    mass = sums.sum(axis=1) * (1 + ROOM)
    return [Proposal(row.copy(), float(m)) for row, m in zip(ends, mass, strict=True)]


def _is_below(coin: int, bound: Fraction, rng: Rng) -> bool:
    """Return whether a uniform number that begins with 64 known bits is below."""
    bits = 64
    while Fraction(coin, 1 << bits) < bound < Fraction(coin + 1, 1 << bits):
        more = int(rng.integers(0, 1 << 64, dtype=np.uint64))
        coin, bits = coin << 64 | more, bits + 64
    return Fraction(coin + 1, 1 << bits) <= bound


def dense_law(space: Space, decay: Decay, device: str = "") -> Law:
    """Return the law of a space without levels."""
    if chords(space) is not None and isinstance(space, PointSpace):
        return PointLaw(space, decay, device)
    return RowLaw(space, decay)


def _on_device() -> ModuleType:
    return import_module("publius.mechanisms.point_torch")
