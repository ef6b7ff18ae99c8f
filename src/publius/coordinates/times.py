"""Release a column of times from its table to its report."""

import math
from dataclasses import asdict, dataclass

import numpy as np
import pyarrow as pa

from publius.accounting.spending import Bill, Cost
from publius.coordinates.request import TableRequest
from publius.coordinates.run import Run
from publius.core.errors import DataError, ParameterError
from publius.corpus.read import open_source
from publius.directional.clock import WEEKDAYS, Clock
from publius.directional.quantity import DAY, WEEK, YEAR, duration_text
from publius.directional.times import TimeSanitizer
from publius.engines.coordinates import TimeStep, is_number, written
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
        resolution: In seconds; None takes that of the layout.
        unit: Seconds per unit of plain numbers.
        is_local: Accept timestamps without a zone as local times.
    """

    column: str
    level: float
    radius: int
    period: int = DAY
    resolution: int | None = None
    unit: int = 60
    is_local: bool = False

    def law(self, clock: Clock, level: float | None = None) -> DiscreteCircularLaplace:
        """Return the mechanism on the clock's steps."""
        reach = self.radius / clock.resolution
        # Rounding may carry two times within the radius one step further apart.
        return DiscreteCircularLaplace.from_level(
            level=self.level if level is None else level,
            radius=math.ceil(reach) if clock.is_rounding else reach,
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
        clock = _clock(settings, run.first())
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
        return run.finish(folder, summary, _pictures(run, settings, clock),
                          run.table_writer())  # fmt: skip


def _clock(settings: TimeSettings, first: pa.Array) -> Clock:
    if pa.types.is_date(first.type) and settings.period == DAY:
        raise DataError("the column holds dates; use --period week or year")
    sample = ["0"] if is_number(first.type) else written(first)
    return Clock.detect(
        sample,
        period=settings.period,
        resolution=settings.resolution,
        unit=settings.unit,
        needs_zone=not settings.is_local,
    )


def _accuracy(law: DiscreteCircularLaplace, clock: Clock) -> Accuracy:
    mean = law.mean_distance() * clock.resolution
    unit, length = next(((u, s) for u, s in UNITS if mean >= 2 * s), ("min", 60))
    turn = clock.period / (2 * math.pi) / length
    median, most = law.angle_ppf(np.array([0.5, 0.95])) * turn
    return Accuracy(mean / length, float(median), float(most), unit)


def _pictures(run: Run, settings: TimeSettings, clock: Clock) -> list[tuple[str, str]]:
    errors = [
        settings.law(clock, level).mean_distance() * clock.resolution / 60
        for level in LEVELS
    ]
    before = None if run.originals is None else np.sum(run.originals, axis=0)
    return [
        ("Released times", rose(run.bins, _labels(clock), before)),
        ("Error and level", error_curve(LEVELS, errors, settings.level, "minutes")),
    ]


def _labels(clock: Clock) -> tuple[str, ...]:
    named = {WEEK: WEEKDAYS, YEAR: MONTHS}
    if clock.period in named:
        return named[clock.period]
    return tuple(duration_text(clock.period * k / 8) if k else "0" for k in range(8))
