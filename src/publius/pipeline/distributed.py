"""A release in parts: the driver plans, charges and writes the manifest last."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace

from publius.accounting.accounts import Subject
from publius.core.errors import DataError, OutputError, ParameterError
from publius.core.rng import RunKey
from publius.core.visible import escaped
from publius.core.watch import Watch
from publius.engines.engine import Engine, needs_gpu
from publius.engines.local import Local
from publius.engines.split import PartSummary, Piece, Split, Stamp, cut_by_rows
from publius.engines.store import address_of, store_at
from publius.engines.tally import Tally
from publius.materials.form import Form, Keyed
from publius.materials.treatment import (
    Choosing,
    Outcome,
    Prepared,
    Seen,
    Treatment,
)
from publius.pipeline.charging import Charging
from publius.pipeline.clearing import clear_release
from publius.pipeline.part_folder import PartFolder
from publius.pipeline.part_task import CountTask, PartTask, Survey, TalliedPart
from publius.pipeline.request import ReleaseRequest
from publius.pipeline.sealed import unseal
from publius.pipeline.step import Task, release_schema
from publius.pipeline.stream import context_of
from publius.pipeline.typed import Asked
from publius.reporting.rendering import Private
from publius.reporting.summary import Exposure, FactsT, Summary
from publius.tables.columns import Columns
from publius.tables.dataset import (
    FOLDER,
    Dataset,
    is_dataset,
    open_dataset,
    refuse_folders,
)
from publius.tables.remote import S3


def is_in_parts(request: ReleaseRequest[object], engine: Engine | None) -> bool:
    """Tell whether a release is written in parts: folders, stores and clusters."""
    is_cluster = engine is not None and not isinstance(engine, Local)
    is_stored = address_of(request.out).startswith("s3://")
    return is_cluster or is_stored or is_dataset(request.path)


def release_parts(
    request: ReleaseRequest[object],
    treatment: Treatment[FactsT],
    watch: Watch,
    engine: Engine | None,
) -> Summary[FactsT]:
    """Release a table in parts, on any engine."""
    refuse_unfit(request)
    if isinstance(treatment, Choosing) and treatment.is_choosing:
        raise ParameterError("--trajectories is for single local files")
    treatment.refuse("parquet")
    dataset = dataset_of(request, is_typed=treatment.is_typed)
    engine = engine or Local(request.workers)
    store = store_at(address_of(request.out))
    job = treatment.job() | _identity(request, dataset)
    ready = None
    if request.replaces:
        # What may still fail does so while the old release is there.
        ready = _rehearsed(request, treatment, dataset, watch, engine)
        clear_release(request)
    with (
        PartFolder.opened(store, job, resume=request.resume) as folder,
        Charging.opened(request.ledger, watch) as charging,
    ):
        prepared = ready or treatment.prepare(dataset.source, watch.stage)
        columns = dataset.layout.columns
        release_schema(
            prepared.form, dataset.layout.schema, columns.protected, columns.keep
        )
        task = _task_of(request, treatment, prepared, columns)
        run = _PartRun(request, dataset, engine, watch)
        splits = run.cut(prepared.cut.part, folder)
        scope = prepared.disclosed(dataset.source)
        charge = prepared.charge.covering(scope)
        count = CountTask(task, dataset.layout, prepared.cut)
        parts = PartTask(
            task, dataset.layout, prepared.cut, store, is_on_gpu=needs_gpu(prepared)
        )
        with charging.before(
            folder,
            charge,
            lambda: run.counted(count, splits),
            is_seen_early=prepared.is_seen_early,
        ):
            run.release(folder, prepared.form, parts, splits)
            if treatment.needs_rows and not run.rows:
                folder.discard()
                raise DataError("the table has no rows with a value to release")
        outcome = Outcome(
            scope=scope.joined(charging.scope),
            exposure=run.exposure(tells_length=prepared.tells_length),
            is_secure=request.seed is None,
            files={name: run.digests[name] for name in sorted(run.digests)},
        )
        asked = replace(request, columns=columns, settings=treatment.settings)
        return _finished(folder, prepared, outcome, run.counts, Asked(asked))


def _task_of(
    request: ReleaseRequest[object],
    treatment: Treatment[FactsT],
    prepared: Prepared[FactsT],
    columns: Columns,
) -> Task:
    """Return the task of a run, with a key of its own."""
    return Task(
        prepared.make_form,
        columns.protected,
        columns.keep,
        RunKey.fresh() if request.seed is None else RunKey.from_seed(request.seed),
        context_of(treatment.job(), columns.protected),
    )


def _rehearsed(
    request: ReleaseRequest[object],
    treatment: Treatment[FactsT],
    dataset: Dataset,
    watch: Watch,
    engine: Engine,
) -> Prepared[FactsT]:
    """Build the mechanism, and raise if a ledger would refuse the release."""
    prepared = treatment.prepare(dataset.source, watch.stage)
    task = _task_of(request, treatment, prepared, dataset.layout.columns)
    run = _PartRun(request, dataset, engine, watch)
    count = CountTask(task, dataset.layout, prepared.cut)
    charge = prepared.charge.covering(prepared.disclosed(dataset.source))
    with Charging.opened(request.ledger, watch) as charging:
        charging.rehearse(
            charge, lambda: run.counted(count, run.cut(prepared.cut.part))
        )
    return prepared


def _finished(
    folder: PartFolder,
    prepared: Prepared[FactsT],
    outcome: Outcome,
    counts: Mapping[str, int],
    asked: Asked,
) -> Summary[FactsT]:
    """Write the report and, last, the manifest."""
    summary = prepared.summary(outcome)
    seen = Seen(folder.tables, counts, Private())
    told = replace(summary, command=asked.typed(is_private=False))
    for name, content in prepared.beside(told, seen).items():
        folder.write_file(name, content)
    manifest = json.dumps(
        summary.to_json(), indent=1, sort_keys=True, ensure_ascii=False
    )
    folder.finish(escaped(manifest).encode() + b"\n")
    return summary


@dataclass(slots=True)
class _PartRun:
    """One pass of an engine over all splits."""

    request: ReleaseRequest[object]
    dataset: Dataset
    engine: Engine
    watch: Watch
    digests: dict[str, str] = field(default_factory=dict)
    charges: dict[int, bytes] | None = None
    tally: Tally = field(default_factory=Tally)
    counts: "Counter[str]" = field(default_factory=Counter)
    rows: int = 0
    words: int = 0
    longest: int = 0
    total: int = 0

    def cut(self, rows: int, folder: PartFolder | None = None) -> list[Split]:
        """Cut the input into parts.

        Args:
            rows: Of a part.
            folder: Where the run releases; it is held to the input that it began with.

        Raises:
            OutputError: The run began with another input.
        """
        self.watch.stage("counting rows")
        stamps = {uri: Stamp(*about) for uri, about in self.dataset.files.items()}
        # In a store the server itself says when an object was written.
        is_forgeable = any(not uri.startswith(S3) for uri in stamps)
        key = folder.seal_key() if folder is not None and is_forgeable else b""
        if self.dataset.layout.format == FOLDER and not key:
            counted = dict.fromkeys(stamps, 1)
        else:
            counted = self._surveyed(stamps, key, folder)
        self.total = sum(counted.values())
        return cut_by_rows(counted, rows, stamps)

    def _surveyed(
        self, stamps: Mapping[str, Stamp], key: bytes, folder: PartFolder | None
    ) -> dict[str, int]:
        """Count the rows of every file, in order; seal what was read of them."""
        whole = [
            Split(i, (Piece(uri, 0, -1, stamp),))
            for i, (uri, stamp) in enumerate(stamps.items())
        ]
        found = dict(self.engine.run(Survey(self.dataset.layout, key), whole))
        in_order = {uri: found[uri] for uri in stamps}
        if folder is not None and key:
            folder.hold_to({uri: digest for uri, (_, digest) in in_order.items()})
        return {uri: count for uri, (count, _) in in_order.items()}

    def counted(self, task: CountTask, splits: list[Split]) -> "Counter[Subject]":
        """Count on the engine what every subject will spend, without drawing.

        The sums are added up by the engine, and each reaches the driver once.
        """
        tally = Tally(hears_all=True)
        self.charges = dict(self.engine.run_tallied(task, splits, tally))
        self.tally = tally
        key = task.task.key
        return Counter({unseal(key, name): n for name, n in tally.sums.items()})

    def release(
        self, folder: PartFolder, form: Form, task: PartTask, splits: list[Split]
    ) -> None:
        """Release every part that is not released yet."""
        is_apart = isinstance(form, Keyed) and form.spans_shards
        is_drawn = folder.last_name() is not None
        is_keyless = is_apart and self.request.seed is None and not is_drawn
        if is_keyless and folder.committed():
            # Parts of another key would not agree, and these may have been seen.
            raise OutputError(
                "cannot resume: the key of this corpus was never written, and parts "
                "drawn with it may have been read; begin anew in another folder, which "
                "is a second release for whoever has read them"
            )
        marked = _marked(folder, splits)
        self.watch.stage("releasing")
        if not isinstance(self.engine, Local):
            folder.begin()
        try:
            for part in self._parts(task, marked):
                self._add(part)
        except (DataError, ParameterError):
            if not self.request.resume:
                folder.discard()
            raise
        missing = len(splits) - len(self.digests)
        if missing:
            raise OutputError(f"{missing} parts are missing; run again with --resume")
        elsewhere = len(splits) - len(folder.committed())
        if elsewhere:
            raise OutputError(
                f"{elsewhere} of {len(splits)} parts lie where only the workers that "
                "wrote them can read; name a folder that all machines have mounted, "
                "or S3"
            )

    def _parts(self, task: PartTask, splits: list[Split]) -> Iterator[PartSummary]:
        has_subject = self.dataset.layout.columns.subject is not None
        if self.charges is None and has_subject:
            return self.engine.run_tallied(TalliedPart(task), splits, self.tally)
        return self.engine.run(task, splits)

    def exposure(self, *, tells_length: bool) -> Exposure:
        """Return the figures that a release discloses anyway."""
        has_subject = self.dataset.layout.columns.subject is not None
        return Exposure(
            rows=self.rows,
            words=self.words if tells_length else None,
            longest=self.longest if tells_length else None,
            busiest=self.tally.most if has_subject and self.total else None,
        )

    def _add(self, part: PartSummary) -> None:
        """Add a part once, however often an engine tells of it."""
        if part.name in self.digests:
            if self.digests[part.name] != part.digest:
                raise OutputError(f"part {part.number} has two contents; start anew")
            return
        if self.charges is not None and self.charges.get(part.number) != part.charge:
            raise DataError("the input was changed while it was being released")
        self.digests[part.name] = part.digest
        counts = dict(part.counts)
        self.rows += counts.pop("rows")
        self.words += counts.pop("words")
        self.longest = max(self.longest, counts.pop("longest"))
        self.counts.update(counts)
        self.watch.rows(self.rows, self._read())

    def _read(self) -> int:
        """Return about how many bytes of the input are done, for a progress bar."""
        size = sum(size for size, _ in self.dataset.files.values())
        return size * self.rows // self.total if self.total else size


def _marked(folder: PartFolder, splits: list[Split]) -> list[Split]:
    """Return the splits, with a mark on those that are committed."""
    standing = folder.committed()
    if standing - {split.number for split in splits}:
        raise OutputError(
            "the folder holds parts of another input; choose another folder"
        )
    return [one._replace(is_standing=one.number in standing) for one in splits]


def dataset_of(request: ReleaseRequest[object], *, is_typed: bool) -> Dataset:
    """Open the input of a release in parts."""
    path = address_of(str(request.path))
    dataset = open_dataset(
        path,
        columns=replace(request.columns, is_typed=is_typed),
        input_format=request.input_format,
        encoding=request.encoding,
    )
    refuse_folders(path, address_of(request.out))
    return dataset


def refuse_unfit(request: ReleaseRequest[object]) -> None:
    """Refuse what a release in parts does not do."""
    if not isinstance(request.path, str) or request.path == "-":
        raise ParameterError(
            "an engine reads files; give a path instead of standard input or a table"
        )
    if request.format not in ("parquet", "same"):
        raise ParameterError("parts are written as Parquet; leave --format out")
    if request.limit is not None or request.delimiter is not None:
        name = "delimiter" if request.limit is None else "limit"
        raise ParameterError(f"--{name} is for single local files")
    if request.show_examples:
        raise ParameterError("examples of originals are for single local files")
    if request.escapes:
        raise ParameterError("--escape-formulas is for csv and tsv; parts are Parquet")


def _identity(request: ReleaseRequest[object], dataset: Dataset) -> dict[str, object]:
    """Return what of the request must not change when a run is resumed."""
    charged = {} if request.ledger is None else {"ledger": True}
    return charged | {
        "columns": asdict(dataset.layout.columns),
        "seed": request.seed,
        "input": {uri: list(about) for uri, about in dataset.files.items()},
    }
