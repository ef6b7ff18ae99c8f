"""From the input to the folder: the same way whatever is done to the texts."""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import overload

from publius.config import WordSettings
from publius.core.errors import ParameterError
from publius.core.guarantee import Scope
from publius.core.watch import Watch
from publius.corpus.folder import ReleaseFolder
from publius.corpus.read import open_source
from publius.corpus.source import Source
from publius.corpus.write import check_escapes
from publius.engines.words import release_schema
from publius.release.charging import (
    Charging,
    check_counts,
    check_ledger,
    count_promises,
)
from publius.release.compared import Measuring
from publius.release.request import ReleaseRequest
from publius.release.run import Run
from publius.release.sentences import SentenceSettings, SentenceTreatment
from publius.release.treatment import Outcome, SummaryT, Treatment
from publius.release.words import WordTreatment
from publius.reporting.rendering import PRIVATE_REPORT, Private
from publius.reporting.sentences import SentenceSummary
from publius.reporting.summary import ReleaseSummary


@overload
def release(
    request: ReleaseRequest[WordSettings],
    watch: Watch | None = None,
    measuring: Measuring | None = None,
) -> ReleaseSummary: ...
@overload
def release(
    request: ReleaseRequest[SentenceSettings],
    watch: Watch | None = None,
    measuring: Measuring | None = None,
) -> SentenceSummary: ...
@overload
def release(
    request: ReleaseRequest[WordSettings | SentenceSettings],
    watch: Watch | None = None,
    measuring: Measuring | None = None,
) -> ReleaseSummary | SentenceSummary: ...
def release(
    request: ReleaseRequest[WordSettings | SentenceSettings],
    watch: Watch | None = None,
    measuring: Measuring | None = None,
) -> ReleaseSummary | SentenceSummary:
    """Run a release from its input to its report.

    Args:
        request: What is asked for.
        watch: Whom the run tells how it goes.
        measuring: Measure the release on its own texts; the report then is private.

    Raises:
        PubliusError: With one line that says what to do; nothing half-written is left
            behind that could be taken for a release.
    """
    watch = watch or Watch()
    settings = request.settings
    if isinstance(settings, SentenceSettings):
        return _release(request, SentenceTreatment(settings), watch, measuring)
    if settings.consistent == "corpus" and request.columns.subject is not None:
        raise ParameterError(
            "--consistent corpus promises nothing about one author, whose words stand "
            "in the texts of others too; leave --author out, or use --consistent text"
        )
    return _release(request, WordTreatment.of(settings), watch, measuring)


def _release(
    request: ReleaseRequest[object],
    treatment: Treatment[SummaryT],
    watch: Watch,
    measuring: Measuring | None,
) -> SummaryT:
    check_ledger(request.ledger, path=request.path, out=request.out, seed=request.seed)
    source = open_source(
        request.path,
        columns=request.columns,
        input_format=request.input_format,
        encoding=request.encoding,
    )
    file_format = _file_format(request, source)
    treatment.refuse(file_format)
    job = treatment.job() | _identity(request, source)
    with (
        ReleaseFolder.create(
            request.out, job, resume=request.resume, paths=source.paths
        ) as folder,
        Charging.opened(request.ledger, watch) as charging,
    ):
        prepared = treatment.prepare(source.size_bytes, watch.stage)
        form, keep = prepared.form, source.columns.keep
        schema = release_schema(form, source.text, source.schema, keep)
        if measuring is not None:
            measuring.check(request, schema)
        run = Run(request, source, folder, watch)
        scope = _disclosed(source, tells_length=prepared.tells_length)
        bill = prepared.bill().covering(scope)
        with charging.before(
            folder, bill, lambda: count_promises(source, form)
        ) as counted:
            count = run.release(form, prepared.make_form)
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
        summary = prepared.summary(outcome)
        measured = None
        if measuring is not None:
            watch.stage("measuring")
            rows = outcome.exposure.rows
            compared = measuring.compare(request, folder.tables(), rows)
            measured = measuring.measure(compared)
        private = Private(run.examples, measured)
        for name, content in prepared.beside(summary, Private()).items():
            folder.write_file(name, content)
        if not private.is_empty:
            page = prepared.beside(summary, private)["report.html"]
            folder.write_file(PRIVATE_REPORT, page, is_private=True)
        manifest = json.dumps(
            summary.to_json(), indent=1, sort_keys=True, ensure_ascii=False
        )
        folder.write_file("manifest.json", manifest.encode() + b"\n")
        folder.finish()
    return summary


def _disclosed(source: Source, *, tells_length: bool) -> Scope:
    """Say what a released table tells whatever the mechanism is."""
    void = "empty" if tells_length else "missing; an empty text is covered"
    uncovered: tuple[str, ...] = (
        f"How many rows there are, their order, and which cells were {void}.",
    )
    if source.columns.subject is not None:
        most = "How much the author with most of it wrote."
        rows = "How many texts the author with most of them wrote."
        uncovered += (most if tells_length else rows,)
    if source.columns.keep:
        names = ", ".join(source.columns.keep)
        uncovered += (f"The columns that were asked to be kept: {names}.",)
    return Scope(uncovered=uncovered)


def _identity(request: ReleaseRequest[object], source: Source) -> dict[str, object]:
    """Return what of the request must not change when a run is resumed."""
    identity = source.identity
    charged = {} if request.ledger is None else {"ledger": True}
    return charged | {
        "columns": asdict(source.columns),
        "seed": request.seed,
        "input": None if identity is None else asdict(identity),
    }


def _file_format(request: ReleaseRequest[object], source: Source) -> str:
    own = {"folder": "parquet"}.get(source.format, source.format)
    file_format = own if request.format == "same" else request.format
    check_escapes(file_format, escapes=request.escapes)
    if file_format == "txt" and source.columns.keep:
        raise ParameterError("--format txt has no place for kept columns")
    return file_format


def _sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
