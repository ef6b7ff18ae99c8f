"""Files and folders that are there completely or not at all: the one way to write."""

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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
_NEW = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)


@contextmanager
def replacing(path: Path, *, mode: int = 0o666) -> Iterator[BinaryIO]:
    """Open a file that takes the place of ``path`` when the block ends without error.

    The bytes go to a hidden file in the same folder, reach the disk and are renamed, so
    neither an error nor a loss of power leaves half a file under the name. Only its
    owner can read that file: what fails was seen by nobody.

    Args:
        path: What is written; its folder is made if it is not there.
        mode: Who may read and write it, less what the user's mask takes away.

    Raises:
        OutputError: The file cannot be written; nothing is left of it.
    """
    temporary = _beside(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(temporary, _NEW, mode), "wb") as stream:
            allowed = stat.S_IMODE(os.fstat(stream.fileno()).st_mode)
            _permit(stream, allowed & stat.S_IRWXU)
            yield stream
            stream.flush()
            _permit(stream, allowed)
            os.fsync(stream.fileno())
        temporary.replace(path)
        sync_folder(path.parent)
    except OutputError:
        raise
    except OSError as error:
        raise unwritable(path, error) from None
    finally:
        _remove(temporary)


def write_bytes(path: Path, content: bytes, *, mode: int = 0o666) -> None:
    """Write a whole file at once or not at all."""
    with replacing(path, mode=mode) as stream:
        stream.write(content)


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Fill a hidden folder that becomes ``path`` when the block ends without error.

    Raises:
        OutputError: The folder cannot be written; nothing is left of it.
    """
    draft = _beside(path)
    try:
        draft.mkdir(parents=True, mode=0o755)
        yield draft
        for written in draft.iterdir():
            _sync_file(written)
        sync_folder(draft)
        draft.rename(path)
        sync_folder(path.parent)
    except OutputError:
        raise
    except OSError as error:
        raise unwritable(path, error) from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)


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
    rest = "nothing was left half done"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        rest += "; free space, and run it again (a release with --resume)"
    return OutputError(f"cannot write {path.name}: {reason}; {rest}")


def _beside(path: Path) -> Path:
    """Return a hidden name that no other writer has."""
    own = f"{os.getpid()}.{secrets.token_hex(4)}"
    return path.with_name(f".{path.name}.{own}{_TEMPORARY}")


def _remove(path: Path) -> None:
    """Remove what is left of a failed write, unless the system does not let us."""
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return


def _permit(stream: BinaryIO, mode: int) -> None:
    """Say who may read and write an open file, where the file system can."""
    if hasattr(os, "fchmod"):
        with suppress(OSError):  # disks of other systems know no modes
            os.fchmod(stream.fileno(), mode)


def _sync_file(path: Path) -> None:
    with path.open("rb+") as stream:
        os.fsync(stream.fileno())
