"""The two plots of every report of words, written as SVG text without a library.

A plotting library takes longer to load than a small release takes to draw.
"""

import math
from collections.abc import Sequence
from html import escape

import numpy as np

from publius.core.arrays import FloatArray
from publius.core.guarantee import Guarantee

INK = "#22314a"
ACCENT = "#c8553d"
WIDTH, HEIGHT = 374, 208
LEFT, RIGHT, TOP, BOTTOM = 58, 12, 10, 42
BINS = 25
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


def unchanged_histogram(unchanged: FloatArray) -> str:
    """Plot how likely words are to stay as they are."""
    counts, edges = np.histogram(unchanged, bins=np.linspace(0, 1, BINS + 1))
    frame = _Frame(1.0, float(counts.max(initial=0)))
    bars = [
        f'<rect x="{frame.x(low):.1f}" y="{frame.y(count):.1f}" '
        f'width="{frame.x(high) - frame.x(low):.1f}" '
        f'height="{frame.y(0) - frame.y(count):.1f}" fill="{INK}"/>'
        for low, high, count in zip(edges, edges[1:], counts.tolist(), strict=False)
    ]
    mean = frame.x(float(unchanged.mean()))
    line = (
        f'<line x1="{mean:.1f}" x2="{mean:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" '
        f'stroke="{ACCENT}" stroke-width="2"/>'
    )
    across = "probability that a word stays as it is (line: mean)"
    return frame.drawn(across, "public words", [*bars, line])


def odds_curve(guarantee: Guarantee) -> str:
    """Plot the largest factor by which the odds between two words can change."""
    reach = guarantee.landmarks.diameter
    reach = reach if math.isfinite(reach) and reach > 0 else 1.0
    distances = np.linspace(0, reach, 101).tolist()
    points = [(d, guarantee.at(d).pure) for d in distances]
    points = [point for point in points if math.isfinite(point[1])]
    near, level = guarantee.landmarks.near, guarantee.near_level
    is_marked = math.isfinite(near) and math.isfinite(level)
    losses = [loss for _, loss in points] + [level] * is_marked
    frame = _Frame(max([reach] + [near] * is_marked), max(losses, default=1.0))
    path = " ".join(f"{frame.x(d):.1f},{frame.y(up):.1f}" for d, up in points)
    shapes = [
        f'<polyline points="{path}" fill="none" stroke="{INK}" stroke-width="2"/>'
    ]
    if is_marked:
        x, y = frame.x(near), frame.y(level)
        shapes.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{ACCENT}"/>'
            f'<text x="{x + 7:.1f}" y="{y + 14:.1f}" fill="{ACCENT}">'
            "tenth nearest, median word</text>"
        )
    return frame.drawn("distance between two words", "loss (log of the odds)", shapes)


class _Frame:
    """Axes from nought to the largest value of each."""

    def __init__(self, width: float, height: float) -> None:
        self._width = width
        self._top = height * 1.05 if height > 0 else 1.0

    def x(self, value: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * value / self._width

    def y(self, value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / self._top

    def drawn(self, across: str, up: str, shapes: Sequence[str]) -> str:
        """Return axes, their labels and the shapes as one SVG element."""
        foot = HEIGHT - BOTTOM
        marks = [
            f'<text x="{self.x(value):.1f}" y="{foot + 15}" text-anchor="middle">'
            f"{value:,g}</text>"
            for value in _ticks(self._width)
        ]
        marks += [
            f'<text x="{LEFT - 6}" y="{self.y(value) + 4:.1f}" text-anchor="end">'
            f"{value:,g}</text>"
            for value in _ticks(self._top)
        ]
        middle = (TOP + foot) / 2
        labels = (
            f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.1f}" y="{HEIGHT - 8}" '
            f'text-anchor="middle">{escape(across)}</text>'
            f'<text x="12" y="{middle:.1f}" text-anchor="middle" '
            f'transform="rotate(-90 12 {middle:.1f})">{escape(up)}</text>'
        )
        axes = (
            f'<path d="M{LEFT} {TOP}V{foot}H{WIDTH - RIGHT}" fill="none" '
            f'stroke="{INK}"/>'
        )
        told = escape(f"{up} against {across}", quote=True)
        return (
            f'<svg role="img" aria-label="{told}" '
            f'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            f'width="{WIDTH}pt" height="{HEIGHT}pt">'
            f'<g font-family="sans-serif" font-size="10" fill="{INK}">'
            f"{''.join(shapes)}{axes}{''.join(marks)}{labels}</g></svg>"
        )


def _ticks(largest: float) -> list[float]:
    """Return about five round numbers from nought to the largest."""
    rough = largest / 5
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * part for part in _STEPS if size * part >= rough * (1 - 1e-9))
    return [step * count for count in range(math.floor(largest / step + 1e-9) + 1)]
