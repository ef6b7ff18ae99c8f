"""Pictures of times and places as SVG text."""

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from publius.core.arrays import FloatArray
from publius.reporting.figures import as_svg
from publius.reporting.svg import ACCENT, INK

LEVELS = tuple(10 ** (k / 10) for k in range(-10, 11))
"""Abscissa of the curve of errors."""
MOST_POINTS = 4000
MARGIN = 0.05


def rose(
    counts: ArrayLike, labels: Sequence[str], before: ArrayLike | None = None
) -> str:
    """Plot a histogram around the clock; areas are proportional to counts.

    Args:
        counts: Of each bin of the released times.
        labels: Evenly spread around the circle, the first at its start.
        before: Of the original times; a picture with them is not for publication.
    """
    released = _shares(counts)
    start = np.arange(len(released)) * (2 * math.pi / len(released))
    width = 2 * math.pi / len(released)
    figure = Figure(figsize=(4.4, 4.4))
    axes = figure.add_subplot(projection="polar")
    axes.set_theta_zero_location("N")  # type: ignore[attr-defined]
    axes.set_theta_direction(-1)  # type: ignore[attr-defined]
    axes.bar(
        start,
        np.sqrt(released),
        width=width,
        align="edge",
        color=INK,
        alpha=0.75,
        edgecolor="white",
        linewidth=0.5,
        label="released",
    )
    if before is not None:
        axes.bar(
            start,
            np.sqrt(_shares(before)),
            width=width,
            align="edge",
            fill=False,
            edgecolor=ACCENT,
            linewidth=1.2,
            label="original",
        )
        figure.legend(frameon=False, loc="lower right")
    axes.set_xticks(np.arange(len(labels)) * (2 * math.pi / len(labels)))
    axes.set_xticklabels(list(labels))
    axes.set_yticklabels([])
    return as_svg(figure)


def place_map(
    released: tuple[FloatArray, FloatArray],
    before: tuple[FloatArray, FloatArray] | None = None,
) -> str:
    """Plot latitudes against longitudes, up to 4,000 evenly chosen places.

    Args:
        released: Latitudes and longitudes.
        before: Of the original places; a picture with them is not for publication.
    """
    figure = Figure(figsize=(5.6, 4.2))
    axes = figure.add_subplot()
    lat, lon = _some(released)
    axes.plot(lon, lat, ".", color=INK, alpha=0.5, markersize=3, label="released")
    if before is not None:
        north, east = _some(before)
        axes.plot(east, north, ".", color=ACCENT, alpha=0.5, markersize=3,
                  label="original")  # fmt: skip
        axes.legend(frameon=False)
    axes.margins(MARGIN)
    middle = math.radians(float(np.median(lat))) if len(lat) else 0.0
    axes.set_aspect(1 / max(math.cos(middle), 0.2), adjustable="datalim")
    axes.set_xlabel("longitude, degrees")
    axes.set_ylabel("latitude, degrees")
    return as_svg(figure)


def error_curve(
    levels: Sequence[float], errors: Sequence[float], chosen: float, unit: str
) -> str:
    """Plot the mean distance between original and released values over the level."""
    figure = Figure(figsize=(5.2, 2.6))
    axes = figure.add_subplot()
    axes.loglog(levels, errors, color=INK, linewidth=2)
    axes.axvline(chosen, color=ACCENT, linewidth=1.5)
    axes.set_xlabel("level (line: this release)")
    axes.set_ylabel(f"mean distance, {unit}")
    return as_svg(figure)


def _shares(counts: ArrayLike) -> FloatArray:
    found = np.asarray(counts, dtype=np.float64)
    return np.asarray(found / max(float(found.sum()), 1.0))


def _some(places: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    lat, lon = places
    step = max(1, -(-len(lat) // MOST_POINTS))
    return lat[::step], lon[::step]
