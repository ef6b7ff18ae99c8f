"""What an adversary wants: gain functions over the secrets.

A gain function says what each action is worth when a secret is true. A gain only has
to find, for every column of weighted probabilities, the worth of the best action; this
lets the common ones avoid a matrix product.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from publius.core.arrays import IdArray, at_least, positive
from publius.core.errors import DataError, ParameterError
from publius.information.matrix import (
    Dense,
    Matrix,
    Sparse,
    as_matrix,
    column_max,
    compressed,
    dense,
    fractions,
    is_exact,
    row_blocks,
    to_float,
)

PRODUCT_BYTES = 64 << 20
"""Products of a gain matrix and a channel are formed in blocks of about this size."""


@runtime_checkable
class Gain(Protocol):
    """A gain function, known by its best action."""

    @property
    def secrets(self) -> int | None:
        """Number of secrets it is defined on, or None when it fits any number."""
        ...

    def best(self, matrix: Matrix, weights: Dense) -> Dense:
        """Return ``max_w sum_x gain(w, x) * weights[x] * matrix[x, y]`` for every y."""
        ...


GainLike: TypeAlias = Gain | ArrayLike | None


@dataclass(frozen=True, slots=True)
class Identity:
    """Gain 1 for naming the secret, else 0: Bayes vulnerability (paper, eq. 4)."""

    @property
    def secrets(self) -> int | None:
        """Any number of secrets."""
        return None

    def best(self, matrix: Matrix, weights: Dense) -> Dense:
        """Return the largest entry of every column."""
        return column_max(matrix, weights)


@dataclass(frozen=True, slots=True)
class Tries:
    """Gain 1 when the secret is among `k` guesses."""

    k: int

    def __post_init__(self) -> None:
        at_least("k", self.k, 1)

    @property
    def secrets(self) -> int | None:
        """Any number of secrets."""
        return None

    def best(self, matrix: Matrix, weights: Dense) -> Dense:
        """Return the sum of the `k` largest entries of every column."""
        kept: Dense | None = None
        # Enough rows at a time that the running selection stays a small part.
        bulk = max(4 * self.k, 64) * 8 * matrix.shape[1]
        for run, block in row_blocks(matrix, block_bytes=bulk):
            scaled = block * weights[run, None]
            pool = scaled if kept is None else np.concatenate([kept, scaled])
            kept = _largest(pool, self.k)
        return column_max(matrix, weights) if kept is None else kept.sum(axis=0)


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """Gain 1 for naming the equivalence class of the secret (paper, eq. 5).

    Args:
        labels: The class of each secret.
    """

    labels: Sequence[Hashable]
    codes: IdArray = field(init=False, repr=False)
    count: int = field(init=False)

    def __post_init__(self) -> None:
        if len(self.labels) == 0:
            raise DataError("an equivalence relation needs at least one secret")
        known: dict[Hashable, int] = {}
        codes = [known.setdefault(label, len(known)) for label in _plain(self.labels)]
        object.__setattr__(self, "codes", np.array(codes, dtype=np.int64))
        object.__setattr__(self, "count", len(known))

    @property
    def secrets(self) -> int | None:
        """One label per secret."""
        return len(self.codes)

    def best(self, matrix: Matrix, weights: Dense) -> Dense:
        """Return the weight of the heaviest class in every column."""
        if is_exact(matrix):
            member = np.arange(self.count)[:, None] == self.codes[None, :]
            return MatrixGain(member.astype(int)).best(matrix, weights)
        return _product_max(self._indicator(weights), matrix)

    def _indicator(self, weights: Dense) -> "Sparse":
        places = (self.codes, np.arange(len(self.codes)))
        shape = (self.count, len(self.codes))
        return compressed((weights, places), shape)


@dataclass(frozen=True, slots=True, eq=False)
class MatrixGain:
    """Any gain function, one row per action and one column per secret."""

    gain: ArrayLike
    values: Matrix = field(init=False, repr=False)

    def __post_init__(self) -> None:
        values = as_matrix(self.gain, "a gain function")
        if len(values.shape) != 2 or 0 in values.shape:
            raise DataError(
                f"a gain function must be a matrix (actions, secrets), got shape "
                f"{values.shape}"
            )
        entries = dense(to_float(values))
        if not np.isfinite(entries).all():
            where = np.argwhere(~np.isfinite(entries))[0]
            place = ", ".join(str(int(i)) for i in where)
            raise DataError(f"a gain function must be finite; entry {place} is not")
        object.__setattr__(self, "values", values)

    @property
    def secrets(self) -> int | None:
        """One column per secret."""
        return int(self.values.shape[1])

    def best(self, matrix: Matrix, weights: Dense) -> Dense:
        """Return the best row of the weighted product with every column."""
        if is_exact(matrix):
            weighted = fractions(dense(self.values), "a gain function") * weights
            return np.asarray((weighted @ matrix).max(axis=0))
        scaled = dense(to_float(self.values)) * np.asarray(weights, dtype=np.float64)
        return _product_max(scaled, matrix)


def distance_gain(distance: ArrayLike, radius: float | None = None) -> MatrixGain:
    """Return the gain ``max(0, 1 - distance / radius)`` for a guess near the secret.

    Args:
        distance: Distances from each guess (row) to each secret (column).
        radius: Distance from which a guess is worth nothing; the largest by default.
    """
    values = np.asarray(distance, dtype=np.float64)
    if not (values.ndim == 2 and values.size and (values >= 0).all()):
        raise DataError("distances must be a matrix of numbers >= 0")
    reach = positive("radius", float(values.max()) if radius is None else radius)
    return MatrixGain(np.maximum(0.0, 1.0 - values / reach))


def as_gain(gain: GainLike, secrets: int) -> Gain:
    """Return a gain function for `secrets` secrets; None is ``Identity``."""
    if gain is None:
        return Identity()
    chosen = gain if isinstance(gain, Gain) else MatrixGain(gain)
    if chosen.secrets not in (None, secrets):
        raise ParameterError(
            f"the gain function speaks of {chosen.secrets} secrets, the channel of "
            f"{secrets}"
        )
    return chosen


def _plain(labels: Sequence[Hashable]) -> Sequence[Hashable]:
    return np.asarray(labels).tolist() if hasattr(labels, "dtype") else labels


def _largest(pool: Dense, k: int) -> Dense:
    if len(pool) <= k:
        return pool
    if pool.dtype == object:
        return np.sort(pool, axis=0)[-k:]
    return np.partition(pool, len(pool) - k, axis=0)[-k:]


def _product_max(scaled: Matrix, matrix: Matrix) -> Dense:
    """Return the column maxima of ``scaled @ matrix`` without keeping the product."""
    step = max(1, PRODUCT_BYTES // (8 * matrix.shape[1]))
    best: Dense | None = None
    for start in range(0, scaled.shape[0], step):
        top = dense(scaled[start : start + step] @ matrix).max(axis=0)
        best = top if best is None else np.maximum(best, top, out=best)
    return column_max(matrix, None) if best is None else best
