"""A release without a draw: input, columns, settings and what would be guaranteed."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pyarrow as pa

from publius.accounting.accounts import Subject
from publius.core.errors import DataError
from publius.core.watch import SILENT, Watch
from publius.engines.engine import Engine
from publius.engines.store import address_of
from publius.materials.form import Form, Remarking
from publius.materials.treatment import Outcome
from publius.pipeline.charging import authors
from publius.pipeline.distributed import dataset_of, is_in_parts, refuse_unfit
from publius.pipeline.folder import refuse_occupied
from publius.pipeline.release import (
    AnySettings,
    AnySummary,
    opened,
    treatment_of,
)
from publius.pipeline.request import ReleaseRequest
from publius.pipeline.sealed import summed
from publius.pipeline.step import release_schema
from publius.reporting.summary import Exposure
from publius.tables.columns import Columns
from publius.tables.shards import Cut, Shard, shards
from publius.tables.source import Source
from publius.tables.write import leaving_as


@dataclass(frozen=True, slots=True)
class Checked:
    """What a release would be.

    Args:
        summary: The facts that it would state.
        exposure: What it would disclose anyway.
        columns: Those that are read, the protected ones named.
        format: Of the released table.
    """

    summary: AnySummary
    exposure: Exposure
    columns: Columns
    format: str


@dataclass(frozen=True, slots=True, eq=False)
class _Input:
    """An input that is read once, whether it is one file or many."""

    source: Source
    format: str
    batches: Iterator[pa.RecordBatch]


@dataclass(slots=True)
class Counted:
    """Add up what rows would disclose and spend, without drawing.

    Args:
        form: The shape in which protected columns leave.
        subject: Column that says whose a row is; None where there is none.
    """

    form: Form
    subject: str | None
    rows: int = 0
    words: int = 0
    longest: int = 0
    spent: "Counter[Subject]" = field(default_factory=Counter, repr=False)

    def add(self, shard: Shard) -> None:
        """Count a shard; names of subjects stay in memory."""
        costs = self.form.costs(shard.table)
        self.rows += shard.table.num_rows
        self.words += int(costs.sum())
        self.longest = max(self.longest, int(costs.max(initial=0)))
        if self.subject is not None:
            names = authors(shard.table.column(self.subject))
            self.spent.update(summed(names, costs.tolist()))

    def merge(self, other: "Counted") -> None:
        """Add what was counted of other rows."""
        self.rows += other.rows
        self.words += other.words
        self.longest = max(self.longest, other.longest)
        self.spent.update(other.spent)

    def exposure(self) -> Exposure:
        """Return the figures."""
        busiest = max(self.spent.values(), default=None)
        return Exposure(self.rows, self.words, self.longest, busiest)


def check(
    request: ReleaseRequest[AnySettings],
    watch: Watch = SILENT,
    engine: Engine | None = None,
) -> Checked:
    """Read the whole input and build the mechanism, but draw and write nothing.

    Args:
        request: What would be asked for.
        watch: Told how it goes.
        engine: Where it would run; the check itself runs here.

    Raises:
        PubliusError: What the release itself would refuse before its first draw. Times
            and places are read when they are drawn, and a ledger is not asked.
    """
    treatment = treatment_of(request)
    incoming = _opened(request, engine, is_typed=treatment.is_typed)
    treatment.refuse(incoming.format)
    if not request.replaces and not address_of(request.out).startswith("s3://"):
        refuse_occupied(request.out, resume=request.resume)
    for note in incoming.source.reader.notes:
        watch.note(note)
    prepared = treatment.prepare(incoming.source, watch.stage)
    columns = incoming.source.columns
    release_schema(
        prepared.form, incoming.source.schema, columns.protected, columns.keep
    )
    watch.stage("reading")
    seen = _exposure(incoming, prepared.form, prepared.cut, watch)
    if treatment.needs_rows and not seen.rows:
        raise DataError("the table has no rows with a value to release")
    if not prepared.tells_length:
        seen = replace(seen, words=None, longest=None)
    outcome = Outcome(
        scope=prepared.disclosed(incoming.source),
        exposure=seen,
        is_secure=request.seed is None,
        files={},
    )
    return Checked(prepared.summary(outcome), seen, columns, incoming.format)


def _opened(
    request: ReleaseRequest[AnySettings], engine: Engine | None, *, is_typed: bool
) -> _Input:
    if not is_in_parts(request, engine):
        source = opened(request, is_typed=is_typed)
        file_format, source = leaving_as(
            request.format, source, escapes=request.escapes
        )
        return _Input(source, file_format, source.batches())
    refuse_unfit(request)
    dataset = dataset_of(request, is_typed=is_typed)
    return _Input(dataset.source, "parquet", dataset.whole.batches())


def _exposure(incoming: _Input, form: Form, cut: Cut, watch: Watch) -> Exposure:
    """Count what a release discloses anyway, in one pass."""
    count = Counted(form, incoming.source.columns.subject)
    for shard in shards(incoming.batches, cut):
        if shard.number == 0 and isinstance(form, Remarking):
            for line in form.remarks(shard.table):
                watch.note(line)
        count.add(shard)
        watch.rows(count.rows, incoming.source.bytes_read)
    return count.exposure()
