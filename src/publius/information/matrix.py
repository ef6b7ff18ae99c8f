"""Stochastic matrices: dense, sparse or of fractions, read in blocks of rows.

Everything in this package is written over three representations that share NumPy's
arithmetic: a float64 array, a SciPy CSR array, and an object array of ``Fraction``.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypeAlias, TypeGuard, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from publius.core.arrays import IdArray
from publius.core.errors import DataError

ExactArray: TypeAlias = NDArray[np.object_]
Dense: TypeAlias = NDArray[Any]
Sparse: TypeAlias = "sp.csr_array[Any, tuple[int, int]]"
Matrix: TypeAlias = "Dense | Sparse"
Number: TypeAlias = float | Fraction
T = TypeVar("T")

CACHE_BYTES = 1 << 20
"""Rows are visited in blocks that stay in the processor's cache."""


def is_sparse(values: object) -> TypeGuard[Sparse]:
    """Tell whether `values` is a sparse matrix of SciPy."""
    return bool(sp.issparse(values))


def compressed(values: object, shape: tuple[int, int] | None = None) -> Sparse:
    """Return `values`, or ``(entries, (rows, columns))``, as a float64 CSR array."""
    made: Sparse = sp.csr_array(values, shape=shape, dtype=np.float64)  # type: ignore[call-overload]
    made.sum_duplicates()
    return made


def dense(matrix: Matrix) -> Dense:
    """Return the matrix as an array."""
    return matrix if isinstance(matrix, np.ndarray) else matrix.toarray()


def as_matrix(values: "ArrayLike | Sparse", name: str) -> Matrix:
    """Return `values` as a read-only matrix, without a copy if they are float64."""
    if is_sparse(values):
        return compressed(values)
    array = np.asarray(values)
    if array.dtype == object and any(isinstance(v, Fraction) for v in array.flat):
        return fractions(array, name)
    try:
        numbers = np.asarray(array, dtype=np.float64).view()
    except (TypeError, ValueError):
        raise DataError(f"{name} must be a matrix of numbers") from None
    numbers.flags.writeable = False
    return numbers


def fractions(values: ArrayLike, name: str) -> ExactArray:
    """Return `values` (numbers, fractions or strings like "1/3") as fractions."""
    array = np.asarray(values, dtype=object)
    exact = np.empty(array.shape, dtype=object)
    for place, value in np.ndenumerate(array):
        try:
            exact[place] = Fraction(value)
        except (TypeError, ValueError, OverflowError, ZeroDivisionError):
            raise DataError(f"{name} at {place} is not a finite fraction") from None
    exact.flags.writeable = False
    return exact


def is_exact(matrix: Matrix) -> bool:
    """Tell whether the matrix holds fractions."""
    return bool(matrix.dtype == object)


def to_float(matrix: Matrix) -> Matrix:
    """Return the matrix in floating point."""
    return matrix.astype(np.float64) if is_exact(matrix) else matrix


def alike(a: Matrix, b: Matrix) -> tuple[Matrix, Matrix]:
    """Return both as they are when they share an arithmetic, else as floats."""
    return (a, b) if is_exact(a) == is_exact(b) else (to_float(a), to_float(b))


def rows(matrix: Matrix, ids: IdArray | slice) -> Dense:
    """Return some rows as a dense array; a slice of a dense matrix is a view."""
    return dense(matrix[ids])


