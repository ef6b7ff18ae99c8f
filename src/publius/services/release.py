"""Release: a table of secrets in, a folder that may be published out.

One pipeline for words, sentences, times and places; what differs is the settings.
"""

import importlib
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from pyarrow import parquet

from publius.core.config import LedgerSettings, WordSettings
from publius.core.errors import ParameterError
from publius.core.html import html_table
from publius.core.rng import secure
from publius.core.watch import SILENT, Watch
from publius.engines.engine import Engine
from publius.engines.named import named_engine
from publius.engines.workers import workers_for
from publius.materials.places.treatment import PlaceSettings, refuse_own_points
from publius.materials.quantity import DAY, metres, seconds
from publius.materials.sentences.settings import SentenceSettings
from publius.materials.times.treatment import TimeSettings
from publius.pipeline import Measuring, ReleaseRequest
from publius.pipeline import release as run_pipeline
from publius.pipeline.compared import Compared
from publius.pipeline.part_task import PARTS
from publius.pipeline.release import AnySettings, AnySummary, usual_format
from publius.reporting.measured import Measured
from publius.retelling.settings import RetellSettings
from publius.services.verb import verb
from publius.tables.columns import Columns
from publius.tables.formats.memory import TEXT, as_given, as_input

USUAL = "parquet"
DATA = f"data.{USUAL}"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Common:
    """What releases of every material may be asked for.

    Args:
        out: Folder for data, report and manifest; None keeps the released table in
            memory and nothing on the disk.
        keep: Columns that leave as they are, UNPROTECTED.
        seed: For tests only; marks the release as insecure.
        workers: Number of processes, or ``auto``.
        resume: Continue an interrupted run.
        format: Of ``data.*``; ``same`` for the input's own. None for the usual one:
            lines stay lines, times and places leave as their file came; else Parquet.
        input_format: Of the input when its name does not tell.
        encoding: Of a text input.
        ledger: Charged before anything is drawn.
        engine: Where the work runs, or its name; None for processes of this machine.
        limit: Release the first so many rows only; None for all.
        delimiter: Between the cells of a csv input; None lets its names decide.
        escapes: Put an apostrophe before texts of csv and tsv that a spreadsheet would
            take for a formula.
        show_examples: Show originals in a private report beside the release.
        replaces: Remove a release that lies in `out` before anything is drawn.
    """

    out: str | Path | None = None
    keep: tuple[str, ...] = ()
    seed: int | None = None
    workers: int | str = 1
    resume: bool = False
    format: str | None = None
    input_format: str | None = None
    encoding: str = "utf-8"
    ledger: LedgerSettings | None = None
    engine: Engine | str | None = None
    limit: int | None = None
    delimiter: str | None = None
    escapes: bool = False
    show_examples: bool = False
    replaces: bool = False

    def __post_init__(self) -> None:
        if self.out is None and self.ledger is not None:
            raise ParameterError("a ledger needs a folder to resume from; give out=")
        if self.out is None and (self.resume or self.replaces or self.show_examples):
            raise ParameterError(
                "resume, replaces and show_examples are about a folder; give out="
            )
        if self.out is None and self.format not in (None, USUAL):
            raise ParameterError("a format is for files; give out=")

    def asked(
        self,
        table: object,
        protected: tuple[str, ...],
        subject: str | None,
        settings: AnySettings,
        out: Path,
    ) -> ReleaseRequest[AnySettings]:
        """Return what the pipeline is asked for."""
        given = as_input(table, protected or (TEXT,))
        usual = USUAL
        if self.out is not None:
            usual = usual_format(given, self.input_format, settings)
        return ReleaseRequest(
            path=given,
            out=out,
            columns=Columns(protected, subject, tuple(self.keep)),
            settings=settings,
            seed=self.seed,
            workers=workers_for(given, self.workers),
            resume=self.resume,
            format=self.format or usual,
            input_format=self.input_format,
            encoding=self.encoding,
            ledger=self.ledger,
            limit=self.limit,
            delimiter=self.delimiter,
            escapes=self.escapes,
            show_examples=self.show_examples,
            replaces=self.replaces,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Texts(Common):
    """Which texts are released, whatever becomes of them.

    Args:
        table: A path, or a table or list of texts in memory.
        text: The column to protect; None finds it by its name.
        author: Adds up losses per value of this column.
    """

    table: object
    text: str | None = None
    author: str | None = None

    @property
    def columns(self) -> tuple[tuple[str, ...], str | None]:
        """The protected column, if it is named, and that of authors."""
        return () if self.text is None else (self.text,), self.author


@dataclass(frozen=True, slots=True, eq=False)
class TextRequest(Texts):
    """Which texts are released word by word.

    Args:
        settings: How words are replaced; single settings may be given by name.
        evaluate: Attack the release; the figures stand in a private report.
        label: With `evaluate`: predict this column from released texts too.
    """

    settings: WordSettings = field(default_factory=WordSettings)
    evaluate: bool = False
    label: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class RewriteRequest(Texts):
    """Which texts are rewritten sentence by sentence.

    Args:
        sentences: How; single settings may be given by name.
    """

    sentences: SentenceSettings = field(
        default_factory=lambda: SentenceSettings(sigma=1.0)
    )


@dataclass(frozen=True, slots=True, eq=False)
class RetoldRequest(Texts):
    """Which texts a language model retells.

    Args:
        retelling: How; single settings may be given by name.
    """

    retelling: RetellSettings = field(default_factory=RetellSettings)


@dataclass(frozen=True, slots=True, eq=False)
class TimesRequest(Common):
    """Which times are released.

    Args:
        table: A path, or a table or list of times in memory.
        column: The column of times; of a list or array, what it shall be called.
        level: Loss between times `radius` apart.
        radius: In seconds, or such as ``30min``.
        period: In seconds, or ``day``, ``week``, ``year``.
        resolution: Of a step, in seconds or such as ``5min``; None for the usual one.
        unit: Of plain numbers, in seconds or such as ``h``; None for written times.
        is_local: Accept timestamps without a zone as local times.
        user: Adds up losses per value of this column.
        is_dropping: Leave out rows with an empty cell instead of refusing them.
    """

    table: object
    column: str
    level: float
    radius: int | str
    period: int | str = DAY
    resolution: int | str | None = None
    unit: int | str | None = None
    is_local: bool = False
    user: str | None = None
    is_dropping: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class PlacesRequest(Common):
    """Which places are released.

    Args:
        table: A path, or a table in memory; a list or array of (latitude, longitude).
        level: Loss between places `radius` apart.
        radius: In metres, or such as ``2km``.
        lat: Column of latitudes in degrees.
        lon: Column of longitudes in degrees.
        mechanism: ``purkayastha`` or ``vmf``.
        points: Table of public points to which places are moved; None for none.
        user: Adds up losses per value of this column.
        is_dropping: Leave out rows with an empty cell instead of refusing them.
        trajectories: Records of a `user` that leave at most; `level` then is that of
            all of them together. None releases every record at `level`.
    """

    table: object
    level: float
    radius: float | str
    lat: str = "lat"
    lon: str = "lon"
    mechanism: str = "purkayastha"
    points: str | None = None
    user: str | None = None
    is_dropping: bool = False
    trajectories: int | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Released:
    """A finished release.

    Args:
        summary: The facts that may be published with it.
        out: Its folder; None if it was kept in memory.
        data: The released table, of the kind that was given; None if it is on disk.
    """

    summary: AnySummary
    out: Path | None
    data: object = None

    def to_json(self) -> dict[str, object]:
        """Return the manifest."""
        return dict(self.summary.to_json())

    def __repr__(self) -> str:
        where = "in memory" if self.out is None else f"in {self.out}"
        return f"<Released {where}>"

    def _repr_html_(self) -> str:
        lines = [(line,) for line in self.summary.statements]
        return html_table(
            "Released" if self.out is None else str(self.out), ("",), lines
        )


@verb(TextRequest)
def release(request: TextRequest, watch: Watch) -> Released:
    """Release texts word by word, in the form that the settings say.

    Example:
        >>> import publius as pb
        >>> done = pb.release(["The doctor came to London."], vocabulary=2000)
        >>> len(done.data)
        1
    """
    if request.label is not None and not request.evaluate:
        raise ParameterError("--label is for --evaluate")
    measuring = None
    if request.evaluate:
        usual = request.settings.embedding == WordSettings().embedding
        measuring = measured_by(request.label, watch, tries_forms=usual)
    return _run(request, request.columns, request.settings, watch, measuring=measuring)


@verb(RewriteRequest)
def rewrite(request: RewriteRequest, watch: Watch) -> Released:
    """Release texts whose sentences are written anew, each from one noisy vector."""
    return _run(request, request.columns, request.sentences, watch)


@verb(RetoldRequest)
def release_retold(request: RetoldRequest, watch: Watch) -> Released:
    """Release texts that a language model writes anew from their noisy words."""
    return _run(request, request.columns, request.retelling, watch)


@verb(TimesRequest)
def release_times(request: TimesRequest, watch: Watch) -> Released:
    """Release a column of times of day, week or year.

    Example:
        >>> import publius as pb, pyarrow as pa
        >>> day = pa.table({"wake": ["06:30", "07:15"]})
        >>> done = pb.release_times(day, "wake", 1, "30min")
        >>> done.data.num_rows
        2
    """
    settings = TimeSettings(
        level=request.level,
        radius=_seconds(request.radius),
        period=_seconds(request.period),
        resolution=None if request.resolution is None else _seconds(request.resolution),
        unit=None if request.unit is None else _seconds(request.unit),
        is_local=request.is_local,
        is_dropping=request.is_dropping,
    )
    return _run(request, ((request.column,), request.user), settings, watch)


@verb(PlacesRequest)
def release_places(request: PlacesRequest, watch: Watch) -> Released:
    """Release latitudes and longitudes."""
    refuse_own_points(request.table, request.points)
    settings = PlaceSettings(
        level=request.level,
        radius=_metres(request.radius),
        mechanism=request.mechanism,
        points=request.points,
        trajectories=request.trajectories,
        is_dropping=request.is_dropping,
    )
    columns = ((request.lat, request.lon), request.user)
    return _run(request, columns, settings, watch)


AnyRequest: TypeAlias = (
    TextRequest | RewriteRequest | RetoldRequest | TimesRequest | PlacesRequest
)


def measured_by(
    label: str | None,
    watch: Watch = SILENT,
    tell: Callable[[Measured], None] = lambda _: None,
    *,
    tries_forms: bool = True,
) -> Measuring:
    """Return how a release is measured on its own texts.

    Args:
        label: Column of classes that are predicted; None for none.
        watch: Told what begins.
        tell: Handed the figures, which must stay private.
        tries_forms: Also attack other forms of the texts, drawn with the shipped
            vocabulary, where their writers are found.
    """
    # Attacks are heavy to import, and few releases are measured.
    lab = importlib.import_module("publius.assessment.comparison.measure")

    def measure(rows: Compared) -> Measured:
        measured: Measured = lab.measure_release(
            rows, secure(), watch.stage, tries_forms=tries_forms
        )
        tell(measured)
        return measured

    return Measuring(measure, label)


def _run(
    request: AnyRequest,
    columns: tuple[tuple[str, ...], str | None],
    settings: AnySettings,
    watch: Watch,
    *,
    measuring: Measuring | None = None,
) -> Released:
    with _folder(request.out) as out:
        asked = request.asked(request.table, *columns, settings, out)
        with _engine(request.engine) as engine:
            summary = run_pipeline(asked, watch, measuring, engine)
        if request.out is not None:
            return Released(summary, out)
        parts = out / PARTS
        written = parquet.read_table(parts if parts.exists() else out / DATA)
        return Released(summary, None, as_given(request.table, written))


@contextmanager
def _engine(asked: Engine | str | None) -> Iterator[Engine | None]:
    """Yield an engine; one that was only named is closed again."""
    if not isinstance(asked, str):
        if asked is not None and not hasattr(asked, "run"):
            raise ParameterError(
                "engine must be an engine, such as pb.engines.Spark(session), or the "
                f"name of one, got a value of type {type(asked).__name__}"
            )
        yield asked
        return
    made = named_engine(asked)
    try:
        yield made
    finally:
        if made is not None:
            made.close()


@contextmanager
def _folder(out: str | Path | None) -> Iterator[Path]:
    """Yield the folder of a release; without one a private one that is removed."""
    if out is not None:
        yield Path(out)
        return
    with tempfile.TemporaryDirectory() as private:
        yield Path(private) / "released"


def _seconds(given: int | str) -> int:
    return seconds(given) if isinstance(given, str) else given


def _metres(given: float | str) -> float:
    return metres(given) if isinstance(given, str) else given
