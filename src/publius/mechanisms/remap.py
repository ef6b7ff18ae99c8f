"""Remap released words by a public table: better words, the same guarantee.

Whatever is computed from the released word alone keeps the guarantee. Two tables are
offered. The *Bayesian* one (after Chatzikokolakis, ElSalamouny and Palamidessi 2017)
sends each word to the one that is closest, in expected squared distance of vectors, to
what was written, given a public prior; that is the word nearest to the posterior mean.
The *rank* table draws one of the words around the released one, rank i with weight
``exp(-i / spread)``, so that mechanisms which stay or jump far also use near words
(after Asghar et al. 2024).
"""

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from publius.core.arrays import FloatArray, IdArray, Rng, positive
from publius.core.errors import DataError
from publius.core.guarantee import Guarantee, Scope
from publius.core.mechanism import Finite, Mechanism, Nearest, Pulling, SpotChecked
from publius.numerics.inverse import pull_rows

Kernel: TypeAlias = "scipy.sparse.csr_array[np.float64]"
Counts: TypeAlias = "scipy.sparse.csr_array[np.int64]"

_SAID = (
    "Released words were remapped by a public table, which sees the released word "
    "only: the guarantee is that of the mechanism."
)

WEIGHT_BITS = 32
"""Ranks are drawn with whole-number weights that sum to this power of two."""


@dataclass(frozen=True, slots=True, eq=False)
class RemapTable:
    """Where each released word goes.

    Args:
        kind: ``bayes`` or ``rank``, for the name of the mechanism.
        choices: One row of word ids per word.
        weights: Whole-number weight of each column; their sum is ``2**WEIGHT_BITS``.
    """

    kind: str
    choices: IdArray
    weights: NDArray[np.int64]

    def __post_init__(self) -> None:
        size = len(self.choices)
        if self.choices.ndim != 2 or self.choices.shape[1] != len(self.weights):
            raise DataError("choices must be a matrix with one column per weight")
        if not ((self.choices >= 0) & (self.choices < size)).all():
            raise DataError(f"choices must be ids in [0, {size})")
        if (self.weights < 0).any() or int(self.weights.sum()) != 1 << WEIGHT_BITS:
            raise DataError(f"weights must be >= 0 and sum to 2^{WEIGHT_BITS}")

    @classmethod
    def fixed(cls, kind: str, target: IdArray) -> "RemapTable":
        """Return the table that sends each word to one word."""
        whole = np.array([1 << WEIGHT_BITS], dtype=np.int64)
        return cls(kind, np.asarray(target, dtype=np.int64)[:, None], whole)

    @classmethod
    def by_rank(cls, neighbours: IdArray, spread: float) -> "RemapTable":
        """Return the table that draws a near word, rank i with ``exp(-i / spread)``.

        Args:
            neighbours: The closest other words of each word, closest first.
            spread: Ranks after which the weight falls by a factor e; finite, > 0.
        """
        size, k = neighbours.shape
        own = np.arange(size, dtype=np.int64)[:, None]
        share = np.exp(-np.arange(k + 1) / positive("spread", spread))
        weights = np.floor(share / share.sum() * 2.0**WEIGHT_BITS).astype(np.int64)
        weights[0] += (1 << WEIGHT_BITS) - int(weights.sum())
        return cls("rank", np.concatenate([own, neighbours], axis=1), weights)

    def kernel(self) -> Kernel:
        """Return the table as a stochastic matrix."""
        size, width = self.choices.shape
        share = np.broadcast_to(self.weights / 2.0**WEIGHT_BITS, (size, width))
        source = np.repeat(np.arange(size), width)
        entries = (share.ravel(), (source, self.choices.ravel()))
        return scipy.sparse.csr_array(
            scipy.sparse.coo_array(entries, shape=(size, size)).tocsr()
        )

    def draw(self, ids: IdArray, rng: Rng) -> IdArray:
        """Send each word on its way; a table of one column needs no randomness."""
        if len(self.weights) == 1:
            return self.choices[ids, 0]
        ticket = rng.integers(0, 1 << WEIGHT_BITS, size=len(ids))
        place = np.searchsorted(np.cumsum(self.weights), ticket, side="right")
        return self.choices[ids, place]


