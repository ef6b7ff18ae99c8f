"""Plausible deniability of a word mechanism: N_w, S_w, K_w and entropies.

Exact from the channel of a finite mechanism, with intervals from draws otherwise. Only
public words enter: a profile says nothing about any protected text.
"""

import math
from dataclasses import dataclass, field
from typing import TypeGuard

import numpy as np
import scipy

from publius.core.arrays import BoolArray, FloatArray, IdArray, Rng, at_least
from publius.core.estimate import Estimate
from publius.core.mechanism import Finite, Invertible, Mechanism
from publius.core.space import Balls

DRAWS = 1000
"""S_w and K_w speak of this many draws, as in Feyisetan et al. 2019."""

ROW_BUDGET = 20_000_000
"""K_w looks at so many channel entries: every input of a small vocabulary, an even
sample of a large one."""

MOST_EXPLANATIONS = 5_000
"""More inputs than this are not counted where all of them are asked."""

CONFIDENCE = 0.95

BLOCK = 64
ROWS = 32
"""Rows of a channel that are looked at together: they stay in the cache."""


@dataclass(frozen=True, slots=True, eq=False)
class WordProfile:
    """Deniability of each of some public words.

    Args:
        ids: The words.
        unchanged: N_w, the probability that a word stays.
        outputs: S_w, the expected number of distinct outputs in ``DRAWS`` draws.
        explanations: K_w, the number of inputs that give this word at least once in
            ``DRAWS`` draws on average.
        n: Draws behind each figure; 0 if they are exact.
        likeliest: Probability of the most likely output of each word.
        singles: Outputs that were drawn once only; empty if nothing was drawn.
        asked: Other inputs that were asked whether they explain a word, and so stand
            for all; 0 if all were.
        others: Number of all other inputs.
    """

    ids: IdArray
    unchanged: FloatArray
    outputs: FloatArray
    explanations: FloatArray
    n: int
    likeliest: FloatArray
    singles: FloatArray = field(default_factory=lambda: np.zeros(0))
    asked: int = 0
    others: int = 0

    @property
    def hartley(self) -> FloatArray:
        """Hartley entropy of the outputs seen in ``DRAWS`` draws: log2 S_w, in bits."""
        return np.log2(self.outputs)

    @property
    def min_entropy(self) -> FloatArray:
        """Min-entropy of the output: how hard it is to foretell, in bits."""
        return -np.log2(self.likeliest)

    def mean_unchanged(self) -> Estimate:
        """Return the mean of N_w over the words."""
        mean = float(self.unchanged.mean())
        if self.n == 0:
            return Estimate.exact(mean)
        return Estimate.share(
            round(mean * self.n * len(self.ids)), self.n * len(self.ids)
        )

    def mean_outputs(self) -> Estimate:
        """Return the mean of S_w over the words.

        A count of distinct draws varies by at most its expected number of outputs that
        were drawn once (the inequality of Efron and Stein).
        """
        return self._mean(self.outputs, self.singles)

    def mean_hartley(self) -> Estimate:
        """Return the mean Hartley entropy over the words."""
        bits = self.outputs * math.log(2)
        return self._mean(self.hartley, self.singles / bits**2 if self.n else None)

    def mean_min_entropy(self) -> Estimate:
        """Return the mean min-entropy over the words."""
        top = self.likeliest
        variance = (1 - top) / (top * max(self.n, 1)) / math.log(2) ** 2
        return self._mean(self.min_entropy, variance)

    def mean_explanations(self) -> Estimate:
        """Return the mean of K_w over the words; the inputs asked stand for all."""
        mean = float(self.explanations.mean())
        if self.asked == 0:
            return Estimate.exact(mean)
        trials = self.asked * len(self.ids)
        own = mean - self._share_of_others() * self.others
        hits = min(round(self._share_of_others() * trials), trials)
        share = Estimate.share(hits, trials)
        low, high = (own + edge * self.others for edge in (share.low, share.high))
        return Estimate(mean, min(low, mean), max(high, mean), share.confidence, trials)

    def _share_of_others(self) -> float:
        """Return how many of the other inputs explain a word, as a share."""
        own = self.unchanged >= 1 / DRAWS
        return float((self.explanations - own).mean()) / max(self.others, 1)

    def _mean(self, values: FloatArray, variance: FloatArray | None) -> Estimate:
        """Return a mean over fixed words, of which only the draws vary."""
        mean = float(values.mean())
        if self.n == 0 or variance is None:
            return Estimate.exact(mean)
        error = math.sqrt(float(variance.sum())) / len(values)
        half = float(scipy.special.ndtri((1 + CONFIDENCE) / 2)) * error
        return Estimate(
            mean, mean - half, mean + half, CONFIDENCE, self.n * len(values)
        )