def row_blocks(
    matrix: Matrix, *, block_bytes: int = CACHE_BYTES
) -> Iterator[tuple[slice, Dense]]:
    """Yield runs of rows, dense, each about `block_bytes` large."""
    count, width = matrix.shape
    step = max(1, block_bytes // max(1, 8 * width))
    for start in range(0, count, step):
        run = slice(start, min(start + step, count))
        yield run, rows(matrix, run)


def check_stochastic(matrix: Matrix, tolerance: float) -> None:
    """Raise unless rows are distributions; name the first place that is wrong."""
    if len(matrix.shape) != 2:
        raise DataError(f"a channel must be a matrix, got shape {matrix.shape}")
    if 0 in matrix.shape:
        raise DataError(f"a channel needs an input and an output, got {matrix.shape}")
    if not isinstance(matrix, np.ndarray):
        _check_stored(matrix)
    slack = 0 if is_exact(matrix) else tolerance
    for run, block in row_blocks(matrix):
        _check_block(block, run.start, slack)


def check_distribution(values: Dense, name: str, tolerance: float) -> None:
    """Raise unless the entries of `values` are one probability distribution."""
    good = values >= 0
    if not good.all():
        place = _place(np.argwhere(~good.astype(bool))[0])
        raise DataError(f"{name} must hold numbers >= 0; entry {place} does not")
    total = values.sum()
    slack = 0 if values.dtype == object else tolerance
    if not abs(total - 1) <= slack:
        raise DataError(
            f"{name} must sum to 1 within {slack:g}, it sums to {float(total)!r}; "
            "nothing is renormalised for you"
        )


def column_max(matrix: Matrix, weights: Dense | None) -> Dense:
    """Return the largest weighted entry of every column, in one pass."""

    def largest(part: slice) -> Dense:
        best = np.zeros(matrix.shape[1], dtype=matrix.dtype)
        for run, block in row_blocks(matrix[part]):
            scale = None if weights is None else weights[part][run, None]
            top = (block if scale is None else block * scale).max(axis=0)
            np.maximum(best, top, out=best)
        return best

    return np.asarray(np.maximum.reduce(_in_parts(largest, matrix.shape[0])))


def column_range(matrix: Matrix) -> tuple[Dense, Dense]:
    """Return the smallest and the largest entry of every column, in one pass."""

    def extremes(part: slice) -> tuple[Dense, Dense]:
        high = np.zeros(matrix.shape[1], dtype=matrix.dtype)
        low = high + 1
        for _, block in row_blocks(matrix[part]):
            np.minimum(low, block.min(axis=0), out=low)
            np.maximum(high, block.max(axis=0), out=high)
        return low, high

    parts = _in_parts(extremes, matrix.shape[0])
    low, high = zip(*parts, strict=True)
    return np.minimum.reduce(low), np.maximum.reduce(high)


def _in_parts(work: Callable[[slice], T], count: int) -> list[T]:
    """Run `work` on one run of rows per processor; NumPy lets threads overlap."""
    workers = max(1, min(os.cpu_count() or 1, count // 256))
    ends = np.linspace(0, count, workers + 1).astype(int)
    parts = [slice(a, b) for a, b in pairwise(ends)]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(work, parts))


def _check_stored(matrix: "Sparse") -> None:
    """Look at stored entries first: NaN and negatives keep their position."""
    good = matrix.data >= 0
    if good.all():
        return
    entry = int(np.argmin(good))
    row = int(np.searchsorted(matrix.indptr, entry, side="right")) - 1
    raise DataError(
        f"probabilities must be numbers >= 0; row {row}, column "
        f"{int(matrix.indices[entry])} is not"
    )


def _check_block(block: Dense, start: int, slack: float) -> None:
    # min and sum both carry NaN, so two cheap reductions clear a good block.
    with np.errstate(invalid="ignore", over="ignore"):
        sums = block.sum(axis=1)
        lowest = block.min(axis=1)
        good = (lowest >= 0) & (abs(sums - 1) <= slack)
    if good.all():
        return
    row = int(np.argmin(good))
    entries = block[row] >= 0
    if not entries.all():
        raise DataError(
            f"probabilities must be numbers >= 0; row {start + row}, column "
            f"{int(np.argmin(entries))} is not"
        )
    raise DataError(
        f"rows of a channel must sum to 1 within {slack:g}; row {start + row} sums to "
        f"{float(sums[row])!r}; nothing is renormalised for you: correct the rows or "
        "state a larger tolerance"
    )


def _place(index: NDArray[np.int64]) -> str:
    return ", ".join(str(int(i)) for i in index)
