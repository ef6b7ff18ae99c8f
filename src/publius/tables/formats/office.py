"""Word and Excel files: paragraphs of a document, rows of the first sheet.

Only what is read can leave: headers, footers, notes, comments, tracked changes, other
sheets and the properties of a file, which name its authors, are not read.
"""

import datetime
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeVar

import docx
import openpyxl
import pyarrow as pa
from docx.opc.exceptions import PackageNotFoundError
from openpyxl.utils.exceptions import InvalidFileException

from publius.core.errors import DataError
from publius.tables.columns import Columns, is_usual, resolve
from publius.tables.formats.values import as_typed, value_types
from publius.tables.source import Reader
from publius.tables.stream import Gauge

Read = TypeVar("Read")
BATCH_ROWS = 4096
TEXT = "text"
BLANK = " \t\n\r\xa0"
"""White space that a Word document has; all of it passes in a release."""
BROKEN = (
    zipfile.BadZipFile, zlib.error, EOFError, OSError, SyntaxError, KeyError, TypeError,
    ValueError, AttributeError, IndexError, NotImplementedError, PackageNotFoundError,
    InvalidFileException,
)  # fmt: skip
"""What the libraries raise on damaged files; their texts may quote a cell."""


def open_document(path: Path, gauge: Gauge, asked: Columns) -> Reader:
    """Open a Word document: every paragraph that is not blank is a row."""
    columns = resolve(asked, [TEXT], [TEXT])
    schema = pa.schema([(TEXT, pa.large_string())])

    def read() -> Iterator[pa.RecordBatch]:
        texts = _paragraphs(path)
        for start in range(0, len(texts), BATCH_ROWS):
            cells = pa.array(texts[start : start + BATCH_ROWS], pa.large_string())
            yield pa.record_batch([cells], schema=schema)
        gauge.bytes_read = path.stat().st_size

    return Reader(columns, schema, read)


def _paragraphs(path: Path) -> list[str]:
    """Return the paragraphs of the body in order, those in tables included.

    A text box is stored twice, the second time for old programs: what stands there
    again is left out, or it would be drawn twice.
    """
    try:
        body = docx.Document(str(path)).element.body
        again = {one for old in body.iter(_FALLBACK) for one in old.iter(f"{_W}p")}
        paragraphs = [one.text for one in body.iter(f"{_W}p") if one not in again]
    except BROKEN:
        paragraphs = None
    if paragraphs is None:
        raise DataError("the file cannot be read as a Word document (.docx)")
    # An emoji alone is a word like any other: that it was none must not show.
    return [text for text in paragraphs if text.strip(BLANK)]


_HEAD = 100
"""Rows of a further sheet that are looked at: is anything in it?"""

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"


def open_sheet(path: Path, gauge: Gauge, asked: Columns) -> Reader:
    """Open the first sheet of an Excel workbook; its first row names the columns."""
    rows = _rows(path)
    names = [str(cell) for cell in next(rows, ())]
    while names and not names[-1]:
        names.pop()
    if not names:
        raise DataError("the first sheet is empty; its first row must name the columns")
    textual = [name for name in names if is_usual(name)] or names
    columns = resolve(asked, names, textual)
    places = [names.index(name) for name in columns.needed]
    plain = pa.schema([(name, pa.large_string()) for name in columns.needed])
    read = partial(_batches, path, gauge, places, plain)
    notes = _other_sheets(path)
    if not (columns.types_kept and columns.keep):
        return Reader(columns, plain, read, notes=notes)
    types = value_types(batch.select(columns.keep) for batch in read())
    typed = pa.schema(
        [
            (name, pa.large_string() if name == columns.subject else kind)
            for name in plain.names
            for kind in [types.get(name, pa.large_string())]
        ]
    )
    return Reader(
        columns, typed, lambda: (as_typed(b, typed) for b in read()), notes=notes
    )


def _other_sheets(path: Path) -> tuple[str, ...]:
    """Say how many further sheets hold something, of which nothing is read."""
    count = _unheard(lambda: _filled_sheets(path))
    if not count:
        return ()
    told = "1 more sheet that holds" if count == 1 else f"{count} more sheets that hold"
    return (
        f"Only the first sheet is read; the workbook has {told} something. Save "
        "each as a file of its own to release it.",
    )


def _filled_sheets(path: Path) -> int:
    with path.open("rb") as stream:
        book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
        heads = [
            islice(sheet.iter_rows(values_only=True), _HEAD)
            for sheet in book.worksheets[1:]
        ]
        return sum(any(any(row) for row in head) for head in heads)


def _batches(
    path: Path, gauge: Gauge, places: list[int], schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    held: list[tuple[str, ...]] = []
    rows = _rows(path)
    next(rows)
    for row in rows:
        if not any(row):
            continue  # sheets end in rows that were emptied
        held.append(tuple(row[i] if i < len(row) else "" for i in places))
        if len(held) == BATCH_ROWS:
            yield _batch(held, schema)
            held = []
    if held:
        yield _batch(held, schema)
    gauge.bytes_read = path.stat().st_size


def _batch(rows: list[tuple[str, ...]], schema: pa.Schema) -> pa.RecordBatch:
    columns = [pa.array(cells, pa.large_string()) for cells in zip(*rows, strict=True)]
    return pa.record_batch(columns, schema=schema)


def _rows(path: Path) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the first sheet as they are shown, formulas as their values."""
    held = _opened(path)
    while read := _unheard(lambda: list(islice(held, BATCH_ROWS))):
        yield from read


def _opened(path: Path) -> Iterator[tuple[str, ...]]:
    # Opened here, so that a damaged file is closed whatever the library does.
    with path.open("rb") as stream:
        book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
        for row in book.worksheets[0].iter_rows(values_only=True):
            yield tuple(map(_written, row))


def _unheard(read: Callable[[], Read]) -> Read:
    """Return what the library reads, without its warnings: they quote cells.

    Raises:
        DataError: The file is damaged.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return read()
    except BROKEN:
        pass  # its text may quote a cell
    raise DataError("the file cannot be read as an Excel workbook (.xlsx)")


def _written(cell: object) -> str:
    """Return a cell as text: numbers in their shortest form, dates by ISO 8601."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    if isinstance(cell, datetime.datetime | datetime.date | datetime.time):
        return cell.isoformat().removesuffix("T00:00:00")
    return str(cell)
