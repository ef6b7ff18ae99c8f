"""What a word mechanism does to meaning: how far and where words move.

Exact from the channel of a finite mechanism, with intervals from draws otherwise. Only
public words enter.
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy

from publius.core.arrays import FloatArray, IdArray, Rng, at_least
from publius.core.errors import DataError
from publius.core.estimate import Estimate
from publius.core.mechanism import Finite, Mechanism
from publius.core.space import Space

DRAWS = 200
CONFIDENCE = 0.95
BLOCK = 64


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """The public space around words.

    Args:
        space: Distances in the metric of the guarantee.
        vectors: One row per word, for similarity and for who is near.
        nearest: How many nearest words by vector count as near.
    """

    space: Space
    vectors: FloatArray
    nearest: int = 10

    def __post_init__(self) -> None:
        at_least("nearest", self.nearest, 1)
        if len(self.vectors) != self.space.size:
            raise DataError(
                f"{len(self.vectors)} vectors for {self.space.size} words of the space"
            )

    def look(self, ids: IdArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return distance, cosine and whether it is near, of every word to each id."""
        rows = self.vectors.astype(np.float64)
        squares = np.einsum("ij,ij->i", rows, rows)
        length = np.sqrt(np.where(squares > 0, squares, 1.0))
        product = rows[ids] @ rows.T
        cosine = product / length[ids, None] / length[None, :]
        square = squares[None, :] - 2 * product
        square[np.arange(len(ids)), ids] = np.inf
        count = min(self.nearest, len(rows) - 1)
        near = np.zeros(square.shape)
        if count:
            best = np.argpartition(square, count - 1, axis=1)[:, :count]
            np.put_along_axis(near, best, 1.0, axis=1)
        return self.space.rows(ids), cosine, near


@dataclass(frozen=True, slots=True, eq=False)
class WordUtility:
    """Movement of each of some public words.

    Args:
        ids: The words; one that is listed twice counts twice.
        unchanged: Probability that a word stays.
        moved: Expected distance between a word and what is released.
        cosine: Expected cosine between the two.
        near: Probability that a word is replaced by one of its nearest words.
        deviations: Standard deviations of distance and cosine, one column each.
        n: Draws behind each figure; 0 if they are exact.
    """

    ids: IdArray
    unchanged: FloatArray
    moved: FloatArray
    cosine: FloatArray
    near: FloatArray
    deviations: FloatArray
    n: int

    def mean_moved(self) -> Estimate:
        """Return the mean distance over the words."""
        return self._mean(self.moved, self.deviations[:, 0])

    def mean_cosine(self) -> Estimate:
        """Return the mean cosine over the words."""
        return self._mean(self.cosine, self.deviations[:, 1])

    def near_share(self) -> Estimate | None:
        """Return the share of replacements that are near; None if none is made."""
        replaced = float((1 - self.unchanged).sum())
        if self.n == 0:
            share = float(self.near.sum()) / replaced if replaced > 0 else None
            return None if share is None else Estimate.exact(min(share, 1.0))
        count = round(replaced * self.n)
        if count == 0:
            return None
        return Estimate.share(round(float(self.near.sum()) * self.n), count)

    def _mean(self, values: FloatArray, deviation: FloatArray) -> Estimate:
        mean = float(values.mean())
        if self.n == 0:
            return Estimate.exact(mean)
        # The words are fixed: only the draws of each one vary.
        error = math.sqrt(float((deviation**2).sum()) / self.n) / len(values)
        half = float(scipy.special.ndtri((1 + CONFIDENCE) / 2)) * error
        return Estimate(
            mean, mean - half, mean + half, CONFIDENCE, self.n * len(values)
        )


def typical_words(prior: FloatArray, count: int) -> IdArray:
    """Return `count` words at even steps of a prior: their mean is the prior's mean.

    Frequent words are listed as often as the prior says.
    """
    steps = (np.arange(at_least("count", count, 1)) + 0.5) / count
    ids = np.searchsorted(np.cumsum(prior / prior.sum()), steps)
    return np.minimum(ids, len(prior) - 1).astype(np.int64)


def word_utility(
    mechanism: Mechanism[IdArray, IdArray],
    ids: IdArray,
    surroundings: Surroundings,
    rng: Rng,
) -> WordUtility:
    """Measure how words move.

    Args:
        mechanism: Replaces word ids.
        ids: Public words to look at.
        surroundings: The public space around them.
        rng: Used only when there is no channel.
    """
    distinct, inverse = np.unique(ids, return_inverse=True)
    is_exact = isinstance(mechanism, Finite)
    parts = []
    for start in range(0, len(distinct), BLOCK):
        part = distinct[start : start + BLOCK]
        if isinstance(mechanism, Finite):
            share = np.exp(mechanism.channel(part))
        else:
            share = _drawn_shares(mechanism, part, surroundings.space.size, rng)
        parts.append(_figures(share, part, surroundings))
    table = np.concatenate(parts)[inverse]
    unchanged, moved, cosine, near = table[:, :4].T
    draws = 0 if is_exact else DRAWS
    return WordUtility(ids, unchanged, moved, cosine, near, table[:, 4:], draws)


def _figures(share: FloatArray, ids: IdArray, around: Surroundings) -> FloatArray:
    """Return unchanged, moved, cosine, near and two deviations of each id."""
    distance, cosine, near = around.look(ids)
    moved, alike = (share * distance).sum(axis=1), (share * cosine).sum(axis=1)
    spread = (share * distance**2).sum(axis=1) - moved**2
    vary = (share * cosine**2).sum(axis=1) - alike**2
    deviations = np.sqrt(np.maximum(np.stack([spread, vary]), 0.0))
    here = share[np.arange(len(ids)), ids]
    return np.stack([here, moved, alike, (share * near).sum(axis=1), *deviations], 1)


def _drawn_shares(
    mechanism: Mechanism[IdArray, IdArray], ids: IdArray, size: int, rng: Rng
) -> FloatArray:
    """Return how often each word came out in ``DRAWS`` draws for each id."""
    drawn = mechanism.perturb(np.repeat(ids, DRAWS), rng)
    row = np.repeat(np.arange(len(ids)), DRAWS)
    counts = np.bincount(row * size + drawn, minlength=len(ids) * size)
    return counts.reshape(len(ids), size) / DRAWS
