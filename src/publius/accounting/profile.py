"""Plausible deniability of a word mechanism: N_w, S_w, K_w and entropies.

Exact from the channel of a finite mechanism, with intervals from draws otherwise. Only
public words enter: a profile says nothing about any protected text.
"""

from dataclasses import dataclass

import numpy as np

from publius.core.arrays import FloatArray, IdArray, Rng, at_least
from publius.core.mechanism import Finite, Mechanism
from publius.core.report import Estimate

DRAWS = 1000
"""S_w and K_w speak of this many draws, as in Feyisetan et al. 2019."""

ROW_BUDGET = 20_000_000
"""K_w looks at so many channel entries: every input of a small vocabulary, an even
sample of a large one."""

BLOCK = 64


@dataclass(frozen=True, slots=True, eq=False)
class WordProfile:
    """Deniability of each of some public words.

    Args:
        ids: The words.
        unchanged: N_w, the probability that a word stays.
        outputs: S_w, the expected number of distinct outputs in ``DRAWS`` draws.
        explanations: K_w, the number of inputs that give this word at least once in
            ``DRAWS`` draws on average.
        n: Draws behind each `unchanged`; 0 if it is exact.
        likeliest: Probability of the most likely output of each word.
    """

    ids: IdArray
    unchanged: FloatArray
    outputs: FloatArray
    explanations: FloatArray
    n: int
    likeliest: FloatArray

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
    for start in range(0, len(ids), BLOCK):
        part = ids[start : start + BLOCK]
        log_prob = mechanism.channel(part)
        unchanged.append(np.exp(log_prob[np.arange(len(part)), part]))
        likeliest.append(np.exp(log_prob.max(axis=1)))
        # 1 - (1 - p)^n without cancellation for tiny p.
        missed = DRAWS * np.log1p(-np.minimum(np.exp(log_prob), 1 - 1e-16))
        outputs.append(-np.expm1(missed).sum(axis=1))
    inputs = sample_words(mechanism.size, max(BLOCK, ROW_BUDGET // mechanism.size))
    explained = np.zeros(len(ids))
    for start in range(0, len(inputs), BLOCK):
        log_prob = mechanism.channel(inputs[start : start + BLOCK])[:, ids]
        explained += (log_prob >= -np.log(DRAWS)).sum(axis=0)
    explained *= mechanism.size / len(inputs)
    return WordProfile(
        ids,
        np.concatenate(unchanged),
        np.concatenate(outputs),
        explained,
        n=0,
        likeliest=np.minimum(np.concatenate(likeliest), 1.0),
    )


def _sampled(
    mechanism: Mechanism[IdArray, IdArray], ids: IdArray, size: int, rng: Rng
) -> WordProfile:
    inputs = np.union1d(ids, sample_words(size, BLOCK))
    seen = np.zeros(size, dtype=np.int64)
    unchanged, outputs, likeliest = {}, {}, {}
    for word in inputs:
        drawn = mechanism.perturb(np.full(DRAWS, word), rng)
        distinct, counts = np.unique(drawn, return_counts=True)
        seen[distinct] += 1
        unchanged[int(word)] = float((drawn == word).mean())
        outputs[int(word)] = float(len(distinct))
        likeliest[int(word)] = float(counts.max()) / DRAWS
    return WordProfile(
        ids,
        np.array([unchanged[int(word)] for word in ids]),
        np.array([outputs[int(word)] for word in ids]),
        seen[ids] * (size / len(inputs)),
        n=DRAWS,
        likeliest=np.array([likeliest[int(word)] for word in ids]),
    )