def sample_words(size: int, count: int) -> IdArray:
    """Return `count` evenly spread ids: a fixed public sample."""
    at_least("count", count, 1)
    return np.unique(np.linspace(0, size - 1, min(count, size)).astype(np.int64))


def profile(
    mechanism: Mechanism[IdArray, IdArray], ids: IdArray, size: int, rng: Rng
) -> WordProfile:
    """Measure deniability at the given words.

    Args:
        mechanism: Replaces word ids.
        ids: Public words to look at.
        size: Number of words of the vocabulary.
        rng: Used only when there is no channel.
    """
    if isinstance(mechanism, Finite):
        return _exact(mechanism, ids)
    return _sampled(mechanism, ids, size, rng)


def _exact(mechanism: Finite, ids: IdArray) -> WordProfile:
    unchanged, outputs, likeliest = [], [], []
    for start in range(0, len(ids), ROWS):
        part = ids[start : start + ROWS]
        log_prob = mechanism.channel(part)
        unchanged.append(np.exp(log_prob[np.arange(len(part)), part]))
        likeliest.append(np.exp(log_prob.max(axis=1)))
        # 1 - (1 - p)^n without cancellation for tiny p; 0 where nothing is written.
        missed = np.exp(log_prob[:, np.isfinite(log_prob).any(axis=0)])
        np.minimum(missed, 1 - 1e-16, out=missed)
        np.log1p(np.negative(missed, out=missed), out=missed)
        missed *= DRAWS
        outputs.append(-np.expm1(missed, out=missed).sum(axis=1))
    stays = np.concatenate(unchanged)
    explained, asked = _explained(mechanism, ids, stays >= 1 / DRAWS)
    return WordProfile(
        ids,
        stays,
        np.concatenate(outputs),
        explained,
        n=0,
        likeliest=np.minimum(np.concatenate(likeliest), 1.0),
        asked=asked,
        others=mechanism.size - 1,
    )


def finds_inputs(mechanism: object) -> TypeGuard[Invertible]:
    """Say whether all inputs that explain an output are found without a scan.

    That is where few words are closer to each other than the cap of their metric, and
    those of every word were prepared, or where words share few symbols.
    """
    has_balls = isinstance(getattr(mechanism, "balls", None), Balls)
    is_quick = has_balls or getattr(mechanism, "finds_inputs", False)
    return is_quick and isinstance(mechanism, Invertible)


def _explained(
    mechanism: Finite, ids: IdArray, own: BoolArray
) -> tuple[FloatArray, int]:
    """Return K_w of each word, and how many other inputs were asked; 0 for all."""
    size = mechanism.size
    if finds_inputs(mechanism):
        most = min(MOST_EXPLANATIONS, size)
        _, weight = mechanism.likeliest(ids, np.zeros(size), most)
        return (weight >= -math.log(DRAWS)).sum(axis=1).astype(np.float64), 0
    inputs = sample_words(size, max(BLOCK, ROW_BUDGET // size))
    seen = np.zeros(len(ids))
    for start in range(0, len(inputs), BLOCK):
        part = inputs[start : start + BLOCK]
        gives = mechanism.channel(part)[:, ids] >= -math.log(DRAWS)
        seen += (gives & (part[:, None] != ids[None, :])).sum(axis=0)
    if len(inputs) == size:
        return own.astype(np.float64) + seen, 0
    # A word that was asked about itself would stand for a whole stretch of others.
    asked = len(inputs) - np.isin(ids, inputs)
    scaled = seen * (size - 1) / asked
    return own.astype(np.float64) + scaled, len(inputs)


def _sampled(
    mechanism: Mechanism[IdArray, IdArray], ids: IdArray, size: int, rng: Rng
) -> WordProfile:
    inputs = np.union1d(ids, sample_words(size, BLOCK))
    seen = np.zeros(size, dtype=np.int64)
    by_word: dict[int, tuple[float, ...]] = {}
    for word in inputs.tolist():
        drawn = mechanism.perturb(np.full(DRAWS, word), rng)
        distinct, counts = np.unique(drawn, return_counts=True)
        seen[distinct[distinct != word]] += 1
        stays = float((drawn == word).mean())
        singles = float((counts == 1).sum())
        by_word[word] = stays, len(distinct), counts.max() / DRAWS, singles
    figures = np.array([by_word[word] for word in ids.tolist()])
    unchanged, outputs, likeliest, single = figures.T
    asked = len(inputs) - 1
    explained = (unchanged > 0) + seen[ids] * ((size - 1) / max(asked, 1))
    is_all = len(inputs) == size
    return WordProfile(
        ids,
        unchanged,
        outputs,
        explained,
        n=DRAWS,
        likeliest=likeliest,
        singles=single,
        asked=0 if is_all else asked,
        others=size - 1,
    )
