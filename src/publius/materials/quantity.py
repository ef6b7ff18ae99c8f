"""Durations and lengths as people write them: 30min, 1h30min, 7d, 200m, 1.5km."""

import re
from fractions import Fraction

from publius.core.errors import ParameterError

DAY = 86_400
WEEK = 7 * DAY
YEAR = 366 * DAY
"""A year of times is a leap year, in which every day of the calendar has its place."""

_SECONDS = {
    "s": 1,
    "sec": 1,
    "second": 1,
    "seconds": 1,
    "min": 60,
    "minute": 60,
    "minutes": 60,
    "h": 3600,
    "hour": 3600,
    "hours": 3600,
    "d": DAY,
    "day": DAY,
    "days": DAY,
    "week": WEEK,
    "weeks": WEEK,
    "year": YEAR,
}
_METRES = {
    "m": 1.0,
    "metre": 1.0,
    "metres": 1.0,
    "meter": 1.0,
    "meters": 1.0,
    "km": 1000.0,
    "mi": 1609.344,
}
_PART = re.compile(r"\s*(\d+(?:\.\d+)?)?\s*([a-z]+)\s*")


def seconds(text: str) -> int:
    """Return a duration as whole seconds.

    Raises:
        ParameterError: It is no duration, is not positive or has a part of a second.
    """
    total = Fraction(0)
    place = 0
    lowered = text.strip().lower()
    while place < len(lowered):
        part = _PART.match(lowered, place)
        if part is None or part[2] not in _SECONDS:
            raise ParameterError(
                f"{text!r} is no duration; write for example 30min, 1h30min or week"
            )
        total += Fraction(part[1] or "1") * _SECONDS[part[2]]
        place = part.end()
    if total <= 0 or total.denominator != 1:
        raise ParameterError(f"{text!r} must be a whole number of seconds > 0")
    return int(total)


def metres(text: str) -> float:
    """Return a length in metres.

    Raises:
        ParameterError: It is no length or is not positive.
    """
    part = _PART.fullmatch(text.strip().lower())
    if part is None or part[1] is None or part[2] not in _METRES:
        raise ParameterError(f"{text!r} is no length; write for example 200m or 1.5km")
    length = float(part[1]) * _METRES[part[2]]
    if not 0 < length < float("inf"):
        raise ParameterError(f"{text!r} must be a length > 0")
    return length


def duration_text(length: float) -> str:
    """Return seconds as people write them."""
    if length > DAY and length % DAY == 0:
        return f"{length / DAY:g}d"
    if length >= 3600 and length % 3600 == 0:
        return f"{length / 3600:g}h"
    if length >= 60 and length % 60 == 0:
        return f"{length / 60:g}min"
    return f"{length:g}s"


def length_text(length: float) -> str:
    """Return metres as people write them."""
    return f"{length / 1000:g} km" if length >= 1000 else f"{length:g} m"
