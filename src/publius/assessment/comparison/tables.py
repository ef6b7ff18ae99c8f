"""Columns of tables: texts, classes, scores, and what was released of the texts."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import json as arrow_json
from pyarrow import parquet

from publius.assessment.comparison.released_file import (
    TEXTS,
    is_file_name,
    released_file,
)
from publius.core.arrays import FloatArray
from publius.core.errors import DataError, NoColumnError, ParameterError
from publius.tables.columns import Columns
from publius.tables.dataset import open_input
from publius.tables.formats.memory import Input

VOCABULARY = "vocabulary.txt"
"""The terms of a release as vectors, one per line, beside the data."""

Texts = list[str | None]


@dataclass(frozen=True, slots=True)
class Released:
    """Where the released texts are.

    Args:
        name: A column of the table, a file, the folder of a release, or a table.
        key: Column of both tables that tells which rows belong together; None goes by
            the order of rows.
    """

    name: Input
    key: str | None = None

    @property
    def column(self) -> str | None:
        """Return the name of a column; None if the texts are elsewhere."""
        is_elsewhere = isinstance(self.name, pa.Table) or is_file_name(self.name)
        return None if is_elsewhere else str(self.name)

    def texts(self, table: pa.Table, text: str) -> Texts:
        """Return the released text of each row of `table`; None where there is none.

        Args:
            table: With the column of released texts, if they are in one.
            text: Name that the column of texts has in a file.
        """
        if self.column is not None:
            return strings(table.column(self.column))
        if self.key is None:
            released, _ = _read(self.name, text, None)
            if len(released) != table.num_rows:
                raise DataError(
                    f"the released table has {len(released)} rows and the original one "
                    f"{table.num_rows}; they must be the same rows in the same order, "
                    "or name a column of both that tells rows apart with --id"
                )
            return released
        released, keys = _read(self.name, text, self.key)
        asked = strings(table.column(self.key))
        for name, values in (("released", keys), ("original", asked)):
            if len(set(values)) < len(values):
                raise DataError(
                    f"column {self.key!r} of the {name} table holds a value twice; "
                    "--id needs a column that tells all rows apart"
                )
        place = dict(zip(keys, released, strict=True))
        if not any(key in place for key in asked):
            raise DataError(f"no value of {self.key!r} stands in both tables")
        return [place.get(key) for key in asked]


def read_table(
    path: Input,
    text: str | None,
    others: Sequence[str],
    input_format: str | None = None,
    *,
    released: Sequence[Released] = (),
) -> pa.Table:
    """Read a column of texts, found by its name if None, and other columns.

    Args:
        path: The table.
        text: The column of texts.
        others: Names of other columns.
        input_format: Where the name of the table does not tell.
        released: Where the released texts are; columns among them are read too.
    """
    made = [source.column for source in released if source.column is not None]
    protected = () if text is None else (text,)
    if text in made:
        raise DataError(
            f"--released names {text!r}, the column of the originals; name that of the "
            "released texts"
        )
    columns = Columns(protected, keep=tuple(dict.fromkeys((*others, *made))))
    try:
        table = read_whole(path, columns, input_format)
    except ParameterError:
        alone = Columns(protected, keep=tuple(dict.fromkeys(others)))
        found = open_input(path, columns=alone, input_format=input_format).text
        if found not in made:
            raise
        raise DataError(
            "--released names the column of the originals; name that of the released "
            "texts, or the originals with --text"
        ) from None
    except NoColumnError as error:
        if error.name not in made:
            raise
        raise DataError(
            f"--released {error.name!r} is neither a file or folder here nor a column "
            f"of the table{error.told}"
        ) from None
    if not table.num_rows:
        raise DataError("the table has no rows")
    return table


def read_whole(
    path: Input, columns: Columns, input_format: str | None = None
) -> pa.Table:
    """Return columns of a table, all rows at once."""
    source = open_input(path, columns=columns, input_format=input_format)
    return pa.Table.from_batches(list(source.batches()), source.schema)


def read_released(released: Input, columns: Columns, material: str) -> pa.Table:
    """Return columns of a release: a file, a folder, or a table in memory."""
    if isinstance(released, pa.Table):
        return read_whole(released, columns)
    return read_whole(str(released_file(released, material)), columns)


def strings(column: pa.ChunkedArray) -> Texts:
    """Return values as strings."""
    return [None if v is None else str(v) for v in column.to_pylist()]


def class_names(column: pa.ChunkedArray, name: str) -> Texts:
    """Return names of classes; fractions are a measurement, not a class."""
    values = column.to_pylist()
    where = next((i for i, v in enumerate(values) if _is_fraction(v)), None)
    if pa.types.is_floating(column.type) or where is not None:
        place = "" if where is None else f" (row {where + 1})"
        raise DataError(
            f"column {name!r} holds numbers with fractions{place}; classes must be "
            "names or whole numbers: bin the column first"
        )
    return [None if v is None else str(v) for v in values]


def numbers(column: pa.ChunkedArray, name: str) -> FloatArray:
    """Return a column of numbers; NaN where a cell is empty."""
    values = column.to_pylist()
    floats = np.full(len(values), np.nan)
    for row, value in enumerate(values):
        if value is None or not str(value).strip():
            continue
        try:
            floats[row] = float(value)
        except ValueError:
            floats[row] = math.inf
        if not math.isfinite(floats[row]):
            raise DataError(
                f"column {name!r} must hold finite numbers; row {row + 1} does not"
            )
    return floats


def _read(released: Input, text: str, key: str | None) -> tuple[Texts, Texts]:
    """Return texts and keys of a release; no keys without their column."""
    kept = () if key is None else (key,)
    path = None if isinstance(released, pa.Table) else released_file(released, TEXTS)
    if path is not None and (path.parent / VOCABULARY).is_file():
        table = _vectors(path)
        texts = _bags(table, path)
        if key is not None and key not in table.column_names:
            raise DataError(f"no column {key!r} in {path.name}; release it with --keep")
    else:
        rows = released if path is None else str(path)
        try:
            table = read_whole(rows, Columns((text,), keep=kept))
        except NoColumnError as error:
            table = _only_texts(rows, kept, error)
        texts = strings(table[0])
    return texts, [] if key is None else strings(table.column(key))


def _only_texts(rows: Input, kept: tuple[str, ...], missing: NoColumnError) -> pa.Table:
    """Read a table that may call its texts otherwise than the originals are called."""
    try:
        return read_whole(rows, Columns(keep=kept))
    except DataError:
        raise DataError(
            f"the released table has no column {missing.name!r}{missing.told}"
        ) from None


def _vectors(path: Path) -> pa.Table:
    try:
        if path.suffix == ".parquet" or path.is_dir():
            return parquet.read_table(path)
        return arrow_json.read_json(
            path, read_options=arrow_json.ReadOptions(block_size=1 << 26)
        )
    except (pa.ArrowException, OSError):
        raise DataError(f"{path.name} cannot be read as vectors of terms") from None


def _bags(table: pa.Table, path: Path) -> Texts:
    """Write each vector of terms as the words that it counts."""
    names = (path.parent / VOCABULARY).read_text("utf-8").splitlines()
    ends = ("_terms", "_counts")
    columns = [n for n in table.column_names if n.endswith(ends)]
    if len(columns) != 2:
        raise DataError(f"{path.name} holds no vectors of terms")
    terms, counts = (
        next(table.column(n).to_pylist() for n in columns if n.endswith(end))
        for end in ends
    )
    if max((max(row, default=0) for row in terms if row), default=0) >= len(names):
        raise DataError(f"{path.name} holds terms that {VOCABULARY} does not name")
    return [
        None
        if row is None
        else " ".join(
            " ".join([names[term]] * count)
            for term, count in zip(row, counts[place], strict=True)
        )
        for place, row in enumerate(terms)
    ]


def _is_fraction(value: object) -> bool:
    if isinstance(value, float):
        return True
    if not isinstance(value, str) or not any(mark in value for mark in ".eE"):
        return False
    try:
        number = float(value)
    except ValueError:
        return False
    return math.isfinite(number)
