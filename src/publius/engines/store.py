"""Where parts are committed: the first writer of a name wins, on every store."""

import os
import re
import secrets
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol

from publius.storage.atomic import sync_folder, unwritable, write_bytes

WORKING = ".partial"
"""Folder of what a run needs until it ends; only its owner can enter it."""


class PartStore(Protocol):
    """A folder of named objects, wherever it lies; it is picklable and small."""

    def put_once(self, name: str, content: bytes) -> bool:
        """Write an object whole; False if the name is taken: the first writer wins."""
        ...

    def put(self, name: str, content: bytes) -> None:
        """Write an object whole, in the place of one that may be there."""
        ...

    def get(self, name: str) -> bytes | None:
        """Return an object; None if there is none."""
        ...

    def names(self, folder: str = "") -> list[str]:
        """Return the names of all objects under a folder, sorted."""
        ...

    def remove(self, name: str) -> None:
        """Remove an object, if it is there."""
        ...


def address_of(path: "str | Path") -> str:
    """Return an absolute address; `Path` writes s3:/ where s3:// was given."""
    text = re.sub(r"^s3:/+", "s3://", str(path))
    return text if text.startswith("s3://") else str(Path(text).resolve())


def store_at(address: str) -> PartStore:
    """Return the store at an address: a local folder, or ``s3://bucket/prefix``."""
    if address.startswith("s3://"):
        # boto3 is an extra, and most releases need none.
        store: PartStore = import_module("publius.engines.s3").S3Store.at(address)
        return store
    return LocalStore(address)


@dataclass(frozen=True, slots=True)
class LocalStore:
    """A folder of this machine, or one that all machines have mounted.

    Args:
        root: Its absolute path.
    """

    root: str

    def put_once(self, name: str, content: bytes) -> bool:
        """Write an object whole; link(2) fails if the name is taken."""
        target = Path(self.root) / name
        # Drafts lie where only the owner can look, and are swept with it.
        draft = Path(self.root) / WORKING / f"{secrets.token_hex(12)}.draft"
        try:
            draft.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            target.parent.mkdir(parents=True, exist_ok=True)
            _fill(draft, content)
            os.link(draft, target)
            sync_folder(target.parent)
        except FileExistsError:
            return False
        except OSError as error:
            raise unwritable(target, error) from None
        finally:
            with suppress(OSError):
                draft.unlink()
        return True

    def put(self, name: str, content: bytes) -> None:
        """Write an object whole, in the place of one that may be there."""
        write_bytes(Path(self.root) / name, content)

    def get(self, name: str) -> bytes | None:
        """Return an object; None if there is none."""
        try:
            return (Path(self.root) / name).read_bytes()
        except FileNotFoundError:
            return None

    def names(self, folder: str = "") -> list[str]:
        """Return the names of all files under a folder, sorted."""
        root = Path(self.root)
        files = (path for path in (root / folder).rglob("*") if path.is_file())
        return sorted(path.relative_to(root).as_posix() for path in files)

    def remove(self, name: str) -> None:
        """Remove a file, and its folder if nothing else is in it."""
        path = Path(self.root) / name
        path.unlink(missing_ok=True)
        with suppress(OSError):
            path.parent.rmdir()


def _fill(draft: Path, content: bytes) -> None:
    """Write a new file that reaches the disk; what the system says is told as it is."""
    with draft.open("xb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
