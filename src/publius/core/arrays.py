"""Array types and the checks that every boundary shares."""

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from publius.core.errors import DataError, ParameterError

FloatArray: TypeAlias = NDArray[np.floating]
IdArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
Rng: TypeAlias = np.random.Generator

UNKNOWN = -1
"""The id of every word outside the vocabulary: the input symbol ⊥."""


def positive(name: str, value: float) -> float:
    """Return `value` as a float, or raise unless it is finite and > 0."""
    number = _number(value)
    if math.isfinite(number) and number > 0:
        return number
    raise ParameterError(f"{name} must be a finite number > 0, got {value}")


def not_negative(name: str, value: float) -> float:
    """Return `value` as a float, or raise unless it is finite and >= 0."""
    number = _number(value)
    if math.isfinite(number) and number >= 0:
        return number
    raise ParameterError(f"{name} must be a finite number >= 0, got {value}")


def at_least(name: str, value: int, least: int) -> int:
    """Return `value`, or raise unless it is a whole number >= `least`."""
    # Testing for finiteness first: int() of NaN or infinity raises errors of its own.
    if math.isfinite(_number(value)) and int(value) == value and value >= least:
        return int(value)
    raise ParameterError(f"{name} must be a whole number >= {least}, got {value}")


def _number(value: object) -> float:
    """Return a value as a float; NaN for what is no number at all."""
    if isinstance(value, str | bytes):
        return math.nan  # an object would keep the string
    try:
        return float(value)  # type: ignore[arg-type]
    except (OverflowError, TypeError, ValueError):
        return math.nan


def shortest(value: float) -> str:
    """Return the shortest text that reads back as exactly `value`."""
    return repr(float(value)).removesuffix(".0")


def rows_of(x: ArrayLike, dim: int) -> FloatArray:
    """Return `x` as float64 rows of length `dim`."""
    try:
        rows = np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError):  # its text may quote a value
        raise DataError("x must hold numbers, in rows of as many each") from None
    if rows.ndim != 2 or rows.shape[1] != dim:
        raise DataError(f"x must have shape (rows, {dim}), got {rows.shape}")
    return rows


def points(x: ArrayLike, dim: int) -> FloatArray:
    """Return `x` as finite float64 rows of length `dim`."""
    rows = rows_of(x, dim)
    finite = np.isfinite(rows).all(axis=1)
    if not finite.all():
        raise DataError(f"x must be finite; row {int(np.argmin(finite))} is not")
    return rows


def word_ids(x: ArrayLike, size: int) -> IdArray:
    """Return `x` as ids in ``[0, size)`` or UNKNOWN."""
    ids = np.asarray(x)
    if ids.size == 0:
        return np.zeros(ids.shape, dtype=np.int64)
    if ids.dtype.kind not in "iu":
        raise DataError(f"ids must be integers, got {ids.dtype}")
    # Before the cast: the largest unsigned numbers would turn into UNKNOWN.
    inside = (ids >= UNKNOWN) & (ids < size)
    if not inside.all():
        where = int(np.argmin(inside.ravel()))
        raise DataError(f"ids must lie in [-1, {size}); position {where} does not")
    return ids.astype(np.int64, copy=False)
