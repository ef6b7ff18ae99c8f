"""What some rows of an input tell about a release of all of them.

The rows are counted as a dry run counts them, and a part of them is drawn as a worker
draws them, under a key that nobody else has; what was drawn is thrown away.
"""

import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

import pyarrow as pa

from publius.accounting.accounts import Subject
from publius.accounting.spending import Cost
from publius.core.errors import ParameterError
from publius.core.guarantee import Unit
from publius.core.rng import RunKey
from publius.core.watch import SILENT, Watch
from publius.materials.treatment import Outcome, Prepared, Seen
from publius.numerics.parallel import threads_allowed
from publius.pipeline.check import Counted
from publius.pipeline.distributed import dataset_of, refuse_unfit
from publius.pipeline.release import AnySettings, opened, treatment_of
from publius.pipeline.request import ReleaseRequest
from publius.pipeline.step import Step, Task, release_schema
from publius.pipeline.stream import context_of
from publius.reporting.rendering import Private
from publius.reporting.summary import Exposure
from publius.tables.dataset import FOLDER, Dataset
from publius.tables.shards import Cut, Shard, shards
from publius.tables.source import Source
from publius.tables.write import table_bytes

COUNTED_BYTES = 128 << 20
"""Of an input that is not counted whole; smaller ones are."""

_FILES = 4
_BLOCKS = 16
_TEXTS = 4096
_WARM_ROWS = 64
_WRITTEN_ROWS = 4
_DRAWING_S = 20.0
_DRAWN_BYTES = 32 << 20

if sys.platform != "win32":
    import resource

    _UNIT = 1 if sys.platform == "darwin" else 1024

    def _peak() -> int:
        """Return the most memory that this process has held, in bytes."""
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT

else:

    def _peak() -> int:
        """Return 0: this system does not tell."""
        return 0


@dataclass(frozen=True, slots=True)
class Drawn:
    """Processor time of drawing some rows as a worker does.

    Args:
        rows: How many were drawn.
        words: Their protected words.
        seconds: Of drawing them, with what is met for the first time.
        later: Seconds per word, or per row without words, of the second half, in which
            less is met for the first time.
        writing: Seconds of making the Parquet file of them.
        keeping: Seconds of keeping them apart until all are drawn, as one table does.
    """

    rows: int
    words: int
    seconds: float
    later: float
    writing: float
    keeping: float


class Block(NamedTuple):
    """Some consecutive rows that were counted; names stay in memory."""

    rows: int
    words: int
    spent: "Counter[Subject]"


@dataclass(frozen=True, slots=True)
class Sample:
    """What was counted and drawn; no text and no name is in it.

    Args:
        exposure: Figures of the counted rows.
        total: Rows of the whole input: counted, or about.
        files: Of the input.
        reading: Processor seconds of reading the counted rows.
        start: The same of building the mechanism.
        cost: Of one guarantee.
        part: Rows of a part.
        drawn: What drawing takes.
        memory: Most bytes that a process which draws a part holds, about; 0 where the
            system does not tell.
        blocks: The counted rows in consecutive runs, where not all were counted.
        reporting: Processor seconds of writing the report.
        rates: Rows per byte in some runs of the counted rows.
        unit: Of one guarantee.
        threads: In which one process draws, where it has the processors.
    """

    exposure: Exposure
    total: int
    files: int
    reading: float
    start: float
    cost: Cost
    part: int
    drawn: Drawn
    memory: int
    blocks: tuple[Block, ...] = field(default=(), repr=False)
    reporting: float = 0.0
    rates: tuple[float, ...] = ()
    unit: Unit = Unit.TOKEN
    threads: int = 1

    @property
    def is_whole(self) -> bool:
        """Whether every row was counted."""
        return self.total == self.exposure.rows

    @property
    def share(self) -> float:
        """Share of the rows that was counted."""
        return self.exposure.rows / self.total if self.total else 1.0


