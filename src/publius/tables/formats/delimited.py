"""CSV and TSV: a header, quoted cells with line breaks, cells of any size."""

import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from itertools import chain
from typing import BinaryIO

import pyarrow as pa
from pyarrow import csv

from publius.core.errors import DataError, ParameterError
from publius.tables.columns import Columns, is_usual, resolve
from publius.tables.formats.values import as_typed, value_types
from publius.tables.source import Reader
from publius.tables.stream import BLOCK, ByteInput, blocks, joined

LARGEST_ROW = 256 << 20
LARGEST_PIPED_ROW = 16 << 20  # a pipe cannot be read again with larger blocks
_GROWTH = 4
_ROW_EXCEEDS_BLOCK = ("straddling", "cannot infer number of columns")


def open_delimited(
    source: ByteInput, asked: Columns, *, delimiter: str, is_told: bool = False
) -> Reader:
    """Open a delimited table; every cell is read as a string, as it is written.

    Args:
        source: Its bytes.
        asked: What to read; kept columns may get the types of their values.
        delimiter: What stands between cells; of a CSV file the line of names decides.
        is_told: Whoever owns the file said so, and its names do not decide.
    """
    if not is_told:
        delimiter = _own_delimiter(source, delimiter)
    names, textual = _header(source, delimiter)
    columns = resolve(asked, names, textual)
    schema = pa.schema([(name, pa.large_string()) for name in columns.needed])
    read = partial(_batches, source, schema, delimiter, len(names))
    if not (columns.types_kept and columns.keep and source.is_replayable):
        return Reader(columns, schema, read)
    kept = [name for name in columns.keep if name != columns.subject]
    only = pa.schema([(name, pa.large_string()) for name in kept])
    types = value_types(_batches(source, only, delimiter, len(names)))
    typed = pa.schema(
        [(name, types.get(name, pa.large_string())) for name in schema.names]
    )
    return Reader(columns, typed, lambda: (as_typed(b, typed) for b in read()))


def checked_delimiter(given: str) -> str:
    """Return one sign that may stand between cells; a written tab is one too."""
    sign = "\t" if given == "\\t" else given
    if len(sign) != 1 or not sign.isascii() or sign.isalnum() or sign in '"\r\n':
        raise ParameterError(
            "a delimiter is one ASCII sign that is neither letter nor digit nor "
            "quotation mark, such as ';'"
        )
    return sign


def _own_delimiter(source: ByteInput, usual: str) -> str:
    """Return what stands between the names where that is no comma.

    Spreadsheets write a semicolon where the comma is a decimal mark. No cell is asked:
    what the table looks like must not depend on what is secret.
    """
    names = source.head().partition(b"\n")[0]
    if usual != "," or b"," in names:
        return usual
    return next((other for other in ";\t|" if other.encode() in names), usual)


def _header(source: ByteInput, delimiter: str) -> tuple[list[str], list[str]]:
    """Return the column names, and those that hold strings as far as the head tells."""
    # The head may end inside a character; Arrow would print that on stderr.
    head = source.head().decode("utf-8", errors="ignore").encode()
    if not head.strip():
        raise DataError("the table is empty; its first line must name the columns")
    try:
        reader = csv.open_csv(
            BytesIO(head + b"\n"),
            read_options=csv.ReadOptions(use_threads=False, block_size=len(head) + 1),
            parse_options=_parsing(delimiter, lambda _: "skip"),
        )
        names = list(reader.schema.names)
        strings = [
            field.name
            for field in reader.schema
            if is_usual(field.name) or not _is_plain_value(field.type)
        ]
    except pa.ArrowInvalid:
        pass  # its text may quote a cell
    else:
        return names, strings
    raise DataError("the first line cannot be read as a header of columns")


def _is_plain_value(kind: pa.DataType) -> bool:
    # Numbers, truth values and dates; the type of an empty column is not primitive.
    return bool(pa.types.is_primitive(kind) or pa.types.is_temporal(kind))


def _parsing(delimiter: str, on_invalid: object) -> csv.ParseOptions:
    return csv.ParseOptions(
        delimiter=delimiter, newlines_in_values=True, invalid_row_handler=on_invalid
    )


