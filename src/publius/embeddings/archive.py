"""Arrays in one ``.npz`` file: written reproducibly, read without trust."""

import io
import tokenize
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from publius.core.errors import DataError

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The date of every member, so that equal arrays give equal bytes."""

BROKEN = (
    EOFError,
    KeyError,
    MemoryError,
    OSError,
    OverflowError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What NumPy raises on a damaged file; a stated size may exceed the memory."""


def pack_arrays(members: Mapping[str, "NDArray[np.generic]"]) -> bytes:
    """Return an uncompressed ``.npz`` whose bytes depend on its arrays only."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as out:
        for name, array in members.items():
            raw = io.BytesIO()
            np.lib.format.write_array(raw, array, allow_pickle=False)
            out.writestr(zipfile.ZipInfo(f"{name}.npy", EPOCH), raw.getvalue())
    return packed.getvalue()


@contextmanager
def open_arrays(path: Path) -> Iterator[NpzFile]:
    """Open an ``.npz`` file; nothing in it is unpickled, and damage is a DataError."""
    try:
        # NumPy leaves its own handle open when the archive is damaged.
        with path.open("rb") as stream:
            members = np.load(stream, allow_pickle=False)
            # A file with one array in place of an archive is a TypeError here.
            with members:
                yield members
    except DataError:
        raise
    except BROKEN as broken:
        raise DataError(
            f"cannot read {path.name}: {type(broken).__name__} in the archive"
        ) from None
