"""Release a column of times from its table to its report."""

import math
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np
import pyarrow as pa

from publius.accounting.spending import Bill, Cost
from publius.coordinates.request import TableRequest
from publius.coordinates.run import Originals, Run
from publius.core.errors import DataError, ParameterError
from publius.corpus.read import open_source
from publius.directional.clock import WEEKDAYS, Clock
from publius.directional.quantity import DAY, WEEK, YEAR, duration_text
from publius.directional.times import TimeSanitizer
from publius.engines.coordinates import TimeStep, is_number
from publius.mechanisms.discrete_circular import DiscreteCircularLaplace
from publius.release import Watch
from publius.reporting.directional import Accuracy, DirectionalSummary
from publius.reporting.directional_figures import LEVELS, error_curve, rose

UNITS = (("days", DAY), ("h", 3600), ("min", 60))
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun",
          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")  # fmt: skip


@dataclass(frozen=True, slots=True)
class TimeSettings:
    """How times are protected.

    Args:
        column: The column of times.
        level: Loss between times `radius` apart.
        radius: Protection radius in seconds.
        period: In seconds.
        resolution: Seconds per step; None for what `clock` says.
        unit: Seconds per unit of plain numbers, which then leave as numbers; None for
            times that leave as ``HH:MM`` and the like.
        is_local: Accept timestamps without a zone as local times.
    """

    column: str
    level: float
    radius: int
    period: int = DAY
    resolution: int | None = None
    unit: int | None = None
    is_local: bool = False

    def clock(self, kind: pa.DataType) -> Clock:
        """Return how a column that is stored as this type is read and written.

        Nothing here looks at a cell. A step is a minute, a whole unit of a column of
        integers, or a day where dates are stored or the period is a year; numbers of
        seconds, or of days and more, have steps of their unit.

        Raises:
            DataError: No times are stored as this type, or not of this period.
        """
        unit = self.unit
        if is_number(kind):
            unit = unit or 60
        elif pa.types.is_date(kind) and self.period == DAY:
            raise DataError("the column holds dates; use --period week or year")
        elif pa.types.is_time(kind) and self.period > DAY:
            raise DataError("the column holds times of day, which repeat within 24h")
        elif not _holds_times(kind):
            raise DataError(
                f"column {self.column!r} is stored as {kind}, which holds no times"
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


def release_times(
    request: TableRequest, settings: TimeSettings, watch: Watch | None = None
) -> DirectionalSummary:
    """Run a release of times.

    Raises:
        PubliusError: With one line that says what to do; nothing half-written is left.
    """
    if request.format == "geojson":
        raise ParameterError("GeoJSON holds places; choose another --format for times")
    source = open_source(
        request.path,
        columns=request.columns(settings.column),
        input_format=request.input_format,
        encoding=request.encoding,
    )
    run = Run(request, source, watch or Watch())
    with run.folder(asdict(settings)) as folder:
        clock = settings.clock(run.field(settings.column).type)
        run.first()
        law = settings.law(clock)
        sanitizer = TimeSanitizer(clock, law)
        column = run.field(settings.column)
        promise = sanitizer.guarantee()
        run.release(
            TimeStep(sanitizer, column, run.kept(), run.key, run.cells()),
            folder,
            Bill(law.name, promise, Cost.of(promise, near=settings.level)),
        )
        summary = DirectionalSummary(
            kind="times",
            mechanism=law.name,
            settings={
                "column": settings.column,
                "ε per step": law.epsilon,
                "step": duration_text(clock.resolution),
                "period": duration_text(clock.period),
                "layout": clock.layout,
            },
            level=settings.level,
            within=f"at most {duration_text(settings.radius)} apart",
            guarantee=run.promise(promise),
            accuracy=_accuracy(law, clock),
            rows=run.rows,
            busiest=run.busiest,
            is_secure=request.seed is None,
            files={},
        )
        pictures = partial(_pictures, run, settings, clock)
        return run.finish(folder, summary, pictures, run.table_writer())


def _step(kind: pa.DataType, period: int, unit: int | None) -> int:
    """Return the seconds of a step where none are asked for."""
    if unit is not None and (pa.types.is_integer(kind) or not 60 <= unit < DAY):
        return unit
    if pa.types.is_date(kind) or (unit is None and period == YEAR):
        return DAY
    return math.gcd(60, period)


def _holds_times(kind: pa.DataType) -> bool:
    return bool(pa.types.is_temporal(kind) or pa.types.is_large_string(kind))


def _accuracy(law: DiscreteCircularLaplace, clock: Clock) -> Accuracy:
    mean = law.mean_distance() * clock.resolution
    unit, length = next(((u, s) for u, s in UNITS if mean >= 2 * s), ("min", 60))
    turn = clock.period / (2 * math.pi) / length
    median, most = law.angle_ppf(np.array([0.5, 0.95])) * turn
    return Accuracy(mean / length, float(median), float(most), unit)


def _pictures(
    run: Run, settings: TimeSettings, clock: Clock, originals: Originals | None
) -> list[tuple[str, str]]:
    errors = [
        settings.law(clock, level).mean_distance() * clock.resolution / 60
        for level in LEVELS
    ]
    before = None if originals is None else np.sum(originals, axis=0)
    return [
        ("Released times", rose(run.bins, _labels(clock), before)),
        ("Error and level", error_curve(LEVELS, errors, settings.level, "minutes")),
    ]


def _labels(clock: Clock) -> tuple[str, ...]:
    named = {WEEK: WEEKDAYS, YEAR: MONTHS}
    if clock.period in named:
        return named[clock.period]
    return tuple(duration_text(clock.period * k / 8) if k else "0" for k in range(8))
