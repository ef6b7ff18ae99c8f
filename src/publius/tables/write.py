"""Write a finished table, streamed, in any of the formats that are read."""

import datetime
import decimal
import json
import uuid
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, parquet

from publius.core.errors import OutputError, ParameterError, UnknownNameError
from publius.storage.atomic import replacing
from publius.tables.formats.geojson import write_geojson
from publius.tables.shards import shards

DELIMITED = ("csv", "tsv")
_FORMULA = r"\A([=+\-@\t\r])"
"""How a cell begins that spreadsheets compute or obey."""

Tables = Iterable[pa.Table]
Writer = Callable[[BinaryIO, Tables, pa.Schema], None]


def write_table(
    path: Path,
    tables: Tables,
    *,
    schema: pa.Schema,
    format: str,  # noqa: A002 - the word users know
    escapes: bool = False,
) -> None:
    """Write tables one after another into one file, or leave no file at all.

    Args:
        path: The file; its suffix is not looked at.
        tables: The rows, in order; each has the schema.
        schema: Columns and types.
        format: One of ``FORMATS``.
        escapes: Put an apostrophe before texts of csv and tsv that a spreadsheet would
            take for a formula.

    Raises:
        OutputError: The disk is full, or the format cannot hold the values.
    """
    if format not in _WRITERS:
        raise UnknownNameError("output format", format, FORMATS)
    if escapes and format in DELIMITED:
        tables = map(_escaped, tables)
    with replacing(path) as stream:
        try:
            _WRITERS[format](stream, tables, schema)
        except pa.ArrowException:
            pass  # its text may quote a value
        else:
            return
        raise OutputError(
            f"{format} cannot hold these columns; choose --format parquet"
        )


def check_escapes(format: str, *, escapes: bool) -> None:  # noqa: A002 - the word users know
    """Raise if formulas are to be escaped where nothing computes them."""
    if escapes and format not in DELIMITED:
        raise ParameterError(
            f"--escape-formulas is for csv and tsv, and this release is {format}; "
            "leave it out or choose another --format"
        )


def _write_parquet(stream: BinaryIO, tables: Tables, schema: pa.Schema) -> None:
    batches = (batch for table in tables for batch in table.to_batches())
    with parquet.ParquetWriter(stream, schema, compression="zstd") as writer:
        # Groups of rows are cut anew: the tables of a release end where its secret
        # texts reach a size, which the file would tell.
        for group in shards(batches):
            writer.write_batch(group.table)


def _write_delimited(
    stream: BinaryIO, tables: Tables, schema: pa.Schema, *, delimiter: str
) -> None:
    # Every string is quoted, so that whatever it contains is read back as it was.
    options = csv.WriteOptions(delimiter=delimiter, quoting_style="needed")
    with csv.CSVWriter(stream, schema, write_options=options) as writer:
        for table in tables:
            writer.write_table(table if len(schema) > 1 else _without_null(table))


def _escaped(table: pa.Table) -> pa.Table:
    """Put an apostrophe before whatever a spreadsheet would compute."""
    for place, field in enumerate(table.schema):
        if not (pa.types.is_string(field.type) or pa.types.is_large_string(field.type)):
            continue
        column = table.column(place)
        quoted = pc.replace_substring_regex(column, _FORMULA, r"'\1")
        table = table.set_column(place, field, quoted)
    return table


def _without_null(table: pa.Table) -> pa.Table:
    # A null alone in its row would be an empty line, which readers skip.
    column = table.column(0)
    if not column.null_count:
        return table
    return pa.table([column.fill_null("")], schema=table.schema)


def _write_jsonl(stream: BinaryIO, tables: Tables, schema: pa.Schema) -> None:
    encode = json.JSONEncoder(
        ensure_ascii=False, allow_nan=False, default=_as_json
    ).encode
    for table in tables:
        rows = _finite(table, schema).to_pylist()
        try:
            written = "".join([encode(row) + "\n" for row in rows])
        except (TypeError, ValueError):
            written = None  # its text may quote a value
        if written is None:
            raise OutputError(
                "jsonl cannot hold these columns; choose --format parquet"
            )
        stream.write(written.encode("utf-8"))


def _finite(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Replace numbers that JSON does not know, such as NaN, by null."""
    for place, field in enumerate(schema):
        if pa.types.is_floating(field.type):
            column = table.column(place)
            known = pc.if_else(pc.is_finite(column), column, None)
            table = table.set_column(place, field, known)
    return table


def _as_json(value: object) -> str:
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, decimal.Decimal | uuid.UUID | datetime.timedelta):
        return str(value)
    raise TypeError


def _write_txt(stream: BinaryIO, tables: Tables, schema: pa.Schema) -> None:
    if len(schema) != 1:
        raise OutputError(
            f"txt holds the text alone and {len(schema) - 1} more columns are kept; "
            "choose another --format"
        )
    start = 1
    for table in tables:
        texts = table.column(0).fill_null("")
        # A line break inside a text, or a lone "\r" before the one that ends the line.
        broken = pc.match_substring_regex(texts, r"\n|\r\z")
        where = pc.index(broken, value=True).as_py()
        if where >= 0:
            raise OutputError(
                f"txt holds one line per row and row {start + where} has line breaks; "
                "choose another --format"
            )
        start += table.num_rows
        lines = "".join([text + "\n" for text in texts.to_pylist()])
        stream.write(lines.encode("utf-8"))


_WRITERS: dict[str, Writer] = {
    "csv": partial(_write_delimited, delimiter=","),
    "geojson": write_geojson,
    "jsonl": _write_jsonl,
    "parquet": _write_parquet,
    "tsv": partial(_write_delimited, delimiter="\t"),
    "txt": _write_txt,
}
FORMATS = tuple(name for name in _WRITERS if name != "geojson")
"""For any table; GeoJSON holds places alone."""
