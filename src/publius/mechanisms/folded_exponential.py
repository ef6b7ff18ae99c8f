"""The exponential mechanism on symbols that words are folded onto.

Secret word → its symbol → a symbol drawn by the exponential mechanism → a word of that
symbol, drawn from a public list. The last step sees the drawn symbol only: the
certificate of the symbols is the certificate of the words, and words of one symbol
cannot be told apart at all.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from publius.core.arrays import UNKNOWN, FloatArray, IdArray, Rng, word_ids
from publius.core.errors import DataError
from publius.core.folded_space import FoldedSpace
from publius.core.guarantee import Guarantee, Scope
from publius.core.stating import state_bound
from publius.mechanisms.certificate import Certificate
from publius.mechanisms.exponential import Exponential

NAME = "folded-exponential.v1"


@dataclass(frozen=True, slots=True, eq=False)
class FoldedExponential:
    """Fold a word onto its symbol, draw a symbol, and write it as one of its words.

    Guarantee:
        That of the exponential mechanism on the symbols, per unit of their metric.

    Args:
        inner: Draws symbols; its space is ``space.symbols``.
        space: Words at the distance of their symbols.
        spoken: Words that symbols are written as, symbol after symbol.
        counts: How many of them each symbol has.
        vector_near: Mean and largest distance of a word to its ten nearest by vector.
    """

    inner: Exponential
    space: FoldedSpace
    spoken: IdArray
    counts: IdArray
    vector_near: tuple[float, int]
    _first: IdArray = field(init=False, repr=False)

    name = NAME
    finds_inputs = True

    def __post_init__(self) -> None:
        if self.inner.size != len(self.counts) or self.inner.space.id != self.space.id:
            raise DataError("the inner mechanism is not of these symbols")
        first = np.cumsum(self.counts) - self.counts
        object.__setattr__(self, "_first", first)

    @property
    def size(self) -> int:
        """Number of words."""
        return self.space.size

    @property
    def certificate(self) -> Certificate:
        """The exact loss over all pairs; symbols are named by their first word."""
        certificate = self.inner.certificate
        word = self.spoken[self._first]

        def named(pair: tuple[int, int]) -> tuple[int, int]:
            return int(word[pair[0]]), int(word[pair[1]])

        return replace(
            certificate,
            worst_pair=named(certificate.worst_pair),
            farthest_pair=named(certificate.farthest_pair),
        )

    def guarantee(self) -> Guarantee:
        """Return the certified guarantee for one word."""
        mean, worst = self.vector_near
        claim = self.inner.certificate
        losses = [min(far * claim.epsilon, claim.worst_loss) for far in (mean, worst)]
        told = (
            "Words that share a symbol (rare words with a common one, members of a "
            "class such as names, places or numbers of as many digits) cannot be "
            "told apart. Words joined by an edge of the like space are at distance 1; "
            f"the ten nearest words by vector are at distance {mean:.2f} on average "
            f"and {worst} at most, which is a loss of {state_bound(losses[0])} on "
            f"average and {state_bound(losses[1])} at most.",
        )
        guarantee = self.inner.guarantee().covering(Scope(assumptions=told))
        return replace(
            guarantee, landmarks=replace(guarantee.landmarks, vector_near=mean)
        )

    def spot_check(self, ids: IdArray) -> None:
        """Raise RefutedError unless the law of these words is the certified one."""
        self.inner.spot_check(np.unique(self.space.fold[ids]))

    def symbols(self, ids: IdArray) -> IdArray:
        """Return the symbol of each word; UNKNOWN stays."""
        return np.where(ids == UNKNOWN, UNKNOWN, self.space.fold[ids])

    def channel(self, x: ArrayLike) -> FloatArray:
        """Return log P(z | x) for every word z; -inf for words that none becomes."""
        ids = word_ids(x, self.size)
        log_prob = np.full((len(ids), self.size), -np.inf)
        share = self.inner.channel(self.symbols(ids)) - np.log(self.counts)
        log_prob[:, self.spoken] = np.repeat(share, self.counts, axis=1)
        return log_prob

    def pull(self, values: FloatArray) -> FloatArray:
        """Return the sum over x of ``P(z | x) * values[x]`` for every output z."""
        folded = np.zeros((self.inner.size, values.shape[1]))
        np.add.at(folded, self.space.fold, values)
        share = self.inner.pull(folded) / self.counts[:, None]
        pulled = np.zeros_like(values, dtype=np.float64)
        pulled[self.spoken] = np.repeat(share, self.counts, axis=0)
        return pulled

    def likeliest(
        self, z: IdArray, log_prior: FloatArray, most: int
    ) -> tuple[IdArray, FloatArray]:
        """Return the inputs with the largest prior times probability of each output."""
        best = np.full(self.inner.size, -np.inf)
        np.maximum.at(best, self.space.fold, log_prior)
        order = np.argsort(self.space.fold, kind="stable")
        start = np.searchsorted(self.space.fold[order], np.arange(self.inner.size + 1))
        written = np.zeros(self.size, dtype=bool)
        written[self.spoken] = True
        target = self.space.fold[z]
        near, weight = self.inner.likeliest(target, best, min(most, self.inner.size))
        ids = np.full((len(z), most), -1, dtype=np.int64)
        values = np.full((len(z), most), -np.inf)
        # Where no word is likelier beforehand, words stand in the order of symbols.
        is_ordered = bool((log_prior == log_prior[0]).all())
        sizes = np.diff(start)
        for row in np.flatnonzero(written[z]).tolist():
            symbols = near[row][near[row] >= 0]
            drawn = weight[row][near[row] >= 0] - best[symbols]
            if is_ordered:
                enough = int(np.searchsorted(np.cumsum(sizes[symbols]), most)) + 1
                symbols, drawn = symbols[:enough], drawn[:enough]
            counts = sizes[symbols]
            ends = np.cumsum(counts)
            place = np.arange(ends[-1]) + np.repeat(
                start[symbols] - ends + counts, counts
            )
            members = order[place]
            value = log_prior[members] + np.repeat(drawn, counts)
            value -= np.log(self.counts[target[row]])
            kept = (
                slice(most) if is_ordered else np.argsort(-value, kind="stable")[:most]
            )
            ids[row, : len(members[kept])] = members[kept]
            values[row, : len(members[kept])] = value[kept]
        return ids, values

    def perturb(self, x: ArrayLike, rng: Rng) -> IdArray:
        """Draw a replacement for each id; UNKNOWN draws from the same law for all."""
        ids = word_ids(x, self.size)
        if ids.size == 0:
            return ids.copy()
        drawn = self.inner.perturb(self.symbols(ids), rng)
        return self.spoken[self._first[drawn] + rng.integers(0, self.counts[drawn])]
