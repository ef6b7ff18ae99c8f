"""Tables that depend on public embeddings alone: computed once, cached whole on disk.

Nothing about a protected text is in them, not even which of its words were asked for.
What is damaged is formed again. What is whole is still not believed: ``spot_check``
compares it with the words before a release.
"""

import math
import re
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from publius.core.arrays import shortest
from publius.core.errors import DataError, RefutedError
from publius.core.space import Balls, Layered, Space
from publius.mechanisms import prepared
from publius.mechanisms.balance import Calibrator, Progress, calibrate
from publius.mechanisms.ball_law import all_balls
from publius.mechanisms.ball_rows import Rows
from publius.mechanisms.certificate import Certificate
from publius.mechanisms.exponential import Exponential
from publius.mechanisms.law import Decay
from publius.mechanisms.spot_check import check_balls, sampled
from publius.storage.archive import Expected, read_array
from publius.storage.cache import (
    cache_folder,
    changed_tables,
    map_cached_array,
    read_cached,
    write_cached,
    write_cached_array,
)

CALIBRATIONS = "calibrations"
SUMS = "sums"


def calibrated(
    space: Space,
    epsilon: float,
    *,
    balanced: bool = True,
    progress: Progress = lambda _: None,
) -> prepared.Calibration:
    """Return decay and certificate for ε: shipped, from the cache, or computed."""
    name = prepared.file_name(
        space.id, epsilon, balanced=balanced, mechanism=Exponential.named(space)
    )
    calibration = cached_calibration(name, space.size, epsilon)
    if calibration is None:
        calibrator = Calibrator.of(space, whole_balls(space, only_cached=True))
        calibration = calibrate(
            calibrator, epsilon, balanced=balanced, progress=progress
        )
        cache_calibration(name, calibration)
    return calibration


def cached_calibration(
    name: str, size: int, epsilon: float = math.inf
) -> prepared.Calibration | None:
    """Return a calibration from the package or the cache, or None.

    Args:
        name: Of its file.
        size: Number of words.
        epsilon: What it must keep to.

    Raises:
        RefutedError: It is whole, but was made for a larger ε.
    """
    calibration = prepared.shipped(name, size)
    content = read_cached(CALIBRATIONS, name) if calibration is None else None
    if content is not None:
        with suppress(DataError):
            calibration = prepared.unpack(name, content, size)
    if calibration is not None and not calibration[1].epsilon <= epsilon:
        raise RefutedError(
            f"a calibration for ε = {shortest(epsilon)} is of a larger one; "
            f"{changed_tables()}"
        )
    return calibration


def cache_calibration(name: str, calibration: prepared.Calibration) -> None:
    """Cache a calibration for the next run."""
    write_cached(CALIBRATIONS, name, prepared.pack(calibration))


def whole_balls(space: Space, *, only_cached: bool = False) -> Balls | None:
    """Return the prepared balls of a layered space, from the cache when they are there.

    Args:
        space: The public space.
        only_cached: Do not form and cache them if the cache has none.

    Raises:
        RefutedError: Those in the cache are not those of the graph.
    """
    if not isinstance(space, Layered):
        return None
    name = re.sub(r"[^\w.=@-]+", "-", space.id)
    balls = _cached_balls(name, space)
    if balls is not None:
        # Weights and certificates are computed from them: they are compared first.
        some = sampled(space.size)
        check_balls(balls, space.balls(some), some)
    if balls is None and not only_cached:
        balls = all_balls(space)
        write_cached_array("balls", f"{name}-bounds.npy", balls.bounds)
        write_cached_array("balls", f"{name}-points.npy", balls.points)
    return balls


