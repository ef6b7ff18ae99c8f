"""Times on a circle and places on a map: what was sent, and what was released."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from markupsafe import Markup

from publius.core.arrays import FloatArray, IdArray
from publius.core.errors import DataError, ParameterError
from publius.core.rng import secure
from publius.materials.places.treatment import PlaceSettings, PlaceTreatment
from publius.materials.quantity import DAY, WEEK, YEAR, duration_text, seconds
from publius.materials.times.clock import WEEKDAYS
from publius.materials.times.treatment import MONTHS, TimeSettings, TimeTreatment
from publius.studio.asked import Asked
from publius.studio.charts import clock
from publius.studio.maps import View, place_map
from publius.tables.columns import Columns
from publius.tables.read import open_source

MOST_ROWS = 50_000
"""Rows of a picture; a larger table is shown by its first ones."""

NAMED = {WEEK: WEEKDAYS, YEAR: MONTHS}


@dataclass(frozen=True, slots=True)
class Pictured:
    """One picture of a table.

    Args:
        title: Whose values it shows.
        chart: The drawing.
        is_secret: It shows originals and is not for publication.
    """

    title: str
    chart: Markup
    is_secret: bool


def pictured(asked: Asked, released: Path | None = None) -> list[Pictured]:
    """Return times on circles or places on maps.

    Args:
        asked: Which columns of which table.
        released: The released table, to stand beside the original; None before that.

    Raises:
        ParameterError: Neither times nor places are asked for, or no column is chosen.
    """
    tables = {"Yours": asked.upload.path}
    if released is not None:
        tables["Released"] = released
    fields = asked.fields
    if "column" in fields:
        return circles(str(fields["column"]), fields.get("period"), tables)
    if "lat" in fields and "lon" in fields:
        return maps(str(fields["lat"]), str(fields["lon"]), tables)
    raise ParameterError("choose the columns of times or places first")


def circles(column: str, period: object, tables: dict[str, Path]) -> list[Pictured]:
    """Return times of each table around the period.

    Args:
        column: Of times.
        period: Such as ``week``; empty for a day.
        tables: By title; the first is the secret one.
    """
    length = seconds(str(period)) if period else DAY
    settings = TimeSettings(
        level=1.0, radius=60, period=length, is_local=True, is_dropping=True
    )
    labels = NAMED.get(length) or tuple(
        duration_text(length * k / 8) if k else "0" for k in range(8)
    )
    return [
        Pictured(title, clock(
            _counts(settings, path, column), labels, f"{title}, around the clock"
        ), number == 0)
        for number, (title, path) in enumerate(tables.items())
    ]  # fmt: skip


def maps(lat: str, lon: str, tables: dict[str, Path]) -> list[Pictured]:
    """Return places of each table on one part of the world.

    Args:
        lat: Column of latitudes.
        lon: Column of longitudes.
        tables: By title; the first is the secret one.
    """
    settings = PlaceSettings(level=1.0, radius=1000.0, is_dropping=True)
    treatment = PlaceTreatment(settings)
    shown = []
    for number, (title, path) in enumerate(tables.items()):
        parts = list(_originals(treatment, path, lat, lon))
        both = np.concatenate(parts or [np.empty((2, 0))], axis=1)
        # Each has a view of its own: a released map must not show the secret box.
        view = View.around(both[0], both[1])
        chart = place_map(both[0], both[1], view, title)
        shown.append(Pictured(title, chart, number == 0))
    return shown


def _counts(settings: TimeSettings, path: Path, column: str) -> list[int]:
    parts = list(_originals(TimeTreatment(settings), path, column))
    return [int(count) for count in np.sum(parts, axis=0)] if parts else [0]


def _originals(
    treatment: TimeTreatment | PlaceTreatment, path: Path, *columns: str
) -> Iterator[FloatArray | IdArray]:
    """Yield what a release of the first rows reads; what it draws is thrown away."""
    source = open_source(path, columns=Columns(columns, is_typed=True))
    form = treatment.prepare(source, lambda _: None).form
    left = MOST_ROWS
    for batch in source.batches():
        read = form.release(batch.slice(0, left), secure()).originals
        if read is None:
            raise DataError("these columns cannot be drawn")
        yield read
        left -= batch.num_rows
        if left <= 0:
            return
