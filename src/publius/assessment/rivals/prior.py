"""A language model's prior inside the exponential mechanism, certified at every place.

At each place, an output y is drawn with weight ``base(y) * pi(y) * exp(-rate * d(x,
y))``, where pi is the model's probability after the *released* words so far, cut to a
range. What comes before the draw was released: no word but x is read.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from publius.core.arrays import FloatArray, IdArray, Rng, not_negative, positive
from publius.core.errors import DataError
from publius.core.guarantee import Guarantee, Landmarks, Linear, Scope, Unit
from publius.core.space import fingerprint
from publius.mechanisms.balance import STRENGTH

ROUNDS = 60
LEAST = 1e-12
BLOCK = 512
"""Rows of pairs that a certificate looks at together."""


@dataclass(frozen=True, slots=True)
class PlaceCertificate:
    """The exact loss at one place, over all pairs of inputs.

    Args:
        epsilon: Largest loss of two words per unit of distance.
        worst_loss: Largest loss of two words.
        unknown_loss: Largest loss between the unknown word and a word.
    """

    epsilon: float
    worst_loss: float
    unknown_loss: float


@dataclass(frozen=True)
class PriorExponential:
    """Exponential mechanism whose weights hold a prior given the released words.

    Guarantee:
        With ``s`` the spread of the log-normalisers of the words under `base` alone,
        the loss of two words is at most ``rate * d + min(rate * d, width + s)`` at
        every place, whatever was released before: at most ``2 * rate`` per unit.

    Args:
        distances: Between all words; a metric. The word behind the last one is the
            unknown word, as far from every word as any two are at most.
        rate: Decay per unit of distance; > 0.
        width: Range that log-priors are cut to, below the best; >= 0, and 0 forgets
            the prior.
        base: Log-weights of the outputs without a prior; public.
    """

    distances: FloatArray = field(repr=False)
    rate: float
    width: float
    base: FloatArray = field(repr=False)

    def __post_init__(self) -> None:
        positive("rate", self.rate)
        not_negative("width", self.width)
        size = len(self.base)
        if self.distances.shape != (size, size) or not np.isfinite(self.base).all():
            raise DataError("distances and weights must be of the same words")

    @classmethod
    def balanced(
        cls, distances: FloatArray, rate: float, width: float
    ) -> "PriorExponential":
        """Choose weights that flatten the normaliser where there is no prior."""
        kernel = np.exp(-rate * distances)
        weights = np.ones(len(distances))
        for _ in range(ROUNDS):
            weights = weights / (kernel @ weights) ** STRENGTH
            weights = np.maximum(weights / weights.max(), LEAST)
        return cls(distances, rate, width, np.log(weights))

    @property
    def cap(self) -> float:
        """Largest distance, and that of the unknown word to every word."""
        return float(self.distances.max())

    @property
    def size(self) -> int:
        """Number of words that are written; the input `size` is the unknown word."""
        return len(self.base)

    @cached_property
    def spread(self) -> float:
        """Range of the log-normalisers without a prior; 0 where they are balanced."""
        return float(np.ptp(self._log_totals(self.base)[:-1]))

    def bound(self, distance: float) -> float:
        """Return the loss of two words at a distance that holds at every place."""
        level = self.rate * distance
        return float(level + min(level, self.width + self.spread))

    @cached_property
    def unknown_bound(self) -> float:
        """Loss between the unknown word and any word that holds at every place."""
        totals = self._log_totals(self.base)
        shift = totals[-1] - totals[:-1]
        # A prior moves the difference of two log-normalisers by its range at most.
        known = self.rate * self.cap + shift.max() + self.width
        farthest = self.rate * (self.distances.max(axis=1) - self.cap)
        unknown = (farthest - shift).max() + self.width
        return float(min(2 * self.rate * self.cap, max(known, unknown)))

    def guarantee(self) -> Guarantee:
        """Return the guarantee for one word, whatever was released before it."""
        told = (
            "The language model reads released words only: its prior is one more "
            "public weight of the outputs, cut to a range.",
        )
        worst = self.bound(self.cap)
        mark = fingerprint("prior", self.distances, self.base)
        marks = Landmarks(diameter=self.cap, unknown_loss=self.unknown_bound)
        term = Linear(2 * self.rate, limit=worst)
        scope = Scope(assumptions=told)
        return Guarantee(f"prior@{mark}", Unit.TOKEN, (term,), scope, marks)

    def log_weights(self, log_prior: ArrayLike) -> FloatArray:
        """Return the log-weights of the outputs under a prior, row by row."""
        rows = np.asarray(log_prior, dtype=np.float64)
        level = rows - rows.max(axis=-1, keepdims=True)
        return self.base + np.maximum(level, -self.width)

    def log_law(self, log_prior: ArrayLike, x: IdArray) -> FloatArray:
        """Return log P(y | x) under the prior of each row."""
        rows = self.log_weights(log_prior) - self.rate * self._away(x)
        return rows - logsumexp(rows, axis=1, keepdims=True)

    def draw(self, log_prior: ArrayLike, x: IdArray, rng: Rng) -> IdArray:
        """Draw an output for every row; `size` in `x` is the unknown word."""
        rows = self.log_weights(log_prior) - self.rate * self._away(x)
        return np.argmax(rows + rng.gumbel(size=rows.shape), axis=1)

    def certify(self, log_prior: ArrayLike) -> PlaceCertificate:
        """Return the exact loss at a place with this prior, unknown word included.

        At the output x the loss of a pair is reached: the logarithms of the normalisers
        decide the rest.
        """
        totals = self._log_totals(self.log_weights(log_prior))
        known = totals[:-1]
        worst = steepest = 0.0
        for start in range(0, self.size, BLOCK):
            rows = slice(start, start + BLOCK)
            away = self.distances[rows]
            loss = self.rate * away + np.abs(known[rows, None] - known)
            apart = away > 0
            worst = max(worst, float(loss[apart].max(initial=0)))
            share = loss[apart] / away[apart]
            steepest = max(steepest, float(share.max(initial=0)))
        return PlaceCertificate(steepest, worst, self._unknown_loss(totals))

    def _unknown_loss(self, totals: FloatArray) -> float:
        shift = totals[-1] - totals[:-1]
        known = self.rate * self.cap + shift
        farthest = self.distances.max(axis=1)
        unknown = self.rate * (farthest - self.cap) - shift
        return float(max(known.max(), unknown.max()))

    def _log_totals(self, log_weights: FloatArray) -> FloatArray:
        """Return ln Z of every input, the unknown word last."""
        best = log_weights.max()
        weights = np.exp(log_weights - best)
        totals = np.empty(self.size + 1)
        for start in range(0, self.size, BLOCK):
            rows = slice(start, min(start + BLOCK, self.size))
            totals[rows] = np.exp(-self.rate * self.distances[rows]) @ weights
        totals[-1] = np.exp(-self.rate * self.cap) * weights.sum()
        return np.log(totals) + best

    def _away(self, x: IdArray) -> FloatArray:
        known = x < self.size
        away = np.full((len(x), self.size), self.cap)
        away[known] = self.distances[x[known]]
        return away
