"""Open any input by its name: the table of formats."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pyarrow as pa

from publius.core.errors import DataError, ParameterError, UnknownNameError
from publius.tables.columns import Columns
from publius.tables.encoding import check_encoding
from publius.tables.formats.delimited import open_delimited
from publius.tables.formats.geojson import is_geojson, open_geojson
from publius.tables.formats.jsonl import open_jsonl
from publius.tables.formats.memory import MEMORY, open_table
from publius.tables.formats.parquet import open_parquet
from publius.tables.formats.plain import open_folder, open_lines, text_files
from publius.tables.source import Identity, Reader, Source
from publius.tables.stream import ByteInput, Gauge

STDIN = "-"

_STREAMED: dict[str, Callable[[ByteInput, Columns], Reader]] = {
    "csv": partial(open_delimited, delimiter=","),
    "tsv": partial(open_delimited, delimiter="\t"),
    "jsonl": open_jsonl,
    "txt": open_lines,
}
_SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".txt": "txt",
    ".parquet": "parquet",
}
FORMATS = (*_STREAMED, "parquet")


def open_source(
    path: "str | Path | pa.Table",
    *,
    columns: Columns,
    input_format: str | None = None,
    encoding: str = "utf-8",
) -> Source:
    """Open a table, a text file, a folder of text files or standard input.

    Args:
        path: A file, a folder, ``-`` for standard input, or an Arrow table.
        columns: What to read; the text column may be left to be found.
        input_format: One of ``FORMATS``; None goes by the suffix.
        encoding: Of text formats; Parquet has its own.

    Raises:
        DataError: The input is missing or broken, or lacks a column.
        ParameterError: The format or the encoding cannot be told or is unknown.
    """
    encoding = check_encoding(encoding)
    if input_format is not None and input_format not in FORMATS:
        raise UnknownNameError("input format", input_format, FORMATS)
    if isinstance(path, pa.Table):
        return Source(MEMORY, open_table(path, columns), path.nbytes, None, Gauge())
    if str(path) == STDIN:
        return _open_stdin(columns, input_format or "txt", encoding)
    path = Path(path)
    if not path.exists():
        raise DataError(f"{str(path)!r} does not exist")
    if path.is_dir():
        return _open_folder(path, columns, encoding)
    if input_format is None and is_geojson(path.name):
        return open_geojson(path, columns)
    return _open_file(path, columns, input_format or _format_of(path), encoding)


def _open_stdin(columns: Columns, input_format: str, encoding: str) -> Source:
    if input_format not in _STREAMED:
        raise ParameterError(
            f"{input_format} cannot be read from standard input; name a file instead"
        )
    gauge = Gauge()
    reader = _STREAMED[input_format](ByteInput(None, encoding, gauge), columns)
    return Source(input_format, reader, None, None, gauge)


def _open_folder(path: Path, columns: Columns, encoding: str) -> Source:
    gauge = Gauge()
    files = text_files(path)
    reader = open_folder(files, encoding, gauge, columns)
    identity = _identity(files)
    return Source("folder", reader, identity.size, identity, gauge, tuple(files))


def _open_file(
    path: Path, columns: Columns, input_format: str, encoding: str
) -> Source:
    gauge = Gauge()
    identity = _identity([path])
    if input_format == "parquet":
        reader = open_parquet(path, gauge, columns)
    else:
        reader = _STREAMED[input_format](ByteInput(path, encoding, gauge), columns)
    return Source(input_format, reader, identity.size, identity, gauge, (path,))


def _identity(files: list[Path]) -> Identity:
    found = [file.stat() for file in files]
    return Identity(
        files=len(found),
        size=sum(s.st_size for s in found),
        modified=max(s.st_mtime_ns for s in found),
    )


def _format_of(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    found = _SUFFIXES.get(suffixes[-1]) if suffixes else None
    if found is None:
        raise ParameterError(
            f"cannot tell the format of {path.name!r} from its suffix; "
            f"name it with --input-format: {', '.join(FORMATS)}"
        )
    return found
