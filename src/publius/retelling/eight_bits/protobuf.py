"""Bytes of an ONNX model: as much of its format as one graph needs.

The runtime reads this format; the package that writes it is four times its size.
Numbers of fields are those of ``onnx.proto``.
"""

import struct
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Field = int | float | str | bytes
Size = int | str
"""Of an axis; a name where it differs from call to call."""

KINDS = {
    np.dtype(np.float32): 1,
    np.dtype(np.uint8): 2,
    np.dtype(np.int8): 3,
    np.dtype(np.int32): 6,
    np.dtype(np.int64): 7,
}
IR_VERSION, OPERATORS, CONTRIBUTED = 8, 17, 1
MICROSOFT = "com.microsoft"
_FLOAT, _INT, _INTS = 1, 2, 7
_EXTERNAL = 1


def field(number: int, value: Field) -> bytes:
    """Return one field of a message."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    if isinstance(value, float):
        return _varint(number << 3 | 5) + struct.pack("<f", value)
    raw = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(raw)) + raw


def _varint(value: int) -> bytes:
    left, made = value & (1 << 64) - 1, bytearray()
    while left > 127:
        made.append(left & 127 | 128)
        left >>= 7
    return bytes([*made, left])


def _attribute(name: str, value: float | Sequence[int]) -> bytes:
    if isinstance(value, int):
        return field(1, name) + field(3, value) + field(20, _INT)
    if isinstance(value, float):
        return field(1, name) + field(2, value) + field(20, _FLOAT)
    return field(1, name) + _all(8, value) + field(20, _INTS)


def node(
    operator: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    domain: str = "",
    **attributes: float | Sequence[int],
) -> bytes:
    """Return an operator of a graph; an input or output that is left out is empty."""
    said = [_attribute(name, value) for name, value in attributes.items()]
    return (
        _all(1, inputs)
        + _all(2, outputs)
        + field(4, operator)
        + _all(5, said)
        + field(7, domain)
    )


def value(name: str, dtype: type[np.generic], shape: Sequence[Size]) -> bytes:
    """Return an input or output of a graph."""
    axes = [field(1, field(1 if isinstance(s, int) else 2, s)) for s in shape]
    tensor = field(1, KINDS[np.dtype(dtype)]) + field(2, b"".join(axes))
    return field(1, name) + field(2, field(1, tensor))


def constant(name: str, array: NDArray[np.generic]) -> bytes:
    """Return an array that stands in the graph."""
    return _tensor(name, array) + field(9, array.tobytes())


def outside(name: str, array: NDArray[np.generic]) -> bytes:
    """Return an array that the runtime is given beside the graph."""
    place = field(1, "location") + field(2, "memory")
    return _tensor(name, array) + field(13, place) + field(14, _EXTERNAL)


def _tensor(name: str, array: NDArray[np.generic]) -> bytes:
    return _all(1, array.shape) + field(2, KINDS[array.dtype]) + field(8, name)


def model(
    nodes: Sequence[bytes],
    arrays: Sequence[bytes],
    inputs: Sequence[bytes],
    outputs: Sequence[bytes],
) -> bytes:
    """Return a whole model."""
    graph = (
        _all(1, nodes)
        + field(2, "llama")
        + _all(5, arrays)
        + _all(11, inputs)
        + _all(12, outputs)
    )
    return (
        field(1, IR_VERSION)
        + field(7, graph)
        + field(8, field(1, "") + field(2, OPERATORS))
        + field(8, field(1, MICROSOFT) + field(2, CONTRIBUTED))
    )


def _all(number: int, values: Sequence[Field]) -> bytes:
    return b"".join(field(number, value) for value in values)
