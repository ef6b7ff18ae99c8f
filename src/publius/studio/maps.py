"""Places on a map as SVG: public outlines of land and countries, no tiles."""

import gzip
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from markupsafe import Markup

from publius.core.arrays import FloatArray
from publius.studio.charts import WIDTH, drawing

FILE = Path(__file__).parent / "background" / "outlines.json.gz"
SCALE = 100
"""Outlines are kept in whole hundredths of a degree."""

MARGIN = 0.12
LEAST = 0.5
"""Degrees that a map shows at least."""

TALLEST, FLATTEST = 1.1, 0.4
"""Height of a map in widths."""

MOST_SPOTS = 4000


@dataclass(frozen=True, slots=True)
class View:
    """The part of the world that a map shows, in degrees.

    Args:
        west: Left edge.
        south: Lower edge.
        width: Of longitude.
        height: Of latitude.
    """

    west: float
    south: float
    width: float
    height: float

    @classmethod
    def around(cls, lat: FloatArray, lon: FloatArray) -> "View":
        """Return a view that shows all places, in the shape of a map."""
        if not len(lat):
            return cls(-180, -60, 360, 144)
        middle = (float(lat.min() + lat.max()) / 2, float(lon.min() + lon.max()) / 2)
        stretch = max(math.cos(math.radians(middle[0])), 0.2)
        height = max(float(np.ptp(lat)) * (1 + 2 * MARGIN), LEAST)
        width = max(float(np.ptp(lon)) * (1 + 2 * MARGIN), LEAST / stretch)
        shape = height / (width * stretch)
        if shape > TALLEST:
            width = height / TALLEST / stretch
        elif shape < FLATTEST:
            height = width * stretch * FLATTEST
        return cls(middle[1] - width / 2, middle[0] - height / 2, width, height)

    @property
    def pixels(self) -> float:
        """Return the height of the drawing."""
        stretch = max(math.cos(math.radians(self.south + self.height / 2)), 0.2)
        return round(WIDTH * self.height / (self.width * stretch))

    def place(self, points: FloatArray) -> FloatArray:
        """Return where degrees of longitude and latitude stand in the drawing."""
        x = (points[:, 0] - self.west) / self.width * WIDTH
        y = (1 - (points[:, 1] - self.south) / self.height) * self.pixels
        return np.stack((x, y), axis=1)


@lru_cache(maxsize=1)
def outlines() -> dict[str, list[FloatArray]]:
    """Return coasts and borders as degrees of longitude and latitude."""
    read = json.loads(gzip.decompress(FILE.read_bytes()))
    return {
        kind: [
            np.cumsum(np.array(line).reshape(-1, 2), axis=0) / SCALE for line in lines
        ]
        for kind, lines in read.items()
    }


def place_map(lat: FloatArray, lon: FloatArray, view: View, label: str) -> Markup:
    """Return places as spots on land.

    Args:
        lat: Degrees.
        lon: Degrees.
        view: What is shown.
        label: What the map is, for those who hear it.
    """
    known = outlines()
    land = "".join(_path(ring, view, is_area=True) for ring in known["land"])
    lines = "".join(_path(line, view, is_area=False) for line in known["borders"])
    step = max(1, -(-len(lat) // MOST_SPOTS))
    spots = view.place(np.stack((lon[::step], lat[::step]), axis=1))
    seen = dict.fromkeys((f"{x:.1f}", f"{y:.1f}") for x, y in spots.tolist())
    drawn = "".join(f'<circle class="spot" cx="{x}" cy="{y}" r="3"/>' for x, y in seen)
    return drawing(
        view.pixels,
        f"{label}: {len(lat):,} places",
        f'<rect class="sea" width="{WIDTH}" height="{view.pixels}"/>'
        f'<path class="land" d="{land}"/><path class="border" d="{lines}"/>{drawn}',
    )


def _path(line: FloatArray, view: View, *, is_area: bool) -> str:
    """Return a line as a path; empty where the view does not reach it."""
    edges = np.array([view.west, view.south])
    inside = (line - edges) / np.array([view.width, view.height])
    if (inside.max(axis=0) < 0).any() or (inside.min(axis=0) > 1).any():
        return ""
    shown = _clipped(inside) if is_area else [p for p in _runs(inside) if len(p) > 1]
    close = "Z" if is_area else ""
    return "".join(_written(part, view, close) for part in shown)


def _written(part: FloatArray, view: View, close: str) -> str:
    at = np.stack((part[:, 0] * WIDTH, (1 - part[:, 1]) * view.pixels), axis=1)
    whole = np.rint(at * 2) / 2
    moved = np.ones(len(whole), dtype=bool)
    moved[1:] = (whole[1:] != whole[:-1]).any(axis=1)
    if moved.sum() < 2:
        return ""
    pairs = " ".join(f"{x:g},{y:g}" for x, y in whole[moved].tolist())
    return f"M{pairs}{close}"


def _runs(line: FloatArray, beyond: float = 0.5) -> list[FloatArray]:
    """Return the pieces of a line near the view."""
    near = np.asarray(((line > -beyond) & (line < 1 + beyond)).all(axis=1))
    cuts = np.flatnonzero(np.diff(near.astype(np.int8))) + 1
    parts = np.split(line, cuts)
    flags = [near[start] for start in (0, *cuts)]
    return [part for part, is_near in zip(parts, flags, strict=True) if is_near]


def _clipped(ring: FloatArray, beyond: float = 0.05) -> list[FloatArray]:
    """Cut a ring along the four edges of the view (Sutherland and Hodgman)."""
    for axis, edge, sign in ((0, -beyond, 1), (0, 1 + beyond, -1),
                             (1, -beyond, 1), (1, 1 + beyond, -1)):  # fmt: skip
        ring = _half(ring, axis, edge, sign)
        if len(ring) < 3:
            return []
    return [ring]


def _half(ring: FloatArray, axis: int, edge: float, sign: int) -> FloatArray:
    """Keep what lies on one side of an edge."""
    side = sign * (ring[:, axis] - edge) >= 0
    if side.all():
        return ring
    after, side_after = np.roll(ring, -1, axis=0), np.roll(side, -1)
    made: list[Sequence[float]] = []
    for here, there, is_in, goes_in in zip(ring, after, side, side_after, strict=True):
        if is_in:
            made.append(here.tolist())
        if is_in != goes_in:
            share = (edge - here[axis]) / (there[axis] - here[axis])
            made.append((here + share * (there - here)).tolist())
    return np.array(made).reshape(-1, 2)
