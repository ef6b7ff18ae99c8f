"""Places are moved on the globe."""

import math
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar, Protocol, Self

import numpy as np
import pyarrow as pa

from publius.core.arrays import FloatArray, at_least, positive
from publius.core.declared import settle
from publius.core.errors import DataError, ParameterError, UnknownNameError
from publius.core.guarantee import Scope
from publius.core.stating import multiply_up
from publius.materials.form import Form
from publius.materials.places.sanitizer import (
    AngularNoise,
    PlaceSanitizer,
    PointsOfInterest,
)
from publius.materials.quantity import length_text
from publius.materials.record_forms import PlaceForm, read_degrees
from publius.materials.records import (
    RECORD_CUT,
    Dropping,
    disclosed_records,
    record_charge,
)
from publius.materials.treatment import Prepared, Seen
from publius.mechanisms.purkayastha import Purkayastha
from publius.mechanisms.registry import About
from publius.mechanisms.von_mises_fisher import VonMisesFisher
from publius.numerics.geometry.earth import RADIUS, checked_places, metres_to_angle
from publius.reporting import directional_figures as figures
from publius.reporting.directional import (
    Accuracy,
    RecordFacts,
    render_directional,
)
from publius.reporting.summary import Summary
from publius.tables.columns import Columns
from publius.tables.read import open_source
from publius.tables.source import Source
from publius.tables.thinning import thinned

SHOWN = 20_000
"""Released rows that a picture is drawn from."""

WEGGENMANN = ("weggenmann2021", "weggenmann2023")


class PlaceLaw(AngularNoise, Protocol):
    """A law on the sphere that can be set by a level within a radius."""

    @property
    def kappa(self) -> float:
        """Its concentration per radian."""
        ...

    @classmethod
    def from_level(cls, *, level: float, radius: float, dim: int = 2) -> Self:
        """Lose exactly `level` between directions `radius` radians apart."""
        ...

    def angle_ppf(self, probability: FloatArray) -> FloatArray:
        """Return the angle not exceeded with `probability`."""
        ...


@dataclass(frozen=True, slots=True)
class PlaceEntry:
    """A mechanism for places by name.

    Args:
        law: Its law on the sphere; its card is named like the module of this class.
        papers: Keys of the bibliography.
    """

    law: type[PlaceLaw]
    papers: tuple[str, ...]

    @property
    def about(self) -> About:
        """What every surface shows of it."""
        page = self.law.__module__.rpartition(".")[2]
        name = str(self.law.name)
        return About(name, settings=PlaceSettings, page=page, papers=self.papers)


LAWS: dict[str, PlaceEntry] = {
    "purkayastha": PlaceEntry(Purkayastha, (*WEGGENMANN, "purkayastha1991")),
    "vmf": PlaceEntry(VonMisesFisher, (*WEGGENMANN, "ulrich1984", "wood1994")),
}
"""Every mechanism for places. A new one is a line here."""


def place_mechanism(name: str) -> str:
    """Return the name of a mechanism for places, which its law or class may stand for.

    Raises:
        UnknownNameError: There is none.
    """
    plain = name.replace("-", "_")
    for known, entry in LAWS.items():
        if name in (known, entry.law.name) or plain == entry.about.page:
            return known
    raise UnknownNameError("mechanism for places", name, LAWS)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceSettings(Dropping):
    """How places are protected.

    Args:
        level: Loss between places `radius` apart.
        radius: Protection radius in metres.
        mechanism: ``purkayastha`` or ``vmf``.
        points: Table of public points with the columns lat, lon and, if it has one,
            name.
        trajectories: Records of a person that leave at most; `level` then is that of
            all of them together. None releases every record at `level`.
    """

    level: float
    radius: float
    mechanism: str = "purkayastha"
    points: str | None = None
    trajectories: int | None = None

    def __post_init__(self) -> None:
        settle(self)
        positive("level", self.level)
        positive("radius", self.radius)
        object.__setattr__(self, "mechanism", place_mechanism(self.mechanism))
        if self.trajectories is not None:
            at_least("trajectories", self.trajectories, 1)

    @property
    def place_level(self) -> float:
        """Loss of one place within `radius`: its share of `level`, rounded down."""
        count = self.trajectories or 1
        share = self.level / count
        while multiply_up(share, count) > self.level:
            share = math.nextafter(share, 0.0)
        return share

    def law(self, level: float | None = None) -> PlaceLaw:
        """Return the mechanism on the sphere."""
        return LAWS[self.mechanism].law.from_level(
            level=self.place_level if level is None else level,
            radius=metres_to_angle(self.radius),
            dim=3,
        )


def _form(settings: PlaceSettings) -> Form:
    return PlaceForm(_sanitizer(settings), settings.is_dropping)


def _sanitizer(settings: PlaceSettings) -> PlaceSanitizer:
    points = None if settings.points is None else read_points(settings.points)
    return PlaceSanitizer(settings.law(), points)