@dataclass(slots=True)
class _RowCheck:
    """Judge the rows whose number of fields is wrong.

    A row of random letters with one field too many is put behind the last row. The
    parser hands it over here exactly if no quotation mark is open at the end.
    """

    fields: int
    delimiter: str
    token: str = field(default_factory=lambda: secrets.token_hex(16))
    is_end_seen: bool = False
    problem: DataError | None = None

    @property
    def last_row(self) -> bytes:
        return f"\n{self.token}{self.delimiter * self.fields}\n".encode()

    def __call__(self, row: csv.InvalidRow) -> str:
        if row.actual_columns == self.fields + 1 and row.text.startswith(self.token):
            self.is_end_seen = True
            return "skip"
        self.problem = DataError(
            f"row {row.number} has {row.actual_columns} "
            f"{'field' if row.actual_columns == 1 else 'fields'} where the header, "
            f"row 1, names {row.expected_columns}"
        )
        return "error"

    def error(self, done: int) -> DataError:
        """Return what is wrong with a row after the first ``done`` ones."""
        return self.problem or DataError(f"row {done + 2} or a later one is broken")


def _batches(
    source: ByteInput, schema: pa.Schema, delimiter: str, fields: int
) -> Iterator[pa.RecordBatch]:
    """Read all rows; start again with larger blocks when a row does not fit in one."""
    block, largest = BLOCK, LARGEST_ROW
    if not source.is_replayable:
        block = largest = LARGEST_PIPED_ROW
    done = 0
    while True:
        check = _RowCheck(fields, delimiter)
        try:
            for batch in _one_pass(source, schema, check, block=block, skip=done):
                done += batch.num_rows
                yield batch
        except pa.ArrowInvalid as error:
            # Its text may quote a cell: it is looked at here and goes no further.
            message = str(error)
        else:
            _refuse_open_quote(check, done)
            return
        if not any(sign in message for sign in _ROW_EXCEEDS_BLOCK):
            raise check.error(done)
        if block >= largest:
            raise DataError(
                f"a row after row {done + 1} is longer than {largest >> 20} MiB; "
                "is a quotation mark left open?"
            )
        block *= _GROWTH


def _refuse_open_quote(check: _RowCheck, done: int) -> None:
    if not check.is_end_seen:
        raise DataError(
            f"a quotation mark opened in row {done + 2} or later is never closed"
        )


def _one_pass(
    source: ByteInput, schema: pa.Schema, check: _RowCheck, *, block: int, skip: int
) -> Iterator[pa.RecordBatch]:
    """Read the rows after the first ``skip``, the last batch only if all is well."""
    with source.open() as stream:
        reader = csv.open_csv(
            joined(chain(blocks(stream), [check.last_row]), stream),
            read_options=csv.ReadOptions(use_threads=False, block_size=block),
            parse_options=_parsing(check.delimiter, check),
            convert_options=csv.ConvertOptions(
                include_columns=schema.names,
                column_types=schema,
                strings_can_be_null=False,
            ),
        )
        held: pa.RecordBatch | None = None
        for count, batch in enumerate(reader):
            # Arrow reads up to 32 blocks ahead; a batch is a block.
            source.gauge.parsed = count * block
            passed = min(skip, batch.num_rows)
            skip -= passed
            if held is not None and held.num_rows:
                yield held
            held = batch.slice(passed)
        source.gauge.parsed = None
        if held is not None and held.num_rows and check.is_end_seen:
            yield held


def write_delimited(
    stream: BinaryIO, tables: Iterable[pa.Table], schema: pa.Schema, *, delimiter: str
) -> None:
    """Write tables with a header, every string quoted."""
    # Every string is quoted, so that whatever it contains is read back as it was.
    options = csv.WriteOptions(delimiter=delimiter, quoting_style="needed")
    with csv.CSVWriter(stream, schema, write_options=options) as writer:
        for table in tables:
            writer.write_table(table if len(schema) > 1 else _without_null(table))


def _without_null(table: pa.Table) -> pa.Table:
    # A null alone in its row would be an empty line, which readers skip.
    column = table.column(0)
    if not column.null_count:
        return table
    return pa.table([column.fill_null("")], schema=table.schema)
