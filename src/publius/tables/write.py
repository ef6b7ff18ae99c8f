"""Write a finished table, streamed, in any format of the table of formats."""

from collections.abc import Iterable
from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from publius.core.errors import OutputError, ParameterError, UnknownNameError
from publius.storage.atomic import replacing
from publius.tables.formats.parquet import write_parquet
from publius.tables.formats.plain import refusing_open_ends
from publius.tables.formats.table import DELIMITED, FORMATS, WRITABLE
from publius.tables.source import Source

_FORMULA = r"\A([=+\-@\t\r])"
"""How a cell begins that spreadsheets compute or obey."""


def write_table(
    path: Path,
    tables: Iterable[pa.Table],
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
        format: One that the table of formats can write.
        escapes: Put an apostrophe before texts of csv and tsv that a spreadsheet would
            take for a formula.

    Raises:
        OutputError: The disk is full, or the format cannot hold the values.
    """
    writer = FORMATS[format].write if format in FORMATS else None
    if writer is None:
        raise UnknownNameError("output format", format, WRITABLE)
    if escapes and format in DELIMITED:
        tables = map(_escaped, tables)
    with replacing(path) as stream:
        try:
            writer(stream, tables, schema)
        except pa.ArrowException:
            pass  # its text may quote a value
        else:
            return
        raise OutputError(
            f"{format} cannot hold these columns; choose --format parquet"
        )


def table_bytes(tables: Iterable[pa.Table], schema: pa.Schema) -> bytes:
    """Return tables one after another as the bytes of a Parquet file."""
    sink = BytesIO()
    try:
        write_parquet(sink, tables, schema)
    except pa.ArrowException:
        pass  # its text may quote a value
    else:
        return sink.getvalue()
    raise OutputError("parquet cannot hold these columns; keep fewer of them")


def leaving_as(asked: str, source: Source, *, escapes: bool) -> tuple[str, Source]:
    """Return the format in which a table leaves, and the rows as it holds them.

    Args:
        asked: A format, or ``same`` as the table came; Parquet where that has no
            writer: Word and Excel files, folders and tables in memory.
        source: The table; lines refuse, while they are read, what no line can hold.
        escapes: Whether formulas are to be escaped.

    Raises:
        ParameterError: The format does not fit the columns or the escaping.
        UnknownNameError: There is no such format, or it is only read.
    """
    known = FORMATS.get(source.format)
    own = "parquet" if known is None or known.write is None else source.format
    chosen = own if asked == "same" else asked
    if chosen not in FORMATS or FORMATS[chosen].write is None:
        raise UnknownNameError("output format", chosen, WRITABLE)
    if escapes and chosen not in DELIMITED:
        raise ParameterError(
            f"--escape-formulas is for csv and tsv, and this release is {chosen}; "
            "leave it out or choose another --format"
        )
    if source.columns.keep and chosen == "txt":
        raise ParameterError("--format txt has no place for kept columns")
    is_lines = source.format == chosen == "txt"
    return chosen, refusing_open_ends(source) if is_lines else source


def _escaped(table: pa.Table) -> pa.Table:
    """Put an apostrophe before whatever a spreadsheet would compute."""
    for place, field in enumerate(table.schema):
        if not (pa.types.is_string(field.type) or pa.types.is_large_string(field.type)):
            continue
        column = table.column(place)
        quoted = pc.replace_substring_regex(column, _FORMULA, r"'\1")
        table = table.set_column(place, field, quoted)
    return table
