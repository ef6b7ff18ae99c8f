"""The step of every release: a shard of secret rows in, a part of the release out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from publius.core.arrays import FloatArray, IdArray
from publius.core.errors import ParameterError
from publius.core.rng import RunKey
from publius.materials.form import Form, Keyed
from publius.pipeline.folder import opened_shard, shard_file
from publius.pipeline.stream import stream_of
from publius.tables.shards import Shard


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One finished shard.

    A part that comes from another process brings its rows as the file that is put on
    the disk: it was compressed there, and is not looked into here.

    Args:
        table: The released rows with the kept columns, or a file of them.
        rows: How many there are.
        costs: How many guarantees each row of the shard spends.
        counts: Figures about released values, added up for the report.
        originals: What a private picture is drawn from; stays in memory.
    """

    table: pa.Table | bytes
    rows: int
    costs: IdArray
    counts: Mapping[str, int]
    originals: FloatArray | IdArray | None = field(default=None, repr=False)

    @property
    def figures(self) -> dict[str, int]:
        """What the report and a resumed run need to know of it."""
        costs = self.costs
        own = {"words": int(costs.sum()), "longest": int(costs.max(initial=0))}
        return {"rows": self.rows, **own, **self.counts}

    def opened(self) -> pa.Table:
        """Return the released rows."""
        is_stored = isinstance(self.table, bytes)
        return opened_shard(self.table) if is_stored else self.table

    def __reduce__(self) -> tuple[type["Part"], tuple[object, ...]]:
        table = self.table
        if not isinstance(table, bytes):
            table = shard_file(table, self.figures)
        return Part, (table, self.rows, self.costs, self.counts, self.originals)


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """Release one shard with noise derived from the key and its protected cells.

    Args:
        form: The shape in which protected columns leave.
        task: Names and key.
    """

    form: Form
    task: "Task"

    def __post_init__(self) -> None:
        if isinstance(self.form, Keyed):
            object.__setattr__(self, "form", self.form.keyed(self.task.key))

    def __call__(self, shard: Shard) -> Part:
        """Release the shard."""
        task, rows = self.task, shard.table
        secret = [rows.column(name) for name in task.protected]
        rng = stream_of(task.key, task.context, shard.start, secret)
        first_row = task.first_row + shard.start
        released = self.form.release(rows, rng, first_row=first_row)
        schema = release_schema(self.form, rows.schema, task.protected, task.keep)
        kept = [rows.column(name) for name in task.keep]
        table = pa.table([*released.columns, *kept], schema=schema)
        if released.leaves is not None:
            table = table.filter(released.leaves)
        originals = released.originals if task.shows_originals else None
        return Part(table, table.num_rows, released.costs, released.counts, originals)


@dataclass(frozen=True, slots=True)
class Task:
    """All that a worker needs to build the step: settings, names and key.

    It travels through a pipe, never to the disk, and builds the form once per process.

    Args:
        make_form: Builds the form.
        protected: Names of the protected columns, the first ones of a shard.
        keep: Names of unprotected columns that leave as they are.
        key: From which the stream of each shard is derived.
        context: Digest of settings and column names, part of every stream.
        first_row: Number of the first row of the table, as its owner counts.
        shows_originals: Hand back what private pictures are drawn from.
    """

    make_form: Callable[[], Form]
    protected: tuple[str, ...]
    keep: tuple[str, ...]
    key: RunKey = field(repr=False)
    context: bytes = field(repr=False)
    first_row: int = 1
    shows_originals: bool = False

    def __call__(self) -> Step:
        """Return the step."""
        return Step(self.make_form(), self)


def release_schema(
    form: Form, source: pa.Schema, protected: Sequence[str], keep: Sequence[str]
) -> pa.Schema:
    """Return the columns of a released table; none may have the name of another."""
    made = form.fields([source.field(name) for name in protected])
    fields = [*made, *(source.field(name) for name in keep)]
    names = [field.name for field in fields]
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(
                f"the release has a column {name!r} of its own; it cannot keep another"
            )
    return pa.schema(fields)
