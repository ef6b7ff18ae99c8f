"""Files that were sent: in a private folder that is removed when the server ends."""

import re
import secrets
import shutil
import tempfile
from collections import OrderedDict
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from threading import Lock

from starlette.datastructures import UploadFile

from publius.studio.problems import Problem

KINDS = frozenset(
    (".csv", ".tsv", ".jsonl", ".parquet", ".txt", ".npz", ".npy", ".db", ".sqlite")
)
"""Endings of what some verb reads."""

MOST_FILES = 32
CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Upload:
    """One file that was sent.

    Args:
        id: What requests call it.
        path: Where it lies; its name is ours but for the ending.
        size: In bytes.
    """

    id: str
    path: Path
    size: int


class Uploads:
    """Keep what was sent last, nothing of it under its own name.

    Args:
        most: How many files are kept; the oldest goes first.
    """

    def __init__(self, most: int = MOST_FILES) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="publius-studio-"))
        self._most, self._lock = most, Lock()
        self._files: OrderedDict[str, Upload] = OrderedDict()

    async def store(self, file: UploadFile) -> Upload:
        """Write a file that is being sent; only the ending of its name is used."""
        ending = _ending(file.filename or "")
        number = secrets.token_urlsafe(12)
        path, size = self.folder / f"{secrets.token_hex(8)}{ending}", 0
        with path.open("xb") as out:
            path.chmod(0o600)
            while chunk := await file.read(CHUNK):
                size += out.write(chunk)
        upload = Upload(number, path, size)
        with self._lock:
            self._files[number] = upload
            if len(self._files) > self._most:
                _, oldest = self._files.popitem(last=False)
                oldest.path.unlink(missing_ok=True)
        return upload

    def find(self, number: object) -> Upload:
        """Return a file by its id."""
        upload = self._files.get(number) if isinstance(number, str) else None
        if upload is None:
            raise Problem(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                "there is no such file; send it to /v1/files and use the id of the "
                "answer",
            )
        return upload

    def forget(self, number: str) -> None:
        """Remove a file that nobody needs any more."""
        with self._lock:
            gone = self._files.pop(number, None)
        if gone is not None:
            gone.path.unlink(missing_ok=True)

    def new_folder(self) -> Path:
        """Return a new private folder for results."""
        path = self.folder / secrets.token_hex(8)
        path.mkdir(mode=0o700)
        return path

    def close(self) -> None:
        """Remove everything."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _ending(name: str) -> str:
    """Return the ending of a name if a reader knows it; nothing else of the name."""
    match = re.search(r"\.[a-z0-9]{1,8}\Z", name.lower())
    ending = match.group() if match else ""
    if ending not in KINDS:
        raise Problem(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "the name of a file must end in " + ", ".join(sorted(KINDS)),
        )
    return ending
