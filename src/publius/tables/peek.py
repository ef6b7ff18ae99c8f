"""The head of a table: its columns and first rows, for somebody who chooses columns."""

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from publius.core.errors import DataError

DELIMITERS = {".csv": ",", ".tsv": "\t"}
LONGEST_CELL = 10_000_000
ROWS = 5


@dataclass(frozen=True, slots=True)
class Head:
    """Columns and first rows; holds secrets.

    Args:
        names: Of the columns.
        rows: Cells as text; empty where there is none.
    """

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = field(repr=False)


def peek(path: Path) -> Head:
    """Return the columns and the first rows of a file.

    Args:
        path: CSV, TSV, JSON Lines, Parquet or plain text in UTF-8.

    Raises:
        DataError: It cannot be read as what its name says.
    """
    ending = path.suffix.lower()
    try:
        if ending in DELIMITERS:
            return _delimited(path, DELIMITERS[ending])
        if ending == ".jsonl":
            return _lines(path)
        if ending == ".parquet":
            return _parquet(path)
        with path.open(encoding="utf-8") as file:
            return Head(
                ("text",), tuple((line.strip(),) for line in islice(file, ROWS))
            )
    except (ValueError, csv.Error, pa.ArrowException, OSError):
        pass  # its text quotes a cell
    raise DataError(
        "the file cannot be read as what its name says; tables are UTF-8 with a header"
    )


def mask(text: str, most: int = 40) -> str:
    """Return the shape of a cell: letters as x, digits as 9."""
    shape = "".join(
        "9" if c.isdigit() else "X" if c.isupper() else "x" if c.isalpha() else c
        for c in text[:most]
    )
    return " ".join(shape.split()) + ("…" if len(text) > most else "")


def _delimited(path: Path, delimiter: str) -> Head:
    csv.field_size_limit(LONGEST_CELL)
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(
            islice(csv.reader(file, delimiter=delimiter, strict=True), ROWS + 1)
        )
    if not rows or len(set(rows[0])) != len(rows[0]):
        raise DataError("a table needs a header whose names differ")
    return _head(rows[0], rows[1:])


def _lines(path: Path) -> Head:
    with path.open(encoding="utf-8") as file:
        objects = [json.loads(line) for line in islice(file, ROWS)]
    if not objects or not all(isinstance(one, dict) for one in objects):
        raise DataError("every line of a JSONL file must be an object")
    names = list(dict.fromkeys(name for one in objects for name in one))
    return _head(names, [[one.get(name, "") for name in names] for one in objects])


def _parquet(path: Path) -> Head:
    with parquet.ParquetFile(path) as file:
        batch = next(file.iter_batches(batch_size=ROWS), None)
        names = file.schema_arrow.names
    rows = [] if batch is None else [list(row.values()) for row in batch.to_pylist()]
    return _head(names, rows)


def _head(names: Sequence[str], rows: Sequence[Sequence[object]]) -> Head:
    cells = tuple(
        tuple("" if cell is None else str(cell) for cell in row) for row in rows
    )
    return Head(tuple(names), cells)
