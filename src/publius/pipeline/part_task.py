"""What a worker does with a split: release it and commit it once.

A task is settings, key and names; what it builds stays in the process that built it.
It may run any number of times: the same rows draw the same noise, the first commit of a
part stands, and an attempt that met other rows is refused.
"""

import hashlib
import json
import pickle
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import pyarrow as pa

from publius.accounting.accounts import Subject
from publius.core.errors import OutputError
from publius.core.rng import RunKey
from publius.engines.split import PartSummary, Piece, Split
from publius.engines.store import WORKING, PartStore
from publius.engines.tally import Tallied
from publius.pipeline.charging import authors, subject
from publius.pipeline.content import Content
from publius.pipeline.sealed import charge_digest, seal, subject_digest, summed
from publius.pipeline.step import Part, Step, Task, release_schema
from publius.pipeline.stream import stream_of
from publius.tables.dataset import Layout
from publius.tables.shards import Cut, Shard, shards
from publius.tables.write import table_bytes

PARTS = "parts"
_TAG_BYTES = 16


def part_name(number: int) -> str:
    """Return the name of a part in its store."""
    return f"{PARTS}/part-{number:06d}.parquet"


@dataclass(frozen=True, slots=True)
class Survey:
    """Count the rows of whole files, and check that they are of one table.

    Args:
        layout: How files are read.
        key: Of the hash of what is read; empty for none.
    """

    layout: Layout
    key: bytes = field(default=b"", repr=False)

    def __call__(self, split: Split) -> tuple[str, tuple[int, bytes]]:
        """Return the address, the rows and the hash of the file of a split."""
        whole = split.pieces[0]
        rows, content = 0, Content(self.key)
        for batch in _read(self.layout, whole):
            rows += batch.num_rows
            if self.key:
                content.add(batch)
        return whole.uri, (rows, content.digest() if self.key else b"")


@dataclass(frozen=True, slots=True)
class CountTask:
    """Count the guarantees of each subject, without drawing.

    Args:
        task: Builds the step.
        layout: How files are read.
        cut: How rows are cut into shards.
    """

    task: Task
    layout: Layout
    cut: Cut

    def __call__(self, split: Split) -> Tallied[tuple[int, bytes]]:
        """Return what a split will charge: a digest here, sealed names for the sums."""
        form, key = _step_of(self.task).form, self.task.key
        spent: Counter[Subject] = Counter()
        for shard in _shards(self.layout, self.cut, split):
            costs = form.costs(shard.table).tolist()
            spent.update(summed(_names(self.layout, shard), costs))
        sums = {seal(key, name): cost for name, cost in spent.items()}
        return Tallied((split.number, charge_digest(key, spent)), sums)


@dataclass(frozen=True, slots=True)
class PartTask:
    """Release one split and commit it once.

    Args:
        task: Settings, key and names; builds the step.
        layout: How files are read.
        cut: How rows are cut into shards, and shards into parts.
        store: Where parts are committed.
        is_on_gpu: Whether the mechanism uses a GPU where there is one.
    """

    task: Task
    layout: Layout
    cut: Cut
    store: PartStore
    is_on_gpu: bool = False

    def __call__(self, split: Split) -> PartSummary:
        """Release the split, or find it released."""
        return self.made(split)[0]

    def made(self, split: Split) -> "tuple[PartSummary, Counter[Subject]]":
        """Return the summary of the part, and whom it charges how much."""
        if split.is_standing:
            return self._standing(split)
        step, made = _step_of(self.task), _Made(self)
        tables = [made.add(shard, step(shard)) for shard in self._shards(split)]
        columns = self.layout.columns
        schema = release_schema(
            step.form, self.layout.schema, columns.protected, columns.keep
        )
        content = table_bytes(tables, schema)
        digest = hashlib.sha256(content).hexdigest()
        mine = _Note(made.tag.hex(), dict(made.counts))
        name = part_name(split.number)
        # The note is there before the part, under the part's digest: whatever part
        # stands in the end has its note.
        self.store.put(_note(split.number, digest), json.dumps(mine._asdict()).encode())
        if not self.store.put_once(name, content):
            digest, mine = self._agreed(split.number, digest, mine)
        return self._told(split, digest, mine, made.subjects)

    def _agreed(self, number: int, digest: str, mine: "_Note") -> tuple[str, "_Note"]:
        """Return digest and note of the part that stands; refuse another draw."""
        there = self._digest(number)
        if there == digest:
            return digest, mine
        note = self._read_note(number, there)
        # A GPU may give other bytes for the same draw; the first commit stands.
        if note is None or note.tag != mine.tag:
            raise OutputError(
                f"part {number} was written by somebody else, or from other rows: the "
                "input changed while it was being released, or another run writes "
                "here; choose another folder"
            )
        return there, note

    def _standing(self, split: Split) -> "tuple[PartSummary, Counter[Subject]]":
        """Return the summary of a part that an interrupted run committed."""
        digest = self._digest(split.number)
        note = self._read_note(split.number, digest)
        if note is None:
            raise OutputError(
                f"part {split.number} is not what its run committed; start anew in "
                "another folder"
            )
        form, made = _step_of(self.task).form, _Made(self)
        for shard in self._shards(split):
            made.spend(shard, form.costs(shard.table).tolist())
        return self._told(split, digest, note, made.subjects)

    def _told(
        self, split: Split, digest: str, note: "_Note", subjects: "Counter[Subject]"
    ) -> "tuple[PartSummary, Counter[Subject]]":
        charge = charge_digest(self.task.key, subjects)
        name = part_name(split.number)
        return PartSummary(split.number, name, digest, note.counts, charge), subjects

    def _shards(self, split: Split) -> Iterator[Shard]:
        return _shards(self.layout, self.cut, split)

    def _digest(self, number: int) -> str:
        content = self.store.get(part_name(number))
        if content is None:
            raise OutputError(f"part {number} vanished; start anew in another folder")
        return hashlib.sha256(content).hexdigest()

    def _read_note(self, number: int, digest: str) -> "_Note | None":
        content = self.store.get(_note(number, digest))
        return None if content is None else _Note(**json.loads(content))


