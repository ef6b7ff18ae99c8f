"""Tell a changed input from the same one, without keeping anything of it.

A keyed hash of the input's bytes lies with its key in the private working folder of a
run. The key is drawn for it alone and is never that of the noise; both are destroyed
when the run ends. Size and time of a file can stay the same when its content changes.
"""

import hashlib
import hmac
import os
import secrets
from collections.abc import Sequence
from pathlib import Path

from publius.core.errors import DataError
from publius.storage.atomic import write_bytes

NAME = "input.seal"
_KEY_BYTES = 32
_BLOCK = 1 << 20


def is_sealed(folder: Path) -> bool:
    """Say whether a folder holds the seal of an input."""
    return (folder / NAME).exists()


def seal(folder: Path, paths: Sequence[Path]) -> None:
    """Save a keyed hash of the files in a folder, for the owner alone."""
    key = secrets.token_bytes(_KEY_BYTES)
    write_bytes(folder / NAME, key + _digest(paths, key))


def is_same(folder: Path, paths: Sequence[Path]) -> bool:
    """Say whether the files are what they were when they were sealed."""
    sealed = (folder / NAME).read_bytes()
    key, digest = sealed[:_KEY_BYTES], sealed[_KEY_BYTES:]
    if len(key) != _KEY_BYTES:
        return False
    return hmac.compare_digest(_digest(paths, key), digest)


def destroy(folder: Path) -> None:
    """Overwrite and remove the seal, if there is one."""
    path = folder / NAME
    if not path.exists():
        return
    with path.open("r+b") as stream:
        stream.write(bytes(path.stat().st_size))
        stream.flush()
        os.fsync(stream.fileno())
    path.unlink()


def _digest(paths: Sequence[Path], key: bytes) -> bytes:
    hasher = hashlib.blake2b(key=key, digest_size=32)
    for path in paths:
        try:
            with path.open("rb") as stream:
                hasher.update(os.fstat(stream.fileno()).st_size.to_bytes(8, "little"))
                while block := stream.read(_BLOCK):
                    hasher.update(block)
        except OSError as error:
            reason = error.strerror or "the system refused it"
            raise DataError(f"the input cannot be read: {reason}") from None
    return hasher.digest()
