"""Make room for a release: remove the one that lies in its folder, and nothing else."""

import json
import re
import shutil
from pathlib import Path

from publius.core.errors import OutputError, ParameterError
from publius.engines.store import address_of
from publius.pipeline.folder import PARTIAL
from publius.pipeline.part_folder import MANIFEST
from publius.pipeline.part_task import PARTS
from publius.pipeline.request import ReleaseRequest
from publius.reporting.rendering import PRIVATE_REPORT
from publius.storage.lock import FolderLock

_OWN = re.compile(r"data\.[a-z]+\Z")
_NAMES = {PARTIAL, PARTS, MANIFEST, "report.html", PRIVATE_REPORT, "vocabulary.txt"}


def refuse_clearing(request: ReleaseRequest[object]) -> None:
    """Raise if what is asked to be removed may not be; removes nothing.

    Raises:
        OutputError: The folder holds anything that no release wrote.
        ParameterError: The input lies there, or the folder is not on this machine.
    """
    if request.replaces:
        _is_occupied(request)


def clear_release(request: ReleaseRequest[object]) -> None:
    """Remove the release that lies where another is to be written, if that is asked.

    Raises:
        OutputError: The folder holds anything that no release wrote, or a run is
            writing to it.
        ParameterError: The input lies there, or the folder is not on this machine.
    """
    if not request.replaces or not _is_occupied(request):
        return
    out = request.out
    partial = out / PARTIAL
    partial.mkdir(mode=0o700, exist_ok=True)
    lock = FolderLock(partial / "lock")
    try:
        # The manifest says that a release is whole: it goes first, the lock last.
        for path in sorted(out.iterdir(), key=lambda path: path.name != MANIFEST):
            if path.is_dir() and path != partial:
                shutil.rmtree(path)
            elif path != partial:
                path.unlink()
    finally:
        lock.release()
    shutil.rmtree(partial)


def _is_occupied(request: ReleaseRequest[object]) -> bool:
    """Return whether there is a release to remove; anything else is refused."""
    if address_of(request.out).startswith("s3://"):
        raise ParameterError("--force is for folders of this machine")
    out = request.out
    if not out.is_dir() or not any(out.iterdir()):
        return False
    _refuse_own_input(request.path, out)
    strange = [
        entry.name
        for entry in out.iterdir()
        if entry.name not in _NAMES and not _OWN.match(entry.name)
    ]
    if strange or not _is_release(out):
        raise OutputError(
            f"{str(out)!r} holds something that no release wrote; --force removes "
            "releases only"
        )
    return True


def _is_release(out: Path) -> bool:
    if (out / PARTIAL / "job.json").is_file():
        return True
    try:
        told = json.loads((out / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(told, dict) and "publius" in told


def _refuse_own_input(path: object, out: Path) -> None:
    if isinstance(path, str) and path != "-":
        place = Path(path).resolve()
        if place == out.resolve() or place.is_relative_to(out.resolve()):
            raise ParameterError(
                "the input lies in the folder that --force would empty"
            )
