"""The two plots of every report of words, written as SVG text without a library."""

import math

import numpy as np

from publius.core.arrays import FloatArray
from publius.core.guarantee import Guarantee
from publius.reporting.axes import ACCENT, INK, Axes, Scale

BINS = 25
HEADROOM = 0.05


def unchanged_histogram(unchanged: FloatArray) -> str:
    """Plot how likely words are to stay as they are."""
    counts, edges = np.histogram(unchanged, bins=np.linspace(0, 1, BINS + 1))
    axes = _axes(1.0, float(counts.max(initial=0)))
    bars = [
        f'<rect x="{axes.x(low):.1f}" y="{axes.y(count):.1f}" '
        f'width="{axes.x(high) - axes.x(low):.1f}" '
        f'height="{axes.y(0) - axes.y(count):.1f}" fill="{INK}"/>'
        for low, high, count in zip(edges, edges[1:], counts.tolist(), strict=False)
    ]
    mean = axes.mark(float(unchanged.mean()))
    across = "probability that a word stays as it is (line: mean)"
    return axes.drawn(across, "public words", [*bars, mean])


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
    axes = _axes(max([reach] + [near] * is_marked), max(losses, default=1.0))
    shapes = [axes.line([d for d, _ in points], [loss for _, loss in points])]
    if is_marked:
        x, y = axes.x(near), axes.y(level)
        shapes.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{ACCENT}"/>'
            f'<text x="{x + 7:.1f}" y="{y + 14:.1f}" fill="{ACCENT}">'
            "tenth nearest, median word</text>"
        )
    return axes.drawn("distance between two words", "loss (log of the odds)", shapes)


def _axes(width: float, height: float) -> Axes:
    """Return axes from nought to the largest value of each."""
    return Axes(Scale.to(width), Scale.to(height, headroom=HEADROOM))
