"""Few rows of everybody, spread evenly over what each subject has."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from publius.core.arrays import BoolArray, at_least
from publius.core.errors import DataError, ParameterError
from publius.tables.source import Source

Present = Callable[[pa.RecordBatch, int], pa.BooleanArray]
"""Says which rows count, and refuses bad ones; knows the number of the first row."""


@dataclass(frozen=True, slots=True, eq=False)
class Thinning:
    """Which rows of each subject are chosen: by their number and order alone.

    Nothing but the subject of a row and whether it has a value decides, so that no
    protected value has any influence on what is chosen.

    Args:
        column: Names of subjects.
        most: Rows of one subject that are chosen at most.
        present: Which rows count.
        totals: Rows that count, by subject; stays in memory.
    """

    column: str
    most: int
    present: Present
    totals: "Counter[str]" = field(repr=False)

    def rows(
        self, batches: Iterator[pa.RecordBatch], first_row: int
    ) -> Iterator[pa.RecordBatch]:
        """Yield the chosen rows.

        Raises:
            DataError: The rows are not those that were counted.
        """
        seen: Counter[str] = Counter()
        for batch in batches:
            is_chosen = self._chosen(batch, first_row, seen)
            first_row += batch.num_rows
            if is_chosen.any():
                yield batch.filter(pa.array(is_chosen))
        if seen != self.totals:
            raise DataError("the input was changed while it was being released")

    def _chosen(
        self, batch: pa.RecordBatch, first_row: int, seen: "Counter[str]"
    ) -> BoolArray:
        is_chosen = np.zeros(batch.num_rows, dtype=np.bool_)
        for row, name in _named(batch, self.column, self.present, first_row):
            total = self.totals[name]
            is_chosen[row] = is_spread(seen[name], total, self.most)
            seen[name] += 1
        return is_chosen


def is_spread(number: int, total: int, most: int) -> bool:
    """Say whether the row of that number, from 0, is among `most` of `total`.

    A row is chosen where ``most * number / total``, rounded, rises: neighbours are
    equally far apart, up to one row. All are chosen if there are no more than `most`.
    """
    if not 0 <= number < total:
        return False
    if total <= most:
        return True
    before, after = (
        (2 * n * most + total) // (2 * total) for n in (number, number + 1)
    )
    return after > before


def thinned(source: Source, most: int, present: Present) -> Source:
    """Return the source with at most `most` rows of each subject; reads it once.

    Raises:
        DataError: A row that counts names nobody.
        ParameterError: No column says whose a row is, or it can be read once only.
    """
    column = source.columns.subject
    if column is None:
        raise ParameterError("name the column that says whose a row is with --user")
    if source.identity is None and source.size_bytes is None:
        raise ParameterError(
            "--trajectories reads the input twice and cannot do so with standard input"
        )
    totals: Counter[str] = Counter()
    first_row = source.first_row
    for batch in source.batches():
        totals.update(name for _, name in _named(batch, column, present, first_row))
        first_row += batch.num_rows
    chosen = Thinning(column, at_least("most", most, 1), present, totals)
    read = source.reader.read
    start = source.first_row
    reader = replace(source.reader, read=lambda: chosen.rows(read(), start), seek=None)
    return replace(source, reader=reader)


def _named(
    batch: pa.RecordBatch, column: str, present: Present, first_row: int
) -> Iterator[tuple[int, str]]:
    """Yield place and subject of the rows that count."""
    names = batch.column(column).to_pylist()
    is_there = np.asarray(present(batch, first_row))
    for row in np.flatnonzero(is_there).tolist():
        name = names[row]
        if name is None or not str(name):
            raise DataError(
                f"column {column!r} names nobody in row {first_row + row}; the records "
                "of a person cannot be counted without"
            )
        yield row, str(name)
