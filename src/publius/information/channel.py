"""Channels: what an observer learns from a randomised output."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from publius.core.arrays import IdArray, not_negative
from publius.core.errors import DataError, ParameterError
from publius.core.mechanism import Finite
from publius.core.space import blocks
from publius.information.entropy import min_entropy_bits, shannon_bits
from publius.information.gain import GainLike, as_gain
from publius.information.hyper import Hyper
from publius.information.matrix import (
    Dense,
    Matrix,
    Number,
    Sparse,
    alike,
    as_matrix,
    check_distribution,
    check_stochastic,
    column_max,
    compressed,
    dense,
    fractions,
    is_exact,
    to_float,
)
from publius.information.privacy import WorstPair, worst_pair
from publius.information.refinement import Refinement, refine

LARGEST = 1 << 30
"""Largest number of entries that a composition may have (8 GiB)."""

_LEAST_LOG = -700.0


@dataclass(frozen=True, slots=True, eq=False)
class Channel:
    """A matrix of probabilities: row x is the law of the output when x is the secret.

    Rows must be distributions; nothing is ever renormalised. A float64 array is used as
    it is, without a copy, so do not change it afterwards. A matrix of ``Fraction`` is
    kept exact, and so is every number computed from it.

    Args:
        matrix: Dense or sparse, one row per secret and one column per output.
        inputs: Names of the secrets; positions by default.
        outputs: Names of the outputs; positions by default.
        tolerance: How far a sum of probabilities may be from 1 in floating point.
    """

    matrix: Matrix
    inputs: Sequence[Hashable] | None = None
    outputs: Sequence[Hashable] | None = None
    tolerance: float = field(default=1e-9, kw_only=True)

    def __post_init__(self) -> None:
        not_negative("tolerance", self.tolerance)
        matrix = as_matrix(self.matrix, "a channel")
        check_stochastic(matrix, self.tolerance)
        object.__setattr__(self, "matrix", matrix)
        for name, count in zip(("inputs", "outputs"), matrix.shape, strict=True):
            names = _names(name, getattr(self, name), count)
            object.__setattr__(self, name, names)

    @classmethod
    def exact(
        cls,
        matrix: ArrayLike,
        inputs: Sequence[Hashable] | None = None,
        outputs: Sequence[Hashable] | None = None,
    ) -> Self:
        """Return a channel of fractions, written as numbers or strings like "1/3"."""
        return cls(fractions(matrix, "a channel"), inputs, outputs)

    @classmethod
    def of(cls, mechanism: Finite, ids: IdArray | None = None) -> Self:
        """Return the law of a finite mechanism, for all its words or the given ids."""
        chosen = np.arange(mechanism.size) if ids is None else np.asarray(ids)
        if len(chosen) * mechanism.size > LARGEST:
            raise DataError(
                f"a channel of {len(chosen)} by {mechanism.size} is too large to hold; "
                "choose fewer ids"
            )
        matrix = np.empty((len(chosen), mechanism.size))
        for run in blocks(len(chosen), mechanism.size):
            logs = mechanism.channel(chosen[run])
            if ((logs > -np.inf) & (logs < _LEAST_LOG)).any():
                raise DataError(
                    "the mechanism has probabilities below e^-700, which would round "
                    "to 0; work with its logarithms instead"
                )
            np.exp(logs, out=matrix[run[0] : run[-1] + 1])
        return cls(matrix, inputs=chosen.tolist())

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of secrets and of outputs."""
        return int(self.matrix.shape[0]), int(self.matrix.shape[1])

    def prior_vulnerability(
        self, prior: ArrayLike | None = None, gain: GainLike = None
    ) -> Number:
        """Return the best expected gain before the output is seen.

        Args:
            prior: Probabilities of the secrets; uniform by default.
            gain: A gain function or its matrix (actions, secrets); by default 1 for
                naming the secret.
        """
        weights = self._prior(prior)
        single = np.ones((self.shape[0], 1), dtype=weights.dtype)
        return _plain(as_gain(gain, self.shape[0]).best(single, weights)[0])

    def posterior_vulnerability(
        self, prior: ArrayLike | None = None, gain: GainLike = None
    ) -> Number:
        """Return the best expected gain once the output is seen (Definition 3)."""
        weights = self._prior(prior)
        chosen = as_gain(gain, self.shape[0])
        return _plain(chosen.best(self.matrix, weights).sum())

    def leakage(self, prior: ArrayLike | None = None, gain: GainLike = None) -> Number:
        """Return the factor by which the output multiplies the gain (paper, eq. 6)."""
        before = self.prior_vulnerability(prior, gain)
        if not before > 0:
            raise ParameterError(
                "multiplicative leakage needs a positive gain before the output; use "
                "additive_leakage"
            )
        return self.posterior_vulnerability(prior, gain) / before

    def additive_leakage(
        self, prior: ArrayLike | None = None, gain: GainLike = None
    ) -> Number:
        """Return how much the output adds to the gain."""
        after = self.posterior_vulnerability(prior, gain)
        return after - self.prior_vulnerability(prior, gain)

    def bayes_capacity(self) -> Number:
        """Return the largest leakage over all priors and non-negative gain functions.

        It is the sum of the column maxima, reached by naming the secret under the
        uniform prior (paper, Theorem 1).
        """
        return _plain(column_max(self.matrix, None).sum())

    def shannon_leakage(self, prior: ArrayLike | None = None) -> float:
        """Return the mutual information of secret and output, in bits."""
        return shannon_bits(self._prior(prior), self.matrix)

    def min_entropy_leakage(self, prior: ArrayLike | None = None) -> float:
        """Return the logarithm of the Bayes leakage, in bits."""
        return min_entropy_bits(self._prior(prior), self.matrix)

    def hyper(self, prior: ArrayLike | None = None) -> Hyper:
        """Return the posteriors and their probabilities, equal posteriors merged."""
        return Hyper.of(self._prior(prior), self.matrix)

    def metric_epsilon(self, distance: "ArrayLike | Sparse") -> float:
        """Return the smallest epsilon for which the channel is private under a metric.

        Infinite when an output rules a secret out, or when two secrets at distance 0
        have different rows. See ``worst_pair`` for what `distance` may be.
        """
        return self.worst_pair(distance).epsilon

    def worst_pair(self, distance: "ArrayLike | Sparse") -> WorstPair:
        """Return the two secrets and the output that decide ``metric_epsilon``.

        Args:
            distance: Distances between secrets; pairs at infinite distance are not
                compared. A sparse matrix lists the edges of a path metric; comparing
                those is enough, and the only way that is fast at any size.
        """
        return worst_pair(self.matrix, distance)

    def refined_by(self, other: "Channel") -> bool:
        """Tell whether `other` is at least as secure for every prior and gain."""
        return self.refinement(other).holds

    def refinement(self, other: "Channel") -> Refinement:
        """Return the channel that makes this one `other`, or a gain that objects."""
        return refine(self.matrix, other.matrix)

    def then(self, other: "Channel") -> "Channel":
        """Feed the output into `other`: a cascade, which refines this channel."""
        if self.shape[1] != other.shape[0]:
            raise DataError(
                f"cannot feed {self.shape[1]} outputs into a channel with "
                f"{other.shape[0]} inputs"
            )
        a, b = alike(self.matrix, other.matrix)
        tolerance = self.tolerance + other.tolerance
        return Channel(a @ b, self.inputs, other.outputs, tolerance=tolerance)

    def beside(self, other: "Channel") -> "Channel":
        """Show both outputs for the same secret: an intersection attack.

        The paper calls this sequential composition (Definition 1). Outputs are pairs.
        """
        if self.shape[0] != other.shape[0]:
            raise DataError(
                f"channels side by side need the same secrets, got {self.shape[0]} and "
                f"{other.shape[0]}"
            )
        if self.shape[0] * self.shape[1] * other.shape[1] > LARGEST:
            raise DataError(
                f"channels {self.shape} and {other.shape} side by side would need more "
                f"than {LARGEST} entries"
            )
        pairs = [(y, z) for y in self.outputs or () for z in other.outputs or ()]
        tolerance = self.tolerance + other.tolerance
        both = _side_by_side(*alike(self.matrix, other.matrix))
        return Channel(both, self.inputs, pairs, tolerance=tolerance)

    def dalenius(
        self, joint: ArrayLike, secrets: Sequence[Hashable] | None = None
    ) -> "Channel":
        """Return what the output tells about a correlated secret: a linkage attack.

        The paper's Definition 2 multiplies the joint distribution itself, which is no
        channel; here each row is conditioned on its secret. Its prior is
        ``joint.sum(axis=1)``.

        Args:
            joint: Probabilities of the other secret (rows) together with this
                channel's secret (columns); all entries sum to 1.
            secrets: Names of the other secrets; positions by default.
        """
        law = as_matrix(joint, "joint")
        matched, table = alike(self.matrix, law)
        if len(table.shape) != 2 or table.shape[1] != self.shape[0]:
            raise DataError(
                f"joint must have shape (secrets, {self.shape[0]}), got {table.shape}"
            )
        both = dense(table)
        check_distribution(both, "joint", self.tolerance)
        marginal = both.sum(axis=1)
        if not (marginal > 0).all():
            place = int(np.argmin(marginal > 0))
            raise DataError(f"row {place} of joint never occurs; leave it out")
        given = both / marginal[:, None]
        tolerance = self.tolerance + 1e-12
        return Channel(given @ matched, secrets, self.outputs, tolerance=tolerance)

    def _prior(self, prior: ArrayLike | None) -> Dense:
        """Return a checked prior in the channel's own arithmetic."""
        size, exact = self.shape[0], is_exact(self.matrix)
        if prior is None:
            one = fractions([1], "prior")[0] if exact else 1.0
            return np.full(size, one / size)
        values = fractions(prior, "prior") if exact else as_matrix(prior, "prior")
        weights: Dense = np.asarray(values if exact else to_float(values))
        if weights.shape != (size,):
            raise DataError(
                f"a prior must have one probability for each of {size} secrets, got "
                f"shape {weights.shape}"
            )
        check_distribution(weights, "a prior", self.tolerance)
        return weights


def _side_by_side(a: Matrix, b: Matrix) -> Matrix:
    shape = (a.shape[0], a.shape[1] * b.shape[1])
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return (a[:, :, None] * b[:, None, :]).reshape(shape)
    left = compressed(a).tocoo()
    picked = compressed(b)[left.row].tocoo()
    entry = picked.row
    column = left.col[entry].astype(np.int64) * b.shape[1] + picked.col
    return compressed(
        (picked.data * left.data[entry], (left.row[entry], column)), shape
    )


def _names(
    kind: str, names: Sequence[Hashable] | None, count: int
) -> Sequence[Hashable]:
    if names is None:
        return range(count)
    if len(names) != count:
        raise DataError(f"{kind} must name all {count}, got {len(names)} names")
    known = tuple(names)
    if len(set(known)) != count:
        raise DataError(f"{kind} must be distinct names")
    return known


def _plain(value: object) -> Number:
    """Turn a NumPy scalar into a Python float; fractions stay as they are."""
    return float(value) if isinstance(value, np.floating) else value  # type: ignore[return-value]