def sample(
    request: ReleaseRequest[AnySettings],
    watch: Watch = SILENT,
    *,
    in_parts: bool,
    whole: bool = False,
) -> Sample:
    """Count rows of the input and draw some of them; write, charge and keep nothing.

    Args:
        request: What would be asked for.
        watch: Told how it goes.
        in_parts: Whether the release would be written in parts.
        whole: Count all rows, however many there are.
    """
    treatment = treatment_of(request)
    if in_parts:
        refuse_unfit(request)
        dataset = dataset_of(request, is_typed=treatment.is_typed)
        source, reading = dataset.source, _of_dataset(dataset, whole=whole)
    else:
        source = opened(request, is_typed=treatment.is_typed)
        size = source.size_bytes or 0
        reading = _Reading([source], size, whole=whole, share=COUNTED_BYTES)
    begun = time.process_time()
    prepared = treatment.prepare(source, watch.stage)
    if prepared.is_seen_early:
        raise ParameterError(
            "a plan draws for some rows and throws that away, and their words would be "
            "sent to another machine; plan with a writer on this one"
        )
    start, before = time.process_time() - begun, _peak()
    columns = source.columns
    schema = release_schema(
        prepared.form, source.schema, columns.protected, columns.keep
    )
    count = Counted(prepared.form, columns.subject)
    task = Task(
        lambda: prepared.form,
        columns.protected,
        columns.keep,
        RunKey.fresh(),
        context_of(treatment.job(), columns.protected),
    )
    rows = shards(reading.batches(), prepared.cut)
    part = _first_part(rows, prepared.cut)
    watch.stage("drawing")
    # Before they are counted: what counting has read is drawn faster than the rest.
    draw = _written if prepared.is_writing else _drawn
    drawn = draw(Step(prepared.form, task), part, schema)
    watch.stage("counting")
    blocks = _counted(chain(part, rows), count, reading, watch)
    total = reading.total(count.rows)
    larger = min(prepared.cut.part, total) / max(drawn.rows, 1)
    if prepared.is_writing:
        larger = 1.0
    return Sample(
        exposure=count.exposure(),
        total=total,
        files=reading.files,
        reading=reading.seconds,
        start=start,
        cost=prepared.charge.cost,
        part=prepared.cut.part,
        drawn=drawn,
        memory=before + int((_peak() - before) * max(1.0, larger)),
        blocks=() if reading.is_whole else _joined(blocks),
        reporting=_reported(prepared, source, count.exposure(), watch),
        rates=tuple(reading.rates),
        unit=prepared.charge.guarantee.unit,
        threads=threads_allowed() if prepared.is_writing else 1,
    )


