"""Tell rows that changed from the same ones, however a reader cuts them into batches.

A keyed hash of what is read of a file, taken while its rows are counted. Its key is
drawn for it alone and lies beside the sum of all files in the private working folder of
a run; both go with the run. Size and time of a file can stay when its content changes.
"""

import hashlib
import hmac
import secrets
from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from publius.pipeline.stream import canonical

KEY_BYTES = 32
_DIGEST_BYTES = 32


class Content:
    """A keyed hash of rows, added batch by batch.

    Args:
        key: Secret of the run's seal.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._rows = 0
        self._columns: dict[str, tuple[hashlib.blake2b, hashlib.blake2b]] = {}

    def add(self, rows: pa.RecordBatch) -> None:
        """Add some rows behind those that were added."""
        self._rows += rows.num_rows
        for field, column in zip(rows.schema, rows.columns, strict=True):
            name = f"{field.name}\0{field.type}"
            if name not in self._columns:
                self._columns[name] = (self._hasher(), self._hasher())
            # Lengths and values each in a stream of their own: no batch ends in them.
            for hasher, piece in zip(self._columns[name], _pieces(column), strict=True):
                hasher.update(piece)

    def digest(self) -> bytes:
        """Return the hash of all rows."""
        total = self._hasher()
        total.update(self._rows.to_bytes(8, "little"))
        for name, hashers in self._columns.items():
            total.update(self._of(name.encode()))
            for hasher in hashers:
                total.update(hasher.digest())
        return total.digest()

    def _hasher(self) -> hashlib.blake2b:
        return hashlib.blake2b(key=self._key, digest_size=_DIGEST_BYTES)

    def _of(self, said: bytes) -> bytes:
        hasher = self._hasher()
        hasher.update(said)
        return hasher.digest()


def fresh_key() -> bytes:
    """Draw the key of a seal."""
    return secrets.token_bytes(KEY_BYTES)


def sealed(key: bytes, files: Mapping[str, bytes]) -> bytes:
    """Return a key and, behind it, the sum of the hashes of all files in order."""
    total = hashlib.blake2b(key=key, digest_size=_DIGEST_BYTES)
    for uri, digest in files.items():
        name = uri.encode("utf-8", "surrogateescape")
        total.update(len(name).to_bytes(8, "little") + name + digest)
    return key + total.digest()


def key_of(seal: bytes) -> bytes:
    """Return the key of a seal; a damaged seal has another and matches nothing."""
    return seal[:KEY_BYTES].ljust(KEY_BYTES, b"\0")


def is_same(seal: bytes, files: Mapping[str, bytes]) -> bool:
    """Say whether files are what they were when they were sealed."""
    return hmac.compare_digest(sealed(key_of(seal), files), seal)


def _pieces(column: pa.Array) -> tuple[bytes | memoryview, bytes | memoryview]:
    """Return what says where values are and how long, and their bytes."""
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_nested(column.type):
        # Lists and records are kept columns, and rare: as they are printed.
        told = [repr(value).encode() for value in column.to_pylist()]
        return np.array([*map(len, told)], dtype="<i8").tobytes(), b"".join(told)
    widths, *values = canonical(column)
    return widths, values[0] if values else b""
