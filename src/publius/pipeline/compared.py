"""Some rows before and after, for whoever measures a release on its own texts."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from publius.core.errors import DataError, ParameterError
from publius.core.rng import secure
from publius.pipeline.request import ReleaseRequest
from publius.reporting.measured import Measured
from publius.tables.columns import Columns
from publius.tables.shards import Shard, shards

MOST_COMPARED = 2_000
"""Rows that are looked at: enough for intervals of three points, little to keep."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Compared:
    """Rows of a release, secrets included; never written anywhere.

    Args:
        originals: Texts; None where a cell was empty.
        released: What left of them.
        authors: Of each row; None without the column.
        labels: Topic or other class of each row; None without the column.
    """

    originals: Sequence[str | None]
    released: Sequence[str | None]
    authors: pa.ChunkedArray | None
    labels: pa.ChunkedArray | None


@dataclass(frozen=True, slots=True)
class Measuring:
    """How a release is to be measured.

    Args:
        measure: Attacks and uses the rows.
        label: Column of classes, read for this only.
    """

    measure: Callable[[Compared], Measured]
    label: str | None = None

    def check(self, request: ReleaseRequest[object], schema: pa.Schema) -> None:
        """Raise before anything is drawn if the texts cannot be measured."""
        if not pa.types.is_large_string(schema.types[0]):
            raise ParameterError(
                "--evaluate reads released texts; measure vectors with publius attack "
                "and publius evaluate"
            )
        if request.path == "-":
            raise ParameterError(
                "--evaluate reads the input twice and cannot do so with standard input"
            )
        if request.columns.subject is None and self.label is None:
            raise ParameterError(
                "--evaluate needs --author to attack the release, or --label to use it"
            )

    def compare(
        self, request: ReleaseRequest[object], released: Iterable[pa.Table], rows: int
    ) -> Compared:
        """Pick rows evenly at random, in one more pass over the input."""
        author, label = request.columns.subject, self.label
        named = tuple(dict.fromkeys(name for name in (author, label) if name))
        source = request.opened(Columns(request.columns.protected, None, named))
        chosen = secure().permutation(rows)[:MOST_COMPARED]
        pairs = zip(shards(source.batches()), released, strict=False)
        parts = list(_picked(pairs, np.sort(chosen)))
        before = pa.concat_tables([part[0] for part in parts])
        after = pa.concat_tables([part[1] for part in parts])
        return Compared(
            before.column(0).to_pylist(),
            after.column(0).to_pylist(),
            None if author is None else before.column(author),
            None if label is None else before.column(label),
        )


Pair: TypeAlias = tuple[pa.Table, pa.Table]


def _picked(
    pairs: Iterable[tuple[Shard, pa.Table]], rows: np.ndarray
) -> Iterator[Pair]:
    start = 0
    for shard, table in pairs:
        if shard.table.num_rows != table.num_rows:
            raise DataError("the input was changed while it was being released")
        end = start + table.num_rows
        own = rows[(rows >= start) & (rows < end)] - start
        yield pa.table(shard.table).take(own), table.take(own)
        start = end
