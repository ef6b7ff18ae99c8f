"""The user's folder of public tables: sealed when written, checked when opened.

Nothing in it is believed. Each file ends with a digest of its name and content, so that
damage, a swapped file and half a file are found: the table is then formed again. A
folder that others may write is refused. Against somebody who writes a wrong table with
a right digest stands the spot check of the law before a release.
"""

import hashlib
import os
import stat
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from platformdirs import user_cache_path

from publius.core.errors import DataError, OutputError, TrustError
from publius.storage.archive import array_header, damage_as_error
from publius.storage.atomic import replacing

CACHE_VARIABLE = "PUBLIUS_CACHE"

_MARK = b"publius\x01"
_SEAL = len(_MARK) + hashlib.sha256().digest_size
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def cache_folder() -> Path:
    """Return the user's folder for public tables; PUBLIUS_CACHE overrides it.

    Raises:
        TrustError: Others may write it.
    """
    chosen = os.environ.get(CACHE_VARIABLE)
    folder = Path(chosen) if chosen else user_cache_path("publius", appauthor=False)
    refuse_foreign(folder)
    return folder


def changed_tables() -> str:
    """Return what to do when a whole table says what the public words deny."""
    return (
        "stored tables were changed: nothing was drawn; remove the folder "
        f"{cache_folder()}, and install Publius again if that does not help"
    )


def refuse_foreign(path: Path) -> None:
    """Raise if somebody else may write a file or folder, where the system can tell."""
    if not hasattr(os, "geteuid"):
        return
    try:
        status = path.stat()
    except OSError:
        return  # What cannot be seen cannot be read either.
    if status.st_uid not in (0, os.geteuid()):
        raise TrustError(
            f"{path} belongs to another user, who could change the law of a release; "
            f"remove it or set {CACHE_VARIABLE} to a folder of your own"
        )
    if status.st_mode & _OTHERS_WRITE:
        raise TrustError(
            f"others may write {path} and change the law of a release; empty it and "
            f"run: chmod go-w {path}"
        )


def cached_path(kind: str, name: str) -> Path:
    """Return where a table is, or would be; refuse it if others may write there."""
    folder = cache_folder() / kind
    refuse_foreign(folder)
    path = folder / name
    refuse_foreign(path)
    return path


def write_cached(kind: str, name: str, content: bytes) -> None:
    """Save a whole public table for the next run, with its digest."""
    _write_sealed(kind, name, content)


def _write_sealed(kind: str, name: str, *parts: bytes | memoryview) -> None:
    """Write parts one after another, and the digest of all behind them."""
    path = cached_path(kind, name)
    # A full or read-only cache costs time in the next run and nothing else.
    with suppress(OutputError, OSError):
        for folder in (path.parent.parent, path.parent):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with replacing(path, mode=0o644) as stream:
            for part in parts:
                stream.write(part)
            stream.write(_MARK + _digest(kind, name, *parts))


def read_cached(kind: str, name: str) -> bytes | None:
    """Return what was saved under a name; None if nothing was, or it is damaged."""
    path = cached_path(kind, name)
    with suppress(OSError, DataError):
        return bytes(unsealed(kind, name, memoryview(path.read_bytes())))
    return None


def sealed(kind: str, name: str, content: bytes) -> bytes:
    """Return content with a digest of its name and itself behind it."""
    return content + _MARK + _digest(kind, name, content)


def unsealed(kind: str, name: str, raw: memoryview) -> memoryview:
    """Return the content of a sealed file, or raise if it is not what was written."""
    content, seal = raw[:-_SEAL], raw[-_SEAL:]
    if bytes(seal) != _MARK + _digest(kind, name, content):
        raise DataError(f"{name} is damaged, or of another version of Publius")
    return content


def write_cached_array(kind: str, name: str, array: "NDArray[np.generic]") -> None:
    """Save an array, so that processes can share its pages; it is not copied."""
    own = np.ascontiguousarray(array)
    content = own.reshape(-1).view(np.uint8).data
    _write_sealed(kind, name, array_header(own), content)


def map_cached_array(kind: str, name: str) -> "NDArray[np.generic] | None":
    """Map an array that was saved; None if there is none or it is damaged."""
    path = cached_path(kind, name)
    with suppress(OSError, DataError), damage_as_error(name):
        raw: NDArray[np.uint8] = np.memmap(path, np.uint8, "r")
        unsealed(kind, name, raw.data)
        return np.lib.format.open_memmap(path, mode="r")
    return None


def _digest(kind: str, name: str, *parts: bytes | memoryview) -> bytes:
    digest = hashlib.sha256(f"{kind}/{name}\0".encode())
    for part in parts:
        digest.update(part)
    return digest.digest()
