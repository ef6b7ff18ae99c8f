"""Plots as SVG without styles of their own: the page's style sheet draws them."""

import math
from collections.abc import Sequence
from html import escape

from markupsafe import Markup

from publius.core.stating import state_number

WIDTH = 640
ROW = 22
LABEL = 190


def bars(values: Sequence[tuple[str, float]], unit: str) -> Markup:
    """Return horizontal bars with their labels and shares.

    Args:
        values: Label and share of each bar.
        unit: What a share is, for those who hear the plot.
    """
    largest = max((value for _, value in values), default=0) or 1.0
    rows = []
    for number, (name, value) in enumerate(values):
        top, length = number * ROW, (WIDTH - LABEL - 90) * value / largest
        rows.append(
            f'<text x="{LABEL - 8}" y="{top + 15}" text-anchor="end">'
            f"{escape(name)}</text>"
            f'<rect class="bar" x="{LABEL}" y="{top + 4}" width="{length:.1f}" '
            f'height="{ROW - 8}" rx="2"/>'
            f'<text x="{LABEL + length + 6:.1f}" y="{top + 15}">{_share(value)}</text>'
        )
    told = ", ".join(f"{name} {_share(value)}" for name, value in values)
    return drawing(len(values) * ROW + 4, f"{unit}: {told}", "".join(rows))


def curves(
    lines: Sequence[tuple[str, Sequence[tuple[float, float]]]], across: str, up: str
) -> Markup:
    """Return curves over one axis.

    Args:
        lines: Name and points of each curve.
        across: What the horizontal axis is.
        up: What the vertical axis is.
    """
    points = [p for _, line in lines for p in line if all(map(math.isfinite, p))]
    if not points:
        return Markup()
    height, left, bottom = 300, 60, 44
    xs, ys = [x for x, _ in points], [y for _, y in points]
    low, high = min(xs), max(xs)
    top = max(ys) or 1.0

    def place(x: float, y: float) -> tuple[float, float]:
        share = (x - low) / ((high - low) or 1)
        return (
            left + share * (WIDTH - left - 130),
            height - bottom - y / top * (height - bottom - 16),
        )

    drawn = []
    for number, (name, line) in enumerate(lines):
        placed = [place(*p) for p in line if all(map(math.isfinite, p))]
        if not placed:
            continue
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
        x, y = placed[-1]
        dots = "".join(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3"/>' for a, b in placed)
        drawn.append(
            f'<g class="line line-{number % 4}"><polyline points="{path}"/>{dots}'
            f'<text x="{x + 8:.1f}" y="{y + 4:.1f}">{escape(name)}</text></g>'
        )
    tall, near, far = map(state_number, (top, low, high))
    axis = (
        f'<path class="axis" d="M{left} 8V{height - bottom}H{WIDTH - 120}"/>'
        f'<text x="{left - 6}" y="20" text-anchor="end">{tall}</text>'
        f'<text x="{left - 6}" y="{height - bottom}" text-anchor="end">0</text>'
        f'<text x="{left}" y="{height - bottom + 18}">{near}</text>'
        f'<text x="{WIDTH - 130}" y="{height - bottom + 18}">{far}</text>'
        f'<text x="{left + 40}" y="{height - 4}">{escape(across)}</text>'
        f'<text x="{left + 6}" y="14">{escape(up)}</text>'
    )
    return drawing(height, f"{up} over {across}", axis + "".join(drawn))


def clock(counts: Sequence[int], labels: Sequence[str], told: str) -> Markup:
    """Return counts around a circle, clockwise from the top; areas tell shares.

    Args:
        counts: Of each part of the period.
        labels: Evenly spread around the circle, the first at its start.
        told: What is counted, for those who hear the plot.
    """
    size, middle, inner = 320, 160, 40
    largest, room, parts = max(counts, default=0) or 1, middle - inner - 32, []

    def at(radius: float, turn: float) -> str:
        angle = 2 * math.pi * turn - math.pi / 2
        x, y = radius * math.cos(angle), radius * math.sin(angle)
        return f"{middle + x:.1f},{middle + y:.1f}"

    for number, count in enumerate(counts):
        first, last = ((number + s) / len(counts) for s in (0.05, 0.95))
        # The area of a ring grows with the square of its radius.
        outer = math.sqrt(inner**2 + ((inner + room) ** 2 - inner**2) * count / largest)
        corners = [at(inner, first), at(outer, first), at(outer, last), at(inner, last)]
        parts.append(f'<polygon class="bar" points="{" ".join(corners)}"/>')
    for number, label in enumerate(labels):
        x, y = at(middle - 14, number / len(labels)).split(",")
        parts.append(
            f'<text x="{x}" y="{float(y) + 4:.1f}" text-anchor="middle">'
            f"{escape(label)}</text>"
        )
    ring = f'<circle class="axis" cx="{middle}" cy="{middle}" r="{inner}"/>'
    return drawing(size, told, ring + "".join(parts), size)


STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#22314a}.bar{fill:#3c5a8c}"
    ".axis{fill:none;stroke:#55607a}polyline{fill:none;stroke:#3c5a8c;stroke-width:2}"
    "circle{fill:#3c5a8c}.line-1 polyline{stroke:#a63f28}.line-1 circle{fill:#a63f28}"
    ".line-2 polyline{stroke:#2f7d5b}.line-2 circle{fill:#2f7d5b}"
    ".line-3 polyline{stroke:#7a5aa0}.line-3 circle{fill:#7a5aa0}"
    ".sea{fill:#fdfcf9}.land{fill:#e6e1d4;stroke:#55607a;stroke-width:.6}"
    ".border{fill:none;stroke:#55607a;stroke-width:.5;stroke-dasharray:3 2}"
    ".spot{fill:#a63f28;fill-opacity:.6}"
)
"""What the page's style sheet says, for a plot that stands alone."""


def standalone(chart: Markup) -> str:
    """Return a plot with its style, as a file."""
    return str(chart).replace(">", f"><style>{STYLE}</style>", 1)


def drawing(height: float, told: str, content: str, width: int = WIDTH) -> Markup:
    """Return a drawing with its name; labels in the content are escaped already."""
    return Markup(  # noqa: S704 - every label was escaped
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" '
        f'viewBox="0 0 {width} {height}" aria-label="{escape(told)}">{content}</svg>'
    )


def _share(value: float) -> str:
    return f"{100 * value:.1f} %" if value >= 1e-3 else f"{value:.0e}"