@dataclass(frozen=True, slots=True)
class TalliedPart:
    """Release one split likewise; what each subject spends is added up by the engine.

    Args:
        task: Releases it.
    """

    task: PartTask

    @property
    def is_on_gpu(self) -> bool:
        """Whether the mechanism uses a GPU where there is one."""
        return self.task.is_on_gpu

    def __call__(self, split: Split) -> Tallied[PartSummary]:
        """Release the split; sums stand under keyed digests of names."""
        summary, subjects = self.task.made(split)
        key = self.task.task.key
        sums = {subject_digest(key, name): cost for name, cost in subjects.items()}
        return Tallied(summary, sums)


class _Note(NamedTuple):
    """What is kept of a part until its run ends: a keyed tag and figures."""

    tag: str
    counts: dict[str, int]


class _Made:
    """What is added up while the shards of a part are released."""

    def __init__(self, task: PartTask) -> None:
        self._task = task
        self._tags = hashlib.blake2b(digest_size=_TAG_BYTES)
        self.counts: Counter[str] = Counter(rows=0, words=0, longest=0)
        self.subjects: Counter[Subject] = Counter()

    @property
    def tag(self) -> bytes:
        """A keyed digest of the protected cells, which only this run can form."""
        return self._tags.digest()

    def add(self, shard: Shard, part: Part) -> pa.Table:
        """Add a released shard; return its table."""
        task = self._task.task
        cells = [shard.table.column(name) for name in task.protected]
        tagged = RunKey(task.key.key, is_secure=False)
        stream = stream_of(tagged, b"tag".ljust(32), shard.start, cells)
        self._tags.update(stream.bytes(_TAG_BYTES))
        longest = max(self.counts["longest"], int(part.costs.max(initial=0)))
        self.counts["rows"] += part.rows
        self.counts["words"] += int(part.costs.sum())
        self.counts.update(part.counts)
        self.counts["longest"] = longest
        self.spend(shard, part.costs.tolist())
        return part.opened()

    def spend(self, shard: Shard, costs: list[int]) -> None:
        """Add up what each subject loses."""
        self.subjects.update(summed(_names(self._task.layout, shard), costs))


_steps: dict[bytes, Step] = {}


def _step_of(task: Task) -> Step:
    """Return the step of a task, built once per process."""
    name = hashlib.sha256(pickle.dumps(task)).digest()
    if name not in _steps:
        _steps.clear()
        _steps[name] = task()
    return _steps[name]


def _shards(layout: Layout, cut: Cut, split: Split) -> Iterator[Shard]:
    """Cut the rows of a split as one pass over all rows would have cut them."""
    rows = (batch for piece in split.pieces for batch in _read(layout, piece))
    before = split.number * cut.part
    for shard in shards(rows, cut):
        yield Shard(split.number, shard.table, before + shard.start)


def _read(layout: Layout, piece: Piece) -> Iterator[pa.RecordBatch]:
    """Read a piece of a file that is the same before and after."""
    layout.refuse_changed(piece.uri, piece.stamp)
    yield from layout.rows(piece.uri, piece.first, piece.rows)
    layout.refuse_changed(piece.uri, piece.stamp)


def _names(layout: Layout, shard: Shard) -> list[str | None]:
    who = layout.columns.subject
    if who is None:
        return [subject(None)] * shard.table.num_rows
    return authors(shard.table.column(who))


def _note(number: int, digest: str) -> str:
    return f"{WORKING}/part-{number:06d}.{digest[:32]}.json"
