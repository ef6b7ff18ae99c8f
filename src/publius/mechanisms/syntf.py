"""SynTF: synthetic term-frequency vectors (Weggenmann & Kerschbaum 2018)."""

import math
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from publius.core.arrays import (
    UNKNOWN,
    FloatArray,
    IdArray,
    Rng,
    at_least,
    not_negative,
    positive,
    shortest,
    word_ids,
)
from publius.core.brief import brief_mechanism
from publius.core.errors import DataError
from publius.core.guarantee import Flat, Guarantee, Landmarks, Scope, Unit
from publius.core.space import blocks
from publius.mechanisms.row_law import ROUNDING, TICKETS, TicketSampler, deal
from publius.numerics.parallel import map_blocks

MOST_TERMS = 1 << 32
"""Largest count of a term: sums over a batch stay exact."""


class Ratings(Protocol):
    """How well each word of a vocabulary stands in for another, from 0 to 1."""

    @property
    def id(self) -> str:
        """Name with the fingerprint of the vocabulary."""
        ...

    @property
    def size(self) -> int:
        """Number of words."""
        ...

    def rows(self, ids: IdArray) -> FloatArray:
        """Return the rating of every word for each id, in [0, 1]."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class CosineRatings:
    """Rate by ``cos(v, w) - overlap * B(v, w)``, clipped to [0, 1].

    B is the share of letter bigrams that two words have in common (Dice); subtracting
    it prefers replacements of another spelling. Clipping makes the sensitivity 1.

    Args:
        vectors: One row per word.
        bigrams: Which letter bigrams each word contains, or None for no overlap term.
        overlap: The factor s of the overlap.
        fingerprint: Of the embedding.
    """

    vectors: FloatArray
    bigrams: "scipy.sparse.csr_array[np.float64] | None" = None
    overlap: float = 0.3
    fingerprint: str = ""
    _unit: FloatArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        not_negative("overlap", self.overlap)
        if self.bigrams is not None and self.bigrams.shape[0] != len(self.vectors):
            raise DataError("bigrams must have one row per word")
        if not np.isfinite(self.vectors).all():
            raise DataError("vectors must be finite")
        length = np.linalg.norm(self.vectors.astype(np.float64), axis=1, keepdims=True)
        unit = self.vectors / np.where(length > 0, length, 1.0)
        object.__setattr__(self, "_unit", unit)

    @property
    def id(self) -> str:
        """Name with the fingerprint of the vocabulary."""
        return f"cosine:s={shortest(self.overlap)}@{self.fingerprint}"

    @property
    def size(self) -> int:
        """Number of words."""
        return len(self.vectors)

    def rows(self, ids: IdArray) -> FloatArray:
        """Return the rating of every word for each id."""
        rating = self._unit[ids] @ self._unit.T
        if self.bigrams is not None and self.overlap > 0:
            count = np.maximum(np.asarray(self.bigrams.sum(axis=1)).ravel(), 0.5)
            shared = (self.bigrams[ids] @ self.bigrams.T).toarray()
            rating -= self.overlap * 2 * shared / (count[ids, None] + count[None, :])
        return np.clip(rating, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class TermLosses:
    """Three bounds on the loss of one output term; the smallest one holds.

    Args:
        naive: The privacy parameter itself.
        alternative: ``epsilon + ln eta`` (Theorem 5.4).
        tight: ``max_w ln(max_v pi(v, w) / min_v pi(v, w))`` (eq. 5.1), with rounding.
    """

    naive: float
    alternative: float
    tight: float

    @property
    def best(self) -> float:
        """The smallest of the three."""
        return min(self.naive, self.alternative, self.tight)


def alternative_loss(epsilon: float, outputs: int) -> float:
    """Return ``epsilon + ln eta(epsilon, L)`` of Theorem 5.4."""
    others = at_least("outputs", outputs, 1) - 1
    half = positive("epsilon", epsilon) / 2
    rest = math.log(others) if others else -math.inf
    # Sums of exponentials in log space: e^(epsilon / 2) may be too large for a double.
    return float(epsilon + np.logaddexp(-half, rest) - np.logaddexp(half, rest))


@dataclass(frozen=True, slots=True, eq=False)
class SynTF:
    """Release counts of `length` terms, substitutes for random terms of the text.

    Guarantee:
        Pure and local, for any two documents of any lengths: `length` times the loss of
        one term; see docs/mechanisms/syntf.md.

    Args:
        ratings: How well words stand in for each other.
        epsilon: Parameter of the exponential mechanism per output term.
        length: Number of output terms.
        term_weights: Public whole number >= 1 per word by which its counts are
            multiplied, for instance its idf; None counts every occurrence alike.
    """

    __repr__ = brief_mechanism

    name: ClassVar[str] = "syntf.v1"

    ratings: Ratings
    epsilon: float
    length: int
    term_weights: IdArray | None = None
    losses: TermLosses = field(init=False)
    _sampler: TicketSampler = field(init=False, repr=False)

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)
        at_least("length", self.length, 1)
        weights = self.term_weights
        if weights is not None and (
            weights.shape != (self.size,) or not (weights >= 1).all()
        ):
            raise DataError("term_weights must be one whole number >= 1 per word")
        object.__setattr__(self, "_sampler", TicketSampler(self.size, self._tickets))
        object.__setattr__(self, "losses", self._measure())

    @property
    def size(self) -> int:
        """Number of words."""
        return self.ratings.size

    def guarantee(self) -> Guarantee:
        """Return the guarantee for one document."""
        per_term = self.losses.best
        return Guarantee(
            metric=f"discrete@documents:{self.ratings.id}",
            unit=Unit.DOCUMENT,
            terms=(Flat(per_term * self.length),),
            scope=Scope(
                covered=("The whole text of a document: its words and its length.",),
                assumptions=("Exact integer law for every replaced term.",),
            ),
            landmarks=Landmarks(1.0, 1.0, per_term * self.length, 1.0),
        )

    def perturb(
        self, x: "scipy.sparse.csr_array[np.int64]", rng: Rng
    ) -> "scipy.sparse.csr_array[np.int64]":
        """Draw one synthetic vector per row of term counts.

        A row without any known term draws from the law of ⊥.
        """
        counts = scipy.sparse.csr_array(x)
        if counts.shape[1] != self.size:
            raise DataError(f"x must have {self.size} columns, got {counts.shape[1]}")
        whole = (counts.data >= 0) & (counts.data <= MOST_TERMS)
        if not (whole & (counts.data == np.floor(counts.data))).all():
            raise DataError(f"term counts must be whole numbers in [0, {MOST_TERMS}]")
        terms = self._terms(self._weighted(counts), rng)
        drawn = self.substitute(terms.ravel(), rng)
        rows = np.repeat(np.arange(counts.shape[0]), self.length)
        ones = np.ones(len(drawn), dtype=np.int64)
        tally = scipy.sparse.coo_array(
            (ones, (rows, drawn)), shape=(counts.shape[0], self.size)
        )
        return scipy.sparse.csr_array(tally.tocsr())

    def substitute(self, terms: IdArray, rng: Rng) -> IdArray:
        """Draw a substitute for each term; UNKNOWN draws any word alike."""
        return self._sampler.draw(terms, rng)

    def log_substitutes(self, terms: IdArray) -> FloatArray:
        """Return the log-probability of every substitute of each term."""
        tickets = self._tickets(terms)
        return np.log(tickets.astype(np.float64)) - math.log(TICKETS)

    def _weighted(
        self, counts: "scipy.sparse.csr_array[np.int64]"
    ) -> "scipy.sparse.csr_array[np.int64]":
        """Multiply counts by public weights: any composition has the same loss."""
        if self.term_weights is None:
            return counts
        data = counts.data.astype(np.float64) * self.term_weights[counts.indices]
        if not (data <= MOST_TERMS).all():
            raise DataError(f"weighted term counts must be at most {MOST_TERMS}")
        parts = (data.astype(np.int64), counts.indices, counts.indptr)
        return scipy.sparse.csr_array(parts, shape=counts.shape)

    def _terms(self, counts: "scipy.sparse.csr_array[np.int64]", rng: Rng) -> IdArray:
        """Pick `length` tokens of each row uniformly, with exact integers."""
        whole = counts.data.astype(np.int64)
        running = np.concatenate(([0], np.cumsum(whole)))
        start, stop = running[counts.indptr[:-1]], running[counts.indptr[1:]]
        shape = (counts.shape[0], self.length)
        pick = rng.integers(0, np.maximum(stop - start, 1)[:, None], size=shape)
        entry = np.searchsorted(running, start[:, None] + pick, side="right") - 1
        empty = (stop == start)[:, None]
        inside = np.minimum(entry, max(len(whole) - 1, 0))
        if not len(whole):
            return np.full(shape, UNKNOWN, dtype=np.int64)
        return np.where(empty, UNKNOWN, counts.indices[inside]).astype(np.int64)

    def _tickets(self, ids: IdArray) -> NDArray[np.uint64]:
        return deal(self._scores(ids))

    def _scores(self, ids: IdArray) -> FloatArray:
        scores = self.ratings.rows(np.where(ids == UNKNOWN, 0, ids))
        scores *= self.epsilon / 2
        scores[ids == UNKNOWN] = 0.0
        return scores

    def _measure(self) -> TermLosses:
        """Compute the tight loss over all terms and ⊥."""

        def work(ids: IdArray) -> tuple[FloatArray, FloatArray]:
            rows = self._scores(ids)
            rows -= rows.max(axis=1, keepdims=True)
            rows -= np.log(np.exp(rows).sum(axis=1, keepdims=True))
            return rows.max(axis=0), rows.min(axis=0)

        high = np.full(self.size, -math.log(self.size))
        low = high.copy()
        for top, bottom in map_blocks(
            work, blocks(self.size, self.size, item_bytes=24)
        ):
            np.maximum(high, top, out=high)
            np.minimum(low, bottom, out=low)
        return TermLosses(
            naive=self.epsilon + ROUNDING,
            alternative=alternative_loss(self.epsilon, self.size) + ROUNDING,
            tight=float((high - low).max()) + ROUNDING,
        )


@dataclass(frozen=True, slots=True, eq=False)
class TermChannel:
    """One step of SynTF: a term in, one substitute out."""

    __repr__ = brief_mechanism

    syntf: SynTF

    @property
    def name(self) -> str:
        """Name of the mechanism."""
        return self.syntf.name

    @property
    def size(self) -> int:
        """Number of words."""
        return self.syntf.size

    def guarantee(self) -> Guarantee:
        """Return the guarantee for one term."""
        loss = self.syntf.losses.best
        return Guarantee(
            metric=f"discrete@{self.syntf.ratings.id}",
            unit=Unit.TOKEN,
            terms=(Flat(loss),),
            scope=Scope(
                covered=(
                    "Which vocabulary word stood at a protected position.",
                    "Whether that word was in the vocabulary at all.",
                ),
                assumptions=("Exact integer law for every replaced term.",),
            ),
            landmarks=Landmarks(1.0, 1.0, loss, 1.0),
        )

    def channel(self, x: ArrayLike) -> FloatArray:
        """Return log P(z | x) for every word z, one row per id."""
        return self.syntf.log_substitutes(word_ids(x, self.size))

    def perturb(self, x: ArrayLike, rng: Rng) -> IdArray:
        """Draw one substitute per id."""
        ids = word_ids(x, self.size)
        return self.syntf.substitute(ids.ravel(), rng).reshape(ids.shape)
