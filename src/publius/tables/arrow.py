"""Arrow arrays from plain values, without the detour of Arrow's own converter.

Whatever Arrow converts from Python or NumPy it first compares with pandas, which it
imports for that where it is installed: a third of a second at every start.
"""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from publius.core.arrays import BoolArray, IdArray


def integers(values: IdArray) -> pa.Array:
    """Return whole numbers as an Arrow array that shares their memory."""
    plain = np.ascontiguousarray(values, dtype=np.int64)
    return pa.Array.from_buffers(pa.int64(), len(plain), [None, pa.py_buffer(plain)])


def strings(values: Sequence[str | None]) -> pa.Array:
    """Return strings, or None where there is none, as a large Arrow array.

    Raises:
        UnicodeEncodeError: A string holds half of a surrogate pair.
    """
    texts = [value or "" for value in values]
    raw = "".join(texts).encode()
    bounds = np.fromiter(accumulate(map(len, texts), initial=0), np.int64)
    if bounds[-1] != len(raw):
        widths = (len(text.encode()) for text in texts)
        bounds = np.fromiter(accumulate(widths, initial=0), np.int64)
    is_there = None
    if None in values:
        flags = np.array([value is not None for value in values])
        is_there = pa.py_buffer(np.packbits(flags, bitorder="little"))
    buffers = [is_there, pa.py_buffer(bounds), pa.py_buffer(raw)]
    return pa.Array.from_buffers(pa.large_string(), len(texts), buffers)


def text_array(bounds: IdArray, content: pa.Buffer | None) -> pa.Array:
    """Return the texts that lie between bounds in a buffer.

    Args:
        bounds: Where texts begin, and the end of the last; rising.
        content: Their bytes in UTF-8.
    """
    plain = np.ascontiguousarray(bounds, dtype=np.int64)
    return pa.Array.from_buffers(
        pa.large_string(), len(plain) - 1, [None, pa.py_buffer(plain), content]
    )


def numbers(array: pa.Array) -> "NDArray[np.generic]":
    """Return whole numbers without nulls as a NumPy array that shares their memory."""
    kind = array.type.to_pandas_dtype()
    stored = np.frombuffer(array.buffers()[1] or b"", kind)
    return stored[array.offset : array.offset + len(array)]


def present(array: pa.Array) -> BoolArray:
    """Return whether each value of an array is there."""
    bitmap = array.buffers()[0]
    if bitmap is None or not array.null_count:
        return np.full(len(array), pa.types.is_null(array.type) is False)
    bits = np.unpackbits(np.frombuffer(bitmap, np.uint8), bitorder="little")
    return bits[array.offset : array.offset + len(array)].astype(bool)


def truths(array: pa.Array) -> BoolArray:
    """Return truth values without nulls as a NumPy array."""
    bits = np.frombuffer(array.buffers()[1] or b"", np.uint8)
    plain = np.unpackbits(bits, bitorder="little")
    return plain[array.offset : array.offset + len(array)].astype(bool)


def lengths(texts: pa.Array) -> IdArray:
    """Return the number of bytes of each string, 0 where there is none."""
    if not len(texts):
        return np.zeros(0, dtype=np.int64)
    bounds = np.frombuffer(texts.buffers()[1], _offset_of(texts.type))
    lengths = np.diff(bounds[texts.offset :][: len(texts) + 1]).astype(np.int64)
    return np.where(present(texts), lengths, 0) if texts.null_count else lengths


def _offset_of(kind: pa.DataType) -> type[np.generic]:
    is_large = pa.types.is_large_string(kind) or pa.types.is_large_binary(kind)
    return np.int64 if is_large else np.int32


def without_nulls(texts: pa.Array) -> pa.Array:
    """Return strings with an empty one where there is none."""
    if not texts.null_count:
        return texts
    return texts.fill_null(strings([""]).cast(texts.type)[0])