def cached_rows(
    space: Space, epsilon: float, balls: Balls | None, decay: Decay, *, balanced: bool
) -> Rows | None:
    """Return the running sums of a calibration from the cache, or None."""
    if balls is None:
        return None
    name = _sums_name(space, epsilon, balanced=balanced)
    edges = map_cached_array(SUMS, f"{name}-edges.npy")
    marks = map_cached_array(SUMS, f"{name}-marks.npy")
    # What does not fit is formed again.
    with suppress(DataError):
        if edges is not None and marks is not None:
            Expected("u", (space.size, None)).check("edges", edges)
            Expected("u", (None,)).check("marks", marks)
            return Rows(
                balls,
                decay.weights,
                np.asarray(edges.view(np.uint64)),
                np.asarray(marks.view(np.uint64)),
            ).checked()
    return None


def cache_rows(
    space: Space, epsilon: float, balls: Balls | None, *, balanced: bool
) -> None:
    """Form the running sums of a calibration where the cache has none, and save them.

    All that is needed is public: the balls, and the weights for this ε.
    """
    if balls is None:
        return
    decay, _ = calibrated(space, epsilon, balanced=balanced)
    if cached_rows(space, epsilon, balls, decay, balanced=balanced) is None:
        rows = Rows.over(balls, decay.weights)
        name = _sums_name(space, epsilon, balanced=balanced)
        write_cached_array(SUMS, f"{name}-edges.npy", rows.edges)
        write_cached_array(SUMS, f"{name}-marks.npy", rows.marks)


def _sums_name(space: Space, epsilon: float, *, balanced: bool) -> str:
    name = prepared.file_name(space.id, epsilon, balanced=balanced)
    return name.removesuffix(".npz")


_LAST: list[tuple[Layered, tuple[int, int], Balls]] = []
"""The balls that were mapped last: laws of many ε on one space share one map."""


def _cached_balls(name: str, space: Layered) -> Balls | None:
    mark = _file_mark(name)
    if mark and _LAST and _LAST[0][0] is space and _LAST[0][1] == mark:
        return _LAST[0][2]
    balls = _mapped_balls(name, space)
    if balls is not None and mark:
        _LAST[:] = [(space, mark, balls)]
    return balls


def _file_mark(name: str) -> tuple[int, int] | None:
    """Return what tells a file from one that was put in its place."""
    path = cache_folder() / "balls" / f"{name}-points.npy"
    if not path.exists():
        return None
    state = path.stat()
    return state.st_ino, state.st_mtime_ns


def _mapped_balls(name: str, space: Layered) -> Balls | None:
    bounds = map_cached_array("balls", f"{name}-bounds.npy")
    points = map_cached_array("balls", f"{name}-points.npy")
    if bounds is None or points is None:
        return None
    # What does not fit is formed again.
    with suppress(DataError):
        edges = Expected("i", (space.size, space.cap + 1), 0, len(points))
        edges.check("bounds", bounds)
        Expected("u", (None,), 0, space.size - 1).check("points", points)
        flat = bounds.ravel()
        if flat[0] == 0 and flat[-1] == len(points) and (np.diff(flat) >= 0).all():
            # A mapped file stays one: no copy is made of what has this type already.
            return Balls(np.asarray(bounds.view(np.int64)), np.asarray(points))
    return None


def plain_certificate(space: Space, beta: float, mechanism: str) -> Certificate:
    """Return the certificate of equal weights, cached where calibrations are."""
    name = prepared.file_name(space.id, beta, balanced=False, mechanism=mechanism)
    calibration = cached_calibration(name, space.size)
    if calibration is None or calibration[0].beta != beta:
        decay = Decay.plain(beta, space.size)
        calibrator = Calibrator.of(space, whole_balls(space, only_cached=True))
        calibration = decay, calibrator.certify(decay)
        cache_calibration(name, calibration)
    return calibration[1]


def cached_array(
    kind: str, key: str, expected: Expected
) -> "NDArray[np.generic] | None":
    """Return a whole public table from the cache, or None."""
    name = f"{key}.npy"
    content = read_cached(kind, name)
    if content is not None:
        with suppress(DataError):
            array = read_array(name, content)
            expected.check(name, array)
            return array
    return None


def cache_array(kind: str, key: str, table: "NDArray[np.generic]") -> None:
    """Cache a whole public table for the next run."""
    write_cached_array(kind, f"{key}.npy", table)
