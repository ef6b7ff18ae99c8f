"""The main job: a table of secret texts in, a folder that may be published out."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Protocol

from publius.assemble import (
    DEFAULT_TERMS,
    TERM_VOCABULARY,
    Plan,
    plan,
    prepare,
    resolved,
)
from publius.config import WordSettings
from publius.core.arrays import IdArray
from publius.core.errors import ParameterError
from publius.core.guarantee import Scope
from publius.core.rng import RunKey
from publius.corpus.columns import Columns
from publius.corpus.folder import ReleaseFolder
from publius.corpus.read import open_source
from publius.corpus.shards import Shard, shards
from publius.corpus.source import Source
from publius.engines.local import Local
from publius.engines.words import (
    Form,
    Released,
    WordStep,
    release_schema,
)
from publius.reporting.page import Example, render_page
from publius.reporting.story import tell
from publius.reporting.summary import Exposure, ReleaseSummary

SMALL_INPUT = 2_000_000
"""Inputs beyond this many bytes are worth preparing the whole public table for."""

EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class ReleaseRequest:
    """Everything that a release is asked for.

    Args:
        path: File or folder, or ``-`` for standard input.
        out: Folder to write.
        columns: Text column, author column, columns that leave unprotected.
        settings: How words are replaced.
        seed: For tests only; marks the release as insecure.
        workers: Number of processes.
        resume: Continue an interrupted run.
        format: Of ``data.*``; ``same`` for the input's own.
        input_format: Of the input when its name does not tell.
        encoding: Of a text input.
        show_examples: Put real lines into the report, which then is not publishable.
    """

    path: str
    out: Path
    columns: Columns
    settings: WordSettings
    seed: int | None = None
    workers: int = 1
    resume: bool = False
    format: str = "parquet"
    input_format: str | None = None
    encoding: str = "utf-8"
    show_examples: bool = False


@dataclass(frozen=True, slots=True)
class Watch:
    """Whom a run tells how it goes.

    Args:
        stage: Told in words what begins.
        rows: Told after every shard: rows done, bytes of input read.
    """

    stage: Callable[[str], None] = lambda _: None
    rows: Callable[[int, int], None] = lambda _rows, _read: None


class Asked(Protocol):
    """What a pass over the input must know of a request."""

    @property
    def seed(self) -> int | None:
        """For tests only; marks the release as insecure."""
        ...

    @property
    def workers(self) -> int:
        """Number of processes."""
        ...

    @property
    def show_examples(self) -> bool:
        """Put real lines into the report."""
        ...


@dataclass(frozen=True, slots=True)
class _StepFactory:
    """Builds the step in each worker; it travels through a pipe, never to the disk."""

    make_form: Callable[[], Form]
    text: str
    keep: tuple[str, ...]
    key: RunKey

    def __call__(self) -> WordStep:
        return WordStep(self.make_form(), self.text, self.keep, self.key)


def _word_form(settings: WordSettings) -> Form:
    return plan(settings).form


@dataclass(slots=True)
class _Tally:
    """Public figures of a run, and what one author loses."""

    rows: int = 0
    words: int = 0
    longest: int = 0
    authors: "Counter[str]" = field(default_factory=Counter)

    def add(self, released: dict[str, int]) -> None:
        self.rows += released["rows"]
        self.words += released["words"]
        self.longest = max(self.longest, released["longest"])


def release(request: ReleaseRequest, watch: Watch | None = None) -> ReleaseSummary:
    """Run a release from its input to its report.

    Raises:
        PubliusError: With one line that says what to do; nothing half-written is left
            behind that could be taken for a release.
    """
    watch = watch or Watch()
    source = open_source(
        request.path,
        columns=request.columns,
        input_format=request.input_format,
        encoding=request.encoding,
    )
    settings = _as_drawn(resolved(request.settings))
    file_format = _file_format(request, source)
    with ReleaseFolder.create(
        request.out, _job(request, settings, source), resume=request.resume
    ) as folder:
        watch.stage("preparing the mechanism")
        if source.size_bytes is None or source.size_bytes >= SMALL_INPUT:
            prepare(settings)
        run = Run(request, source, folder, watch)
        planned = plan(settings, watch.stage)
        schema = release_schema(
            planned.form, source.text, source.schema, source.columns.keep
        )
        count = run.release(planned.form, partial(_word_form, settings))
        watch.stage("writing")
        path = folder.write_release(file_format, shards=count, schema=schema)
        exposure = run.exposure(tells_length=_tells_length(settings))
        summary = _summary(request, settings, planned, exposure, source)
        summary = replace(summary, files={path.name: sha256_of(path)})
        _write_beside(folder, summary, planned, run.examples)
        folder.finish()
    return summary


def _summary(
    request: ReleaseRequest,
    settings: WordSettings,
    planned: Plan,
    exposure: Exposure,
    source: Source,
) -> ReleaseSummary:
    return ReleaseSummary(
        settings=settings,
        mechanism=planned.mechanism,
        embedding=planned.embedding.name,
        fingerprint=planned.embedding.fingerprint,
        guarantee=planned.promise.covering(disclosed(source)),
        exposure=exposure,
        is_secure=request.seed is None,
        files={},
    )


def disclosed(source: Source) -> Scope:
    """Say what a released table tells whatever the mechanism is."""
    uncovered: tuple[str, ...] = (
        "How many rows there are, their order, and which cells were empty.",
    )
    if source.columns.author is not None:
        uncovered += ("How much the author with most of it wrote.",)
    if source.columns.keep:
        names = ", ".join(source.columns.keep)
        uncovered += (f"The columns that were asked to be kept: {names}.",)
    return Scope(uncovered=uncovered)


def _write_beside(
    folder: ReleaseFolder,
    summary: ReleaseSummary,
    planned: Plan,
    examples: list[Example],
) -> None:
    vocabulary = planned.embedding.vocabulary.words
    if summary.settings.form == "tf":
        folder.write_file("vocabulary.txt", ("\n".join(vocabulary) + "\n").encode())
    story = tell(planned.channel, vocabulary)
    folder.write_file("report.html", render_page(summary, story, examples).encode())
    manifest = json.dumps(
        summary.to_json(), indent=1, sort_keys=True, ensure_ascii=False
    )
    folder.write_file("manifest.json", manifest.encode() + b"\n")


class Run:
    """One pass over the input."""

    def __init__(
        self,
        request: Asked,
        source: Source,
        folder: ReleaseFolder,
        watch: Watch,
    ) -> None:
        self._request = request
        self._source = source
        self._folder = folder
        self._watch = watch
        self._tally = _Tally()
        self._authors: dict[int, list[str]] = {}
        self._secrets: list[str] = []
        self._total = 0
        self.examples: list[Example] = []

    def release(self, form: Form, make_form: Callable[[], Form]) -> int:
        """Release every shard that is not released yet; return how many there are.

        Args:
            form: The shape in which texts leave.
            make_form: Builds it anew in another process.
        """
        request, source = self._request, self._source
        for counts in self._folder.counts():
            self._tally.add({key: int(value) for key, value in counts.items()})
        key = RunKey.fresh() if request.seed is None else RunKey.from_seed(request.seed)
        keep = tuple(source.columns.keep)
        step = WordStep(form, source.text, keep, key)
        factory = _StepFactory(make_form, source.text, keep, key)
        make = (lambda: step) if request.workers == 1 else factory
        self._watch.stage("releasing")
        Local(request.workers).map_batches(make, self._pending(form), self._commit)
        return self._total

    def exposure(self, *, tells_length: bool) -> Exposure:
        """Return the figures that a release discloses anyway."""
        tally = self._tally
        return Exposure(
            rows=tally.rows,
            words=tally.words if tells_length else None,
            longest=tally.longest if tells_length else None,
            busiest=max(tally.authors.values(), default=None),
        )

    def _pending(self, form: Form) -> Iterator[Shard]:
        """Yield the shards to release; those released already are only counted."""
        done = self._folder.committed()
        author = self._source.columns.author
        for shard in shards(self._source.batches()):
            self._total += 1
            if author is not None:
                names = shard.table.column(author).to_pylist()
                self._authors[shard.number] = [str(name) for name in names]
            if shard.number in done:
                self._charge(shard.number, form.costs(_texts(shard)))
                continue
            if self._request.show_examples and shard.number == 0:
                self._secrets = _texts(shard)[:EXAMPLES]
            yield shard

    def _commit(self, number: int, released: Released) -> None:
        costs = released.costs
        counts = {
            "rows": released.table.num_rows,
            "words": int(costs.sum()),
            "longest": int(costs.max(initial=0)),
        }
        self._folder.commit(number, released.table, counts)
        self._tally.add(counts)
        self._charge(number, costs)
        if number == 0:
            shown = released.table.column(0)[:EXAMPLES].to_pylist()
            pairs = zip(self._secrets, shown, strict=False)
            self.examples = [Example(old, str(new or "")) for old, new in pairs]
        self._watch.rows(self._tally.rows, self._source.bytes_read)

    def _charge(self, number: int, costs: IdArray) -> None:
        """Add up what each author loses; names stay in memory."""
        authors = self._authors.pop(number, [])
        for author, cost in zip(authors, costs.tolist(), strict=False):
            self._tally.authors[author] += cost


def _tells_length(settings: WordSettings) -> bool:
    return settings.form == "text" or (settings.form == "bag" and not settings.length)


def _texts(shard: Shard) -> list[str]:
    return ["" if text is None else text for text in shard.table.column(0).to_pylist()]


def _job(
    request: ReleaseRequest, settings: WordSettings, source: Source
) -> dict[str, object]:
    """Return what must not change when a run is resumed; no secret is in it."""
    identity = source.identity
    return {
        "settings": asdict(settings),
        "columns": asdict(source.columns),
        "seed": request.seed,
        "input": None if identity is None else asdict(identity),
    }


def _file_format(request: ReleaseRequest, source: Source) -> str:
    own = {"folder": "parquet"}.get(source.format, source.format)
    file_format = own if request.format == "same" else request.format
    if request.settings.form == "tf":
        _refuse_idle(request.settings)
    if request.settings.form == "tf" and file_format not in ("parquet", "jsonl"):
        raise ParameterError("term vectors need --format parquet or jsonl")
    if file_format == "txt" and source.columns.keep:
        raise ParameterError("--format txt has no place for kept columns")
    return file_format


def _as_drawn(settings: WordSettings) -> WordSettings:
    """Return the settings with what term vectors put in the place of their defaults."""
    if settings.form != "tf":
        return settings
    return replace(
        settings,
        mechanism="syntf",
        metric="",
        length=settings.length or DEFAULT_TERMS,
        vocabulary=settings.vocabulary or TERM_VOCABULARY,
    )


def _refuse_idle(settings: WordSettings) -> None:
    """Refuse settings that term vectors would not obey."""
    given = {
        "mechanism": settings.mechanism != WordSettings().mechanism,
        "metric": settings.metric != "",
        "level": settings.level is not None,
    }
    for name, is_given in given.items():
        if is_given:
            raise ParameterError(
                f"--{name} has no meaning for term vectors, which SynTF draws; "
                "leave it out"
            )


def sha256_of(path: Path) -> str:
    """Return the hash of a file, as the manifest states it."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
