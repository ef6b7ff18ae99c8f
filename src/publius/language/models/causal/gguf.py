"""Read a GGUF file: settings, and weights of 4, 8 or 32 bits as float32."""

import math
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from publius.core.errors import DataError

Array = NDArray[np.float32]
Value = str | int | float | bool | list["Value"]

_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?",
            10: "Q", 11: "q", 12: "d"}  # fmt: skip
_STRING, _LIST = 8, 9
_GROUP = 32
"""Weights that share a scale."""


@dataclass(frozen=True, slots=True, eq=False)
class Gguf:
    """The content of a file.

    Args:
        settings: Values by name.
        weights: Arrays by name.
    """

    settings: dict[str, Value]
    weights: Mapping[str, Array]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a weight stands in a file, and how."""

    shape: tuple[int, ...]
    kind: int
    start: int


@dataclass(frozen=True, slots=True)
class _Unread(Mapping[str, Array]):
    """Weights that are read from their file each time one is asked for."""

    path: Path
    places: Mapping[str, _Place]

    def __getitem__(self, name: str) -> Array:
        place = self.places[name]
        with _damage_as_error(self.path), self.path.open("rb") as stream:
            size, unpack = _KINDS[place.kind]
            groups = math.prod(place.shape) // _GROUP
            stream.seek(place.start)
            raw = np.frombuffer(stream.read(groups * size), dtype=np.uint8)
            return unpack(raw.reshape(groups, size)).reshape(place.shape)

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


def read_gguf(path: Path) -> Gguf:
    """Return settings and weights of a GGUF file."""
    file = open_gguf(path)
    return Gguf(file.settings, dict(file.weights))


def open_gguf(path: Path) -> Gguf:
    """Return settings and weights of a GGUF file; weights stay in it until asked for.

    A model of half a gigabyte then needs no more memory than its largest weight.
    """
    with _damage_as_error(path), path.open("rb") as stream:
        settings, places = _header(stream)
    return Gguf(settings, _Unread(path, places))


@contextmanager
def _damage_as_error(path: Path) -> Iterator[None]:
    try:
        yield
    except (KeyError, ValueError, TypeError, OverflowError, struct.error) as broken:
        raise DataError(
            f"cannot read {path.name}: {type(broken).__name__} in the file"
        ) from None


def _header(stream: BinaryIO) -> tuple[dict[str, Value], dict[str, _Place]]:
    magic, version = stream.read(4), _number(stream, "I")
    if magic != b"GGUF" or version not in (2, 3):
        raise DataError("the file is not a GGUF file of version 2 or 3")
    tensors, pairs = int(_number(stream, "Q")), int(_number(stream, "Q"))
    settings = {}
    for _ in range(pairs):
        name = _string(stream)
        settings[name] = _value(stream, int(_number(stream, "I")))
    places = {}
    for _ in range(tensors):
        name, axes = _string(stream), int(_number(stream, "I"))
        # The fastest axis is written first.
        shape = tuple(int(_number(stream, "Q")) for _ in range(axes))[::-1]
        kind, offset = int(_number(stream, "I")), int(_number(stream, "Q"))
        places[name] = _Place(shape, kind, offset)
    step = settings.get("general.alignment", 32)
    start = math.ceil(stream.tell() / int(step)) * int(step)  # type: ignore[arg-type]
    return settings, {
        name: replace(place, start=start + place.start)
        for name, place in places.items()
    }


def _number(stream: BinaryIO, code: str) -> float:
    (number,) = struct.unpack(f"<{code}", stream.read(struct.calcsize(code)))
    return number


def _string(stream: BinaryIO) -> str:
    return stream.read(int(_number(stream, "Q"))).decode("utf-8")


def _value(stream: BinaryIO, kind: int) -> Value:
    if kind == _STRING:
        return _string(stream)
    if kind == _LIST:
        item, count = int(_number(stream, "I")), int(_number(stream, "Q"))
        return [_value(stream, item) for _ in range(count)]
    return _number(stream, _NUMBERS[kind])


def _half(raw: NDArray[np.uint8]) -> Array:
    return np.ascontiguousarray(raw).view("<f2").astype(np.float32)


def _plain(raw: NDArray[np.uint8]) -> Array:
    # A copy: BLAS does not multiply arrays that are not aligned.
    return raw.copy().view("<f4")


def _four_bits(raw: NDArray[np.uint8]) -> Array:
    """Unpack ``scale * q + least``; low halves of the bytes come first (Q4_1)."""
    scale, least = _half(raw[:, :2]), _half(raw[:, 2:4])
    halves = np.hstack([raw[:, 4:] & 15, raw[:, 4:] >> 4]).astype(np.float32)
    halves *= scale
    halves += least
    return halves


def _eight_bits(raw: NDArray[np.uint8]) -> Array:
    """Unpack ``scale * q`` (Q8_0)."""
    return raw[:, 2:].view(np.int8).astype(np.float32) * _half(raw[:, :2])


_KINDS: dict[int, tuple[int, Callable[[NDArray[np.uint8]], Array]]] = {
    0: (4 * _GROUP, _plain),
    3: (20, _four_bits),
    8: (34, _eight_bits),
}
"""Number of a kind → bytes of a group, and how it is unpacked."""
