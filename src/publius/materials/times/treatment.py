"""Times are moved on the circle on which they repeat."""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import ClassVar

import numpy as np
import pyarrow as pa

from publius.core.arrays import at_least, positive
from publius.core.declared import settle
from publius.core.errors import DataError
from publius.materials.form import Form
from publius.materials.quantity import DAY, WEEK, YEAR, duration_text
from publius.materials.record_forms import BINS, TimeForm, is_number
from publius.materials.records import (
    RECORD_CUT,
    Dropping,
    disclosed_records,
    record_charge,
)
from publius.materials.times.clock import WEEKDAYS, Clock
from publius.materials.times.sanitizer import TimeSanitizer
from publius.materials.treatment import Prepared, Seen, refuse_geojson
from publius.mechanisms.discrete_circular_laplace import DiscreteCircularLaplace
from publius.reporting import directional_figures as figures
from publius.reporting.directional import (
    Accuracy,
    RecordFacts,
    render_directional,
)
from publius.reporting.summary import Summary
from publius.tables.source import Source

UNITS = (("days", DAY), ("h", 3600), ("min", 60))
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun",
          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSettings(Dropping):
    """How times are protected.

    Args:
        level: Loss between times `radius` apart.
        radius: Protection radius in seconds.
        period: In seconds.
        resolution: Seconds per step; None for what `clock` says.
        unit: Seconds per unit of plain numbers, which then leave as numbers; None for
            times that leave as ``HH:MM`` and the like.
        is_local: Accept timestamps without a zone as local times.
    """

    level: float
    radius: int
    period: int = DAY
    resolution: int | None = None
    unit: int | None = None
    is_local: bool = False

    def __post_init__(self) -> None:
        settle(self)
        positive("level", self.level)
        positive("radius", self.radius)
        at_least("period", self.period, 1)
        for name in ("resolution", "unit"):
            if getattr(self, name) is not None:
                at_least(name, getattr(self, name), 1)

    def clock(self, column: pa.Field) -> Clock:
        """Return how a column that is stored as its type is read and written.

        Nothing here looks at a cell. A step is a minute, a whole unit of a column of
        integers, or a day where dates are stored or the period is a year; numbers of
        seconds, or of days and more, have steps of their unit.

        Raises:
            DataError: No times are stored as this type, or not of this period.
        """
        unit, kind = self.unit, column.type
        if is_number(kind):
            unit = unit or 60
        elif pa.types.is_date(kind) and self.period == DAY:
            raise DataError("the column holds dates; use --period week or year")
        elif pa.types.is_time(kind) and self.period > DAY:
            raise DataError("the column holds times of day, which repeat within 24h")
        elif not _holds_times(kind):
            raise DataError(
                f"column {column.name!r} is stored as {kind}, which holds no times"
            )
        resolution = self.resolution or _step(kind, self.period, unit)
        return Clock(self.period, resolution, unit, needs_zone=not self.is_local)

    def law(self, clock: Clock, level: float | None = None) -> DiscreteCircularLaplace:
        """Return the mechanism on the clock's steps."""
        reach = self.radius / clock.resolution
        # Rounding may carry two times within the radius one step further apart.
        return DiscreteCircularLaplace.from_level(
            level=self.level if level is None else level,
            radius=math.ceil(reach),
            modulus=clock.modulus,
        )


def _step(kind: pa.DataType, period: int, unit: int | None) -> int:
    """Return the seconds of a step where none are asked for."""
    if unit is not None and (pa.types.is_integer(kind) or not 60 <= unit < DAY):
        return unit
    if pa.types.is_date(kind) or (unit is None and period == YEAR):
        return DAY
    return math.gcd(60, period)


def _holds_times(kind: pa.DataType) -> bool:
    return bool(pa.types.is_temporal(kind) or pa.types.is_large_string(kind))


def _form(settings: TimeSettings, clock: Clock) -> Form:
    sanitizer = TimeSanitizer(clock, settings.law(clock))
    return TimeForm(sanitizer, settings.is_dropping)


@dataclass(frozen=True, slots=True)
class TimeTreatment:
    """A circular mechanism that is not built yet."""

    is_typed: ClassVar[bool] = True
    needs_rows: ClassVar[bool] = True

    settings: TimeSettings

    def refuse(self, file_format: str) -> None:
        """Refuse points on a map."""
        refuse_geojson(file_format)

    def job(self) -> dict[str, object]:
        """Return the settings."""
        return {"settings": asdict(self.settings)}

    def prepare(
        self, source: Source, stage: Callable[[str], None]
    ) -> Prepared[RecordFacts]:
        """Build the mechanism on the steps of the column's clock."""
        stage("preparing the mechanism")
        column = source.schema.field(0)
        clock = self.settings.clock(column)
        return _prepared(self.settings, column.name, clock)


def _prepared(
    settings: TimeSettings, column: str, clock: Clock
) -> Prepared[RecordFacts]:
    law = settings.law(clock)
    guarantee = TimeSanitizer(clock, law).guarantee()
    return Prepared(
        form=_form(settings, clock),
        make_form=partial(_form, settings, clock),
        charge=record_charge(law.name, guarantee, settings.level),
        disclosed=partial(disclosed_records, is_dropping=settings.is_dropping),
        facts=partial(
            RecordFacts,
            "times",
            law.name,
            {
                "column": column,
                "ε per step": law.epsilon,
                "step": duration_text(clock.resolution),
                "period": duration_text(clock.period),
                "layout": clock.layout,
            },
            settings.level,
            f"at most {duration_text(settings.radius)} apart",
            _accuracy(law, clock),
        ),
        beside=partial(_beside, settings, clock),
        cut=RECORD_CUT,
    )


def _beside(
    settings: TimeSettings, clock: Clock, summary: Summary[RecordFacts], seen: Seen
) -> dict[str, bytes]:
    """Return the report."""
    bins = np.array([seen.counts[f"bin{i}"] for i in range(BINS)])
    before = None if seen.originals is None else np.sum(seen.originals, axis=0)
    laws = [settings.law(clock, level) for level in figures.LEVELS]
    errors = [law.mean_distance() * clock.resolution / 60 for law in laws]
    pictures = [
        ("Released times", figures.rose(bins, _labels(clock), before)),
        (
            "Error and level",
            figures.error_curve(figures.LEVELS, errors, settings.level, "minutes"),
        ),
    ]
    page = render_directional(summary, pictures, shows_originals=before is not None)
    return {"report.html": page.encode()}


def _accuracy(law: DiscreteCircularLaplace, clock: Clock) -> Accuracy:
    mean = law.mean_distance() * clock.resolution
    unit, length = next(((u, s) for u, s in UNITS if mean >= 2 * s), ("min", 60))
    turn = clock.period / (2 * math.pi) / length
    median, most = law.angle_ppf(np.array([0.5, 0.95])) * turn
    return Accuracy(mean / length, float(median), float(most), unit)


def _labels(clock: Clock) -> tuple[str, ...]:
    named = {WEEK: WEEKDAYS, YEAR: MONTHS}
    if clock.period in named:
        return named[clock.period]
    return tuple(duration_text(clock.period * k / 8) if k else "0" for k in range(8))
