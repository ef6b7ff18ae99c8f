"""Read clock times and timestamps, by columns of characters and not row by row."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from publius.core.arrays import BoolArray, FloatArray, IdArray
from publius.core.errors import DataError
from publius.materials.quantity import DAY, WEEK, YEAR

LONGEST = 40
NOT_A_TIME = -1
NO_ZONE = -2
NO_DAY = -3
NO_CLOCK = -4
OTHER_PERIOD = -5
REASONS = {
    NOT_A_TIME: "is no time; known are HH:MM, HH:MM:SS, ISO timestamps and, with "
    "--unit, plain numbers",
    NO_ZONE: "has no time zone; write one such as Z or +02:00, or say that these are "
    "local times with --local",
    NO_DAY: "names no day; times of day repeat within 24h, a longer period needs "
    "timestamps",
    NO_CLOCK: "has no time of day; use --resolution 1d with the period week or year",
    OTHER_PERIOD: "is a timestamp; timestamps repeat by day, week or year",
}
"""Why a value could not be read, by what stands in the place of its seconds."""

_BEFORE_MONTH = np.array([0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335, 366])
_CLOCK = re.compile(r"(\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d+)?)?")
_STAMP = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?"
    r"\s?(Z|z|[+-]\d\d(?::?\d\d)?)?)?"
)
Characters = NDArray[np.uint32]


class Layout(StrEnum):
    """How a moment is written."""

    MINUTES = "HH:MM"
    SECONDS = "HH:MM:SS"
    DATE = "YYYY-MM-DD"
    STAMP_MINUTES = "YYYY-MM-DDTHH:MM"
    STAMP_SECONDS = "YYYY-MM-DDTHH:MM:SS"

    @property
    def resolution(self) -> int:
        """Seconds between neighbouring values of this layout."""
        return {"D": DAY, "M": 60, "S": 1}[self.value[-1]]

    @property
    def is_dated(self) -> bool:
        """Whether a value names a day."""
        return self.value.startswith("Y")


def layout_of(text: str) -> Layout | None:
    """Return the layout of one written moment, or None if it is none."""
    clock = _CLOCK.fullmatch(text.strip())
    if clock:
        return Layout.SECONDS if clock[3] else Layout.MINUTES
    stamp = _STAMP.fullmatch(text.strip())
    if stamp is None:
        return None
    if stamp[4] is None:
        return Layout.DATE
    return Layout.STAMP_SECONDS if stamp[6] else Layout.STAMP_MINUTES


@dataclass(frozen=True, slots=True)
class Reading:
    """Which written moments are accepted.

    Args:
        period: Seconds after which moments repeat.
        needs_zone: Whether a timestamp must name its time zone.
        takes_dates: Whether a date without a time of day says enough.
    """

    period: int
    needs_zone: bool = True
    takes_dates: bool = False

    def refusal(self, layout: Layout) -> int:
        """Return why no value of this layout is accepted, or 0 if it is."""
        if not layout.is_dated:
            return 0 if self.period <= DAY else NO_DAY
        if self.period not in (DAY, WEEK, YEAR):
            return OTHER_PERIOD
        if layout is Layout.DATE and not self.takes_dates:
            return NO_CLOCK
        return 0


def read_moments(values: Sequence[str], accepted: Reading) -> IdArray:
    """Return seconds since the period began; a negative number says why there are none.

    Every value is read in its own layout. The wall clock counts, as it is written.
    """
    characters, lengths = _characters(values)
    read = np.full(len(values), NOT_A_TIME, dtype=np.int64)
    for layout in Layout:
        if accepted.refusal(layout):
            continue
        is_plain = _is_plain(characters, lengths, layout, accepted)
        rows = np.flatnonzero(is_plain & (read < 0))
        if len(rows):
            read[rows] = _plain_seconds(characters[rows], layout, accepted.period)
    for row in np.flatnonzero(read < 0).tolist():
        read[row] = _read_moment(values[row].strip(), accepted)
    return read


def _read_moment(text: str, accepted: Reading) -> int:
    layout = layout_of(text) if len(text) <= LONGEST else None
    if layout is None:
        return NOT_A_TIME
    refusal = accepted.refusal(layout)
    if refusal:
        return refusal
    clock = _CLOCK.fullmatch(text)
    if clock:
        return _seconds_of(clock.groups("0"))
    stamp = _STAMP.fullmatch(text)
    if stamp is None:
        return NOT_A_TIME
    if accepted.needs_zone and layout is not Layout.DATE and stamp[7] is None:
        return NO_ZONE
    year, month, number = (np.array([int(part)]) for part in stamp.groups()[:3])
    day = _days(year, month, number, accepted.period)[0]
    second = _seconds_of(stamp.groups("0")[3:6])
    return NOT_A_TIME if day < 0 or second < 0 else int(day) * DAY + second


def _characters(values: Sequence[str]) -> tuple[Characters, IdArray]:
    """Return the code points of each value, one row each."""
    lengths = np.fromiter(map(len, values), dtype=np.int64, count=len(values))
    too_long = lengths > LONGEST
    if too_long.any():
        values = [v if len(v) <= LONGEST else "" for v in values]
    width = max(int(lengths[~too_long].max(initial=1)), 1)
    table = np.array(values, dtype=f"<U{width}")
    return table.view(np.uint32).reshape(len(values), width), lengths


def _clock_seconds(c: Characters) -> IdArray:
    hour, good = _number(c, 0, 2)
    for place, limit in ((3, 60), (6, 60)):
        if place > c.shape[1]:
            part = np.zeros(len(c), dtype=np.int64)
        else:
            part, is_number = _number(c, place, 2)
            good &= is_number & (c[:, place - 1] == ord(":")) & (part < limit)
        hour = hour * 60 + part
    return np.where(good & (hour < DAY), hour, NOT_A_TIME)


def _plain_seconds(c: Characters, layout: Layout, period: int) -> IdArray:
    """Read rows of one layout, each part at its own place."""
    if not layout.is_dated:
        return _clock_seconds(c[:, : len(layout.value)])
    year, good = _number(c, 0, 4)
    month, is_month = _number(c, 5, 2)
    day, is_day = _number(c, 8, 2)
    good &= is_month & is_day & (c[:, 4] == ord("-")) & (c[:, 7] == ord("-"))
    days = _days(year, month, day, period)
    if layout is Layout.DATE:
        return np.where(good & (days >= 0), days * DAY, NOT_A_TIME)
    clock = _clock_seconds(c[:, 11 : len(layout.value)])
    good &= (days >= 0) & (clock >= 0)
    return np.where(good, days * DAY + clock, NOT_A_TIME)


def _is_plain(
    c: Characters, lengths: IdArray, layout: Layout, accepted: Reading
) -> BoolArray:
    """Tell the rows that end after the layout; timestamps also in Z or in +HH:MM."""
    width = len(layout.value)
    no_row = np.zeros(len(c), dtype=np.bool_)
    if c.shape[1] < width:
        return no_row
    if not layout.is_dated or layout is Layout.DATE:
        return lengths == width
    is_plain = np.isin(c[:, 10], [ord("T"), ord(" ")])
    ends = no_row if accepted.needs_zone else lengths == width
    if c.shape[1] > width:
        ends = ends | ((lengths == width + 1) & (c[:, width] == ord("Z")))
    if c.shape[1] >= width + 6:
        is_zone = np.isin(c[:, width], [ord("+"), ord("-")])
        is_zone &= _number(c, width + 1, 2)[1] & _number(c, width + 4, 2)[1]
        is_zone &= c[:, width + 3] == ord(":")
        ends = ends | ((lengths == width + 6) & is_zone)
    return np.asarray(is_plain & ends)


def _number(c: Characters, start: int, count: int) -> tuple[IdArray, BoolArray]:
    digits = c[:, start : start + count].astype(np.int64) - ord("0")
    good = np.asarray(((digits >= 0) & (digits <= 9)).all(axis=1))
    value = np.zeros(len(c), dtype=np.int64)
    for place in range(count):
        value = value * 10 + digits[:, place]
    return value, good


def _seconds_of(parts: Sequence[str]) -> int:
    hour, minute, second = (int(part) for part in parts)
    if hour < 24 and minute < 60 and second < 60:
        return hour * 3600 + minute * 60 + second
    return NOT_A_TIME


def _days(year: IdArray, month: IdArray, day: IdArray, period: int) -> IdArray:
    """Return the day's place in its period, or NOT_A_TIME if there is no such day."""
    is_leap = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
    inside = np.clip(month, 1, 12)
    length = np.diff(_BEFORE_MONTH)[inside - 1] - ((month == 2) & ~is_leap)
    good = (month >= 1) & (month <= 12) & (day >= 1) & (day <= length)
    if period == WEEK:
        place = _weekday(year, inside, day)
    elif period == YEAR:
        place = days_before_month(inside) + day - 1
    else:
        place = np.zeros_like(day)
    return np.where(good, place, NOT_A_TIME)


def days_before_month(month: IdArray) -> IdArray:
    """Return how many days of a leap year lie before each month; the first is 1."""
    return np.asarray(_BEFORE_MONTH[month - 1])


def _weekday(year: IdArray, month: IdArray, day: IdArray) -> IdArray:
    """Count days since a Monday in the proleptic Gregorian calendar (Monday is 0)."""
    shifted = year - (month <= 2)
    turned = (month + 9) % 12
    days = 365 * shifted + shifted // 4 - shifted // 100 + shifted // 400
    return np.asarray((days + (153 * turned + 2) // 5 + day + 1) % 7)


def refuse(read: IdArray | FloatArray, first_row: int) -> None:
    """Raise for the first row that could not be read; its content stays unsaid."""
    bad = np.flatnonzero(read < 0)
    if len(bad):
        why = REASONS[int(read[bad[0]])]
        raise DataError(f"row {first_row + int(bad[0])} {why}")
