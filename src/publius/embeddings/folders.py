"""Where fetched embeddings and tables derived from them are kept."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from platformdirs import user_cache_path

from publius.core.errors import OutputError

CACHE_VARIABLE = "PUBLIUS_CACHE"


def cache_folder() -> Path:
    """Return the user's folder for public tables; PUBLIUS_CACHE overrides it."""
    chosen = os.environ.get(CACHE_VARIABLE)
    return Path(chosen) if chosen else user_cache_path("publius", appauthor=False)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that a reader sees all of it or none."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(content)
            Path(name).replace(path)
        except OSError:
            with suppress(OSError):
                Path(name).unlink()
            raise
    except OSError as failed:
        raise OutputError(f"cannot write {path}: {failed.strerror}") from None