@dataclass(frozen=True, slots=True, eq=False)
class Remapped:
    """A finite mechanism whose outputs are remapped by a public table.

    Guarantee:
        That of the mechanism, word for word: remapping is post-processing.

    Args:
        inner: The mechanism.
        table: Public; computed without any protected text.
    """

    inner: Finite
    table: RemapTable
    _kernel: list[Kernel] = field(init=False, default_factory=list, repr=False)

    def __post_init__(self) -> None:
        if len(self.table.choices) != self.inner.size:
            raise DataError(
                f"a table of {len(self.table.choices)} words for {self.inner.size}"
            )

    @property
    def name(self) -> str:
        """Name of the mechanism and of the table."""
        return f"{self.inner.name}+{self.table.kind}-remap.v1"

    @property
    def size(self) -> int:
        """Number of words."""
        return self.inner.size

    def guarantee(self) -> Guarantee:
        """Return the guarantee of the mechanism."""
        return self.inner.guarantee().covering(Scope(assumptions=(_SAID,)))

    def spot_check(self, ids: IdArray) -> None:
        """Check the mechanism: whatever a public table does to its outputs is free."""
        if isinstance(self.inner, SpotChecked):
            self.inner.spot_check(ids)

    def channel(self, x: ArrayLike) -> FloatArray:
        """Return log P(z | x) for every word z; -inf for words no one is sent to."""
        if not self._kernel:
            self._kernel.append(self.table.kernel())
        prob = np.exp(self.inner.channel(np.asarray(x))) @ self._kernel[0]
        with np.errstate(divide="ignore"):
            return np.log(np.asarray(prob))

    def perturb(self, x: ArrayLike, rng: Rng) -> IdArray:
        """Draw for each id, then remap."""
        drawn = self.inner.perturb(np.asarray(x), rng)
        return self.table.draw(drawn.ravel(), rng).reshape(drawn.shape)


@dataclass(frozen=True, slots=True, eq=False)
class RemappedCounts:
    """Vectors of term counts whose terms are remapped by a public table.

    Guarantee:
        That of the mechanism: remapping is post-processing.

    Args:
        inner: Draws vectors of counts.
        table: Public; computed without any protected text.
    """

    inner: Mechanism[Counts, Counts]
    table: RemapTable

    @property
    def name(self) -> str:
        """Name of the mechanism and of the table."""
        return f"{self.inner.name}+{self.table.kind}-remap.v1"

    def guarantee(self) -> Guarantee:
        """Return the guarantee of the mechanism."""
        return self.inner.guarantee().covering(Scope(assumptions=(_SAID,)))

    def perturb(self, x: Counts, rng: Rng) -> Counts:
        """Draw vectors, then send every term of them on its way."""
        drawn = scipy.sparse.csr_array(self.inner.perturb(x, rng))
        if drawn.shape[1] != len(self.table.choices):
            raise DataError(
                f"a table of {len(self.table.choices)} words for {drawn.shape[1]}"
            )
        terms = np.repeat(drawn.indices.astype(np.int64), drawn.data)
        row = np.repeat(np.arange(drawn.shape[0]), np.diff(drawn.indptr))
        rows = np.repeat(row, drawn.data)
        ones = np.ones(len(terms), dtype=np.int64)
        placed = (ones, (rows, self.table.draw(terms, rng)))
        return scipy.sparse.csr_array(
            scipy.sparse.coo_array(placed, shape=drawn.shape).tocsr()
        )


def posterior_means(
    mechanism: Finite, prior: FloatArray, vectors: FloatArray
) -> FloatArray:
    """Return, for each released word, the mean vector of what was written.

    The mean of a word that is never released is NaN.
    """
    size, dim = vectors.shape
    if prior.shape != (size,) or mechanism.size != size:
        raise DataError(f"prior and mechanism must have {size} words")
    weighted = np.concatenate([vectors, np.ones((size, 1))], axis=1, dtype=np.float64)
    weighted *= prior[:, None]
    if isinstance(mechanism, Pulling):
        total = mechanism.pull(weighted)
    else:
        total = pull_rows(mechanism.channel, weighted)
    with np.errstate(divide="ignore", invalid="ignore"):
        return total[:, :dim] / total[:, dim:]


def bayes_table(
    mechanism: Finite, prior: FloatArray, vectors: FloatArray, index: Nearest
) -> RemapTable:
    """Return the remap with the least expected squared distance under a prior.

    Args:
        mechanism: Whose outputs are remapped.
        prior: Public probability of each word.
        vectors: Public table, one row per word.
        index: Finds the nearest row of the table.
    """
    means = posterior_means(mechanism, prior, vectors)
    seen = np.isfinite(means).all(axis=1)
    target = np.arange(len(vectors), dtype=np.int64)
    target[seen] = index.nearest(means[seen])
    return RemapTable.fixed("bayes", target)