@dataclass(slots=True)
class _Reading:
    """Read the first rows of some files, and know how large a share they are.

    Readers read ahead, by tens of megabytes at first, so that the bytes of a row are
    known only from how far they come in the second half.
    """

    sources: Iterable[Source]
    size: int
    whole: bool
    files: int = 1
    share: int = 0
    is_whole: bool = True
    seconds: float = 0.0
    _between: list[int] = field(default_factory=lambda: [0, 0])
    rates: list[float] = field(default_factory=list)
    """Rows per byte of some runs of the second half."""

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Read, and take the time of it."""
        for source in self.sources:
            yield from self._of(source)

    def _of(self, source: Source) -> Iterator[pa.RecordBatch]:
        size = source.size_bytes or 0
        is_cut = not self.whole and size > self.share
        batches, rows, first = source.batches(), 0, (0, 0)
        mark = (0, 0)
        while True:
            begun = time.process_time()
            batch = next(batches, None)
            self.seconds += time.process_time() - begun
            if batch is None:
                break
            rows += batch.num_rows
            if not first[0] and source.bytes_read >= self.share // 2:
                first = mark = (rows, source.bytes_read)
            if is_cut and mark[0] and source.bytes_read - mark[1] >= self.share // 32:
                self.rates.append((rows - mark[0]) / (source.bytes_read - mark[1]))
                mark = (rows, source.bytes_read)
            yield batch
            if is_cut and source.bytes_read >= self.share:
                self.is_whole = False
                size = source.bytes_read
                break
        # Of one batch, all that is known is how far the reader has come.
        far = (rows - first[0], source.bytes_read - first[1])
        rows, read = far if is_cut and min(far) > 0 else (rows, size)
        self._between[0] += rows
        self._between[1] += read

    def total(self, counted: int) -> int:
        """Return the rows of the whole input."""
        rows, read = self._between
        if self.is_whole or not read:
            return counted
        return max(counted + 1, math.ceil(self.size * rows / read))


@dataclass(slots=True)
class _Texts(_Reading):
    """Read some files of a folder in which each file is one row."""

    dataset: Dataset | None = None

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Read files that lie evenly among all of them."""
        if self.dataset is None:
            return
        uris = list(self.dataset.files)
        step = 1 if self.whole else -(-len(uris) // _TEXTS)
        self.is_whole = step == 1
        for uri in uris[::step]:
            begun = time.process_time()
            rows = list(self.dataset.layout.rows(uri))
            self.seconds += time.process_time() - begun
            yield from rows

    def total(self, counted: int) -> int:
        """Return the number of files."""
        return counted if self.is_whole else self.files


def _of_dataset(dataset: Dataset, *, whole: bool) -> _Reading:
    """Return what is read of many files: some that lie evenly among them."""
    uris = list(dataset.files)
    size = sum(size for size, _ in dataset.files.values())
    if dataset.layout.format == FOLDER:
        return _Texts([], size, whole, len(uris), dataset=dataset)
    is_small = whole or size <= COUNTED_BYTES
    chosen = uris if is_small else uris[:: -(-len(uris) // _FILES)]
    share = size if is_small else COUNTED_BYTES // 2
    sources = (dataset.layout.opened(uri) for uri in chosen)
    is_whole = len(chosen) == len(uris)
    return _Reading(sources, size, whole, len(uris), share, is_whole)


def _first_part(rows: Iterator[Shard], cut: Cut) -> list[Shard]:
    """Take the shards of the first part, as far as there is room for them."""
    part: list[Shard] = []
    room, taken = _DRAWN_BYTES, 0
    while room > 0 and taken < cut.part:
        shard = next(rows, None)
        if shard is None:
            break
        part.append(shard)
        room -= shard.table.nbytes
        taken += shard.table.num_rows
    return part


def _counted(
    rows: Iterable[Shard], count: Counted, reading: _Reading, watch: Watch
) -> list[Block]:
    """Count all shards; return what each of them added."""
    blocks = []
    for shard in rows:
        one = Counted(count.form, count.subject)
        one.add(shard)
        count.merge(one)
        if not reading.whole:
            blocks.append(Block(one.rows, one.words, one.spent))
        watch.rows(count.rows, 0)
    return blocks


def _joined(blocks: list[Block]) -> tuple[Block, ...]:
    """Return a few longer runs of rows."""
    size = -(-len(blocks) // _BLOCKS)
    groups = [blocks[first : first + size] for first in range(0, len(blocks), size)]
    return tuple(
        Block(
            sum(block.rows for block in group),
            sum(block.words for block in group),
            sum((block.spent for block in group), Counter()),
        )
        for group in groups
    )


def _reported(
    prepared: Prepared[Any], source: Source, exposure: Exposure, watch: Watch
) -> float:
    """Return the seconds of writing a report like that of the release."""
    watch.stage("reporting")
    begun = time.process_time()
    outcome = Outcome(prepared.disclosed(source), exposure, is_secure=True, files={})
    seen = Seen(lambda: iter(()), Counter(), Private(), None)
    prepared.beside(prepared.summary(outcome), seen)
    return time.process_time() - begun


def _drawn(step: Step, part: list[Shard], schema: pa.Schema) -> Drawn:
    """Draw the shards as a worker would, until they or the time are over."""
    if not part:
        return Drawn(0, 0, 0.0, 0.0, 0.0, 0.0)
    step(_first_rows(part[0], _WARM_ROWS // 4))  # loads what is loaded late
    seconds, tables, words = _timed(step, [_first_rows(part[0], _WARM_ROWS)])
    # A slow mechanism is measured on fewer rows, not for hours.
    rows = int(_DRAWING_S * _WARM_ROWS / max(seconds, 1e-6))
    later = seconds / max(words, len(tables[0]))
    if rows >= part[0].table.num_rows:
        halves = _halves(part)
        seconds, tables, words = _timed(step, halves[0])
        again, more, others = _timed(step, halves[1])
        later = again / (others or sum(len(table) for table in more) or 1)
        seconds, tables, words = seconds + again, tables + more, words + others
    elif rows > _WARM_ROWS:
        seconds, tables, words = _timed(step, [_first_rows(part[0], rows)])
        later = seconds / (words or len(tables[0]))
    return _as_drawn(tables, schema, words, (seconds, later))


def _written(step: Step, part: list[Shard], schema: pa.Schema) -> Drawn:
    """Let some rows of the first shard be written, as many as there is time for.

    A few come first and are not counted: they load the model's last parts, and they
    tell how many there is time for. As many passages must be written side by side as
    in a release, or the rate would be another one.
    """
    if not part:
        return Drawn(0, 0, 0.0, 0.0, 0.0, 0.0)
    seconds, _, _ = _timed(step, [_first_rows(part[0], _WRITTEN_ROWS)])
    rows = int(_DRAWING_S * _WRITTEN_ROWS / max(seconds, 1e-6))
    some = _first_rows(part[0], max(rows, _WRITTEN_ROWS))
    seconds, tables, words = _timed(step, [some])
    later = seconds / (words or len(tables[0]) or 1)
    return _as_drawn(tables, schema, words, (seconds, later))


def _as_drawn(
    tables: list[pa.Table], schema: pa.Schema, words: int, seconds: tuple[float, float]
) -> Drawn:
    """Return what drawing took, and what it takes to keep and to write the tables."""
    rows = sum(table.num_rows for table in tables)
    writing = _seconds_of(lambda: table_bytes(tables, schema))
    return Drawn(rows, words, *seconds, writing, _seconds_of(lambda: _kept(tables)))


def _halves(part: list[Shard]) -> tuple[list[Shard], list[Shard]]:
    """Cut the shards of a part in two; one alone is cut in the middle."""
    if len(part) > 1:
        middle = len(part) // 2
        return part[:middle], part[middle:]
    only, middle = part[0], part[0].table.num_rows // 2
    rest = Shard(only.number, only.table.slice(middle), only.start + middle)
    return [_first_rows(only, middle)], [rest]


def _seconds_of(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def _kept(tables: list[pa.Table]) -> None:
    """Write tables to memory and read them back, as shards are kept on the disk."""
    for table in tables:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write(table)
        pa.ipc.open_file(sink.getvalue()).read_all()


def _timed(step: Step, some: list[Shard]) -> tuple[float, list[pa.Table], int]:
    """Return the seconds of drawing shards, the tables and their protected words."""
    begun, tables, words = time.process_time(), [], 0
    for shard in some:
        made = step(shard)
        tables.append(made.opened())
        words += int(made.costs.sum())
        if time.process_time() - begun > _DRAWING_S:
            break
    return time.process_time() - begun, tables, words


def _first_rows(shard: Shard, rows: int) -> Shard:
    return Shard(shard.number, shard.table.slice(0, rows), shard.start)
