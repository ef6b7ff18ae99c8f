"""Release two columns of degrees from their table to their report."""

from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from publius.accounting.spending import Bill, Cost
from publius.coordinates.request import TableRequest
from publius.coordinates.run import (
    Originals,
    Run,
    Writer,
    first_row,
    released_places,
)
from publius.core.arrays import FloatArray
from publius.core.errors import DataError, ParameterError, UnknownNameError
from publius.corpus.columns import Columns
from publius.corpus.folder import ReleaseFolder
from publius.corpus.geojson import is_geojson, open_geojson, write_geojson
from publius.corpus.read import open_source
from publius.corpus.source import Source
from publius.directional.earth import RADIUS, checked_places, metres_to_angle
from publius.directional.places import PlaceSanitizer, PointsOfInterest
from publius.directional.quantity import length_text
from publius.engines.coordinates import POINT, PlaceStep, read_degrees
from publius.mechanisms.purkayastha import Purkayastha
from publius.mechanisms.von_mises_fisher import VonMisesFisher
from publius.release import Watch
from publius.reporting.directional import Accuracy, DirectionalSummary
from publius.reporting.directional_figures import LEVELS, error_curve, place_map

LAWS: dict[str, type[Purkayastha] | type[VonMisesFisher]] = {
    "purkayastha": Purkayastha,
    "vmf": VonMisesFisher,
}


@dataclass(frozen=True, slots=True)
class PlaceSettings:
    """How places are protected.

    Args:
        lat: Column of latitudes.
        lon: Column of longitudes.
        level: Loss between places `radius` apart.
        radius: Protection radius in metres.
        mechanism: ``purkayastha`` or ``vmf``.
        points: Table of public points with the columns lat, lon and, if it has one,
            name.
    """

    lat: str
    lon: str
    level: float
    radius: float
    mechanism: str = "purkayastha"
    points: str | None = None

    def __post_init__(self) -> None:
        if self.mechanism not in LAWS:
            raise UnknownNameError("mechanism for places", self.mechanism, LAWS)
        if self.lat == self.lon:
            raise ParameterError("latitude and longitude need two columns")

    def law(self, level: float | None = None) -> Purkayastha | VonMisesFisher:
        """Return the mechanism on the sphere."""
        return LAWS[self.mechanism].from_level(
            level=self.level if level is None else level,
            radius=metres_to_angle(self.radius),
            dim=3,
        )


def release_places(
    request: TableRequest, settings: PlaceSettings, watch: Watch | None = None
) -> DirectionalSummary:
    """Run a release of places.

    Raises:
        PubliusError: With one line that says what to do; nothing half-written is left.
    """
    law = settings.law()
    points = None if settings.points is None else read_points(settings.points)
    if points is not None and POINT in request.keep:
        raise ParameterError(f"{POINT!r} will name the public point; do not keep it")
    sanitizer = PlaceSanitizer(law, points)
    run = Run(request, _open(request, settings), watch or Watch())
    with run.folder(asdict(settings)) as folder:
        run.first()
        promise = sanitizer.guarantee()
        run.release(
            PlaceStep(sanitizer, settings.lat, settings.lon, run.kept(), run.key,
                      run.cells()),
            folder,
            Bill(law.name, promise, Cost.of(promise, near=settings.level)),
        )  # fmt: skip
        summary = DirectionalSummary(
            kind="places",
            mechanism=law.name,
            settings={
                "columns": f"{settings.lat}, {settings.lon}",
                "κ per radian": law.kappa,
                "ε per metre": law.kappa / RADIUS,
                "decimals of a degree": sanitizer.decimals,
                "points of interest": len(points.names) if points else 0,
            },
            level=settings.level,
            within=f"at most {length_text(settings.radius)} apart",
            guarantee=run.promise(promise),
            accuracy=_accuracy(law),
            rows=run.rows,
            busiest=run.busiest,
            is_secure=request.seed is None,
            files={},
        )
        pictures = partial(_pictures, settings, folder)
        return run.finish(folder, summary, pictures, _writer(run, settings))


def read_points(path: str) -> PointsOfInterest:
    """Read public points of interest from a table.

    Raises:
        DataError: It cannot be read, or holds something that is no place.
    """
    try:
        source = open_source(path, columns=_point_columns("name"))
    except DataError:
        source = open_source(path, columns=_point_columns())
    table = pa.Table.from_batches(list(source.batches()), source.schema)
    if table.num_rows == 0:
        raise DataError("the table of points of interest has no rows")
    row = first_row(source)
    degrees = (
        read_degrees(table.column(name).combine_chunks(), name, row)
        for name in ("lat", "lon")
    )
    lat, lon = checked_places(*degrees, first_row=row)
    numbers = [str(row) for row in range(1, table.num_rows + 1)]
    has_names = "name" in table.column_names
    names = [str(n) for n in table.column("name").to_pylist()] if has_names else numbers
    return PointsOfInterest(lat, lon, names)


def _point_columns(*names: str) -> Columns:
    return Columns(("lat", "lon"), keep=names, is_typed=True)


def _open(request: TableRequest, settings: PlaceSettings) -> Source:
    columns = request.columns(settings.lat, settings.lon)
    if request.input_format is None and is_geojson(request.path):
        return open_geojson(Path(request.path), settings.lat, settings.lon, columns)
    return open_source(
        request.path,
        columns=columns,
        input_format=request.input_format,
        encoding=request.encoding,
    )


def _writer(run: Run, settings: PlaceSettings) -> Writer:
    own = run.request.format
    if (run.source.format if own == "same" else own) != "geojson":
        return run.table_writer()

    def write(folder: ReleaseFolder, schema: pa.Schema, count: int) -> Path:  # noqa: ARG001 - one signature for all formats
        path = folder.path / "data.geojson"
        write_geojson(path, folder.tables(), lat=settings.lat, lon=settings.lon)
        return path

    return write


def _accuracy(law: Purkayastha | VonMisesFisher) -> Accuracy:
    mean = law.mean_angle() * RADIUS
    unit, length = ("km", 1000.0) if mean >= 2000 else ("m", 1.0)
    median, most = law.angle_ppf(np.array([0.5, 0.95])) * (RADIUS / length)
    return Accuracy(mean / length, float(median), float(most), unit)


def _pictures(
    settings: PlaceSettings, folder: ReleaseFolder, originals: Originals | None
) -> list[tuple[str, str]]:
    errors = [settings.law(level).mean_angle() * RADIUS for level in LEVELS]
    before: tuple[FloatArray, FloatArray] | None = None
    if originals is not None:
        both = np.concatenate(originals, axis=1)
        before = both[0], both[1]
    released = released_places(folder, settings.lat, settings.lon)
    return [
        ("Released places", place_map(released, before)),
        ("Error and level", error_curve(LEVELS, errors, settings.level, "metres")),
    ]
