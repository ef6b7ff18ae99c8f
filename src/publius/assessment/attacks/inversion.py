"""Guess the original word from its replacement.

The Bayes-optimal guess for a released word z is the x with the largest
``prior(x) * P(z | x)``. The prior is public; the channel is the mechanism's own, exact
where it is finite, or learnt from copies that the attacker made. Context adds what the
neighbouring released words say about x.
"""

from dataclasses import dataclass

import numpy as np

from publius.core.arrays import FloatArray, IdArray, Rng, at_least
from publius.core.errors import DataError
from publius.core.mechanism import Finite, Invertible, Mechanism
from publius.numerics.inverse import scan_likeliest

WEIGHTS = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Weights of the context that the attacker tries on own copies."""

BLOCK = 1 << 12


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """For each distinct released word the likeliest originals.

    Args:
        released: Distinct ids, sorted.
        originals: ``(released, most)`` ids; -1 where there are fewer.
        log_weight: Log of prior times channel, up to a constant per row; -inf at -1.
    """

    released: IdArray
    originals: IdArray
    log_weight: FloatArray

    def rows(self, z: IdArray) -> IdArray:
        """Return the row of each released id."""
        place = np.searchsorted(self.released, z)
        place[place == len(self.released)] = 0
        if not (self.released[place] == z).all():
            raise DataError("a released word has no candidates")
        return place


def from_channel(
    mechanism: Finite, prior: FloatArray, z: IdArray, *, most: int = 30
) -> Candidates:
    """Return the exact posterior's best candidates for the words of `z`.

    Args:
        mechanism: Its channel is public.
        prior: Public probability of each word.
        z: Released ids, repeated or not.
        most: Candidates that are kept.
    """
    released = np.unique(z)
    log_prior = np.log(np.maximum(prior, 1e-300))
    most = min(at_least("most", most, 1), mechanism.size)
    if isinstance(mechanism, Invertible):
        likeliest = mechanism.likeliest(released, log_prior, most)
    else:
        likeliest = scan_likeliest(mechanism.channel, released, log_prior, most)
    return Candidates(released, *likeliest)


def from_copies(
    x: IdArray, copies: IdArray, z: IdArray, *, size: int, most: int = 30
) -> Candidates:
    """Return candidates learnt from words `x` and the attacker's `copies` of them.

    A released word that no copy shows keeps only itself as candidate.

    Args:
        x: Original ids; their frequencies are the prior.
        copies: What the mechanism made of each.
        z: Released ids to be guessed.
        size: Number of words.
        most: Candidates that are kept.
    """
    released = np.unique(z)
    known = (x >= 0) & (copies >= 0)
    pairs, counts = np.unique(copies[known] * size + x[known], return_counts=True)
    group, original = np.divmod(pairs, size)
    order = np.lexsort((-counts, group))
    group, original, counts = group[order], original[order], counts[order]
    rank = np.arange(len(group)) - np.searchsorted(group, group)
    place = np.minimum(np.searchsorted(released, group), len(released) - 1)
    kept = (released[place] == group) & (rank < most)
    ids = np.full((len(released), most + 1), -1, dtype=np.int64)
    weight = np.full((len(released), most + 1), -np.inf)
    ids[place[kept], rank[kept]] = original[kept]
    weight[place[kept], rank[kept]] = np.log(counts[kept])
    # The released word itself, as if a copy had shown it half a time.
    ids[:, most], weight[:, most] = released, np.log(0.5)
    return Candidates(released, ids, weight)


def simulate(
    mechanism: Mechanism[IdArray, IdArray], prior: FloatArray, draws: int, rng: Rng
) -> tuple[IdArray, IdArray]:
    """Draw words from a prior and the attacker's own copies of them."""
    x = rng.choice(len(prior), size=at_least("draws", draws, 1), p=prior)
    return x, mechanism.perturb(x, rng)


def context_vectors(
    z: IdArray, owner: IdArray, vectors: FloatArray, *, reach: int = 3
) -> FloatArray:
    """Return the mean vector of the `reach` released words on either side of each.

    Words of other documents do not count.
    """
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    inside = np.where((z >= 0)[:, None], unit[np.maximum(z, 0)], 0.0)
    total = np.zeros_like(inside)
    for step in range(1, reach + 1):
        same = (owner[step:] == owner[:-step])[:, None]
        total[:-step] += np.where(same, inside[step:], 0.0)
        total[step:] += np.where(same, inside[:-step], 0.0)
    return total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-12)


def guess_words(
    candidates: Candidates,
    z: IdArray,
    *,
    contexts: FloatArray | None = None,
    vectors: FloatArray | None = None,
    weight: float = 0.0,
) -> IdArray:
    """Return the likeliest original of each released word."""
    rows = candidates.rows(z)
    best = candidates.originals[
        np.arange(len(candidates.released)), candidates.log_weight.argmax(axis=1)
    ]
    if contexts is None or vectors is None or weight == 0:
        return best[rows]
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    guesses = np.empty(len(z), dtype=np.int64)
    for start in range(0, len(z), BLOCK):
        part = rows[start : start + BLOCK]
        ids = candidates.originals[part]
        near = np.einsum("ikd,id->ik", unit[ids], contexts[start : start + BLOCK])
        score = candidates.log_weight[part] + weight * near
        guesses[start : start + BLOCK] = ids[np.arange(len(part)), score.argmax(axis=1)]
    return guesses


def best_weight(
    candidates: Candidates,
    x: IdArray,
    z: IdArray,
    contexts: FloatArray,
    vectors: FloatArray,
) -> float:
    """Return the context weight that guesses most of the attacker's own copies."""
    hits = [
        int((guess_words(candidates, z, contexts=contexts, vectors=vectors, weight=w)
             == x).sum())
        for w in WEIGHTS
    ]  # fmt: skip
    return WEIGHTS[int(np.argmax(hits))]