@dataclass(frozen=True, slots=True)
class PlaceTreatment:
    """A mechanism on the globe that is not built yet."""

    is_typed: ClassVar[bool] = True
    needs_rows: ClassVar[bool] = True

    settings: PlaceSettings

    @property
    def is_choosing(self) -> bool:
        """Whether a person's records are thinned out."""
        return self.settings.trajectories is not None

    def chosen(self, source: Source, stage: Callable[[str], None]) -> Source:
        """Return the records that leave, a few of each person."""
        most = self.settings.trajectories
        if most is None:
            return source
        stage("counting the records of each person")
        form = PlaceForm(_sanitizer(self.settings), self.settings.is_dropping)
        return thinned(source, most, form.present)

    def refuse(self, file_format: str) -> None:
        """Refuse nothing: degrees fit every format."""

    def job(self) -> dict[str, object]:
        """Return the settings."""
        settings = asdict(self.settings)
        if self.settings.trajectories is None:
            del settings["trajectories"]  # draws of a seed stay what they were
        return {"settings": settings}

    def prepare(
        self, source: Source, stage: Callable[[str], None]
    ) -> Prepared[RecordFacts]:
        """Build the mechanism and read the public points."""
        stage("preparing the mechanism")
        lat, lon = source.columns.protected
        return _prepared(self.settings, f"{lat}, {lon}", _sanitizer(self.settings))


def _prepared(
    settings: PlaceSettings, columns: str, sanitizer: PlaceSanitizer
) -> Prepared[RecordFacts]:
    law, points = settings.law(), sanitizer.points
    most = settings.trajectories
    limit = {} if most is None else {"records of a person at most": most}
    return Prepared(
        form=PlaceForm(sanitizer, settings.is_dropping),
        make_form=partial(_form, settings),
        charge=record_charge(law.name, sanitizer.guarantee(), settings.place_level),
        disclosed=partial(_disclosed, settings),
        facts=partial(
            RecordFacts,
            "places",
            law.name,
            {
                "columns": columns,
                "κ per radian": law.kappa,
                "ε per metre": law.kappa / RADIUS,
                "decimals of a degree": sanitizer.decimals,
                "points of interest": len(points.names) if points else 0,
                **limit,
            },
            settings.place_level,
            f"at most {length_text(settings.radius)} apart on a round Earth",
            _accuracy(law),
            limit=most,
        ),
        beside=partial(_beside, settings),
        cut=RECORD_CUT,
    )


def _disclosed(settings: PlaceSettings, source: Source) -> Scope:
    """Say what a released table tells, whatever the mechanism is."""
    most = settings.trajectories
    told = disclosed_records(
        source, is_dropping=settings.is_dropping, tells_busiest=most is None
    )
    return told if most is None else told.joined(of_trajectories(most))


def _beside(
    settings: PlaceSettings, summary: Summary[RecordFacts], seen: Seen
) -> dict[str, bytes]:
    """Return the report."""
    errors = [settings.law(level).mean_angle() * RADIUS for level in figures.LEVELS]
    before: tuple[FloatArray, FloatArray] | None = None
    if seen.originals is not None:
        both = np.concatenate(seen.originals, axis=1)
        before = both[0], both[1]
    level = settings.place_level
    pictures = [
        ("Released places", figures.place_map(_shown(seen.tables()), before)),
        (
            "Error and level",
            figures.error_curve(figures.LEVELS, errors, level, "metres"),
        ),
    ]
    page = render_directional(summary, pictures, shows_originals=before is not None)
    return {"report.html": page.encode()}


def of_trajectories(most: int) -> Scope:
    """Say what is covered where few records of each person leave."""
    return Scope(
        covered=(
            f"All places of a person together: at most {most} records of each leave, "
            "each with noise of its own.",
        ),
        uncovered=(
            "How many records a person has: their number and order, nothing else, "
            "decide which of them leave.",
        ),
    )


def refuse_own_points(table: object, points: str | None) -> None:
    """Refuse the secret places as public points: they would leave as they are.

    Raises:
        ParameterError: Both are one file.
    """
    if points is None or not isinstance(table, str | Path):
        return
    files = Path(table), Path(points)
    if all(file.is_file() for file in files) and files[0].samefile(files[1]):
        raise ParameterError(
            "--points must hold public places, and this is the input, whose places "
            "would leave as they are; name another table"
        )


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
    row = source.first_row
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


def _accuracy(law: PlaceLaw) -> Accuracy:
    mean = law.mean_angle() * RADIUS
    unit, length = ("km", 1000.0) if mean >= 2000 else ("m", 1.0)
    median, most = law.angle_ppf(np.array([0.5, 0.95])) * (RADIUS / length)
    return Accuracy(mean / length, float(median), float(most), unit)


def _shown(tables: Iterable[pa.Table]) -> tuple[FloatArray, FloatArray]:
    """Return up to ``SHOWN`` released places, which are public."""
    parts: list[list[FloatArray]] = [[], []]
    left = SHOWN
    for table in tables:
        for place, column in enumerate(parts):
            column.append(table.column(place).slice(0, left).to_numpy())
        left -= table.num_rows
        if left <= 0:
            break
    north, east = (np.concatenate(part) if part else np.empty(0) for part in parts)
    return north, east
