"""One pass over a table, from its first row to its report."""

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from publius.accounting.accounts import Subject
from publius.accounting.spending import Bill
from publius.coordinates.request import TableRequest
from publius.core.arrays import FloatArray, IdArray
from publius.core.errors import DataError, ParameterError
from publius.core.guarantee import Guarantee, Scope
from publius.core.rng import RunKey
from publius.corpus.folder import PARTIAL, ReleaseFolder
from publius.corpus.shards import Shard, shards
from publius.corpus.source import Source
from publius.corpus.write import check_escapes
from publius.engines.coordinates import (
    BINS,
    SHARD_ROWS,
    Cells,
    DirectionalStep,
    Moved,
)
from publius.engines.local import Local
from publius.release import Charging, Watch, check_counts, check_ledger, subject
from publius.reporting.directional import DirectionalSummary, render_directional
from publius.reporting.rendering import PRIVATE_REPORT

SHOWN = 20_000
"""Released rows that a picture is drawn from."""
UNLIMITED = 1 << 62

Writer = Callable[[ReleaseFolder, pa.Schema, int], Path]
Originals = list[FloatArray | IdArray]
Pictures = Callable[[Originals | None], list[tuple[str, str]]]
"""Draws the pictures of a report, with originals only if they are given."""


class Run:
    """The state of one release."""

    def __init__(self, request: TableRequest, source: Source, watch: Watch) -> None:
        check_ledger(
            request.ledger, path=request.path, out=request.out, seed=request.seed
        )
        own = request.format
        written = source.format if own == "same" else own
        check_escapes(written, escapes=request.escapes)
        self.request = request
        self.source = source
        self.key = (
            RunKey.fresh() if request.seed is None else RunKey.from_seed(request.seed)
        )
        self.rows = 0
        self.bins: IdArray = np.zeros(BINS, dtype=np.int64)
        self.before: list[FloatArray | IdArray] = []
        self._watch = watch
        self._charging = Charging()
        self._users: Counter[Subject] = Counter()
        self._batches = source.batches()
        self._is_complete = True
        self._step: DirectionalStep | None = None
        self._shards = 0

    @contextmanager
    def folder(self, settings: Mapping[str, object]) -> Iterator[ReleaseFolder]:
        """Take the output folder; bad data leaves nothing of a new run behind."""
        request, identity = self.request, self.source.identity
        charged = {} if request.ledger is None else {"ledger": True}
        job = charged | {
            "settings": dict(settings),
            "columns": asdict(self.source.columns),
            "missing": request.is_dropping,
            "seed": request.seed,
            "input": None if identity is None else asdict(identity),
        }
        is_new = not request.out.exists()
        folder = ReleaseFolder.create(
            request.out, job, resume=request.resume, paths=self.source.paths
        )
        try:
            with folder, Charging.opened(request.ledger, self._watch) as charging:
                self._charging = charging
                yield folder
        except (DataError, ParameterError):
            if not request.resume:
                shutil.rmtree(request.out / PARTIAL, ignore_errors=True)
                if is_new and request.out.is_dir() and not any(request.out.iterdir()):
                    request.out.rmdir()
            raise

    def first(self) -> pa.Array:
        """Return the first cell of the protected column that is not empty.

        Raises:
            DataError: There is none.
        """
        seen: list[pa.RecordBatch] = []
        found = None
        for batch in self._batches:
            seen.append(batch)
            present = Cells(is_dropping=True).present(
                Shard(0, batch), [batch.schema[0].name]
            )
            where = pc.index(present, value=True).as_py()
            if where >= 0:
                found = batch.column(0).slice(where, 1)
                break
        self._batches = chain(seen, self._batches)
        if found is None:
            raise DataError("the table has no rows with a value to release")
        return found

    def field(self, name: str) -> pa.Field:
        """Return a column of the input with its type."""
        return self.source.schema.field(name)

    def kept(self) -> list[pa.Field]:
        """Return the columns that leave as they are."""
        return [self.field(name) for name in self.request.keep]

    def cells(self) -> Cells:
        """Return how rows are numbered and what happens to empty cells."""
        return Cells(first_row(self.source), self.request.is_dropping)

    def release(
        self,
        step: DirectionalStep,
        folder: ReleaseFolder,
        bill: Bill,
    ) -> None:
        """Release every shard that is not released yet.

        Args:
            step: Releases a shard.
            folder: Where it is committed to.
            bill: What a record costs, charged before anything is drawn.
        """
        self._step = step
        for counts in folder.counts():
            self._count(counts)

        def commit(number: int, moved: Moved) -> None:
            counts = {"rows": moved.table.num_rows}
            counts |= {f"bin{i}": int(count) for i, count in enumerate(moved.bins)}
            folder.commit(number, moved.table, counts)
            self._count(counts)
            if self.request.shows_before:
                self.before.append(moved.before)
            self._watch.rows(self.rows, self.source.bytes_read)

        bill = replace(bill, guarantee=self.promise(bill.guarantee))
        with self._charging.before(folder, bill, self._count_records) as counted:
            self._watch.stage("releasing")
            Local().map_batches(lambda: step, self._pending(folder), commit)
        check_counts(counted, self._users)

    @property
    def busiest(self) -> int | None:
        """Records of the person with most of them."""
        has_users = self.request.user is not None and bool(self._users)
        return max(self._users.values()) if has_users else None

    @property
    def originals(self) -> Originals | None:
        """What pictures of the originals are drawn from, where all were seen."""
        return self.before if self.before and self._is_complete else None

    def promise(self, guarantee: Guarantee) -> Guarantee:
        """Return the promise with what this release leaves unprotected."""
        uncovered: tuple[str, ...] = ()
        if self.request.is_dropping:
            uncovered += ("That rows with empty cells were left out.",)
        if self.request.keep:
            names = ", ".join(self.request.keep)
            uncovered += (f"The columns that were asked to be kept: {names}.",)
        if self.busiest is not None:
            uncovered += ("How many records the person with most of them has.",)
        scope = Scope(uncovered=uncovered).joined(self._charging.scope)
        return guarantee.covering(scope)

    def finish(
        self,
        folder: ReleaseFolder,
        summary: DirectionalSummary,
        pictures: Pictures,
        write: Writer,
    ) -> DirectionalSummary:
        """Write the table, the report and the manifest."""
        if self._step is None or self.rows == 0:
            raise DataError("the table has no rows with a value to release")
        self._watch.stage("writing")
        path = write(folder, pa.schema(self._step.fields), self._shards)
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        summary = replace(summary, files={path.name: digest})
        page = render_directional(summary, pictures(None), shows_originals=False)
        folder.write_file("report.html", page.encode())
        if self.originals is not None:
            shown = pictures(self.originals)
            page = render_directional(summary, shown, shows_originals=True)
            folder.write_file(PRIVATE_REPORT, page.encode(), is_private=True)
        manifest = json.dumps(
            summary.to_json(), indent=1, sort_keys=True, ensure_ascii=False
        )
        folder.write_file("manifest.json", manifest.encode() + b"\n")
        folder.finish()
        return summary

    def table_writer(self) -> Writer:
        """Return what writes the plain formats."""
        own = self.request.format
        name = self.source.format if own == "same" else own

        def write(folder: ReleaseFolder, schema: pa.Schema, count: int) -> Path:
            return folder.write_release(
                name, shards=count, schema=schema, escapes=self.request.escapes
            )

        return write

    def _count(self, counts: Mapping[str, int | float]) -> None:
        self.rows += int(counts["rows"])
        if "bin0" in counts:
            self.bins = self.bins + np.array(
                [int(counts[f"bin{i}"]) for i in range(BINS)]
            )

    def _pending(self, folder: ReleaseFolder) -> Iterator[Shard]:
        done = folder.committed()
        for shard in shards(self._batches, max_rows=SHARD_ROWS, max_bytes=UNLIMITED):
            self._shards += 1
            self._users.update(self._records(shard.table))
            if shard.number in done:
                self._is_complete = False
                continue
            yield shard

    def _count_records(self) -> "Counter[Subject]":
        """Count everybody's records in one more pass."""
        found: Counter[Subject] = Counter()
        for batch in self.source.batches():
            found.update(self._records(batch))
        return found

    def _records(self, rows: pa.RecordBatch) -> "Counter[Subject]":
        """Count everybody's rows; None stands for whoever is not named."""
        if self.request.user is None:
            return Counter({None: rows.num_rows})
        found: Counter[Subject] = Counter()
        for item in pc.value_counts(rows.column(self.request.user)).to_pylist():
            found[subject(item["values"])] += item["counts"]
        return found


def first_row(source: Source) -> int:
    """Return the number of the first row of values: a header is row 1."""
    return 2 if source.format in ("csv", "tsv") else 1


def released_places(
    folder: ReleaseFolder, lat: str, lon: str
) -> tuple[FloatArray, FloatArray]:
    """Return up to ``SHOWN`` released places, which are public."""
    found: list[list[FloatArray]] = [[], []]
    left = SHOWN
    for table in folder.tables():
        for column, name in zip(found, (lat, lon), strict=True):
            column.append(table.column(name).slice(0, left).to_numpy())
        left -= table.num_rows
        if left <= 0:
            break
    north, east = (np.concatenate(part) if part else np.empty(0) for part in found)
    return north, east
