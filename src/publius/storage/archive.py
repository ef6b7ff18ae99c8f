"""Arrays in files: written reproducibly, read without trust.

Every archive that Publius opens, shipped, cached or given by a user, is read here:
whatever is wrong with it is a DataError.
"""

import io
import lzma
import math
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from publius.core.errors import DataError, TrustError

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The date of every member, so that equal arrays give equal bytes."""

NPZ, NPY = "an NPZ file of plain numbers", "an NPY file of plain numbers"

BROKEN = (
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    OSError,
    OverflowError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    lzma.LZMAError,
    struct.error,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What NumPy raises on a damaged file; a stated size may exceed the memory, and a
flipped bit may say that a member is encrypted (a RuntimeError)."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What an array must be.

    Args:
        kinds: Letters of NumPy's kinds that are allowed: ``f``, ``i``, ``u``.
        shape: Length of each axis; None where any is right.
        low: Smallest value allowed.
        high: Largest value allowed.
    """

    kinds: str
    shape: tuple[int | None, ...]
    low: float = -math.inf
    high: float = math.inf

    def check(self, name: str, array: "NDArray[np.generic]") -> None:
        """Raise unless an array is as expected; NaN is never."""
        fits = len(array.shape) == len(self.shape) and all(
            wanted in (None, length)
            for wanted, length in zip(self.shape, array.shape, strict=True)
        )
        if array.dtype.kind not in self.kinds or not fits:
            raise DataError(
                f"{name} is damaged: it holds {array.dtype} of shape {array.shape}"
            )
        if array.size and not (array.min() >= self.low and array.max() <= self.high):
            raise DataError(f"{name} is damaged: a value lies outside its range")


def pack_arrays(members: Mapping[str, "NDArray[np.generic]"]) -> bytes:
    """Return an uncompressed ``.npz`` whose bytes depend on its arrays only."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as out:
        for name, array in members.items():
            raw = pack_array(array)
            out.writestr(zipfile.ZipInfo(f"{name}.npy", EPOCH), raw)
    return packed.getvalue()


def array_header(array: "NDArray[np.generic]") -> bytes:
    """Return what stands before the numbers of an array in a ``.npy`` file."""
    raw = io.BytesIO()
    about = np.lib.format.header_data_from_array_1_0(array)
    np.lib.format.write_array_header_1_0(raw, about)
    return raw.getvalue()


def pack_array(array: "NDArray[np.generic]") -> bytes:
    """Return the bytes of a ``.npy`` file."""
    raw = io.BytesIO()
    np.lib.format.write_array(raw, array, allow_pickle=False)
    return raw.getvalue()


@contextmanager
def open_arrays(path: Path, content: bytes | None = None) -> Iterator[NpzFile]:
    """Open an ``.npz`` file; nothing in it is unpickled, and damage is a DataError.

    Args:
        path: The file; of its name only the last part is told.
        content: Its bytes, where they were read and checked already.
    """
    with damage_as_error(path.name, NPZ):
        # NumPy leaves its own handle open when the archive is damaged.
        stream = path.open("rb") if content is None else io.BytesIO(content)
        # A file with one array in place of an archive is a TypeError here.
        with stream, np.load(stream, allow_pickle=False) as members:
            yield members


def read_array(name: str, content: bytes) -> "NDArray[np.generic]":
    """Return the array of a ``.npy`` file; damage is a DataError."""
    with damage_as_error(name):
        return np.asarray(
            np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
        )


@contextmanager
def damage_as_error(name: str, wanted: str = NPY) -> Iterator[None]:
    """Turn whatever a damaged file makes its reader raise into a DataError."""
    try:
        yield
    except (DataError, TrustError):
        raise
    except BROKEN as broken:
        raise DataError(
            f"cannot read {name}: it is damaged or not {wanted} "
            f"({type(broken).__name__})"
        ) from None
