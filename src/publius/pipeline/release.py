"""From the input to the folder: the same way whatever the material is."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias, overload

from publius.core.config import WordSettings
from publius.core.errors import DataError, ParameterError
from publius.core.visible import escaped
from publius.core.watch import SILENT, Watch
from publius.engines.engine import Engine
from publius.engines.local import Local
from publius.materials.places.treatment import PlaceSettings, PlaceTreatment
from publius.materials.sentences.settings import SentenceSettings
from publius.materials.times.treatment import TimeSettings, TimeTreatment
from publius.materials.treatment import (
    Choosing,
    Outcome,
    Prepared,
    Seen,
    Treatment,
)
from publius.pipeline.begun import begun_with
from publius.pipeline.charging import (
    Charging,
    check_counts,
    check_ledger,
    count_guarantees,
    rehearse_charge,
)
from publius.pipeline.clearing import clear_release, refuse_clearing
from publius.pipeline.compared import Measuring
from publius.pipeline.distributed import is_in_parts, release_parts
from publius.pipeline.folder import ReleaseFolder
from publius.pipeline.request import ReleaseRequest
from publius.pipeline.run import Run
from publius.pipeline.step import release_schema
from publius.pipeline.stream import context_of
from publius.pipeline.typed import Asked
from publius.reporting.directional import RecordFacts
from publius.reporting.measured import Measured
from publius.reporting.rendering import PRIVATE_REPORT, Private
from publius.reporting.sentences import SentenceFacts
from publius.reporting.summary import FactsT, Summary
from publius.reporting.words import WordFacts
from publius.retelling.settings import RetellSettings
from publius.tables.formats.table import FORMATS, TYPED
from publius.tables.read import refuse_changed
from publius.tables.source import Source
from publius.tables.write import leaving_as

AnySettings: TypeAlias = (
    WordSettings | RetellSettings | SentenceSettings | TimeSettings | PlaceSettings
)
AnySummary: TypeAlias = (
    Summary[WordFacts] | Summary[SentenceFacts] | Summary[RecordFacts]
)


@overload
def release(
    request: ReleaseRequest[WordSettings] | ReleaseRequest[RetellSettings],
    watch: Watch = ...,
    measuring: Measuring | None = ...,
    engine: Engine | None = ...,
) -> Summary[WordFacts]: ...
@overload
def release(
    request: ReleaseRequest[SentenceSettings],
    watch: Watch = ...,
    measuring: Measuring | None = ...,
    engine: Engine | None = ...,
) -> Summary[SentenceFacts]: ...
@overload
def release(
    request: ReleaseRequest[TimeSettings] | ReleaseRequest[PlaceSettings],
    watch: Watch = ...,
    measuring: Measuring | None = ...,
    engine: Engine | None = ...,
) -> Summary[RecordFacts]: ...
@overload
def release(
    request: ReleaseRequest[WordSettings | RetellSettings | SentenceSettings],
    watch: Watch = ...,
    measuring: Measuring | None = ...,
    engine: Engine | None = ...,
) -> Summary[WordFacts] | Summary[SentenceFacts]: ...
@overload
def release(
    request: ReleaseRequest[AnySettings],
    watch: Watch = ...,
    measuring: Measuring | None = ...,
    engine: Engine | None = ...,
) -> AnySummary: ...
def release(
    request: ReleaseRequest[AnySettings],
    watch: Watch = SILENT,
    measuring: Measuring | None = None,
    engine: Engine | None = None,
) -> AnySummary:
    """Run a release from its input to its report, whatever the material is.

    Args:
        request: What is asked for; the type of its settings says the material.
        watch: Told how it goes; may cancel, which leaves what Ctrl-C leaves.
        measuring: Measure the release on its own texts; the report then is private.
        engine: Where the work runs; None for processes of this machine.

    Raises:
        PubliusError: With one line that says what to do; nothing half-written is left
            behind that could be taken for a release.
    """
    return _release(request, treatment_of(request), watch, measuring, engine)


def treatment_of(request: ReleaseRequest[AnySettings]) -> Treatment[Any]:
    """Return what the settings of a request say is done to its input."""
    settings = request.settings
    if isinstance(settings, TimeSettings):
        return TimeTreatment(settings)
    if isinstance(settings, PlaceSettings):
        return PlaceTreatment(settings)
    return _of_texts(request, settings)


def _of_texts(
    request: ReleaseRequest[AnySettings],
    settings: WordSettings | RetellSettings | SentenceSettings,
) -> Treatment[Any]:
    """Return what is done to texts.

    Their treatments are imported when they are needed: they load embeddings and models,
    which times and places do without.
    """
    made: Treatment[Any]
    if isinstance(settings, RetellSettings):
        retold = import_module("publius.retelling.treatment")
        made = retold.RetellTreatment.of(settings, resumes=request.resume)
        return made
    if isinstance(settings, SentenceSettings):
        rewritten = import_module("publius.materials.sentences.treatment")
        made = rewritten.SentenceTreatment(settings)
        return made
    if settings.consistent == "corpus" and request.columns.subject is not None:
        raise ParameterError(
            "--consistent corpus guarantees nothing about one author, whose words "
            "stand in the texts of others too; leave --author out, or use "
            "--consistent text"
        )
    words = import_module("publius.materials.words.treatment")
    made = words.WordTreatment.of(begun_with(request, settings))
    return made


def _release(
    request: ReleaseRequest[object],
    treatment: Treatment[FactsT],
    watch: Watch,
    measuring: Measuring | None,
    engine: Engine | None,
) -> Summary[FactsT]:
    check_ledger(request.ledger, path=request.path, out=request.out, seed=request.seed)
    if is_in_parts(request, engine):
        if measuring is not None:
            raise ParameterError("--evaluate is for single local files")
        refuse_clearing(request)
        return release_parts(request, treatment, watch, engine)
    source = opened(request, is_typed=treatment.is_typed)
    for note in source.reader.notes:
        watch.note(note)
    file_format, source = leaving_as(request.format, source, escapes=request.escapes)
    treatment.refuse(file_format)
    own = treatment.job()
    job = own | _identity(request, source)
    ready = None
    if request.replaces:
        # What may still fail does so while the old release is there.
        refuse_clearing(request)
        ready = _made_ready(treatment, source, watch)
        rehearse_charge(request, *ready, watch)
        clear_release(request)
    with (
        ReleaseFolder.create(
            request.out, job, resume=request.resume, paths=source.paths
        ) as folder,
        Charging.opened(request.ledger, watch) as charging,
    ):
        source, prepared = ready or _made_ready(treatment, source, watch)
        scope = prepared.disclosed(source)
        charge = prepared.charge.covering(scope)
        form, columns = prepared.form, source.columns
        schema = release_schema(form, source.schema, columns.protected, columns.keep)
        if measuring is not None:
            measuring.check(request, schema)
        context = context_of(own, columns.protected)
        run = Run(request, source, folder, watch, context)
        with charging.before(
            folder,
            charge,
            lambda: count_guarantees(source, form, prepared.cut),
            is_seen_early=prepared.is_seen_early,
        ) as counted:
            is_here = engine is None and request.workers == 1
            if not is_here:
                folder.begin_release(
                    file_format, schema=schema, escapes=request.escapes
                )
            with _nothing_left_of_bad_data(request, folder):
                count = run.release(
                    form,
                    (lambda: form) if is_here else prepared.make_form,
                    prepared.cut,
                    engine if isinstance(engine, Local) else None,
                )
                refuse_changed(source)
                if treatment.needs_rows and not run.rows:
                    raise DataError("the table has no rows with a value to release")
        check_counts(counted, run.spent)
        watch.stage("writing")
        path = folder.write_release(
            file_format, shards=count, schema=schema, escapes=request.escapes
        )
        outcome = Outcome(
            scope=scope.joined(charging.scope),
            exposure=run.exposure(tells_length=prepared.tells_length),
            is_secure=request.seed is None,
            files={path.name: _sha256_of(path)},
        )
        measured = _measured(measuring, request, folder, run.rows, watch)
        private = Private(run.examples, measured)
        seen = Seen(folder.tables, run.counts, private, run.originals)
        asked = replace(request, columns=source.columns, settings=treatment.settings)
        told = Asked(asked, measuring)
        summary = _write_reports(folder, prepared, outcome, seen, told)
        manifest = json.dumps(
            summary.to_json(), indent=1, sort_keys=True, ensure_ascii=False
        )
        folder.write_file("manifest.json", escaped(manifest).encode() + b"\n")
        folder.finish()
    return summary


def _measured(
    measuring: Measuring | None,
    request: ReleaseRequest[object],
    folder: ReleaseFolder,
    rows: int,
    watch: Watch,
) -> Measured | None:
    """Measure the release on its own texts, if that is asked for."""
    if measuring is None:
        return None
    watch.stage("measuring")
    return measuring.measure(measuring.compare(request, folder.tables(), rows))


def _made_ready(
    treatment: Treatment[FactsT], source: Source, watch: Watch
) -> tuple[Source, Prepared[FactsT]]:
    """Choose the rows and build the mechanism."""
    source = _chosen(treatment, source, watch)
    return source, treatment.prepare(source, watch.stage)


def _chosen(treatment: object, source: Source, watch: Watch) -> Source:
    """Return the rows that are released, where a treatment does not release all."""
    if isinstance(treatment, Choosing) and treatment.is_choosing:
        return treatment.chosen(source, watch.stage)
    return source


def _write_reports(
    folder: ReleaseFolder,
    prepared: Prepared[FactsT],
    outcome: Outcome,
    seen: Seen,
    asked: Asked,
) -> Summary[FactsT]:
    """Write the public report, and beside it the private one if it was asked for."""
    command = asked.typed(is_private=False)
    public = replace(seen, private=Private(), originals=None)
    summary = prepared.summary(outcome)
    told = replace(summary, command=command)
    for name, content in prepared.beside(told, public).items():
        folder.write_file(name, content)
    if not seen.private.is_empty or seen.originals is not None:
        told = replace(summary, command=asked.typed(is_private=True))
        page = prepared.beside(told, seen)["report.html"]
        folder.write_file(PRIVATE_REPORT, page, is_private=True)
    return summary


@contextmanager
def _nothing_left_of_bad_data(
    request: ReleaseRequest[object], folder: ReleaseFolder
) -> Iterator[None]:
    """Remove what a new run committed before it met a row that it refuses."""
    try:
        yield
    except (DataError, ParameterError):
        if not request.resume:
            folder.discard()
        raise


def _identity(request: ReleaseRequest[object], source: Source) -> dict[str, object]:
    """Return what of the request must not change when a run is resumed."""
    identity = source.identity
    charged = {} if request.ledger is None else {"ledger": True}
    return charged | {
        "columns": asdict(source.columns),
        "seed": request.seed,
        "input": None if identity is None else asdict(identity),
        "limit": request.limit,
    }


def opened(request: ReleaseRequest[object], *, is_typed: bool) -> Source:
    """Open the input of a release that is written as one table."""
    # CSV leaves as it is written; what knows types gets those of kept columns.
    has_types = request.format in TYPED
    columns = replace(request.columns, is_typed=is_typed, types_kept=has_types)
    return request.opened(columns)


def usual_format(given: object, input_format: str | None, settings: AnySettings) -> str:
    """Return the format of a release that names none.

    Lines stay lines, and times and places leave as their file came; else Parquet.
    """
    if not isinstance(given, str):
        return "parquet"
    if isinstance(settings, TimeSettings | PlaceSettings):
        return "same"
    suffix = given.lower().removesuffix(".gz").endswith(FORMATS["txt"].suffixes)
    is_lines = input_format == "txt" or (input_format is None and suffix)
    is_line = isinstance(settings, RetellSettings) or (
        isinstance(settings, WordSettings) and settings.form != "tf"
    )
    return "txt" if is_lines and is_line and Path(given).is_file() else "parquet"


def _sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
