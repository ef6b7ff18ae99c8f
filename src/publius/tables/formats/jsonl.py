"""JSON Lines: one object per line, keys that come and go, one type per column."""

import datetime
import decimal
import json
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import BinaryIO, cast

import pyarrow as pa
import pyarrow.compute as pc

from publius.core.errors import DataError, OutputError
from publius.tables.arrow import strings
from publius.tables.columns import Columns, is_usual, not_a_cell, not_a_name, resolve
from publius.tables.source import Reader
from publius.tables.stream import ByteInput, lines

Row = dict[str, object]
Kinds = dict[str, set[type]]
_NULL = type(None)
_INT64 = range(-(1 << 63), 1 << 63)
_parse = json.JSONDecoder().decode


@dataclass(frozen=True, slots=True)
class _Block:
    """Some consecutive rows and the numbers of their lines."""

    rows: list[Row] = field(repr=False)
    numbers: list[int]


ColumnReader = Callable[[_Block, str, pa.DataType], pa.Array]


def open_jsonl(source: ByteInput, asked: Columns) -> Reader:
    """Open a file of JSON objects, one per line.

    Protected columns are read as strings, whatever their values are: what type they
    have must not be seen. A kept column has one type for the whole file, so a file is
    read once beforehand when columns are kept; of standard input only the first block
    is looked at.
    """
    head = source.head()
    whole_lines = head[: head.rfind(b"\n") + 1] or head
    kinds: Kinds = {}
    for block in _blocks([whole_lines]):
        _survey(block, dict.fromkeys(n for row in block.rows for n in row), kinds)
    if not kinds:
        raise DataError(
            "the table is empty; each line must hold a JSON object with a name at least"
        )
    kept = asked.others
    if kept and source.is_replayable:
        with source.open() as stream:
            for block in _blocks(lines(stream)):
                _survey(block, kept, kinds)
    textual = [name for name in kinds if is_usual(name) or str in kinds[name]]
    columns = resolve(asked, list(kinds), textual)
    if columns.subject is not None and {list, dict} & kinds[columns.subject]:
        raise not_a_name(columns.subject)
    secret = [(name, pa.large_string()) for name in columns.protected]
    kept_types = [(name, _arrow_type(kinds[name])) for name in columns.others]
    schema = pa.schema([*secret, *kept_types])
    secret_reader = _cells if asked.is_typed else _texts
    readers = [secret_reader] * len(secret) + [_values] * len(kept_types)
    return Reader(columns, schema, partial(_batches, source, schema, readers))


def _blocks(pieces: Iterable[bytes]) -> Iterator[_Block]:
    start = 1
    for piece in pieces:
        block = _rows(piece, start)
        start += piece.count(b"\n")
        yield block


def _rows(piece: bytes, start: int) -> _Block:
    # Only "\n" ends a line: str.splitlines would cut strings at U+2028.
    written = piece.decode("utf-8").split("\n")
    numbers = [
        start + i for i, line in enumerate(written) if line and not line.isspace()
    ]
    return _Block([_row(written[n - start], n) for n in numbers], numbers)


def _row(line: str, number: int) -> Row:
    try:
        row = _parse(line)
    except (ValueError, RecursionError):
        row = None  # the decoder's error holds the line itself
    if not isinstance(row, dict):
        raise DataError(
            f"line {number} is not a JSON object; write one object in each line, with "
            "no list around them"
        )
    return row


def _survey(block: _Block, names: Iterable[str], kinds: Kinds) -> None:
    """Add the kinds of value that the named columns hold in a block."""
    for name in names:
        values = [row[name] for row in block.rows if name in row]
        if values:
            kinds.setdefault(name, set()).update(map(_kind, values))


def _kind(value: object) -> type:
    is_huge = type(value) is int and value not in _INT64
    return object if is_huge else type(value)


def _arrow_type(kinds: set[type]) -> pa.DataType:
    """Return the type that holds all kinds; a string when no simple one does."""
    present = kinds - {_NULL}
    if present == {bool}:
        return pa.bool_()
    if present == {int}:
        return pa.int64()
    if present and present <= {int, float}:
        return pa.float64()
    return pa.large_string()


_HOLDS: dict[pa.DataType, set[type]] = {
    pa.bool_(): {bool, _NULL},
    pa.int64(): {int, _NULL},
    pa.float64(): {int, float, _NULL},
}


def _batches(
    source: ByteInput, schema: pa.Schema, readers: Sequence[ColumnReader]
) -> Iterator[pa.RecordBatch]:
    with source.open() as stream:
        for block in _blocks(lines(stream)):
            if block.rows:
                arrays = [
                    read(block, field.name, field.type)
                    for read, field in zip(readers, schema, strict=True)
                ]
                yield pa.record_batch(arrays, schema=schema)


def _texts(block: _Block, name: str, _: pa.DataType) -> pa.Array:
    texts = [row.get(name) for row in block.rows]
    for text, number in zip(texts, block.numbers, strict=True):
        if not isinstance(text, str | None):
            raise DataError(
                f"column {name!r} must hold strings; line {number} does not"
            )
    return _strings(cast("list[str | None]", texts), name, block)


def _cells(block: _Block, name: str, kind: pa.DataType) -> pa.Array:
    for row, number in zip(block.rows, block.numbers, strict=True):
        if isinstance(row.get(name), list | dict):
            raise not_a_cell(name, f"line {number}")
    return _values(block, name, kind)


def _values(block: _Block, name: str, kind: pa.DataType) -> pa.Array:
    values = [row.get(name) for row in block.rows]
    if kind == pa.large_string():
        texts = [v if isinstance(v, str | None) else json.dumps(v) for v in values]
        return _strings(texts, name, block)
    for value, number in zip(values, block.numbers, strict=True):
        if _kind(value) not in _HOLDS[kind]:
            raise DataError(
                f"column {name!r} held only {kind} values at first; line {number} "
                "differs: make the column one kind, or read a file instead of a pipe"
            )
    if kind == pa.float64():
        values = [float(v) if isinstance(v, int) else v for v in values]
    return pa.array(values, kind)


def _strings(texts: Sequence[str | None], name: str, block: _Block) -> pa.Array:
    try:
        return strings(texts)
    except UnicodeEncodeError:
        pass  # a lone surrogate escape; the error holds the text itself
    number = next(
        number
        for text, number in zip(texts, block.numbers, strict=True)
        if isinstance(text, str) and not _is_unicode(text)
    )
    raise DataError(
        f"column {name!r} holds half of a surrogate pair in line {number}; "
        "that is no Unicode character"
    )


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def write_jsonl(
    stream: BinaryIO, tables: Iterable[pa.Table], schema: pa.Schema
) -> None:
    """Write one JSON object per row."""
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
    for place, own in enumerate(schema):
        if pa.types.is_floating(own.type):
            column = table.column(place)
            known = pc.if_else(pc.is_finite(column), column, None)
            table = table.set_column(place, own, known)
    return table


def _as_json(value: object) -> str:
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, decimal.Decimal | uuid.UUID | datetime.timedelta):
        return str(value)
    raise TypeError
