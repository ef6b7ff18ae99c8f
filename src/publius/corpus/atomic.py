"""Files that are there completely or not at all."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from publius.core.errors import OutputError

_REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "the file grew beyond the size limit",
    errno.EROFS: "the file system is read-only",
}
_TEMPORARY = ".tmp"


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file that takes the place of ``path`` when the block ends without error.

    The bytes go to a hidden file in the same folder, reach the disk and are renamed, so
    neither an error nor a loss of power leaves half a file under the name.

    Raises:
        OutputError: The file cannot be written; nothing is left of it.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}{_TEMPORARY}")
    try:
        with temporary.open("wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
        sync_folder(path.parent)
    except OutputError:
        raise
    except OSError as error:
        raise unwritable(path, error) from None
    finally:
        temporary.unlink(missing_ok=True)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a whole file at once or not at all."""
    with replacing(path) as stream:
        stream.write(content)


def sync_folder(folder: Path) -> None:
    """Make renames in a folder survive a loss of power, where the system can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_leftovers(folder: Path) -> None:
    """Remove the hidden files that a killed run could not finish."""
    for path in folder.glob(f".*{_TEMPORARY}"):
        path.unlink(missing_ok=True)


def unwritable(path: Path, error: OSError) -> OutputError:
    """Return the error that says why a file cannot be written."""
    reason = _REASONS.get(error.errno or 0, error.strerror or "the system refused it")
    return OutputError(
        f"cannot write {path.name}: {reason}; nothing was left half done"
    )
