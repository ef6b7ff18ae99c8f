"""Tables that depend on public embeddings alone: computed once, kept whole on disk.

Nothing about a protected text is in them, not even which of its words were asked for.
"""

import io
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import numpy as np

from publius.config import WordSettings
from publius.core.arrays import FloatArray, IdArray
from publius.core.errors import DataError, OutputError
from publius.core.space import Balls, Layered, Space
from publius.embeddings.folders import cache_folder, write_whole
from publius.mechanisms import prepared
from publius.mechanisms.balance import Progress, Workshop, calibrate
from publius.mechanisms.ball_law import all_balls, open_balls, save_balls
from publius.mechanisms.certificate import Certificate
from publius.mechanisms.exponential import Exponential
from publius.mechanisms.law import Decay


def calibrated(
    space: Space, settings: WordSettings, progress: Progress = lambda _: None
) -> prepared.Calibration:
    """Return decay and certificate for ε: shipped, from the cache, or computed."""
    name = prepared.file_name(
        space.id,
        settings.epsilon,
        balanced=settings.balanced,
        mechanism=Exponential.named(space),
    )
    cache = cache_folder() / "calibrations"
    found = prepared.find(name, space.size, (prepared.SHIPPED, cache))
    if found is None:
        workshop = Workshop.of(space, whole_balls(space, only_kept=True))
        found = calibrate(
            workshop, settings.epsilon, balanced=settings.balanced, progress=progress
        )
        # A full or read-only cache costs time in the next run and nothing else.
        with suppress(OSError):
            prepared.save(cache, name, found)
    return found


def whole_balls(space: Space, *, only_kept: bool = False) -> Balls | None:
    """Return the prepared balls of a layered space, from the cache when they are there.

    Args:
        space: The public space.
        only_kept: Do not form and keep them if the cache has none.
    """
    if not isinstance(space, Layered):
        return None
    folder = cache_folder() / "balls" / space.id.replace(":", "-")
    with suppress(DataError):
        kept = open_balls(folder)
        if len(kept.bounds) == space.size:
            return kept
    if only_kept:
        return None
    balls = all_balls(space)
    with suppress(OSError):
        _keep_balls(balls, folder)
    return balls


def _keep_balls(balls: Balls, folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=".balls.", dir=folder.parent))
    try:
        save_balls(balls, partial)
        if folder.exists():
            shutil.rmtree(folder)
        partial.replace(folder)
    except OSError:
        shutil.rmtree(partial, ignore_errors=True)
        raise


def plain_certificate(space: Space, beta: float, mechanism: str) -> Certificate:
    """Return the certificate of equal weights, kept where calibrations are."""
    name = prepared.file_name(space.id, beta, balanced=False, mechanism=mechanism)
    cache = cache_folder() / "calibrations"
    found = prepared.find(name, space.size, (cache,))
    if found is None or found[0].beta != beta:
        decay = Decay.plain(beta, space.size)
        workshop = Workshop.of(space, whole_balls(space, only_kept=True))
        found = decay, workshop.certify(decay)
        with suppress(OSError):
            prepared.save(cache, name, found)
    return found[1]


def kept_array(kind: str, key: str, shape: tuple[int, ...]) -> FloatArray | None:
    """Return a whole public table from the cache, or None."""
    with suppress(OSError, ValueError, EOFError):
        found = np.load(cache_folder() / kind / f"{key}.npy", allow_pickle=False)
        if found.shape == shape:
            return np.asarray(found)
    return None


def keep_array(kind: str, key: str, table: FloatArray | IdArray) -> None:
    """Keep a whole public table for the next run."""
    content = io.BytesIO()
    np.save(content, table, allow_pickle=False)
    # A full or read-only cache costs time in the next run and nothing else.
    with suppress(OutputError):
        write_whole(cache_folder() / kind / f"{key}.npy", content.getvalue())
