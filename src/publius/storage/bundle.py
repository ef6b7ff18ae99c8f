"""Folders of fetched files in the cache, with a sealed list of their digests."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from publius.core.errors import DataError
from publius.storage.atomic import write_bytes
from publius.storage.cache import refuse_foreign, sealed, unsealed

LIST = "digests.json"
_KIND = "bundle"


def write_bundle(folder: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write files and, last of all, their digests: without them nothing is there."""
    for place in (folder.parent, folder):
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
    digests = {}
    for name, content in files:
        digests[name] = hashlib.sha256(content).hexdigest()
        write_bytes(folder / name, content, mode=0o644)
    listed = json.dumps(digests, indent=1, sort_keys=True).encode()
    write_bytes(folder / LIST, sealed(_KIND, folder.name, listed), mode=0o644)


def has_bundle(folder: Path) -> bool:
    """Say whether files were fetched into a folder."""
    return (folder / LIST).is_file()


def check_bundle(folder: Path) -> Path:
    """Return a folder whose files are those that were written.

    Raises:
        DataError: A file is damaged or missing.
        TrustError: Others may write there.
    """
    refuse_foreign(folder)
    refuse_foreign(folder / LIST)
    try:
        raw = memoryview((folder / LIST).read_bytes())
        digests = json.loads(bytes(unsealed(_KIND, folder.name, raw)))
        fits = all(_fits(folder / name, digest) for name, digest in digests.items())
    except (OSError, ValueError):
        fits = False
    if not fits:
        raise DataError(f"{folder} is damaged; remove it and get it again")
    return folder


def _fits(path: Path, digest: str) -> bool:
    refuse_foreign(path)
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest() == digest
