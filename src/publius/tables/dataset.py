"""A table in many files: what an engine's splits point into."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa

from publius.core.errors import DataError, ParameterError
from publius.tables.columns import Columns
from publius.tables.formats.memory import Input
from publius.tables.formats.plain import FILE, TEXT
from publius.tables.read import format_of, known_format, open_source
from publius.tables.remote import S3, RemoteFile, remote_files, remote_folders
from publius.tables.source import Reader, Source
from publius.tables.stream import ByteInput, Gauge

FOLDER = "folder"
"""Format of a folder of text files: each file is one row."""
_DELTA = "_delta_log"
"""Says which files of a folder make a table; others hold rows that were deleted."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How the files of a dataset are read; picklable, without a value.

    Args:
        columns: With the protected ones named.
        schema: Of every file.
        format: Of every file.
        encoding: Of text formats.
    """

    columns: Columns
    schema: pa.Schema
    format: str
    encoding: str

    def rows(
        self, uri: str, first: int = 0, count: int = -1
    ) -> Iterator[pa.RecordBatch]:
        """Read some rows of a file; all from the first one if ``count`` is -1.

        Raises:
            DataError: The file vanished, changed its columns or is too short.
        """
        if not count:
            return
        if self.format == FOLDER:
            yield self._text_file(uri)
            return
        source = self.opened(uri)
        if not source.schema.equals(self.schema):
            raise DataError(
                "the files of the folder have different columns or types; make them "
                "one table, for example in Parquet"
            )
        left = count
        for batch in source.batches_from(first):
            taken = batch if count < 0 else batch.slice(0, left)
            left -= taken.num_rows
            yield taken
            if count >= 0 and not left:
                return
        if left > 0:
            raise DataError("the input was changed while it was being released")

    def refuse_changed(self, uri: str, stamp: tuple[int, int] | None) -> None:
        """Raise unless a file is there, and is the one that was there at first.

        Args:
            uri: Its address.
            stamp: Its size and time of change then; None for whatever it is.
        """
        try:
            now = _stat(RemoteFile(uri) if uri.startswith(S3) else Path(uri))
        except OSError:
            now = None
        if now is None:
            raise DataError(
                "a file of the input vanished, or cannot be read by a worker, while it "
                "was being released; put it where all workers can read it"
            )
        if stamp is not None and now != tuple(stamp):
            raise DataError(
                "the input was changed while it was being released; start anew in "
                "another folder when it is at rest"
            )

    def opened(self, uri: str) -> Source:
        """Open one of the files; not for a folder of texts."""
        return open_source(
            RemoteFile(uri) if uri.startswith(S3) else uri,
            columns=self.columns,
            input_format=self.format,
            encoding=self.encoding,
        )

    def _text_file(self, uri: str) -> pa.RecordBatch:
        file = RemoteFile(uri) if uri.startswith(S3) else Path(uri)
        with ByteInput(file, self.encoding, Gauge()).open() as stream:
            text = stream.read().decode("utf-8")
        written = {TEXT: text, FILE: file.name}
        arrays = [pa.array([written[n]], pa.large_string()) for n in self.schema.names]
        return pa.record_batch(arrays, schema=self.schema)


@dataclass(frozen=True, slots=True)
class Dataset:
    """The files of a table, in the order of their names.

    Args:
        layout: How they are read.
        files: Size and time of change of each address.
        source: The first file opened, for whoever needs types and names only.
    """

    layout: Layout
    files: Mapping[str, tuple[int, int]]
    source: Source = field(repr=False)

    @property
    def whole(self) -> Source:
        """The rows of all files, to be read in one process."""
        reader = Reader(self.layout.columns, self.layout.schema, self._batches)
        return replace(self.source, reader=reader)

    def _batches(self) -> Iterator[pa.RecordBatch]:
        for uri in self.files:
            yield from self.layout.rows(uri)


def open_dataset(
    path: str, *, columns: Columns, input_format: str | None, encoding: str
) -> Dataset:
    """Open a file or a folder of Parquet, JSON Lines, CSV, TSV or text files.

    Raises:
        DataError: There is no file, or the first one cannot be read.
        ParameterError: The files have several formats.
    """
    files = _files(path)
    kind = input_format or _one_format(files)
    strange = sum(_kind(file) is None for file in files)
    if input_format is None and strange and len(files) > 1:
        raise DataError(
            f"{strange} of {len(files)} files of the folder have no known format, and "
            "no row is left out unsaid: take them out, name one file, or say with "
            "--input-format what they are"
        )
    if input_format is not None:
        known_format(input_format)
    is_folder = kind == "txt" and not _is_file(path)
    chosen = {
        file: stat
        for file, stat in files.items()
        if len(files) == 1 or _kind(file) in (kind, None)
    }
    first = next(iter(chosen))
    if is_folder:
        layout = _text_layout(columns, encoding)
        source = open_source(
            first, columns=Columns((TEXT,)), input_format="txt", encoding=encoding
        )
    else:
        source = open_source(
            first, columns=columns, input_format=kind, encoding=encoding
        )
        # What a writer added about its columns is long and would travel with each task.
        schema = source.schema.remove_metadata()
        layout = Layout(source.columns, schema, kind, encoding)
    sizes = {str(file): _stamp(stat) for file, stat in chosen.items()}
    total = sum(size for size, _ in sizes.values())
    return Dataset(layout, sizes, source.covering(layout.columns, layout.schema, total))


def open_input(
    path: Input, *, columns: Columns, input_format: str | None = None
) -> Source:
    """Open a table wherever its rows lie: in memory, in a file or in many."""
    if not is_dataset(path):
        return open_source(path, columns=columns, input_format=input_format)
    return open_dataset(
        str(path), columns=columns, input_format=input_format, encoding="utf-8"
    ).whole


def refuse_folders(path: str, out: str) -> None:
    """Raise where rows would be left out, or rows would leave that were deleted.

    Args:
        path: Address of the input.
        out: Address of the release, which may lie there.
    """
    place = Path(path)
    if path.startswith(S3):
        names = remote_folders(path)
    else:
        entries = place.iterdir() if place.is_dir() else ()
        names = [entry.name for entry in entries if entry.is_dir()]
    for name in names:
        is_out = f"{path.rstrip('/')}/{name}" == out
        if name == _DELTA or not (is_out or name.startswith((".", "_"))):
            raise DataError(
                "folders in the folder of the input are not read, nor is the log of a "
                "Delta table; name the folder that holds the files, or release the "
                "table by publius.adapters.spark"
            )


def is_dataset(path: object) -> bool:
    """Tell whether an input is read by splits even on this machine."""
    if not isinstance(path, str | Path):
        return False
    if str(path).startswith(S3):
        return True
    folder = Path(path)
    if not folder.is_dir():
        return False
    return any(_kind(file) not in ("txt", None) for file in _visible(folder))


def _files(path: str) -> dict["Path | RemoteFile", SimpleNamespace | os.stat_result]:
    """Return the files of an input with what the system says about each."""
    if path.startswith(S3):
        remote = remote_files(path)
        if remote is None:
            one = RemoteFile(path)
            return {one: one.stat()}
        shown = {f: s for f, s in remote.items() if not f.name.startswith((".", "_"))}
        return dict(sorted(shown.items(), key=lambda pair: pair[0].name))
    place = Path(path)
    if not place.exists():
        raise DataError(f"{path!r} does not exist")
    files = _visible(place) if place.is_dir() else [place]
    return {file.resolve(): file.stat() for file in files}


def _stat(file: "Path | RemoteFile") -> tuple[int, int]:
    return _stamp(file.stat())


def _stamp(stat: SimpleNamespace | os.stat_result) -> tuple[int, int]:
    return int(stat.st_size), int(stat.st_mtime_ns)


def _visible(folder: Path) -> list[Path]:
    return sorted(
        (
            file
            for file in folder.iterdir()
            if file.is_file() and not file.name.startswith((".", "_"))
        ),
        key=lambda file: file.name,
    )


def _one_format(files: Mapping["Path | RemoteFile", object]) -> str:
    kinds = sorted({kind for kind in map(_kind, files) if kind is not None})
    if len(kinds) == 1:
        return kinds[0]
    if not kinds:
        raise DataError(
            "the folder holds no file of a known format: parquet, jsonl, csv, tsv, txt"
        )
    raise ParameterError(
        f"the folder holds several formats ({', '.join(kinds)}); name one with "
        "--input-format"
    )


def _kind(file: "Path | RemoteFile") -> str | None:
    try:
        return format_of(file)
    except ParameterError:
        return None


def _is_file(path: str) -> bool:
    return remote_files(path) is None if path.startswith(S3) else Path(path).is_file()


def _text_layout(asked: Columns, encoding: str) -> Layout:
    if asked.protected not in ((), (TEXT,)):
        raise DataError(f"the texts of a folder are its column {TEXT!r}")
    for name in asked.others:
        if name != FILE:
            raise DataError(f"no column {name!r}; columns: {TEXT}, {FILE}")
    columns = Columns((TEXT,), asked.subject, asked.keep, asked.is_typed)
    schema = pa.schema([(name, pa.large_string()) for name in columns.needed])
    return Layout(columns, schema, FOLDER, encoding)
