"""Where a rising function that is costly to evaluate has a wanted value."""

import math
from collections.abc import Callable

EVALUATIONS, PATIENT = 18, 6
STEP, GROWTH = 0.7, 1.6
NARROW = 0.002
"""Two places this close are one."""

Function = Callable[[float], float]


def rising_root(
    value: Function, start: float, slack: float, bounds: tuple[float, float]
) -> float | None:
    """Return where a rising function is within `slack` of 0, in few evaluations.

    Where it jumps over 0, the place just before the jump is returned; None if it has no
    zero within the bounds.
    """
    x, y = start, value(start)
    low, high = bounds
    step, other, back = STEP, x, y
    while abs(y) > slack and y * back > 0:
        other, back = x, y
        x = min(max(x - math.copysign(step, y), low), high)
        if x == other:
            return None
        y = value(x)
        step *= GROWTH
    if abs(y) <= slack:
        return x
    return _between(value, (x, y), (other, back), slack)


def _between(
    value: Function,
    one: tuple[float, float],
    two: tuple[float, float],
    slack: float,
) -> float:
    """Find the zero between two places whose values have opposite signs."""
    (x, y), (other, back), side = one, two, 0
    for tried in range(EVALUATIONS):
        # The Illinois method crawls along a function of steps; halving does not.
        quick = (x * back - other * y) / (back - y)
        middle = quick if tried < PATIENT else (x + other) / 2
        here = value(middle)
        if abs(here) <= slack:
            return middle
        if here * back > 0:
            other, back, y, side = middle, here, y / 2 if side == 1 else y, 1
        else:
            x, y, back, side = middle, here, back / 2 if side == -1 else back, -1
        if abs(x - other) <= NARROW:
            break
    return min(x, other)
