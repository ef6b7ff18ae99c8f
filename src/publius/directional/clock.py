"""Repeating times as whole steps of a circle, read and written in one layout."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from publius.core.arrays import FloatArray, IdArray
from publius.core.errors import DataError, ParameterError
from publius.directional.calendar import (
    Layout,
    layout_of,
    read_clock,
    read_stamps,
    refuse,
)
from publius.directional.quantity import DAY, WEEK, YEAR, duration_text

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTH_ENDS = np.cumsum([31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
_TINY = 1e-6


@dataclass(frozen=True, slots=True)
class Clock:
    """A circle of equal steps, and how its points are written.

    A timestamp is reduced to its place in the period; what it says beyond that, such as
    the date under a period of a day, is not written back.

    Args:
        period: Length of the circle in seconds.
        resolution: Seconds per step; divides the period.
        layout: How times are written; None for plain numbers.
        unit: Seconds per unit of a plain number.
        is_padded: Whether hours are written with two digits.
        is_rounding: Whether finer values are rounded to the resolution.
        needs_zone: Whether a timestamp must name its time zone.
    """

    period: int
    resolution: int
    layout: Layout | None
    unit: int = 60
    is_padded: bool = True
    is_rounding: bool = False
    needs_zone: bool = True

    def __post_init__(self) -> None:
        if self.resolution < 1 or self.period % self.resolution:
            raise ParameterError(
                f"the resolution must divide the period {duration_text(self.period)}, "
                f"got {duration_text(self.resolution)}"
            )
        if self.modulus < 2:
            raise ParameterError("the period must hold at least two steps")
        if self.layout is None:
            return
        if self.layout.is_dated and self.period not in (DAY, WEEK, YEAR):
            raise ParameterError("timestamps repeat by day, week or year")
        if not self.layout.is_dated and self.period > DAY:
            raise ParameterError(
                "times of day repeat within 24h; a week or year needs timestamps"
            )
        if self.layout is Layout.DATE and self.period == DAY:
            raise ParameterError(
                "dates have no time of day; use the period week or year"
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
        """Return the clock of values that are written like the first one.

        Raises:
            DataError: There is no value, or the first one is no time.
        """
        if not sample:
            raise DataError("the column of times is empty")
        text = sample[0].strip()
        layout = layout_of(text)
        if layout is None and not _is_number(text):
            raise DataError(
                "the first row is no time; known are HH:MM, HH:MM:SS, ISO timestamps "
                "and plain numbers"
            )
        own = unit if layout is None else layout.resolution
        return cls(
            period=period,
            resolution=resolution or own,
            layout=layout,
            unit=unit,
            is_padded=layout is None or layout.is_dated or text[1] != ":",
            is_rounding=resolution is not None,
            needs_zone=needs_zone,
        )

    @property
    def modulus(self) -> int:
        """Number of steps in the period."""
        return self.period // self.resolution

    def read(self, values: Sequence[str], *, first_row: int = 1) -> IdArray:
        """Return the step of each written time.

        Raises:
            DataError: A row is no time of this clock; its number is said, never it.
        """
        if self.layout is None:
            return self.read_numbers(_floats(values, first_row), first_row=first_row)
        if self.layout.is_dated:
            found = read_stamps(
                values, self.layout, self.period, needs_zone=self.needs_zone
            )
        else:
            found = read_clock(values, self.layout)
        refuse(found, first_row, self.layout.value)
        return self._steps(found.astype(np.float64), first_row)

    def read_numbers(self, values: ArrayLike, *, first_row: int = 1) -> IdArray:
        """Return the step of each plain number."""
        numbers = np.asarray(values, dtype=np.float64)
        finite = np.isfinite(numbers)
        if not finite.all():
            row = first_row + int(np.argmin(finite))
            raise DataError(f"row {row} is not a finite number")
        with np.errstate(over="ignore"):
            return self._steps(numbers * self.unit, first_row)

    def write(self, steps: IdArray) -> list[str]:
        """Return each step as it is written in this layout."""
        if self.layout is None:
            numbers = self.write_numbers(steps)
            return [f"{number:.10g}" for number in numbers.tolist()]
        moment = steps * self.resolution
        columns: list[NDArray[np.str_]] = []
        if self.layout.is_dated:
            columns += _day_names(moment // DAY, self.period)
        if self.layout is not Layout.DATE:
            columns.append(_clock_text(moment % DAY, self.layout.resolution))
        texts = columns[0]
        for column in columns[1:]:
            texts = np.char.add(np.char.add(texts, " "), column)
        written: list[str] = texts.tolist()
        if self.is_padded:
            return written
        return [text.removeprefix("0") for text in written]

    def write_numbers(self, steps: IdArray) -> FloatArray | IdArray:
        """Return each step as a number of units; whole where all steps are."""
        if self.resolution % self.unit == 0:
            return steps * (self.resolution // self.unit)
        return steps * (self.resolution / self.unit)

    def _steps(self, moment: FloatArray, first_row: int) -> IdArray:
        inside = (moment >= 0) & (moment < self.period)
        if not inside.all():
            row = first_row + int(np.argmin(inside))
            length = duration_text(self.period)
            raise DataError(f"row {row} does not lie within the period of {length}")
        share = moment / self.resolution
        step = np.floor(share + 0.5)
        if not self.is_rounding:
            whole = np.abs(share - step) <= _TINY
            if not whole.all():
                row = first_row + int(np.argmin(whole))
                raise DataError(
                    f"row {row} is finer than {duration_text(self.resolution)}; "
                    "choose the steps with --resolution"
                )
        return np.mod(step.astype(np.int64), self.modulus)


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _floats(values: Sequence[str], first_row: int) -> FloatArray:
    try:
        return np.array(values, dtype=np.str_).astype(np.float64)
    except ValueError:
        pass  # its text quotes the value
    row = next(i for i, text in enumerate(values) if not _is_number(text))
    raise DataError(f"row {first_row + row} is not a number")


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
