"""Repeating times as whole steps of a circle: read in any layout, written in one."""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from publius.core.arrays import FloatArray, IdArray
from publius.core.errors import DataError, ParameterError
from publius.materials.quantity import DAY, WEEK, YEAR, duration_text
from publius.materials.times.calendar import (
    NOT_A_TIME,
    Reading,
    layout_of,
    read_moments,
    refuse,
)

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTH_ENDS = np.cumsum([31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])


@dataclass(frozen=True, slots=True)
class Clock:
    """A circle of equal steps, and how its points are written.

    A time is read in whatever accepted layout its own cell has, and brought to the
    nearest step, or to its day where a step is whole days. It is written in one layout
    that the fields below decide: how a secret was written must not be seen. Of a
    timestamp only its place in the period is used.

    Args:
        period: Length of the circle in seconds.
        resolution: Seconds per step; divides the period.
        unit: Seconds per unit of plain numbers, in which times are then written too;
            None writes ``HH:MM`` and the like.
        needs_zone: Whether a timestamp must name its time zone.
    """

    period: int = DAY
    resolution: int = 60
    unit: int | None = None
    needs_zone: bool = True

    def __post_init__(self) -> None:
        if self.resolution < 1 or self.period % self.resolution:
            raise ParameterError(
                f"the resolution must divide the period {duration_text(self.period)}, "
                f"got {duration_text(self.resolution)}"
            )
        if self.modulus < 2:
            raise ParameterError("the period must hold at least two steps")
        if self.unit is None and not (self.period <= DAY or self._has_names):
            raise ParameterError(
                f"times that repeat after {duration_text(self.period)} are plain "
                "numbers; say what they count with --unit"
            )

    @classmethod
    def detect(
        cls,
        sample: Sequence[str],
        *,
        period: int = DAY,
        resolution: int | None = None,
        unit: int = 60,
        needs_zone: bool = True,
    ) -> "Clock":
        """Return a clock for values like a public example; deprecated.

        The example must not come from the table: the resolution would tell about it.

        Raises:
            DataError: There is no example, or it is no time.
        """
        warnings.warn(
            "Clock.detect is deprecated; say Clock(period=..., resolution=..., "
            "unit=...), so that nothing depends on a value",
            DeprecationWarning,
            stacklevel=2,
        )
        text = sample[0].strip() if sample else ""
        layout = layout_of(text)
        if layout is None and not _is_number(text):
            raise DataError("the example is no time")
        own = unit if layout is None else layout.resolution
        return cls(period, resolution or own, None if layout else unit, needs_zone)

    @property
    def modulus(self) -> int:
        """Number of steps in the period."""
        return self.period // self.resolution

    @property
    def layout(self) -> str:
        """How times are written, such as ``HH:MM`` or ``numbers of 1min``."""
        if self.unit is not None:
            return f"numbers of {duration_text(self.unit)}"
        days = {WEEK: ["Mon"], YEAR: ["MM-DD"]}.get(self.period, [])
        clock = {DAY: [], 60: ["HH:MM"], 1: ["HH:MM:SS"]}[self._finest]
        return " ".join([*days, *clock])

    @property
    def is_whole(self) -> bool:
        """Whether every time is a whole number of units."""
        return self.unit is not None and self.resolution % self.unit == 0

    def read(self, values: Sequence[str], *, first_row: int = 1) -> IdArray:
        """Return the step of each written time, whatever layout each one has.

        Raises:
            DataError: A row is no time of this clock; its number is said, never it.
        """
        numbers = None if self.unit is None else _floats(values)
        if numbers is not None:
            return self.read_numbers(numbers, first_row=first_row)
        accepted = Reading(self.period, self.needs_zone, self._finest == DAY)
        read = read_moments(values, accepted).astype(np.float64)
        for row in np.flatnonzero(read == NOT_A_TIME).tolist():
            read[row] = self._number(values[row], first_row + row)
        refuse(read, first_row)
        return self._steps(read, first_row)

    def read_moments(self, moments: IdArray, *, first_row: int = 1) -> IdArray:
        """Return the step of each number of seconds since the period began."""
        return self._steps(moments.astype(np.float64), first_row)

    def read_numbers(self, values: ArrayLike, *, first_row: int = 1) -> IdArray:
        """Return the step of each number of units; minutes if the clock has none."""
        numbers = np.asarray(values, dtype=np.float64)
        finite = np.isfinite(numbers)
        if not finite.all():
            row = first_row + int(np.argmin(finite))
            raise DataError(f"row {row} is not a finite number")
        with np.errstate(over="ignore"):
            return self._steps(numbers * (self.unit or 60), first_row)

    def write(self, steps: IdArray) -> list[str]:
        """Return each step as it is written in this clock's layout."""
        if self.unit is not None:
            return [f"{number:.10g}" for number in self.write_numbers(steps).tolist()]
        moment = steps * self.resolution
        columns = _day_names(moment // DAY, self.period)
        if self._finest != DAY:
            columns.append(_clock_text(moment % DAY, self._finest))
        texts = columns[0]
        for column in columns[1:]:
            texts = np.char.add(np.char.add(texts, " "), column)
        written: list[str] = texts.tolist()
        return written

    def write_numbers(self, steps: IdArray) -> FloatArray | IdArray:
        """Return each step as a number of units; of int64 if all steps are whole."""
        unit = self.unit or 60
        if self.resolution % unit == 0:
            return steps * (self.resolution // unit)
        return steps * (self.resolution / unit)

    @property
    def _has_names(self) -> bool:
        """Whether the days of the period have names."""
        return self.period in (WEEK, YEAR)

    @property
    def _finest(self) -> int:
        """The coarsest of a day, a minute and a second that divides every step."""
        if self._has_names and self.resolution % DAY == 0:
            return DAY
        return 60 if self.resolution % 60 == 0 else 1

    def _number(self, text: str, row: int) -> float:
        """Return the seconds of a plain number, or that it is no time."""
        if not _is_number(text):
            return NOT_A_TIME
        if self.unit is None:
            raise DataError(
                f"row {row} is a plain number; say what it counts with --unit, such "
                "as --unit min"
            )
        moment = float(text) * self.unit
        # Where a negative number says why a row has no time, none may stand for one.
        return moment if moment >= 0 else math.inf

    def _steps(self, moment: FloatArray, first_row: int) -> IdArray:
        inside = (moment >= 0) & (moment < self.period)
        if not inside.all():
            row = first_row + int(np.argmin(inside))
            length = duration_text(self.period)
            raise DataError(f"row {row} does not lie within the period of {length}")
        share = moment / self.resolution
        # An afternoon belongs to its own day, not to the nearest midnight.
        step = np.floor(share if self.resolution % DAY == 0 else share + 0.5)
        return np.mod(step.astype(np.int64), self.modulus)


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _floats(values: Sequence[str]) -> FloatArray | None:
    """Return plain numbers, or None if a value is none."""
    try:
        return np.array(values, dtype=np.str_).astype(np.float64)
    except ValueError:
        return None  # its text quotes the value


def _clock_text(second: IdArray, resolution: int) -> NDArray[np.str_]:
    """Write HH:MM or HH:MM:SS, assembled from columns of characters."""
    parts = [second // 3600, second // 60 % 60]
    if resolution == 1:
        parts.append(second % 60)
    width = 3 * len(parts) - 1
    characters = np.full((len(second), width), ord(":"), dtype=np.uint32)
    for place, part in enumerate(parts):
        characters[:, 3 * place] = part // 10 + ord("0")
        characters[:, 3 * place + 1] = part % 10 + ord("0")
    return characters.view(f"<U{width}").ravel()


def _day_names(day: IdArray, period: int) -> list[NDArray[np.str_]]:
    if period == WEEK:
        return [np.array(WEEKDAYS)[day]]
    if period == YEAR:
        month = np.searchsorted(_MONTH_ENDS, day, side="right")
        start = np.concatenate(([0], _MONTH_ENDS))[month]
        names = np.array([f"{number:02d}" for number in range(32)])
        return [np.char.add(np.char.add(names[month + 1], "-"), names[day - start + 1])]
    return []
