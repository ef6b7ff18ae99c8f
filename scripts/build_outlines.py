"""Build the outlines of land and countries that maps of places are drawn on.

npm install --no-save --no-package-lock world-atlas@2.0.2
python scripts/build_outlines.py node_modules/world-atlas

Natural Earth 1:50m, in the public domain, as TopoJSON of the npm package world-atlas.
Lines are simplified by Douglas and Peucker; small islands are left out.
"""

import gzip
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

OUT = Path(__file__).parents[1] / "src/publius/studio/background/outlines.json.gz"
TOLERANCE = 0.06
"""Degrees that a simplified line may lie beside the true one."""

SMALLEST = 0.02
"""Square degrees of the box around the smallest island that is kept."""

SCALE = 100
"""Coordinates are whole hundredths of a degree."""

Line = NDArray[np.float64]


def decoded(topology: dict[str, Any]) -> list[Line]:
    """Return the arcs in degrees."""
    scale, shift = (np.array(topology["transform"][k]) for k in ("scale", "translate"))
    return [np.cumsum(arc, axis=0) * scale + shift for arc in topology["arcs"]]


def simplified(line: Line) -> Line:
    """Return the points of a line that are needed, both ends among them."""
    kept = np.zeros(len(line), dtype=bool)
    kept[[0, -1]] = True
    left = [(0, len(line) - 1)]
    while left:
        first, last = left.pop()
        if last - first < 2:
            continue
        along = line[last] - line[first]
        inner = line[first + 1 : last] - line[first]
        length = float(np.hypot(*along))
        apart = (
            np.abs(along[0] * inner[:, 1] - along[1] * inner[:, 0]) / length
            if length
            else np.hypot(inner[:, 0], inner[:, 1])
        )
        worst = int(np.argmax(apart))
        if apart[worst] > TOLERANCE:
            middle = first + 1 + worst
            kept[middle] = True
            left += [(first, middle), (middle, last)]
    return line[kept]


def rings(topology: dict[str, Any], arcs: list[Line]) -> list[Line]:
    """Return the outer and inner rings of all land."""
    lines = []
    for shape in topology["objects"]["land"]["geometries"]:
        parts = shape["arcs"] if shape["type"] == "MultiPolygon" else [shape["arcs"]]
        for polygon in parts:
            for ring in polygon:
                pieces = [arcs[i] if i >= 0 else arcs[~i][::-1] for i in ring]
                lines.append(np.concatenate(pieces))
    return [ring for ring in lines if np.ptp(ring, axis=0).prod() > SMALLEST]


def borders(topology: dict[str, Any], arcs: list[Line]) -> list[Line]:
    """Return the arcs that two countries share."""
    used: Counter[int] = Counter()
    for shape in topology["objects"]["countries"]["geometries"]:
        parts = shape["arcs"] if shape["type"] == "MultiPolygon" else [shape["arcs"]]
        used.update(
            {i if i >= 0 else ~i for part in parts for ring in part for i in ring}
        )
    return [arcs[i] for i, count in used.items() if count > 1]


def packed(lines: list[Line]) -> list[list[int]]:
    """Return each line as whole steps from point to point."""
    made = []
    for line in lines:
        whole = np.rint(simplified(line) * SCALE).astype(int)
        steps = np.diff(whole, axis=0, prepend=np.zeros((1, 2), dtype=int))
        if len(steps) > 1:
            made.append([int(x) for x in steps.ravel()])
    return made


def main() -> None:
    """Read two files of the package and write one of ours."""
    folder = Path(sys.argv[1])
    land = json.loads((folder / "land-50m.json").read_text("utf-8"))
    countries = json.loads((folder / "countries-50m.json").read_text("utf-8"))
    outlines = {
        "land": packed(rings(land, decoded(land))),
        "borders": packed(borders(countries, decoded(countries))),
    }
    text = json.dumps(outlines, separators=(",", ":")).encode()
    OUT.write_bytes(gzip.compress(text, 9, mtime=0))
    print(f"{len(text):,} bytes, {OUT.stat().st_size:,} compressed")


if __name__ == "__main__":
    main()
