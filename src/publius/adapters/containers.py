"""Texts in lists, arrays, series and tables: taken out, and put back as they came."""

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import narwhals as nw
import numpy as np
import pyarrow as pa

from publius.core.errors import DataError

TextsT = TypeVar("TextsT")
Texts = list[str | None]
TEXT = "text"
"""What a column is called that has no name."""


def texts_of(given: object, column: str | None = None) -> Texts:
    """Return the strings of a list, array, series or table; None for a missing one.

    Args:
        given: Of a table one column, or all columns, one after the other.
        column: Which one; None takes all.
    """
    if isinstance(given, str):
        raise DataError("expected a list of texts, got one string")
    if isinstance(given, pa.Array):
        return _strings(given.to_pylist())
    frame = nw.from_native(given, allow_series=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        names = _columns(frame, column)
        return [text for name in names for text in _strings(_values(frame[name]))]
    return _strings(_values(frame if isinstance(frame, nw.Series) else given))


def replaced(
    given: TextsT, column: str | None, release: Callable[[Texts], Texts]
) -> TextsT:
    """Return the same kind of thing with its texts released.

    Args:
        given: Texts; of a table one column or all columns.
        column: Which one; None takes all. Other columns stay as they are.
        release: Returns one text for each, missing ones as None.
    """
    texts = release(texts_of(given, column))
    if isinstance(given, pa.Array):
        kind = pa.large_string() if given.type == pa.large_string() else pa.string()
        return pa.array(texts, kind)
    frame = nw.from_native(given, allow_series=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        names, rows = _columns(frame, column), len(frame)
        parts = [texts[i * rows : (i + 1) * rows] for i in range(len(names))]
        pairs = zip(names, parts, strict=True)
        new = [_renewed(frame[name], part) for name, part in pairs]
        return frame.with_columns(*new).to_native()
    if isinstance(frame, nw.Series):
        return _renewed(frame, texts).to_native()
    if isinstance(given, np.ndarray):
        return np.array(texts, dtype=object).reshape(given.shape)  # type: ignore[return-value]
    return texts  # type: ignore[return-value]


def rows_of(given: TextsT) -> TextsT:
    """Return released texts as rows of one or more columns; a table is returned so."""
    frame = nw.from_native(given, allow_series=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return given
    if isinstance(given, np.ndarray) and given.ndim == 2:
        return given.tolist()
    return [[text] for text in texts_of(given)]  # type: ignore[return-value]


def names_of(given: object) -> list[str] | None:
    """Return how the columns are called; None if no texts were given."""
    if given is None:
        return None
    frame = nw.from_native(given, allow_series=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return list(frame.columns)
    if isinstance(frame, nw.Series):
        return [str(frame.name) if frame.name else TEXT]
    if isinstance(given, np.ndarray) and given.ndim == 2:
        return [f"x{place}" for place in range(given.shape[1])]
    return [TEXT]


def _columns(frame: "nw.DataFrame[Any]", column: str | None) -> list[str]:
    if column is None:
        return list(frame.columns)
    if column not in frame.columns:
        raise DataError(f"the table has no column {column!r}")
    return [column]


def _strings(values: Sequence[object]) -> Texts:
    for place, value in enumerate(values):
        if value is not None and not isinstance(value, str):
            raise DataError(f"texts must be strings; position {place} is not")
    return [None if value is None else str(value) for value in values]


def _values(given: object) -> list[object]:
    """Return the members; those that are missing, also by NaN, are None."""
    if isinstance(given, nw.Series):
        missing = given.is_null().to_list()
        pairs = zip(given.to_list(), missing, strict=True)
        return [None if is_missing else value for value, is_missing in pairs]
    if isinstance(given, np.ndarray):
        given = given.ravel().tolist()
    if not isinstance(given, Sequence):
        raise DataError("expected a list, array, series or table of texts")
    return [None if _is_nan(value) else value for value in given]


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _renewed(old: "nw.Series[Any]", texts: Texts) -> "nw.Series[Any]":
    """Return a series of texts with the name and, in pandas, the index of another."""
    new = nw.new_series(old.name, texts, nw.String, backend=old.implementation)
    if old.implementation.is_pandas_like():
        native = new.to_native().set_axis(old.to_native().index)
        return nw.from_native(native, series_only=True)
    return new
