"""Open any input by its name: a file, a folder, standard input, or memory."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

import pyarrow as pa

from publius.core.errors import DataError, ParameterError, UnknownNameError
from publius.tables.columns import Columns
from publius.tables.encoding import check_encoding
from publius.tables.formats.delimited import checked_delimiter, open_delimited
from publius.tables.formats.memory import MEMORY, open_table
from publius.tables.formats.plain import open_folder, text_files
from publius.tables.formats.table import DELIMITED, FORMATS, READABLE, Format
from publius.tables.remote import RemoteFile
from publius.tables.source import Identity, Source
from publius.tables.stream import ByteInput, Gauge

STDIN = "-"


def open_source(
    path: "str | Path | RemoteFile | pa.Table",
    *,
    columns: Columns,
    input_format: str | None = None,
    encoding: str = "utf-8",
    delimiter: str | None = None,
) -> Source:
    """Open a table, a text file, a folder of text files or standard input.

    Args:
        path: A file, a folder, ``-`` for standard input, or an Arrow table.
        columns: What to read; the text column may be left to be found.
        input_format: A name of the table of formats; None goes by the suffix.
        encoding: Of text formats; Parquet has its own.
        delimiter: Between the cells of csv; None lets its line of names decide.

    Raises:
        DataError: The input is missing or broken, or lacks a column.
        ParameterError: The format or the encoding cannot be told or is unknown.
    """
    encoding = check_encoding(encoding)
    if input_format is not None:
        known_format(input_format)
    if isinstance(path, pa.Table):
        return Source(MEMORY, open_table(path, columns), path.nbytes, None, Gauge())
    if str(path) == STDIN:
        known = _format(input_format or "txt", delimiter)
        return _open_stdin(columns, input_format or "txt", known, encoding)
    if isinstance(path, RemoteFile):
        kind = input_format or format_of(path)
        return _open_file(path, columns, kind, _format(kind, delimiter), encoding)
    path = Path(path)
    if not path.exists():
        raise DataError(f"{str(path)!r} does not exist")
    if path.is_dir():
        return _open_folder(path, columns, encoding)
    kind = input_format or format_of(path)
    return _open_file(path, columns, kind, _format(kind, delimiter), encoding)


def _format(name: str, delimiter: str | None) -> Format:
    """Return a format; what stands between cells may be told."""
    file_format = FORMATS[name]
    if delimiter is None:
        return file_format
    if name not in DELIMITED:
        raise ParameterError(f"--delimiter is for csv, and this input is {name}")
    stream = partial(
        open_delimited, delimiter=checked_delimiter(delimiter), is_told=True
    )
    return replace(file_format, stream=stream)


def _open_stdin(
    columns: Columns, input_format: str, known: Format, encoding: str
) -> Source:
    stream = known.stream
    if stream is None:
        raise ParameterError(
            f"{input_format} cannot be read from standard input; name a file instead"
        )
    gauge = Gauge()
    reader = stream(ByteInput(None, encoding, gauge), columns)
    return Source(input_format, reader, None, None, gauge)


def _open_folder(path: Path, columns: Columns, encoding: str) -> Source:
    gauge = Gauge()
    files = text_files(path)
    reader = open_folder(files, encoding, gauge, columns)
    identity = _identity(files)
    return Source("folder", reader, identity.size, identity, gauge, tuple(files))


def _open_file(
    path: "Path | RemoteFile",
    columns: Columns,
    input_format: str,
    known: Format,
    encoding: str,
) -> Source:
    gauge = Gauge()
    identity = _identity([path])
    if known.stream is not None:
        reader = known.stream(ByteInput(path, encoding, gauge), columns)
    elif known.file is not None:
        reader = known.file(cast("Path", path), gauge, columns)
    else:
        raise UnknownNameError("input format", input_format, READABLE)
    own = () if isinstance(path, RemoteFile) else (path,)
    return Source(input_format, reader, identity.size, identity, gauge, own)


def refuse_changed(source: Source) -> None:
    """Raise unless the files of a source are those that were opened.

    Raises:
        DataError: One vanished, or was written since.
    """
    if source.identity is None or not source.paths:
        return
    try:
        is_same = _identity(source.paths) == source.identity
    except OSError:
        is_same = False
    if not is_same:
        raise DataError(
            "the input was changed while it was being released; start anew in another "
            "folder when it is at rest"
        )


def _identity(files: "Sequence[Path | RemoteFile]") -> Identity:
    stats = [file.stat() for file in files]
    return Identity(
        files=len(stats),
        size=sum(s.st_size for s in stats),
        modified=max(s.st_mtime_ns for s in stats),
    )


def known_format(name: str) -> str:
    """Return the name of an input format, or raise if there is none of it."""
    if name not in FORMATS:
        raise UnknownNameError("input format", name, READABLE)
    return name


def format_of(path: "Path | RemoteFile") -> str:
    """Return the format that the suffix of a file names."""
    name = path.name.lower().removesuffix(".gz")
    for known, one in FORMATS.items():
        if name.endswith(one.suffixes):
            return known
    raise ParameterError(
        f"cannot tell the format of {path.name!r} from its suffix; "
        f"name it with --input-format: {', '.join(READABLE)}"
    )
