"""Plain text: one file with a text per line, or a folder with a text per file."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from publius.core.errors import DataError, OutputError
from publius.tables.arrow import strings
from publius.tables.columns import Columns, resolve
from publius.tables.source import Reader, Source
from publius.tables.stream import BLOCK, ByteInput, Gauge, lines

TEXT = "text"
FILE = "file"
_MOST_FILES = 1024


def open_lines(source: ByteInput, asked: Columns) -> Reader:
    """Open a text file: every line is a row, without its line break."""
    columns = resolve(asked, [TEXT], [TEXT])
    schema = pa.schema([(TEXT, pa.large_string())])
    return Reader(columns, schema, partial(_lines, source, schema))


def open_folder(
    files: Sequence[Path], encoding: str, gauge: Gauge, asked: Columns
) -> Reader:
    """Open a folder of text files: every file is a row, in the order of names."""
    columns = resolve(asked, [TEXT, FILE], [TEXT])
    if columns.protected != (TEXT,):
        raise DataError(f"the texts of a folder are its column {TEXT!r}, not {FILE!r}")
    schema = pa.schema([(name, pa.large_string()) for name in columns.needed])
    return Reader(columns, schema, partial(_files, files, encoding, gauge, schema))


def text_files(folder: Path) -> list[Path]:
    """Return the text files of a folder, sorted by name; hidden files are left out."""
    files = [
        path
        for path in folder.iterdir()
        if path.name.lower().endswith((".txt", ".txt.gz", ".md", ".markdown"))
        and not path.name.startswith(".")
        and path.is_file()
    ]
    if not files:
        raise DataError(
            f"the folder {str(folder)!r} holds no table, .txt or .md file; folders in "
            "it are not read"
        )
    return sorted(files, key=lambda path: path.name)


def _lines(source: ByteInput, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    with source.open() as stream:
        for block in lines(stream):
            texts = block.decode("utf-8").removesuffix("\n").split("\n")
            if b"\r" in block:
                texts = [text.removesuffix("\r") for text in texts]
            yield pa.record_batch([strings(texts)], schema=schema)


def _files(
    files: Sequence[Path], encoding: str, gauge: Gauge, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    total = 0
    texts: list[str] = []
    names: list[str] = []
    for number, path in enumerate(files, start=1):
        gauge_of_file = Gauge()
        texts.append(_text(ByteInput(path, encoding, gauge_of_file), number))
        names.append(path.name)
        total += gauge_of_file.bytes_read
        gauge.bytes_read = total
        if len(texts) == _MOST_FILES or sum(map(len, texts)) >= BLOCK:
            yield _batch(texts, names, schema)
            texts, names = [], []
    if texts:
        yield _batch(texts, names, schema)


def _text(source: ByteInput, number: int) -> str:
    try:
        with source.open() as stream:
            return stream.read().decode("utf-8")
    except DataError as error:
        # A name may say who wrote the file; its place does not.
        problem = f"file {number} in the order of names: {error}"
    raise DataError(problem)


def _batch(texts: list[str], names: list[str], schema: pa.Schema) -> pa.RecordBatch:
    written = {TEXT: texts, FILE: names}
    arrays = [strings(written[name]) for name in schema.names]
    return pa.record_batch(arrays, schema=schema)


def refusing_open_ends(source: Source) -> Source:
    """Return lines that can be written as lines again: a check while they are read.

    A carriage return that ends a text would become a part of its line break.
    """
    read = source.reader.read
    reader = replace(source.reader, read=lambda: _checked(read()))
    return replace(source, reader=reader)


def _checked(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    start = 1
    for batch in batches:
        where = _first_broken(batch.column(0))
        if where >= 0:
            raise DataError(
                f"line {start + where} ends in a carriage return that is no part of "
                "its line break, and txt cannot hold it; choose another --format"
            )
        start += batch.num_rows
        yield batch


def _first_broken(texts: pa.Array | pa.ChunkedArray) -> int:
    """Return the first row that one line cannot hold; -1 if there is none."""
    # A line break inside a text, or a lone "\r" before the one that ends the line.
    broken = pc.match_substring_regex(texts, r"\n|\r\z")
    return int(pc.index(broken, value=True).as_py())


def write_lines(
    stream: BinaryIO, tables: Iterable[pa.Table], schema: pa.Schema
) -> None:
    """Write one line per row; there is no place for another column."""
    if len(schema) != 1:
        raise OutputError(
            f"txt holds the text alone and {len(schema) - 1} more columns are kept; "
            "choose another --format"
        )
    start = 1
    for table in tables:
        texts = table.column(0).fill_null("")
        where = _first_broken(texts)
        if where >= 0:
            raise OutputError(
                f"txt holds one line per row and row {start + where} has line breaks; "
                "choose another --format"
            )
        start += table.num_rows
        lines = "".join([text + "\n" for text in texts.to_pylist()])
        stream.write(lines.encode("utf-8"))
