"""How bounds are added up and told: rounded to the safe side, always.

An upper bound is stated rounded up and a lower one rounded down. What a reader sees,
read back as a number, is then still a bound. A double stands for the shortest decimal
that reads back as it: ten times 0.1 is 1, and 0.1 is told as 0.1.
"""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal

DIGITS = 3
LARGEST_FACTOR = 30.0
"""Beyond e^30 a factor is not worth its digits."""

_PLAIN = range(-5, 15)
"""Powers of ten that are written without an exponent."""

_UP = Context(prec=60, rounding=ROUND_CEILING)


def state_bound(value: float | None, digits: int = DIGITS) -> str:
    """Write an upper bound with about `digits` digits, rounded up."""
    return _stated(value, digits, ROUND_CEILING)


def state_floor(value: float | None, digits: int = DIGITS) -> str:
    """Write a lower bound, or what is left of a limit, rounded down."""
    return _stated(value, digits, ROUND_FLOOR)


def state_number(value: float | None, digits: int = DIGITS) -> str:
    """Write a count or a measured number with about `digits` digits."""
    return _stated(value, digits, ROUND_HALF_EVEN)


def state_odds(level: float) -> str:
    """Write the factor e^level by which odds change at most, rounded up."""
    if not math.isfinite(level):
        return state_bound(level)
    if level > LARGEST_FACTOR:
        return f"e^{state_bound(float(math.ceil(level)))} (beyond any use)"
    return state_bound(1.0 if level == 0 else _above(math.exp(level)))


def add_up(*bounds: float) -> float:
    """Add bounds, never rounding down."""
    if not all(map(math.isfinite, bounds)):
        return sum(bounds)
    total = Decimal(0)
    for bound in bounds:
        total = _UP.add(total, _exact(bound))
    return _not_below(total)


def multiply_up(bound: float, times: float) -> float:
    """Multiply a bound, never rounding down."""
    if not math.isfinite(bound) or not math.isfinite(times):
        return bound * times
    return _not_below(_UP.multiply(_exact(bound), _exact(times)))


def _exact(value: float) -> Decimal:
    return Decimal(repr(float(value)))


def _not_below(value: Decimal) -> float:
    """Return the smallest double that is not below `value`."""
    nearest = float(value)
    if math.isinf(nearest) or _exact(nearest) >= value:
        return nearest
    return _above(nearest)


def _above(value: float) -> float:
    return math.nextafter(value, math.inf)


def _stated(value: float | None, digits: int, rounding: str) -> str:
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "no bound" if rounding == ROUND_CEILING else "infinity"
    exact = _exact(value)
    whole = min(exact.adjusted() + 1, _PLAIN.stop)
    rounded = Context(max(digits, whole), rounding).create_decimal(exact)
    power = rounded.adjusted()
    if rounded == 0 or power in _PLAIN:
        text = f"{rounded:,f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return f"{rounded.scaleb(-power).normalize():f}e{power:+03d}"
