"""Axes of a plot as SVG text, written without a library.

A plotting library takes longer to load than a million records take to draw.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from publius.core.arrays import FloatArray

INK = "#22314a"
ACCENT = "#c8553d"
LEFT, RIGHT, TOP, BOTTOM = 58, 12, 10, 42
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_LOG_STEPS = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class Scale:
    """Values along one axis.

    Args:
        low: First value that is shown.
        high: Last value that is shown, larger than `low`.
        is_log: Equal ratios are equally long; `low` then is above nought.
    """

    low: float
    high: float
    is_log: bool = False

    @classmethod
    def to(cls, largest: float, *, headroom: float = 0.0) -> "Scale":
        """Return the scale from nought to the largest value, and some room above."""
        return cls(0.0, largest * (1 + headroom) if largest > 0 else 1.0)

    def share(self, values: FloatArray | float) -> FloatArray | float:
        """Return which share of the axis lies below each value."""
        if not self.is_log:
            return (values - self.low) / (self.high - self.low)
        return self._decades(values) / self._decades(self.high)

    def ticks(self) -> list[float]:
        """Return about five round numbers."""
        if self.is_log:
            powers = range(
                math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1
            )
            marks = [part * 10.0**power for power in powers for part in _LOG_STEPS]
            inside = [value for value in marks if self._holds(value)]
            tens = [value for value in inside if math.log10(value).is_integer()]
            return tens if len(tens) > 2 else inside
        rough = (self.high - self.low) / 5
        size = 10.0 ** math.floor(math.log10(rough))
        step = next(size * part for part in _STEPS if size * part >= rough * (1 - 1e-9))
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [step * count for count in range(first, last + 1)]

    def _decades(self, value: FloatArray | float) -> float:
        return math.log10(float(value) / self.low)

    def _holds(self, value: float) -> bool:
        return self.low * (1 - 1e-9) <= value <= self.high * (1 + 1e-9)


@dataclass(frozen=True, slots=True)
class Axes:
    """Two scales on a page.

    Args:
        across: Values from left to right.
        up: Values from the foot to the top.
        width: Of the whole picture, in points.
        height: Of the whole picture, in points.
    """

    across: Scale
    up: Scale
    width: int = 374
    height: int = 208

    def x(self, value: FloatArray | float) -> FloatArray | float:
        """Return how far from the left a value stands."""
        return LEFT + (self.width - LEFT - RIGHT) * self.across.share(value)

    def y(self, value: FloatArray | float) -> FloatArray | float:
        """Return how far from the top a value stands."""
        return self.foot - (self.foot - TOP) * self.up.share(value)

    @property
    def foot(self) -> int:
        """Return where the horizontal axis stands."""
        return self.height - BOTTOM

    def line(self, across: Sequence[float], up: Sequence[float]) -> str:
        """Return a line through points."""
        points = zip(across, up, strict=True)
        path = " ".join(f"{self.x(a):.1f},{self.y(b):.1f}" for a, b in points)
        return (
            f'<polyline points="{path}" fill="none" stroke="{INK}" stroke-width="2"/>'
        )

    def mark(self, value: float) -> str:
        """Return a line from foot to top at one value."""
        at = f"{self.x(value):.1f}"
        return (
            f'<line x1="{at}" x2="{at}" y1="{TOP}" y2="{self.foot}" '
            f'stroke="{ACCENT}" stroke-width="2"/>'
        )

    def drawn(self, across: str, up: str, shapes: Sequence[str]) -> str:
        """Return axes, their labels and the shapes as one SVG element."""
        foot, right = self.foot, self.width - RIGHT
        marks = [
            f'<text x="{self.x(value):.1f}" y="{foot + 15}" text-anchor="middle">'
            f"{number(value)}</text>"
            for value in self.across.ticks()
        ]
        marks += [
            f'<text x="{LEFT - 6}" y="{self.y(value) + 4:.1f}" text-anchor="end">'
            f"{number(value)}</text>"
            for value in self.up.ticks()
        ]
        middle = (TOP + foot) / 2
        labels = (
            f'<text x="{(LEFT + right) / 2:.1f}" y="{self.height - 8}" '
            f'text-anchor="middle">{escape(across)}</text>'
            f'<text x="12" y="{middle:.1f}" text-anchor="middle" '
            f'transform="rotate(-90 12 {middle:.1f})">{escape(up)}</text>'
        )
        axes = f'<path d="M{LEFT} {TOP}V{foot}H{right}" fill="none" stroke="{INK}"/>'
        inside = [*shapes, axes, *marks, labels]
        return element(self.width, self.height, f"{up} against {across}", inside)


def element(width: int, height: int, told: str, shapes: Sequence[str]) -> str:
    """Return shapes as one SVG element; `told` is for those who do not see it."""
    label = escape(told, quote=True)
    return (
        f'<svg role="img" aria-label="{label}" xmlns="http://www.w3.org/2000/svg" '
        f'viewBox="0 0 {width} {height}" width="{width}pt" height="{height}pt">'
        f'<g font-family="sans-serif" font-size="10" fill="{INK}">'
        f"{''.join(shapes)}</g></svg>"
    )


def number(value: float) -> str:
    """Return a round number as a label: no digit that is only a rounding error."""
    return f"{value:,.10g}"
