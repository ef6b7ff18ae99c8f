"""Pictures of times and places as SVG text."""

import math
from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import ArrayLike

from publius.core.arrays import FloatArray
from publius.reporting.axes import (
    ACCENT,
    BOTTOM,
    INK,
    LEFT,
    RIGHT,
    TOP,
    Axes,
    Scale,
    element,
)

LEVELS = tuple(10 ** (k / 10) for k in range(-10, 11))
"""Abscissa of the curve of errors."""
MOST_POINTS = 4000
MARGIN = 0.05
LEAST_SPAN = 5e-3
"""Degrees that a map shows at least."""
RIM = 120
"""Radius of the clock in points."""
ROOM = 44
"""Around the clock, for labels."""


def rose(
    counts: ArrayLike, labels: Sequence[str], before: ArrayLike | None = None
) -> str:
    """Plot a histogram around the clock; areas are proportional to counts.

    Args:
        counts: Of each bin of the released times.
        labels: Evenly spread around the circle, the first at its start.
        before: Of the original times; a picture with them is not for publication.
    """
    bars = [np.sqrt(_shares(counts))]
    if before is not None:
        bars.append(np.sqrt(_shares(before)))
    longest = max(float(each.max(initial=0)) for each in bars) or 1.0
    size = 2 * (RIM + ROOM)
    shapes = [
        f'<circle cx="{size // 2}" cy="{size // 2}" r="{RIM * ring / 4:g}" '
        'fill="none" stroke="#c9ced6"/>'
        for ring in range(1, 5)
    ]
    shapes += _sectors(
        bars[0] / longest, f'fill="{INK}" fill-opacity="0.75" stroke="white"'
    )
    for each in bars[1:]:
        shapes += _sectors(each / longest, f'fill="none" stroke="{ACCENT}"')
        shapes += _legend(size - RIGHT, size - 18)
    for place, label in enumerate(labels):
        x, y = _on_clock(place / len(labels), RIM + 20)
        shapes.append(
            f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle">'
            f"{escape(label)}</text>"
        )
    return element(size, size, "how many times lie in each part of the period", shapes)


def place_map(
    released: tuple[FloatArray, FloatArray],
    before: tuple[FloatArray, FloatArray] | None = None,
) -> str:
    """Plot latitudes against longitudes, up to 4,000 evenly chosen places.

    Args:
        released: Latitudes and longitudes.
        before: Of the original places; a picture with them is not for publication.
    """
    shown = [_some(released)]
    if before is not None:
        shown.append(_some(before))
    axes = _map_axes(*(np.concatenate(degrees) for degrees in zip(*shown, strict=True)))
    shapes = _spots(axes, *shown[0], INK)
    for places in shown[1:]:
        shapes += _spots(axes, *places, ACCENT)
        shapes += _legend(axes.width - RIGHT, TOP + 10)
    return axes.drawn("longitude, degrees", "latitude, degrees", shapes)


def error_curve(
    levels: Sequence[float], errors: Sequence[float], chosen: float, unit: str
) -> str:
    """Plot the mean distance between original and released values over the level."""
    axes = Axes(
        Scale(min(*levels, chosen), max(*levels, chosen), is_log=True),
        Scale(min(errors) / 1.5, max(errors) * 1.5, is_log=True),
    )
    shapes = [axes.line(levels, errors), axes.mark(chosen)]
    return axes.drawn("level (line: this release)", f"mean distance, {unit}", shapes)


def _sectors(lengths: FloatArray, look: str) -> list[str]:
    """Return one sector of the clock for each length, in shares of the rim."""
    middle, count = RIM + ROOM, len(lengths)
    drawn = []
    for place, length in enumerate((lengths * RIM).tolist()):
        if length > 0:
            x1, y1 = _on_clock(place / count, length)
            x2, y2 = _on_clock((place + 1) / count, length)
            drawn.append(
                f'<path d="M{middle} {middle}L{x1:.1f} {y1:.1f}'
                f'A{length:.1f} {length:.1f} 0 0 1 {x2:.1f} {y2:.1f}Z" {look}/>'
            )
    return drawn


def _on_clock(turn: float, radius: float) -> tuple[float, float]:
    """Return where a share of a turn stands, clockwise from the top."""
    angle = 2 * math.pi * turn
    middle = RIM + ROOM
    return middle + radius * math.sin(angle), middle - radius * math.cos(angle)


def _map_axes(lat: FloatArray, lon: FloatArray) -> Axes:
    """Return axes on which a kilometre is as long to the north as to the east."""
    width, height = 403, 302
    north, east = _span(lat), _span(lon)
    stretch = max(math.cos(math.radians(sum(north) / 2)), 0.2)
    shape = (height - TOP - BOTTOM) / (width - LEFT - RIGHT)
    tall, wide = north[1] - north[0], (east[1] - east[0]) * stretch
    if tall < wide * shape:
        north = _widened(north, wide * shape / tall)
    else:
        east = _widened(east, tall / shape / wide)
    return Axes(Scale(*east), Scale(*north), width, height)


def _span(degrees: FloatArray) -> tuple[float, float]:
    """Return the first and last value that are shown, with room around all."""
    if not len(degrees):
        return -1.0, 1.0
    low, high = float(degrees.min()), float(degrees.max())
    room = max((high - low) * MARGIN, LEAST_SPAN / 2)
    return low - room, high + room


def _widened(span: tuple[float, float], times: float) -> tuple[float, float]:
    middle, half = sum(span) / 2, (span[1] - span[0]) / 2 * times
    return middle - half, middle + half


def _spots(axes: Axes, lat: FloatArray, lon: FloatArray, colour: str) -> list[str]:
    places = zip(
        np.asarray(axes.x(lon)).tolist(), np.asarray(axes.y(lat)).tolist(), strict=True
    )
    spots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="1.5"/>' for x, y in places)
    return [f'<g fill="{colour}" fill-opacity="0.5">{spots}</g>']


def _legend(right: int, top: int) -> list[str]:
    """Tell released values from originals by their colours."""
    return [
        f'<text x="{right}" y="{top + 13 * row}" text-anchor="end" fill="{colour}">'
        f"{name}</text>"
        for row, (name, colour) in enumerate((("released", INK), ("original", ACCENT)))
    ]


def _shares(counts: ArrayLike) -> FloatArray:
    values = np.asarray(counts, dtype=np.float64)
    return np.asarray(values / max(float(values.sum()), 1.0))


def _some(places: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    lat, lon = places
    step = max(1, -(-len(lat) // MOST_POINTS))
    return lat[::step], lon[::step]
